import type { Agent, RunHandle } from "planwright";
import { createFakeTool, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { CircuitBreakerOptions } from "../../../src/async/circuit-breaker.ts";
import type { FakeToolOptions } from "../../../src/testing/fake-tool.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { circuitOf, runTogether, timelineOf, withLimits } from "../../scenario/run-several.ts";

const down = { throws: new Error("down") };
const up = { returns: "up" };

/** A tool whose circuit opens with the second failure, for a second. */
const fragile = (
  outcomes: readonly FakeOutcome[],
  breaker: CircuitBreakerOptions = {},
  rest: Partial<FakeToolOptions> = {},
) =>
  withLimits(createFakeTool({ name: "Api", outcomes, retry: { maxAttempts: 1 }, ...rest }), {
    circuitBreaker: { maxFailures: 2, resetAfterMs: 1_000, ...breaker },
  });

const free = (count: number) => ({
  steps: Array.from({ length: count }, (_, index) => step(`s${index + 1}`, "Api", { dependsOn: [] })),
});

const continueOnFailure = { onStepFailure: "continue" } as const;

type Act = ReturnType<Parameters<typeof runTogether>[0]>["act"];

/** Starts a run of one step at each of these times. */
function runsAt(...times: readonly number[]): Act {
  return async ({ agent, clock }) => {
    const handles = [];
    let nowMs = 0;
    for (const ms of times) {
      await clock.advance(ms - nowMs);
      nowMs = ms;
      handles.push(agent.start(planOf("Api")));
    }
    return handles;
  };
}

describe("the circuit breaker of a tool", () => {
  it("opens after its maximum of failures, and then refuses at once without calling", async () => {
    const calls: number[] = [];
    const { result, events } = await runScenario(() => {
      const tool = fragile([down]);
      calls.length = 0;
      return {
        isResumable: false,
        tools: [tool],
        plan: free(4),
        options: continueOnFailure,
        act: ({ handle }) => void handle.result.then(() => calls.push(tool.calls.length)),
      };
    });
    expect(calls).toEqual([2]);
    expect(circuitOf(events)).toEqual(["0 open"]);
    expect(result.steps.map(({ attempts, error }) => [attempts, error?.code])).toEqual([
      [1, "tool-failed"],
      [1, "tool-failed"],
      [0, "circuit-open"],
      [0, "circuit-open"],
    ]);
    expect(result.steps[2]?.error).toEqual({
      name: "AgentError",
      code: "circuit-open",
      message: "Api failed too often and is not called; try again in 1000 ms.",
      retryable: true,
      details: { tool: "Api", retryAfterMs: 1_000 },
    });
    // Emitted before the step that caused it ends.
    const types = events.flatMap((event) =>
      event.type === "circuit-change" || event.type === "step-end" ? [event.type] : [],
    );
    expect(types).toEqual(["step-end", "circuit-change", "step-end", "step-end", "step-end"]);
  });

  it("refuses a retry, with the last error as cause, and the number of attempts made", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [fragile([down], {}, { retry: { maxAttempts: 9, minDelayMs: 100, factor: 1 } })],
      plan: free(1),
    }));
    expect(result.error).toMatchObject({
      code: "circuit-open",
      details: { retryAfterMs: 900 },
      cause: { name: "Error", message: "down" },
    });
    expect(result.steps[0]).toMatchObject({ status: "failed", attempts: 2 });
    expect(events.filter(({ type }) => type === "step-retry")).toHaveLength(2);
    expect(timelineOf(events)).toEqual(["0 start s1", "200 failed s1"]);
  });

  it("counts the failures of all runs, and reports each change in the run that caused it", async () => {
    const { results, eventsOf } = await runTogether(() => ({
      tools: [fragile([down, down, up])],
      act: runsAt(0, 100, 500, 1_100, 1_200),
    }));
    expect([0, 1, 2, 3, 4].map((run) => circuitOf(eventsOf(run)))).toEqual([
      [],
      ["100 open"],
      [],
      ["1100 half-open", "1100 closed"],
      [],
    ]);
    expect(results.map(({ error }) => error?.code)).toEqual([
      "tool-failed",
      "tool-failed",
      "circuit-open",
      undefined,
      undefined,
    ]);
    expect(results[2]?.error).toMatchObject({ details: { retryAfterMs: 600 } });
    expect(eventsOf(3).map(({ type }) => type)).toEqual([
      "run-start",
      "circuit-change",
      "step-start",
      "circuit-change",
      "step-end",
      "run-end",
    ]);
  });

  it("lets exactly one call through when it is half-open, and refuses the others meanwhile", async () => {
    const { results, eventsOf } = await runTogether((clock) => ({
      tools: [fragile([down, down, { returns: "probe", afterMs: 200 }, up], {}, { clock })],
      act: runsAt(0, 0, 1_000, 1_000, 1_100, 1_250),
    }));
    expect(results.map(({ status }) => status)).toEqual([
      "failed",
      "failed",
      "completed",
      "failed",
      "failed",
      "completed",
    ]);
    expect(results.slice(3, 5).map(({ error }) => error)).toMatchObject([
      { code: "circuit-open", details: { retryAfterMs: 0 } },
      { code: "circuit-open", details: { retryAfterMs: 0 } },
    ]);
    expect(circuitOf(eventsOf(2))).toEqual(["1000 half-open", "1200 closed"]);
  });

  it("opens again for its whole time when the probe fails", async () => {
    const { events, results } = await runTogether(() => ({
      tools: [fragile([down, down, down, up])],
      act: runsAt(0, 0, 1_000, 1_999, 2_000),
    }));
    expect(circuitOf(events)).toEqual(["0 open", "1000 half-open", "1000 open", "2000 half-open", "2000 closed"]);
    expect(results.at(3)?.error).toMatchObject({ code: "circuit-open", details: { retryAfterMs: 1 } });
  });

  it("counts from zero after it has closed", async () => {
    const { events } = await runTogether(() => ({
      tools: [fragile([down, down, up, down, up])],
      act: runsAt(0, 0, 1_000, 1_100, 1_200),
    }));
    expect(circuitOf(events)).toEqual(["0 open", "1000 half-open", "1000 closed"]);
  });

  it("forgets failures that are older than its window", async () => {
    const { events } = await runTogether(() => ({
      tools: [fragile([down], { windowMs: 500 })],
      act: runsAt(0, 500, 1_000, 1_499),
    }));
    expect(circuitOf(events)).toEqual(["1499 open"]);
  });

  it("has its defaults: five failures, and thirty seconds", async () => {
    const { events, results } = await runTogether(() => ({
      tools: [fragile([down], { maxFailures: undefined, resetAfterMs: undefined })],
      act: runsAt(0, 0, 0, 0, 0, 0),
    }));
    expect(circuitOf(events)).toEqual(["0 open"]);
    expect(results.at(-1)?.error).toMatchObject({ code: "circuit-open", details: { retryAfterMs: 30_000 } });
  });
});

