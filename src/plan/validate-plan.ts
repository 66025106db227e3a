import { indexTools } from "../core/define-tool.ts";
import { AgentError } from "../core/errors.ts";
import { addSecrets, HiddenTexts } from "../core/hidden-texts.ts";
import {
  deepFreeze,
  isPlainObject,
  type JsonObject,
  type JsonPath,
  type JsonResult,
  type JsonValue,
  toJson,
} from "../core/json.ts";
import { checkPlainObject, failOption, type OptionTable, readOptions } from "../core/option-tables.ts";
import {
  defaultMaxSteps,
  hasPlanShape,
  maxPlanBytes,
  namePattern,
  namePatternText,
  noPlan,
  noSteps,
  type PlanInput,
  type PlanIssue,
  type PlanStep,
  planSchema,
} from "../core/plan.ts";
import { expectedSchema, type StandardSchema } from "../core/schema.ts";
import { readZod3 } from "../core/schema-zod3.ts";
import { isIterationName, planVersionOf, templateOf, toolOf, withInputs } from "../core/step.ts";
import { cutText } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { hasSensitive } from "../core/tool-schemas.ts";
import { checkStep, readSchemas, unknownTool } from "./check-step.ts";
import type { StepExpressions } from "./expressions/step-expressions.ts";
import {
  createExpressions,
  findUnreadable,
  hasExpression,
  type PlanExpressions,
  type PlanLanguage,
  parseExpressions,
} from "./expressions.ts";
import { dependenciesOf, type FoundReference, findReferences } from "./references.ts";

/** Options of {@link validatePlan}. @inline */
interface ValidatePlanOptions {
  readonly tools: readonly Tool[];
  /** Schemas of the events that steps may wait for, by name of the event. @default any */
  readonly events?: Readonly<Record<string, StandardSchema>> | undefined;
  /** @default 1000 */
  readonly maxSteps?: number | undefined;
}

const planOptions = {
  tools: (value) => indexTools(value as readonly Tool[]),
  events: { read: readEvents },
  maxSteps: { type: "number", min: 1, default: defaultMaxSteps },
} satisfies OptionTable<ValidatePlanOptions>;

/**
 * Returns every issue of a plan, which may be any value; an empty list means that the plan can run. No tool is called.
 * Rejects with `invalid-options` only if an option is invalid, as when two tools have the same name. Issues of an input
 * at or below a reference are left out, because the referenced value is not known yet; types that the tools' schemas
 * state are checked. {@includeCode ../../examples/04-approve-a-plan.ts} @group Plans
 */
export async function validatePlan(plan: unknown, options: ValidatePlanOptions): Promise<readonly PlanIssue[]> {
  readZod3();
  const settings = readOptions(planOptions, options);
  const scope = { ...settings, expressions: createExpressions() };
  return (await checkPlan(toJson(plan, { maxBytes: maxPlanBytes }), scope)).issues;
}

export function readEvents(value: unknown, option: string): ReadonlyMap<string, StandardSchema> {
  checkPlainObject(option, value, "schemas");
  const events = new Map<string, StandardSchema>(Object.entries(value));
  for (const [name, schema] of events) {
    if (!namePattern.test(name)) failOption(`${option}.${name}`, name, namePatternText, true);
    if (typeof schema?.["~standard"]?.validate !== "function")
      failOption(`${option}.${name}`, schema, expectedSchema(schema));
    const expected = "a schema without sensitive fields: delivered values are recorded as they are";
    if (hasSensitive(schema, "input") || hasSensitive(schema, "output"))
      failOption(`${option}.${name}`, schema, expected);
  }
  return events;
}

export interface PlanScope {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly events?: ReadonlyMap<string, StandardSchema> | undefined;
  readonly maxSteps?: number | undefined;
  readonly expressions: PlanLanguage;
}

type CheckedPlan =
  | { readonly plan: PlanInput; readonly issues: readonly []; readonly json?: undefined }
  | { readonly plan?: undefined; readonly issues: readonly PlanIssue[]; readonly json?: JsonValue };

interface ValidSteps {
  readonly steps: readonly PlanStep[];
  readonly dependencies: readonly (readonly string[])[];
  tools: ReadonlyMap<string, Tool>;
}

