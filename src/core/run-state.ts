import type { ApprovalReason, ChangedCall, DecisionNote } from "./approval.ts";
import { callOutcome } from "./call-outcome.ts";
import type { AgentErrorData } from "./errors.ts";
import {
  type AgentEvent,
  type AgentEventOf,
  type ForkPoint,
  isDigested,
  type NotUndone,
  type PendingItem,
  type SkipReason,
  type StoredRunOptions,
  type TransientEvent,
  type TurnOutcome,
  type WaitDue,
} from "./events.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "./json.ts";
import { addTo } from "./lists.ts";
import { addUsage, type ModelUsage, restOfUsage } from "./model-usage.ts";
import type { Plan, PlanStep, Question } from "./plan.ts";
import { questionOf } from "./question.ts";
import { type RunStatus, runStatusAfter } from "./run-summary.ts";
import { inputOf, type StepRef, toolOf } from "./step.ts";
import type { ToolEffect } from "./tool.ts";
import type { ToolFingerprint } from "./tool-schemas.ts";

export interface RunState {
  readonly runId: string;
  status: RunStatus;
  sequence: number;
  forkedFrom?: ForkPoint;
  request?: string;
  context?: string;
  thread?: string;
  metadata: JsonObject;
  options?: StoredRunOptions;
  tools?: readonly ToolFingerprint[];
  plan?: Plan;
  isUnderWay?: boolean;
  givenPlan?: Plan;
  firstPlan?: Plan;
  isPlanning?: boolean;
  turn?: TurnOutcome;
  readonly steps: Map<string, StepState>;
  planApproval?: ApprovalState;
  replans: number;
  replanError?: AgentErrorData;
  hasUndone?: boolean;
  isUndone?: true;
  mayBeSealed?: true;
  traceparent?: string;
  digest?: { readonly value: string; readonly sequence: number };
  executionStartedAt?: string;
  /** Number of executions that have died since the run last recorded progress. */
  deaths?: number;
  error?: AgentErrorData;
  planningError?: AgentErrorData;
  pending?: readonly PendingItem[];
  resumeAt?: string;
  deliveries?: Deliveries;
  notUndone?: readonly NotUndone[];
  text?: string;
  usage?: ModelUsage;
  planningUsage?: ModelUsage;
  createdAt: string;
  updatedAt: string;
  startedAt?: string;
  endedAt?: string;
}

interface Deliveries {
  readonly ids: Set<string>;
  readonly kept: Map<string, JsonValue[]>;
  keptCount: number;
  readonly waiting: Map<string, StepState[]>;
  lastTakenBy?: string | undefined;
}

export function initialRunState(runId: string): RunState {
  const steps = new Map<string, StepState>();
  return { runId, status: "planning", sequence: 0, metadata: {}, steps, replans: 0, createdAt: "", updatedAt: "" };
}

/** Changes the state in place, so that the cost of an event does not grow with the run. */
export function reduceRunState(state: RunState, event: AgentEvent): RunState {
  state.sequence = event.sequence;
  state.updatedAt = event.timestamp;
  if (state.createdAt === "") state.createdAt = event.timestamp;
  if (event.type === "run-resume" && isLeftOpen(state)) state.deaths = (state.deaths ?? 0) + 1;
  else if (state.deaths !== undefined && isNew(event)) delete state.deaths;
  state.status = runStatusAfter(event) ?? state.status;
  if (isDigested(event) && event.digest) state.digest = { value: event.digest, sequence: event.sequence };
  if ((event.type === "run-end" || event.type === "run-suspend") && event.text !== undefined) state.text = event.text;
  reduceByType(state, event);
  return state;
}

export function isLeftOpen({ status }: Pick<RunState, "status">): boolean {
  return status === "planning" || status === "running";
}

const repeated: ReadonlySet<string> = new Set(
  "run-resume plan-start model-end plan-fallback step-start step-retry undo-start circuit-change".split(" "),
);

function isNew(event: AgentEvent): boolean {
  const outcome = "outcome" in event ? event.outcome : undefined;
  // The end of a step that was cut off is recorded by the next execution, so it is not progress of the earlier one.
  const isCutOff = outcome !== undefined && "error" in outcome && outcome.error.code === "interrupted";
  return !repeated.has(event.type) && !isCutOff;
}

export function foldEvents(runId: string, events: Iterable<AgentEvent>): RunState {
  const state = initialRunState(runId);
  for (const event of events) reduceRunState(state, event);
  return state;
}

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
      if (event.resumeAt !== undefined) state.resumeAt = event.resumeAt;
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
      if (state.replanError !== undefined) delete state.replanError;
      reachStep(state, event);
      break;
    case "undo-start":
      state.hasUndone = true;
      reduceStepOf(state, event);
      break;
    case "step-skip":
      // Steps are also skipped at the end of a run, whether or not the plan was approved.
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
      event satisfies TransientEvent;
  }
}

