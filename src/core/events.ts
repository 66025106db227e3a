import type { CircuitState } from "../async/circuit-breaker.ts";
import type { ApprovalSubject, BoundToCall, ChangedCall, DecisionNote, ReplanApproval } from "./approval.ts";
import type { ErrorData } from "./error-data.ts";
import { AgentError, type AgentErrorData, type RunDifference } from "./errors.ts";
import { isRecord, isSealed, type JsonObject, type JsonValue } from "./json.ts";
import type { ModelUsage } from "./model-usage.ts";
import { failOption } from "./option-tables.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { QuestionItem } from "./question.ts";
import type { StepRef } from "./step.ts";
import { type InferToolInput, type InferToolOutput, type Tool, type ToolEffect, toolEffects } from "./tool.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

export interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** Number of the event, from 1, without gaps. A transient or unrecorded event repeats the last recorded number. */
  readonly sequence: number;
  /** False if the event was emitted but not recorded, because the store failed. */
  readonly recorded?: false;
  /** Time of the event: ISO 8601, UTC. */
  readonly timestamp: string;
}

interface Digested {
  /** SHA-256 in hex of the previous digest and all events since, including this one; see `ExecutionOptions.evidence`. */
  readonly digest?: string;
}

interface ExecutionStartEvent<TType extends string> extends EventBase<TType> {
  /** Format of the events of this execution: 8. */
  readonly version: number;
  readonly tools: readonly ToolFingerprint[];
  /** The W3C trace context of this execution, if an observer gave one. */
  readonly traceparent?: string;
  /** True if sensitive values in later events may be sealed: `{ "$sealed": … }`. */
  readonly mayBeSealed?: true;
}

/**
 * Limits of a run, which fails with `limit-exceeded` if it would exceed one. The answer of a model call is limited
 * to what is left; the call is refused if its estimated prompt leaves no room for an answer. @group Runs and results
 */
export interface RunBudget {
  /** Maximum number of tool calls, at least 1. Retries count, undo calls do not. */
  readonly toolCalls?: number | undefined;
  /** Maximum number of model calls, at least 0. */
  readonly modelCalls?: number | undefined;
  /** Maximum number of tokens, input and output together, at least 0. */
  readonly tokens?: number | undefined;
  /** Maximum cost, in the currency of the models' prices, at least 0. Models without a price are then not called. */
  readonly cost?: number | undefined;
}

export interface StoredRunOptions {
  readonly maxSteps: number;
  readonly concurrency: number;
  readonly timeZone: string;
  /** Milliseconds; absent if the run has no deadline. */
  readonly timeoutMs?: number;
  /** Absent for the default, `stop`. */
  readonly onStepFailure?: "continue";
  /** Absent if finished steps are kept. */
  readonly undoOnFailure?: true;
  /** Absent if the planner may not plan again. */
  readonly maxReplans?: number;
  /** Tools with an effect that a replan may call in addition to those of the first plan. */
  readonly replanTools?: readonly string[];
  readonly budget?: RunBudget;
  /** Absent if the caller did not pass the hash of the plan. */
  readonly approvedHash?: string;
}

/** The original run of a fork, and the number of the last event taken from it. @inline */
export interface ForkPoint {
  readonly runId: string;
  readonly after: number;
}

/** A run started, with the request to plan or the plan to run. @group Events */
export interface RunStartEvent extends ExecutionStartEvent<"run-start"> {
  /** Origin of a fork, which begins with that run's events up to `after`. All events but this one keep their times. */
  readonly forkedFrom?: ForkPoint;
  /** Absent if the plan was given, or if no worker could start the run yet: another `run-start` may follow. */
  readonly request?: string;
  readonly plan?: Plan;
  readonly context?: string;
  /** Dialogue of the run. */
  readonly thread?: string;
  readonly metadata: JsonObject;
  readonly options: StoredRunOptions;
}