/** Keyed by the frozen copy of the steps and by the caller's list, which may have changed since the check. */
const validSteps = new WeakMap<object, ValidSteps>();
const validPlans = new WeakSet<object>();

export function checkOnce(plan: unknown, scope: PlanScope): Promise<CheckedPlan> {
  const known = findKnown(plan, scope);
  // Also returns a promise, so that a run does not overtake an earlier run whose plan is being checked.
  if (known !== undefined) return Promise.resolve(known);
  return checkPlan(toJson(plan, { maxBytes: maxPlanBytes }), scope, (valid, isAsync) => {
    if (scope.expressions === "unchecked" && valid.steps.some(hasExpression)) return;
    validSteps.set(valid.steps, valid);
    const given = stepsOf(plan);
    if (given !== undefined && !isAsync) validSteps.set(given, valid);
  });
}

export function rememberPlan<TPlan extends PlanInput>(plan: TPlan): TPlan {
  validPlans.add(plan);
  return plan;
}

export function dependenciesOfSteps(
  steps: readonly PlanStep[],
  expressions: PlanExpressions | undefined,
): readonly (readonly string[])[] {
  const known = validSteps.get(steps)?.dependencies;
  return known ?? steps.map((step, index) => dependenciesOf(step, steps[index - 1], expressions?.get(step.id)));
}

function findKnown(plan: unknown, scope: PlanScope): CheckedPlan | undefined {
  try {
    const given = stepsOf(plan);
    const known = given && validSteps.get(given);
    if (known === undefined || !isFor(known, scope)) return undefined;
    const { steps } = known;
    if (steps !== given && !isSame(given, steps as unknown as JsonValue)) return undefined;
    const valid = validPlans.has(plan as object) ? (plan as PlanInput) : copyAround(steps, plan as object);
    return valid && { plan: valid, issues: [] };
  } catch {
    return undefined;
  }
}

function stepsOf(plan: unknown): object | undefined {
  if (!isPlainObject(plan) || "toJSON" in plan) return undefined;
  const steps: unknown = Object.getOwnPropertyDescriptor(plan, "steps")?.value;
  return Array.isArray(steps) ? steps : undefined;
}

function isFor(known: ValidSteps, { tools, events, expressions, maxSteps = defaultMaxSteps }: PlanScope): boolean {
  const { steps } = known;
  if (steps.length > maxSteps || findUnreadable(steps, expressions).length > 0) return false;
  if (events !== undefined && planVersionOf(steps) === 2) return false;
  if (known.tools === tools) return true;
  if (!steps.every((step) => known.tools.get(toolOf(step)) === tools.get(toolOf(step)))) return false;
  // Keeps the agent's tools, which live as long as the agent, rather than the tools of a planner.
  known.tools = tools;
  return true;
}

function isSame(value: unknown, copy: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === copy;
  if (typeof copy !== "object" || copy === null) return false;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (toJSON !== undefined || Object.getPrototypeOf(value) !== Object.getPrototypeOf(copy)) return false;
  if (Array.isArray(value)) {
    const items = copy as readonly JsonValue[];
    return value.length === items.length && items.every((item, index) => isSame(value[index], item));
  }
  const keys = Object.keys(copy);
  let count = 0;
  for (const key in value) {
    if (key !== keys[count++]) return false;
    if (!isSame((value as JsonObject)[key], (copy as JsonObject)[key] as JsonValue)) return false;
  }
  return count === keys.length;
}

function copyAround(steps: readonly PlanStep[], plan: object): PlanInput | undefined {
  const json = toJson({ ...plan, steps: [] }, { maxBytes: maxPlanBytes });
  if (!json.ok || findSurrogates(json.value).length > 0) return undefined;
  const copy = { ...(json.value as JsonObject), steps: steps as unknown as JsonValue };
  // One step is enough to check the shape of the other parts.
  if (!hasPlanShape({ ...copy, steps: [steps[0] as unknown as JsonValue] })) return undefined;
  if ((copy as JsonObject).version === 1 && planVersionOf(steps) === 2) return undefined;
  return deepFreeze(copy as unknown as PlanInput);
}

