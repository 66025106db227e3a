import { type AgentErrorData, fromErrorData } from "../../core/errors.ts";
import type { AgentEvent, EventInit, PendingItem, RunEndEvent, SkipReason } from "../../core/events.ts";
import { lastCompleted, type RunResult } from "../../core/run-result.ts";
import { instancesOf, isDone, isStillToRun, type RunState, type StepState } from "../../core/run-state.ts";
import { isHeld, isWait } from "../../core/run-summary.ts";
import { stepRefOf } from "../../core/step.ts";
import type { PlanExpressions } from "../../plan/expressions.ts";
import { showIn, shownResult } from "../run/redaction.ts";
import type { AbortReason, Run } from "../run/run.ts";
import { cancelledBy, interruptedBy, runTimeout } from "../run/run-errors.ts";
import { buildGraph, isAllDone, isReady, pendingItems, stepFailure } from "../run/run-progress.ts";
import { opened } from "../run/run-secrets.ts";
import { loadWords } from "../run/run-words.ts";
import { dataOf, outcomeUnknown, taskOfPart } from "../run/step-call.ts";
import { undoSteps } from "./undo.ts";

export async function endExecution(run: Run, end: ExecutionEnd): Promise<RunResult> {
  run.enter("closing");
  const isUndo = run.isUndo && run.hold === undefined;
  if (run.recorder.failure === undefined) await (isUndo ? recordUndone(run) : recordRunEnd(run, end));
  if (run.recorder.failure !== undefined) closeBroken(run, dataOf(run, run.recorder.failure));
  return shownResult(run.state, run.engine, run);
}

interface ExecutionEnd {
  readonly planningError: AgentErrorData | undefined;
  readonly expressions: PlanExpressions | undefined;
  readonly isActedOn?: boolean;
  readonly text?: string | undefined;
}

async function recordRunEnd(run: Run, { planningError, expressions, isActedOn, text }: ExecutionEnd): Promise<void> {
  const isFinished = isActedOn ?? (run.state.plan !== undefined && isAllDone(run));
  const pending = isFinished ? [] : pendingAtEnd(run, expressions);
  const loading = loadWords(run);
  const say = loading && (await loading);
  if (pending.length > 0)
    return run.emit({ type: "run-suspend", pending, ...say?.(run.state, { status: "suspended", pending }) });
  if (isInterrupted(run) && !isFinished) {
    const outcome = { status: "interrupted", error: interruption(run) } as const;
    return run.emit({ type: "run-end", outcome, ...say?.(run.state, outcome) });
  }
  if (!isFinished) await skipRest(run, expressions);
  if (run.recorder.failure !== undefined) return;
  const outcome = runOutcome(run, { isFinished, error: planningError ?? (isFinished ? undefined : stepFailure(run)) });
  const mustUndo = outcome.status !== "completed" && run.settings.stored.undoOnFailure === true;
  const notUndone = mustUndo ? await undoSteps(run) : [];
  const { status } = outcome;
  const words = text === undefined ? say?.(run.state, status === "completed" ? { status } : outcome) : { text };
  await run.emit({ type: "run-end", outcome, ...(notUndone.length > 0 && { notUndone }), ...words });
}

function pendingAtEnd(run: Run, expressions: PlanExpressions | undefined): readonly PendingItem[] {
  const { hold, abortReason, stopReason } = run;
  const isCutOff = hold === undefined && stopReason === "interrupted" && isReady(run, expressions);
  if (abortReason !== undefined || isCutOff) return [];
  const items = pendingItems(run);
  // Beside a hold, waits are not listed, as they may be over by now.
  return hold === undefined ? items : [hold, ...items.filter((item) => !isWait(item))];
}

/** An undone run becomes cancelled, whatever its status was, so that it cannot be retried. */
async function recordUndone(run: Run): Promise<void> {
  const notUndone = await undoSteps(run);
  const error = cancelledBy("undone").toJSON() as AgentErrorData;
  const outcome = { status: "cancelled", error } as const;
  await run.emit({ type: "run-end", outcome, ...(notUndone.length > 0 && { notUndone }) });
}

function isInterrupted({ stopReason, abortReason }: Run): boolean {
  return abortReason === undefined ? stopReason === "interrupted" : abortReason.code === "interrupted";
}

function interruption({ abortReason }: Pick<Run, "abortReason">): AgentErrorData {
  return (abortReason ?? interruptedBy("some steps of the run have not ended")).toJSON() as AgentErrorData;
}

function runOutcome(
  { abortReason, state }: Run,
  { isFinished, error }: { readonly isFinished: boolean; readonly error: AgentErrorData | undefined },
): RunEndEvent["outcome"] {
  const wasInTime = isFinished && abortReason?.code === "interrupted";
  const ending = abortReason === undefined || wasInTime ? error : (abortReason.toJSON() as AgentErrorData);
  // An earlier execution may have died after it was cancelled, but before that was recorded.
  if (ending !== undefined) return { status: ending.code === "cancelled" ? "cancelled" : "failed", error: ending };
  if (!isFinished) return { status: "interrupted", error: interruption({ abortReason }) };
  return { status: "completed", output: lastCompleted(state)?.output ?? null };
}

