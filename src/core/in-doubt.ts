import { isAgentError } from "./errors.ts";
import type { StepState } from "./step-state.ts";

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