/** Calls `remember` before it returns, unless it waits, so that many runs that start together check a plan once. */
export async function checkPlan(
  json: JsonResult,
  { tools, events, expressions: language, maxSteps = defaultMaxSteps }: PlanScope,
  remember?: (valid: ValidSteps, isAsync: boolean) => void,
): Promise<CheckedPlan> {
  if (!json.ok) return { issues: [{ code: "not-json", ...json.issue }] };
  const whole = deepFreeze(withInputs(json.value));
  const issues = findSurrogates(whole);
  const steps = checkShape(whole, issues);
  if (steps.length > maxSteps) {
    const message = `The plan has ${steps.length} steps; at most ${maxSteps} are allowed.`;
    issues.push({ code: "too-many-steps", path: ["steps"], message });
  }
  // Awaited only if there is something to load, so that most plans are checked at once.
  issues.push(...findUnreadable(steps, language));
  const parsing = parseExpressions(steps, language);
  const parsed = parsing && (await parsing);
  const reading = readSchemas(steps, { tools, events });
  const schemas = reading instanceof Promise ? await reading : reading;
  const names = steps.map((step) => {
    const expressions = step && parsed?.get(step);
    return step && { references: findReferences(templateOf(step)), expressions, stepIds: expressions?.stepIds };
  });
  const dependencies = checkOrder(steps, { names, issues });
  // Reversed, so that a duplicate id refers to the first of its steps.
  const byId = new Map(steps.map((step) => [step?.id, step] as const).reverse());
  const stepOf = (stepId: string) => byId.get(stepId);
  let isAsync = false;
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const references = names[index]?.references ?? [];
    const scope = { step, path: ["steps", index], tools, schemas, events, stepOf, references, parsed };
    const pending = checkStep(scope);
    isAsync ||= pending instanceof Promise;
    for (const issue of pending instanceof Promise ? await pending : pending) issues.push(issue);
  }
  if (issues.length > 0) {
    const hidden = new HiddenTexts();
    for (const { input, tool = "" } of steps.filter((step) => step !== undefined))
      addSecrets(hidden, schemas.get(tools.get(tool) as Tool)?.input ?? {}, input);
    return { issues: issues.map((issue) => hideIn(issue, hidden)), json: whole };
  }
  const plan = whole as unknown as PlanInput;
  // A schema that returned a promise may look up other data the next time.
  remember?.({ steps: plan.steps as readonly PlanStep[], dependencies, tools }, isAsync);
  return { plan, issues: [] };
}

function hideIn(issue: PlanIssue, hidden: HiddenTexts): PlanIssue {
  const hide = (key: string | number, index: number) => (index > 2 && typeof key === "string" ? hidden.hide(key) : key);
  return { ...issue, message: hidden.hide(issue.message), path: issue.path.map(hide) };
}

function checkShape(plan: JsonValue, issues: PlanIssue[]): readonly (PlanStep | undefined)[] {
  const { steps: rawSteps, version } = (plan ?? {}) as { steps?: unknown; version?: unknown };
  const steps = (Array.isArray(rawSteps) ? rawSteps : []) as (PlanStep | undefined)[];
  const broken = new Set<PropertyKey | undefined>();
  const found = hasPlanShape(plan) ? [] : (planSchema.safeParse(plan).error?.issues ?? []);
  for (const issue of found) {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        issues.push({ code: "unknown-key", path: [...path, key], message: `Unknown key "${key}".` });
    } else {
      if (path[0] === "steps") broken.add(path[1]);
      issues.push({ code: "invalid-shape", path, message: issue.message });
    }
  }
  if (version === 1 && planVersionOf(steps) === 2) {
    const message = "A plan in which a step waits must have version 2, because readers of version 1 cannot run it.";
    issues.push({ code: "plan-version", path: ["version"], message });
  }
  const whole = steps.map((step, index) => (broken.has(index) ? undefined : step));
  for (const [index, step] of whole.entries()) {
    if (step?.concurrency === undefined || step.forEach !== undefined) continue;
    const message = '"concurrency" needs "forEach": a step without it runs once.';
    issues.push({ code: "invalid-shape", path: ["steps", index, "concurrency"], message });
  }
  return whole;
}

