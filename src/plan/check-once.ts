import { deepFreeze, type JsonObject, type JsonValue, toJson } from "../core/json.ts";
import { defaultMaxSteps, hasPlanShape, maxPlanBytes, type PlanInput, type PlanStep } from "../core/plan.ts";
import { planVersionOf, toolOf } from "../core/step.ts";
import type { Tool } from "../core/tool.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { PlanExpressions } from "./expressions.ts";
import { type CheckedPlan, checkPlan, findSurrogates, type PlanScope } from "./validate-plan.ts";

/** Steps that were found valid. */
interface ValidSteps {
  /** The frozen copy. */
  readonly steps: readonly PlanStep[];
  /** The ids that each step waits for. */
  readonly dependencies: readonly (readonly string[])[];
  /** The tools that they were checked against. */
  tools: ReadonlyMap<string, Tool>;
}

/** By the frozen copy of the steps, and by the list that it was made of, which may have changed since. */
const validSteps = new WeakMap<object, ValidSteps>();
/** Frozen plans around such a copy that are valid as a whole. */
const validPlans = new WeakSet<object>();

/**
 * Checks any value as {@link checkPlan} does. Steps that were found valid with the same tools are not checked again while
 * their content is the same, only the other parts of their plan; a plan that is known to be valid is returned as it is.
 */
export async function checkOnce(plan: unknown, scope: PlanScope): Promise<CheckedPlan> {
  const known = findKnown(plan, scope);
  if (known !== undefined) return known;
  const checked = await checkPlan(toJson(plan, { maxBytes: maxPlanBytes }), scope);
  if (checked.plan !== undefined) {
    const steps = checked.plan.steps as readonly PlanStep[];
    const valid = { steps, dependencies: checked.dependencies, tools: scope.tools };
    validSteps.set(steps, valid);
    const given = stepsOf(plan);
    if (given !== undefined && !checked.isAsync) validSteps.set(given, valid);
  }
  return checked;
}

/** Remembers as valid a frozen plan whose steps {@link checkOnce} has checked. */
export function rememberPlan<TPlan extends PlanInput>(plan: TPlan): TPlan {
  validPlans.add(plan);
  return plan;
}

/** The ids that each step of a valid plan waits for, found once if its steps are a copy of {@link checkOnce}. */
export function dependenciesOfSteps(
  steps: readonly PlanStep[],
  expressions: PlanExpressions | undefined,
): readonly (readonly string[])[] {
  const known = validSteps.get(steps)?.dependencies;
  return known ?? steps.map((step, index) => dependenciesOf(step, steps[index - 1], expressions?.get(step.id)));
}

/** A plan whose steps are known to be valid; undefined if it has to be checked, as also for what throws when it is read. */
function findKnown(plan: unknown, scope: PlanScope): CheckedPlan | undefined {
  try {
    const given = stepsOf(plan);
    const known = given && validSteps.get(given);
    if (known === undefined || !isFor(known, scope)) return undefined;
    const { steps, dependencies } = known;
    if (steps !== given && !isSame(given, steps as unknown as JsonValue)) return undefined;
    const valid = validPlans.has(plan as object) ? (plan as PlanInput) : copyAround(steps, plan as object);
    return valid && { plan: valid, issues: [], dependencies };
  } catch {
    return undefined;
  }
}

/** The list of steps of an object; undefined for anything that another list may stand for when it is JSON. */
function stepsOf(plan: unknown): object | undefined {
  if (typeof plan !== "object" || plan === null || "toJSON" in plan) return undefined;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(plan))) return undefined;
  const steps: unknown = Object.getOwnPropertyDescriptor(plan, "steps")?.value;
  return Array.isArray(steps) ? steps : undefined;
}

/** True if steps were checked against the same tools, and these allow so many. */
function isFor(known: ValidSteps, { tools, events, maxSteps = defaultMaxSteps }: PlanScope): boolean {
  const { steps } = known;
  if (steps.length > maxSteps) return false;
  // The names of events are not remembered.
  if (events !== undefined && planVersionOf(steps) === 2) return false;
  if (known.tools === tools) return true;
  if (!steps.every((step) => known.tools.get(toolOf(step)) === tools.get(toolOf(step)))) return false;
  // An agent's tools live as long as it does; those of a planner would be kept with the steps.
  known.tools = tools;
  return true;
}

/** True if a value is plain data with the content of a copy: no Date, nothing that has `toJSON`. */
function isSame(value: unknown, copy: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === copy;
  if (typeof copy !== "object" || copy === null) return false;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (toJSON !== undefined || Object.getPrototypeOf(value) !== Object.getPrototypeOf(copy)) return false;
  // Holes at its end are no keys.
  if (Array.isArray(value) && value.length !== (copy as readonly JsonValue[]).length) return false;
  const keys = Object.keys(copy);
  const given = Object.keys(value);
  if (given.length !== keys.length) return false;
  return keys.every(
    (key, index) => given[index] === key && isSame((value as JsonObject)[key], (copy as JsonObject)[key] as JsonValue),
  );
}

/** A frozen copy of a plan around steps that are known; undefined if its other parts are not plainly valid. */
function copyAround(steps: readonly PlanStep[], plan: object): PlanInput | undefined {
  const json = toJson({ ...plan, steps: [] }, { maxBytes: maxPlanBytes });
  if (!json.ok || findSurrogates(json.value).length > 0) return undefined;
  const copy = { ...(json.value as JsonObject), steps: steps as unknown as JsonValue };
  // One step is enough for the shape of the other parts.
  if (!hasPlanShape({ ...copy, steps: [steps[0] as unknown as JsonValue] })) return undefined;
  if ((copy as JsonObject).version === 1 && planVersionOf(steps) === 2) return undefined;
  return deepFreeze(copy as unknown as PlanInput);
}
