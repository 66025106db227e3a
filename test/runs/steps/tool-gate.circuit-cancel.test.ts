import type { Agent, RunHandle } from "planwright";
import { createFakeTool, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { runTogether, timelineOf, withLimits } from "../../scenario/run-several.ts";

const fragile = (clock: ManualClock, maxAttempts: number) =>
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
      const tool = fragile(clock, 3);
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
      const tool = fragile(clock, 1);
      return {
        tools: [tool],
        act: async ({ agent, clock }) => {
          const failing = [agent.start(planOf("Api")), agent.start(planOf("Api"))];
          await clock.advance(1_000);
          const probe = agent.start(planOf("Api"));
          cancelAtProbe(agent, probe);
          await clock.advance(1);
          calls.push(tool.calls.length);
          return [...failing, probe, agent.start(planOf("Api"))];
        },
      };
    });
    expect(calls).toEqual([2, 2]);
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "cancelled", "completed"]);
    expect(timelineOf(eventsOf(2))).toEqual(["1000 skip s1 run-ended"]);
  });
});
