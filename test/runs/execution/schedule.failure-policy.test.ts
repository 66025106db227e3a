import { defineTool, type RunOptions, type RunResult, type ToolStep } from "planwright";
import { createFakeTool, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { msOf, timelineOf, withLimits } from "../../scenario/run-several.ts";

const retry = { maxAttempts: 1 };

/** `Ok10` works after 10 ms; `Bad10` fails after 10 ms, each time with an error of its own. */
function makeTool(clock: ManualClock, name: string) {
  const afterMs = Number(name.replace(/\D+/, ""));
  const works = name.startsWith("Ok");
  const outcomes = [1, 2, 3, 4].map((call) =>
    works ? { returns: `${name} ${call}`, afterMs } : { throws: new Error(`${name} ${call}`), afterMs },
  );
  return createFakeTool({ name, outcomes, clock, retry });
}

const play = (steps: readonly ToolStep[], options: RunOptions = {}) =>
  runScenario((clock) => ({
    tools: [...new Set(steps.map(({ tool }) => tool))].map((name) => makeTool(clock, name)),
    plan: { steps },
    options,
    isResumable: false,
  }));

const statuses = ({ steps }: RunResult) => steps.map(({ stepId, status }) => `${stepId} ${status}`);

const free = (id: string, tool: string) => step(id, tool, { dependsOn: [] });

describe("onStepFailure stop", () => {
  const steps = [free("a", "Bad10"), step("b", "Ok10", { dependsOn: ["a"] }), free("c", "Ok10"), free("d", "Ok30")];

  it("is the default: no other step starts", async () => {
    const { result, events } = await play(steps);
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "10 failed a",
      "10 skip b dependency-failed",
      "10 skip c run-ended",
      "10 skip d run-ended",
    ]);
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", message: /Bad10 1$/ } });
    expect(result.steps.slice(1)).toMatchObject([{ attempts: 0 }, { attempts: 0 }, { attempts: 0 }]);
    expect(result).not.toHaveProperty("output");
  });

  it("behaves the same when it is set explicitly", async () => {
    const { result, events } = await play(steps, { onStepFailure: "stop" });
    expect(statuses(result)).toEqual(["a failed", "b skipped", "c skipped", "d skipped"]);
    expect(events[0]).not.toHaveProperty("options.onStepFailure");
  });

  it("lets running steps finish, and starts nothing in their places", async () => {
    const wide = [free("a", "Bad10"), free("c", "Ok10"), free("d", "Ok30"), step("e", "Ok10", { dependsOn: ["c"] })];
    const { result, events } = await play([...wide, free("f", "Ok10")], { concurrency: 3 });
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "0 start c",
      "0 start d",
      "10 failed a",
      "10 end c",
      "30 end d",
      "30 skip e run-ended",
      "30 skip f run-ended",
    ]);
    expect(result.output).toBe("Ok30 1");
  });

  it("reports the error of the first step in plan order when several fail", async () => {
    const { result } = await play([free("a", "Bad30"), free("b", "Bad10")], { concurrency: 2 });
    expect(result.error).toMatchObject({ details: { stepId: "a" } });
    expect(result.steps.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining("Bad30 1"),
      expect.stringContaining("Bad10 1"),
    ]);
  });

  it("lets running steps be retried", async () => {
    const { result } = await runScenario((clock) => ({
      isResumable: false,
      tools: [
        makeTool(clock, "Bad10"),
        createFakeTool({ name: "Flaky", outcomes: [{ throws: "once", afterMs: 20 }, { returns: "at last" }], clock }),
      ],
      plan: { steps: [free("a", "Bad10"), free("b", "Flaky")] },
      options: { concurrency: 2 },
    }));
    expect(result.steps[1]).toMatchObject({ status: "completed", attempts: 2, output: "at last" });
    expect(result.status).toBe("failed");
  });
});

describe("onStepFailure continue", () => {
  const options = { onStepFailure: "continue" } as const;

  it("runs all steps that do not depend on the failed one, in plan order", async () => {
    const { result, events } = await play(
      [
        free("a", "Bad10"),
        step("b", "Ok10", { dependsOn: ["a"] }),
        step("c", "Ok10", { dependsOn: ["b"] }),
        free("d", "Ok10"),
        step("e", "Ok10", { dependsOn: ["d"] }),
        step("f", "Ok10", { dependsOn: ["e", "c"] }),
      ],
      options,
    );
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "10 failed a",
      "10 start d",
      "20 end d",
      "20 start e",
      "30 end e",
      "30 skip b dependency-failed",
      "30 skip c dependency-failed",
      "30 skip f dependency-failed",
    ]);
    expect(result).toMatchObject({ status: "failed", error: { details: { stepId: "a" } }, output: "Ok10 2" });
    expect(events[0]).toMatchObject({ options: { onStepFailure: "continue" } });
  });

  it("skips steps that only refer to the failed step", async () => {
    const { result } = await play(
      [free("a", "Bad10"), step("b", "Ok10", { dependsOn: [], input: { of: "${a}" } }), free("c", "Ok10")],
      options,
    );
    expect(statuses(result)).toEqual(["a failed", "b skipped", "c completed"]);
  });

  it("skips the next step if it does not state its dependencies", async () => {
    const { result } = await play(
      [free("a", "Bad10"), step("b", "Ok10"), free("c", "Ok10"), step("d", "Ok10")],
      options,
    );
    expect(statuses(result)).toEqual(["a failed", "b skipped", "c completed", "d completed"]);
  });

  it("continues in parallel, and ends with the first failure in plan order", async () => {
    const { result, events } = await play(
      [
        free("a", "Ok10"),
        step("b", "Bad30", { dependsOn: ["a"] }),
        free("c", "Bad10"),
        step("d", "Ok10", { dependsOn: ["c"] }),
        free("e", "Ok10"),
        step("f", "Ok10", { dependsOn: ["b", "e"] }),
        step("g", "Ok30", { dependsOn: ["e"] }),
      ],
      { ...options, concurrency: 2 },
    );
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "0 start c",
      "10 end a",
      "10 start b",
      "10 failed c",
      "10 start e",
      "20 end e",
      "20 start g",
      "40 failed b",
      "50 end g",
      "50 skip d dependency-failed",
      "50 skip f dependency-failed",
    ]);
    expect(result.error).toMatchObject({ details: { stepId: "b" } });
    expect(result.output).toBe("Ok30 1");
  });

  it("changes nothing when all goes well", async () => {
    const { result } = await play([free("a", "Ok10"), free("b", "Ok10")], options);
    expect(result).toMatchObject({ status: "completed", output: "Ok10 2" });
  });

  it("still ends at the deadline", async () => {
    const { result } = await play([free("a", "Bad10"), free("b", "Ok30"), free("c", "Ok10")], {
      ...options,
      timeoutMs: 35,
    });
    // A step that settles within the grace period is kept.
    expect(statuses(result)).toEqual(["a failed", "b completed", "c skipped"]);
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "run" } });
  });

  it("continues when an input does not resolve, and fails", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "Empty", outcomes: [{ returns: {} }] }), makeTool(clock, "Ok10")],
      plan: {
        steps: [
          free("a", "Empty"),
          step("b", "Ok10", { dependsOn: [], input: { of: { $ref: "a.missing" } } }),
          step("c", "Ok10", { dependsOn: ["b"] }),
          step("d", "Ok10", { dependsOn: ["a"] }),
        ],
      },
      options,
    }));
    expect(statuses(result)).toEqual(["a completed", "b failed", "c skipped", "d completed"]);
    expect(result.error).toMatchObject({ code: "invalid-reference" });
  });
});

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
