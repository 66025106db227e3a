import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type {
  ListRunsOptions,
  PostAnswer,
  PostedMessages,
  PostOptions,
  RunPage,
  RunStore,
} from "../../core/run-store.ts";
import { ownedElsewhere, runNotFound, sequenceConflict } from "../../core/run-store-errors.ts";
import { endedStatuses, type RunStatus } from "../../core/run-summary.ts";
import { readListOptions } from "../sql/run-list.ts";
import { DatabaseFile, fileOptions, type SqliteFileOptions } from "./database-file.ts";
import { type ClaimRow, RunRows } from "./run-rows.ts";

/** Options of {@link createSqliteRunStore}. @inline */
export interface SqliteRunStoreOptions extends SqliteFileOptions {
  /** The clock of claims, in ms since 1970 UTC; processes that share a file must share it. @default `Date.now` */
  readonly now?: (() => number) | undefined;
}

const storeOptions = {
  ...fileOptions,
  now: { type: "function", default: () => Date.now() },
} satisfies OptionTable<SqliteRunStoreOptions>;

type AppendOptions = Parameters<RunStore["append"]>[2];
type ReleaseOptions = Parameters<RunStore["release"]>[1];

/**
 * A {@link RunStore} in a file. All methods are synchronous except `delete`, which lets others write in between.
 * @group Storage
 */
export interface SqliteRunStore extends RunStore {
  append(runId: string, events: readonly AgentEvent[], options: AppendOptions): void;
  read(runId: string, options?: { after?: number; limit?: number }): readonly AgentEvent[];
  list(options?: ListRunsOptions): RunPage;
  claim(runId: string, options: { owner: string; ttlMs: number }): { fence: number } & PostedMessages;
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): PostedMessages;
  release(runId: string, options: ReleaseOptions): void;
  post(runId: string, message: JsonObject, options?: PostOptions): PostAnswer;
  delete(runId: string, options?: { readonly status?: readonly RunStatus[] | undefined }): Promise<boolean>;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Opens a run store in an SQLite file. Processes of one machine may share the file. When `append` returns, the events
 * are on the disk, and survive a crash of the process or the machine.
 *
 * Throws `invalid-options`, `store-failed` (`details.problem` states what is wrong with the file) and, if none of
 * `node:sqlite`, `better-sqlite3` and `libsql` is available, `missing-dependency`.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteRunStore(options: SqliteRunStoreOptions): SqliteRunStore {
  const { now, ...settings } = readOptions(storeOptions, options);
  const file = new DatabaseFile(settings, (db) => new RunRows(db));

  /** Deletes the rest of deleted runs. If that fails, the next deletion continues with it. */
  async function sweep(): Promise<void> {
    try {
      while (file.write("delete", "", (rows) => rows.sweep())) await turn();
    } catch {
      // The run is gone; only its space is not freed.
    }
  }

  return {
    append(runId, events, { sequence, fence, acknowledged = [] }) {
      const [first] = events;
      if (first === undefined) return;
      const texts = events.map((event) => JSON.stringify(event));
      file.write("append", runId, (rows) => {
        if (fence !== undefined && fence !== rows.findClaim(runId)?.fence) throw ownedElsewhere(runId);
        const run = rows.findRun(runId);
        const next = (run?.sequence ?? 0) + 1;
        if (sequence !== next) throw sequenceConflict(runId, { sequence, next });
        rows.insertEvents(run ?? rows.insertRun(runId, first), events, texts);
        if (run !== undefined) rows.deleteMessages(run.number, acknowledged);
      });
    },

    read: (runId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      file.read("read", runId, (rows) => {
        const run = rows.findRun(runId);
        return run === undefined ? [] : rows.readEvents(run, after, limit);
      }),

    list(listOptions = {}) {
      const query = readListOptions(listOptions);
      return file.read("list", "", (rows) => (query.statuses?.length === 0 ? { runs: [] } : rows.list(query, now())));
    },

    claim: (runId, { owner, ttlMs }) =>
      file.write("claim", runId, (rows) => {
        const claim = rows.findClaim(runId);
        const nowMs = now();
        const isHeld = claim !== undefined && isHeldAt(claim, nowMs);
        if (isHeld && claim.owner !== owner) throw ownedElsewhere(runId);
        const fence = (claim?.fence ?? rows.goneFence()) + (isHeld ? 0 : 1);
        rows.saveClaim(runId, { owner, fence, ...timesOf(nowMs, ttlMs) });
        return { fence, posted: rows.listMessages(runId) };
      }),

    renew: (runId, { owner, fence, ttlMs }) =>
      file.write("claim", runId, (rows) => {
        const claim = rows.findClaim(runId);
        if (claim?.owner !== owner || claim.fence !== fence) throw ownedElsewhere(runId);
        rows.saveClaim(runId, { owner, fence, ...timesOf(now(), ttlMs) });
        return { posted: rows.listMessages(runId) };
      }),

    release: (runId, { owner, fence, acknowledged = [] }) =>
      file.write("claim", runId, (rows) => {
        const claim = rows.findClaim(runId);
        if (claim?.owner !== owner || claim.fence !== fence) return;
        rows.saveClaim(runId, { ...claim, owner: null });
        const run = acknowledged.length > 0 ? rows.findRun(runId) : undefined;
        if (run !== undefined) rows.deleteMessages(run.number, acknowledged);
      }),

    post(runId, message, { maxKept = Number.POSITIVE_INFINITY } = {}) {
      const text = JSON.stringify(message);
      return file.write("post", runId, (rows) => {
        const run = rows.findRun(runId);
        if (run === undefined) throw runNotFound(runId);
        if (endedStatuses.has(run.status)) return {};
        if (maxKept < Number.POSITIVE_INFINITY && rows.countMessages(run.number) >= maxKept) return { isFull: true };
        return { number: rows.insertMessage(run.number, text) };
      });
    },

    async delete(runId, { status } = {}) {
      const isDeleted = file.write("delete", runId, (rows) => {
        const run = rows.findRun(runId);
        if (run === undefined) throw runNotFound(runId);
        const claim = rows.findClaim(runId);
        if (claim !== undefined && isHeldAt(claim, now())) throw ownedElsewhere(runId);
        if (status !== undefined && !status.includes(run.status)) return false;
        rows.deleteRun(runId, run);
        return true;
      });
      // Deleting thousands of runs must not block everything else in this process.
      await turn();
      if (isDeleted) await sweep();
      return isDeleted;
    },

    close: () => file.close(),
  };
}

/** Yields to other work in this process. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A lease that starts in the future was made before the clock was set back, and would last until then again. */
function isHeldAt({ owner, fromMs, untilMs }: ClaimRow, nowMs: number): boolean {
  return owner !== null && fromMs <= nowMs && nowMs < untilMs;
}

/** A lease without end ignores the clock. The times are safe integers, as some drivers refuse to read larger ones. */
function timesOf(nowMs: number, ttlMs: number): Pick<ClaimRow, "fromMs" | "untilMs"> {
  const fromMs = ttlMs === Number.POSITIVE_INFINITY ? Number.MIN_SAFE_INTEGER : Math.floor(nowMs);
  return { fromMs, untilMs: Math.min(Math.ceil(nowMs + ttlMs), Number.MAX_SAFE_INTEGER) };
}
