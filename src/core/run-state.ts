import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent, ForkPoint, NotUndone, PendingItem } from "./events.ts";
import { isDigested } from "./events.ts";
import type { JsonObject } from "./json.ts";
import { addUsage, type ModelUsage, restOfUsage } from "./model-usage.ts";
import type { Plan } from "./plan.ts";
import { plannedStep, unchangedSteps } from "./planned-steps.ts";
import { reduceStep, retryFailed, takeOver } from "./reduce-step.ts";
import { type Deliveries, reduceWait } from "./reduce-wait.ts";
import { type RunStatus, runStatusAfter } from "./run-summary.ts";
import {
  type ApprovalState,
  decided,
  hadNothingToDo,
  hasStarted,
  requested,
  type StepEvent,
  type StepState,
} from "./step-state.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

/** What is known of a run: the fold of its recorded events. */
export interface RunState {
  readonly runId: string;
  status: RunStatus;
  /** The number of the last folded event. */
  sequence: number;
  /** Where its first events are from. */
  forkedFrom?: ForkPoint;
  request?: string;
  context?: string;
  metadata: JsonObject;
  options?: StoredRunOptions;
  /** The tools that may be used, as they were when the run started. */
  tools?: readonly ToolFingerprint[];
  plan?: Plan;
  /** Whether a step of the plan was reached: the plan as a whole needs no more approval. */
  isUnderWay?: boolean;
  /** The plan that the run was started with, if any: a replan changes `plan`, but not what makes two runs the same. */
  givenPlan?: Plan;
  /** The plan that the run started with, once it was revised. */
  firstPlan?: Plan;
  /** Whether a planner has been asked and has not ended. */
  isPlanning?: boolean;
  /** By step id, in plan order. Steps that a replan removed stay if they have started. */
  readonly steps: Map<string, StepState>;
  /** Of the plan as a whole. */
  planApproval?: ApprovalState;
  /** How often the planner was asked again. */
  replans: number;
  /** Why the planner produced no other steps when it was last asked, if none has started since. */
  replanError?: AgentErrorData;
  /** Whether steps were to be undone in the latest execution: it was about to end. */
  hasUndone?: boolean;
  /** Whether values of sensitive fields may be sealed in it. */
  mayBeSealed?: true;
  /** The trace context of its latest execution that had one. */
  traceparent?: string;
  /** The last digest of its events, and the number of the event that states it. */
  digest?: { readonly value: string; readonly sequence: number };
  /** When its latest execution started. ISO 8601, UTC. */
  executionStartedAt?: string;
  error?: AgentErrorData;
  /** Why there is no plan. */
  planningError?: AgentErrorData;
  pending?: readonly PendingItem[];
  /** What was delivered to it. */
  deliveries?: Deliveries;
  notUndone?: readonly NotUndone[];
  /** What calls of models used. */
  usage?: ModelUsage;
  /** What of that was counted since planning started, call by call. */
  planningUsage?: ModelUsage;
  createdAt: string;
  updatedAt: string;
  /** When its first step started. */
  startedAt?: string;
  /** When it was completed, failed or was cancelled, unless it was resumed. */
  endedAt?: string;
}

/** The state of a run before its first event. */
export function initialRunState(runId: string): RunState {
  const steps = new Map<string, StepState>();
  return { runId, status: "planning", sequence: 0, metadata: {}, steps, replans: 0, createdAt: "", updatedAt: "" };
}

/**
 * Folds one recorded event into a run's state: the only place where it changes. The state is changed in place and
 * returned, so that a fold costs the same for the first and the ten-thousandth step.
 */
export function reduceRunState(state: RunState, event: AgentEvent): RunState {
  state.sequence = event.sequence;
  state.updatedAt = event.timestamp;
  // If a run could not even record its start, this is when that failed.
  if (state.createdAt === "") state.createdAt = event.timestamp;
  state.status = runStatusAfter(event) ?? state.status;
  if (isDigested(event) && event.digest) state.digest = { value: event.digest, sequence: event.sequence };
  switch (event.type) {
    case "run-start":
      reduceStart(state, event);
      break;
    case "plan-start":
    case "model-end":
    case "plan-end":
    case "plan-revise":
      reducePlanning(state, event);
      break;
    case "approval-request":
    case "approval-end":
      reduceApproval(state, event);
      break;
    case "step-start":
    case "step-retry":
    case "step-skip":
    case "step-end":
    case "undo-start":
    case "undo-end":
    case "run-settle":
      reduceStepOf(state, event);
      break;
    case "wait-start":
    case "run-deliver":
      reduceWait(state, event);
      break;
    case "run-suspend":
      state.pending = event.pending;
      break;
    case "run-resume":
      reopen(state, event);
      break;
    case "run-end":
      if (event.outcome.status !== "completed") state.error = event.outcome.error;
      if (event.outcome.status !== "interrupted") state.endedAt = event.timestamp;
      if (event.notUndone !== undefined) state.notUndone = event.notUndone;
      break;
    case "model-start":
    case "model-retry":
    case "plan-fallback":
    case "plan-delta":
    case "circuit-change":
    case "step-progress":
    case "step-attempt":
    case "step-late":
      break;
    default:
      event satisfies never;
  }
  return state;
}

type PlanningPart = Extract<AgentEvent, { type: "plan-start" | "model-end" | "plan-end" | "plan-revise" }>;

