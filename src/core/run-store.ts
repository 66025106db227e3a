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
   * True to list only runs that can be resumed and have no lease: `planning`, `running`, `interrupted`, or `suspended` with a
   * posted message or a wait that is over (`resumeAt`). @default false
   */
  readonly resumable?: boolean | undefined;
  /** Only suspended runs with a pending item of this kind, or of one of these. `approval` includes `plan-approval`. */
  readonly pending?: PendingKind | readonly PendingKind[] | undefined;
  /** Only runs created at this time or later; ISO 8601. */
  readonly since?: string | undefined;
  /** Only runs created before this time; ISO 8601. */
  readonly until?: string | undefined;
  /** Only runs whose metadata has these keys, each with exactly this value. */
  readonly metadata?: JsonObject | undefined;
  readonly thread?: string | undefined;
  /** Maximum number of runs on a page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** The `cursor` of the previous page. */
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
  /** Number that is higher than that of every earlier message to the run. */
  readonly number: number;
  readonly message: JsonValue;
}

/** The store's answer to `claim` and `renew`. @group Storage */
export interface PostedMessages {
  /** Messages to the run that are not acknowledged yet, ordered by number; absent if there are none. */
  readonly posted?: readonly PostedMessage[] | undefined;
  /** The store's time, in ms since 1970 UTC, which decides when waits and questions end; absent without a clock. */
  readonly nowMs?: number | undefined;
}

/** Options of {@link RunStore.post}. @inline */
export interface PostOptions {
  /** True to keep a message for a run that has yet to start. @default false */
  readonly isEarly?: boolean | undefined;
  /** Maximum number of messages that are kept for the run. Beyond it, this message is not kept. @default no limit */
  readonly maxKept?: number | undefined;
}

/** The store's answer to `post`. @inline */
export interface PostAnswer extends Pick<PostedMessages, "nowMs"> {
  /** The number of the message; absent if it is not kept. */
  readonly number?: number | undefined;
  /** True if the message is not kept because the run already has `maxKept` messages. */
  readonly isFull?: true | undefined;
}

/** Stores the events of runs, durably once `append` returns or resolves. Methods may be synchronous. @group Storage */
export interface RunStore {
  /** True if its data is lost with the process, so that leases need not expire. @default false */
  readonly isVolatile?: boolean | undefined;
  /**
   * Appends events to those of the run, all or none. `sequence` is the number of the first event. Rejects with
   * `run-conflict` if it is not the next number, and with `run-owned-elsewhere` if `fence` is not from the latest
   * lease.
   */
  append(
    runId: string,
    events: readonly AgentEvent[],
    options: {
      sequence: number;
      fence?: number;
      /** Numbers of processed messages. The store removes these messages if, and only if, it records the events. */
      acknowledged?: readonly number[];
    },
  ): Awaitable<void>;
  /** Returns at most `limit` events of a run in order, after number `after`; none for an unknown run. */
  read(runId: string, options?: { after?: number; limit?: number }): Awaitable<readonly AgentEvent[]>;
  /** Returns a page of stored runs, newest first, with the status that `runStatusAfter` returns. Throws `invalid-options`. */
  list(options?: ListRunsOptions): Awaitable<RunPage>;
  /**
   * Leases a run to an owner for `ttlMs`. Throws `run-owned-elsewhere` while the lease of another owner lasts. The
   * fence grows with each new lease, but not if the owner still has one; writes with an older fence are refused. A
   * lease that starts in the future counts as ended: a clock was set back. For a volatile store, `ttlMs` is `Infinity`.
   */
  claim(runId: string, options: { owner: string; ttlMs: number }): Awaitable<{ fence: number } & PostedMessages>;
  /** Extends a lease to `ttlMs` from now. Throws `run-owned-elsewhere` if it was released or a later one exists. */
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): Awaitable<PostedMessages>;
  /** Releases a lease and deletes the acknowledged messages. Does nothing if it was released or a later one exists. */
  release(runId: string, options: { owner: string; fence: number; acknowledged?: readonly number[] }): Awaitable<void>;
  /**
   * Posts a message to the current or next owner of the run, without a lease. `claim` and `renew` return it until it is
   * acknowledged. A completed, failed or cancelled run keeps no message, and the answer has no number. Rejects with
   * `run-not-found` for a run without events, unless `isEarly` is true and the store can keep messages for its start.
   */
  post(runId: string, message: JsonObject, options?: PostOptions): Awaitable<PostAnswer>;
  /**
   * Deletes a run. Returns false, and keeps the run, if its status is not in `status`. The id can be used again; fences
   * still grow. Throws `run-not-found`, and `run-owned-elsewhere` while a lease lasts.
   */
  delete(runId: string, options?: { readonly status?: readonly RunStatus[] | undefined }): Awaitable<boolean>;
  /**
   * Calls `listener` soon after events of the run are recorded or a message is posted to it, even by another process,
   * until the returned function is called. `watch` must not throw. Calls may be missed or superfluous.
   */
  watch?(runId: string, listener: () => void): () => void;
  /** Like `watch`, for messages to any run. Passes the id of the run, or none if messages may have been missed. */
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
    if (value === undefined || !json.ok) failOption(`metadata.${key}`, value, "a JSON value");
    return [key, canonicalJson(json.value)];
  });
}

export function runNotFound(runId: string): AgentError<"run-not-found"> {
  return new AgentError("run-not-found", `There is no run "${runId}".`, { details: { runId } });
}

export function ownedElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  return new AgentError("run-owned-elsewhere", `Run "${runId}" belongs to another owner.`, { details: { runId } });
}

export function sequenceConflict(runId: string, { sequence, next }: { sequence: number; next: number }) {
  const message = `Run "${runId}" expects event ${next}, not ${sequence}: another writer has changed it.`;
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
