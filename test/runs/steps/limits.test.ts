import type { AgentEvent } from "planwright";
import { createFakeTool, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { msOf, peakOf, runTogether, timelineOf, withLimits } from "../../scenario/run-several.ts";

const working: readonly FakeOutcome[] = [{ returns: "done", afterMs: 10 }];

/** A tool that takes 10 ms and admits one call at a time. */
const one = (clock: ManualClock, outcomes = working) =>
  withLimits(createFakeTool({ name: "One", outcomes, clock }), { concurrency: 1 });

const startsMs = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "step-start" ? [msOf(event)] : []));

const wide = (count: number, tool: string) => ({
  steps: Array.from({ length: count }, (_, index) => step(`s${index + 1}`, tool, { dependsOn: [] })),
});

describe("the concurrency of a tool", () => {
  it("applies within a run, whatever the run's is: a waiting step has not started", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [one(clock)],
      plan: wide(3, "One"),
      options: { concurrency: 3 },
    }));
    expect(startsMs(events)).toEqual([0, 10, 20]);
    expect(peakOf(events)).toBe(1);
  });

  it("does not block other tools", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [one(clock), createFakeTool({ name: "Free", outcomes: working, clock })],
      plan: {
        steps: [
          step("a", "One", { dependsOn: [] }),
          step("b", "One", { dependsOn: [] }),
          step("c", "Free", { dependsOn: [] }),
        ],
      },
      options: { concurrency: 3 },
    }));
    const starts = timelineOf(events).filter((line) => line.includes("start"));
    expect(starts.sort()).toEqual(["0 start a", "0 start c", "10 start b"]);
  });

  it("is shared by the runs of an agent, in order of arrival", async () => {
    const { results, events, eventsOf } = await runTogether((clock) => ({
      tools: [withLimits(createFakeTool({ name: "Two", outcomes: working, clock }), { concurrency: 2 })],
      act: ({ agent }) => Array.from({ length: 5 }, () => agent.start(planOf("Two", "Two"))),
    }));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("completed"));
    expect(peakOf(events)).toBe(2);
    // First the five first steps, then the second ones: later arrivals go to the end of the queue.
    expect([0, 1, 2, 3, 4].map((run) => startsMs(eventsOf(run)))).toEqual([
      [0, 20],
      [0, 30],
      [10, 30],
      [10, 40],
      [20, 40],
    ]);
  });

  it("is not used by a call that is cancelled while it waits, and nobody waits for it", async () => {
    const { results, eventsOf } = await runTogether((clock) => ({
      tools: [one(clock)],
      act: async ({ agent, clock }) => {
        const handles = [1, 2, 3].map(() => agent.start(planOf("One")));
        await clock.advance(5);
        handles[1]?.cancel("no more");
        return handles;
      },
    }));
    expect(results.map(({ status }) => status)).toEqual(["completed", "cancelled", "completed"]);
    expect(results[1]?.steps).toMatchObject([{ status: "skipped", attempts: 0 }]);
    expect(timelineOf(eventsOf(1))).toEqual(["5 skip s1 run-ended"]);
    expect(timelineOf(eventsOf(2))).toEqual(["10 start s1", "20 end s1"]);
  });

  it("is freed by a call that is cancelled while it runs", async () => {
    const { results, eventsOf } = await runTogether((clock) => ({
      tools: [one(clock, [{ hangs: "until-aborted" }, { returns: 1 }])],
      act: async ({ agent, clock }) => {
        const handles = [1, 2].map(() => agent.start(planOf("One")));
        await clock.advance(5);
        handles[0]?.cancel("no more");
        return handles;
      },
    }));
    expect(results.map(({ status }) => status)).toEqual(["cancelled", "completed"]);
    expect(startsMs(eventsOf(1))).toEqual([5]);
  });

  it("is freed by all calls at once, cancelled or not, and no place is lost", async () => {
    const { results, eventsOf } = await runTogether((clock) => ({
      tools: [one(clock, [{ hangs: "until-aborted" }, { returns: 1, afterMs: 10 }])],
      act: async ({ agent, clock }) => {
        const handles = [1, 2, 3, 4, 5].map(() => agent.start(planOf("One")));
        await clock.advance(5);
        for (const handle of handles.slice(0, 4)) handle.cancel();
        return handles;
      },
    }));
    expect(results.at(-1)?.status).toBe("completed");
    expect(startsMs(eventsOf(4))).toEqual([5]);
  });

  it("is freed after a timeout, and each retry takes its turn again", async () => {
    const { results, events, eventsOf } = await runTogether((clock) => ({
      tools: [
        withLimits(
          createFakeTool({
            name: "One",
            outcomes: [{ hangs: "until-aborted" }, { returns: 1, afterMs: 60 }, { returns: 2, afterMs: 10 }],
            clock,
            timeoutMs: 100,
            retry: { minDelayMs: 20, factor: 1 },
          }),
          { concurrency: 1 },
        ),
      ],
      act: ({ agent }) => [agent.start(planOf("One")), agent.start(planOf("One"))],
    }));
    expect(results.map(({ steps }) => steps[0])).toMatchObject([
      { attempts: 2, output: 2 },
      { attempts: 1, output: 1 },
    ]);
    // The second run is admitted while the first one waits to retry, at 120, for its turn at 160.
    expect(timelineOf(eventsOf(0))).toEqual(["0 start s1", "170 end s1"]);
    expect(timelineOf(eventsOf(1))).toEqual(["100 start s1", "160 end s1"]);
    expect(events.find(({ type }) => type === "step-retry")).toMatchObject({ delayMs: 20 });
  });

  it("is freed by a tool that ignores its signal, once it is abandoned", async () => {
    const { eventsOf, results } = await runTogether((clock) => ({
      tools: [
        withLimits(
          createFakeTool({
            name: "One",
            outcomes: [{ hangs: "forever" }, { returns: 1 }],
            clock,
            timeoutMs: 100,
            retry: { maxAttempts: 1 },
          }),
          { concurrency: 1 },
        ),
      ],
      abortGraceMs: 50,
      act: ({ agent }) => [agent.start(planOf("One")), agent.start(planOf("One"))],
    }));
    expect(results.map(({ status }) => status)).toEqual(["failed", "completed"]);
    expect(startsMs(eventsOf(1))).toEqual([150]);
  });

  it("does not shorten the attempt of a waiting step", async () => {
    const { result, events } = await runScenario((clock) => ({
      tools: [
        withLimits(createFakeTool({ name: "One", outcomes: [{ returns: 1, afterMs: 80 }], clock, timeoutMs: 100 }), {
          concurrency: 1,
        }),
      ],
      plan: wide(3, "One"),
      options: { concurrency: 3 },
    }));
    expect(result.status).toBe("completed");
    expect(startsMs(events)).toEqual([0, 80, 160]);
  });

  it("lets the deadline of a run end the waiting", async () => {
    const { results, eventsOf } = await runTogether((clock) => ({
      tools: [one(clock, [{ returns: 1, afterMs: 500 }])],
      act: ({ agent }) => [agent.start(planOf("One")), agent.start(planOf("One"), { timeoutMs: 100 })],
    }));
    expect(results[1]).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(timelineOf(eventsOf(1))).toEqual(["100 skip s1 run-ended"]);
  });

  it("is freed when the tool throws at once, or returns something that is not JSON", async () => {
    const { result } = await runScenario((clock) => ({
      isResumable: false,
      tools: [one(clock, [{ throws: "no" }, { returns: 1n }, { returns: "third" }])],
      plan: wide(2, "One"),
      options: { concurrency: 2, onStepFailure: "continue" },
    }));
    expect(result.steps.map(({ status }) => status).sort()).toEqual(["completed", "failed"]);
  });
});

