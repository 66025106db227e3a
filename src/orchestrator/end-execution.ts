import type { AgentErrorData } from "../core/errors.ts";
import type { EventInit, NotUndone, PendingItem, RunEndEvent, SkipReason } from "../core/events.ts";
import type { PlanExpressions } from "../core/expressions.ts";
import { lastCompleted } from "../core/run-state.ts";
import { placeOf } from "../core/step-place.ts";
import { type ApprovalState, isDecided, isDone, isOpen, partsOf, type StepState } from "../core/step-state.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { endsOfCutOff } from "./cut-off.ts";
import { dataOf } from "./keep-cause.ts";
import type { AbortReason, Run } from "./run.ts";
import { opened } from "./secrets-of-run.ts";
import { buildGraph } from "./step-graph.ts";
import { undoSteps } from "./undo-steps.ts";

/** What of a run that stops is said when its execution is closed. */
export interface ExecutionEnd {
  readonly planningError: AgentErrorData | undefined;
  readonly expressions: PlanExpressions | undefined;
}

/**
 * Closes an execution when nothing runs any more: suspended, if somebody has to decide; else ended, once the steps that never
 * start are told and, where it is wanted, those that have completed are undone.
 */
export async function endExecution(run: Run, { planningError, expressions }: ExecutionEnd): Promise<void> {
  run.isClosing = true;
  const isFinished = run.state.plan !== undefined && isAllDone(run);
  // Where only the end of the process has kept steps from being run, whoever resumes the run need not wait for an answer.
  const mayWait = !isFinished && run.abortReason === undefined && !(run.isInterrupted && canStart(run, expressions));
  const pending = mayWait ? pendingItems(run) : [];
  if (run.recorder.failure === undefined && pending.length > 0) {
    await run.emit({ type: "run-suspend", pending });
  } else if (run.recorder.failure === undefined && isInterrupted(run) && !isFinished) {
    // What is left stays as it is, for whoever goes on.
    await run.emit({ type: "run-end", outcome: { status: "interrupted", error: interruption(run) } });
  } else if (run.recorder.failure === undefined) {
    if (!isFinished) await skipRest(run, expressions);
    if (run.recorder.failure === undefined)
      await endRun(run, { isFinished, error: planningError ?? (isFinished ? undefined : stepFailure(run)) });
  }
  if (run.recorder.failure !== undefined) closeBroken(run, dataOf(run, run.recorder.failure));
}

/** Whether the process is to end before the run does. What has aborted it for another reason ends it for good. */
function isInterrupted({ isInterrupted, abortReason }: Run): boolean {
  return abortReason === undefined ? isInterrupted : abortReason.code === "interrupted";
}

function interruption({ abortReason }: Pick<Run, "abortReason">): AgentErrorData {
  return (abortReason ?? interruptedBy("not all of its steps are done")).toJSON() as AgentErrorData;
}

interface RunClosing {
  /** Whether all steps are done. */
  readonly isFinished: boolean;
  readonly error: AgentErrorData | undefined;
}

async function endRun(run: Run, closing: RunClosing): Promise<void> {
  const outcome = runOutcome(run, closing);
  const notUndone =
    outcome.status !== "completed" && run.settings.stored.undoOnFailure ? await undoSteps(run) : noneUndone;
  await run.emit({ type: "run-end", outcome, ...(notUndone.length > 0 && { notUndone }) });
}

const noneUndone: readonly NotUndone[] = [];

function runOutcome({ abortReason, state }: Run, { isFinished, error }: RunClosing): RunEndEvent["outcome"] {
  // Interrupted when nothing was left to do, it has not been.
  const wasInTime = isFinished && abortReason?.code === "interrupted";
  if (abortReason !== undefined && !wasInTime) return abortedOutcome(abortReason);
  // An earlier execution that was cancelled may have died before it could say so.
  if (error !== undefined) return { status: error.code === "cancelled" ? "cancelled" : "failed", error };
  // A record that others have written may leave a step open for no reason that is known: the run has not been completed.
  if (!isFinished) return { status: "interrupted", error: interruption({ abortReason }) };
  return { status: "completed", output: lastCompleted(state)?.output ?? null };
}

function abortedOutcome(reason: Pick<AbortReason, "code" | "toJSON">): RunEndEvent["outcome"] {
  return { status: reason.code === "cancelled" ? "cancelled" : "failed", error: reason.toJSON() as AgentErrorData };
}

/** The error of the first step of the plan that has one, or of the plan that was not approved. */
export function stepFailure({ state }: Pick<Run, "state">): AgentErrorData | undefined {
  if (state.planApproval?.status === "rejected") return state.planApproval.error;
  for (const { id } of state.plan?.steps ?? []) {
    const step = state.steps.get(id);
    // A loop that was cut off has not ended, and so has no error of its own.
    const one = step?.error === undefined ? step?.iterations?.states.find(hasFailed) : step;
    if (one !== undefined && hasFailed(one)) return one.error;
  }
  return undefined;
}

/** One in doubt, or that may run again, has an error and has not failed. */
function hasFailed({ error, status }: StepState): boolean {
  return error !== undefined && status !== "unknown" && status !== "interrupted";
}

/**
 * What somebody has to decide before the run can go on: an outcome that is not known, or an approval, unless the run stops
 * anyway because a step has failed.
 */
