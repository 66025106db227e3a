import type { AgentEventType } from "../core/events.ts";
import type { Plan, PlanStep } from "../core/plan.ts";
import { isSealed } from "../core/sealed.ts";
import { dependenciesOf } from "../plan/dependencies.ts";

/** The events that are recorded. */
type RecordedType = Exclude<
  AgentEventType,
  "step-progress" | "step-attempt" | "step-late" | "plan-delta" | "model-start" | "model-retry"
>;

type Check = (value: unknown) => boolean;
/** The check of each key. Other keys are allowed. */
type Shape = Readonly<Record<string, Check>>;
/** An object that was parsed from JSON. */
export type Keyed = Readonly<Record<string, unknown>>;

// By hand and not by a schema: a run of 10 000 steps has 20 000 events, each of which is checked before a resume.
const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isPositive: Check = (value) => isCount(value) && value !== 0;
const isTrue: Check = (value) => value === true;
/** A missing key is not the same as a key whose value is null. */
const isThere: Check = (value) => value !== undefined;
const isAbsent: Check = (value) => value === undefined;
const isObject = (value: unknown): value is Keyed =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf = (...values: readonly string[]): Check => {
  const known = new Set<unknown>(values);
  return (value) => known.has(value);
};
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const object = (shape: Shape): Check => {
  const wrongKey = keys(shape);
  return (value) => isObject(value) && wrongKey(value) === undefined;
};
/** An object of one of several shapes, selected by one of its keys. */
const oneOfShapes = (key: string, shapes: Readonly<Record<string, Shape>>): Check => {
  const checks = new Map<unknown, Check>(Object.entries(shapes).map(([name, shape]) => [name, object(shape)]));
  return (value) => isObject(value) && checks.get(value[key])?.(value) === true;
};

/** Returns the key of an event that is invalid, if there is one. */
export type FindWrongKey = (event: Keyed) => string | undefined;

function keys(shape: Shape): FindWrongKey {
  const checks = Object.entries(shape);
  return (value) => {
    for (const [key, check] of checks) if (!check(value[key])) return key;
    return undefined;
  };
}

/** Like {@link keys}, for an event about a step or about the plan. */
function ofStepOrPlan(shapes: Readonly<Record<"step" | "plan", Shape>>): FindWrongKey {
  const ofStep = keys(shapes.step);
  const ofPlan = keys(shapes.plan);
  return (event) => (event.kind === "step" ? ofStep(event) : event.kind === "plan" ? ofPlan(event) : "kind");
}

const place = { stepId: isText, iteration: optional(isCount) };
const step = { ...place, tool: isText };
const iterations = optional(isPositive);
const reasoning = optional((value) => isText(value) || isSealed(value));
const effects = ["pure", "idempotent", "once"];
const isEffect = oneOf(...effects);

const isErrorData = object({ name: isText, message: isText });
const errorKeys = {
  name: oneOf("AgentError"),
  code: isText,
  message: isText,
  retryable: (v: unknown) => typeof v === "boolean",
};
const isAgentErrorData = object({ ...errorKeys, details: isObject, stack: optional(isText) });
const failure = { error: isAgentErrorData };

const isPlanShape = object({
  version: Number.isInteger,
  id: isText,
  request: isText,
  source: object({ planner: isText }),
  createdAt: isText,
  steps: listOf(
    object({
      id: isText,
      tool: optional(isText),
      input: optional(isObject),
      wait: optional(isObject),
      dependsOn: optional(listOf(isText)),
      reasoning,
      when: optional(isText),
      forEach: optional(isText),
      concurrency: optional(isPositive),
    }),
  ),
});
const isPlan: Check = (value) => isPlanShape(value) && (value as Plan).steps.every(isWhole) && isInOrder(value as Plan);
const isWhole = ({ tool, input, wait }: PlanStep) =>
  (tool !== undefined && input !== undefined) !== (wait !== undefined);

