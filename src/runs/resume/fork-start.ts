import type { EventInit } from "../../core/events.ts";
import type { RunState } from "../../core/run-state.ts";
import { stepRefOf } from "../../core/step.ts";
import { type ApprovalState, instancesOf, isDone, isOpen, type StepState } from "../../core/step-state.ts";

/** Whether a run has all of its events from the run that it was forked from. */
export function isNewFork({ forkedFrom, sequence }: RunState): boolean {
  return forkedFrom?.after === sequence;
}

/**
 * The events that withdraw the open questions and unused approvals of a new fork, whoever resumes it: both are about a
 * call of the other run. What still has to run is asked about again.
 */
export function withdrawals(state: RunState, retriesFailed: boolean): readonly EventInit[] {
  if (!isNewFork(state)) return none;
  const outcome = { status: "withdrawn" } as const;
  const left = [...instancesOf(state.steps.values())].filter((part) => (retriesFailed ? !isDone(part) : mayRun(part)));
  const events: EventInit[] = left
    .filter(({ approval }) => isValid(approval))
    .map((part) => ({ type: "approval-end", kind: "step", ...stepRefOf(part), outcome }));
  if (left.length > 0 && isValid(state.planApproval)) events.push({ type: "approval-end", kind: "plan", outcome });
  return events;
}

const none: readonly never[] = [];

function mayRun(part: StepState): boolean {
  return isOpen(part) || part.status === "running" || part.status === "unknown";
}

function isValid(approval: ApprovalState | undefined): boolean {
  return approval?.status === "requested" || approval?.status === "approved";
}
