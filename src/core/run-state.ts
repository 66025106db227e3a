import type { AgentErrorData } from "./errors.ts";
import {
  type AgentEvent,
  type AgentEventOf,
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
  hadNothingToDo,
  hasStarted,
  instancesOf,
  isDone,
  needsSettling,
  pendingStep,
  type StepEvent,
  type StepState,
  type StepStatus,
} from "./step-state.ts";
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

/** The events that were delivered to a run, and the steps that wait for some. */
interface Deliveries {
  /** Of all that were delivered. */
  readonly ids: Set<string>;
  /** The values that no step has taken, by name, in order. */
  readonly kept: Map<string, JsonValue[]>;
  /** How many those are. */
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
  reducers.get(event.type)?.(state, event);
  return state;
}

/** The state that a list of events leads to. */
export function foldEvents(runId: string, events: Iterable<AgentEvent>): RunState {
  const state = initialRunState(runId);
  for (const event of events) reduceRunState(state, event);
  return state;
}

type Reducers = { readonly [T in RecordedType]: ((state: RunState, event: AgentEventOf<T>) => void) | undefined };

const byType: Reducers = {
  "run-start": (state, event) => {
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
  },
  "plan-start": (state) => {
    state.isPlanning = true;
  },
  "model-end": (state, { usage }) => {
    state.planningUsage = addUsage(state.planningUsage, usage);
    state.usage = addUsage(state.usage, usage);
  },
  "plan-fallback": undefined,
  "plan-end": (state, event) => {
    const { outcome } = event;
    state.isPlanning = false;
    addToUsage(state, event);
    if (outcome.status === "completed") adoptPlan(state, outcome.plan);
    else if (outcome.error.code !== "interrupted") state.planningError = outcome.error;
  },
  "plan-revise": (state, event) => {
    const { outcome, replan } = event;
    addToUsage(state, event);
    // A revision that was cut off does not count: it can be requested again.
    if (outcome.status !== "completed" && outcome.error.code === "interrupted") return;
    state.replans = replan;
    if (outcome.status === "completed") revisePlan(state, outcome);
    else state.replanError = outcome.error;
  },
  "approval-request": (state, event) => {
    if (event.kind === "plan") {
      state.planApproval = requested(event);
      return;
    }
    state.isUnderWay = true;
    reduceStepOf(state, event);
  },
  "approval-end": (state, event) => {
    if (event.kind === "plan") {
      if (state.planApproval !== undefined) state.planApproval = decided(state.planApproval, event);
      return;
    }
    state.isUnderWay = true;
    reduceStepOf(state, event);
  },
  "step-start": (state, event) => {
    state.isUnderWay = true;
    state.startedAt ??= event.timestamp;
    delete state.replanError;
    reduceStepOf(state, event);
  },
  "step-retry": reduceStepOf,
  "step-skip": (state, event) => {
    // When a run ends, steps are skipped in any case: that does not show that the plan needs no more approval.
    if (hadNothingToDo(event.reason)) state.isUnderWay = true;
    reduceStepOf(state, event);
  },
  "step-end": reduceStepOf,
  "undo-start": (state, event) => {
    state.hasUndone = true;
    reduceStepOf(state, event);
  },
  "undo-end": reduceStepOf,
  "circuit-change": undefined,
  "wait-start": reduceWaitStart,
  "run-deliver": reduceDeliver,
  "run-settle": reduceStepOf,
  "run-suspend": (state, event) => {
    state.pending = event.pending;
  },
  "run-resume": (state, event) => {
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
  },
  "run-end": (state, { outcome, notUndone, timestamp }) => {
    if (outcome.status !== "completed") state.error = outcome.error;
    if (outcome.status !== "interrupted") state.endedAt = timestamp;
    if (notUndone !== undefined) state.notUndone = notUndone;
  },
};

const reducers = new Map(Object.entries(byType)) as ReadonlyMap<
  string,
  ((state: RunState, event: AgentEvent) => void) | undefined
>;

