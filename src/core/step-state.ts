import type { ApprovalReason, ChangedCall } from "./approval.ts";
import { type AgentErrorData, isAgentError } from "./errors.ts";
import type { AgentEvent, AgentEventOf, SkipReason, WaitDue } from "./events.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { StepRef } from "./step.ts";
import type { ToolEffect } from "./tool.ts";

/** The status of a step. @group Runs and results */
export type StepStatus =
  | "pending"
  | "running"
  /** For an approval, a time or an event. */
  | "waiting"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled"
  | "interrupted"
  | "unknown"
  | "undone";

/** The state of a step, or of one iteration of it. */
export interface StepState {
  readonly stepId: string;
  readonly tool: string;
  iteration?: number;
  input: JsonObject;
  status: StepStatus;
  /** Number of calls of the tool, over all iterations and all executions of the step. */
  attempts: number;
  /** Number of those before its latest execution. */
  earlierAttempts?: number;
  /** For a looped step a list, with null for each iteration that was skipped. */
  output?: JsonValue;
  error?: AgentErrorData;
  effect?: ToolEffect;
  startedAt?: string;
  completedAt?: string;
  /** The number of the event that ended it: timestamps may be the same. */
  endSequence?: number;
  reasoning?: string;
  approval?: ApprovalState;
  /** The time or event that it waits for, once it does, and the event that it has received. */
  wait?: WaitDue & { received?: { readonly value: JsonValue } };
  /** The reasons for which a step of a replan needs approval, apart from its tool and the policy. */
  approvalReasons?: readonly ApprovalReason[];
  /** True if it was settled as failed: it took no effect and must not run again. */
  isSettled?: boolean;
  /** True if it has started in the run that this one was forked from, and not in this one. */
  isTakenOver?: true;
  /** Only if it was skipped. */
  skipReason?: SkipReason;
  /** True if its undoing has started and has not ended. */
  isUndoing?: boolean;
  /** Only for a looped step that has started. */
  iterations?: IterationStates;
}

/** The iterations of a looped step. */
interface IterationStates {
  readonly states: StepState[];
  /** Number of those that have ended. */
  ended: number;
  /** Number of those that have completed and were not undone. */
  completed: number;
}

/** An event about one step or iteration. */
export type StepEvent = Extract<
  AgentEvent,
  | { type: "step-start" | "step-retry" | "step-skip" | "step-end" | "undo-start" | "undo-end" | "run-settle" }
  | { type: "approval-request" | "approval-end"; kind: "step" }
>;

/** A step that has not started. */
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

