import { type AgentErrorData, fromErrorData } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import type { RunState } from "../core/run-state.ts";
import { stepRefOf } from "../core/step.ts";
import { instancesOf, type StepState } from "../core/step-state.ts";
import { cancelledBy, runTimeout } from "./run-errors.ts";
import type { AbortReason } from "./run-lifetime.ts";
import { stepFailure } from "./run-progress.ts";
import { outcomeUnknown } from "./steps/step-errors.ts";

/**
 * The events that close what an execution has left open, so that each start has its end: for a process that has died,
 * or whose store has failed. A step in flight is `interrupted`, or `unknown` if it must run only once.
 */
export function endsOfCutOff(state: RunState, error: AgentErrorData): readonly EventInit[] {
  const events: EventInit[] = [];
  if (state.isPlanning) events.push({ type: "plan-end", outcome: { status: "failed", error } });
  for (const part of instancesOf(state.steps.values())) {
    if (part.status === "running") events.push(endOf(part, error));
    if (part.isUndoing) {
      const { tool } = part;
      events.push({ type: "undo-end", ...stepRefOf(part), tool, attempts: 1, outcome: { status: "failed", error } });
    }
  }
  return events;
}

function endOf(part: StepState, error: AgentErrorData): EventInit {
  const { stepId, tool, attempts, effect, iteration } = part;
  const task = { step: { id: stepId, tool }, iteration: iteration === undefined ? undefined : { index: iteration } };
  const outcome =
    effect === "once"
      ? ({ status: "unknown", error: outcomeUnknown(task, error).toJSON() } as const)
      : ({ status: "interrupted", error } as const);
  return { type: "step-end", ...stepRefOf(part), tool, attempts, outcome };
}

/**
 * Why a run was about to end when its process died, according to its record: it was cancelled, or its deadline had
 * passed. Undefined if it was not ending, or a failed step was the reason. To be called before its next execution
 * starts.
 */
export function endingOf(state: RunState): AbortReason | undefined {
  if (state.status !== "running" || state.planApproval?.status === "rejected") return undefined;
  const { replanError } = state;
  if (replanError !== undefined && endsRun(replanError)) return fromErrorData(replanError as EndingError);
  let isEnding = state.hasUndone === true;
  let isInDoubt = false;
  let wasStopped = false;
  // Then no failure prevents a step from running.
  const continues = state.options?.onStepFailure === "continue";
  for (const { id } of state.plan?.steps ?? []) {
    const step = state.steps.get(id) as StepState;
    // What is left of a loop is skipped when one of its iterations has failed, whether the run ends or not.
    const hasFailed = step.iterations?.states.some(isLoopFailure) === true;
    for (const { status, error, skipReason } of instancesOf([step])) {
      if (status === "cancelled" || (status === "failed" && isRunTimeout(error)))
        return fromErrorData(error as EndingError);
      isInDoubt ||= status === "unknown";
      wasStopped ||= continues && skipReason === "run-ended";
      isEnding ||= !hasFailed && (skipReason === "run-ended" || skipReason === "dependency-failed");
    }
  }
  if (wasStopped) return unsaid(state);
  // After a failure, the run would have waited for the steps in doubt.
  if (!isEnding || (stepFailure({ state }) !== undefined && !isInDoubt)) return undefined;
  return unsaid(state);
}

function isLoopFailure({ status, skipReason }: StepState): boolean {
  return status === "failed" || skipReason === "approval-rejected";
}

type EndingError = AgentErrorData<"cancelled" | "timeout">;

function endsRun(error: AgentErrorData): boolean {
  return error.code === "cancelled" || isRunTimeout(error);
}

function isRunTimeout(error: AgentErrorData | undefined): boolean {
  return error?.code === "timeout" && error.details?.scope === "run";
}

/** The reason that was not recorded: the deadline if it had passed, else a cancellation. */
function unsaid({ options, executionStartedAt = "", updatedAt }: RunState): AbortReason {
  const { timeoutMs = Number.POSITIVE_INFINITY } = options ?? {};
  const lastedMs = Date.parse(updatedAt) - Date.parse(executionStartedAt);
  return lastedMs >= timeoutMs ? runTimeout(timeoutMs) : cancelledBy("its process died while it was ending");
}
