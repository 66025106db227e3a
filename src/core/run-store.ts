import { AgentError } from "./errors.ts";
import type { AgentEvent } from "./events.ts";
import { canonicalJson, type JsonObject, type JsonValue, toJson } from "./json.ts";
import { checkObject, failOption, type OptionTable, readOptions } from "./option-tables.ts";
import {
  endedStatuses,
  type PendingKind,
  pendingKinds,
  type RunStatus,
  type RunSummary,
  runStatuses,
} from "./run-summary.ts";
import { isInCalendar } from "./step.ts";

type Awaitable<T> = T | Promise<T>;

/** Options of {@link RunStore.list}. @group Runs and results */
export interface ListRunsOptions {
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /**
   * Only runs that could be resumed and have no lease: `planning`, `running`, `interrupted`, or `suspended` with a
   * posted message or a wait that is over (`resumeAt`). @default false
   */
  readonly resumable?: boolean | undefined;
  /** Only suspended runs that wait for something of this kind, or of one of these; `approval` includes `plan-approval`. */
  readonly pending?: PendingKind | readonly PendingKind[] | undefined;
  /** Only runs created at this time or later; ISO 8601. */
  readonly since?: string | undefined;
  /** Only runs created before this time; ISO 8601. */
  readonly until?: string | undefined;
  /** Only runs whose metadata has these keys, each with exactly this value. */
  readonly metadata?: JsonObject | undefined;
  readonly thread?: string | undefined;
  /** The most runs in the answer, 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** The end of the previous page. */
  readonly cursor?: string | undefined;
}

/** A page of runs, the newest first. @group Runs and results */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Pass it to get the next page; absent on the last. */
  readonly cursor?: string;
}

/** A message that was posted to a run. @inline */
export interface PostedMessage {
  /** Higher than that of every message that was posted to the run before. */
  readonly number: number;
  readonly message: JsonValue;
}

/** The answer of a store about a lease. @group Storage */
export interface PostedMessages {
  /** The messages posted to the run and not acknowledged yet, in the order of their numbers; absent if there are none. */
  readonly posted?: readonly PostedMessage[] | undefined;
  /** The time by the store's own clock, in milliseconds since 1970 UTC, by which waits and questions end; absent if it has none. */
  readonly nowMs?: number | undefined;
}

/** Options of {@link RunStore.post}. @inline */
export interface PostOptions {
  /** True to keep a message for a run that has yet to start. @default false */
  readonly isEarly?: boolean | undefined;
  /** The most messages to the run that are kept; this one is not if there are so many. @default no limit */
  readonly maxKept?: number | undefined;
}

/** The answer of a store about a message. @inline */
export interface PostAnswer {
  /** The number of the message; absent if it is not kept. */
  readonly number?: number | undefined;
  /** Needed if the message is not kept as there are `maxKept` of them. */
  readonly isFull?: true | undefined;
  /** The time by the store's own clock, as of a lease. */
  readonly nowMs?: number | undefined;
}

/** Keeps the events of runs, for good once `append` returns or resolves. Methods may be synchronous. @group Storage */
export interface RunStore {
  /** True if its data is lost with the process, so that no lease on a run has to expire. @default false */
  readonly isVolatile?: boolean | undefined;
  /**
   * Records events, all or none, behind those of the run. `sequence` is the number of the first one; rejects with
   * `run-conflict` if it is not the next, and with `run-owned-elsewhere` if `fence` is not that of the latest lease.
   */
  append(
    runId: string,
    events: readonly AgentEvent[],
    options: {
      sequence: number;
      fence?: number;
      /** The numbers of processed messages: removed if, and only if, the events are recorded. */
      acknowledged?: readonly number[];
    },
  ): Awaitable<void>;
  /** A run's events in order, those after number `after`, at most `limit`; none for an unknown run. */
  read(runId: string, options?: { after?: number; limit?: number }): Awaitable<readonly AgentEvent[]>;
  /** A page of the stored runs, the newest first, by the status that `runStatusAfter` gives. Throws `invalid-options`. */
  list(options?: ListRunsOptions): Awaitable<RunPage>;
  /**
   * Claims a run for an owner for `ttlMs`; `run-owned-elsewhere` while the lease of another owner lasts. The fence
   * grows with each lease by another owner, and writes with an older one are refused. A lease that starts in the future
   * has ended, because the clock of its owner has been set back since. A volatile store gets `Infinity`.
   */
  claim(runId: string, options: { owner: string; ttlMs: number }): Awaitable<{ fence: number } & PostedMessages>;
  /** Extends a lease, from now. `run-owned-elsewhere` if it is no longer held. */
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): Awaitable<PostedMessages>;
  /** Gives up a lease, and drops the messages that led to nothing. Does nothing if the lease is no longer held. */
  release(runId: string, options: { owner: string; fence: number; acknowledged?: readonly number[] }): Awaitable<void>;
  /**
   * Leaves a message for the owner of the run, or its next one; any process may, without a lease. `claim` and `renew`
   * return it until it is acknowledged. A run that is completed, failed or cancelled keeps none, and posting returns no
   * number. Rejects with `run-not-found` for a run without events, unless `isEarly` and the store can keep it for the
   * start of the run.
   */
  post(runId: string, message: JsonObject, options?: PostOptions): Awaitable<PostAnswer>;
  /**
   * Deletes a run; with `status`, only one of these, and returns false for any other. Its id is then free, but later
   * leases get higher fences than all earlier ones. `run-not-found`; `run-owned-elsewhere` while a lease lasts.
   */
  delete(runId: string, options?: { readonly status?: readonly RunStatus[] | undefined }): Awaitable<boolean>;
  /**
   * Calls back soon after events of a run were recorded or a message was posted to it, even by another process, until
   * the returned function is called. It must not throw; a call may be missed or superfluous.
   */
  watch?(runId: string, listener: () => void): () => void;
  /** Like `watch`, for messages to any run: calls back with its id, or without one if some may have been missed. */
  watchPosted?(listener: (runId?: string) => void): () => void;
}

