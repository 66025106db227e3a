import type { AgentEvent, RunStartEvent } from "../core/events.ts";
import { canonicalJson, copyJson, type JsonObject } from "../core/json.ts";
import { failOption, type OptionTable, readOptions, type SettingsOf } from "../core/options.ts";
import {
  type ListRunsOptions,
  type ListSelection,
  type PostAnswer,
  type PostedMessage,
  type PostedMessages,
  type PostOptions,
  type RunPage,
  type RunStore,
  selectRuns,
} from "../core/run-store.ts";
import { ownedElsewhere, runNotFound, sequenceConflict } from "../core/run-store-errors.ts";
import {
  digestAfter,
  endedStatuses,
  type RunDigest,
  type RunStatus,
  type RunSummary,
  runStatusAfter,
  unendedStatuses,
} from "../core/run-summary.ts";

/** Options of {@link createMemoryRunStore}. @inline */
export interface MemoryRunStoreOptions {
  /** The most finished runs to keep; the one that ended first is dropped first. @default 1000 */
  maxFinishedRuns?: number | undefined;
  /** Time for claims, in milliseconds since 1970 UTC. @default `Date.now` */
  now?: (() => number) | undefined;
}

const storeOptions = {
  maxFinishedRuns: { type: "integer", min: 0, default: 1_000 },
  now: { type: "function", default: () => Date.now() },
} satisfies OptionTable<MemoryRunStoreOptions>;

/** A run as it is kept in memory. */
interface MemoryRun {
  readonly runId: string;
  readonly events: AgentEvent[];
  status: RunStatus;
  /** The messages that are not acknowledged yet. */
  posted: readonly PostedMessage[];
  /** Grows with each new run, so that pages stay stable while runs are added. */
  readonly number: number;
}

interface Claim {
  readonly fence: number;
  owner: string | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

const noMessages: readonly never[] = [];

/**
 * A run store in memory: for tests, for tools that can lose their runs with the process, and to start with. All methods
 * but `list` are synchronous. Runs that have not finished are never dropped. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/06-look-at-runs.ts}
 * @group Storage
 */
export function createMemoryRunStore(options: MemoryRunStoreOptions = {}): RunStore {
  return new MemoryRunStore(readOptions(storeOptions, options));
}

class MemoryRunStore implements RunStore {
  readonly isVolatile = true;
  private readonly runs = new Map<string, MemoryRun>();
  private readonly claims = new Map<string, Claim>();
  /** The oldest first, including some that are gone: a page starts where the last one ended, without a full scan. */
  private order: MemoryRun[] = [];
  /** In the order in which they ended. */
  private readonly finishedRuns = new Set<string>();
  private counter = 0;
  private messages = 0;
  /** The highest fence of the removed runs: a former owner must not write to a new run of the same id. */
  private goneFence = 0;

  constructor(private readonly settings: SettingsOf<MemoryRunStoreOptions, typeof storeOptions>) {}

  append(
    runId: string,
    events: readonly AgentEvent[],
    { sequence, fence, acknowledged }: { sequence: number; fence?: number; acknowledged?: readonly number[] },
  ): void {
    if (events.length === 0) return;
    if (fence !== undefined && fence !== this.claims.get(runId)?.fence) throw ownedElsewhere(runId);
    const known = this.runs.get(runId);
    const run = known ?? newRun(runId, this.counter + 1);
    if (sequence !== run.events.length + 1) throw sequenceConflict(runId, { sequence, next: run.events.length + 1 });
    if (known === undefined) this.add(run);
    for (const event of events) {
      run.events.push(event);
      run.status = runStatusAfter(event) ?? run.status;
    }
    acknowledge(run, acknowledged);
    if (endedStatuses.has(run.status)) this.finish(run);
    else this.finishedRuns.delete(runId);
  }

  read(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): readonly AgentEvent[] {
    return this.runs.get(runId)?.events.slice(after, after + limit) ?? [];
  }

  async list(options: ListRunsOptions = {}): Promise<RunPage> {
    const { limit, ...wanted } = selectRuns(options);
    const { cursor } = options;
    if (cursor !== undefined && !/^\d+$/.test(cursor)) failOption("cursor", cursor, "the cursor of a page");
    const runs: RunSummary[] = [];
    let last: MemoryRun | undefined;
    for (const run of this.newestBefore(cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor))) {
      if (!isWanted(run, wanted, this.settings.now()) || (wanted.resumable && this.isHeld(run.runId))) continue;
      if (last !== undefined && runs.length === limit) return { runs, cursor: String(last.number) };
      last = run;
      runs.push(summarize(run));
    }
    return { runs };
  }

