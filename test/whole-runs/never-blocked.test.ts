import { defineTool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf } from "../scenario/plans.ts";
import { runScenario } from "../scenario/run-scenario.ts";

describe("a run is never blocked", () => {
  it("by an async schema that hangs during an undo, which counts as a timeout", async () => {
    const { result, events } = await runScenario(() => {
      let hasRun = false;
      const tool = defineTool({
        name: "A",
        description: "Does something",
        inputSchema: z.looseObject({}).refine(() => (hasRun ? new Promise<boolean>(() => {}) : Promise.resolve(true))),
        effect: "idempotent",
        execute: () => {
          hasRun = true;
        },
        undo: () => undefined,
      });
      const failing = createFakeTool({
        name: "B",
        outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }],
      });
      return { tools: [tool, failing], plan: planOf("A", "B"), options: { undoOnFailure: true }, isResumable: false };
    });
    expect(result.notUndone).toEqual([{ stepId: "s1", tool: "A", reason: "failed" }]);
    expect(events.find(({ type }) => type === "undo-end")).toMatchObject({
      attempts: 0,
      outcome: { status: "failed", error: { code: "timeout" } },
    });
  });

  it("by a retry that would have to wait for its turn longer than maxTotalMs", async () => {
    const { result } = await runScenario(() => {
      const tool = createFakeTool({
        name: "A",
        outcomes: [{ throws: new Error("no") }],
        retry: { maxAttempts: 5, minDelayMs: 100, maxTotalMs: 2_000 },
      });
      return { tools: [{ ...tool, rateLimit: { limit: 1, intervalMs: 60_000 } }], plan: planOf("A") };
    });
    expect(result.steps).toMatchObject([{ status: "failed", attempts: 1, error: { code: "tool-failed" } }]);
  });

  it.each([
    ["throws", () => JSON.parse("no")],
    ["is not a number", () => Number.NaN],
  ])("by a random number that %s: the middle of the jitter is used", async (_what, random) => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: new Error("no") }, { returns: 1 }] })],
      plan: planOf("A"),
      random,
    }));
    expect(result.status).toBe("completed");
    expect(events.find(({ type }) => type === "step-retry")).toMatchObject({ delayMs: 750 });
  });
});
