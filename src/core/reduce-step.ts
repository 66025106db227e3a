import type { JsonObject, JsonValue } from "./json.ts";
import {
  decided,
  hasStarted,
  instancesOf,
  isDone,
  needsSettling,
  pendingStep,
  requested,
  type StepEvent,
  type StepState,
  type StepStatus,
} from "./step-state.ts";

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
