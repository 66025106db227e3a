import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "planwright";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import type { WantedRun } from "./child-work.ts";
import type { JournalRow } from "./journal.ts";
import { killPlans } from "./kill-plans.ts";

/** The outcome of disturbed runs. The first six must be 0. */
export interface KillReport {
  /** Events that the store reported as recorded, and that are missing or changed. */
  lost: number;
  /** Runs whose events have a gap in their numbers. */
  gaps: number;
  /** Calls of a step after its result was recorded, except those already on their way. */
  ranAgain: number;
  /** Calls of a `once` step before its start was recorded. */
  unannounced: number;
  /** Effects of a `once` step beyond the first. */
  onceTwice: number;
  /** Runs that have not ended, or with other steps or effects than without kills. */
  wrongEnds: number;
  runs: number;
  /** Events that the store reported as recorded. */
  acknowledged: number;
  /** Events that were recorded, though their process was killed before it knew. */
  unacknowledged: number;
  /**
   * Calls of a step after its result was recorded whose process was stopped after the store had permitted the call and
   * before it was made: the process did nothing else when it resumed.
   */
  onTheirWay: number;
  /** Repeated calls of a step, each because the one before failed or was cut off. */
  repeated: number;
  /** Steps with an unknown outcome that somebody settled. */
  settled: number;
}

/** The counts that must be 0. */
export const noneWrong = { lost: 0, gaps: 0, ranAgain: 0, unannounced: 0, onceTwice: 0, wrongEnds: 0 } as const;

/** A run, with its stored events and the rows that its processes wrote about it. */
interface KilledRun extends WantedRun {
  readonly events: readonly AgentEvent[];
  readonly rows: readonly JournalRow[];
  /** Whether a call was on its way when its process was stopped. */
  readonly isOnItsWay: (call: JournalRow) => boolean;
}

/** Compares the store with what the processes reported before they were killed. */
export function checkRuns(
  runs: readonly WantedRun[],
  journal: readonly JournalRow[],
  read: (runId: string) => readonly AgentEvent[],
): KillReport {
  const rowsOf = groupRows(journal);
  const isOnItsWay = findStops(journal);
  const counts = { runs: 0, acknowledged: 0, unacknowledged: 0, onTheirWay: 0, repeated: 0, settled: 0 };
  const report: KillReport = { ...noneWrong, ...counts };
  for (const { runId, kind } of runs) {
    const run = { runId, kind, events: read(runId), rows: rowsOf.get(runId) ?? [], isOnItsWay };
    report.runs++;
    if (run.events.some(({ sequence }, index) => sequence !== index + 1)) report.gaps++;
    const recordedAt = checkRecorded(run, report);
    checkCalls(run, recordedAt, report);
    if (!isEndRight(run)) report.wrongEnds++;
    report.settled += run.events.filter(({ type }) => type === "run-settle").length;
  }
  return report;
}

function groupRows(journal: readonly JournalRow[]): ReadonlyMap<string, readonly JournalRow[]> {
  const groups = new Map<string, JournalRow[]>();
  for (const row of journal) {
    if (row.type === "timer" || row.type === "stop") continue;
    const runId = "runId" in row ? row.runId : (row.key.split("/")[0] ?? "");
    const group = groups.get(runId) ?? [];
    groups.set(runId, group);
    group.push(row);
  }
  return groups;
}

/** Finds the calls that were on their way: their process had done nothing but calls since it was stopped. */
function findStops(journal: readonly JournalRow[]): (call: JournalRow) => boolean {
  const stopped = new Set<number>();
  const calls = new Set<JournalRow>();
  for (const row of journal) {
    if (row.type === "stop") stopped.add(row.generation);
    else if (row.type === "begin" && stopped.has(row.generation)) calls.add(row);
    // The answer of a store may also have been on its way.
    else if (row.type !== "ack") stopped.delete(row.generation);
  }
  return (call) => calls.has(call);
}

