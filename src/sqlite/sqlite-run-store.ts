import { resolve } from "node:path";
import { AgentError, type StoreOperation } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { checkFunction, checkKeys, checkNumber, failOption, maxDurationMs } from "../core/options.ts";
import type { ListRunsOptions, RunPage, RunStore } from "../core/run-store.ts";
import { guardFile } from "./file-guard.ts";
import { readListOptions } from "./list-query.ts";
import { checkDriver, type SqliteDriver } from "./load-driver.ts";
import { inMemory, type OpenOptions, openDatabase } from "./open-database.ts";
import { RunRows } from "./run-rows.ts";
import { inTransaction, type SqlDatabase } from "./sql-database.ts";
import { toStoreFailure } from "./store-failure.ts";

/** Options of {@link createSqliteRunStore}. */
export interface SqliteRunStoreOptions {
  /**
   * The file: it, and the folders above it, are made if they are missing. It must be on a disk of this machine.
   * `:memory:` keeps all in memory.
   */
  readonly path: string;
  /** Time for claims, in milliseconds since 1970 UTC; the processes that share a file must share it. @default `Date.now` */
  readonly now?: (() => number) | undefined;
  /**
   * How long a method waits while another process writes, before it throws `store-failed`; this process stands still for
   * so long. @default 5000
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Different processes may open a file with different ones. Within a process all must have the same: SQLite can not
   * see the locks of another copy of itself. @default The first there is of `node`, `better-sqlite3` and `libsql`.
   */
  readonly driver?: SqliteDriver | undefined;
}

/** A {@link RunStore} in a file. All its methods answer at once. */
export interface SqliteRunStore extends RunStore {
  append(runId: string, events: readonly AgentEvent[], options: { sequence: number; fence?: number }): void;
  read(runId: string, options?: { after?: number; limit?: number }): readonly AgentEvent[];
  list(options?: ListRunsOptions): RunPage;
  claim(runId: string, options: { owner: string; ttlMs: number }): { fence: number };
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): void;
  release(runId: string, options: { owner: string; fence: number }): void;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Opens a run store in a file of SQLite. Processes of one machine may share the file. What `append` has returned from is
 * on the disk, and survives the process and the machine.
 *
 * It throws `invalid-options`, `store-failed` (`details.problem` says what is wrong with the file) and, where there is
 * neither `node:sqlite` nor `better-sqlite3` nor `libsql`, `missing-dependency`.
 */
export function createSqliteRunStore(options: SqliteRunStoreOptions): SqliteRunStore {
  checkKeys("options", options, ["path", "now", "busyTimeoutMs", "driver"]);
  const { path, now = Date.now, busyTimeoutMs = 5_000, driver } = options;
  if (typeof path !== "string" || path === "" || /^(file|https?|wss?|libsql):/i.test(path)) {
    failOption("path", path, 'the path of a file, or ":memory:"');
  }
  checkFunction("now", now);
  checkNumber("busyTimeoutMs", busyTimeoutMs, { min: 0, max: maxDurationMs, isInteger: true });
  checkDriver(driver);
  return new FileRunStore({ path: path === inMemory ? path : resolve(path), now }, { busyTimeoutMs, driver });
}

interface OpenFile {
  readonly db: SqlDatabase;
  readonly rows: RunRows;
  /** Throws if the file is no longer where it was. */
  guard(): void;
}

class FileRunStore implements SqliteRunStore {
  private readonly path: string;
  private readonly now: () => number;
  /** Undefined once it is closed. */
  private open: OpenFile | undefined;

  constructor({ path, now }: { path: string; now: () => number }, options: OpenOptions) {
    this.path = path;
    this.now = now;
    const db = openDatabase(path, options);
    try {
      this.open = { db, rows: new RunRows(db), guard: path === inMemory ? () => {} : guardFile(path) };
    } catch (thrown) {
      db.close();
      throw toStoreFailure(thrown, { path, operation: "open", runId: "" });
    }
  }

