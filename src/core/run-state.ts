import type { AgentErrorData } from "./errors.ts";
import {
  type AgentEvent,
  type AgentEventOf,
  type AgentEventType,
  type ForkPoint,
  isDigested,
  type NotUndone,
  type PendingItem,
  type RecordedType,
  type StoredRunOptions,
} from "./events.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "./json.ts";
import { addUsage, type ModelUsage, restOfUsage } from "./model-usage.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { type RunStatus, runStatusAfter } from "./run-summary.ts";
import { inputOf, toolOf } from "./step.ts";
import {
  type ApprovalState,
  closeApproval,
  hadNothingToDo,
  hasStarted,
  openApproval,
  pendingStep,
  reduceStep,
  retryFailed,
  type StepEvent,
  type StepState,
  takeOver,
} from "./step-state.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

/** The state of a run: the fold of its recorded events. */
export interface RunState {
  readonly runId: string;
  status: RunStatus;
  /** The number of the last folded event. */
  sequence: number;
  /** The run that its first events are from. */
  forkedFrom?: ForkPoint;
  request?: string;
  context?: string;
  metadata: JsonObject;
  options?: StoredRunOptions;
  /** The tools that may be used, as they were when the run started. */
  tools?: readonly ToolFingerprint[];
  plan?: Plan;
  /** True if a step of the plan was reached: the plan as a whole needs no more approval. */
  isUnderWay?: boolean;
  /** The plan that the run was started with, if any: a replan changes `plan`, but not what makes two runs the same. */
  givenPlan?: Plan;
  /** The plan that the run started with, once it was revised. */
  firstPlan?: Plan;
  /** True if a planner has been asked and has not ended. */
  isPlanning?: boolean;
  /** By step id, in plan order. Steps that a replan removed stay if they have started. */
  readonly steps: Map<string, StepState>;
  /** The approval of the plan as a whole. */
  planApproval?: ApprovalState;
  /** Number of times the planner was asked again. */
  replans: number;
  /** The error of the last replan, until a step starts. */
  replanError?: AgentErrorData;
  /** True if steps were to be undone in the latest execution: it was about to end. */
  hasUndone?: boolean;
  /** True if values of sensitive fields may be sealed in it. */
  mayBeSealed?: true;
  /** The trace context of its latest execution that had one. */
  traceparent?: string;
  /** The last digest of its events, and the number of the event that states it. */
  digest?: { readonly value: string; readonly sequence: number };
  /** The start of its latest execution. ISO 8601, UTC. */
  executionStartedAt?: string;
  error?: AgentErrorData;
  /** The error because of which there is no plan. */
  planningError?: AgentErrorData;
  pending?: readonly PendingItem[];
  deliveries?: Deliveries;
  notUndone?: readonly NotUndone[];
  /** The usage of all model calls. */
  usage?: ModelUsage;
  /** The part of the usage that was counted since planning started, call by call. */
  planningUsage?: ModelUsage;
  createdAt: string;
  updatedAt: string;
  /** The start of its first step. */
  startedAt?: string;
  /** The time at which it was completed, failed or was cancelled, unless it was resumed. */
  endedAt?: string;
}

/** The events that were delivered to a run, and the steps that wait for some. */
interface Deliveries {
  /** The ids of all that were delivered. */
  readonly ids: Set<string>;
  /** The values that no step has taken, by name, in order. */
  readonly kept: Map<string, JsonValue[]>;
  /** Number of those values. */
  keptCount: number;
  /** The steps that wait, by name, in order; some may wait no longer. */
  readonly waiting: Map<string, StepState[]>;
  /** The step that took the last one that was delivered; undefined if it is kept. */
  lastTakenBy?: string | undefined;
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
  reduceByType(state, event);
  return state;
}

/** The state that a list of events leads to. */
export function foldEvents(runId: string, events: Iterable<AgentEvent>): RunState {
  const state = initialRunState(runId);
  for (const event of events) reduceRunState(state, event);
  return state;
}