/** The question about a step or a plan, and the decision. */
export interface ApprovalState {
  /** The hash of what was reviewed: the decision is bound to it. */
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  /** The time at which a question expires. ISO 8601, UTC. */
  readonly expiresAt?: string;
  /** Only if rejected. */
  readonly error?: AgentErrorData;
  readonly by?: string;
  readonly comment?: string;
  /** ISO 8601, UTC. */
  readonly decidedAt?: string;
  /** The call that was approved in place of the reviewed one. */
  readonly changed?: ChangedCall;
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
      step.approval = openApproval(event);
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

/** Opens a question. */
export function openApproval({
  hash,
  expiresAt,
}: Pick<AgentEventOf<"approval-request">, "expiresAt" | "hash">): ApprovalState {
  return { hash, status: "requested", ...(expiresAt !== undefined && { expiresAt }) };
}

/** Closes a question. One that was withdrawn can no longer be approved. */
export function closeApproval(
  { hash, status }: ApprovalState,
  { outcome, timestamp }: AgentEventOf<"approval-end">,
): ApprovalState {
  if (outcome.status === "withdrawn") return { hash, status: "withdrawn" };
  if (status === "withdrawn" && outcome.status === "approved") return { hash, status };
  return { hash, ...outcome, decidedAt: timestamp };
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

function addIterations(step: StepState, states: StepState[], count: number): void {
  for (let iteration = 0; iteration < count; iteration++) {
    const state = pendingStep(step);
    state.iteration = iteration;
    states.push(state);
  }
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

function reopenLoop(step: StepState): void {
  step.status = "running";
  delete step.error;
  delete step.completedAt;
  delete step.output;
}

/** Marks what has started so far: it has in another run, of which this one is a fork. */
export function takeOver(steps: Iterable<StepState>): void {
  for (const part of instancesOf(steps)) if (hasStarted(part)) part.isTakenOver = true;
}

/** Marks whatever failed, or never started because of that, to be run again, unless it is in doubt. */
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

/** True if the dependents of a step may run: it has completed, or there was nothing for it to do. */
export function isDone({ status, skipReason }: StepState): boolean {
  return status === "completed" || hadNothingToDo(skipReason);
}

/** True if a step was skipped because there was nothing for it to do, and not because of a failure or an end. */
export function hadNothingToDo(skipReason: SkipReason | undefined): boolean {
  return skipReason === "condition" || skipReason === "no-items";
}

/** True if a step, or some of its iterations, is still to be run, or to be run again after an interruption. */
export function isOpen({ status, iterations }: StepState): boolean {
  if (status === "pending" || status === "waiting" || status === "interrupted") return true;
  return iterations !== undefined && iterations.ended < iterations.states.length;
}

/** True if a step, or one of its iterations, has started or was skipped: it keeps its place in the log, and its id. */
export function hasStarted({ status, iterations, startedAt }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(hasStarted);
  // A step that is to run again is pending, but has started.
  return startedAt !== undefined || (status !== "pending" && status !== "waiting");
}

/** True if a step, or one of its iterations, has got an answer to its approval request and has not continued yet. */
export function isDecided({ status, approval, iterations }: StepState): boolean {
  if (iterations !== undefined) return iterations.states.some(isDecided);
  return status === "waiting" && (approval?.status === "approved" || approval?.status === "rejected");
}

/** True if a step waits for a time or an event. */
export function isAwaited({ status, wait }: Pick<StepState, "status" | "wait">): boolean {
  return status === "waiting" && wait !== undefined;
}

/** True if the time has come, or the event, that a step waits for. */
export function isWaitOver({ status, wait }: Pick<StepState, "status" | "wait">, nowMs: number): boolean {
  if (wait === undefined || (status !== "waiting" && status !== "interrupted")) return false;
  return wait.received !== undefined || (wait.until !== undefined && Date.parse(wait.until) <= nowMs);
}

/** The steps, and instead of a looped one its iterations. */
export function* instancesOf(steps: Iterable<StepState>): Iterable<StepState> {
  for (const step of steps) {
    if (step.iterations === undefined) yield step;
    else yield* step.iterations.states;
  }
}

/** The step or iteration at a place, if there is one. */
export function instanceAt(
  steps: ReadonlyMap<string, StepState>,
  { stepId, iteration }: StepRef,
): StepState | undefined {
  const step = steps.get(stepId);
  return iteration === undefined ? step : step?.iterations?.states[iteration];
}

/**
 * True if an error, live or stored, states that a call took no effect: it is marked `retryable: true`. A timeout or the
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
 * True if a step that must run only once has failed in a way that leaves open whether it took effect: its tool was
 * called, and its error does not state that nothing happened. It must be settled before it runs again.
 */
export function isFailedInDoubt(step: StepState): boolean {
  return isFailedCall(step) && step.isSettled !== true && !saysNothingHappened(step.error?.cause);
}

/** True if a failed step must be settled before it runs again, even if it was already settled as failed. */
function needsSettling(step: StepState): boolean {
  return isFailedInDoubt(step) || (isFailedCall(step) && step.isSettled === true);
}

function isFailedCall({ effect, status, attempts, earlierAttempts = 0 }: StepState): boolean {
  return effect === "once" && (status === "failed" || status === "cancelled") && attempts > earlierAttempts;
}