/** Something a suspended run waits for. @group Approval */
export type PendingItem =
  /** Waits for the outcome of a step that failed or was cut off, and may have taken effect. */
  | (StepRef & { readonly kind: "outcome"; readonly error?: AgentErrorData })
  /** Waits for the approval of a step: see {@link ApprovalRequest}. Can be passed unchanged to `approve` and `reject`. */
  | (StepRef &
      BoundToCall & {
        readonly kind: "approval";
        readonly tool: string;
        readonly input: JsonObject;
        readonly given?: JsonObject;
        /** The effect of its tool with this input. */
        readonly effect: ToolEffect;
        readonly reasoning?: string;
      })
  /** Waits for the approval of the plan. The item can be passed unchanged to `approve` and `reject`. */
  | { readonly kind: "plan-approval"; readonly hash: string; readonly expiresAt?: string }
  /** Waits until the time `until` or for `event`, whichever comes first. */
  | { readonly kind: "wait"; readonly stepId: string; readonly until?: string; readonly event?: string }
  /** Waits for the answer to a question. The item can be passed unchanged to `answer`. */
  | QuestionItem
  /** The run does not fit the process that tried to resume it; `differences` says why. `resume` tries again. */
  | (Unstarted & { readonly kind: "mismatch"; readonly reason: string; readonly differences: readonly RunDifference[] })
  /** Too many processes in a row have died executing the run. Only `resume` continues it. */
  | (Unstarted & { readonly kind: "given-up"; readonly reason: string; readonly deaths: number });

/** @inline */
interface Unstarted {
  /** True if no worker could start the submitted run. Its plan is only in the queue. */
  readonly isUnstarted?: true;
}

/** A run was suspended, because it cannot continue by itself. @group Events */
export interface RunSuspendEvent extends EventBase<"run-suspend">, Digested {
  readonly pending: readonly PendingItem[];
  /** Earliest time to resume the run, if a decision or event came while no process had the run: ISO 8601, UTC. */
  readonly resumeAt?: string;
  /** The reply to a line of a dialogue. */
  readonly text?: string;
}

/** A run is resumed after it was suspended or interrupted, failed, or lost its process. @group Events */
export interface RunResumeEvent extends ExecutionStartEvent<"run-resume">, Digested {
  readonly retriesFailed?: true;
  /** True if the run had ended and its steps are to be undone. */
  readonly undo?: true;
  /** Names of tools whose schemas have changed since the run started. The plan is still valid. */
  readonly changedTools?: readonly string[];
}

/** A step with an effect that could not be undone. @group Runs and results */
export interface NotUndone extends StepRef {
  readonly tool: string;
  /** `unknown`: the step was cut off. `forked`: the step ran in the original run. */
  readonly reason: "no-undo" | "failed" | "unknown" | "forked";
}

/** A run ended. @group Events */
export interface RunEndEvent extends EventBase<"run-end">, Digested {
  /** The end of the run, with its output or its error. */
  readonly outcome:
    | { readonly status: "completed"; readonly output: JsonValue }
    | { readonly status: "failed" | "cancelled" | "interrupted"; readonly error: AgentErrorData };
  /** Steps that could not be undone; absent if there are none. */
  readonly notUndone?: readonly NotUndone[];
  /** The reply to a line of a dialogue. */
  readonly text?: string;
}

/** A planner started. @group Events */
export interface PlanStartEvent extends EventBase<"plan-start"> {
  readonly planner: string;
}

/** A complete step of a plan that a model is still writing. Transient. @group Events */
export interface PlanDeltaEvent extends EventBase<"plan-delta"> {
  readonly planner: string;
  /** Number of the model's answer, from 1. A later answer starts the plan over. */
  readonly attempt: number;
  /** Index of the step in the plan, from 0. */
  readonly index: number;
  readonly step: PlanStep;
}