const planOutcome = oneOfShapes("status", { completed: { plan: isPlan }, failed: failure, cancelled: failure });
const isUsage = object({ modelCalls: isCount, inputTokens: isNumber, outputTokens: isNumber });
const usage = optional(isUsage);
const sensitive = object({ input: listOf(isText), output: listOf(isText) });
const execution = {
  version: isPositive,
  tools: listOf(
    object({ name: isText, schemaHash: isText, effect: oneOf("by-input", ...effects), sensitive: optional(sensitive) }),
  ),
  mayBeSealed: optional(isTrue),
  traceparent: optional(isText),
};
const digest = optional((value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value));
const options = object({
  maxSteps: isPositive,
  concurrency: isNumber,
  timeZone: isText,
  timeoutMs: optional(isNumber),
  onStepFailure: optional(oneOf("continue")),
  undoOnFailure: optional(isTrue),
  maxReplans: optional(isCount),
  budget: optional(isObject),
  approvedHash: optional(isText),
});
const isTime: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const reasons = listOf(object({ code: isText }));
const approvals = optional(listOf(object({ stepId: isText, reasons })));
const revision = oneOfShapes("status", {
  completed: { plan: isPlan, approvals },
  failed: failure,
  cancelled: failure,
});
const expiresAt = optional(isTime);
const asked = { hash: isText, expiresAt, reasons: optional(reasons) };
const pending = oneOfShapes("kind", {
  outcome: place,
  approval: { ...step, ...asked, input: isObject, effect: isEffect },
  "plan-approval": { hash: isText, expiresAt },
  wait: { stepId: isText, until: optional(isTime), event: optional(isText) },
});
const note = { by: optional(isText), comment: optional(isText) };
const rejected = { ...failure, ...note };
const changed = optional(object({ input: isObject, effect: isEffect, hash: isText }));
const stepDecision = { outcome: oneOfShapes("status", { approved: { ...note, changed }, rejected, withdrawn: {} }) };
const planDecision = {
  outcome: oneOfShapes("status", { approved: { ...note, changed: isAbsent }, rejected, withdrawn: {} }),
};
const start = keys({
  ...execution,
  request: optional(isText),
  plan: optional(isPlan),
  context: optional(isText),
  metadata: isObject,
  options,
  forkedFrom: optional(object({ runId: isText, after: isPositive })),
});

/** The checks of recorded events, except of the fields that all events have. */
export const wrongKeyOf: Readonly<Record<RecordedType, FindWrongKey>> = {
  "run-start": (event) =>
    start(event) ?? ((event.request === undefined) === (event.plan === undefined) ? "plan" : undefined),
  "plan-start": keys({ planner: isText }),
  "plan-fallback": keys({ planner: isText, next: isText, error: isAgentErrorData }),
  "model-end": keys({
    model: isText,
    attempt: isPositive,
    usage: isUsage,
    durationMs: isNumber,
    outcome: oneOfShapes("status", {
      completed: {},
      failed: { error: isErrorData },
      cancelled: { error: isErrorData },
    }),
  }),
  "plan-end": keys({ usage, outcome: planOutcome }),
  "plan-revise": keys({ planner: isText, replan: isPositive, cause: isAgentErrorData, usage, outcome: revision }),
  "step-start": keys({ ...step, iterations, input: isObject, effect: optional(isEffect), reasoning }),
  "step-retry": keys({
    ...step,
    attempt: isPositive,
    delayMs: isNumber,
    error: isErrorData,
    overlaps: optional(isTrue),
    undo: optional(isTrue),
  }),
  "step-skip": keys({
    ...step,
    iterations,
    reason: oneOf("dependency-failed", "run-ended", "condition", "no-items", "approval-rejected"),
  }),
  "step-end": keys({
    ...step,
    attempts: isCount,
    outcome: oneOfShapes("status", {
      completed: { output: isThere },
      failed: failure,
      cancelled: failure,
      interrupted: failure,
      unknown: failure,
    }),
  }),
  "approval-request": ofStepOrPlan({
    step: { ...step, ...asked, iterations, input: isObject, effect: isEffect, reasoning },
    plan: { hash: isText, expiresAt },
  }),
  "approval-end": ofStepOrPlan({ step: { ...place, ...stepDecision }, plan: planDecision }),
  "undo-start": keys(step),
  "undo-end": keys({ ...step, attempts: isCount, outcome: oneOfShapes("status", { completed: {}, failed: failure }) }),
  "circuit-change": keys({ tool: isText, state: oneOf("closed", "open", "half-open") }),
  "run-settle": keys({
    ...place,
    outcome: oneOfShapes("status", { completed: { output: isThere }, failed: failure, retry: {} }),
  }),
  "wait-start": keys({ stepId: isText, until: optional(isTime), event: optional(isText) }),
  "run-deliver": keys({ name: isText, value: isThere, id: isText }),
  "run-suspend": keys({ pending: listOf(pending), digest }),
  "run-resume": keys({
    ...execution,
    retriesFailed: optional(isTrue),
    changedTools: optional(listOf(isText)),
    digest,
  }),
  "run-end": keys({
    outcome: oneOfShapes("status", {
      completed: { output: isThere },
      failed: failure,
      cancelled: failure,
      interrupted: failure,
    }),
    notUndone: optional(listOf(object({ ...step, reason: oneOf("no-undo", "failed", "unknown", "forked") }))),
    digest,
  }),
};

/** Whether a plan has steps, each with a unique id, and each waiting only for steps before it. */
function isInOrder({ steps }: Plan): boolean {
  const before = new Set<string>();
  for (const [index, one] of steps.entries()) {
    if (before.has(one.id)) return false;
    for (const id of dependenciesOf(one, steps[index - 1])) if (!before.has(id)) return false;
    before.add(one.id);
  }
  return before.size > 0;
}
