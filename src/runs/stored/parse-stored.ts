import { AgentError } from "../../core/errors.ts";
import {
  type AgentEvent,
  type AgentEventOf,
  type ApprovalEndEvent,
  checkEventFormat,
  findWrongKey,
  type Keyed,
} from "../../core/events.ts";
import { isRecord } from "../../core/json.ts";
import type { Plan } from "../../core/plan.ts";
import {
  type ApprovalState,
  initialRunState,
  instanceAt,
  isStillToRun,
  type RunState,
  reduceRunState,
  type StepEvent,
  type StepState,
} from "../../core/run-state.ts";
import type { ListRunsOptions, RunPage } from "../../core/run-store.ts";
import { isRunStatus, isUnstarted } from "../../core/run-summary.ts";
import { dependenciesOf } from "../../plan/references.ts";

export interface RecordedRun {
  readonly events: readonly AgentEvent[];
  readonly first: AgentEvent | undefined;
  readonly last: AgentEvent | undefined;
  readonly state: RunState;
}

/** Rejects impossible events, as resuming after one could run a step twice or never. */
export function parseEvents(runId: string, found: unknown, known?: RecordedRun): RecordedRun {
  const state = known?.state ?? initialRunState(runId);
  if (!Array.isArray(found)) throw damaged(runId, { reason: "it is not a list of events" });
  for (const [index, event] of found.entries()) {
    const sequence = state.sequence + index + 1;
    const reason = findBaseIssue(runId, event, sequence);
    if (reason !== undefined) throw damaged(runId, { sequence, reason });
  }
  const events = found as readonly AgentEvent[];
  // Checked first, so that another format is reported as such, whatever its events are.
  checkEventFormat(runId, events);
  for (const event of events) {
    const reason = findIssue(state, event);
    if (reason !== undefined) throw damaged(runId, { sequence: event.sequence, reason });
    reduceRunState(state, event);
  }
  const [first, last] = [known?.first ?? events[0], events.at(-1) ?? known?.last];
  return { events, first, last, state };
}

function findBaseIssue(runId: string, event: unknown, next: number): string | undefined {
  if (!isRecord(event)) return "it is not an event";
  const { type, runId: of, sequence, timestamp } = event;
  if (typeof type !== "string") return "it has no type";
  if (of !== runId) return `it belongs to another run, ${JSON.stringify(of)}`;
  if (sequence !== next) return `its number is ${JSON.stringify(sequence)}`;
  if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) return "its timestamp is not a time";
  return undefined;
}

function findIssue(state: RunState, event: AgentEvent): string | undefined {
  const { type } = event;
  const key = findWrongPart(event as unknown as Keyed);
  if (key === "type") return `${JSON.stringify(type)} is not a type of recorded events`;
  if (key !== undefined) return `the "${key}" of ${type} is missing or invalid`;
  const misplaced = findMisplacement(state, event);
  return misplaced && `there can be no ${type} ${misplaced}`;
}

export function findWrongPart(event: Keyed): string | undefined {
  const key = findWrongKey(event);
  if (key !== undefined) return key;
  switch (event.type) {
    case "run-start":
      return (event.request === undefined || event.plan === undefined) && canRun(event) ? undefined : "plan";
    case "plan-end":
    case "plan-revise": {
      const outcome = event.outcome as Keyed;
      return outcome.status !== "completed" || canRun(outcome) ? undefined : "outcome";
    }
    default:
      return undefined;
  }
}

function canRun({ plan }: Keyed): boolean {
  if (plan === undefined) return true;
  const { steps } = plan as Plan;
  const before = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const isCall = step.tool !== undefined && step.input !== undefined;
    if (isCall === (step.wait !== undefined) || before.has(step.id)) return false;
    for (const id of dependenciesOf(step, steps[index - 1])) if (!before.has(id)) return false;
    before.add(step.id);
  }
  return before.size > 0;
}

function damaged(
  runId: string,
  { reason, sequence }: { readonly reason: string; readonly sequence?: number },
): AgentError<"store-failed"> {
  const where = sequence === undefined ? "" : ` at event ${sequence}`;
  const message = `The stored data of run "${runId}" is damaged${where}: ${reason}. Nothing was run or recorded.`;
  return new AgentError("store-failed", message, {
    details: { runId, operation: "read", reason, problem: "corrupt", ...(sequence !== undefined && { sequence }) },
  });
}

