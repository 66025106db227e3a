import { getEventListeners } from "node:events";
import { AgentError, type AgentErrorData, createFallbackPlanner, type Planner, type PlanRequest } from "planwright";
import { createManualClock } from "planwright/testing";
import { expect } from "vitest";
import { planRequest } from "./fake-planners.ts";

/** Asks a chain, and says what came of it; nothing may be left behind. */
export async function ask(planners: readonly Planner[], options = {}, rest: Partial<PlanRequest> = {}) {
  const clock = createManualClock();
  const { request, controller, emitted } = planRequest(rest);
  const asking = Promise.resolve(createFallbackPlanner(planners, { clock, ...options }).plan(request));
  const [settled] = await Promise.all([
    Promise.allSettled([clock.runUntil(asking)]).then(([outcome]) => outcome),
    asking.catch(() => undefined),
  ]);
  expect(clock.pendingTimers).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  for (const event of emitted) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
  const plan = settled.status === "fulfilled" ? settled.value : undefined;
  const error = settled.status === "rejected" ? (settled.reason as AgentError).toJSON() : undefined;
  return { plan, error: error as AgentErrorData | undefined, emitted };
}

/** A failure as plans and errors tell it; the message may be a matcher. */
export function failure(planner: string, code: string, message: unknown) {
  return { planner, code, message: message as string };
}

/** The refusal of a planner. */
export const cannotPlan = () =>
  new AgentError("cannot-plan", "What?", {
    details: { reason: "not-understood", examples: ["add milk"] },
  });

/** What a budget refuses a model with. */
export function cannotOf(limit: string) {
  return new AgentError("limit-exceeded", `No more ${limit}.`, { details: { limit: limit as never, max: 1, used: 2 } });
}