function start(state: RunState, event: AgentEventOf<"run-start">): void {
  // An earlier attempt to start the run may have been suspended.
  delete state.pending;
  state.metadata = event.metadata;
  state.options = event.options;
  state.tools = event.tools;
  if (event.forkedFrom !== undefined) state.forkedFrom = event.forkedFrom;
  if (event.request !== undefined) state.request = event.request;
  if (event.context !== undefined) state.context = event.context;
  if (event.thread !== undefined) state.thread = event.thread;
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

const resumedKeys = ["hasUndone", "pending", "resumeAt", "error", "endedAt", "notUndone", "text"] as const;

function resume(state: RunState, event: AgentEventOf<"run-resume">): void {
  if (event.sequence - 1 === state.forkedFrom?.after) {
    for (const part of instancesOf(state.steps.values())) if (hasStarted(part)) part.isTakenOver = true;
  }
  startExecution(state, event);
  for (const key of resumedKeys) delete state[key];
  if (event.undo) state.isUndone = true;
  if (event.retriesFailed === undefined) return;
  delete state.planningError;
  delete state.replanError;
  for (const { id } of state.plan?.steps ?? []) retryFailed(state.steps.get(id) as StepState, event.timestamp);
}

function endPlanning(state: RunState, event: AgentEventOf<"plan-end">): void {
  const { outcome } = event;
  state.isPlanning = false;
  addToUsage(state, event);
  if (outcome.status === "completed") adoptPlan(state, outcome.plan);
  else if (!("error" in outcome)) state.turn = outcome;
  else if (outcome.error.code !== "interrupted") state.planningError = outcome.error;
}

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

export function unchangedSteps(before: Plan | undefined, after: Pick<Plan, "steps">): ReadonlySet<string> {
  const texts = new Map(before?.steps.map((step) => [step.id, canonicalJson(step)]));
  return new Set(after.steps.filter((step) => texts.get(step.id) === canonicalJson(step)).map(({ id }) => id));
}

function revise(state: RunState, event: AgentEventOf<"plan-revise">): void {
  const { outcome, replan } = event;
  addToUsage(state, event);
  // A revision that was cut off can be requested again.
  if (outcome.status !== "completed" && outcome.error.code === "interrupted") return;
  state.replans = replan;
  if (outcome.status === "completed") replacePlan(state, outcome);
  else state.replanError = outcome.error;
}

type Revision = Extract<AgentEventOf<"plan-revise">["outcome"], { readonly status: "completed" }>;

function replacePlan(state: RunState, { plan, approvals }: Revision): void {
  const before = new Map(state.steps);
  const stays = unchangedSteps(state.plan, plan);
  for (const step of before.values()) if (!hasStarted(step)) state.steps.delete(step.stepId);
  delete state.planApproval;
  delete state.isUnderWay;
  if (state.plan !== undefined) state.firstPlan ??= state.plan;
  state.plan = plan;
  for (const step of plan.steps) {
    if (state.steps.has(step.id)) continue;
    const same = stays.has(step.id) ? before.get(step.id) : undefined;
    state.steps.set(step.id, same ?? plannedStep(step));
  }
  for (const { stepId, reasons } of approvals ?? []) {
    const step = state.steps.get(stepId);
    if (step !== undefined) step.approvalReasons = reasons;
  }
}

function reachStep(state: RunState, event: StepEvent): void {
  state.isUnderWay = true;
  reduceStepOf(state, event);
}

function reduceStepOf(state: RunState, event: StepEvent): void {
  const step = state.steps.get(event.stepId);
  if (step !== undefined) reduceStep(step, event);
}

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
  if (value === undefined) addTo(deliveries.waiting, event, step);
  else {
    deliveries.keptCount--;
    step.wait.received = { value };
  }
}

function deliver(state: RunState, { name = "", stepId, value, id }: AgentEventOf<"run-deliver">): void {
  if (stepId !== undefined) {
    const step = state.steps.get(stepId);
    if (step !== undefined && openQuestionOf(step) !== undefined) step.wait = { ...step.wait, received: { value } };
    return;
  }
  const deliveries = deliveriesOf(state);
  if (deliveries.ids.has(id)) return;
  deliveries.ids.add(id);
  deliveries.lastTakenBy = undefined;
  const waiting = deliveries.waiting.get(name);
  for (let step = waiting?.shift(); step !== undefined; step = waiting?.shift()) {
    // A replan may have removed the step, and a timeout may have ended its wait.
    if (state.steps.get(step.stepId) !== step || step.status !== "waiting" || step.wait?.event !== name) continue;
    if (step.wait.received !== undefined) continue;
    step.wait.received = { value };
    deliveries.lastTakenBy = step.stepId;
    return;
  }
  addTo(deliveries.kept, name, value);
  deliveries.keptCount++;
}

