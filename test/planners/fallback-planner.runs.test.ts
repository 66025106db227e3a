import { getEventListeners } from "node:events";
import {
  AgentError,
  type AgentEvent,
  type AgentEventOf,
  type Clock,
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createRoutingPlanner,
  createRulePlanner,
  defineTool,
  modelFailure,
  type PlanDraft,
  type Planner,
  type RunBudget,
} from "planwright";
import { createManualClock, createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { FallbackPlannerOptions } from "../../src/planners/fallback-planner.ts";
import { planOf } from "../scenario/plans.ts";
import { runScenario, type Scenario } from "../scenario/run-scenario.ts";
import { added, failing, revisions, works } from "../scenario/scripted-replanner.ts";
import { fails, hangs, plannerOf, works as plans } from "./fake-planners.ts";

const cannotPlan = new AgentError("cannot-plan", "What?", {
  details: { reason: "not-understood", examples: ["add milk"] },
});
const fallbacks = (events: readonly AgentEvent[]) =>
  events.filter((event): event is AgentEventOf<"plan-fallback"> => event.type === "plan-fallback");

/** Plays a request with a chain of planners. */
const play = (
  planners: (clock: Clock) => readonly Planner[],
  { chain, ...rest }: Partial<Scenario> & { chain?: FallbackPlannerOptions } = {},
) =>
  runScenario((clock) => ({
    tools: [works(), failing()],
    planner: createFallbackPlanner(planners(clock), { clock, ...chain }),
    request: "Do it",
    ...rest,
  }));

describe("a run whose planner has fallbacks", () => {
  it("reports and records each failure in order, before the plan", async () => {
    const { result, recorded } = await play(() => [
      fails("a"),
      plans("b", planOf("Nothing") as PlanDraft),
      fails("c", "a text"),
      plans("d", planOf("A") as PlanDraft),
    ]);
    expect(recorded.map(({ type }) => type).slice(0, 6)).toEqual([
      "run-start",
      "plan-start",
      "plan-fallback",
      "plan-fallback",
      "plan-fallback",
      "plan-end",
    ]);
    expect(fallbacks(recorded)).toMatchObject([
      { planner: "a", next: "b", error: { code: "planning-failed", details: { planner: "a" } } },
      { planner: "b", next: "c", error: { code: "invalid-plan", details: { issues: [{ code: "unknown-tool" }] } } },
      { planner: "c", next: "d", error: { code: "planning-failed", message: 'The planner "c" failed: a text' } },
    ]);
    expect(result).toMatchObject({
      status: "completed",
      plan: {
        source: {
          planner: "d",
          failures: [
            { planner: "a", code: "planning-failed" },
            { planner: "b", code: "invalid-plan" },
            { planner: "c", code: "planning-failed" },
          ],
        },
      },
    });
  });

  it("fails with all of their failures", async () => {
    const { result, events } = await play(() => [fails("a"), fails("b")]);
    expect(fallbacks(events)).toHaveLength(1);
    expect(result).toMatchObject({
      status: "failed",
      error: {
        code: "planning-failed",
        details: { planner: "fallback", failures: [{ planner: "a" }, { planner: "b" }] },
        cause: { message: 'The planner "b" failed: b is broken' },
      },
    });
  });

  it("ends when one reports that the request cannot be planned", async () => {
    const { result, events } = await play(() => [fails("a"), fails("b", cannotPlan), plans("c")]);
    expect(fallbacks(events)).toHaveLength(1);
    expect(result.error).toMatchObject({
      code: "cannot-plan",
      details: { examples: ["add milk"], failures: [{ planner: "a" }] },
    });
    const chain = { continueOnCannotPlan: true };
    const other = await play(() => [fails("a", cannotPlan), plans("b", planOf("A") as PlanDraft)], { chain });
    expect(other.result).toMatchObject({
      status: "completed",
      plan: { source: { failures: [{ code: "cannot-plan" }] } },
    });
  });

  it("divides its time among them, so that one that hangs leaves some to the next", async () => {
    const { result, events } = await play(() => [hangs("slow"), hangs("slower"), plans("quick")], {
      plannerTimeoutMs: 90,
    });
    expect(result.plan?.source.failures).toMatchObject([
      { planner: "slow", code: "timeout" },
      { planner: "slower", code: "timeout" },
    ]);
    expect(fallbacks(events).map(({ timestamp }) => Date.parse(timestamp) - Date.UTC(2026, 0, 1))).toEqual([30, 60]);
  });

  it("times out as a whole when the last one uses up the rest", async () => {
    const { result, events } = await play(() => [hangs("slow"), hangs("slower")], { plannerTimeoutMs: 100 });
    expect(fallbacks(events)).toMatchObject([{ planner: "slow", error: { details: { timeoutMs: 50 } } }]);
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "planner", timeoutMs: 100 } });
  });

  it("ends with all failures when the last one exceeds its time", async () => {
    const { result } = await play(() => [hangs("slow"), hangs("slower")], {
      plannerTimeoutMs: 100,
      chain: { timeoutMs: 30 },
    });
    expect(result.error).toMatchObject({
      code: "planning-failed",
      details: {
        failures: [
          { planner: "slow", code: "timeout" },
          { planner: "slower", code: "timeout" },
        ],
      },
    });
  });

  it.each([0, 1, 2])("is cancelled while planner %i is planning", async (index) => {
    const names = ["a", "b", "c"];
    const { result, events } = await play(() => names.map((name, at) => (at === index ? hangs(name) : fails(name))), {
      act: async ({ handle, clock }) => {
        await clock.advance(1);
        handle.cancel("enough");
      },
    });
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled", details: { reason: "enough" } } });
    expect(fallbacks(events).map(({ planner }) => planner)).toEqual(names.slice(0, index));
  });

  it("calls no further planner when a listener of a failure cancels it", async () => {
    const second: string[] = [];
    const { result } = await play(
      () => [
        fails("a"),
        plannerOf("b", () => {
          second.push("asked");
          return new Promise(() => {});
        }),
      ],
      {
        act: ({ agent, handle }) => {
          agent.on("plan-fallback", () => handle.cancel("enough"));
        },
      },
    );
    expect(result.status).toBe("cancelled");
    expect(second).toEqual([]);
  });

  it("ends at its deadline, whichever planner is running", async () => {
    const { result } = await play(() => [fails("a"), hangs("b")], { options: { timeoutMs: 50 } });
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "run", timeoutMs: 50 } });
  });
});

