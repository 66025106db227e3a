import type { Plan, PlanDraft, Planner, PlanRequest, ReplanRequest } from "planwright";
import { createFakeTool } from "planwright/testing";
import type { PlanningEvent } from "../../src/core/planner.ts";

/** A plan of one step that holds. */
export const draft: PlanDraft = { steps: [{ id: "s1", tool: "A", input: {}, dependsOn: [] }] };

/** A plan that names a tool there is not. */
export const invalidDraft: PlanDraft = { steps: [{ id: "s1", tool: "Nothing", input: {}, dependsOn: [] }] };

/** What a planner does when it is asked. */
export type Behaviour = (request: PlanRequest) => PlanDraft | Promise<PlanDraft>;

/** A planner that does so, and remembers what it was asked. */
export function plannerOf(name: string, plan: Behaviour): Planner & { readonly requests: readonly PlanRequest[] } {
  const requests: PlanRequest[] = [];
  return {
    name,
    requests,
    plan(request) {
      requests.push(request);
      return plan(request);
    },
  };
}

/** A planner that gives the plan. */
export const works = (name = "works", given: PlanDraft = draft) => plannerOf(name, () => given);

/** A planner that throws an error. */
export const fails = (name: string, error: unknown = new Error(`${name} is broken`)) => throws(name, error);

/** A planner that throws whatever it is. */
export const throws = (name: string, thrown: unknown) =>
  plannerOf(name, () => {
    throw thrown;
  });

/** A planner that never answers, whatever its signal says. */
export const hangs = (name = "hangs") => plannerOf(name, () => new Promise(() => {}));

/** A request, the controller of its signal, and what was told. */
export function planRequest(rest: Partial<PlanRequest> = {}) {
  const controller = new AbortController();
  const emitted: PlanningEvent[] = [];
  const request: PlanRequest = {
    request: "Do it",
    tools: [createFakeTool({ name: "A" })],
    maxSteps: 10,
    nowMs: Date.UTC(2026, 0, 1),
    timeZone: "UTC",
    signal: controller.signal,
    emit: (event) => void emitted.push(event),
    ...rest,
  };
  return { request, controller, emitted };
}

/** A request for other steps: `a` is done, `f` has failed, `z` has not started. */
export function replanRequest(rest: Partial<ReplanRequest> = {}) {
  const { request, ...around } = planRequest();
  const step = (id: string) => ({ id, tool: "A", input: {} });
  const record = { tool: "A", input: {}, attempts: 1 };
  const plan: Plan = {
    version: 1,
    id: "plan_1",
    request: "Do it",
    source: { planner: "first" },
    createdAt: "2026-01-01T00:00:00.000Z",
    steps: [step("a"), step("f"), step("z")],
  };
  const replan: ReplanRequest = {
    ...request,
    plan,
    firstPlan: plan,
    steps: [
      { ...record, stepId: "a", status: "completed", output: { value: 7 } },
      { ...record, stepId: "f", status: "failed" },
      { ...record, stepId: "z", status: "pending" },
    ],
    error: {
      name: "AgentError",
      code: "tool-failed",
      message: "no",
      retryable: false,
      details: { tool: "A", stepId: "f", attempts: 1, errors: [] },
    },
    replan: 1,
    ...rest,
  };
  return { request: replan, ...around };
}
