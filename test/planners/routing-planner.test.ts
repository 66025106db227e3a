import {
  createFallbackPlanner,
  createRoutingPlanner,
  type PlanDraft,
  type Planner,
  type PlanRequest,
} from "planwright";
import { createManualClock, createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { RequestComplexity } from "../../src/planners/request-complexity.ts";
import { fails, hangs, plannerOf, planRequest, replanRequest, works } from "./fake-planners.ts";

const routes = () => ({ simple: works("small"), moderate: works("middle"), complex: works("large") });
const sourceOf = async (planner: Planner, request: PlanRequest) => (await planner.plan(request)).source;

describe("createRoutingPlanner", () => {
  it.each([
    ["add milk", "simple", "small"],
    ["calculate 2 + 3 and add the result as a todo", "moderate", "middle"],
    ["if it rains, add umbrella", "complex", "large"],
  ])("routes %j as %s, to %s alone", async (text, route, planner) => {
    const planners = routes();
    const { request, emitted } = planRequest({ request: text });
    expect(await sourceOf(createRoutingPlanner(planners), request)).toEqual({ planner, route });
    expect(Object.values(planners).flatMap(({ requests }) => requests)).toHaveLength(1);
    expect(emitted).toEqual([]);
  });

  it.each<[string, (request: PlanRequest) => RequestComplexity | Promise<RequestComplexity>]>([
    ["at once", ({ tools }) => (tools.length === 1 ? "complex" : "simple")],
    ["by a promise", () => Promise.resolve("complex")],
    [
      "by a model",
      async ({ generate, signal, request }) => {
        const messages = [{ role: "user", content: request } as const];
        const response = await generate?.(createScriptedModel(["complex"]), { messages, signal });
        return response?.text as RequestComplexity;
      },
    ],
  ])("uses a classify function that answers %s", async (_how, classify) => {
    const { request } = planRequest({ generate: (model, asked) => model.generate(asked) });
    const planner = createRoutingPlanner({ ...routes(), classify });
    expect(await sourceOf(planner, request)).toEqual({ planner: "large", route: "complex" });
  });

  it("fails with the error of the classify function, and calls no planner", async () => {
    const planners = routes();
    const error = new Error("no idea");
    const throwing = (): RequestComplexity => {
      throw error;
    };
    const { request } = planRequest();
    for (const classify of [throwing, () => Promise.reject(error)]) {
      await expect(createRoutingPlanner({ ...planners, classify }).plan(request)).rejects.toBe(error);
    }
    expect(Object.values(planners).flatMap(({ requests }) => requests)).toEqual([]);
  });

  it.each(["hard", "", "toString", "__proto__", undefined, null, 5, ["simple"], { toString: () => "simple" }])(
    "refuses the classification %j",
    async (answer) => {
      const planner = createRoutingPlanner({ ...routes(), classify: () => answer as unknown as RequestComplexity });
      await expect(planner.plan(planRequest().request)).rejects.toMatchObject({
        code: "invalid-options",
        message: expect.stringContaining("simple, moderate, complex"),
      });
    },
  );

  it("calls the planners of a route in turn", async () => {
    const { request, emitted } = planRequest({ request: "add milk" });
    const planner = createRoutingPlanner({ ...routes(), simple: [fails("a"), works("b")] });
    expect(await sourceOf(planner, request)).toEqual({
      planner: "b",
      route: "simple",
      failures: [{ planner: "a", code: "planning-failed", message: 'The planner "a" failed: a is broken' }],
    });
    expect(emitted).toMatchObject([{ type: "plan-fallback", planner: "a", next: "b" }]);
  });

  it("fails under its own name if all planners of a route fail", async () => {
    const planner = createRoutingPlanner({ ...routes(), simple: [fails("a"), fails("b")], name: "mine" });
    expect(planner.name).toBe("mine");
    await expect(planner.plan(planRequest().request)).rejects.toMatchObject({
      code: "planning-failed",
      details: { planner: "mine", failures: [{ planner: "a" }, { planner: "b" }] },
    });
    expect(createRoutingPlanner(routes()).name).toBe("routing");
  });

  it("names the route even for the plan of a chain, or of another routing planner", async () => {
    const inner = createRoutingPlanner({ ...routes(), classify: () => "moderate" });
    const planner = createRoutingPlanner({ ...routes(), simple: createFallbackPlanner([fails("a"), inner]) });
    const { request } = planRequest({ request: "add milk" });
    expect(await sourceOf(planner, request)).toMatchObject({ planner: "middle", route: "simple" });
  });

  it("passes its options to each route", async () => {
    const clock = createManualClock();
    const simple = [hangs("slow"), fails("refuses"), works("last")];
    const planner = createRoutingPlanner({ ...routes(), simple, clock, timeoutMs: 50, continueOnCannotPlan: true });
    const { source } = await clock.runUntil(Promise.resolve(planner.plan(planRequest().request)));
    expect(source).toMatchObject({ planner: "last", failures: [{ code: "timeout" }, { code: "planning-failed" }] });
    expect(clock.now()).toBe(createManualClock().now() + 50);
    expect(clock.pendingTimers).toBe(0);
  });

  it("divides the time that the classify function has left among the planners", async () => {
    const clock = createManualClock();
    const classify = () =>
      new Promise<RequestComplexity>((resolve) => void clock.setTimeout(() => resolve("simple"), 40));
    const [slow, last] = [hangs("slow"), works("last")];
    const planner = createRoutingPlanner({ ...routes(), simple: [slow, last], classify, clock });
    const { request } = planRequest({ timeoutMs: 100 });
    await clock.runUntil(Promise.resolve(planner.plan(request)));
    expect([slow, last].map(({ requests }) => requests[0]?.timeoutMs)).toEqual([30, 30]);
  });

  it("calls no planner after a cancellation, however late the classify function answers", async () => {
    const clock = createManualClock();
    const classify = () =>
      new Promise<RequestComplexity>((resolve) => void clock.setTimeout(() => resolve("simple"), 40));
    const planners = routes();
    const { request, controller } = planRequest({ timeoutMs: 100 });
    const planning = clock.runUntil(
      Promise.resolve(createRoutingPlanner({ ...planners, classify, clock }).plan(request)),
    );
    controller.abort(new Error("enough"));
    await expect(planning).rejects.toThrow("enough");
    expect(planners.simple.requests).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("the replan method", () => {
  const replans = (name: string): Planner => ({
    ...works(name),
    replan: () => ({ steps: [{ id: "b", tool: "A", input: {}, dependsOn: [] }] }),
  });

  it("uses the route of the request", async () => {
    const planner = createRoutingPlanner({
      ...routes(),
      moderate: [works("no"), replans("yes")],
      classify: () => "moderate",
    });
    const draft: PlanDraft | undefined = await planner.replan?.(replanRequest().request);
    expect(draft).toEqual({
      steps: [{ id: "b", tool: "A", input: {}, dependsOn: [] }],
      source: { planner: "yes", route: "moderate" },
    });
  });

  it("fails if no planner of the route can replan, and is missing if none at all can", async () => {
    const planner = createRoutingPlanner({ ...routes(), complex: replans("large") });
    await expect(planner.replan?.(replanRequest().request)).rejects.toThrow(
      'No planner of the route "simple" has a replan method.',
    );
    expect(createRoutingPlanner(routes())).not.toHaveProperty("replan");
  });
});

describe("options", () => {
  it.each<[string, object]>([
    ["routingPlanner.simple", { ...routes(), simple: undefined }],
    ["routingPlanner.complex", { ...routes(), complex: [] }],
    ["routingPlanner.complex[1]", { ...routes(), complex: [works(), null] }],
    ["routingPlanner.moderate", { ...routes(), moderate: { name: "x" } }],
    ["routingPlanner.moderate.replan", { ...routes(), moderate: { ...works(), replan: true } }],
    ["routingPlanner.classify", { ...routes(), classify: "simple" }],
    ["routingPlanner.name", { ...routes(), name: "" }],
    ["routingPlanner.timeoutMs", { ...routes(), timeoutMs: -1 }],
    ["routingPlanner.clock", { ...routes(), clock: { now: () => 0 } }],
    ["routingPlanner.hard", { ...routes(), hard: works() }],
  ])("throw invalid-options for a bad %s", (option, options) => {
    const create = () => createRoutingPlanner(options as never);
    expect(create).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("may be undefined if they are optional", async () => {
    const none = { classify: undefined, name: undefined, timeoutMs: undefined, clock: undefined };
    const planner = createRoutingPlanner({
      ...routes(),
      ...none,
      simple: plannerOf("own", () => works().plan(planRequest().request)),
    });
    expect(await sourceOf(planner, planRequest().request)).toEqual({ planner: "own", route: "simple" });
  });
});
