import type { ApprovalState } from "./approval-state.ts";
import type { AgentEvent } from "./events.ts";
import type { RunState } from "./run-state.ts";
import { isOpen, partAt, type StepEvent, type StepState } from "./step-state.ts";

/**
 * Why an event cannot occur in this state of a run, in words that follow its type; undefined if it can.
 * `reduceRunState` can fold every event that it lets through, and nothing that has ended is run.
 */
export function whyOutOfOrder(state: RunState, event: AgentEvent): string | undefined {
  const isFirst = state.sequence === 0;
  if (isFirst !== (event.type === "run-start")) return isFirst ? "at the beginning" : "in a run that has started";
  const hasStopped = state.status !== "planning" && state.status !== "running";
  if (hasStopped && event.type !== "run-resume") return `in a run that is ${state.status}`;
  switch (event.type) {
    case "run-resume":
      return state.status === "completed" || state.status === "cancelled" ? "of a run that has ended" : undefined;
    case "plan-start":
      return state.plan === undefined && state.request !== undefined ? undefined : "of a run that has a plan";
    case "plan-end":
      return state.isPlanning === true ? undefined : "of planning that has not started";
    case "plan-revise":
      return state.plan !== undefined && event.replan <= state.replans + 1 ? undefined : "of a plan that was not made";
    case "approval-request":
    case "approval-end":
      return event.kind === "step" ? whyNotOfStep(state, event) : whyNotOfPlan(state, event);
    case "step-start":
    case "step-retry":
    case "step-skip":
    case "step-end":
    case "undo-start":
    case "undo-end":
    case "run-settle":
      return whyNotOfStep(state, event);
    default:
      return undefined;
  }
}

type PlanDecision = Extract<AgentEvent, { type: "approval-request" | "approval-end" }>;

function whyNotOfPlan({ plan, planApproval }: RunState, { type }: PlanDecision): string | undefined {
  if (plan === undefined) return "of a plan that was not made";
  return type === "approval-request" || isUndecided(planApproval) ? undefined : "that nobody asked for";
}

/** A step that was called keeps its input: its idempotency key stands for it. */
function changesInput({ outcome }: Extract<StepEvent, { type: "approval-end" }>): boolean {
  return outcome.status === "approved" && outcome.changed !== undefined;
}

/** A question under an older, narrower hash counts as withdrawn, and may have been decided. */
function isUndecided(approval: ApprovalState | undefined): boolean {
  return approval?.status === "requested" || approval?.status === "withdrawn";
}

function whyNotOfStep(state: RunState, event: StepEvent): string | undefined {
  const { stepId, iteration } = event;
  const step = state.steps.get(stepId);
  if (step === undefined) return `of a step that is not there, "${stepId}"`;
  if ("tool" in event && event.tool !== step.tool) return `of "${stepId}" with another tool, "${event.tool}"`;
  const isKnown = iteration === undefined || step.iterations !== undefined;
  if (!isKnown && !beginsLoop(state, event)) return `of an iteration of "${stepId}", which has none`;
  const part = isKnown ? partAt(state.steps, event) : step;
  if (part === undefined) return `of an iteration that "${stepId}" does not have`;
  return mayCome(part, event) ? undefined : `of "${stepId}", which is ${part.status}`;
}

/** Whether an event states how many iterations there are, as the first one of a loop does. */
function beginsLoop({ options }: RunState, event: StepEvent): boolean {
  const { iteration = 0 } = event;
  const count = "iterations" in event ? (event.iterations ?? 0) : 0;
  return iteration < count && count <= (options?.maxSteps ?? 0);
}

function mayCome(part: StepState, event: StepEvent): boolean {
  const { status, approval, isUndoing = false } = part;
  switch (event.type) {
    case "step-start":
    case "step-skip":
    case "approval-request":
      return part.iterations === undefined ? isOpen(part) : part.iterations.ended < part.iterations.states.length;
    case "step-retry":
      return event.undo === true ? isUndoing : status === "running";
    case "step-end":
      // The outcome of a failed step may turn out later to be unknown.
      return status === "running" || (status === "failed" && event.outcome.status === "unknown");
    case "approval-end":
      return isUndecided(approval) && !(changesInput(event) && part.attempts > 0);
    case "undo-start":
      return status === "completed";
    case "undo-end":
      return isUndoing;
    case "run-settle":
      return status === "unknown";
    default:
      return event satisfies never;
  }
}