/** An attempt to call a model started. Transient. @group Events */
export interface ModelStartEvent extends EventBase<"model-start"> {
  /** Provider and id, such as `ollama/qwen3`. */
  readonly model: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** An attempt to call a model failed, and another follows. Transient. @group Events */
export interface ModelRetryEvent extends EventBase<"model-retry"> {
  readonly model: string;
  readonly attempt: number;
  readonly error: ErrorData;
  /** Delay before the next attempt, in milliseconds. */
  readonly delayMs: number;
}

/** An attempt to call a model ended. Recorded, so that a budget counts what a dead process used. @group Events */
export interface ModelEndEvent extends EventBase<"model-end"> {
  readonly model: string;
  readonly attempt: number;
  /** The usage of the attempt. A failed attempt may have used nothing. */
  readonly usage: ModelUsage;
  readonly durationMs: number;
  /** The end of the attempt. */
  readonly outcome:
    | { readonly status: "completed" }
    | { readonly status: "failed" | "cancelled"; readonly error: ErrorData };
}

/** A planner produced no plan, so the next one is asked. @group Events */
export interface PlanFallbackEvent extends EventBase<"plan-fallback"> {
  readonly planner: string;
  readonly next: string;
  readonly error: AgentErrorData;
}

/** The meaning of a line of a dialogue that needs no plan. @inline */
export type TurnOutcome =
  | { readonly status: "words"; readonly text: string }
  /** A question of another run of the thread is answered. */
  | { readonly status: "answer"; readonly runId: string; readonly stepId: string; readonly answer: JsonValue }
  /** A question of another run of the thread is declined, and that run is cancelled. */
  | { readonly status: "decline"; readonly runId: string; readonly stepId: string }
  /** The steps of another run of the thread are undone. */
  | { readonly status: "undo"; readonly runId: string };

/** A planner ended. @group Events */
export interface PlanEndEvent extends EventBase<"plan-end"> {
  /** The usage of all model calls, including those that produced no plan; absent if there were none. */
  readonly usage?: ModelUsage;
  /** The plan, or the error that prevented it; for a line of a dialogue that needs no plan, its meaning. */
  readonly outcome:
    | { readonly status: "completed"; readonly plan: Plan }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData }
    | TurnOutcome;
}

/** The planner was asked again after a failure; its plan keeps the steps that have completed. @group Events */
export interface PlanReviseEvent extends EventBase<"plan-revise"> {
  readonly planner: string;
  /** Number of the replan in the run, from 1. */
  readonly replan: number;
  readonly cause: AgentErrorData;
  readonly usage?: ModelUsage;
  /** The plan with other steps, or the error that prevented it. */
  readonly outcome:
    | {
        readonly status: "completed";
        readonly plan: Plan;
        /** New steps that need approval, because outputs, errors or the context may have influenced them. */
        readonly approvals?: readonly ReplanApproval[];
      }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData };
}

type StepEventBase<TType extends string, TTool extends Tool> = TTool extends Tool
  ? EventBase<TType> & {
      readonly stepId: string;
      /** Index of the iteration of a `forEach`, from 0; absent for any other step. */
      readonly iteration?: number;
      readonly tool: TTool["name"];
    }
  : never;

/** A step or iteration started. Emitted once for all attempts and recorded before the tool runs. @group Events */
export type StepStartEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? StepEventBase<"step-start", TTool> & {
      /** The number of iterations; present only with `iteration`. */
      readonly iterations?: number;
      /** The input with references resolved, before defaults and transforms; as in the plan if a reference is invalid. */
      readonly input: InferToolInput<TTool>;
      /** Absent if the input is invalid and the tool is not called. */
      readonly effect?: ToolEffect;
      readonly reasoning?: string;
    }
  : never;

/** Progress that a tool reports for a running step. Transient: emitted to listeners, never recorded. @group Events */
export type StepProgressEvent<TTool extends Tool = Tool> = StepEventBase<"step-progress", TTool> & {
  readonly attempt: number;
  readonly value: JsonValue;
};

/** A second or later attempt starts after its delay. Transient. @group Events */
export type StepAttemptEvent<TTool extends Tool = Tool> = StepEventBase<"step-attempt", TTool> & {
  readonly attempt: number;
  readonly undo?: true;
};

/** An attempt failed and another one follows after `delayMs`. Emitted before the delay. @group Events */
export type StepRetryEvent<TTool extends Tool = Tool> = StepEventBase<"step-retry", TTool> & {
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: ErrorData;
  /** True if the failed attempt ignores its signal and is still running. */
  readonly overlaps?: true;
  readonly undo?: true;
};

/** The reason why a step never starts; `condition` and `no-items` let dependent steps run. @group Runs and results */
export type SkipReason = "dependency-failed" | "run-ended" | "condition" | "no-items" | "approval-rejected";

/** A step or iteration will not start. @group Events */
export type StepSkipEvent<TTool extends Tool = Tool> = StepEventBase<"step-skip", TTool> & {
  readonly iterations?: number;
  readonly reason: SkipReason;
};

/** The outcome of a step. With `unknown`, the step may have taken effect. @group Runs and results */
export type StepOutcome<TOutput = unknown> =
  | { readonly status: "completed"; readonly output: TOutput }
  | { readonly status: "failed" | "cancelled" | "interrupted" | "unknown"; readonly error: AgentErrorData };

