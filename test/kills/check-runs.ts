import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "../../src/core/events.ts";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import type { WantedRun } from "./child-work.ts";
import type { JournalRow } from "./journal.ts";
import { killPlans } from "./kill-plans.ts";

/** What runs have come to that were killed. The first six must be 0. */
export interface KillReport {
  /** Events that the store had said were recorded, and that are not there, or not as they were. */
  lost: number;
  /** Runs whose events are not numbered without a gap. */
  gaps: number;
  /** Calls of a step after its result was recorded. */
  ranAgain: number;
  /** Calls of a `once` step before its start was recorded. */
  unannounced: number;
  /** Effects of a `once` step beyond the first. */
  onceTwice: number;
  /** Runs that have not ended, or with other steps or effects than if nobody had killed them. */
  wrongEnds: number;
  runs: number;
  /** Events that the store had said were recorded. */
  acknowledged: number;
  /** Events that are there, though their process was killed before it knew. */
  unacknowledged: number;
  /** Calls beyond the first of a step, each because the one before was cut off. */
  repeated: number;
  /** Steps whose outcome was not known, and that somebody settled. */
  settled: number;
}

/** What must be 0. */
export const noneWrong = { lost: 0, gaps: 0, ranAgain: 0, unannounced: 0, onceTwice: 0, wrongEnds: 0 } as const;

/** A run, with what is stored of it and what its processes told of it. */
interface KilledRun extends WantedRun {
  readonly events: readonly AgentEvent[];
  readonly rows: readonly JournalRow[];
}

/** Holds what is stored against what the processes told before they were killed. */
export function checkRuns(
  runs: readonly WantedRun[],
  journal: readonly JournalRow[],
  read: (runId: string) => readonly AgentEvent[],
): KillReport {
  const rowsOf = groupRows(journal);
  const report: KillReport = { ...noneWrong, runs: 0, acknowledged: 0, unacknowledged: 0, repeated: 0, settled: 0 };
  for (const { runId, kind } of runs) {
    const run = { runId, kind, events: read(runId), rows: rowsOf.get(runId) ?? [] };
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
    const runId = "runId" in row ? row.runId : (row.key.split("/")[0] ?? "");
    const group = groups.get(runId) ?? [];
    groups.set(runId, group);
    group.push(row);
  }
  return groups;
}

/** Gives for each event the row from which on it was recorded: the try that came through is the one of what is stored. */
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

/** Which call an event is about, by its key. */
function keyOf({ runId, ...event }: AgentEvent): string {
  const { stepId, iteration } = event as { readonly stepId?: string; readonly iteration?: number };
  const undo = event.type.startsWith("undo-") ? "/undo" : "";
  return `${runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}${undo}`;
}

/** Whether an event says what came of a call, so that there must be no other. */
function isResult(event: AgentEvent): boolean {
  if (event.type === "undo-end" || event.type === "run-settle") return event.outcome.status === "completed";
  return event.type === "step-end" && event.outcome.status !== "interrupted" && event.outcome.status !== "unknown";
}

/** When something was first recorded of calls, by their keys. */
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

function checkCalls({ events, rows }: KilledRun, recordedAt: readonly number[], report: KillReport): void {
  const { starts, results } = recordedCalls(events, recordedAt);
  const called = new Set<string>();
  const effects = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (row.type === "begin") {
      if (index > (results.get(row.key) ?? Number.POSITIVE_INFINITY)) report.ranAgain++;
      if (index < (starts.get(row.key) ?? 0)) report.unannounced++;
      if (called.has(row.key)) report.repeated++;
      called.add(row.key);
    } else if (row.type === "effect") {
      if (effects.has(row.key) && starts.has(row.key)) report.onceTwice++;
      effects.add(row.key);
    }
  }
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
