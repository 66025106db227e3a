import type { ReplanApproval } from "./approval.ts";
import type { ErrorData } from "./error-data.ts";
import type { AgentErrorData } from "./errors.ts";
import type { ModelUsage } from "./model-usage.ts";
import type { Plan, PlanStep } from "./plan.ts";

/** A planner started. @group Events */
export interface PlanStartEvent extends EventBase<"plan-start"> {
  readonly planner: string;
}

/** A complete step, fit for its tool, of a plan that is still being written and may fail. Transient. @group Events */
export interface PlanDeltaEvent extends EventBase<"plan-delta"> {
  readonly planner: string;
  /** Which answer of its model it is from, from 1: a later one starts over. */
  readonly attempt: number;
  /** Its place in the plan, from 0. */
  readonly index: number;
  readonly step: PlanStep;
}

/** An attempt to call a model started. Transient. @group Events */
export interface ModelStartEvent extends EventBase<"model-start"> {
  /** Provider and id, such as `ollama/qwen3`. */
  readonly model: string;
  /** Which attempt of the call it is, from 1. */
  readonly attempt: number;
}

/** An attempt to call a model failed, and another follows. Transient. @group Events */
export interface ModelRetryEvent extends EventBase<"model-retry"> {
  readonly model: string;
  /** The attempt that failed. */
  readonly attempt: number;
  readonly error: ErrorData;
  /** When the next one starts, in milliseconds from now. */
  readonly delayMs: number;
}

/** An attempt to call a model ended. Recorded, so that a budget counts what a dead process used. @group Events */
export interface ModelEndEvent extends EventBase<"model-end"> {
  readonly model: string;
  readonly attempt: number;
  /** What the attempt used; a failed one may have used nothing. */
  readonly usage: ModelUsage;
  readonly durationMs: number;
  readonly outcome:
    | { readonly status: "completed" }
    | { readonly status: "failed" | "cancelled"; readonly error: ErrorData };
}

/** A planner produced no plan, so the next one is asked. @group Events */
export interface PlanFallbackEvent extends EventBase<"plan-fallback"> {
  readonly planner: string;
  /** The next planner. */
  readonly next: string;
  /** Why there was no plan. */
  readonly error: AgentErrorData;
}

/** A planner ended. @group Events */
export interface PlanEndEvent extends EventBase<"plan-end"> {
  /** What all model calls used, including those that produced no plan; absent if there were none. */
  readonly usage?: ModelUsage;
  readonly outcome:
    | { readonly status: "completed"; readonly plan: Plan }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData };
}

/** The planner was asked again after a failure; its plan keeps the steps that have completed. @group Events */
export interface PlanReviseEvent extends EventBase<"plan-revise"> {
  readonly planner: string;
  /** Which replan of the run it is, from 1. */
  readonly replan: number;
  /** The failure that it is about. */
  readonly cause: AgentErrorData;
  /** As in `plan-end`. */
  readonly usage?: ModelUsage;
  readonly outcome:
    | {
        readonly status: "completed";
        readonly plan: Plan;
        /** The new steps that need approval because of what outputs, errors or the context may have put into them. */
        readonly approvals?: readonly ReplanApproval[];
      }
    | { readonly status: "failed" | "cancelled"; readonly error: AgentErrorData };
}

/** The fields that all events have. */
export interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** From 1, without gaps among recorded events; a transient or unrecorded event repeats the last recorded number. */
  readonly sequence: number;
  /** Emitted but not recorded, as the store failed: to the store it is as if the process had died before. */
  readonly recorded?: false;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}