export type ListSelection = ReturnType<typeof selectRuns>;

export const readStatuses = createWordReader(runStatuses);

export const threadOption = {
  isValid: (thread: unknown) => typeof thread === "string" && thread.length >= 1 && thread.length <= 200,
  expected: "text of 1 to 200 characters",
} as const;

const listOptions = {
  status: readStatuses,
  resumable: { type: "boolean", default: false },
  pending: createWordReader(pendingKinds),
  since: readTime,
  until: readTime,
  metadata: readMetadata,
  thread: threadOption,
  limit: { type: "integer", min: 1, max: 1_000, default: 100 },
  cursor: { type: "any" },
} satisfies OptionTable<ListRunsOptions>;

export function selectRuns(options: ListRunsOptions) {
  const { status, since, until, resumable, pending: kinds, ...rest } = readOptions(listOptions, options);
  const pending = kinds && [...new Set(kinds.has("approval") ? [...kinds, "plan-approval" as const] : kinds)];
  const [sinceMs, untilMs] = [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER];
  const possible = runStatuses.filter(
    (one) =>
      (status?.has(one) ?? true) &&
      !(resumable && endedStatuses.has(one)) &&
      !(pending !== undefined && (one !== "suspended" || pending.length === 0)),
  );
  const statuses = possible.length === runStatuses.length ? undefined : possible;
  const { metadata, thread, limit } = rest;
  return { statuses, resumable, pending, sinceMs, untilMs, metadata, thread, limit };
}

export function createWordReader<T extends string>(known: readonly T[]) {
  return (value: unknown, option: string): ReadonlySet<T> | undefined => {
    if (value === undefined) return undefined;
    const words = [value].flat() as T[];
    for (const word of words)
      if (!known.includes(word)) failOption(option, word, `one of ${known.join(", ")}, or a list of these`, true);
    return new Set(words);
  };
}

export function readTime(time: unknown, option: string): number | undefined {
  const ms = time === undefined ? undefined : typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(ms) || !isInCalendar(String(time))) failOption(option, time, "an ISO 8601 time", true);
  return ms;
}

function readMetadata(metadata: unknown = {}): readonly (readonly [key: string, canonicalJson: string])[] {
  checkObject("metadata", metadata);
  return Object.entries(metadata).map(([key, value]) => {
    const json = toJson(value);
    // Ignoring a missing value would list the runs of others.
    if (value === undefined || !json.ok) failOption(`metadata.${key}`, value, "a value of JSON");
    return [key, canonicalJson(json.value)];
  });
}

export function runNotFound(runId: string): AgentError<"run-not-found"> {
  return new AgentError("run-not-found", `There is no run "${runId}".`, { details: { runId } });
}

export function ownedElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  return new AgentError("run-owned-elsewhere", `Run "${runId}" belongs to another owner.`, { details: { runId } });
}

export function sequenceConflict(
  runId: string,
  { sequence, next }: { sequence: number; next: number },
): AgentError<"run-conflict"> {
  const message = `Run "${runId}" expects event ${next}, not ${sequence}: another writer has added events.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}

export interface Lease {
  readonly owner: string | null;
  readonly fence: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function isHeld({ owner, fromMs, untilMs }: Lease, nowMs: number): boolean {
  return owner !== null && fromMs <= nowMs && nowMs < untilMs;
}

export function claimLease(runId: string, known: Lease, { owner, ttlMs, nowMs }: LeaseRequest): Lease {
  const isKept = isHeld(known, nowMs);
  if (isKept && known.owner !== owner) throw ownedElsewhere(runId);
  return { owner, fence: known.fence + (isKept ? 0 : 1), ...createTimes(ttlMs, nowMs) };
}

export function renewLease(
  runId: string,
  known: Lease | undefined,
  { owner, fence, ttlMs, nowMs }: LeaseRequest & { readonly fence: number },
): Lease {
  if (known?.owner !== owner || known.fence !== fence) throw ownedElsewhere(runId);
  return { owner, fence, ...createTimes(ttlMs, nowMs) };
}

interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs: number;
  readonly nowMs: number;
}

function createTimes(ttlMs: number, nowMs: number): Pick<Lease, "fromMs" | "untilMs"> {
  const fromMs = ttlMs === Number.POSITIVE_INFINITY ? Number.MIN_SAFE_INTEGER : Math.floor(nowMs);
  return { fromMs, untilMs: Math.min(Math.ceil(nowMs + ttlMs), Number.MAX_SAFE_INTEGER) };
}