/** Events about steps are folded into the steps; see `step-state.ts`. */
function reduceByType(state: RunState, event: AgentEvent): void {
  switch (event.type) {
    case "run-start":
      start(state, event);
      break;
    case "run-resume":
      resume(state, event);
      break;
    case "run-suspend":
      state.pending = event.pending;
      break;
    case "run-end":
      if (event.outcome.status !== "completed") state.error = event.outcome.error;
      if (event.outcome.status !== "interrupted") state.endedAt = event.timestamp;
      if (event.notUndone !== undefined) state.notUndone = event.notUndone;
      break;
    case "plan-start":
      state.isPlanning = true;
      break;
    case "model-end":
      state.planningUsage = addUsage(state.planningUsage, event.usage);
      state.usage = addUsage(state.usage, event.usage);
      break;
    case "plan-end":
      endPlanning(state, event);
      break;
    case "plan-revise":
      revise(state, event);
      break;
    case "approval-request":
      if (event.kind === "plan") state.planApproval = openApproval(event);
      else reachStep(state, event);
      break;
    case "approval-end":
      if (event.kind === "step") reachStep(state, event);
      else if (state.planApproval !== undefined) state.planApproval = closeApproval(state.planApproval, event);
      break;
    case "step-start":
      state.startedAt ??= event.timestamp;
      delete state.replanError;
      reachStep(state, event);
      break;
    case "undo-start":
      state.hasUndone = true;
      reduceStepOf(state, event);
      break;
    case "step-skip":
      // When a run ends, steps are skipped in any case: that does not show that the plan needs no more approval.
      if (hadNothingToDo(event.reason)) reachStep(state, event);
      else reduceStepOf(state, event);
      break;
    case "step-retry":
    case "step-end":
    case "undo-end":
    case "run-settle":
      reduceStepOf(state, event);
      break;
    case "wait-start":
      startWait(state, event);
      break;
    case "run-deliver":
      deliver(state, event);
      break;
    case "plan-fallback":
    case "circuit-change":
      break;
    default:
      event satisfies AgentEventOf<Exclude<AgentEventType, RecordedType>>;
  }
}

function start(state: RunState, event: AgentEventOf<"run-start">): void {
  state.createdAt = event.timestamp;
  state.metadata = event.metadata;
  state.options = event.options;
  state.tools = event.tools;
  if (event.forkedFrom !== undefined) state.forkedFrom = event.forkedFrom;
  if (event.request !== undefined) state.request = event.request;
  if (event.context !== undefined) state.context = event.context;
  startExecution(state, event);
  if (event.plan === undefined) return;
  state.givenPlan = event.plan;
  adoptPlan(state, event.plan);
}

function startExecution(state: RunState, event: AgentEventOf<"run-start" | "run-resume">): void {
  state.executionStartedAt = event.timestamp;
  if (event.mayBeSealed) state.mayBeSealed = true;
  if (event.traceparent !== undefined) state.traceparent = event.traceparent;
}

function resume(state: RunState, event: AgentEventOf<"run-resume">): void {
  if (event.sequence - 1 === state.forkedFrom?.after) takeOver(state.steps.values());
  startExecution(state, event);
  delete state.hasUndone;
  delete state.pending;
  delete state.error;
  delete state.endedAt;
  delete state.notUndone;
  if (event.retriesFailed === undefined) return;
  delete state.planningError;
  delete state.replanError;
  // Not those that a replan removed.
  for (const { id } of state.plan?.steps ?? []) retryFailed(state.steps.get(id) as StepState, event.timestamp);
}

function endPlanning(state: RunState, event: AgentEventOf<"plan-end">): void {
  const { outcome } = event;
  state.isPlanning = false;
  addToUsage(state, event);
  if (outcome.status === "completed") adoptPlan(state, outcome.plan);
  else if (outcome.error.code !== "interrupted") state.planningError = outcome.error;
}