function deliveriesOf(state: RunState): Deliveries {
  state.deliveries ??= { ids: new Set(), kept: new Map(), keptCount: 0, waiting: new Map() };
  return state.deliveries;
}

/** The status of a step. @group Runs and results */
export type StepStatus =
  | "pending"
  | "running"
  /** The step waits for an approval, a time, an event or an answer. */
  | "waiting"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled"
  | "interrupted"
  | "unknown"
  | "undone";

export interface StepState {
  readonly stepId: string;
  readonly tool: string;
  iteration?: number;
  input: JsonObject;
  status: StepStatus;
  attempts: number;
  earlierAttempts?: number;
  output?: JsonValue;
  error?: AgentErrorData;
  progress?: JsonValue;
  effect?: ToolEffect;
  startedAt?: string;
  completedAt?: string;
  endSequence?: number;
  reasoning?: string;
  approval?: ApprovalState;
  wait?: WaitDue & { received?: { readonly value: JsonValue } };
  approvalReasons?: readonly ApprovalReason[];
  /** True if the step was settled as failed. It then runs again only if it is later settled as `retry`. */
  isSettled?: boolean;
  /** True if the step has started only in the original run of the fork. */
  isTakenOver?: true;
  skipReason?: SkipReason;
  isUndoing?: boolean;
  iterations?: { readonly states: StepState[]; ended: number; completed: number };
}

export type StepEvent = Extract<
  AgentEvent,
  | { type: "step-start" | "step-retry" | "step-skip" | "step-end" | "undo-start" | "undo-end" | "run-settle" }
  | { type: "approval-request" | "approval-end"; kind: "step" }
>;

type PlannedStep = Pick<StepState, "stepId" | "tool" | "input"> & { readonly reasoning?: string | undefined };

export function pendingStep({ stepId, tool, input, reasoning }: PlannedStep): StepState {
  const state: StepState = { stepId, tool, input, status: "pending", attempts: 0 };
  if (reasoning !== undefined) state.reasoning = reasoning;
  return state;
}

export interface ApprovalState extends DecisionNote {
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  readonly input?: JsonObject;
  readonly isAskedAgain?: true;
  readonly expiresAt?: string;
  readonly error?: AgentErrorData;
  readonly decidedAt?: string;
  readonly changed?: ChangedCall;
}

export function reduceStep(step: StepState, event: StepEvent): void {
  if (event.iteration === undefined) reduceOne(step, event);
  else reduceIteration(step, event as IterationEvent);
}

type IterationEvent = StepEvent & { readonly iteration: number };

/** Only present keys are deleted: deleting an absent key takes as long as all other work on an event. */
const endKeys = ["error", "progress", "isSettled", "isTakenOver"] as const;

