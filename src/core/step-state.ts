import type { ApprovalReason } from "./approval-reason.ts";
import { type ApprovalState, decided, requested } from "./approval-state.ts";
import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent, SkipReason } from "./events.ts";
import { isFailedInDoubt } from "./in-doubt.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { StepPlace } from "./step-place.ts";
import type { ToolEffect } from "./tool.ts";

export type { ApprovalState } from "./approval-state.ts";

/** Where a step stands. */
export type StepStatus =
  | "pending"
  | "running"
  /** For approval. */
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
  /** Of a looped step a list, with null for each iteration that was skipped. */
  output?: JsonValue;
  error?: AgentErrorData;
  effect?: ToolEffect;
  startedAt?: string;
  completedAt?: string;
  /** The number of the event that ended it: timestamps may be the same. */
  endSequence?: number;
  reasoning?: string;
  approval?: ApprovalState;
  /** Why a step of a replan needs approval, beside what its tool and the policy say. */
  approvalReasons?: readonly ApprovalReason[];
  /** Of one that was skipped. */
  skipReason?: SkipReason;
  /** Whether its undoing has begun and has not ended. */
  isUndoing?: boolean;
  /** Of a looped step that has begun. */
  iterations?: IterationStates;
}

/** The iterations of a looped step. */
export interface IterationStates {
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

/** A step that has not begun. */
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

/** Whether those that depend on a step may go on: it has completed, or there was nothing for it to do. */
export function isDone({ status, skipReason }: StepState): boolean {
  return status === "completed" || hadNothingToDo(skipReason);
}

/** Whether a step was skipped because there was nothing for it to do, and not because of a failure or an end. */
export function hadNothingToDo(skipReason: SkipReason | undefined): boolean {
  return skipReason === "condition" || skipReason === "no-items";
}

/** Whether a step, or some of its iterations, is still to be run; one that was interrupted is so again. */
export function isOpen({ status, iterations }: StepState): boolean {
  if (status === "pending" || status === "waiting" || status === "interrupted") return true;
  return iterations !== undefined && iterations.ended < iterations.states.length;
}

/** Whether a step, or one of its iterations, has begun or was skipped: it keeps its place in the log, and its id. */
export function hasBegun({ status, iterations, startedAt }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(hasBegun);
  // One that is to run again is pending, and has begun.
  return startedAt !== undefined || (status !== "pending" && status !== "waiting");
}

/** Whether a step, or one of its iterations, asked for approval, has got an answer and has not gone on yet. */
export function isDecided({ status, approval, iterations }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(isDecided);
  return status === "waiting" && (approval?.status === "approved" || approval?.status === "rejected");
}

/** The steps, and instead of a looped one its iterations. */
export function* partsOf(steps: Iterable<StepState>): Iterable<StepState> {
  for (const step of steps) {
    if (step.iterations === undefined) yield step;
    else yield* step.iterations.states;
  }
}

/** The step or iteration at a place, if there is one. */
export function partAt(steps: ReadonlyMap<string, StepState>, { stepId, iteration }: StepPlace): StepState | undefined {
  const step = steps.get(stepId);
  return iteration === undefined ? step : step?.iterations?.states[iteration];
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
      step.status = "skipped";
      step.skipReason = event.reason;
      if (event.reason === "condition") step.output = null;
      if (event.reason === "no-items") step.output = [];
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
      step.status = step.approval.status === "requested" ? "waiting" : "pending";
      break;
    case "approval-end":
      if (event.outcome.status === "rejected") step.error = event.outcome.error;
      if (event.outcome.status === "withdrawn") step.status = "pending";
      if (step.approval !== undefined) step.approval = decided(step.approval, event);
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

/** Each event costs the same, however many iterations there are; only the last one looks at all of them. */
function reduceIteration(step: StepState, event: IterationEvent): void {
  // Where stored events were tampered with, nothing but an iteration may be written to.
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

/** What has failed, or never began because of that, is to be run again, unless it is in doubt. */
export function retryFailed(step: StepState, timestamp: string): void {
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
  if (isFailedInDoubt(step)) {
    step.status = "unknown";
    return false;
  }
  const { status, skipReason } = step;
  const wasCut = skipReason === "dependency-failed" || skipReason === "run-ended";
  if (status !== "failed" && status !== "cancelled" && !wasCut) return false;
  // What was asked about it is still open.
  step.status = step.approval?.status === "requested" ? "waiting" : "pending";
  delete step.error;
  delete step.skipReason;
  delete step.completedAt;
  return true;
}

function settle(step: StepState, { outcome, timestamp, sequence }: Extract<StepEvent, { type: "run-settle" }>): void {
  delete step.error;
  step.status = outcome.status === "retry" ? "pending" : outcome.status;
  if (outcome.status === "failed") step.error = outcome.error;
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
  // One in doubt weighs more than one that failed, and that more than one that was never begun.
  const isBad = (iteration: StepState) => !isDone(iteration);
  const worst =
    states.find(({ status }) => status === "unknown") ?? states.find((s) => isBad(s) && s.error) ?? states.find(isBad);
  step.status = worst?.status ?? "completed";
  delete step.error;
  if (worst?.error !== undefined) step.error = worst.error;
  if (worst === undefined) step.output = Object.freeze(states.map(({ output }) => output ?? null));
}