/** A step ended. @group Events */
export type StepEndEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? StepEventBase<"step-end", TTool> & {
      readonly attempts: number;
      /** The end of the step, with its output or its error; `interrupted` if it may run again. */
      readonly outcome: StepOutcome<InferToolOutput<TTool>>;
      /** Last progress that the last attempt reported, if that attempt failed or was cut off. */
      readonly progress?: JsonValue;
    }
  : never;

/** An abandoned attempt has settled. Transient. @group Events */
export type StepLateEvent<TTool extends Tool = Tool> = StepEventBase<"step-late", TTool> & {
  readonly attempt: number;
  /** The outcome of the attempt, which has no influence on the run. */
  readonly outcome:
    | { readonly status: "completed"; readonly output: JsonValue }
    | { readonly status: "failed"; readonly error: ErrorData };
};

/** Approval is requested for a step, with the input that its tool will get, or for the plan. @group Events */
export type ApprovalRequestEvent<TTool extends Tool = Tool> = EventBase<"approval-request"> & ApprovalSubject<TTool>;

/** A step or the plan was approved or rejected, or a replan or fork withdrew the request or approval. @group Events */
export type ApprovalEndEvent = EventBase<"approval-end"> &
  ({ readonly kind: "step"; readonly stepId: string; readonly iteration?: number } | { readonly kind: "plan" }) & {
    /** The decision, or `withdrawn`. */
    readonly outcome:
      | ({ readonly status: "approved"; readonly changed?: ChangedCall } & DecisionNote)
      | ({
          readonly status: "rejected";
          /** `approval-expired` if there was no decision in time. */
          readonly error: AgentErrorData<"approval-rejected" | "approval-expired">;
        } & DecisionNote)
      | { readonly status: "withdrawn" };
  };

/** A finished step or iteration is being undone. @group Events */
export type UndoStartEvent<TTool extends Tool = Tool> = StepEventBase<"undo-start", TTool>;

/** The undoing of a step ended. @group Events */
export type UndoEndEvent<TTool extends Tool = Tool> = StepEventBase<"undo-end", TTool> & {
  readonly attempts: number;
  /** The end of the last attempt to undo the step. */
  readonly outcome: { readonly status: "completed" } | { readonly status: "failed"; readonly error: AgentErrorData };
};

/** A call of this run changed the state of a tool's circuit breaker. @group Events */
export type CircuitChangeEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"circuit-change"> & { readonly tool: TTool["name"]; readonly state: CircuitState }
  : never;

/** The unknown outcome of a step was settled. After `retry`, the step runs again. @group Events */
export type RunSettleEvent<TTool extends Tool = Tool> = EventBase<"run-settle"> &
  StepRef & {
    /** The outcome that a person gave it, or `retry`. */
    readonly outcome:
      | { readonly status: "completed"; readonly output: InferToolOutput<TTool> }
      | { readonly status: "failed"; readonly error: AgentErrorData }
      | { readonly status: "retry" };
  };

/** The time or event that a step waits for. Resuming the run does not move the time. */
export interface WaitDue {
  /** Time at which the wait ends or times out: ISO 8601, UTC. */
  readonly until?: string;
  readonly event?: string;
}

/** A step starts to wait. At the end of the wait, `step-start` and `step-end` follow. @group Events */
export interface WaitStartEvent extends EventBase<"wait-start">, WaitDue {
  readonly stepId: string;
}

/** An event was delivered, for the first step that waits for that event, or a question was answered. @group Events */
export interface RunDeliverEvent extends EventBase<"run-deliver"> {
  /** Absent for an answer. */
  readonly name?: string;
  /** Id of the step that asked; present only for an answer. */
  readonly stepId?: string;
  readonly value: JsonValue;
  /** Id of the event, or of the answered question. A second event with the same id is ignored. */
  readonly id: string;
  /** True if the answer was read from free text. */
  readonly typed?: true;
}

/**
 * Every event of a run: a union discriminated by `type`, as frozen JSON. [Events](../../docs/events.md) lists the
 * fields. The union may grow in a minor release, so keep a default branch.
 * {@includeCode ../../examples/03-events-and-retries.ts} @group Events
 */