/** Returns for each event the row from which on it was recorded: that of the try that matches the store. */
function checkRecorded({ events, rows }: KilledRun, report: KillReport): readonly number[] {
  const recordedAt: number[] = [];
  const tried = new Map<number, readonly AgentEvent[]>();
  const acknowledged = new Set<number>();
  for (const [index, row] of rows.entries()) {
    if (row.type === "try") {
      tried.set(row.generation, row.events);
      for (const event of row.events) {
        if (isDeepStrictEqual(events[event.sequence - 1], event)) recordedAt[event.sequence - 1] = index;
      }
    } else if (row.type === "ack") {
      for (const event of tried.get(row.generation) ?? []) {
        acknowledged.add(event.sequence);
        if (!isDeepStrictEqual(events[event.sequence - 1], event)) report.lost++;
      }
    }
  }
  report.acknowledged += acknowledged.size;
  report.unacknowledged += events.length - acknowledged.size;
  return recordedAt;
}

/** The call that an event is about, as a key. */
function keyOf({ runId, ...event }: AgentEvent): string {
  const { stepId, iteration } = event as { readonly stepId?: string; readonly iteration?: number };
  const undo = event.type.startsWith("undo-") ? "/undo" : "";
  return `${runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}${undo}`;
}

/** Whether an event contains the result of a call, so that no other call may follow. */
function isResult(event: AgentEvent): boolean {
  if (event.type === "undo-end" || event.type === "run-settle") return event.outcome.status === "completed";
  return event.type === "step-end" && event.outcome.status !== "interrupted" && event.outcome.status !== "unknown";
}

/** When the first event of each call was recorded, by key. */
interface RecordedCalls {
  /** Of `once` steps only. */
  readonly starts: ReadonlyMap<string, number>;
  readonly results: ReadonlyMap<string, number>;
}

function recordedCalls(events: readonly AgentEvent[], recordedAt: readonly number[]): RecordedCalls {
  const starts = new Map<string, number>();
  const results = new Map<string, number>();
  for (const event of events) {
    const row = recordedAt[event.sequence - 1] ?? Number.POSITIVE_INFINITY;
    const key = keyOf(event);
    if (isResult(event)) results.set(key, row);
    if (event.type === "step-start" && event.effect === "once" && !starts.has(key)) starts.set(key, row);
  }
  return { starts, results };
}

function checkCalls(run: KilledRun, recordedAt: readonly number[], report: KillReport): void {
  const { starts, results } = recordedCalls(run.events, recordedAt);
  const called = new Set<string>();
  const effects = new Set<string>();
  for (const [index, row] of run.rows.entries()) {
    if (row.type === "begin") {
      const isAgain = index > (results.get(row.key) ?? Number.POSITIVE_INFINITY);
      if (isAgain) report[run.isOnItsWay(row) ? "onTheirWay" : "ranAgain"]++;
      if (index < (starts.get(row.key) ?? 0)) report.unannounced++;
      report.repeated += addAgain(called, row.key);
    } else if (row.type === "effect") {
      const isTwice = addAgain(effects, row.key);
      if (starts.has(row.key)) report.onceTwice += isTwice;
    }
  }
}

/** Adds a key, and returns 1 if it was there. */
function addAgain(keys: Set<string>, key: string): number {
  const isAgain = keys.has(key);
  keys.add(key);
  return Number(isAgain);
}

/** Whether a run has ended as it would have if nobody had killed it. */
function isEndRight({ runId, kind, events, rows }: KilledRun): boolean {
  const wanted = killPlans[kind];
  const { status, steps, notUndone } = toRunResult(foldEvents(runId, events));
  const effects = new Set(rows.flatMap((row) => (row.type === "effect" ? [row.key] : [])));
  return (
    status === wanted.status &&
    notUndone === undefined &&
    isDeepStrictEqual(
      steps.map((step) => step.status),
      wanted.steps,
    ) &&
    isDeepStrictEqual([...effects].sort(), wanted.effects.map((key) => `${runId}/${key}`).sort())
  );
}
