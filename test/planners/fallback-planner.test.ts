import { createFallbackPlanner, type PlanDraft, type Planner } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { ask, cannotOf, cannotPlan, failure } from "./ask-fallback-planner.ts";
import { draft, fails, hangs, invalidDraft, plannerOf, planRequest, works } from "./fake-planners.ts";

describe("createFallbackPlanner", () => {
  it("returns the first plan, with the name of its planner", async () => {
    const second = works("second");
    const { plan, emitted } = await ask([works("first"), second]);
    expect(plan).toEqual({ ...draft, source: { planner: "first" } });
    expect(second.requests).toEqual([]);
    expect(emitted).toEqual([]);
  });

  it("keeps the source that a planner states, and drops unknown parts of the plan", async () => {
    const source = { planner: "mine", model: "m/1", attempts: 2, failures: [failure("mine", "cut-off", "cut")] };
    const { plan } = await ask([fails("first"), works("second", { ...draft, source, extra: 1 } as PlanDraft)]);
    const first = failure("first", "planning-failed", 'The planner "first" failed: first is broken');
    expect(plan).toEqual({ ...draft, source: { ...source, failures: [first, ...source.failures] } });
  });

  it("reports each failure in order, and keeps them in the source of the plan", async () => {
    const { plan, emitted } = await ask([
      fails("a"),
      works("b", invalidDraft),
      fails("c", cannotOf("limit")),
      works("d"),
    ]);
    expect(
      emitted.map((event) => event.type === "plan-fallback" && [event.planner, event.next, event.error.code]),
    ).toEqual([
      ["a", "b", "planning-failed"],
      ["b", "c", "invalid-plan"],
      ["c", "d", "limit-exceeded"],
    ]);
    expect(plan?.source).toEqual({
      planner: "d",
      failures: [
        failure("a", "planning-failed", 'The planner "a" failed: a is broken'),
        failure("b", "invalid-plan", expect.stringMatching(/^The planner "b" made an invalid plan: unknown-tool/)),
        failure("c", "limit-exceeded", "No more limit."),
      ],
    });
  });

  it("distinguishes planners of the same name only by their order", async () => {
    const { plan } = await ask([fails("x", new Error("one")), fails("x", new Error("two")), works("x")]);
    expect(plan?.source?.planner).toBe("x");
    expect(plan?.source?.failures?.map(({ message }) => message)).toEqual([
      'The planner "x" failed: one',
      'The planner "x" failed: two',
    ]);
  });

  it("fails with all failures if every planner fails, and emits no fallback event for the last", async () => {
    const { error, emitted } = await ask([fails("a"), fails("b", cannotOf("tokens"))], { name: "chain" });
    expect(error).toMatchObject({
      code: "planning-failed",
      message: 'No planner of "chain" made a plan. a: The planner "a" failed: a is broken b: No more tokens.',
      details: { planner: "chain", failures: [{ planner: "a" }, { planner: "b", code: "limit-exceeded" }] },
      cause: { code: "limit-exceeded" },
    });
    expect(emitted).toHaveLength(1);
  });

  it("is not affected by later changes of the given list", async () => {
    const planners: Planner[] = [fails("a"), works("b")];
    const planner = createFallbackPlanner(planners);
    planners.length = 1;
    expect(await planner.plan(planRequest().request)).toMatchObject({ source: { planner: "b" } });
  });

  it("waits until a failure is reported before it calls the next planner", async () => {
    const order: string[] = [];
    const emit = async () => {
      await Promise.resolve();
      order.push("told");
    };
    const second = plannerOf("second", () => {
      order.push("asked");
      return draft;
    });
    await ask([fails("first"), second], {}, { emit });
    expect(order).toEqual(["told", "asked"]);
  });

  it("works without a listener", async () => {
    const { plan } = await ask([fails("first"), works("second")], {}, { emit: undefined });
    expect(plan?.source?.planner).toBe("second");
  });
});

describe("a cannot-plan error", () => {
  it("ends the chain, unchanged if it comes from the first planner", async () => {
    const thrown = cannotPlan();
    const second = works("second");
    const planner = createFallbackPlanner([fails("first", thrown), second]);
    await expect(planner.plan(planRequest().request)).rejects.toBe(thrown);
    expect(second.requests).toEqual([]);
  });

  it("contains the failures before it", async () => {
    const { error } = await ask([fails("a"), fails("b", cannotPlan()), works("c")]);
    expect(error).toMatchObject({
      code: "cannot-plan",
      message: 'a: The planner "a" failed: a is broken b: What?',
      details: { reason: "not-understood", examples: ["add milk"], failures: [{ planner: "a" }] },
      cause: { code: "cannot-plan" },
    });
  });

  it("is one failure of many with continueOnCannotPlan, and ends the chain if it is the last", async () => {
    const more = { continueOnCannotPlan: true };
    const { plan } = await ask([fails("a", cannotPlan()), works("b")], more);
    expect(plan?.source?.failures).toEqual([failure("a", "cannot-plan", "What?")]);
    const { error } = await ask([fails("a", cannotPlan()), fails("b", cannotPlan())], more);
    expect(error).toMatchObject({
      code: "cannot-plan",
      message: "What?",
      details: { failures: [{ planner: "a", code: "cannot-plan" }] },
    });
    expect(await ask([fails("a", cannotPlan()), fails("b")], more)).toMatchObject({
      error: { code: "planning-failed", details: { failures: [{ code: "cannot-plan" }, { planner: "b" }] } },
    });
  });
});

