import { defineTool, type PlanInput, type RunOptions } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { msOf, peakOf, withLimits } from "../../scenario/run-several.ts";

const free = (count: number): PlanInput => ({
  steps: Array.from({ length: count }, (_, index) => step(`s${index + 1}`, "A", { dependsOn: [] })),
});

/** Plays a plan of tool A, and also returns how often A was called. */
async function play(plan: PlanInput, outcomes: readonly FakeOutcome[], options: RunOptions) {
  let calls = 0;
  const played = await runScenario((clock) => {
    const tool = createFakeTool({ name: "A", outcomes, clock, retry: { minDelayMs: 100, factor: 1 } });
    return {
      tools: [tool],
      plan,
      options,
      act: ({ handle }) =>
        void handle.result.then(() => {
          calls = tool.calls.length;
        }),
    };
  });
  return { ...played, calls };
}

const ok: readonly FakeOutcome[] = [{ returns: "ok" }];

describe("budget.toolCalls", () => {
  it("allows exactly that many calls", async () => {
    const { result, calls, events } = await play(planOf("A", "A", "A"), ok, { budget: { toolCalls: 3 } });
    expect(result.status).toBe("completed");
    expect(calls).toBe(3);
    expect(events[0]).toMatchObject({ options: { budget: { toolCalls: 3 } } });
  });

  it("forbids one more: its step fails before the tool is called", async () => {
    const { result, calls, events } = await play(planOf("A", "A", "A"), ok, { budget: { toolCalls: 2 } });
    expect(calls).toBe(2);
    expect(result.steps.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["completed", 1],
      ["completed", 1],
      ["failed", 0],
    ]);
    expect(result).toMatchObject({ status: "failed", output: "ok" });
    expect(result.error).toEqual({
      name: "AgentError",
      code: "limit-exceeded",
      message: 'Step "s3" would make tool call 3 of the run; the budget is 2.',
      retryable: false,
      details: { limit: "toolCalls", max: 2, used: 3, stepId: "s3" },
    });
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["step-start", "step-end", "run-end"]);
  });

  it("counts every attempt", async () => {
    const { result, calls } = await play(planOf("A", "A"), [{ throws: "no" }, { throws: "no" }, ...ok], {
      budget: { toolCalls: 3 },
    });
    expect(calls).toBe(3);
    expect(result.steps).toMatchObject([
      { status: "completed", attempts: 3 },
      { status: "failed", attempts: 0, error: { code: "limit-exceeded" } },
    ]);
  });

  it("forbids a retry, with the last error as cause", async () => {
    const { result, calls } = await play(planOf("A"), [{ throws: new Error("no") }], { budget: { toolCalls: 2 } });
    expect(calls).toBe(2);
    expect(result.steps[0]).toMatchObject({ status: "failed", attempts: 2 });
    expect(result.error).toMatchObject({
      code: "limit-exceeded",
      details: { limit: "toolCalls", max: 2, used: 3 },
      cause: { message: "no" },
    });
  });

  it("is shared by steps that run at once", async () => {
    const { result, calls, events } = await play(free(6), [{ returns: 1, afterMs: 10 }], {
      budget: { toolCalls: 4 },
      concurrency: 6,
    });
    expect(calls).toBe(4);
    expect(result.steps.map(({ status }) => status)).toEqual([
      ...Array(4).fill("completed"),
      "failed",
      expect.stringMatching(/failed|skipped/),
    ]);
    expect(peakOf(events)).toBeLessThanOrEqual(6);
    expect(events.map(msOf).at(-1)).toBe(10);
  });

  it("fails each step beyond it with the same figures if failures do not stop the run", async () => {
    const { result, calls } = await play(free(4), ok, { budget: { toolCalls: 1 }, onStepFailure: "continue" });
    expect(calls).toBe(1);
    expect(result.steps.slice(1).map(({ error }) => error?.details)).toEqual(
      ["s2", "s3", "s4"].map((stepId) => ({ limit: "toolCalls", max: 1, used: 2, stepId })),
    );
  });

  it("is not used up by a step that never calls a tool: an input that does not resolve", async () => {
    const { result, calls } = await play(
      {
        steps: [
          step("a", "A", { dependsOn: [] }),
          step("b", "A", { dependsOn: [], input: { of: { $ref: "a.missing" } } }),
          step("c", "A", { dependsOn: [] }),
        ],
      },
      [{ returns: {} }],
      { budget: { toolCalls: 2 }, onStepFailure: "continue" },
    );
    expect(calls).toBe(2);
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
  });

  it("is not used up by calls that an open circuit refuses", async () => {
    const { result } = await runScenario(() => ({
      isResumable: false,
      tools: [
        withLimits(createFakeTool({ name: "Down", outcomes: [{ throws: "no" }], retry: { maxAttempts: 1 } }), {
          circuitBreaker: { maxFailures: 1 },
        }),
        createFakeTool({ name: "A" }),
      ],
      plan: {
        steps: [
          step("a", "Down", { dependsOn: [] }),
          step("b", "Down", { dependsOn: [] }),
          step("c", "A", { dependsOn: [] }),
        ],
      },
      options: { budget: { toolCalls: 2 }, onStepFailure: "continue" },
    }));
    expect(result.steps.map(({ error }) => error?.code)).toEqual(["tool-failed", "circuit-open", undefined]);
  });

  it("is not used up by undoing", async () => {
    const { result, events } = await runScenario(() => ({
      isResumable: false,
      tools: [
        defineTool({
          name: "A",
          description: "Can be undone, at the second try",
          inputSchema: z.looseObject({}),
          effect: "idempotent",
          retry: { minDelayMs: 10 },
          execute: () => "done",
          undo(_done, { attempt }) {
            if (attempt === 1) throw new Error("not yet");
          },
        }),
      ],
      plan: planOf("A", "A", "A"),
      options: { budget: { toolCalls: 2 }, undoOnFailure: true },
    }));
    expect(result.error).toMatchObject({ code: "limit-exceeded", details: { used: 3 } });
    expect(result.steps.map(({ status }) => status)).toEqual(["undone", "undone", "failed"]);
    expect(events.flatMap((event) => (event.type === "undo-end" ? [event.attempts] : []))).toEqual([2, 2]);
    expect(result.notUndone).toBeUndefined();
  });

  it("is optional", async () => {
    const { result, events } = await play(planOf("A"), ok, { budget: {} });
    expect(result.status).toBe("completed");
    expect(events[0]).not.toHaveProperty("options.budget");
  });
});