describe("a circuit's failure count", () => {
  it.each<[string, FakeOutcome]>([
    ["an error that says it is final", { throws: Object.assign(new Error("404"), { retryable: false }) }],
    ["an output that is not valid", { returns: 1n }],
  ])("ignores %s: the tool has answered", async (_what, outcome) => {
    const { events, result } = await runScenario(() => ({
      tools: [fragile([outcome])],
      plan: free(5),
      options: continueOnFailure,
    }));
    expect(circuitOf(events)).toEqual([]);
    expect(result.steps.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
  });

  it("includes a timeout", async () => {
    const { events } = await runScenario(() => ({
      tools: [fragile([{ hangs: "until-aborted" }], {}, { timeoutMs: 100 })],
      plan: free(3),
      options: continueOnFailure,
    }));
    expect(circuitOf(events)).toEqual(["200 open"]);
  });

  it("includes a failure of a once step, which is refused like any other", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [fragile([down], {}, { effect: "once" })],
      plan: free(3),
      options: continueOnFailure,
    }));
    expect(circuitOf(events)).toEqual(["0 open"]);
    expect(result.steps).toMatchObject([
      { status: "failed", error: { code: "tool-failed" } },
      { status: "failed", error: { code: "tool-failed" } },
      // It was never called, so its outcome is known.
      { status: "failed", attempts: 0, error: { code: "circuit-open" } },
    ]);
  });

  it("ignores a cancelled call", async () => {
    const { events, results } = await runTogether(() => ({
      tools: [fragile([{ hangs: "until-aborted" }, { hangs: "until-aborted" }, { hangs: "until-aborted" }, up])],
      act: async ({ agent, clock }) => {
        const handles = [1, 2, 3].map(() => agent.start(planOf("Api")));
        await clock.advance(10);
        for (const { cancel } of handles) cancel();
        await clock.advance(10);
        return [...handles, agent.start(planOf("Api"))];
      },
    }));
    expect(circuitOf(events)).toEqual([]);
    expect(results.at(-1)?.status).toBe("completed");
  });

  it("ignores a call that started before it opened", async () => {
    const { events, results } = await runTogether((clock) => ({
      tools: [fragile([{ returns: "slow", afterMs: 300 }, down, down], {}, { clock })],
      act: runsAt(0, 0, 0, 400),
    }));
    expect(results.map(({ status }) => status)).toEqual(["completed", "failed", "failed", "failed"]);
    expect(circuitOf(events)).toEqual(["0 open"]);
  });
});