export type AgentEvent<TTool extends Tool = Tool> =
  | RunStartEvent
  | PlanStartEvent
  | ModelStartEvent
  | ModelRetryEvent
  | ModelEndEvent
  | PlanDeltaEvent
  | PlanFallbackEvent
  | PlanEndEvent
  | PlanReviseEvent
  | StepStartEvent<TTool>
  | StepProgressEvent<TTool>
  | StepAttemptEvent<TTool>
  | StepRetryEvent<TTool>
  | StepSkipEvent<TTool>
  | StepEndEvent<TTool>
  | StepLateEvent<TTool>
  | ApprovalRequestEvent<TTool>
  | ApprovalEndEvent
  | UndoStartEvent<TTool>
  | UndoEndEvent<TTool>
  | CircuitChangeEvent<TTool>
  | RunSettleEvent<TTool>
  | WaitStartEvent
  | RunDeliverEvent
  | RunSuspendEvent
  | RunResumeEvent
  | RunEndEvent;

/** The name of an event. @group Events */
export type AgentEventType = AgentEvent["type"];

/** The type of the event with a given name. @group Events */
export type AgentEventOf<TType extends AgentEventType, TTool extends Tool = Tool> = Extract<
  AgentEvent<TTool>,
  { readonly type: TType }
>;

export type EventHandlers<TResult = void> = {
  readonly [TType in AgentEventType]?: (event: AgentEventOf<TType>) => TResult;
};

export function handleEvent<TResult>(handlers: EventHandlers<TResult>, event: AgentEvent): TResult | undefined {
  return (handlers[event.type] as ((event: AgentEvent) => TResult) | undefined)?.(event);
}

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export type EventInit = OmitEach<AgentEvent, "runId" | "sequence" | "timestamp" | "recorded">;

export function isStepFailure(event: EventInit): boolean {
  if (event.type === "step-end") return event.outcome.status !== "completed";
  return event.type === "step-skip" && event.reason === "approval-rejected";
}

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;
export type Keyed = Readonly<Record<string, unknown>>;
type FindWrongKey = (value: Keyed) => string | undefined;

// Schemas would be too slow: a run of 10 000 steps has 20 000 events, all checked before a resume.
const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isPositive: Check = (value) => isCount(value) && value !== 0;
const isThere: Check = (value) => value !== undefined;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf = (...values: readonly string[]): Check => {
  const known = new Set<unknown>(values);
  return (value) => known.has(value);
};
const object = (shape: Shape): Check => {
  const wrongKey = wrongKeyIn(shape);
  return (value) => isRecord(value) && wrongKey(value) === undefined;
};
const objectBy = (key: string, shapes: Readonly<Record<string, Shape>>): Check => {
  const checks = new Map<unknown, Check>(Object.entries(shapes).map(([name, shape]) => [name, object(shape)]));
  return (value) => isRecord(value) && checks.get(value[key])?.(value) === true;
};
const byStatus = (shapes: Readonly<Record<string, Shape>>) => objectBy("status", shapes);

function wrongKeyIn(shape: Shape): FindWrongKey {
  const checks = Object.entries(shape);
  return (value) => {
    for (const [key, check] of checks) if (!check(value[key])) return key;
    return undefined;
  };
}