  /** The runs whose number is lower, the newest first. */
  private *newestBefore(number: number): Generator<MemoryRun> {
    for (let index = this.countBefore(number) - 1; index >= 0; index--) {
      const run = this.order[index] as MemoryRun;
      if (this.runs.get(run.runId) === run) yield run;
    }
  }

  /** How many runs, including those that are gone, have a lower number. */
  private countBefore(number: number): number {
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.order[middle] as MemoryRun).number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private add(run: MemoryRun): void {
    this.counter = run.number;
    this.runs.set(run.runId, run);
    this.order.push(run);
    if (this.order.length > 2 * this.runs.size + 100) {
      this.order = this.order.filter((other) => this.runs.get(other.runId) === other);
    }
  }

  claim(runId: string, { owner, ttlMs }: { owner: string; ttlMs: number }): { fence: number } & PostedMessages {
    const held = this.claims.get(runId);
    const isHeld = this.isHeld(runId);
    if (isHeld && held?.owner !== owner) throw ownedElsewhere(runId);
    const fence = (held?.fence ?? this.goneFence) + (isHeld ? 0 : 1);
    this.claims.set(runId, { fence, owner, ...timesOf(this.settings.now(), ttlMs) });
    const { posted = noMessages } = this.runs.get(runId) ?? {};
    return posted.length === 0 ? { fence } : { fence, posted };
  }

  renew(runId: string, { owner, fence, ttlMs }: { owner: string; fence: number; ttlMs: number }): PostedMessages {
    const held = this.claims.get(runId);
    if (held?.owner !== owner || held.fence !== fence) throw ownedElsewhere(runId);
    this.claims.set(runId, { fence, owner, ...timesOf(this.settings.now(), ttlMs) });
    return { posted: this.runs.get(runId)?.posted };
  }

  release(
    runId: string,
    { owner, fence, acknowledged }: { owner: string; fence: number; acknowledged?: readonly number[] },
  ): void {
    const held = this.claims.get(runId);
    if (held?.owner !== owner || held.fence !== fence) return;
    held.owner = undefined;
    const run = this.runs.get(runId);
    if (run !== undefined) acknowledge(run, acknowledged);
  }

  post(
    runId: string,
    message: JsonObject,
    { maxKept = Number.POSITIVE_INFINITY }: Pick<PostOptions, "maxKept"> = {},
  ): PostAnswer {
    const run = this.runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    if (endedStatuses.has(run.status)) return {};
    if (run.posted.length >= maxKept) return { isFull: true };
    const number = ++this.messages;
    run.posted = [...run.posted, { number, message: copyJson(message) }];
    return { number };
  }

  delete(runId: string, { status }: { readonly status?: readonly RunStatus[] | undefined } = {}): boolean {
    const run = this.runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    if (this.isHeld(runId)) throw ownedElsewhere(runId);
    if (status !== undefined && !status.includes(run.status)) return false;
    this.remove(runId);
    return true;
  }

  private isHeld(runId: string): boolean {
    const held = this.claims.get(runId);
    if (held?.owner === undefined) return false;
    const nowMs = this.settings.now();
    // A lease that starts in the future was made before the clock was set back, and would last until that time again.
    return held.fromMs <= nowMs && nowMs < held.untilMs;
  }

  private finish(run: MemoryRun): void {
    run.posted = noMessages;
    this.finishedRuns.add(run.runId);
    for (const oldest of this.finishedRuns) {
      if (this.finishedRuns.size <= this.settings.maxFinishedRuns) break;
      this.remove(oldest);
    }
  }

  private remove(runId: string): void {
    this.goneFence = Math.max(this.goneFence, this.claims.get(runId)?.fence ?? 0);
    this.finishedRuns.delete(runId);
    this.runs.delete(runId);
    this.claims.delete(runId);
  }
}

function newRun(runId: string, number: number): MemoryRun {
  return { runId, events: [], status: "planning", posted: noMessages, number };
}

function acknowledge(run: MemoryRun, numbers: readonly number[] = noMessages): void {
  if (numbers.length > 0) run.posted = run.posted.filter(({ number }) => !numbers.includes(number));
}

/** A lease without an end does not depend on the clock. */
function timesOf(nowMs: number, ttlMs: number): Pick<Claim, "fromMs" | "untilMs"> {
  const isEndless = ttlMs === Number.POSITIVE_INFINITY;
  return { fromMs: isEndless ? Number.NEGATIVE_INFINITY : nowMs, untilMs: nowMs + ttlMs };
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
