import { AgentError, createAgent, isAgentError, type PlanDraft, type Planner } from "planwright";
import { collectEvents, createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { runScenario } from "../../scenario/run-scenario.ts";

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