describe("a planner that never asks a model", () => {
  const rules = (planner: Planner): Planner => ({ ...planner, usesModel: false });

  it("is asked after a refusal, unlike other planners", async () => {
    const model = works("model");
    const { plan, emitted } = await ask([fails("first", cannotPlan()), model, rules(works("rules"))]);
    expect(plan?.source).toMatchObject({ planner: "rules", failures: [{ planner: "first", code: "cannot-plan" }] });
    expect(model.requests).toEqual([]);
    expect(emitted).toMatchObject([{ planner: "first", next: "rules" }]);
  });

  it("is not asked with continueOnCannotPlan: false", async () => {
    const { error } = await ask([fails("first", cannotPlan()), rules(works("rules"))], { continueOnCannotPlan: false });
    expect(error).toMatchObject({ code: "cannot-plan" });
  });

  it("makes a chain one, if all are", () => {
    expect(createFallbackPlanner([rules(works()), rules(works())]).usesModel).toBe(false);
    expect(createFallbackPlanner([rules(works()), works()]).usesModel).toBe(true);
  });

  it.each([
    [20_000, [9_500, 19_000, 20_000]],
    [1_000, [250, 500, 1_000]],
  ])("takes no share of %d ms, only a moment", async (timeoutMs, limits) => {
    const given: (number | undefined)[] = [];
    const told = (name: string) =>
      plannerOf(name, (request) => {
        given.push(request.timeoutMs);
        throw new Error("no");
      });
    await ask([told("a"), told("b"), rules(told("rules"))], {}, { timeoutMs });
    expect(given).toEqual(limits);
  });
});

describe("nested chains", () => {
  it("report all failures in order, and the planner of the plan", async () => {
    const inner = createFallbackPlanner([fails("a"), fails("b")], { name: "inner" });
    const other = createFallbackPlanner([fails("c"), works("d")], { name: "other" });
    const { plan, emitted } = await ask([inner, other]);
    expect(plan?.source).toMatchObject({
      planner: "d",
      failures: [{ planner: "a" }, { planner: "b" }, { planner: "c" }],
    });
    expect(emitted.map(({ planner }) => planner)).toEqual(["a", "inner", "c"]);
  });

  it("keep the failures before a cannot-plan error of the inner chain", async () => {
    const inner = createFallbackPlanner([fails("b"), fails("c", cannotPlan())], { name: "inner" });
    const last = await ask([fails("a"), inner]);
    expect(last.error).toMatchObject({
      code: "cannot-plan",
      details: { failures: [{ planner: "a" }, { planner: "b" }] },
    });
    const { plan } = await ask([inner, works("d")], { continueOnCannotPlan: true });
    expect(plan?.source?.failures).toMatchObject([{ planner: "b" }, { planner: "inner", code: "cannot-plan" }]);
  });

  it("divide their own share of the time", async () => {
    const slow = hangs("slow");
    const clock = createManualClock();
    const inner = createFallbackPlanner([slow, slow], { name: "inner", clock });
    const { request } = planRequest({ timeoutMs: 100 });
    const planning = Promise.resolve(createFallbackPlanner([inner, works("last")], { clock }).plan(request));
    expect((await clock.runUntil(planning)).source).toMatchObject({ planner: "last" });
    expect(slow.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([25, 25]);
  });
});

describe("options", () => {
  it.each<[string, unknown, unknown]>([
    ["fallbackPlanner", [], undefined],
    ["fallbackPlanner", works(), undefined],
    ["fallbackPlanner", undefined, undefined],
    ["fallbackPlanner[0]", [null], undefined],
    ["fallbackPlanner[1]", [works(), { plan: () => draft }], undefined],
    ["fallbackPlanner[0].replan", [{ ...works(), replan: 5 }], undefined],
    ["fallbackPlanner.name", [works()], { name: "" }],
    ["fallbackPlanner.name", [works()], { name: 5 }],
    ["fallbackPlanner.timeoutMs", [works()], { timeoutMs: 0 }],
    ["fallbackPlanner.timeoutMs", [works()], { timeoutMs: Number.NaN }],
    ["fallbackPlanner.continueOnCannotPlan", [works()], { continueOnCannotPlan: "yes" }],
    ["fallbackPlanner.clock", [works()], { clock: {} }],
    ["fallbackPlanner.clock", [works()], { clock: null }],
    ["fallbackPlanner.timeout", [works()], { timeout: 5 }],
    ["fallbackPlanner", [works()], null],
  ])("throw invalid-options for a bad %s", (option, planners, options) => {
    const create = () => createFallbackPlanner(planners as never, options as never);
    expect(create).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("may be undefined", async () => {
    const undefinedOptions = {
      name: undefined,
      timeoutMs: undefined,
      continueOnCannotPlan: undefined,
      clock: undefined,
    };
    expect(createFallbackPlanner([works()], undefinedOptions).name).toBe("fallback");
    expect(createFallbackPlanner([works()], { name: "mine" }).name).toBe("mine");
  });
});
