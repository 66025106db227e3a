import type { CircuitState } from "../async/circuit-breaker.ts";
import type { ApprovalSubject, ChangedCall, DecisionNote } from "./approval.ts";
import type { ErrorData } from "./error-data.ts";
import type { AgentErrorData } from "./errors.ts";
import type { RunEndEvent, RunResumeEvent, RunStartEvent, RunSuspendEvent } from "./execution-events.ts";
import type { JsonValue } from "./json.ts";
import type {
  EventBase,
  ModelEndEvent,
  ModelRetryEvent,
  ModelStartEvent,
  PlanDeltaEvent,
  PlanEndEvent,
  PlanFallbackEvent,
  PlanReviseEvent,
  PlanStartEvent,
} from "./plan-events.ts";
import type { InferToolInput, InferToolOutput, Tool, ToolEffect } from "./tool.ts";
import type { RunDeliverEvent, WaitStartEvent } from "./wait-events.ts";

type StepFields<TTool extends Tool> = {
  readonly stepId: string;
  /** Which iteration of a `forEach` it is, from 0; absent for any other step. */
  readonly iteration?: number;
  readonly tool: TTool["name"];
};

/** How many iterations there are. Only beside `iteration`. */
interface IterationCount {
  readonly iterations?: number;
}

/** A step, or an iteration of one, started, once for all attempts; recorded before its tool runs. @group Events */
export type StepStartEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-start"> &
      StepFields<TTool> &
      IterationCount & {
        /** The JSON after references, before defaults and transforms; as in the plan if a reference led nowhere. */
        readonly input: InferToolInput<TTool>;
        /** Absent if the input is not valid, so that the tool will not be called. */
        readonly effect?: ToolEffect;
        readonly reasoning?: string;
      }
  : never;

/** Progress that a tool reports for a running step. Transient: emitted to listeners, never recorded. @group Events */
export type StepProgressEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-progress"> & StepFields<TTool> & { readonly attempt: number; readonly value: JsonValue }
  : never;

/** Attempt number 2 or later starts, after its delay. Transient. @group Events */
export type StepAttemptEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-attempt"> &
      StepFields<TTool> & {
        readonly attempt: number;
        /** It is an attempt to undo the step. */
        readonly undo?: true;
      }
  : never;

/** An attempt failed and another one follows after `delayMs`. Emitted before the delay. @group Events */
export type StepRetryEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-retry"> &
      StepFields<TTool> & {
        /** The attempt that failed, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        /** The error of the attempt. */
        readonly error: ErrorData;
        /** The failed attempt ignores its signal and is still running. */
        readonly overlaps?: true;
        /** The failed attempt was to undo the step. */
        readonly undo?: true;
      }
  : never;

/**
 * Why a step never starts. After `condition` (its `when` was false) and `no-items` (its `forEach` had none) the steps
 * that depend on it still run, with null or an empty list as its output.
 * @group Runs and results
 */
export type SkipReason = "dependency-failed" | "run-ended" | "condition" | "no-items" | "approval-rejected";

/** A step, or an iteration of one, will never start. @group Events */
export type StepSkipEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-skip"> & StepFields<TTool> & IterationCount & { readonly reason: SkipReason }
  : never;

/**
 * How a step ended. `interrupted` means that it may run again, `unknown` that a `once` step may have taken effect.
 * @group Runs and results
 */
export type StepOutcome<TOutput = unknown> =
  | { readonly status: "completed"; readonly output: TOutput }
  | { readonly status: "failed" | "cancelled" | "interrupted" | "unknown"; readonly error: AgentErrorData };

/** A step ended. @group Events */
export type StepEndEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-end"> &
      StepFields<TTool> & {
        readonly attempts: number;
        readonly outcome: StepOutcome<InferToolOutput<TTool>>;
        /**
         * The last progress of the last attempt, if that failed or was cut off. Progress larger than `maxOutputBytes`
         * is never reported: then it is the progress before that.
         */
        readonly progress?: JsonValue;
      }
  : never;

/** An attempt that had been given up settled after all. Transient. @group Events */
export type StepLateEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-late"> &
      StepFields<TTool> & {
        readonly attempt: number;
        readonly outcome:
          | { readonly status: "completed"; readonly output: JsonValue }
          | { readonly status: "failed"; readonly error: ErrorData };
      }
  : never;

/** Somebody is asked whether a step, with the input that its tool will get, or the plan may run. @group Events */
export type ApprovalRequestEvent<TTool extends Tool = Tool> = EventBase<"approval-request"> & ApprovalSubject<TTool>;

/** A step or the plan was decided about, or a replan that changed the step withdrew the question. @group Events */
export type ApprovalEndEvent = EventBase<"approval-end"> &
  ({ readonly kind: "step"; readonly stepId: string; readonly iteration?: number } | { readonly kind: "plan" }) & {
    readonly outcome:
      | ({ readonly status: "approved"; readonly changed?: ChangedCall } & DecisionNote)
      | ({
          readonly status: "rejected";
          /** `approval-expired` if nobody has decided in time. */
          readonly error: AgentErrorData<"approval-rejected" | "approval-expired">;
        } & DecisionNote)
      | { readonly status: "withdrawn" };
  };

/** A finished step, or an iteration of one, is being undone. @group Events */
export type UndoStartEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"undo-start"> & StepFields<TTool>
  : never;

/** The undoing of a step ended. @group Events */
export type UndoEndEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"undo-end"> &
      StepFields<TTool> & {
        readonly attempts: number;
        readonly outcome:
          | { readonly status: "completed" }
          | { readonly status: "failed"; readonly error: AgentErrorData };
      }
  : never;

/** A call of this run changed the state of a tool's circuit breaker. @group Events */
export type CircuitChangeEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"circuit-change"> & { readonly tool: TTool["name"]; readonly state: CircuitState }
  : never;

/** Somebody settled the unknown outcome of a step. After `retry` it runs again. @group Events */
export type RunSettleEvent<TTool extends Tool = Tool> = EventBase<"run-settle"> & {
  readonly stepId: string;
  readonly iteration?: number;
  readonly outcome:
    | { readonly status: "completed"; readonly output: InferToolOutput<TTool> }
    | { readonly status: "failed"; readonly error: AgentErrorData }
    | { readonly status: "retry" };
};

/**
 * Every event of a run: a union on `type`. [Events](../../docs/events.md) lists them with their fields. It may grow in a
 * minor release, so keep a default branch. Every event is JSON, and frozen.
 *
 * {@includeCode ../../examples/03-events-and-retries.ts}
 * @group Events
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

/** The event of a name. @group Events */
export type AgentEventOf<TType extends AgentEventType, TTool extends Tool = Tool> = Extract<
  AgentEvent<TTool>,
  { readonly type: TType }
>;

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An event before it is numbered. */
export type EventInit = OmitEach<AgentEvent, "runId" | "sequence" | "timestamp" | "recorded">;

/** Whether an event means that a step, or an iteration of one, has failed or must not run. */
export function isStepFailure(event: EventInit): boolean {
  if (event.type === "step-end") return event.outcome.status !== "completed";
  return event.type === "step-skip" && event.reason === "approval-rejected";
}
