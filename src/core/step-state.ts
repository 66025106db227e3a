import type { ApprovalReason, ChangedCall } from "./approval.ts";
import { type AgentErrorData, isAgentError } from "./errors.ts";
import type { AgentEvent, SkipReason, WaitDue } from "./events.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { StepRef } from "./step.ts";
import type { ToolEffect } from "./tool.ts";

/** The status of a step. @group Runs and results */
export type StepStatus =
  | "pending"
  | "running"
  /** For an approval, a time or an event. */
  | "waiting"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled"
  | "interrupted"
  | "unknown"
  | "undone";

/** What is known of a step, or of one iteration of it. */
export interface StepState {
  readonly stepId: string;
  readonly tool: string;
  iteration?: number;
  input: JsonObject;
  status: StepStatus;
  /** How often the tool was called, over all iterations and all executions of the step. */
  attempts: number;
  /** How often before its latest execution. */
  earlierAttempts?: number;
  /** For a looped step a list, with null for each iteration that was skipped. */
  output?: JsonValue;
  error?: AgentErrorData;
  effect?: ToolEffect;
  startedAt?: string;
  completedAt?: string;
  /** The number of the event that ended it: timestamps may be the same. */
  endSequence?: number;
  reasoning?: string;
  approval?: ApprovalState;
  /** What it waits for, once it does, and the event that it has received. */
  wait?: WaitDue & { received?: { readonly value: JsonValue } };
  /** Why a step of a replan needs approval, apart from its tool and the policy. */
  approvalReasons?: readonly ApprovalReason[];
  /** Whether it was settled as failed: it took no effect and must not run again. */
  isSettled?: boolean;
  /** Whether it has started in the run that this one was forked from, and not in this one. */
  isTakenOver?: true;
  /** Only if it was skipped. */
  skipReason?: SkipReason;
  /** Whether its undoing has started and has not ended. */
  isUndoing?: boolean;
  /** Only for a looped step that has started. */
  iterations?: IterationStates;
}

/** The iterations of a looped step. */
interface IterationStates {
  readonly states: StepState[];
  /** How many have ended. */
  ended: number;
  /** How many have completed and were not undone. */
  completed: number;
}

/** An event about one step or iteration. */
export type StepEvent = Extract<
  AgentEvent,
  | { type: "step-start" | "step-retry" | "step-skip" | "step-end" | "undo-start" | "undo-end" | "run-settle" }
  | { type: "approval-request" | "approval-end"; kind: "step" }
>;

/** A step that has not started. */
export function pendingStep(step: {
  readonly stepId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly reasoning?: string | undefined;
}): StepState {
  const { stepId, tool, input, reasoning } = step;
  const state: StepState = { stepId, tool, input, status: "pending", attempts: 0 };
  if (reasoning !== undefined) state.reasoning = reasoning;
  return state;
}

/** Whether the dependents of a step may run: it has completed, or there was nothing for it to do. */
export function isDone({ status, skipReason }: StepState): boolean {
  return status === "completed" || hadNothingToDo(skipReason);
}

/** Whether a step was skipped because there was nothing for it to do, and not because of a failure or an end. */
export function hadNothingToDo(skipReason: SkipReason | undefined): boolean {
  return skipReason === "condition" || skipReason === "no-items";
}

/** Whether a step, or some of its iterations, is still to be run, or to be run again after an interruption. */
export function isOpen({ status, iterations }: StepState): boolean {
  if (status === "pending" || status === "waiting" || status === "interrupted") return true;
  return iterations !== undefined && iterations.ended < iterations.states.length;
}

/** Whether a step, or one of its iterations, has started or was skipped: it keeps its place in the log, and its id. */
export function hasStarted({ status, iterations, startedAt }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(hasStarted);
  // A step that is to run again is pending, but has started.
  return startedAt !== undefined || (status !== "pending" && status !== "waiting");
}

/** Whether a step, or one of its iterations, has got an answer to its approval request and has not continued yet. */
export function isDecided({ status, approval, iterations }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(isDecided);
  return status === "waiting" && (approval?.status === "approved" || approval?.status === "rejected");
}

/** True if a step waits for a time or an event. */
export function isAwaited({ status, wait }: Pick<StepState, "status" | "wait">): boolean {
  return status === "waiting" && wait !== undefined;
}

/** True if the time has come, or the event, that a step waits for. */
export function isWaitOver({ status, wait }: Pick<StepState, "status" | "wait">, nowMs: number): boolean {
  if (wait === undefined || (status !== "waiting" && status !== "interrupted")) return false;
  return wait.received !== undefined || (wait.until !== undefined && Date.parse(wait.until) <= nowMs);
}

/** The steps, and instead of a looped one its iterations. */
export function* instancesOf(steps: Iterable<StepState>): Iterable<StepState> {
  for (const step of steps) {
    if (step.iterations === undefined) yield step;
    else yield* step.iterations.states;
  }
}

/** The step or iteration at a place, if there is one. */
export function instanceAt(
  steps: ReadonlyMap<string, StepState>,
  { stepId, iteration }: StepRef,
): StepState | undefined {
  const step = steps.get(stepId);
  return iteration === undefined ? step : step?.iterations?.states[iteration];
}

/** What was asked and decided about a step or a plan. */
export interface ApprovalState {
  /** The hash of what was reviewed: the decision is bound to it. */
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  /** When a question expires. ISO 8601, UTC. */
  readonly expiresAt?: string;
  /** Only if rejected. */
  readonly error?: AgentErrorData;
  readonly by?: string;
  readonly comment?: string;
  /** ISO 8601, UTC. */
  readonly decidedAt?: string;
  /** The call that was approved in place of the reviewed one. */
  readonly changed?: ChangedCall;
}

/**
 * Whether an error, live or stored, states that a call took no effect: it is marked `retryable: true`. A timeout or the
 * end of the process never does, though a tool that passes its signal on, as to `fetch`, throws the very error that
 * aborted it.
 */
export function saysNothingHappened(error: unknown): boolean {
  if (isAgentError(error, "timeout") || isAgentError(error, "interrupted")) return false;
  return retryableOf(error) === true;
}

/** The `retryable` of a thrown value, which may be anything. */
export function retryableOf(thrown: unknown): unknown {
  try {
    return (thrown as { retryable?: unknown } | null | undefined)?.retryable;
  } catch {
    return undefined;
  }
}

/**
 * Whether a step that must run only once has failed in a way that leaves open whether it took effect: its tool was
 * called, and its error does not state that nothing happened. Only somebody who knows may let it run again.
 */
export function isFailedInDoubt(step: StepState): boolean {
  return isFailedCall(step) && step.isSettled !== true && !saysNothingHappened(step.error?.cause);
}

/** Whether only somebody who knows may let a failed step run again, even if it was already settled as failed. */
export function needsSettling(step: StepState): boolean {
  return isFailedInDoubt(step) || (isFailedCall(step) && step.isSettled === true);
}

function isFailedCall({ effect, status, attempts, earlierAttempts = 0 }: StepState): boolean {
  return effect === "once" && (status === "failed" || status === "cancelled") && attempts > earlierAttempts;
}
