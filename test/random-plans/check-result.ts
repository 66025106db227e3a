import { getEventListeners } from "node:events";
import type { AgentEvent, AgentEventOf, RunResult, StepRecord } from "planwright";
import { expect } from "vitest";
import { retryableOf } from "../../src/core/call-outcome.ts";

import { checkInvariants } from "../scenario/run-scenario.ts";
import { effectOf } from "./model-tools.ts";
import type { PlayedCase } from "./play-case.ts";
import { isSame, keyOf, type Watch } from "./watch.ts";

/** Checks everything that must be true of a played run. Throws for the first violation. */
export async function checkPlayed(played: PlayedCase): Promise<void> {
  const { watch, result, recorded, clock, signal, wrongDecisions } = played;
  expect(watch.problems).toEqual([]);
  expect(wrongDecisions.filter((outcome) => outcome !== "run-conflict")).toEqual([]);
  checkInvariants({ events: watch.events, recorded, result });
  checkStatus(watch, result);
  checkRecords(watch, result);
  checkBudget(watch, result);
  checkUndo(watch, result);
  expect(watch.problems).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  // Only tools that keep running after they were abandoned may still wait; they make no more calls.
  const calls = watch.calls.length;
  const late = watch.calls.filter(({ settled }) => settled === undefined).length;
  expect(clock.pendingTimers).toBeLessThanOrEqual(late + watch.answersGivenUp);
  await clock.advance(1_000);
  expect(clock.pendingTimers).toBe(0);
  expect(watch.calls.length).toBe(calls);
}

const ended: ReadonlySet<string> = new Set(["completed", "failed", "skipped", "cancelled", "unknown", "undone"]);

function checkStatus(watch: Watch, result: RunResult): void {
  const { status, error, steps, pending } = result;
  const isDone = watch.steps.every(({ id }) => watch.isDone(id));
  const { model } = watch;
  const open = steps.filter(({ status }) => !ended.has(status)).map(nameOf);
  if (status === "completed") watch.expect(isDone && error === undefined, () => "it is completed and not all is done");
  else
    watch.expect(!isDone || model.stop !== undefined || model.timeoutMs !== undefined, () => `all is done: ${status}`);
  if (status === "suspended") checkPending(watch, result);
  else {
    watch.expect(open.length === 0, () => `${status}, and these have not ended: ${open.join()}`);
    watch.expect(pending === undefined, () => `${status}, and there is something pending`);
  }
  if (status === "cancelled") watch.expect(model.stop !== undefined, () => "nobody has cancelled it");
  if (status === "failed") checkError(watch, result);
}

function checkPending(watch: Watch, { pending = [], steps }: RunResult): void {
  const unknown = steps.filter(({ status }) => status === "unknown").map(nameOf);
  const outcomes = pending.flatMap((item) => (item.kind === "outcome" ? [keyOf(item)] : []));
  watch.expect(isSame(unknown, outcomes), () => `unknown are ${unknown.join()}, pending ${outcomes.join()}`);
  watch.expect(outcomes.length === pending.length, () => "it is suspended and somebody could have decided");
}

/** The error of a run is that of its first step, in plan order, that has one. */
function checkError(watch: Watch, { error, steps }: RunResult): void {
  const { timeoutMs } = watch.model;
  if (error?.code === "timeout" && (error.details as { scope?: string }).scope === "run") {
    const lastedMs = watch.clock.now() - watch.legStartMs;
    watch.expect(lastedMs >= (timeoutMs ?? Number.POSITIVE_INFINITY), () => `it timed out after ${lastedMs} ms`);
    return;
  }
  if (watch.isPlanRejected) {
    watch.expect(error?.code === "approval-rejected", () => `the error is ${error?.code}`);
    return;
  }
  for (const { id } of watch.steps) {
    const records = steps.filter(({ stepId }) => stepId === id);
    const errors = records.flatMap(({ error }) => error ?? []);
    if (errors.length === 0 || records.some(({ status }) => status === "unknown")) continue;
    const isRight = errors.some((one) => isSame(one, error));
    watch.expect(isRight, () => `the error is not that of ${id}: ${error?.message}`);
    return;
  }
  watch.note(`it failed, and no step did: ${error?.message}`);
}

function nameOf(record: StepRecord): string {
  return keyOf(record);
}

function checkRecords(watch: Watch, { steps, status }: RunResult): void {
  const names = steps.map(nameOf);
  watch.expect(new Set(names).size === names.length, () => `the log names one twice: ${names.join()}`);
  for (const { id } of watch.steps) {
    const count = watch.loops.get(id)?.count;
    const own = steps.filter(({ stepId }) => stepId === id).length;
    watch.expect(own === (count ?? 1), () => `the log has ${own} entries of ${id}`);
  }
  for (const record of steps) checkRecord(watch, record, status);
}