async function skipRest(run: Run, expressions: PlanExpressions | undefined): Promise<void> {
  const steps = run.state.plan?.steps ?? [];
  const { dependents } = buildGraph(opened(run, steps), expressions);
  const isBlocked = new Set<number>();
  for (const [index, { id }] of steps.entries()) {
    const state = run.state.steps.get(id) as StepState;
    if (isDone(state)) continue;
    if (isBlocked.has(index) || !isNotStarted(state))
      for (const dependent of dependents[index] ?? []) isBlocked.add(dependent);
    await skipOpen(run, state, isBlocked.has(index) ? "dependency-failed" : "run-ended");
  }
}

function isNotStarted(state: StepState): boolean {
  if (!isStillToRun(state)) return state.skipReason === "run-ended";
  return instancesOf([state]).every(({ status }) => status !== "interrupted");
}

export function closeBroken(run: Run, error: AgentErrorData): void {
  if (run.phase === "closed") return;
  const status = error.code === "interrupted" ? "interrupted" : "failed";
  const end: EventInit = { type: "run-end", outcome: { status, error } };
  const { recorder, state } = run;
  if (state.sequence === 0) {
    recorder.fold(end);
    run.engine.tellObservers(showIn(run, end as AgentEvent));
    return;
  }
  const skipped = status === "interrupted" ? [] : instancesOf(state.steps.values()).filter(isStillToRun);
  for (const event of endsOfCutOff(state, error)) recorder.emitUnrecorded(event);
  for (const part of skipped)
    recorder.emitUnrecorded({ type: "step-skip", ...stepRefOf(part), tool: part.tool, reason: "run-ended" });
  recorder.emitUnrecorded(end);
}

export function endsOfCutOff(state: RunState, error: AgentErrorData): readonly EventInit[] {
  const events: EventInit[] = [];
  if (state.isPlanning) events.push({ type: "plan-end", outcome: { status: "failed", error } });
  for (const part of instancesOf(state.steps.values())) {
    if (part.status === "running") events.push(endOf(part, error));
    if (part.isUndoing) {
      const { tool } = part;
      events.push({ type: "undo-end", ...stepRefOf(part), tool, attempts: 1, outcome: { status: "failed", error } });
    }
  }
  return events;
}

function endOf(part: StepState, error: AgentErrorData): EventInit {
  const { tool, attempts, effect } = part;
  const outcome =
    effect === "once"
      ? ({ status: "unknown", error: outcomeUnknown(taskOfPart(part), error).toJSON() } as const)
      : ({ status: "interrupted", error } as const);
  return { type: "step-end", ...stepRefOf(part), tool, attempts, outcome };
}

export function endingOf(state: RunState): AbortReason | undefined {
  if (!mayHaveBeenEnding(state)) return undefined;
  const { replanError } = state;
  if (replanError?.code === "cancelled" || isRunTimeout(replanError)) return fromErrorData(replanError as EndingError);
  let isEnding = state.hasUndone === true;
  let isInDoubt = false;
  let wasStopped = false;
  const continues = state.options?.onStepFailure === "continue";
  for (const { id } of state.plan?.steps ?? []) {
    const step = state.steps.get(id) as StepState;
    const hasFailed = step.iterations?.states.some(
      ({ status, skipReason }) => status === "failed" || skipReason === "approval-rejected",
    );
    for (const { status, error, skipReason } of instancesOf([step])) {
      if (status === "cancelled" || (status === "failed" && isRunTimeout(error)))
        return fromErrorData(error as EndingError);
      isInDoubt ||= status === "unknown";
      wasStopped ||= continues && skipReason === "run-ended";
      isEnding ||= !hasFailed && (skipReason === "run-ended" || skipReason === "dependency-failed");
    }
  }
  if (wasStopped) return unrecordedReason(state);
  if (!isEnding || (stepFailure({ state }) !== undefined && !isInDoubt)) return undefined;
  return unrecordedReason(state);
}

function mayHaveBeenEnding(state: RunState): boolean {
  return (state.status === "running" || isHeld(state)) && state.planApproval?.status !== "rejected";
}

type EndingError = AgentErrorData<"cancelled" | "timeout">;

function isRunTimeout(error: AgentErrorData | undefined): boolean {
  return error?.code === "timeout" && error.details?.scope === "run";
}

function unrecordedReason({ options, executionStartedAt = "", updatedAt }: RunState): AbortReason {
  const { timeoutMs = Number.POSITIVE_INFINITY } = options ?? {};
  const lastedMs = Date.parse(updatedAt) - Date.parse(executionStartedAt);
  return lastedMs >= timeoutMs ? runTimeout(timeoutMs) : cancelledBy("the process died while the run was ending");
}

export async function skipOpen(run: Run, state: StepState, reason: SkipReason): Promise<void> {
  for (const part of instancesOf([state])) {
    if (!isStillToRun(part) || part.status === "interrupted") continue;
    const emitted = run.emit({ type: "step-skip", ...stepRefOf(part), tool: part.tool, reason });
    if (emitted !== undefined) await emitted;
  }
}