const mayBeText = optional(isText);
const mayBeTrue = optional((value) => value === true);
const mayBePositive = optional(isPositive);
const mayBeTime = optional((value) => typeof value === "string" && !Number.isNaN(Date.parse(value)));
const texts = listOf(isText);
const isEffect = oneOf(...toolEffects);
const reasoning = optional((value) => isText(value) || isSealed(value));
const isErrorData = object({ name: isText, message: isText });
const isAgentErrorData = object({
  name: oneOf("AgentError"),
  code: isText,
  message: isText,
  details: isRecord,
  stack: mayBeText,
  retryable: (value) => typeof value === "boolean",
});
const failure = { error: isAgentErrorData };
const completed = { output: isThere };
const failures = { failed: failure, cancelled: failure };
const turns = {
  words: { text: isText },
  answer: { runId: isText, stepId: isText, answer: isThere },
  decline: { runId: isText, stepId: isText },
  undo: { runId: isText },
} satisfies Record<TurnOutcome["status"], Shape>;
const isStep = object({
  id: isText,
  tool: mayBeText,
  input: optional(isRecord),
  wait: optional(isRecord),
  reasoning,
  dependsOn: optional(texts),
  when: mayBeText,
  forEach: mayBeText,
  concurrency: mayBePositive,
});
const isPlan = object({
  version: Number.isInteger,
  id: isText,
  request: isText,
  source: object({ planner: isText }),
  createdAt: isText,
  steps: listOf(isStep),
});
const isUsage = object({ modelCalls: isCount, inputTokens: isNumber, outputTokens: isNumber });
const usage = optional(isUsage);
const sensitive = optional(object({ input: texts, output: texts }));
const isTool = object({ name: isText, schemaHash: isText, effect: oneOf("by-input", ...toolEffects), sensitive });
const execution = { version: isPositive, tools: listOf(isTool), mayBeSealed: mayBeTrue, traceparent: mayBeText };
const options = object({
  maxSteps: isPositive,
  concurrency: isNumber,
  timeZone: isText,
  timeoutMs: optional(isNumber),
  onStepFailure: optional(oneOf("continue")),
  undoOnFailure: mayBeTrue,
  maxReplans: optional(isCount),
  replanTools: optional(texts),
  budget: optional(isRecord),
  approvedHash: mayBeText,
} satisfies Record<keyof StoredRunOptions, Check>);
const place = { stepId: isText, iteration: optional(isCount) };
const step = { ...place, tool: isText };
const wait = { stepId: isText, until: mayBeTime, event: mayBeText };
const reasons = listOf(object({ code: isText }));
const planQuestion = { hash: isText, expiresAt: mayBeTime };
const question = {
  ...step,
  ...planQuestion,
  reasons: optional(reasons),
  input: isThere,
  given: optional(isRecord),
  effect: isEffect,
};
const asked = {
  ...{ stepId: isText, id: isText, message: isText, allowText: (value: unknown) => typeof value === "boolean" },
  display: oneOf("confirm", "select", "multi-select", "text"),
  options: optional(listOf(object({ id: isText, label: isText }))),
  responseSchema: isRecord,
  expiresAt: mayBeTime,
};
const isChangedCall = object({ input: isRecord, effect: isEffect, hash: isText });
const note = { by: mayBeText, comment: mayBeText };
const decision = (changed: Check) =>
  byStatus({ approved: { ...note, changed }, rejected: { ...failure, ...note }, withdrawn: {} });

const transients = ["model-start", "model-retry", "plan-delta", "step-progress", "step-attempt", "step-late"] as const;
type TransientType = (typeof transients)[number];
export type TransientEvent = AgentEventOf<TransientType>;

const digestedTypes = ["run-suspend", "run-resume", "run-end"] as const;
type DigestedType = (typeof digestedTypes)[number];

type Fields<TEvent> = Readonly<Record<Exclude<keyof TEvent, keyof EventBase<string> | "kind">, Check>>;
type FieldsByKind<TEvent> = { readonly [K in "step" | "plan"]: Fields<Extract<TEvent, { readonly kind: K }>> };

const digest = optional((value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value));

const recordedKinds = {
  "run-start": {
    ...execution,
    request: mayBeText,
    plan: optional(isPlan),
    context: mayBeText,
    thread: mayBeText,
    metadata: isRecord,
    options,
    forkedFrom: optional(object({ runId: isText, after: isPositive })),
  },
  "plan-start": { planner: isText },
  "model-end": {
    model: isText,
    attempt: isPositive,
    usage: isUsage,
    durationMs: isNumber,
    outcome: byStatus({ completed: {}, failed: { error: isErrorData }, cancelled: { error: isErrorData } }),
  },
  "plan-fallback": { planner: isText, next: isText, error: isAgentErrorData },
  "plan-end": { usage, outcome: byStatus({ completed: { plan: isPlan }, ...failures, ...turns }) },
  "plan-revise": {
    planner: isText,
    replan: isPositive,
    cause: isAgentErrorData,
    usage,
    outcome: byStatus({
      completed: { plan: isPlan, approvals: optional(listOf(object({ stepId: isText, reasons }))) },
      ...failures,
    }),
  },
  "step-start": { ...step, iterations: mayBePositive, input: isRecord, effect: optional(isEffect), reasoning },
  "step-retry": {
    ...step,
    attempt: isPositive,
    delayMs: isNumber,
    error: isErrorData,
    overlaps: mayBeTrue,
    undo: mayBeTrue,
  },
  "step-end": {
    ...step,
    attempts: isCount,
    progress: () => true,
    outcome: byStatus({ completed, ...failures, interrupted: failure, unknown: failure }),
  },
  "step-skip": {
    ...step,
    iterations: mayBePositive,
    reason: oneOf("dependency-failed", "run-ended", "condition", "no-items", "approval-rejected"),
  },
  "approval-request": { step: { ...question, iterations: mayBePositive, reasoning }, plan: planQuestion },
  "approval-end": {
    step: { ...place, outcome: decision(optional(isChangedCall)) },
    plan: { outcome: decision((value) => value === undefined) },
  },
  "circuit-change": { tool: isText, state: oneOf("closed", "open", "half-open") },
  "wait-start": wait,
  "run-deliver": { name: mayBeText, stepId: mayBeText, value: isThere, id: isText, typed: mayBeTrue },
  "undo-start": step,
  "undo-end": { ...step, attempts: isCount, outcome: byStatus({ completed: {}, failed: failure }) },
  "run-suspend": {
    digest,
    resumeAt: mayBeTime,
    text: mayBeText,
    pending: listOf(
      objectBy("kind", {
        outcome: place,
        approval: question,
        "plan-approval": planQuestion,
        wait,
        question: asked,
        mismatch: { reason: isText, differences: listOf(object({ message: isText })), isUnstarted: mayBeTrue },
        "given-up": { reason: isText, deaths: isPositive, isUnstarted: mayBeTrue },
      }),
    ),
  },
  "run-resume": { digest, ...execution, retriesFailed: mayBeTrue, undo: mayBeTrue, changedTools: optional(texts) },
  "run-settle": { ...place, outcome: byStatus({ completed, failed: failure, retry: {} }) },
  "run-end": {
    digest,
    outcome: byStatus({ completed, ...failures, interrupted: failure }),
    notUndone: optional(listOf(object({ ...step, reason: oneOf("no-undo", "failed", "unknown", "forked") }))),
    text: mayBeText,
  },
} satisfies {
  readonly [T in Exclude<AgentEventType, TransientType>]: AgentEventOf<T> extends { readonly kind: string }
    ? FieldsByKind<AgentEventOf<T>>
    : Fields<AgentEventOf<T>>;
};