describe("a probe", () => {
  it("makes room for another one if it is cancelled", async () => {
    const { eventsOf, results } = await runTogether((clock) => ({
      tools: [fragile([down, down, { hangs: "until-aborted" }, up], {}, { clock })],
      act: async (around) => {
        const handles = await runsAt(0, 0, 1_000)(around);
        await around.clock.advance(50);
        handles[2]?.cancel();
        await around.clock.advance(50);
        return [...handles, around.agent.start(planOf("Api"))];
      },
    }));
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "cancelled", "completed"]);
    expect(circuitOf(eventsOf(2))).toEqual(["1000 half-open"]);
    expect(circuitOf(eventsOf(3))).toEqual(["1100 closed"]);
  });

  it("may be the retry of a step that has failed", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [fragile([down, down, up], {}, { retry: { maxAttempts: 3, minDelayMs: 1_000, factor: 1 } })],
      plan: free(1),
    }));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 3 });
    expect(circuitOf(events)).toEqual(["1000 open", "2000 half-open", "2000 closed"]);
  });

  it("frees its place at the tool when it is refused", async () => {
    const { results } = await runTogether((clock: ManualClock) => ({
      tools: [withLimits(fragile([down, down, up], {}, { clock }), { concurrency: 1 })],
      act: runsAt(0, 0, 500, 600, 1_000),
    }));
    expect(results.map(({ error }) => error?.code)).toEqual([
      "tool-failed",
      "tool-failed",
      "circuit-open",
      "circuit-open",
      undefined,
    ]);
  });

  it("is requested when its turn comes: calls that waited while the circuit opened are refused", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [withLimits(fragile([{ ...down, afterMs: 10 }], {}, { clock }), { concurrency: 2 })],
      plan: free(4),
      options: { ...continueOnFailure, concurrency: 4 },
    }));
    expect(result.steps.map(({ attempts, error }) => [attempts, error?.code])).toEqual([
      [1, "tool-failed"],
      [1, "tool-failed"],
      [1, "tool-failed"],
      [0, "circuit-open"],
    ]);
  });
});

const failing = (clock: ManualClock, maxAttempts: number) =>
  withLimits(
    createFakeTool({
      name: "Api",
      outcomes: [{ throws: "down" }, { throws: "down" }, { returns: "up" }],
      clock,
      retry: { maxAttempts, minDelayMs: 1_000, factor: 1 },
    }),
    { concurrency: 1, circuitBreaker: { maxFailures: 2, resetAfterMs: 1_000 } },
  );

/** Cancels the run that is about to probe whether the tool works again. */
function cancelAtProbe(agent: Agent, { runId, cancel }: RunHandle): void {
  agent.on("circuit-change", (event) => {
    if (event.state === "half-open" && event.runId === runId) cancel("not now");
  });
}

describe("a run that is cancelled by a listener of the half-open circuit", () => {
  it("does not call the tool again for a step that has started", async () => {
    const calls: number[] = [];
    const { results } = await runTogether((clock) => {
      const tool = failing(clock, 3);
      return {
        tools: [tool],
        act: async ({ agent, clock }) => {
          const handle = agent.start(planOf("Api"));
          cancelAtProbe(agent, handle);
          await clock.advance(2_500);
          calls.push(tool.calls.length);
          // The place and the probe are free again.
          return [handle, agent.start(planOf("Api"))];
        },
      };
    });
    expect(calls).toEqual([2, 2]);
    expect(results[0]).toMatchObject({ status: "cancelled", steps: [{ status: "cancelled", attempts: 2 }] });
    expect(results[1]?.status).toBe("completed");
  });

  it("does not start a step", async () => {
    const calls: number[] = [];
    const { results, eventsOf } = await runTogether((clock) => {
      const tool = failing(clock, 1);
      return {
        tools: [tool],
        act: async ({ agent, clock }) => {
          const both = [agent.start(planOf("Api")), agent.start(planOf("Api"))];
          await clock.advance(1_000);
          const probe = agent.start(planOf("Api"));
          cancelAtProbe(agent, probe);
          await clock.advance(1);
          calls.push(tool.calls.length);
          return [...both, probe, agent.start(planOf("Api"))];
        },
      };
    });
    expect(calls).toEqual([2, 2]);
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "cancelled", "completed"]);
    expect(timelineOf(eventsOf(2))).toEqual(["1000 skip s1 run-ended"]);
  });
});