function checkRecord(watch: Watch, record: StepRecord, runStatus: RunResult["status"]): void {
  const name = nameOf(record);
  const { attempts, status, output } = record;
  const calls = watch.calls.filter(({ key }) => key === name).length;
  watch.expect(calls === attempts, () => `${name} has ${attempts} attempts in the log and had ${calls}`);
  const state = watch.progress.get(name);
  const isUndone = status === "undone" && state?.status === "completed" && runStatus !== "completed";
  const reported = state?.stage === "skipped" || state?.hasStarted === false ? "skipped" : state?.status;
  const isOpen = runStatus === "suspended" && (status === "pending" || status === "waiting");
  watch.expect(
    isUndone || isOpen || status === reported,
    () => `${name} is ${status} in the log, and was told ${reported}`,
  );
  if (status === "completed")
    watch.expect(isSame(output ?? null, state?.output ?? null), () => `${name} has another output`);
}

function checkBudget(watch: Watch, { steps, status }: RunResult): void {
  const { budget, tools, onStepFailure } = watch.model;
  const hit = steps.some(
    ({ error }) => error?.code === "limit-exceeded" && (error.details as { limit?: string }).limit === "toolCalls",
  );
  if (budget === undefined) watch.expect(!hit, () => "there is no budget, and it was exceeded");
  // Where a failure stops the run, a circuit refuses or the run is aborted, a call may be counted but not made.
  const isExact =
    status === "failed" && onStepFailure === "continue" && tools.every((tool) => tool.circuitBreaker === undefined);
  if (!hit || !isExact || watch.model.timeoutMs !== undefined) return;
  const made = watch.calls.filter(({ isUndo }) => !isUndo).length;
  watch.expect(made === budget, () => `the budget of ${budget} was exceeded with ${made} calls`);
}

function checkUndo(watch: Watch, { status, steps, notUndone = [] }: RunResult): void {
  const started = watch.events.filter((event): event is AgentEventOf<"undo-start"> => event.type === "undo-start");
  const isWanted = watch.model.undoOnFailure && (status === "failed" || status === "cancelled");
  if (!isWanted) {
    watch.expect(started.length + notUndone.length === 0, () => "something is undone, and nobody wanted that");
    return;
  }
  const done = [...watch.progress]
    .filter(([, { stage, hasStarted }]) => stage === "done" && hasStarted)
    .sort(([, one], [, other]) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
    .map(([key]) => key)
    .filter((key) => hasEffect(watch, key));
  const undoable = done.filter((key) => draftOf(watch, key)?.hasUndo);
  watch.expect(
    isSame(started.map(keyOf), undoable),
    () => `undone are ${started.map(keyOf).join()}, not ${undoable.join()}`,
  );
  const failed = undoable.filter((key) => undoneOf(watch, key) !== "completed");
  const inDoubt = steps.filter(isInDoubt).map(nameOf);
  const unknown = inDoubt.filter((key) => hasEffect(watch, key));
  const left = [...done.filter((key) => !undoable.includes(key)), ...failed, ...unknown].sort();
  watch.expect(
    isSame(notUndone.map(keyOf).sort(), left),
    () => `not undone are ${JSON.stringify(notUndone)}, not ${left.join()}`,
  );
  const undone = steps
    .filter(({ status }) => status === "undone")
    .map(nameOf)
    .sort();
  const expected = undoable.filter((key) => !failed.includes(key)).sort();
  watch.expect(isSame(undone, expected), () => `the log says undone of ${undone.join()}, not ${expected.join()}`);
}

/** Whether a step was cut off, or is a once step that failed, so its effect is unknown. */
function isInDoubt({ status, attempts, effect, error }: StepRecord): boolean {
  if (status === "unknown") return true;
  if (effect === "once" && status === "failed" && attempts > 0 && retryableOf(error?.cause) !== true) return true;
  const errors = error?.code === "tool-failed" ? error.details.errors : [];
  const wasCutOff = error?.code === "timeout" || errors.some(({ code }) => code === "timeout");
  return attempts > 0 && (status === "cancelled" || wasCutOff || error?.code === "invalid-tool-output");
}

function draftOf({ model, known }: Watch, key: string) {
  const step = known.get(key.replace(/\[.*$/, ""));
  return step && model.tools[Number(step.tool.slice(1))];
}

function hasEffect(watch: Watch, key: string): boolean {
  const draft = draftOf(watch, key);
  const step = watch.known.get(key.replace(/\[.*$/, ""));
  return draft !== undefined && step !== undefined && effectOf(draft, step.flag) !== "pure";
}

/** How the undo of a step ended, after checking that its number of calls is as stated. */
function undoneOf(watch: Watch, key: string): string | undefined {
  const isEnd = (event: AgentEvent): event is AgentEventOf<"undo-end"> => event.type === "undo-end";
  const end = watch.events.filter(isEnd).find((event) => keyOf(event) === key);
  const calls = watch.calls.filter((call) => call.key === `${key}/undo`).length;
  watch.expect(end?.attempts === calls, () => `${key} was undone by ${calls} calls, not ${end?.attempts}`);
  return end?.outcome.status;
}
