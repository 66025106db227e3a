import type { AgentEvent, RunStartEvent } from "../core/events.ts";
import { canonicalJson, copyJson } from "../core/json.ts";
import { failOption, type OptionTable, readOptions } from "../core/option-tables.ts";
import {
  claimLease,
  isHeld,
  type Lease,
  type ListSelection,
  ownedElsewhere,
  type PostedMessage,
  type RunStore,
  renewLease,
  runNotFound,
  selectRuns,
  sequenceConflict,
} from "../core/run-store.ts";
import {
  digestAfter,
  endedStatuses,
  type RunDigest,
  type RunStatus,
  type RunSummary,
  runStatusAfter,
  shownRequest,
} from "../core/run-summary.ts";

/** Options of {@link createMemoryRunStore}. @inline */
export interface MemoryRunStoreOptions {
  /** Maximum number of finished runs to keep. If there are more, the run that ended first is dropped. @default 1000 */
  maxFinishedRuns?: number | undefined;
  /** Clock for leases and waits, in milliseconds since 1970 UTC. @default `Date.now` */
  now?: (() => number) | undefined;
}

const storeOptions = {
  maxFinishedRuns: { type: "integer", min: 0, default: 1_000 },
  now: { type: "function", default: () => Date.now() },
} satisfies OptionTable<MemoryRunStoreOptions>;

interface MemoryRun {
  readonly runId: string;
  readonly events: AgentEvent[];
  status: RunStatus;
  digest: RunDigest;
  posted: readonly PostedMessage[];
  /** Higher than the number of every earlier run, so that pages stay stable while runs are added. */
  readonly number: number;
}

const noMessages: readonly never[] = [];

/**
 * Creates a run store in memory, for tests and for programs that may lose their runs on exit. All methods but `list`
 * are synchronous. Runs that have not finished are never dropped. Throws `invalid-options`.
 * {@includeCode ../../examples/06-look-at-runs.ts} @group Storage
 */