function reduceOne(step: StepState, event: StepEvent): void {
  switch (event.type) {
    case "step-start":
      step.status = "running";
      for (const key of endKeys) if (key in step) delete step[key];
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
      if (event.progress !== undefined) step.progress = event.progress;
      if (event.outcome.status === "completed") step.output = event.outcome.output as JsonValue;
      else step.error = event.outcome.error;
      break;
    case "approval-request":
      step.approval = { ...openApproval(event), ...reviewed(step, event) };
      step.input = (event.given ?? event.input) as JsonObject;
      step.effect = event.effect;
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
  // A retry of the run removes the error from the step, but not from the approval.
  if (reason === "approval-rejected" && step.approval?.error !== undefined) step.error = step.approval.error;
  if (reason === "condition") step.output = null;
  if (reason === "no-items") step.output = [];
}

function decide(step: StepState, event: Extract<StepEvent, { type: "approval-end" }>): void {
  const { outcome } = event;
  if (outcome.status === "rejected") step.error = outcome.error;
  if (outcome.status === "withdrawn" && step.status === "waiting") step.status = "pending";
  if (step.approval === undefined) return;
  step.approval = closeApproval(step.approval, event);
  const { changed } = step.approval;
  if (changed === undefined) return;
  step.input = changed.input;
  step.effect = changed.effect;
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

function openApproval({ hash, expiresAt }: AgentEventOf<"approval-request">): ApprovalState {
  return { hash, status: "requested", ...(expiresAt !== undefined && { expiresAt }) };
}

function reviewed(
  { approval, input: before }: StepState,
  { input, given }: Extract<StepEvent, { type: "approval-request" }>,
): Partial<ApprovalState> {
  const isSame = approval?.status === "approved" && canonicalJson(before) === canonicalJson(given ?? input);
  return { ...(given !== undefined && { input: input as JsonObject }), ...(isSame && { isAskedAgain: true }) };
}

function closeApproval(
  { hash, status, input, isAskedAgain }: ApprovalState,
  { outcome, timestamp }: AgentEventOf<"approval-end">,
): ApprovalState {
  const asked = { hash, ...(input !== undefined && { input }), ...(isAskedAgain && { isAskedAgain }) };
  if (outcome.status === "withdrawn") return { ...asked, status: "withdrawn" };
  if (status === "withdrawn" && outcome.status === "approved") return { ...asked, status };
  return { ...asked, ...outcome, decidedAt: timestamp };
}

/** Only the first and the last event visit all iterations, so the cost of any other event does not depend on them. */
function reduceIteration(step: StepState, event: IterationEvent): void {
  // Tampered events must not write to any property except an iteration.
  if (!Number.isInteger(event.iteration)) return;
  step.iterations ??= { states: [], ended: 0, completed: 0 };
  const { states } = step.iterations;
  if ("iterations" in event && states.length === 0)
    for (let number = 0; number < (event.iterations ?? 0); number++)
      states.push(Object.assign(pendingStep(step), { iteration: number }));
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

const unendedStatuses: ReadonlySet<StepStatus> = new Set(["pending", "running", "waiting", "interrupted"]);

function hasEnded(status: StepStatus): boolean {
  return !unendedStatuses.has(status);
}

function endLoop(step: StepState, states: readonly StepState[], timestamp: string): void {
  step.completedAt = timestamp;
  const bad = states.filter((iteration) => !isDone(iteration));
  const worst = bad.find(({ status }) => status === "unknown") ?? bad.find(({ error }) => error) ?? bad[0];
  step.status = worst?.status ?? "completed";
  delete step.error;
  if (worst?.error !== undefined) step.error = worst.error;
  if (worst === undefined) step.output = Object.freeze(states.map(({ output }) => output ?? null));
}

function reopenLoop(step: StepState): void {
  step.status = "running";
  delete step.error;
  delete step.completedAt;
  delete step.output;
}

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
  // The step must be settled before it runs again, even if it was already settled as failed.
  if (isFailedInDoubt(step) || (isFailedCall(step) && step.isSettled === true)) {
    step.status = "unknown";
    return false;
  }
  const { status, skipReason } = step;
  const wasCut = skipReason === "dependency-failed" || skipReason === "run-ended";
  if (status !== "failed" && status !== "cancelled" && !wasCut) return false;
  if (status === "failed" || status === "cancelled") delete step.wait;
  step.status = step.approval?.status === "requested" || step.wait !== undefined ? "waiting" : "pending";
  delete step.error;
  delete step.skipReason;
  delete step.completedAt;
  return true;
}

export function isDone({ status, skipReason }: StepState): boolean {
  return status === "completed" || hadNothingToDo(skipReason);
}

export function hadNothingToDo(skipReason: SkipReason | undefined): boolean {
  return skipReason === "condition" || skipReason === "no-items";
}

export function isStillToRun({ status, iterations }: StepState): boolean {
  if (status === "pending" || status === "waiting" || status === "interrupted") return true;
  return iterations !== undefined && iterations.ended < iterations.states.length;
}

export function hasStarted({ status, iterations, startedAt }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(hasStarted);
  return startedAt !== undefined || (status !== "pending" && status !== "waiting");
}

export function isDecided({ status, approval, iterations }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(isDecided);
  return status === "waiting" && (approval?.status === "approved" || approval?.status === "rejected");
}

export function isAwaited({ status, wait }: Pick<StepState, "status" | "wait">): boolean {
  return status === "waiting" && wait !== undefined;
}

export function openQuestionOf(step: StepState): Question | undefined {
  return isAwaited(step) && step.wait?.received === undefined ? questionOf(step) : undefined;
}

export function isWaitOver({ status, wait }: Pick<StepState, "status" | "wait">, nowMs: number): boolean {
  if (wait === undefined || (status !== "waiting" && status !== "interrupted")) return false;
  return wait.received !== undefined || (wait.until !== undefined && Date.parse(wait.until) <= nowMs);
}

export function instancesOf(steps: Iterable<StepState>): readonly StepState[] {
  return Array.from(steps).flatMap((step) => step.iterations?.states ?? step);
}

export function instanceAt(steps: RunState["steps"], { stepId, iteration }: StepRef): StepState | undefined {
  const step = steps.get(stepId);
  return iteration === undefined ? step : step?.iterations?.states[iteration];
}

export function isFailedInDoubt(step: StepState): boolean {
  return isFailedCall(step) && step.isSettled !== true && callOutcome(step.error?.cause) !== "not-done";
}

function isFailedCall({ effect, status, attempts, earlierAttempts = 0 }: StepState): boolean {
  return effect === "once" && (status === "failed" || status === "cancelled") && attempts > earlierAttempts;
}