function reducePlanning(state: RunState, event: PlanningPart): void {
  switch (event.type) {
    case "plan-start":
      state.isPlanning = true;
      break;
    case "model-end":
      state.planningUsage = addUsage(state.planningUsage, event.usage);
      state.usage = addUsage(state.usage, event.usage);
      break;
    case "plan-end":
      state.isPlanning = false;
      addToUsage(state, event);
      if (event.outcome.status === "completed") adoptPlan(state, event.outcome.plan);
      else if (event.outcome.error.code !== "interrupted") state.planningError = event.outcome.error;
      break;
    case "plan-revise":
      addToUsage(state, event);
      reduceRevision(state, event);
      break;
  }
}

function reduceStepOf(state: RunState, event: StepEvent): void {
  if (letsThrough(event)) state.isUnderWay = true;
  if (event.type === "step-start") {
    state.startedAt ??= event.timestamp;
    delete state.replanError;
  }
  if (event.type === "undo-start") state.hasUndone = true;
  const step = state.steps.get(event.stepId);
  if (step !== undefined) reduceStep(step, event);
}

function reduceStart(state: RunState, event: Extract<AgentEvent, { type: "run-start" }>): void {
  state.createdAt = event.timestamp;
  state.executionStartedAt = event.timestamp;
  state.metadata = event.metadata;
  state.options = event.options;
  state.tools = event.tools;
  if (event.mayBeSealed) state.mayBeSealed = true;
  if (event.traceparent !== undefined) state.traceparent = event.traceparent;
  if (event.forkedFrom !== undefined) state.forkedFrom = event.forkedFrom;
  if (event.request !== undefined) state.request = event.request;
  if (event.context !== undefined) state.context = event.context;
  if (event.plan === undefined) return;
  state.givenPlan = event.plan;
  adoptPlan(state, event.plan);
}

function reopen(
  state: RunState,
  { retriesFailed, mayBeSealed, traceparent, timestamp, sequence }: Extract<AgentEvent, { type: "run-resume" }>,
): void {
  if (sequence - 1 === state.forkedFrom?.after) takeOver(state.steps.values());
  state.executionStartedAt = timestamp;
  if (mayBeSealed) state.mayBeSealed = true;
  if (traceparent !== undefined) state.traceparent = traceparent;
  delete state.hasUndone;
  delete state.pending;
  delete state.error;
  delete state.endedAt;
  delete state.notUndone;
  if (retriesFailed === undefined) return;
  delete state.planningError;
  delete state.replanError;
  // Not those that a replan removed.
  for (const { id } of state.plan?.steps ?? []) retryFailed(state.steps.get(id) as StepState, timestamp);
}

/** Adds what the calls of a planning used, except what was counted when each ended. */
function addToUsage(state: RunState, { usage }: { readonly usage?: ModelUsage }): void {
  const rest = usage && restOfUsage(usage, state.planningUsage);
  delete state.planningUsage;
  if (rest !== undefined) state.usage = addUsage(state.usage, rest);
}

/** The state that a list of events leads to. */
export function foldEvents(runId: string, events: Iterable<AgentEvent>): RunState {
  const state = initialRunState(runId);
  for (const event of events) reduceRunState(state, event);
  return state;
}

function adoptPlan(state: RunState, plan: Plan): void {
  state.plan = plan;
  for (const step of plan.steps) {
    state.steps.set(step.id, plannedStep(step));
  }
}

/** Whether an event shows that the plan needs no more approval. When a run ends, steps are skipped in any case. */
function letsThrough(event: StepEvent): boolean {
  if (event.type === "step-skip") return hadNothingToDo(event.reason);
  return event.type === "step-start";
}

/** A revision that was cut off does not count: it can be requested again. */
function reduceRevision(state: RunState, { replan, outcome }: Extract<AgentEvent, { type: "plan-revise" }>): void {
  if (outcome.status !== "completed" && outcome.error.code === "interrupted") return;
  state.replans = replan;
  if (outcome.status === "completed") revisePlan(state, outcome);
  else state.replanError = outcome.error;
}

type Revision = Extract<Extract<AgentEvent, { type: "plan-revise" }>["outcome"], { status: "completed" }>;

/** Keeps the steps that have started, and replaces the others by the new plan's. An unchanged step keeps its state. */
function revisePlan(state: RunState, { plan, approvals }: Pick<Revision, "plan" | "approvals">): void {
  const before = new Map(state.steps);
  const stays = unchangedSteps(state.plan, plan);
  for (const step of before.values()) if (!hasStarted(step)) state.steps.delete(step.stepId);
  delete state.planApproval;
  delete state.isUnderWay;
  if (state.plan !== undefined) state.firstPlan ??= state.plan;
  state.plan = plan;
  for (const step of plan.steps) {
    const { id: stepId } = step;
    if (state.steps.has(stepId)) continue;
    const same = stays.has(stepId) ? before.get(stepId) : undefined;
    state.steps.set(stepId, same ?? plannedStep(step));
  }
  for (const { stepId, reasons } of approvals ?? []) {
    const step = state.steps.get(stepId);
    if (step !== undefined) step.approvalReasons = reasons;
  }
}

type ApprovalEvent = Extract<AgentEvent, { type: "approval-request" | "approval-end" }>;

function reduceApproval(state: RunState, event: ApprovalEvent): void {
  if (event.kind === "step") {
    state.isUnderWay = true;
    const step = state.steps.get(event.stepId);
    if (step !== undefined) reduceStep(step, event);
  } else if (event.type === "approval-request") {
    state.planApproval = requested(event);
  } else if (state.planApproval !== undefined) {
    state.planApproval = decided(state.planApproval, event);
  }
}
