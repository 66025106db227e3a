import {
  AgentError,
  type AgentEventOf,
  createAgent,
  createFallbackPlanner,
  isAgentError,
  type LanguageModel,
  type PlanDraft,
  type Planner,
  type PlanRequest,
} from "planwright";
import {
  collectEvents,
  createFakeTool,
  createManualClock,
  createScriptedModel,
  createScriptedPlanner,
} from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { PlanningEvent } from "../../../src/core/planner.ts";
import { plannerOf } from "../../planners/fake-planners.ts";
import { asksModel, used } from "../../scenario/planner-with-model.ts";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { works } from "../../scenario/scripted-replanner.ts";

const tools = [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })];
const draft: PlanDraft = { steps: [{ id: "s1", tool: "A", input: {}, dependsOn: [] }] };
const cannotPlan = new AgentError("cannot-plan", "What?", {
  details: { reason: "not-understood", examples: ["add milk"] },
});

const planErrors: [string, Parameters<typeof createScriptedPlanner>[0][number], string][] = [
  ["refuses", cannotPlan, "cannot-plan"],
  [
    "refuses with an error that went through JSON",
    Object.assign(new Error("What?"), cannotPlan.toJSON()),
    "cannot-plan",
  ],
  ["throws", new TypeError("oops"), "planning-failed"],
  ["answers with no plan", () => "nothing" as unknown as PlanDraft, "planning-failed"],
  ["names an unknown tool", { steps: [{ id: "s1", tool: "B", input: {} }] }, "invalid-plan"],
  ["answers without steps", { steps: [] }, "invalid-plan"],
];

