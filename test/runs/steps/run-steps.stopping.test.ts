import { defineTool } from "planwright";
import { createFakeTool, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { msOf, timelineOf, withLimits } from "../../scenario/run-several.ts";

const retry = { maxAttempts: 1 };

const free = (id: string, tool: string) => step(id, tool, { dependsOn: [] });

const failing = (clock: ManualClock, afterMs = 10) =>
  createFakeTool({ name: "Bad", outcomes: [{ throws: new Error("bad"), afterMs }], clock, retry });

const working = (clock: ManualClock) => createFakeTool({ name: "Ok", outcomes: [{ returns: 1, afterMs: 100 }], clock });

describe("after a step has failed, with onStepFailure stop", () => {
  it("a step that waits for its turn at a tool does not start", async () => {
    const { events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [failing(clock), withLimits(working(clock), { concurrency: 1 })],
      plan: { steps: [free("a", "Bad"), free("b", "Ok"), free("c", "Ok")] },
      options: { concurrency: 3 },
    }));
    expect(timelineOf(events).slice().sort()).toEqual([
      "0 start a",
      "0 start b",
      "10 failed a",
      "100 end b",
      "100 skip c run-ended",
    ]);
  });

  it("a step whose input is still being checked does not start", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [
        failing(clock),
        defineTool({
          name: "Slow",
          description: "Checks its input for a while",
          inputSchema: z.object({}).refine(async () => {
            await new Promise<void>((resolve) => clock.setTimeout(resolve, 50));
            return true;
          }),
          effect: "idempotent",
          execute: () => 1,
        }),
      ],
      plan: { steps: [free("a", "Bad"), free("b", "Slow")] },
      options: { concurrency: 2 },
      act: ({ clock }) => clock.advance(5),
    }));
    expect(timelineOf(events).filter((line) => line.includes("start b"))).toEqual([]);
  });

  it("a step that waits for its rate does not start, and the run does not wait for it", async () => {
    const { events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [failing(clock), withLimits(working(clock), { rateLimit: { limit: 1, intervalMs: 5_000 } })],
      plan: { steps: [free("a", "Bad"), free("b", "Ok"), free("c", "Ok")] },
      options: { concurrency: 3 },
    }));
    expect(timelineOf(events).at(-1)).toBe("100 skip c run-ended");
  });

  it("a step that waits for an answer of requestApproval does not start, and the answer no longer counts", async () => {
    const reasons: boolean[] = [];
    const { events, result } = await runScenario((clock) => ({
      tools: [failing(clock), { ...working(clock), needsApproval: () => true }],
      plan: { steps: [free("a", "Bad"), free("b", "Ok")] },
      requestApproval: (_request, { signal }) =>
        new Promise((resolve) => {
          clock.setTimeout(() => {
            reasons.push(signal.aborted);
            resolve("approve");
          }, 50);
        }),
      options: { concurrency: 2 },
      leftoverTimers: 1,
    }));
    expect(timelineOf(events)).toEqual(["0 start a", "10 failed a", "10 skip b run-ended"]);
    expect(result).toMatchObject({ status: "failed", error: { details: { stepId: "a" } } });
  });

  it("a failed step that waits for a retry is retried, and takes its turn", async () => {
    const { result, events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [
        failing(clock),
        withLimits(createFakeTool({ name: "Flaky", outcomes: [{ throws: "once" }, { returns: "kept" }], clock }), {
          rateLimit: { limit: 1, intervalMs: 5_000 },
        }),
      ],
      plan: { steps: [free("a", "Bad"), free("b", "Flaky")] },
      options: { concurrency: 2 },
    }));
    expect(result.steps[1]).toMatchObject({ status: "completed", attempts: 2 });
    const last = events.at(-1);
    expect(last && msOf(last)).toBe(5_000);
  });

  it("the places that were waited for are freed", async () => {
    const { result } = await runScenario((clock) => ({
      isResumable: false,
      tools: [failing(clock, 0), withLimits(working(clock), { concurrency: 1 })],
      plan: { steps: [free("b", "Ok"), free("a", "Bad"), free("c", "Ok"), free("d", "Ok")] },
      options: { concurrency: 4 },
    }));
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "failed", "skipped", "skipped"]);
  });
});

describe("in a loop", () => {
  it("an iteration that waits for its turn does not start after a failed one", async () => {
    const { events, result } = await runScenario((clock) => ({
      tools: [withLimits(failing(clock), { rateLimit: { limit: 1, intervalMs: 5_000 } })],
      plan: { steps: [step("a", "Bad", { forEach: "[1, 2, 3]", concurrency: 3 })] },
    }));
    expect(result.steps.map(({ status }) => status)).toEqual(["failed", "skipped", "skipped"]);
    expect(timelineOf(events).slice(0, 2)).toEqual(["0 start a", "10 failed a"]);
  });
});

describe("with onStepFailure continue", () => {
  it("a step that waits for its turn gets it", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [failing(clock), withLimits(working(clock), { concurrency: 1 })],
      plan: { steps: [free("a", "Bad"), free("b", "Ok"), free("c", "Ok")] },
      options: { concurrency: 3, onStepFailure: "continue" },
    }));
    expect(result.steps.map(({ status }) => status)).toEqual(["failed", "completed", "completed"]);
  });
});

describe("an open circuit", () => {
  it("refuses at once, even if calls wait for their rate, and uses none of it up", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [
        withLimits(failing(clock, 0), {
          circuitBreaker: { maxFailures: 1 },
          rateLimit: { limit: 1, intervalMs: 5_000 },
        }),
      ],
      plan: { steps: [free("a", "Bad"), free("b", "Bad")] },
      options: { onStepFailure: "continue" },
    }));
    expect(timelineOf(events).at(-1)).toBe("0 failed b");
  });
});
