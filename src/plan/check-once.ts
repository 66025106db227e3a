import { deepFreeze, type JsonObject, toJson } from "../core/json.ts";
import { defaultMaxSteps, maxPlanBytes, type PlanInput, type PlanStep, planSchema } from "../core/plan.ts";
import { planVersionOf, toolOf } from "../core/step.ts";
import type { Tool } from "../core/tool.ts";
import { type CheckedPlan, checkPlan, isWellFormed, type PlanScope } from "./check-plan.ts";

/** The frozen steps of valid plans, with the tools that they were checked against. */
const toolsOfValid = new WeakMap<object, ReadonlyMap<string, Tool>>();
/** Frozen plans around such steps that are valid as a whole. */
const validPlans = new WeakSet<object>();

/**
 * Checks any value as {@link checkPlan} does, and remembers the frozen steps of a valid plan. A plan that is known to be
 * valid is returned as it is.
 */
export async function checkOnce(plan: unknown, scope: PlanScope): Promise<CheckedPlan> {
  if (isKnownPlan(plan, scope)) return { plan, issues: [] };
  const checked = await checkPlan(toJson(plan, { maxBytes: maxPlanBytes }), scope);
  if (checked.plan !== undefined) toolsOfValid.set(checked.plan.steps, scope.tools);
  return checked;
}

/** Remembers as valid a frozen plan whose steps {@link checkOnce} has checked. */
export function rememberPlan<TPlan extends PlanInput>(plan: TPlan): TPlan {
  validPlans.add(plan);
  return plan;
}

/**
 * A plan of a planner's steps and our other parts, for {@link checkOnce}. If the steps are known to be valid, only the
 * other parts are checked, here; if one of them is invalid, everything is left to be checked.
 */
export function assemblePlan(steps: unknown, head: object, scope: PlanScope): unknown {
  const plan = { ...head, steps };
  if (!areKnownSteps(steps, scope)) return plan;
  const json = toJson(head, { maxBytes: maxPlanBytes });
  if (!json.ok || !isWellFormed(json.value)) return plan;
  const copy = deepFreeze({ ...(json.value as JsonObject), steps } as PlanInput);
  // One step is enough for the shape of the other parts.
  return planSchema.safeParse({ ...copy, steps: steps.slice(0, 1) }).success ? rememberPlan(copy) : plan;
}

function isKnownPlan(plan: unknown, scope: PlanScope): plan is PlanInput {
  return validPlans.has(plan as object) && areKnownSteps((plan as PlanInput).steps, scope);
}

/** Whether these very steps, which nobody can change, were found valid with the same tools. */
function areKnownSteps(
  steps: unknown,
  { tools, events, maxSteps = defaultMaxSteps }: PlanScope,
): steps is readonly PlanStep[] {
  const known = toolsOfValid.get(steps as object);
  if (known === undefined || (steps as readonly PlanStep[]).length > maxSteps) return false;
  // Which events there are is not remembered.
  if (events !== undefined && planVersionOf(steps) === 2) return false;
  if (known === tools) return true;
  const isSame = (steps as readonly PlanStep[]).every((step) => known.get(toolOf(step)) === tools.get(toolOf(step)));
  // An agent's tools live as long as it does; those of a planner would be kept with the steps.
  if (isSame) toolsOfValid.set(steps as object, tools);
  return isSame;
}