/** Text with half a surrogate pair has no UTF-8 encoding, and therefore no hash. */
function findSurrogates(value: JsonValue, path: (string | number)[] = [], issues: PlanIssue[] = []): PlanIssue[] {
  if (typeof value === "string") {
    if (!value.isWellFormed())
      issues.push({ code: "lone-surrogate", path: [...path], message: "The text has half a surrogate pair." });
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      path.push(Array.isArray(value) ? Number(key) : key);
      findSurrogates(key, path, issues);
      findSurrogates((value as JsonObject)[key] as JsonValue, path, issues);
      path.pop();
    }
  }
  return issues;
}

interface StepNames {
  readonly references: readonly FoundReference[];
  readonly expressions: StepExpressions | undefined;
  readonly stepIds: ReadonlySet<string> | undefined;
}

/** Malformed steps are `undefined`. A duplicate id refers to its first step. */
function checkOrder(
  steps: readonly (PlanStep | undefined)[],
  { names, issues }: { readonly names: readonly (StepNames | undefined)[]; readonly issues: PlanIssue[] },
): readonly (readonly string[])[] {
  const { indexOf, lastIndexOf } = indexSteps(steps, issues);
  const dependencies = steps.map((step, index) =>
    step === undefined ? [] : dependenciesOf(step, steps[index - 1], names[index]),
  );
  const isBefore = (id: string, index: number) => {
    const last = lastIndexOf.size === 0 ? undefined : lastIndexOf.get(steps[index]?.id ?? "");
    return (indexOf.get(id) ?? Number.POSITIVE_INFINITY) < (last ?? index);
  };
  if (dependencies.every((ids, index) => ids.every((id) => isBefore(id, index)))) return dependencies;
  // Only written dependencies count: implicit ones would turn steps in the wrong order into a cycle.
  const written = steps.map((step, index) => (step ? dependenciesOf(step, undefined, names[index]) : []));
  const cyclic = findCyclic(written.map((ids) => ids.flatMap((id) => indexOf.get(id) ?? [])));
  // An unknown id may be that of a malformed step.
  const mayBeBroken = steps.includes(undefined);
  const ids = describeIds([...indexOf.keys()]);
  for (const [index, needed] of dependencies.entries()) {
    const step = steps[index];
    const unmet = needed.filter((id) => !isBefore(id, index) && (indexOf.has(id) || !mayBeBroken));
    if (step === undefined || unmet.length === 0) continue;
    const places = placesOfNames(step, names[index]);
    for (const id of unmet) {
      const path = places.get(id) ?? [];
      const target = indexOf.get(id);
      const isCyclic = target !== undefined && cyclic.has(index) && cyclic.has(target);
      const issue = target === undefined ? unknownStep(id, { step, key: path[0], ids }) : unmetDependency(id, isCyclic);
      issues.push({ ...issue, path: ["steps", index, ...path] });
    }
  }
  return dependencies;
}

function indexSteps(steps: readonly (PlanStep | undefined)[], issues: PlanIssue[]) {
  const indexOf = new Map<string, number>();
  const lastIndexOf = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const first = indexOf.get(step.id);
    if (first === undefined) indexOf.set(step.id, index);
    else {
      lastIndexOf.set(step.id, index);
      issues.push(duplicateId(step.id, { index, first }));
    }
  }
  return { indexOf, lastIndexOf };
}

function placesOfNames(step: PlanStep, names: StepNames | undefined): ReadonlyMap<string, JsonPath> {
  const places = new Map<string, JsonPath>();
  const add = (id: string, path: JsonPath) => {
    if (!places.has(id)) places.set(id, path);
  };
  for (const [index, id] of step.dependsOn?.entries() ?? []) add(id, ["dependsOn", index]);
  for (const { reference, path } of names?.references ?? [])
    if (reference !== undefined) add(reference.stepId, [step.wait === undefined ? "input" : "wait", ...path]);
  for (const key of ["when", "forEach"] as const)
    for (const { name } of names?.expressions?.[key]?.names ?? []) add(name, [key]);
  return places;
}

function describeIds(ids: readonly string[]) {
  const shown = ids.slice(0, 20).map((id) => cutText(id, 100));
  const list = shown.join(", ") + (ids.length > 20 ? ` … (${ids.length})` : "");
  const hyphenated = ids.filter((id) => id.includes("-"));
  return { list, byFirstPart: new Map(hyphenated.map((id) => [id.slice(0, id.indexOf("-")), id])) };
}

