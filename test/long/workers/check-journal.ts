import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "planwright";
import type { JournalLine } from "../../adapters/dbos/worker-child.ts";

/** When a disturbance happened, in ms since 1970, and to which process, if not to all. */
export interface Disturbed {
  readonly pid?: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** True if workers had other tools for a while. */
  readonly isByOtherTools?: boolean;
}

/** What is wrong with disturbed runs: all but the last two must be 0. */
export interface Report {
  /** Runs with a gap in the numbers of their events. */
  gaps: number;
  /** Events that a worker told, so that they were recorded, and that are missing or changed. */
  lost: number;
  /** Calls of `once` steps beyond the first. */
  onceTwice: number;
  /** Steps that were called again though they were not in flight when the runs were disturbed. */
  wronglyDoubled: number;
  /** Runs that have not completed. */
  notCompleted: number;
  /** Steps that were called again. */
  doubled: number;
  /** Steps in flight while the runs were disturbed. */
  inFlight: number;
}

/** The counts that must be 0. */
export const noneWrong = { gaps: 0, lost: 0, onceTwice: 0, wronglyDoubled: 0, notCompleted: 0 } as const;

/** The whole lines that processes have written. */
export function readLines(path: string): readonly JournalLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as JournalLine);
}

/** Compares the records of runs with what their workers wrote down. */
export function checkJournal(
  lines: readonly JournalLine[],
  recorded: ReadonlyMap<string, readonly AgentEvent[]>,
  disturbed: Disturbed,
): Report {
  const report: Report = { ...noneWrong, doubled: 0, inFlight: 0 };
  for (const events of recorded.values()) {
    if (events.some(({ sequence }, index) => sequence !== index + 1)) report.gaps++;
    const last = events.at(-1);
    if (last?.type === "run-end" && last.outcome.status === "completed") continue;
    // A worker with other tools may have been the first to see the plan.
    if (disturbed.isByOtherTools && last?.type === "run-end" && isRefused(last)) continue;
    report.notCompleted++;
    console.log(`not completed: ${JSON.stringify(last)}`);
  }
  const isRecorded = ({ runId, sequence, ...told }: AgentEvent) =>
    isDeepStrictEqual(recorded.get(runId)?.[sequence - 1], { runId, sequence, ...told });
  const lost = lines.filter((line) => "told" in line && !isRecorded(line.told));
  for (const line of lost) console.log(`lost: ${JSON.stringify(line)}`);
  report.lost = lost.length;
  checkCalls(callsOf(lines), { recorded, disturbed, report });
  return report;
}

function isRefused({ outcome }: Extract<AgentEvent, { type: "run-end" }>): boolean {
  return outcome.status === "failed" && outcome.error.code === "invalid-plan";
}

interface Checking {
  readonly recorded: ReadonlyMap<string, readonly AgentEvent[]>;
  readonly disturbed: Disturbed;
  readonly report: Report;
}

function checkCalls(calls: ReadonlyMap<string, readonly number[]>, { recorded, disturbed, report }: Checking): void {
  const keys = [...recorded.values()].flatMap((events) => keysInFlight(events, disturbed));
  const inFlight = new Set(keys.filter((key) => isOfVictim(calls.get(key), disturbed)));
  report.inFlight = inFlight.size;
  const tools = toolsOf([...recorded.values()].flat());
  for (const [key, pids] of calls) {
    const tool = tools.get(key);
    // It fails at first, and is called again.
    if (pids.length <= (tool === "Flaky" ? 2 : 1)) continue;
    report.doubled++;
    if (tool === "Once") report.onceTwice++;
    if (inFlight.has(key)) continue;
    report.wronglyDoubled++;
    console.log(`wrongly doubled: ${key}`, pids, disturbed, recorded.get(key.split("/")[0] ?? ""));
  }
}

/** Whether the process that was disturbed has called a step, or had started it and would have. */
function isOfVictim(pids: readonly number[] | undefined, { pid }: Disturbed): boolean {
  return pids === undefined || pid === undefined || pids.includes(pid);
}

/** The processes that called each step, in order, by the key of the calls. */
function callsOf(lines: readonly JournalLine[]): ReadonlyMap<string, readonly number[]> {
  const calls = new Map<string, number[]>();
  for (const line of lines) if ("key" in line) calls.set(line.key, [...(calls.get(line.key) ?? []), line.pid]);
  return calls;
}

/** The tools of steps, by the keys of their calls. */
function toolsOf(events: readonly AgentEvent[]): ReadonlyMap<string, string> {
  return new Map(events.flatMap((event) => (event.type === "step-start" ? [[keyOf(event), event.tool] as const] : [])));
}

/** The steps that had started when the runs were disturbed, and had not ended before that. */
function keysInFlight(events: readonly AgentEvent[], { fromMs, untilMs }: Disturbed): readonly string[] {
  const found: string[] = [];
  const open = new Set<string>();
  for (const event of events) {
    const atMs = Date.parse(event.timestamp);
    if (event.type === "step-start" && atMs <= untilMs) open.add(keyOf(event));
    if (event.type === "step-end" && open.delete(keyOf(event)) && atMs >= fromMs) found.push(keyOf(event));
  }
  return [...found, ...open];
}

/** The key of the calls of a step. */
export function keyOf(event: { readonly runId: string; readonly stepId: string; readonly iteration?: number }): string {
  const { runId, stepId, iteration } = event;
  return `${runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}`;
}