export function createMemoryRunStore(options: MemoryRunStoreOptions = {}): RunStore {
  const { maxFinishedRuns, now } = readOptions(storeOptions, options);
  const runs = new Map<string, MemoryRun>();
  const claims = new Map<string, Lease>();
  const finishedRuns = new Set<string>();
  let counter = 0;
  let messages = 0;
  /** Outlives deleted runs, so that a former owner cannot write to a new run with the same id. */
  let goneFence = 0;

  function isOwned(runId: string): boolean {
    const lease = claims.get(runId);
    return lease !== undefined && isHeld(lease, now());
  }

  function remove(runId: string): void {
    goneFence = Math.max(goneFence, claims.get(runId)?.fence ?? 0);
    finishedRuns.delete(runId);
    runs.delete(runId);
    claims.delete(runId);
  }

  function finish(run: MemoryRun): void {
    run.posted = noMessages;
    finishedRuns.add(run.runId);
    for (const oldest of finishedRuns) {
      if (finishedRuns.size <= maxFinishedRuns) break;
      remove(oldest);
    }
  }

  return {
    isVolatile: true,

    append(runId, events, { sequence, fence, acknowledged }) {
      if (events.length === 0) return;
      if (fence !== undefined && fence !== claims.get(runId)?.fence) throw ownedElsewhere(runId);
      const known = runs.get(runId);
      const run: MemoryRun = known ?? {
        runId,
        events: [],
        status: "planning",
        digest: { metadata: {} },
        posted: noMessages,
        number: counter + 1,
      };
      if (sequence !== run.events.length + 1) throw sequenceConflict(runId, { sequence, next: run.events.length + 1 });
      if (known === undefined) {
        counter = run.number;
        runs.set(runId, run);
      }
      for (const event of events) {
        run.events.push(event);
        run.status = runStatusAfter(event) ?? run.status;
        run.digest = digestAfter(run.digest, event);
      }
      acknowledge(run, acknowledged);
      if (endedStatuses.has(run.status)) finish(run);
      else finishedRuns.delete(runId);
    },

    read: (runId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      runs.get(runId)?.events.slice(after, after + limit) ?? [],

    async list(listOptions = {}) {
      const { limit, ...wanted } = selectRuns(listOptions);
      const { cursor } = listOptions;
      if (cursor !== undefined && !/^\d+$/.test(cursor)) failOption("cursor", cursor, "the cursor of a page");
      const end = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
      const page: RunSummary[] = [];
      let last: MemoryRun | undefined;
      for (const run of [...runs.values()].reverse()) {
        if (run.number >= end || !isWanted(run, wanted, now()) || (wanted.resumable && isOwned(run.runId))) continue;
        if (last !== undefined && page.length === limit) return { runs: page, cursor: String(last.number) };
        last = run;
        page.push(summarize(run));
      }
      return { runs: page };
    },

    claim(runId, { owner, ttlMs }) {
      const known = claims.get(runId) ?? { owner: null, fence: goneFence, fromMs: 0, untilMs: 0 };
      const lease = claimLease(runId, known, { owner, ttlMs, nowMs: now() });
      claims.set(runId, lease);
      const { posted = noMessages } = runs.get(runId) ?? {};
      return posted.length === 0 ? { fence: lease.fence } : { fence: lease.fence, posted };
    },

    renew(runId, asked) {
      claims.set(runId, renewLease(runId, claims.get(runId), { ...asked, nowMs: now() }));
      return { posted: runs.get(runId)?.posted };
    },

    release(runId, { owner, fence, acknowledged }) {
      const held = claims.get(runId);
      if (held?.owner !== owner || held.fence !== fence) return;
      claims.set(runId, { ...held, owner: null });
      const run = runs.get(runId);
      if (run !== undefined) acknowledge(run, acknowledged);
    },

    post(runId, message, { maxKept = Number.POSITIVE_INFINITY } = {}) {
      const run = runs.get(runId);
      if (run === undefined) throw runNotFound(runId);
      if (endedStatuses.has(run.status)) return {};
      if (run.posted.length >= maxKept) return { isFull: true };
      const number = ++messages;
      run.posted = [...run.posted, { number, message: copyJson(message) }];
      return { number };
    },

    delete(runId, { status } = {}) {
      const run = runs.get(runId);
      if (run === undefined) throw runNotFound(runId);
      if (isOwned(runId)) throw ownedElsewhere(runId);
      if (status !== undefined && !status.includes(run.status)) return false;
      remove(runId);
      return true;
    },
  };
}

function acknowledge(run: MemoryRun, numbers: readonly number[] = noMessages): void {
  if (numbers.length > 0) run.posted = run.posted.filter(({ number }) => !numbers.includes(number));
}

function isWanted(
  { status, events, posted, digest }: MemoryRun,
  { statuses, resumable, pending, sinceMs, untilMs, metadata, thread }: Omit<ListSelection, "limit">,
  nowMs: number,
): boolean {
  if (statuses !== undefined && !statuses.includes(status)) return false;
  const { resumeAt, pending: awaited, metadata: own } = digest;
  const isCalled = posted.length > 0 || (resumeAt !== undefined && Date.parse(resumeAt) <= nowMs);
  if (resumable && status === "suspended" && !isCalled) return false;
  if (pending !== undefined && !awaited?.kinds.some((kind) => pending.includes(kind))) return false;
  if (thread !== undefined && thread !== digest.thread) return false;
  if (metadata.some(([key, value]) => !Object.hasOwn(own, key) || canonicalJson(own[key]) !== value)) return false;
  const createdMs = Date.parse((events[0] as AgentEvent).timestamp);
  return !(createdMs < sinceMs || createdMs >= untilMs);
}

function summarize({ events, status, digest }: MemoryRun): RunSummary {
  const { runId, timestamp: createdAt, ...start } = events[0] as RunStartEvent;
  const request = shownRequest(start);
  const startedAt = events.find(({ type }) => type === "step-start")?.timestamp;
  const updatedAt = events.at(-1)?.timestamp ?? createdAt;
  const times = { createdAt, updatedAt, ...(startedAt !== undefined && { startedAt }) };
  return { runId, status, ...(request !== undefined && { request }), ...times, ...digest };
}
