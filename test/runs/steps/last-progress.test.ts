import { createAgent, createMemoryRunStore, defineTool, sensitive, type ToolEffect } from "planwright";
import { createManualClock } from "planwright/testing";
import { toHtml } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const plan = { steps: [{ id: "a", tool: "Copy", input: {} }] };
const failure = new Error("broken");

type Ending = "fails" | "hangs" | "ends";

/** A tool that copies nine files and ends as told, attempt by attempt. */
function copier(endings: Ending[], { effect = "idempotent" }: { effect?: ToolEffect } = {}) {
  return defineTool({
    name: "Copy",
    description: "Copies",
    inputSchema: z.object({ only: z.number().optional() }),
    effect,
    timeoutMs: 20,
    retry: { maxAttempts: 2, minDelayMs: 0 },
    execute: ({ only }, { attempt, progress, signal }) => {
      progress({ done: 0, of: 9 });
      progress({ done: only ?? attempt, of: 9 });
      const ending = endings.shift() ?? "ends";
      if (ending === "fails") throw failure;
      if (ending === "ends") return "copied";
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  });
}

describe("the last progress of a step", () => {
  it.each<[string, Ending[], ToolEffect, object]>([
    ["failed", ["fails", "fails"], "idempotent", { status: "failed", progress: { done: 2, of: 9 } }],
    ["timed out", ["hangs", "hangs"], "idempotent", { status: "failed", progress: { done: 2, of: 9 } }],
    ["is in doubt", ["hangs"], "once", { status: "unknown", progress: { done: 1, of: 9 } }],
  ])("is in its record if it %s", async (_what, endings, effect, record) => {
    const store = createMemoryRunStore();
    const tools = [copier(endings, { effect })];
    const clock = createManualClock();
    const result = await clock.runUntil(createAgent({ tools, store, clock }).execute(plan, { runId: "r" }));
    expect(result.steps).toMatchObject([record]);
    const shown = await createAgent({ tools, store }).getRun("r");
    expect(shown?.steps).toMatchObject([record]);
    expect(toHtml(result)).toContain("Last progress");
  });

  it("is absent once it has completed, and starts over when the run is resumed", async () => {
    const retried = await createAgent({ tools: [copier(["fails", "ends"])] }).execute(plan);
    expect(retried.steps[0]).toMatchObject({ status: "completed" });
    expect(retried.steps[0]).not.toHaveProperty("progress");

    const agent = createAgent({ tools: [copier(["fails", "fails", "ends"])] });
    await agent.execute(plan, { runId: "r" });
    const { steps } = await agent.resume("r");
    expect(steps[0]).toMatchObject({ status: "completed" });
    expect(steps[0]).not.toHaveProperty("progress");
  });

  it("is that of each iteration, and what a replan can read", async () => {
    const read: unknown[] = [];
    const agent = createAgent({
      tools: [copier(["fails", "fails", "ends"])],
      planner: {
        name: "mine",
        plan: async () => ({ steps: [] }),
        replan: async ({ steps }) => {
          read.push(...steps.map(({ progress }) => progress));
          throw failure;
        },
      },
    });
    const steps = [{ id: "a", tool: "Copy", input: { only: { $ref: "item" } }, forEach: "[7, 8]" }];
    const result = await agent.execute({ steps } as never, { maxReplans: 1 });
    expect(result.steps.map(({ progress }) => progress)).toEqual([{ done: 7, of: 9 }, undefined]);
    expect(read).toEqual([{ done: 7, of: 9 }, undefined]);
  });

  it("hides what is sensitive", async () => {
    const login = defineTool({
      name: "Copy",
      description: "Copies",
      inputSchema: z.object({ key: sensitive(z.string()) }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      execute: ({ key }, { progress }) => {
        progress(`opened with ${key}`);
        throw failure;
      },
    });
    const agent = createAgent({ tools: [login], redact: (value) => value });
    const result = await agent.execute({ steps: [{ id: "a", tool: "Copy", input: { key: "hunter2222" } }] });
    expect(result.steps[0]?.progress).toBe("opened with [sensitive]");
  });
});