/** Adds what the calls of a planning used, except what was counted when each ended. */
function addToUsage(state: RunState, { usage }: { readonly usage?: ModelUsage }): void {
  const rest = usage && restOfUsage(usage, state.planningUsage);
  delete state.planningUsage;
  if (rest !== undefined) state.usage = addUsage(state.usage, rest);
}

function adoptPlan(state: RunState, plan: Plan): void {
  state.plan = plan;
  for (const step of plan.steps) state.steps.set(step.id, plannedStep(step));
}

function plannedStep(step: PlanStep): StepState {
  return pendingStep({ stepId: step.id, tool: toolOf(step), input: inputOf(step), reasoning: step.reasoning });
}

/** The ids of the steps that a revised plan has left unchanged. */
export function unchangedSteps(before: Plan | undefined, after: Pick<Plan, "steps">): ReadonlySet<string> {
  const texts = new Map(before?.steps.map((step) => [step.id, canonicalJson(step)]));
  return new Set(after.steps.filter((step) => texts.get(step.id) === canonicalJson(step)).map(({ id }) => id));
}

function revise(state: RunState, event: AgentEventOf<"plan-revise">): void {
  const { outcome, replan } = event;
  addToUsage(state, event);
  // A revision that was cut off does not count: it can be requested again.
  if (outcome.status !== "completed" && outcome.error.code === "interrupted") return;
  state.replans = replan;
  if (outcome.status === "completed") replacePlan(state, outcome);
  else state.replanError = outcome.error;
}

type Revision = Extract<AgentEventOf<"plan-revise">["outcome"], { readonly status: "completed" }>;

/** Keeps the steps that have started, and replaces the others by the new plan's. An unchanged step keeps its state. */
function replacePlan(state: RunState, { plan, approvals }: Revision): void {
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

/** Folds an event that shows that the plan as a whole needs no more approval: a step of it was reached. */
function reachStep(state: RunState, event: StepEvent): void {
  state.isUnderWay = true;
  reduceStepOf(state, event);
}

function reduceStepOf(state: RunState, event: StepEvent): void {
  const step = state.steps.get(event.stepId);
  if (step !== undefined) reduceStep(step, event);
}

/** Starts a wait, which takes the earliest value that was delivered for its event. */
function startWait(state: RunState, { stepId, until, event }: AgentEventOf<"wait-start">): void {
  state.isUnderWay = true;
  const step = state.steps.get(stepId);
  if (step === undefined) return;
  step.status = "waiting";
  delete step.error;
  step.wait = { ...(until !== undefined && { until }), ...(event !== undefined && { event }) };
  if (event === undefined) return;
  const deliveries = deliveriesOf(state);
  const values = deliveries.kept.get(event);
  const value = values?.shift();
  if (value === undefined) {
    listIn(deliveries.waiting, event).push(step);
  } else {
    deliveries.keptCount--;
    step.wait.received = { value };
  }
}

/** Gives a value to the step that has waited longest for its event, or keeps it. */
function deliver(state: RunState, { name, value, id }: AgentEventOf<"run-deliver">): void {
  const deliveries = deliveriesOf(state);
  if (deliveries.ids.has(id)) return;
  deliveries.ids.add(id);
  deliveries.lastTakenBy = undefined;
  const waiting = deliveries.waiting.get(name);
  for (let step = waiting?.shift(); step !== undefined; step = waiting?.shift()) {
    // A replan may have removed it, and a time-out may have ended it.
    if (state.steps.get(step.stepId) !== step || step.status !== "waiting" || step.wait?.event !== name) continue;
    if (step.wait.received !== undefined) continue;
    step.wait.received = { value };
    deliveries.lastTakenBy = step.stepId;
    return;
  }

  listIn(deliveries.kept, name).push(value);
  deliveries.keptCount++;
}

function deliveriesOf(state: RunState): Deliveries {
  state.deliveries ??= { ids: new Set(), kept: new Map(), keptCount: 0, waiting: new Map() };
  return state.deliveries;
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
