import type { AgentErrorData, ErrorData } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { InferToolInput, InferToolOutput, Tool, ToolEffect } from "./tool.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** From 1, without gaps among recorded events; a transient event repeats the number recorded last. */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

/** The options of a run that are stored with it. */
export interface StoredRunOptions {
  readonly maxSteps: number;
  readonly concurrency: number;
  readonly timeZone: string;
  /** Milliseconds; absent if the run has no deadline. */
  readonly timeoutMs?: number;
}

/** A run began, with the request to plan or the plan to run. */
export interface RunStartEvent extends EventBase<"run-start"> {
  readonly request?: string;
  readonly plan?: Plan;
  readonly context?: string;
  readonly metadata: JsonObject;
  readonly options: StoredRunOptions;
  /** The tools that may be used. */
  readonly tools: readonly ToolFingerprint[];
}

/** A planner began. */
export interface PlanStartEvent extends EventBase<"plan-start"> {
  readonly planner: string;
}

/** A planner ended. */
export interface PlanEndEvent extends EventBase<"plan-end"> {
  readonly outcome:
    | { readonly status: "completed"; readonly plan: Plan }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData };
}

type StepFields<TTool extends Tool> = { readonly stepId: string; readonly tool: TTool["name"] };

/** A step began; recorded before its tool runs. Once a step, not once an attempt. */
export type StepStartEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-start"> &
      StepFields<TTool> & {
        /** The JSON after references, before defaults and transforms; as in the plan if a reference led nowhere. */
        readonly input: InferToolInput<TTool>;
        /** Absent if the input is not valid, so that the tool will not be called. */
        readonly effect?: ToolEffect;
        readonly reasoning?: string;
      }
  : never;

/** What a tool tells of a running step. Transient: told to listeners, never recorded. */
export type StepProgressEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-progress"> & StepFields<TTool> & { readonly attempt: number; readonly value: JsonValue }
  : never;

/** An attempt failed and another one follows after `delayMs`. Told before the delay. */
export type StepRetryEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-retry"> &
      StepFields<TTool> & {
        /** The attempt that failed, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        /** What the attempt failed with. */
        readonly error: ErrorData;
        /** The failed attempt ignores its signal and is still running. */
        readonly overlaps?: true;
      }
  : never;

/** A step will never start. */
export type StepSkipEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-skip"> & StepFields<TTool> & { readonly reason: "dependency-failed" | "run-ended" }
  : never;

/** How a step ended. `interrupted` says that it may run again, `unknown` that a `once` step may have taken effect. */
export type StepOutcome<TOutput = unknown> =
  | { readonly status: "completed"; readonly output: TOutput }
  | { readonly status: "failed" | "cancelled" | "interrupted" | "unknown"; readonly error: AgentErrorData };

/** A step ended. */
export type StepEndEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-end"> &
      StepFields<TTool> & { readonly attempts: number; readonly outcome: StepOutcome<InferToolOutput<TTool>> }
  : never;

/** An attempt that had been given up settled after all. Transient. */
export type StepLateEvent<TTool extends Tool = Tool> = TTool extends Tool
  ? EventBase<"step-late"> &
      StepFields<TTool> & {
        readonly attempt: number;
        readonly outcome:
          | { readonly status: "completed"; readonly output: JsonValue }
          | { readonly status: "failed"; readonly error: ErrorData };
      }
  : never;

/** Something a suspended run waits for: `outcome` says that the caller must tell whether a step took effect. */
export interface PendingItem {
  readonly stepId: string;
  readonly kind: "outcome";
}

/** A run can not go on by itself. */
export interface RunSuspendEvent extends EventBase<"run-suspend"> {
  readonly pending: readonly PendingItem[];
}

/** A run ended. */
export interface RunEndEvent extends EventBase<"run-end"> {
  readonly outcome:
    | { readonly status: "completed"; readonly output: JsonValue }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData };
}

/**
 * Everything that is told of a run. A union on `type`: it may grow in a minor release, so keep a default branch.
 * Every event is JSON, and frozen.
 */
export type AgentEvent<TTool extends Tool = Tool> =
  | RunStartEvent
  | PlanStartEvent
  | PlanEndEvent
  | StepStartEvent<TTool>
  | StepProgressEvent<TTool>
  | StepRetryEvent<TTool>
  | StepSkipEvent<TTool>
  | StepEndEvent<TTool>
  | StepLateEvent<TTool>
  | RunSuspendEvent
  | RunEndEvent;

/** The name of an event. */
export type AgentEventType = AgentEvent["type"];

/** The event of a name. */
export type AgentEventOf<TType extends AgentEventType, TTool extends Tool = Tool> = Extract<
  AgentEvent<TTool>,
  { readonly type: TType }
>;

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An event before it is numbered. */
export type EventInit = OmitEach<AgentEvent, "runId" | "sequence" | "timestamp">;

/** Whether an event is only told, never recorded. */
export function isTransient({ type }: { readonly type: AgentEventType }): boolean {
  return type === "step-progress" || type === "step-late";
}