const wrongKeyOf = new Map(
  Object.entries(recordedKinds).map(([type, fields]): [string, FindWrongKey] => {
    if (!("step" in fields)) return [type, wrongKeyIn(fields)];
    const [ofStep, ofPlan] = [wrongKeyIn(fields.step), wrongKeyIn(fields.plan)];
    return [type, (event) => (event.kind === "step" ? ofStep(event) : event.kind === "plan" ? ofPlan(event) : "kind")];
  }),
);

/** Returns the first missing or invalid key, or `type` if events of this type are never recorded. @internal */
export function findWrongKey(event: Keyed): string | undefined {
  const check = wrongKeyOf.get(event.type as string);
  return check === undefined ? "type" : check(event);
}

export function isTransient({ type }: { readonly type: AgentEventType }): boolean {
  return (transients as readonly string[]).includes(type);
}

/** True if an event is in the store, so that reading can continue after its number. @internal */
export function isRecorded(event: AgentEvent): boolean {
  return !isTransient(event) && event.recorded !== false;
}

export function isDigested<T extends { readonly type: AgentEventType }>(
  event: T,
): event is T & { readonly type: DigestedType } {
  return (digestedTypes as readonly string[]).includes(event.type);
}

export function checkedEventType<T>(type: T): T {
  const types: readonly unknown[] = [...Object.keys(recordedKinds), ...transients];
  return types.includes(type) ? type : failOption("type", type, `the type of an event: ${types.join(", ")}`, true);
}

/** Increase this number when the format of events or of a store's tables changes. */
export const formatVersion = 8;

/** Format 7 is format 8 without questions and threads. */
export function isReadable(format: unknown): boolean {
  return format === formatVersion || format === 7;
}

export function checkEventFormat(runId: string, events: readonly AgentEvent[]): void {
  for (const event of events) {
    const isStart = event.type === "run-start" || event.type === "run-resume";
    if (isStart && !isReadable(event.version))
      throw wrongFormat(event.version, { what: `The run "${runId}"`, runId, operation: "read" });
  }
}

export function wrongFormat(
  format: unknown,
  { what, ...place }: { readonly what: string; readonly runId: string; readonly operation: "open" | "read" },
): AgentError<"store-failed"> {
  const found = format === undefined ? "no format" : `format ${JSON.stringify(format)}`;
  const reason = `${found}; expected format 7 or ${formatVersion}`;
  const message = `${what} was written by another version of planwright (${reason}). Use that version, or start afresh; nothing was changed.`;
  return new AgentError("store-failed", message, { details: { ...place, reason, problem: "wrong-format" } });
}