export function pendingItems(run: Run): readonly PendingItem[] {
  const { state, settings } = run;
  if (state.planApproval?.status === "requested") return [{ kind: "plan-approval", ...askedOf(state.planApproval) }];
  const outcomes: PendingItem[] = [];
  const approvals: PendingItem[] = [];
  for (const one of partsOf(state.steps.values())) {
    const { status, approval, tool, input, effect, reasoning, error } = one;
    const place = placeOf(one);
    if (status === "unknown") outcomes.push({ kind: "outcome", ...place, ...(error && { error }) });
    else if (approval?.status === "requested" && status === "waiting" && effect !== undefined) {
      const looked = { tool, input, ...askedOf(approval), effect, ...(reasoning !== undefined && { reasoning }) };
      const reasons = effect === "pure" ? undefined : state.steps.get(place.stepId)?.approvalReasons;
      approvals.push({ kind: "approval", ...place, ...looked, ...(reasons && { reasons }) });
    }
  }
  const resumes = settings.stored.onStepFailure === "continue" || stepFailure(run) === undefined;
  return resumes ? [...outcomes, ...approvals] : outcomes;
}

function askedOf({ hash, expiresAt }: ApprovalState): { readonly hash: string; readonly expiresAt?: string } {
  return expiresAt === undefined ? { hash } : { hash, expiresAt };
}

/** Whether nothing of the plan is left to do. */
export function isAllDone({ state }: Run): boolean {
  return state.plan?.steps.every(({ id }) => isDone(state.steps.get(id) as StepState)) ?? true;
}

/** Whether a step can go on because somebody has decided about it. */
export function hasAnswer(run: Run): boolean {
  const { abortReason, recorder } = run;
  if (isAllDone(run) || abortReason !== undefined || recorder.failure !== undefined) return false;
  const steps = stepsOf(run);
  return mayStartMore(run, steps) && steps.some(isDecided);
}

/** Whether a step, or an iteration of one, waits for nothing and for nobody. */
function canStart(run: Run, expressions: PlanExpressions | undefined): boolean {
  const steps = stepsOf(run);
  if (!mayStartMore(run, steps) || run.state.planApproval?.status === "requested") return false;
  const { waitingFor, dependents } = buildGraph(opened(run, run.state.plan?.steps ?? []), expressions);
  return steps.some((step, index) => {
    if (isDone(step)) for (const dependent of dependents[index] ?? []) (waitingFor[dependent] as number)--;
    return waitingFor[index] === 0 && [...partsOf([step])].some((part) => isOpen(part) && !isAsked(part));
  });
}

function isAsked({ status, approval }: StepState): boolean {
  return status === "waiting" && approval?.status === "requested";
}

function stepsOf({ state }: Run): readonly StepState[] {
  return state.plan?.steps.map(({ id }) => state.steps.get(id) as StepState) ?? [];
}

/** Whether no step has failed in a way that keeps the others from being started. */
function mayStartMore({ settings }: Run, steps: readonly StepState[]): boolean {
  return settings.stored.onStepFailure === "continue" || steps.every((step) => isOpen(step) || isDone(step));
}

/** Tells of each step that never started: because of one it depends on, or because the run ended before. */
async function skipRest(run: Run, expressions: PlanExpressions | undefined): Promise<void> {
  const steps = run.state.plan?.steps ?? [];
  const stateOf = (index: number) => run.state.steps.get(steps[index]?.id ?? "") as StepState;
  const { dependents } = buildGraph(opened(run, steps), expressions);
  const isBlocked = new Set<number>();
  for (const index of steps.keys()) {
    const state = stateOf(index);
    if (isDone(state)) continue;
    if (isBlocked.has(index) || !isNotStarted(state))
      for (const dependent of dependents[index] ?? []) isBlocked.add(dependent);
    await skipOpen(run, state, isBlocked.has(index) ? "dependency-failed" : "run-ended");
  }
}

/** Whether nothing but the end of the run keeps a step from being run, be it in an execution that died while it said so. */
function isNotStarted(state: StepState): boolean {
  if (!isOpen(state)) return state.skipReason === "run-ended";
  for (const { status } of partsOf([state])) if (status === "interrupted") return false;
  return true;
}

/** Tells that a step, or what is left of its iterations, will never start. */
export async function skipOpen(run: Run, state: StepState, reason: SkipReason): Promise<void> {
  for (const part of [...partsOf([state])]) {
    // One that was interrupted has started: it is only not run again.
    if (!isOpen(part) || part.status === "interrupted") continue;
    const told = run.emit({ type: "step-skip", ...placeOf(part), tool: part.tool, reason });
    if (told !== undefined) await told;
  }
}

/** Closes the execution for listeners when nothing is recorded any more, be it since the last event. */
export function closeBroken(run: Run, error: AgentErrorData): void {
  if (run.isClosed) return;
  const status = error.code === "interrupted" ? "interrupted" : "failed";
  const end: EventInit = { type: "run-end", outcome: { status, error } };
  if (run.state.sequence === 0) {
    // Not even the first event was recorded: for a listener nothing has started.
    run.recorder.fold(end);
  } else {
    closeUnrecorded(run, error);
    run.recorder.close(end);
  }
}

/**
 * Closes, after the store has failed, what listeners have seen begin. Nothing of it is recorded: to the store it is as if
 * the process had died, so steps in flight are `interrupted`, or `unknown` where they must run only once.
 */
function closeUnrecorded(run: Run, error: AgentErrorData): void {
  // What waits for the next process is not skipped.
  const skipped = error.code === "interrupted" ? [] : [...partsOf(run.state.steps.values())].filter(isOpen);
  for (const event of endsOfCutOff(run.state, error)) run.recorder.close(event);
  for (const part of skipped)
    run.recorder.close({ type: "step-skip", ...placeOf(part), tool: part.tool, reason: "run-ended" });
}