describe("the rate limit of a tool", () => {
  const rated = (clock: ManualClock, outcomes = working, limit = 2) =>
    withLimits(createFakeTool({ name: "Rated", outcomes, clock, retry: { minDelayMs: 100, factor: 1 } }), {
      rateLimit: { limit, intervalMs: 1_000 },
    });

  it("applies across the runs of an agent: never more than its limit in any window", async () => {
    const { events, results } = await runTogether((clock) => ({
      tools: [rated(clock)],
      act: async ({ agent, clock }) => {
        const early = [agent.start(planOf("Rated")), agent.start(planOf("Rated"))];
        await clock.advance(900);
        const late = [1, 2, 3, 4].map(() => agent.start(planOf("Rated")));
        return [...early, ...late];
      },
    }));
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill("completed"));
    expect(startsMs(events)).toEqual([0, 0, 1_000, 1_000, 2_000, 2_000]);
  });

  it("counts retries", async () => {
    const calls: number[] = [];
    const { result } = await runScenario((clock) => {
      calls.length = 0;
      const tool = rated(clock, [{ throws: 1 }, { throws: 2 }, { returns: 3 }]);
      return {
        isResumable: false,
        tools: [
          {
            ...tool,
            execute(input, context) {
              calls.push(clock.now() - Date.UTC(2026, 0, 1));
              return tool.execute(input, context);
            },
          },
        ],
        plan: planOf("Rated"),
      };
    });
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 3 });
    expect(calls).toEqual([0, 100, 1_000]);
  });

  it("is not used up by a call that is cancelled while it waits", async () => {
    const { eventsOf } = await runTogether((clock) => ({
      tools: [rated(clock, working, 1)],
      act: async ({ agent, clock }) => {
        const handles = [1, 2, 3].map(() => agent.start(planOf("Rated")));
        await clock.advance(500);
        handles[1]?.cancel();
        return handles;
      },
    }));
    expect(startsMs(eventsOf(2))).toEqual([1_000]);
  });

  it("works together with the tool's concurrency", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [
        withLimits(createFakeTool({ name: "Both", outcomes: [{ returns: 1, afterMs: 600 }], clock }), {
          concurrency: 1,
          rateLimit: { limit: 2, intervalMs: 1_000 },
        }),
      ],
      plan: wide(4, "Both"),
      options: { concurrency: 4 },
    }));
    expect(startsMs(events)).toEqual([0, 600, 1_200, 1_800]);
  });
});