  append(
    runId: string,
    events: readonly AgentEvent[],
    { sequence, fence }: { sequence: number; fence?: number },
  ): void {
    const [first] = events;
    if (first === undefined) return;
    const texts = events.map((event) => JSON.stringify(event));
    this.write("append", runId, (rows) => {
      if (fence !== undefined && fence !== rows.findClaim(runId)?.fence) throw ownedElsewhere(runId);
      const run = rows.findRun(runId);
      const next = (run?.sequence ?? 0) + 1;
      if (sequence !== next) throw conflict(runId, { sequence, next });
      rows.insertEvents(run ?? rows.insertRun(runId, first), events, texts);
    });
  }

  read(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): readonly AgentEvent[] {
    return this.attempt("read", runId, ({ rows }) => {
      const run = rows.findRun(runId);
      return run === undefined ? [] : rows.readEvents(run, { after, limit });
    });
  }

  list(options: ListRunsOptions = {}): RunPage {
    const query = readListOptions(options);
    return this.attempt("list", "", ({ rows }) => {
      return query.statuses?.length === 0 ? { runs: [] } : rows.list(query, this.now());
    });
  }

  claim(runId: string, { owner, ttlMs }: { owner: string; ttlMs: number }): { fence: number } {
    return this.write("claim", runId, (rows) => {
      const claim = rows.findClaim(runId);
      const nowMs = this.now();
      const isHeld = claim !== undefined && claim.owner !== null && nowMs < claim.untilMs;
      if (isHeld && claim.owner !== owner) throw ownedElsewhere(runId);
      const fence = (claim?.fence ?? 0) + (isHeld ? 0 : 1);
      rows.saveClaim(runId, { owner, fence, untilMs: endOf(nowMs, ttlMs) });
      return { fence };
    });
  }

  renew(runId: string, { owner, fence, ttlMs }: { owner: string; fence: number; ttlMs: number }): void {
    this.write("claim", runId, (rows) => {
      const claim = rows.findClaim(runId);
      if (claim?.owner !== owner || claim.fence !== fence) throw ownedElsewhere(runId);
      rows.saveClaim(runId, { owner, fence, untilMs: endOf(this.now(), ttlMs) });
    });
  }

  release(runId: string, { owner, fence }: { owner: string; fence: number }): void {
    this.write("claim", runId, (rows) => {
      const claim = rows.findClaim(runId);
      if (claim?.owner === owner && claim.fence === fence) rows.saveClaim(runId, { ...claim, owner: null });
    });
  }

  close(): void {
    const { open } = this;
    // The statements go, too: libsql keeps the file open as long as there are any.
    this.open = undefined;
    open?.db.close();
  }

  private write<T>(operation: StoreOperation, runId: string, work: (rows: RunRows) => T): T {
    return this.attempt(operation, runId, ({ db, rows, guard }) => {
      guard();
      return inTransaction(db, "IMMEDIATE", () => work(rows));
    });
  }

  private attempt<T>(operation: StoreOperation, runId: string, work: (open: OpenFile) => T): T {
    if (this.open === undefined) {
      const message = `The run store "${this.path}" has been closed. Close it when no run needs it any more.`;
      throw new AgentError("store-failed", message, { details: { runId, operation, reason: "it is closed" } });
    }
    try {
      return work(this.open);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path: this.path, operation, runId });
    }
  }
}

/** Not beyond what an integer of JavaScript can be: some drivers refuse it when it is read. */
function endOf(nowMs: number, ttlMs: number): number {
  return Math.min(nowMs + ttlMs, Number.MAX_SAFE_INTEGER);
}

function ownedElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  return new AgentError("run-owned-elsewhere", `Run "${runId}" belongs to another owner.`, { details: { runId } });
}

function conflict(runId: string, { sequence, next }: { sequence: number; next: number }): AgentError<"run-conflict"> {
  const message = `Run "${runId}" expects event ${next}, not ${sequence}: somebody else has written to it.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
