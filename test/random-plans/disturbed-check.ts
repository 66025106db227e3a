import type { AgentEvent, RunResult, StepRecord } from "planwright";
import { expect } from "vitest";
import { deepFreeze } from "../../src/core/json.ts";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { checkInvariants } from "../scenario/run-scenario.ts";
import { isOutOfTime, runId, type WorldRow } from "./disturbed-world.ts";
import type { Call } from "./model-tools.ts";
import type { DisturbedRun } from "./play-disturbed.ts";
import { keyOf } from "./watch.ts";

/** Checks everything that must be true of a disturbed run. Throws for violations. */
export function checkDisturbed(run: DisturbedRun, whole: DisturbedRun): void {
  const problems = [...run.problems, ...new Ledger(run.rows).problems];
  const { status, error } = run.result;
  // Settling a call as failed ends the doubt, and removes the words for which the other run asks about a step.
  const isOutOfDoubt = run.recorded.some(isSettledFailed) && whole.recorded.some(isAskedForReasons);
  const isCutOff = status === "cancelled" || isOutOfTime(error) || run.recorded.some(isLateReplan) || isOutOfDoubt;
  const endsOf = isCutOff ? completedIn : endOf;
  expect({ problems, end: endsOf(run.result, whole.result) }).toEqual({
    problems: [],
    end: endsOf(whole.result, run.result),
  });
  checkRecorded(run);
}

/** A replan that the deadline ended counts as one of the allowed replans. */
function isLateReplan(event: AgentEvent): boolean {
  return event.type === "plan-revise" && event.outcome.status === "failed" && isOutOfTime(event.outcome.error);
}

function isSettledFailed(event: AgentEvent): boolean {
  return event.type === "run-settle" && event.outcome.status === "failed";
}

function isAskedForReasons(event: AgentEvent): boolean {
  return event.type === "approval-request" && event.kind === "step" && event.reasons !== undefined;
}

function checkRecorded({ rows, recorded }: DisturbedRun): void {
  const appended = rows.flatMap((row) => (row.type === "append" ? row.events : []));
  expect(recorded).toEqual(appended);
  const events = recorded.map((event) => deepFreeze(JSON.parse(JSON.stringify(event)) as AgentEvent));
  const result = toRunResult(foldEvents(runId, events)) as RunResult;
  checkInvariants({ events, recorded: events, result, killedAt: events.length });
}

/**
 * The part that must be the same; the number of the successful attempt need not be. Nor need steps that were skipped
 * and are no longer planned: an execution may die while its deadline ends it, and the next one plans again.
 */
function endOf({ status, steps, plan }: DisturbedRun["result"]): unknown {
  const planned = new Set(plan?.steps.map(({ id }) => id));
  const comparable = steps.filter((step) => step.status !== "skipped" || planned.has(step.stepId));
  return { status, steps: comparable.map((step) => `${keyOf(step)} ${step.status} ${outputOf(step)}`) };
}

function outputOf({ output }: StepRecord): string {
  return JSON.stringify(output ?? null).replaceAll(/#\d+/g, "");
}

/** For a run that was cut off for good: its completed steps, where the other run has any. */
function completedIn({ steps }: DisturbedRun["result"], other: DisturbedRun["result"]): readonly string[] {
  const isCompleted = ({ status }: StepRecord) => status === "completed";
  const also = new Set(other.steps.filter(isCompleted).map(keyOf));
  return steps
    .filter((step) => isCompleted(step) && also.has(keyOf(step)))
    .map((step) => `${keyOf(step)} ${outputOf(step)}`);
}

/** Follows the recorded events and the calls, and notes each forbidden call. */
class Ledger {
  readonly problems: string[] = [];
  private readonly started = new Map<string, string | undefined>();
  /** The events that forbid further calls, by key. */
  private readonly closed = new Map<string, string>();
  private readonly lastCalls = new Map<string, Call>();
  /** Calls that may be repeated because somebody has allowed it. */
  private readonly repeatable = new Set<string>();

  constructor(rows: readonly WorldRow[]) {
    for (const row of rows) {
      if (row.type === "call") this.onCall(row.call);
      else for (const event of row.events) this.onEvent(event, row);
    }
  }

  private onEvent(event: AgentEvent, { by }: WorldRow): void {
    const key = "stepId" in event ? keyOf(event) : "";
    switch (event.type) {
      case "step-start":
        this.started.set(key, event.effect);
        break;
      case "step-end":
        if (event.outcome.status === "interrupted") this.closed.delete(key);
        else this.closed.set(key, event.outcome.status);
        break;
      case "step-skip":
        this.closed.set(key, event.reason);
        break;
      case "undo-end":
        if (event.outcome.status === "completed") this.closed.set(`${key}/undo`, "undone");
        break;
      case "run-settle":
        if (event.outcome.status !== "retry") this.closed.set(key, event.outcome.status);
        else {
          this.closed.delete(key);
          this.repeatable.add(key);
        }
        break;
      case "run-resume":
        if (event.retriesFailed) this.reopen(by);
        break;
      default:
        break;
    }
  }

  private reopen(by: WorldRow["by"]): void {
    if (by !== "resume") this.problems.push(`${by} tries again what has failed, which nobody has asked for`);
    for (const [key, how] of this.closed) if (reopened.has(how)) this.closed.delete(key);
  }

  private onCall(call: Call): void {
    const { key, isUndo } = call;
    const how = this.closed.get(key);
    if (how !== undefined) this.problems.push(`${key} is called though it is recorded: ${how}`);
    if (isUndo) return;
    if (!this.started.has(key)) this.problems.push(`${key} is called before its start is recorded`);
    const last = this.lastCalls.get(key);
    if (last !== undefined && call.attempt <= last.attempt) {
      this.problems.push(`${key} is called in attempt ${call.attempt} after attempt ${last.attempt}`);
    }
    const mayRepeat = this.repeatable.delete(key) || last?.settled === "threw-retryable";
    if (this.started.get(key) === "once" && last !== undefined && !mayRepeat) {
      this.problems.push(`${key} is called once more after its call ${last.settled ?? "was cut off"}`);
    }
    this.lastCalls.set(key, call);
  }
}

const reopened: ReadonlySet<string> = new Set(["failed", "cancelled", "dependency-failed", "run-ended"]);
