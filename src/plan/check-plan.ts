import type { JsonObject, JsonResult, JsonValue } from "../core/json.ts";
import {
  defaultMaxSteps,
  type PlanInput,
  type PlanIssue,
  type PlanStep,
  planSchema,
  type WaitStep,
} from "../core/plan.ts";
import { callsTool, planVersionOf, timeOfInstant } from "../core/step.ts";
import type { Tool } from "../core/tool.ts";
import { checkInput } from "./check-input.ts";
import { checkOrder } from "./check-order.ts";
import { checkExpressions, parseExpressions } from "./expressions.ts";
import type { StepScope } from "./find-source.ts";
import { findReferences } from "./reference.ts";

/** What a plan is checked against. */
export interface PlanScope {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The names of the events that steps may wait for. @default any */
  readonly events?: ReadonlySet<string> | undefined;
  /** @default 1000 */
  readonly maxSteps?: number | undefined;
}

/** What {@link checkPlan} found: a frozen copy of the plan if there is no issue, else the JSON that has the issues. */
export type CheckedPlan =
  | { readonly plan: PlanInput; readonly issues: readonly []; readonly json?: undefined }
  | { readonly plan?: undefined; readonly issues: readonly PlanIssue[]; readonly json?: JsonValue };

/** Every issue of a plan, as `validatePlan` returns them, or else a frozen copy that nobody else can change. */
export async function checkPlan(
  json: JsonResult,
  { tools, events, maxSteps = defaultMaxSteps }: PlanScope,
): Promise<CheckedPlan> {
  if (!json.ok) return { issues: [{ code: "not-json", ...json.issue }] };
  const issues = findSurrogates(json.value);
  const steps = checkShape(json.value, issues);
  if (steps.length > maxSteps) {
    const message = `The plan has ${steps.length} steps; at most ${maxSteps} are allowed.`;
    issues.push({ code: "too-many-steps", path: ["steps"], message });
  }
  // Awaited only if there are any, so that checking plans without expressions does not wait for them.
  const parsing = parseExpressions(steps);
  const parsed = parsing && (await parsing);
  checkOrder(steps, issues, parsed);
  // Reversed, so that a duplicate id means the first of its steps.
  const byId = new Map(steps.map((step) => [step?.id, step] as const).reverse());
  const stepOf = (stepId: string) => byId.get(stepId);
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const scope = { path: ["steps", index], tools, events, stepOf, parsed };
    if (parsed?.has(step)) for (const issue of await checkExpressions(step, scope)) issues.push(issue);
    const pending = callsTool(step) ? checkInput(step, scope) : checkWait(step, scope);
    for (const issue of pending instanceof Promise ? await pending : pending) issues.push(issue);
  }
  if (issues.length > 0) return { issues, json: json.value };
  return { plan: json.value as unknown as PlanInput, issues: [] };
}

/** The well-formed steps, with `undefined` in place of the others. */
function checkShape(plan: JsonValue, issues: PlanIssue[]): readonly (PlanStep | undefined)[] {
  const parsed = planSchema.safeParse(plan);
  const rawSteps = ((plan ?? {}) as { steps?: unknown }).steps;
  const steps = (Array.isArray(rawSteps) ? rawSteps : []) as (PlanStep | undefined)[];
  const broken = new Set<PropertyKey>();
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        issues.push({ code: "unknown-key", path: [...path, key], message: `Unknown key "${key}".` });
    } else {
      if (path[0] === "steps" && path[1] !== undefined) broken.add(path[1]);
      issues.push({ code: "invalid-shape", path, message: issue.message });
    }
  }
  checkVersion(plan, steps, issues);
  const whole = steps.map((step, index) => (broken.has(index) ? undefined : step));
  for (const [index, step] of whole.entries()) {
    if (step?.concurrency === undefined || step.forEach !== undefined) continue;
    const message = '"concurrency" is only for a step with "forEach": a step without it runs once.';
    issues.push({ code: "invalid-shape", path: ["steps", index, "concurrency"], message });
  }
  return whole;
}

function checkVersion(plan: JsonValue, steps: unknown, issues: PlanIssue[]): void {
  if ((plan as { version?: unknown } | null)?.version !== 1 || planVersionOf(steps) === 1) return;
  const message = "A plan in which a step waits has the version 2: earlier readers cannot run it.";
  issues.push({ code: "plan-version", path: ["version"], message });
}

/** Whether no text has half a surrogate pair. */
export function isWellFormed(value: JsonValue): boolean {
  return findSurrogates(value).length === 0;
}

/** A lone surrogate has no UTF-8 encoding and so no hash. */
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

/** The issues of what a step waits for. */
function checkWait({ wait }: WaitStep, { path, events }: StepScope): readonly PlanIssue[] {
  if ("event" in wait) {
    if (events === undefined || events.has(wait.event)) return [];
    const message = `There is no event "${wait.event}". Available events: ${[...events].join(", ") || "none"}.`;
    return [{ code: "unknown-event", path: [...path, "wait", "event"], message }];
  }
  if (!("until" in wait)) return [];
  const at = [...path, "wait", "until"];
  const references = findReferences({ until: wait.until });
  const unread = references.find(({ reference }) => reference === undefined);
  if (unread !== undefined) {
    const message = `"${unread.text}" is not a reference. Write \${s1.key}.`;
    return [{ code: "invalid-reference", path: at, message }];
  }
  if (references.length > 0 || timeOfInstant(wait.until) !== undefined) return [];
  const message = `${JSON.stringify(wait.until)} is not an instant with its zone, such as "2026-03-01T08:00:00Z" or "2026-03-01T08:00:00+01:00".`;
  return [{ code: "invalid-input", path: at, message }];
}