function startExecution(state: RunState, event: AgentEventOf<"run-start" | "run-resume">): void {
  state.executionStartedAt = event.timestamp;
  if (event.mayBeSealed) state.mayBeSealed = true;
  if (event.traceparent !== undefined) state.traceparent = event.traceparent;
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

type Revision = Extract<AgentEventOf<"plan-revise">["outcome"], { readonly status: "completed" }>;

/** Keeps the steps that have started, and replaces the others by the new plan's. An unchanged step keeps its state. */
function revisePlan(state: RunState, { plan, approvals }: Revision): void {
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

function reduceStepOf(state: RunState, event: StepEvent): void {
  const step = state.steps.get(event.stepId);
  if (step !== undefined) reduceStep(step, event);
}

/** Folds an event into the step it is about, in place. */
export function reduceStep(step: StepState, event: StepEvent): void {
  if (event.iteration === undefined) reduceOne(step, event);
  else reduceIteration(step, event as IterationEvent);
}

type IterationEvent = StepEvent & { readonly iteration: number };

function reduceOne(step: StepState, event: StepEvent): void {
  switch (event.type) {
    case "step-start":
      step.status = "running";
      delete step.error;
      delete step.isSettled;
      delete step.isTakenOver;
      step.input = event.input as JsonObject;
      step.startedAt = event.timestamp;
      if (step.attempts > 0) step.earlierAttempts = step.attempts;
      step.attempts++;
      if (event.effect !== undefined) step.effect = event.effect;
      break;
    case "step-retry":
      if (event.undo === undefined) step.attempts = event.attempt + 1;
      break;
    case "step-skip":
      skip(step, event);
      break;
    case "step-end":
      step.status = event.outcome.status;
      step.attempts = event.attempts;
      step.completedAt = event.timestamp;
      step.endSequence = event.sequence;
      if (event.outcome.status === "completed") step.output = event.outcome.output as JsonValue;
      else step.error = event.outcome.error;
      break;
    case "approval-request":
      step.input = event.input as JsonObject;
      step.effect = event.effect;
      step.approval = requested(event);
      // A step that was cut off waits now, and has not failed.
      delete step.error;
      step.status = "waiting";
      break;
    case "approval-end":
      decide(step, event);
      break;
    case "undo-start":
      step.isUndoing = true;
      break;
    case "undo-end":
      delete step.isUndoing;
      if (event.outcome.status === "completed") step.status = "undone";
      break;
    case "run-settle":
      settle(step, event);
      break;
    default:
      event satisfies never;
  }
}

function skip(step: StepState, { reason }: Extract<StepEvent, { type: "step-skip" }>): void {
  step.status = "skipped";
  step.skipReason = reason;
  // If it was rejected before the run was tried again, only the approval still has the error.
  if (reason === "approval-rejected" && step.approval?.error !== undefined) step.error = step.approval.error;
  if (reason === "condition") step.output = null;
  if (reason === "no-items") step.output = [];
}

function decide(step: StepState, event: Extract<StepEvent, { type: "approval-end" }>): void {
  const { outcome } = event;
  if (outcome.status === "rejected") step.error = outcome.error;
  if (outcome.status === "withdrawn" && step.status === "waiting") step.status = "pending";
  if (step.approval === undefined) return;
  step.approval = decided(step.approval, event);
  const { changed } = step.approval;
  if (changed === undefined) return;
  step.input = changed.input;
  step.effect = changed.effect;
}

/** Each event costs the same, however many iterations there are; only the last one reads all of them. */
function reduceIteration(step: StepState, event: IterationEvent): void {
  // If stored events were tampered with, nothing but an iteration may be written to.
  if (!Number.isInteger(event.iteration)) return;
  step.iterations ??= { states: [], ended: 0, completed: 0 };
  const { states } = step.iterations;
  if ("iterations" in event && states.length === 0) addIterations(step, states, event.iterations ?? 0);
  const iteration = states[event.iteration];
  if (iteration === undefined) return;
  const { attempts, status } = iteration;
  reduceOne(iteration, event);
  step.attempts += iteration.attempts - attempts;
  if (event.type === "approval-request") step.status = iteration.status;
  else if (event.type === "step-start") {
    step.status = "running";
    step.startedAt ??= event.timestamp;
  }
  if (iteration.status === "completed") step.iterations.completed += status === "completed" ? 0 : 1;
  else if (status === "completed") {
    step.iterations.completed--;
    if (step.iterations.completed === 0) step.status = "undone";
  }
  countEnded(step, { before: status, after: iteration.status, timestamp: event.timestamp });
}

/** Counts an iteration that has ended, or runs again; the last one ends its loop. */
function countEnded(
  step: StepState,
  { before, after, timestamp }: { before: StepStatus; after: StepStatus; timestamp: string },
): void {
  const { iterations } = step;
  if (iterations === undefined || (before === after && hasEnded(before))) return;
  iterations.ended += Number(hasEnded(after)) - Number(hasEnded(before));
  if (iterations.ended === iterations.states.length) {
    if (!hasEnded(before) || before === "unknown") endLoop(step, iterations.states, timestamp);
  } else if (before === "unknown" || (hasEnded(before) && !hasEnded(after))) reopenLoop(step);
}

const openStatuses: ReadonlySet<StepStatus> = new Set(["pending", "running", "waiting", "interrupted"]);

function hasEnded(status: StepStatus): boolean {
  return !openStatuses.has(status);
}

function reopenLoop(step: StepState): void {
  step.status = "running";
  delete step.error;
  delete step.completedAt;
  delete step.output;
}

/** Marks what has started so far: it has in another run, of which this one is a fork. */
function takeOver(steps: Iterable<StepState>): void {
  for (const part of instancesOf(steps)) if (hasStarted(part)) part.isTakenOver = true;
}

/** Marks whatever failed, or never started because of that, to be run again, unless it is in doubt. */
function retryFailed(step: StepState, timestamp: string): void {
  const { iterations } = step;
  if (iterations === undefined) {
    retryOne(step);
    return;
  }
  const { states } = iterations;
  const retried = states.filter(retryOne);
  iterations.ended -= retried.length;
  if (retried.length > 0) reopenLoop(step);
  else if (states.some(({ status }) => status === "unknown")) endLoop(step, states, timestamp);
}

function retryOne(step: StepState): boolean {
  if (needsSettling(step)) {
    step.status = "unknown";
    return false;
  }
  const { status, skipReason } = step;
  const wasCut = skipReason === "dependency-failed" || skipReason === "run-ended";
  if (status !== "failed" && status !== "cancelled" && !wasCut) return false;
  // Its approval request is still open.
  if (status === "failed" || status === "cancelled") delete step.wait;
  step.status = step.approval?.status === "requested" || step.wait !== undefined ? "waiting" : "pending";
  delete step.error;
  delete step.skipReason;
  delete step.completedAt;
  return true;
}

function settle(step: StepState, { outcome, timestamp, sequence }: Extract<StepEvent, { type: "run-settle" }>): void {
  delete step.error;
  step.status = outcome.status === "retry" ? "pending" : outcome.status;
  if (outcome.status === "failed") {
    step.error = outcome.error;
    step.isSettled = true;
  }
  if (outcome.status === "completed") step.output = outcome.output as JsonValue;
  if (outcome.status === "retry") return;
  step.completedAt = timestamp;
  step.endSequence = sequence;
}

function addIterations(step: StepState, states: StepState[], count: number): void {
  for (let iteration = 0; iteration < count; iteration++) {
    const state = pendingStep(step);
    state.iteration = iteration;
    states.push(state);
  }
}

function endLoop(step: StepState, states: readonly StepState[], timestamp: string): void {
  step.completedAt = timestamp;
  // An iteration in doubt outweighs a failed one, and that one outweighs one that never started.
  const isBad = (iteration: StepState) => !isDone(iteration);
  const worst =
    states.find(({ status }) => status === "unknown") ?? states.find((s) => isBad(s) && s.error) ?? states.find(isBad);
  step.status = worst?.status ?? "completed";
  delete step.error;
  if (worst?.error !== undefined) step.error = worst.error;
  if (worst === undefined) step.output = Object.freeze(states.map(({ output }) => output ?? null));
}

/** A newly opened question. */
export function requested({
  hash,
  expiresAt,
}: Pick<AgentEventOf<"approval-request">, "expiresAt" | "hash">): ApprovalState {
  return { hash, status: "requested", ...(expiresAt !== undefined && { expiresAt }) };
}

/** A withdrawn question can no longer be approved. */
export function decided(
  { hash, status }: ApprovalState,
  { outcome, timestamp }: AgentEventOf<"approval-end">,
): ApprovalState {
  if (outcome.status === "withdrawn") return { hash, status: "withdrawn" };
  if (status === "withdrawn" && outcome.status === "approved") return { hash, status };
  return { hash, ...outcome, decidedAt: timestamp };
}

/** The wait takes the earliest value that was delivered for its event. */
function reduceWaitStart(state: RunState, { stepId, until, event }: AgentEventOf<"wait-start">): void {
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

/** The step that has waited longest for it takes it, or it is kept. */
function reduceDeliver(state: RunState, { name, value, id }: AgentEventOf<"run-deliver">): void {
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