describe("a model with the rules as fallback", () => {
  const weather = defineTool({
    name: "Weather",
    description: "Weather in a city",
    inputSchema: z.object({ city: z.string() }),
    effect: "pure",
    phrases: ["weather in {city}"],
    execute: ({ city }) => `fine in ${city}`,
  });
  const unreachable = modelFailure({ provider: "ollama", modelId: "qwen3" }, "unreachable", {
    message: "Nobody there.",
  });

  it.each<[string, ScriptedAnswer, RunBudget | undefined, object]>([
    ["hangs", { hangs: "until-aborted" }, undefined, { planner: "llm", code: "timeout" }],
    ["cannot be reached", unreachable, undefined, { planner: "llm", model: "scripted/script", code: "model-failed" }],
    ["would cost too much", "{}", { tokens: 100 }, { planner: "llm", code: "limit-exceeded" }],
    ["has no price", "{}", { cost: 1 }, { planner: "llm", code: "planning-failed" }],
  ])("that %s lets the rules plan", async (_how, answer, budget, failure) => {
    const { result } = await runScenario((clock) => ({
      tools: [weather],
      planner: createFallbackPlanner(
        [createLlmPlanner({ model: createScriptedModel([answer]) }), createRulePlanner()],
        {
          clock,
        },
      ),
      request: "weather in Berlin",
      ...(budget && { options: { budget } }),
    }));
    expect(result).toMatchObject({ status: "completed", output: "fine in Berlin" });
    expect(result.plan?.source).toMatchObject({ planner: "rules", failures: [failure] });
    expect(result.usage?.modelCalls).toBe(budget === undefined ? 1 : undefined);
  });
});

describe("plan() with a chain of planners", () => {
  it("leaves no timer and no listener behind, however it ends", async () => {
    const clock = createManualClock();
    const ends = [plans("b", planOf("A") as PlanDraft), fails("b"), hangs("b")];
    for (const last of ends) {
      const controller = new AbortController();
      const planner = createFallbackPlanner([fails("a"), last], { clock });
      const agent = createAgent({ tools: [works()], planner, clock, plannerTimeoutMs: 50 });
      const planning = agent.plan("Do it", { signal: controller.signal });
      await clock.runUntil(planning).catch(() => undefined);
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
      expect(clock.pendingTimers).toBe(0);
    }
  });
});

describe("a replan by a chain of planners", () => {
  const replans = (name: string, answer: unknown): Planner => ({
    ...plans(name, planOf("A", "F") as PlanDraft),
    replan: () => {
      if (answer instanceof Error) throw answer;
      return answer as PlanDraft;
    },
  });

  it("is reported like planning, and names the planner of the steps", async () => {
    const { result, recorded } = await play(
      () => [
        replans("a", new Error("no")),
        replans("b", { steps: [added("s2")] }),
        replans("c", { steps: [added("s3")] }),
      ],
      { options: { maxReplans: 1 } },
    );
    expect(result.status).toBe("completed");
    expect(recorded.map(({ type }) => type).slice(-6)).toEqual([
      "plan-fallback",
      "plan-fallback",
      "plan-revise",
      "step-start",
      "step-end",
      "run-end",
    ]);
    expect(revisions(recorded)).toMatchObject([
      {
        planner: "fallback",
        outcome: {
          plan: { source: { planner: "c", failures: [{ planner: "a" }, { planner: "b", code: "invalid-plan" }] } },
        },
      },
    ]);
  });

  it("is routed like the plan", async () => {
    const { result } = await runScenario(() => ({
      tools: [works(), failing()],
      planner: createRoutingPlanner({
        simple: plans("small"),
        moderate: plans("middle"),
        complex: [fails("large"), replans("larger", { steps: [added("s3")] })],
      }),
      request: "If it rains, do it",
      options: { maxReplans: 1 },
    }));
    expect(result).toMatchObject({ status: "completed", plan: { source: { planner: "larger", route: "complex" } } });
  });

  it("fails with the error that classifying throws, and the run with its step's failure", async () => {
    let calls = 0;
    const { result, events } = await runScenario(() => ({
      tools: [works(), failing()],
      planner: createRoutingPlanner({
        simple: replans("a", {}),
        moderate: replans("a", {}),
        complex: replans("a", {}),
        classify: () => {
          if (calls++ % 2 === 1) throw new Error("no idea");
          return "simple";
        },
      }),
      request: "Do it",
      options: { maxReplans: 1 },
    }));
    expect(revisions(events)).toMatchObject([
      { outcome: { error: { code: "planning-failed", message: expect.stringContaining("no idea") } } },
    ]);
    expect(result.error).toMatchObject({ code: "tool-failed" });
  });
});