function unmetDependency(id: string, isCyclic: boolean): Omit<PlanIssue, "path"> {
  return isCyclic
    ? { code: "cyclic-reference", message: `"${id}" depends on this step in turn.` }
    : { code: "forward-reference", message: `"${id}" comes later; a step can depend only on earlier steps.` };
}

function unknownStep(
  name: string,
  { step, key, ids }: { step: PlanStep; key: string | number | undefined; ids: ReturnType<typeof describeIds> },
): Omit<PlanIssue, "path"> {
  const meant = key === "when" || key === "forEach" ? ids.byFirstPart.get(name) : undefined;
  let hint = "";
  if (isIterationName(name) && step.forEach === undefined)
    hint = ' "item" and "index" exist only in the input and the "when" of a step with "forEach".';
  else if (meant !== undefined)
    hint = ` An expression reads "${meant}" as a subtraction: give the step an id without "-".`;
  return { code: "unknown-step", message: `"${name}" is not the id of a step; available ids: ${ids.list}.${hint}` };
}

/** Finds the steps on a cycle or between two cycles, with Kahn's algorithm (1962) from both ends. */
function findCyclic(dependencies: readonly (readonly number[])[]): ReadonlySet<number> {
  const left = new Set(dependencies.keys());
  const dependents: number[][] = dependencies.map(() => []);
  for (const [index, targets] of dependencies.entries()) for (const target of targets) dependents[target]?.push(index);
  peel(left, dependencies, dependents);
  peel(left, dependents, dependencies);
  return left;
}

function peel(
  left: Set<number>,
  outgoing: readonly (readonly number[])[],
  incoming: readonly (readonly number[])[],
): void {
  const degree = outgoing.map((targets) => targets.filter((target) => left.has(target)).length);
  const free = [...left].filter((index) => degree[index] === 0);
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    left.delete(index);
    for (const source of incoming[index] ?? []) {
      if (!left.has(source)) continue;
      const edges = (degree[source] ?? 0) - 1;
      degree[source] = edges;
      if (edges === 0) free.push(source);
    }
  }
}

export function plainIssues(plan: unknown, tools: ReadonlyMap<string, Tool>): readonly PlanIssue[] {
  try {
    if (findPlain(plan, tools).length === 0) return [];
    // The plan is checked as JSON, which may differ from the given object.
    const json = toJson(plan, { maxBytes: maxPlanBytes });
    return json.ok ? findPlain(json.value, tools) : [];
  } catch {
    return [];
  }
}

function findPlain(plan: unknown, tools: ReadonlyMap<string, Tool>): readonly PlanIssue[] {
  const { steps } = (plan ?? {}) as { readonly steps?: unknown };
  if (!Array.isArray(steps) || steps.length === 0)
    return typeof plan === "string"
      ? [{ code: "invalid-shape", path: [], message: noPlan }]
      : [{ code: "invalid-shape", path: ["steps"], message: noSteps }];
  const issues: PlanIssue[] = [];
  const firstOf = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    const { id, tool } = (step ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
    if (typeof tool === "string" && !tools.has(tool)) issues.push(unknownTool(tool, { path: ["steps", index], tools }));
    if (typeof id !== "string") continue;
    const first = firstOf.get(id);
    if (first === undefined) firstOf.set(id, index);
    else issues.push(duplicateId(id, { index, first }));
  }
  return issues;
}

export function invalidPlan(complaint: string, issues: readonly PlanIssue[]): AgentError<"invalid-plan"> {
  const shown = issues
    .slice(0, 5)
    .map(({ code, path, message }) => `${code}${path.length === 0 ? "" : ` at ${path.join(".")}`}: ${message}`);
  const more = issues.length > 5 ? ` … and ${issues.length - 5} more.` : "";
  return new AgentError("invalid-plan", `${complaint}: ${shown.join(" ")}${more}`, { details: { issues } });
}

function duplicateId(id: string, { index, first }: { readonly index: number; readonly first: number }): PlanIssue {
  const message = `"${id}" is already the id of steps[${first}].`;
  return { code: "duplicate-id", path: ["steps", index, "id"], message };
}