describe("plan()", () => {
  it("returns a complete, validated plan; nothing has run and nothing is stored", async () => {
    const clock = createManualClock();
    const planner = createScriptedPlanner([draft]);
    const agent = createAgent({ tools, planner, clock, createId: () => "1" });
    const collected = collectEvents(agent);
    const plan = await agent.plan("do it", { context: "today", timeZone: "Europe/Berlin", tools: ["A"], maxSteps: 5 });
    expect(plan).toEqual({
      version: 1,
      id: "plan_1",
      request: "do it",
      source: { planner: "scripted" },
      createdAt: "2026-01-01T00:00:00.000Z",
      ...draft,
    });
    expect(collected.types()).toEqual(["plan-start", "plan-end"]);
    expect(planner.requests[0]).toMatchObject({
      request: "do it",
      context: "today",
      timeZone: "Europe/Berlin",
      maxSteps: 5,
      nowMs: clock.now(),
    });
    expect(await agent.listRuns()).toEqual({ runs: [] });
    expect(await agent.getRun(collected.events[0]?.runId ?? "")).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(planErrors)("throws when the planner %s", async (_what, answer, code) => {
    const agent = createAgent({ tools, planner: createScriptedPlanner([answer]) });
    const collected = collectEvents(agent);
    await expect(agent.plan("do it")).rejects.toMatchObject({ code });
    expect(collected.events.at(-1)).toMatchObject({ type: "plan-end", outcome: { status: "failed", error: { code } } });
  });

  it.each([
    ["empty", ""],
    ["blank", " \n"],
    ["1 MB", "x".repeat(1_000_000)],
    ["no text", 5 as unknown as string],
  ])("throws invalid-request for a request that is %s", async (_what, request) => {
    const agent = createAgent({ tools, planner: createScriptedPlanner([draft]) });
    await expect(agent.plan(request)).rejects.toMatchObject({
      code: "invalid-request",
      details: { maxLength: 200_000 },
    });
  });

  it("throws timeout when the planner takes too long", async () => {
    const clock = createManualClock();
    const agent = createAgent({
      tools,
      planner: createScriptedPlanner([() => new Promise(() => {})]),
      plannerTimeoutMs: 50,
      clock,
    });
    const planning = clock.runUntil(agent.plan("do it"));
    await expect(planning).rejects.toMatchObject({ code: "timeout", details: { scope: "planner", timeoutMs: 50 } });
  });

  it("gives the planner a signal that it may copy, or replace for another planner", async () => {
    const own = new AbortController().signal;
    const seen: (AbortSignal | undefined)[] = [];
    const plan: Planner["plan"] = (request) => {
      seen.push({ ...request }.signal, Object.assign(request, { signal: own }).signal, { ...request }.signal);
      return draft;
    };
    const controller = new AbortController();
    await createAgent({ tools, planner: { name: "own", plan } }).plan("do it", { signal: controller.signal });
    expect(seen).toEqual([expect.any(AbortSignal), own, own]);
    expect(seen[0]).not.toBe(own);
  });

  it.each(["before", "during"])("throws cancelled when the signal aborts %s it", async (when) => {
    const controller = new AbortController();
    if (when === "before") controller.abort("no more");
    const agent = createAgent({ tools, planner: createScriptedPlanner([() => new Promise(() => {})]) });
    const planning = agent.plan("do it", { signal: controller.signal });
    controller.abort("no more");
    await expect(planning).rejects.toMatchObject({ code: "cancelled", details: { reason: "no more" } });
  });
});

describe("run()", () => {
  it("plans and runs, and emits events for both", async () => {
    const { result, events } = await runScenario(() => ({
      tools,
      planner: createScriptedPlanner([draft]),
      request: "do it",
    }));
    expect(result).toMatchObject({ status: "completed", output: 1, plan: { request: "do it" } });
    expect(events.map(({ type }) => type)).toEqual([
      "run-start",
      "plan-start",
      "plan-end",
      "step-start",
      "step-end",
      "run-end",
    ]);
  });

  it.each(planErrors)("ends as a failed result without a plan when the planner %s", async (_what, answer, code) => {
    const { result } = await runScenario(() => ({ tools, planner: createScriptedPlanner([answer]), request: "do it" }));
    expect(result).toMatchObject({ status: "failed", steps: [], error: { code } });
    expect(result.plan).toBeUndefined();
  });

  it("ends as a failed result for a far too long request, which is not stored in full", async () => {
    const { result, recorded } = await runScenario(() => ({
      tools,
      planner: createScriptedPlanner([draft]),
      request: "x".repeat(1_000_000),
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "invalid-request", details: { length: 1_000_000 } },
    });
    expect(JSON.stringify(recorded).length).toBeLessThan(210_000);
  });

  it("throws the error of a failed run if requested", async () => {
    const agent = createAgent({ tools, planner: createScriptedPlanner([cannotPlan, draft]) });
    const failure = await agent.run("do it", { throwOnFailure: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentError);
    expect(isAgentError(failure, "cannot-plan") && failure.details.examples).toEqual(["add milk"]);
    await expect(agent.run("do it", { throwOnFailure: true })).resolves.toMatchObject({ status: "completed" });
  });

  it("may use only the allowed tools", async () => {
    const both = [...tools, createFakeTool({ name: "B" })];
    const { result } = await runScenario(() => ({
      tools: both,
      planner: createScriptedPlanner([draft]),
      request: "do it",
      options: { tools: ["B"] },
    }));
    expect(result.error).toMatchObject({ code: "invalid-plan", details: { issues: [{ code: "unknown-tool" }] } });
  });
});

describe("plan() with a budget", () => {
  const agentOf = (model: LanguageModel) =>
    createAgent({ tools: [createFakeTool({ name: "A" })], planner: asksModel(model) });

  it("stays within it, and counts usage", async () => {
    const agent = agentOf(createScriptedModel([used(10, 5)]));
    const collected = collectEvents(agent);
    const plan = await agent.plan("Do it", { budget: { tokens: 31 } });
    expect(plan.source).toMatchObject({ usage: { modelCalls: 1, inputTokens: 10 }, calls: [{ inputTokens: 10 }] });
    expect(collected.events.at(-1)).toMatchObject({ type: "plan-end", usage: { modelCalls: 1 } });
  });

  it("throws if it does not allow a call; each plan has its own", async () => {
    const model = createScriptedModel([used(10, 5), used(10, 5)]);
    const agent = agentOf(model);
    await expect(agent.plan("Do it", { budget: { modelCalls: 0 } })).rejects.toMatchObject({ code: "limit-exceeded" });
    await agent.plan("Do it", { budget: { modelCalls: 1 } });
    await agent.plan("Do it", { budget: { modelCalls: 1 } });
    model.assertComplete();
  });

  it("does not count towards the budget of the run that follows", async () => {
    const agent = agentOf(createScriptedModel([used(10, 5)]));
    const plan = await agent.plan("Do it");
    const result = await agent.execute(plan, { budget: { modelCalls: 0 } });
    expect(result.status).toBe("completed");
    expect(result).not.toHaveProperty("usage");
    expect(result.plan?.source.usage?.modelCalls).toBe(1);
  });

  it.each([
    { modelCalls: -1 },
    { modelCalls: 0.5 },
    { tokens: Number.NaN },
    { cost: -0.1 },
    { cost: "5" },
    { price: 1 },
    5,
  ])("refuses the budget %j", async (budget) => {
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], planner: createScriptedPlanner([]) });
    await expect(agent.plan("Do it", { budget: budget as never })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

/** Plays a request with a planner that plans like this. */
const play = (plan: (request: PlanRequest) => PlanDraft) =>
  runScenario(() => ({ tools: [works()], planner: plannerOf("p", plan), request: "Do it" }));

describe("an event that a planner emits", () => {
  const [step] = planOf("A").steps as PlanDraft["steps"];
  const delta = { type: "plan-delta", planner: "p", attempt: 1, index: 0, step } as unknown as PlanningEvent;

  it("is copied: the planner may reuse its event, and nobody can change the plan through it", async () => {
    const own = structuredClone(delta) as Extract<PlanningEvent, { type: "plan-delta" }>;
    const { result, events } = await play(({ emit }) => {
      void emit?.(own);
      void emit?.(own);
      void emit?.(Object.freeze({ ...own }));
      return { steps: [own.step as never] };
    });
    const deltas = events.filter((event): event is AgentEventOf<"plan-delta"> => event.type === "plan-delta");
    expect(deltas).toHaveLength(3);
    expect(deltas.every(({ step }) => Object.isFrozen(step) && Object.isFrozen(step.input))).toBe(true);
    expect(Object.isFrozen(own.step)).toBe(false);
    expect(result.status).toBe("completed");
  });

  it.each<[string, unknown, string]>([
    ["another event", { type: "run-end", outcome: { status: "completed", output: 1 } }, 'received the event "run-end"'],
    ["what is no JSON", { ...delta, step: { ...step, input: { big: 1n } } }, "received a value that is not JSON"],
    ["nothing", undefined, "A planner may emit only plan-fallback and plan-delta"],
  ])("may not be %s: planning fails", async (_what, event, message) => {
    const { result, events } = await play(({ emit }) => {
      void emit?.(event as PlanningEvent);
      return planOf("A") as PlanDraft;
    });
    expect(result.error).toMatchObject({ code: "planning-failed", message: expect.stringContaining(message) });
    expect(events.map(({ type }) => type)).toEqual(["run-start", "plan-start", "plan-end", "run-end"]);
  });

  it.each(["alone", "in a chain"])("is dropped once planning has ended, and no model is called (%s)", async (where) => {
    const requests: PlanRequest[] = [];
    const hanging = plannerOf("hangs", (request) => {
      requests.push(request);
      return new Promise(() => {});
    });
    const { result, events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [works()],
      planner: where === "alone" ? hanging : createFallbackPlanner([hanging], { clock }),
      request: "Do it",
      plannerTimeoutMs: 50,
    }));
    expect(result.error).toMatchObject({ code: "timeout" });
    const before = events.length;
    const model = createScriptedModel(["late"]);
    expect(requests).toHaveLength(2);
    for (const { emit, generate, signal } of requests) {
      await emit?.(delta);
      await expect(generate?.(model, { messages: [], signal })).rejects.toMatchObject({ code: "cancelled" });
    }
    expect(events).toHaveLength(before);
    expect(model.requests).toEqual([]);
  });
});
