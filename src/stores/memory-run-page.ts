import { canonicalJson } from "../core/canonical-json.ts";
import type { AgentEvent, RunStartEvent } from "../core/events.ts";
import { failOption } from "../core/options.ts";
import {
  type ListRunsOptions,
  type ListSelection,
  type PostedMessage,
  type RunPage,
  selectRuns,
} from "../core/run-store.ts";
import { digestAfter, type RunDigest, type RunStatus, type RunSummary, unendedStatuses } from "../core/run-summary.ts";

/** A run as it is kept in memory. */
export interface MemoryRun {
  readonly runId: string;
  readonly events: AgentEvent[];
  status: RunStatus;
  /** The messages that are not acknowledged yet. */
  posted: readonly PostedMessage[];
  /** Grows with each new run, so that pages stay stable while runs are added. */
  readonly number: number;
}

/** Where a page is read from. */
export interface MemoryRuns {
  /** The runs whose number is lower, the newest first. */
  newestBefore(number: number): Iterable<MemoryRun>;
  /** Whether a lease on a run lasts. */
  isHeld(runId: string): boolean;
  /** The time of leases and waits, in milliseconds since 1970 UTC. */
  nowMs(): number;
}

/** A page of the runs in memory. Throws `invalid-options`. */
export function readPage(kept: MemoryRuns, options: ListRunsOptions): RunPage {
  const { limit, ...wanted } = selectRuns(options);
  const { cursor } = options;
  if (cursor !== undefined && !/^\d+$/.test(cursor)) failOption("cursor", cursor, "the cursor of a page");
  const runs: RunSummary[] = [];
  let last: MemoryRun | undefined;
  for (const run of kept.newestBefore(cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor))) {
    if (!isWanted(run, wanted, kept.nowMs()) || (wanted.resumable && kept.isHeld(run.runId))) continue;
    if (last !== undefined && runs.length === limit) return { runs, cursor: String(last.number) };
    last = run;
    runs.push(summarize(run));
  }
  return { runs };
}

function isWanted(
  run: MemoryRun,
  { statuses, resumable, pending, sinceMs, untilMs, metadata }: Omit<ListSelection, "limit">,
  nowMs: number,
): boolean {
  const { status, events } = run;
  if (statuses !== undefined && !statuses.has(status)) return false;
  if (resumable && !canResume(run, nowMs)) return false;
  if (pending !== undefined && !suspensionOf(run)?.pending?.kinds.some((kind) => pending.has(kind))) return false;
  const { metadata: own, timestamp } = events[0] as RunStartEvent;
  if (metadata.some(([key, value]) => !Object.hasOwn(own, key) || canonicalJson(own[key]) !== value)) return false;
  if (sinceMs === undefined && untilMs === undefined) return true;
  const createdMs = Date.parse(timestamp);
  return createdMs >= (sinceMs ?? createdMs) && createdMs < (untilMs ?? Number.POSITIVE_INFINITY);
}

function canResume(run: MemoryRun, nowMs: number): boolean {
  const { status, posted } = run;
  if (unendedStatuses.has(status) || (status === "suspended" && posted.length > 0)) return true;
  const { resumeAt } = suspensionOf(run) ?? {};
  return resumeAt !== undefined && Date.parse(resumeAt) <= nowMs;
}

/** What a suspended run waits for, as lists show it; undefined for any other. */
function suspensionOf({ events, status }: MemoryRun): RunDigest | undefined {
  const last = status === "suspended" ? events.findLast(({ type }) => type === "run-suspend") : undefined;
  return last && digestAfter(undefined, last);
}

function summarize({ events, status }: MemoryRun): RunSummary {
  const { runId, timestamp: createdAt, request } = events[0] as RunStartEvent;
  const startedAt = events.find(({ type }) => type === "step-start")?.timestamp;
  const updatedAt = events.at(-1)?.timestamp ?? createdAt;
  const times = { createdAt, updatedAt, ...(startedAt !== undefined && { startedAt }) };
  let digest: RunDigest | undefined;
  for (const event of events) digest = digestAfter(digest, event);
  return { runId, status, ...(request !== undefined && { request }), ...times, ...(digest as RunDigest) };
}