function findMisplacement(state: RunState, event: AgentEvent): string | undefined {
  const isNew = state.sequence === 0;
  if (event.type === "run-start") return isNew || isUnstarted(state) ? undefined : "in a run that has started";
  if (isNew) return "at the beginning";
  const hasStopped = state.status !== "planning" && state.status !== "running";
  if (hasStopped && event.type !== "run-resume") return `in a run that is ${state.status}`;
  switch (event.type) {
    case "run-resume":
      return mayResumeFrom(state, event) ? undefined : "in a run that has ended";
    case "plan-start":
      return isToBePlanned(state) ? undefined : "in a run that needs no plan";
    case "plan-end":
      return state.isPlanning === true ? undefined : "for planning that has not started";
    case "plan-revise":
      return state.plan !== undefined && event.replan <= state.replans + 1 ? undefined : "for a plan that was not made";
    case "approval-request":
    case "approval-end":
      return event.kind === "step" ? findStepMisplacement(state, event) : findPlanMisplacement(state, event);
    case "wait-start":
      return findWaitMisplacement(state.steps.get(event.stepId));
    case "step-start":
    case "step-retry":
    case "step-skip":
    case "step-end":
    case "undo-start":
    case "undo-end":
    case "run-settle":
      return findStepMisplacement(state, event);
    default:
      return undefined;
  }
}

function mayResumeFrom({ status }: RunState, { undo }: AgentEventOf<"run-resume">): boolean {
  return status === "completed" ? undo === true : status !== "cancelled";
}

function isToBePlanned({ plan, request, turn }: RunState): boolean {
  return plan === undefined && request !== undefined && turn === undefined;
}

type PlanDecision = Extract<AgentEvent, { type: "approval-request" | "approval-end" }>;

function findPlanMisplacement({ plan, planApproval }: RunState, event: PlanDecision): string | undefined {
  if (plan === undefined) return "for a plan that was not made";
  return event.type === "approval-request" || canDecide(planApproval, event) ? undefined : "without a request";
}

function canDecide(approval: ApprovalState | undefined, { outcome }: ApprovalEndEvent): boolean {
  if (approval?.status === "approved") return outcome.status === "withdrawn";
  return approval?.status === "requested" || approval?.status === "withdrawn";
}

function findStepMisplacement(state: RunState, event: StepEvent): string | undefined {
  const { stepId, iteration } = event;
  const step = state.steps.get(stepId);
  if (step === undefined) return `for an unknown step, "${stepId}"`;
  if ("tool" in event && event.tool !== step.tool) return `for "${stepId}" with another tool, "${event.tool}"`;
  const isKnown = iteration === undefined || step.iterations !== undefined;
  if (!isKnown && !beginsLoop(state, event)) return `for an iteration of "${stepId}", which has no iterations`;
  const part = isKnown ? instanceAt(state.steps, event) : step;
  if (part === undefined) return `for an iteration that "${stepId}" does not have`;
  return isAllowed(part, event) ? undefined : `for "${stepId}", which is ${part.status}`;
}

function findWaitMisplacement(step: StepState | undefined): string | undefined {
  return step !== undefined && isStillToRun(step) && step.wait === undefined ? undefined : "in a step that cannot wait";
}

function beginsLoop({ options }: RunState, event: StepEvent): boolean {
  const { iteration = 0 } = event;
  const count = "iterations" in event ? (event.iterations ?? 0) : 0;
  return iteration < count && count <= (options?.maxSteps ?? 0);
}

function isAllowed(part: StepState, event: StepEvent): boolean {
  const { status, approval, isUndoing = false } = part;
  switch (event.type) {
    case "step-start":
    case "step-skip":
    case "approval-request":
      return part.iterations === undefined ? isStillToRun(part) : part.iterations.ended < part.iterations.states.length;
    case "step-retry":
      return event.undo === true ? isUndoing : status === "running";
    case "step-end":
      // The outcome of a failed step may turn out to be unknown later.
      return status === "running" || (status === "failed" && event.outcome.status === "unknown");
    case "approval-end": {
      const changesInput = event.outcome.status === "approved" && event.outcome.changed !== undefined;
      // Once a step has been called, its input cannot change, because its idempotency key stands for that input.
      return canDecide(approval, event) && !(changesInput && part.attempts > 0);
    }
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

export function parseRunPage(found: unknown, { cursor: before }: ListRunsOptions = {}): RunPage {
  const { runs, cursor } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(runs)) throw new TypeError("its page has no list of runs");
  const index = runs.findIndex((run) => !isSummary(run));
  if (index >= 0) throw new TypeError(`entry ${index + 1} of its page is not a run`);
  if (cursor !== undefined && typeof cursor !== "string") throw new TypeError("the cursor of its page is not a string");
  // Otherwise a caller that reads page by page would never finish.
  if (cursor !== undefined && cursor === before) throw new TypeError("the cursor of its page leads to the same page");
  return found as RunPage;
}

function isSummary(run: unknown): boolean {
  if (!isRecord(run)) return false;
  const { runId, status, request, metadata, createdAt, updatedAt } = run;
  const isText = [runId, createdAt, updatedAt].every((value) => typeof value === "string");
  return isText && isRecord(metadata) && isRunStatus(status) && (request === undefined || typeof request === "string");
}
