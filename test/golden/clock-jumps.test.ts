import { type AgentEvent, createFallbackPlanner, createRoutingPlanner } from "planwright";
import { createFakeTool, createScriptedPlanner, type FakeOutcome, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { FakeToolOptions } from "../../src/testing/fake-tool.ts";
import { planOf, step } from "../scenario/plans.ts";
import { runScenario, type Scenario } from "../scenario/run-scenario.ts";
import { withLimits } from "../scenario/run-several.ts";
import { share } from "../scenario/two-processes.ts";

const hourMs = 3_600_000;
const down = { throws: new Error("down") };
const hangs = { hangs: "until-aborted" } as const;
const often = { maxAttempts: 100, minDelayMs: 1_000, maxDelayMs: 1_000, maxTotalMs: 3_500 };
const continues = { onStepFailure: "continue" } as const;

const tool = (clock: ManualClock, outcomes: readonly FakeOutcome[], rest: Partial<FakeToolOptions> = {}) =>
  createFakeTool({ name: "A", outcomes, clock, retry: { maxAttempts: 1 }, ...rest });
const slow = (clock: ManualClock, afterMs: number) =>
  createFakeTool({ name: "Slow", outcomes: [{ returns: "done", afterMs }], clock });
const never = () => new Promise<never>(() => {});
const plannerOf = (plan: () => Promise<never>) => ({ name: "p", plan });

/** Each wait is still pending after half a second. */
const waits: readonly (readonly [wait: string, create: (clock: ManualClock) => Scenario])[] = [
  [
    "a pause before a retry, and the time for all attempts",
    (clock) => ({ tools: [tool(clock, [down], { retry: often })], plan: planOf("A") }),
  ],
  [
    "a pause that an error asks for",
    (clock) => {
      const retryAfter = new Date(clock.now() + 2_000);
      const busy = { throws: Object.assign(new Error("busy"), { retryAfter }) };
      return {
        tools: [tool(clock, [busy, { returns: 1 }], { retry: { ...often, maxDelayMs: 2_000 } })],
        plan: planOf("A"),
      };
    },
  ],
  [
    "a turn at a tool between attempts, within the time for all of them",
    (clock) => {
      const limited = withLimits(tool(clock, [{ ...down, afterMs: 10 }], { retry: { ...often, minDelayMs: 10 } }), {
        rateLimit: { limit: 1, intervalMs: 1_000 },
      });
      return { tools: [limited], plan: planOf("A") };
    },
  ],
  [
    "the time for an attempt",
    (clock) => ({
      tools: [tool(clock, [hangs, { returns: 1 }], { timeoutMs: 1_000, retry: often })],
      plan: planOf("A"),
    }),
  ],
  [
    "the grace after an abort",
    (clock) => ({
      tools: [tool(clock, [{ returns: 1, afterMs: 1_200 }], { timeoutMs: 400 })],
      plan: planOf("A"),
    }),
  ],
  [
    "the time for a run",
    (clock) => ({ tools: [slow(clock, 1_500)], plan: planOf("Slow", "Slow", "Slow"), options: { timeoutMs: 2_000 } }),
  ],
  [
    "a rate limit",
    (clock) => ({
      tools: [withLimits(tool(clock, [{ returns: 1 }]), { rateLimit: { limit: 1, intervalMs: 1_000 } })],
      plan: planOf("A", "A", "A"),
    }),
  ],
  [
    "an open circuit",
    (clock) => {
      const circuitBreaker = { maxFailures: 1, resetAfterMs: 1_000, windowMs: 1_000 };
      return {
        tools: [withLimits(tool(clock, [down, { returns: 1 }]), { circuitBreaker }), slow(clock, 700)],
        plan: {
          steps: [
            step("a1", "A"),
            step("b1", "Slow", { dependsOn: [] }),
            step("a2", "A", { dependsOn: ["b1"] }),
            step("b2", "Slow", { dependsOn: ["b1"] }),
            step("a3", "A", { dependsOn: ["b2"] }),
          ],
        },
        options: continues,
      };
    },
  ],
  [
    "the window in which failures count",
    (clock) => {
      const circuitBreaker = { maxFailures: 2, resetAfterMs: 1_000, windowMs: 800 };
      const broken = [700, 900].map((afterMs): FakeOutcome => ({ ...down, afterMs }));
      const api = withLimits(tool(clock, [{ ...down, afterMs: 300 }, ...broken]), { circuitBreaker });
      const steps = ["a", "b", "c", "d"].map((id) => step(id, "A", { dependsOn: [] }));
      return { tools: [api], plan: { steps }, options: continues };
    },
  ],
  [
    "the time for a planner",
    (clock) => ({
      tools: [tool(clock, [])],
      request: "do it",
      planner: createFallbackPlanner([plannerOf(never), plannerOf(never), createScriptedPlanner([planOf("A")])], {
        clock,
      }),
      plannerTimeoutMs: 3_000,
    }),
  ],
  [
    "the time for a planner behind a classifier",
    (clock) => ({
      tools: [tool(clock, [])],
      request: "do it",
      planner: createRoutingPlanner({
        simple: [plannerOf(never), createScriptedPlanner([planOf("A")])],
        moderate: plannerOf(never),
        complex: plannerOf(never),
        classify: () => new Promise((resolve) => void clock.setTimeout(() => resolve("simple"), 1_000)),
        clock,
      }),
      plannerTimeoutMs: 3_000,
    }),
  ],
];

/** The events of a run, each with the time that had passed, though the clock was set by `jumpMs` in the middle. */
async function play(create: (clock: ManualClock) => Scenario, jumpMs: number): Promise<readonly string[]> {
  let emitted: string[] = [];
  await runScenario((clock) => ({
    ...create(clock),
    act: async ({ agent, events }) => {
      const tell = (event: AgentEvent) => emitted.push(`${clock.monotonic()} ${describeEvent(event)}`);
      emitted = [];
      for (const event of events) tell(event);
      agent.subscribe(tell);
      await clock.advance(500);
      clock.setNow(clock.now() + jumpMs);
    },
  }));
  return emitted;
}

function describeEvent(event: AgentEvent): string {
  const of = "stepId" in event ? ` ${event.stepId}` : "";
  const outcome = "outcome" in event ? event.outcome : undefined;
  const error = outcome !== undefined && "error" in outcome ? outcome.error : undefined;
  return `${event.type}${of} ${outcome?.status ?? ""} ${error?.message ?? ""}`;
}

describe.each(waits)("while the clock is set in the middle of %s", (_wait, create) => {
  it.each([
    ["back", -hourMs],
    ["forward", hourMs],
  ])("by an hour %s, a run ends as it would have", async (_direction, jumpMs) => {
    const undisturbed = await play(create, 0);
    expect(Number.parseInt(undisturbed.at(-1) ?? "", 10)).toBeGreaterThan(500);
    expect(await play(create, jumpMs)).toEqual(undisturbed);
  });
});

describe("a lease, when the clock is set", () => {
  const setUp = () =>
    share((clock) => [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 5_000 }], clock })]);

  it.each([
    ["back", -hourMs],
    ["forward", hourMs],
  ])("by an hour %s, is kept by a process that lives", async (_direction, jumpMs) => {
    const { clock, process } = await setUp();
    const { runId, result } = process().start(planOf("A") as never);
    await clock.advance(500);
    clock.setNow(clock.now() + jumpMs);
    await clock.advance(300);
    await expect(process().resume(runId)).rejects.toMatchObject({ code: "run-owned-elsewhere" });
    expect(await clock.runUntil(result)).toMatchObject({ status: "completed" });
  });

  it("by an hour back, does not block others from a run whose process is dead", async () => {
    const { clock, process } = await setUp();
    const dead = process({ clock: { ...clock, setTimeout: () => undefined } });
    const { runId } = dead.start(planOf("A") as never);
    await clock.advance(0);
    clock.setNow(clock.now() - hourMs);
    const other = process();
    expect(await clock.runUntil(other.resumeAll())).toMatchObject([{ runId, result: { status: "completed" } }]);
  });
});
