import type { ApprovalReason } from "./approval.ts";
import type { AgentErrorData } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { EventBase } from "./plan-events.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";
import type { ToolEffect } from "./tool.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

/** An event that covers those before it, if the agent keeps evidence. */
interface Digested {
  /**
   * SHA-256, 64 lowercase hex digits, of the digest before it and of all events since then, this one included; see
   * `ExecutionOptions.evidence`.
   */
  readonly digest?: string;
}

interface ExecutionStartEvent<TType extends string> extends EventBase<TType> {
  /** The format of the events of this execution: 5. */
  readonly version: number;
  /** The tools that may be used, as they are now. */
  readonly tools: readonly ToolFingerprint[];
  /** The W3C trace context of this execution, if an observer gave one. */
  readonly traceparent?: string;
  /** Values of sensitive fields may be sealed in what follows: `{ "$sealed": … }`. */
  readonly mayBeSealed?: true;
}

/** The last event that a run has from another one. @inline */
export interface ForkPoint {
  readonly runId: string;
  readonly after: number;
}

/** A run started, with the request to plan or the plan to run. @group Events */
export interface RunStartEvent extends ExecutionStartEvent<"run-start"> {
  /**
   * The run was forked from another one: it was created when this event says, and has the other events up to `after`
   * from there, with their times.
   */
  readonly forkedFrom?: ForkPoint;
  readonly request?: string;
  readonly plan?: Plan;
  readonly context?: string;
  readonly metadata: JsonObject;
  readonly options: StoredRunOptions;
}

/**
 * Something a suspended run waits for.
 * @group Approval
 */
export type PendingItem =
  /** Whether a step that failed or was cut off, with this error, took effect. */
  | { readonly kind: "outcome"; readonly stepId: string; readonly iteration?: number; readonly error?: AgentErrorData }
  /** Whether a step may run with this input. It can be passed unchanged to `approve` and `reject`. */
  | {
      readonly kind: "approval";
      readonly stepId: string;
      readonly iteration?: number;
      readonly tool: string;
      /** The JSON after references, as the tool's schema will parse it. */
      readonly input: JsonObject;
      /** What the approval is bound to. */
      readonly hash: string;
      readonly effect: ToolEffect;
      readonly reasoning?: string;
      /** Why a step of a replan needs approval, apart from its tool and the policy. */
      readonly reasons?: readonly ApprovalReason[];
      /** When the question expires: ISO 8601, UTC; absent if there is no `approvalTtlMs`. */
      readonly expiresAt?: string;
    }
  /** Whether the plan may run. It can be passed unchanged to `approve` and `reject`. */
  | { readonly kind: "plan-approval"; readonly hash: string; readonly expiresAt?: string }
  /** A time or an event: `until` is when the wait is over by itself, `event` what ends it earlier. */
  | { readonly kind: "wait"; readonly stepId: string; readonly until?: string; readonly event?: string };

/** A run cannot continue by itself. @group Events */
export interface RunSuspendEvent extends EventBase<"run-suspend">, Digested {
  readonly pending: readonly PendingItem[];
}

/** A run that was suspended or interrupted, had failed, or whose process died is resumed. @group Events */
export interface RunResumeEvent extends ExecutionStartEvent<"run-resume">, Digested {
  /** Whatever failed is tried again. */
  readonly retriesFailed?: true;
  /** The names of tools whose schemas have changed since the run started, though the plan is still valid. */
  readonly changedTools?: readonly string[];
}

/** A step with an effect that was to be undone and was not. @group Runs and results */
export interface NotUndone {
  readonly stepId: string;
  readonly iteration?: number;
  readonly tool: string;
  /**
   * Its tool has no `undo`, the undoing failed, the step was cut off and may have done nothing, or the run that this one
   * was forked from has done it.
   */
  readonly reason: "no-undo" | "failed" | "unknown" | "forked";
}

/** A run ended. @group Events */
export interface RunEndEvent extends EventBase<"run-end">, Digested {
  readonly outcome:
    | { readonly status: "completed"; readonly output: JsonValue }
    | { readonly status: "failed" | "cancelled" | "interrupted"; readonly error: AgentErrorData };
  /** Absent if there was nothing to undo, or all of it was. */
  readonly notUndone?: readonly NotUndone[];
}
