import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Clock, maxTimerMs, monotonicNow, systemClock } from "../../async/clock.ts";
import { type RetryPolicy, retryDelayMs } from "../../async/retry.ts";
import { AgentError, isAgentError, type StoreOperation } from "../../core/errors.ts";
import { formatVersion, isReadable, wrongFormat } from "../../core/events.ts";
import type { OptionTable, SettingsOf } from "../../core/option-tables.ts";
import { closedFailure, raw, readText, type StoreAttempt, sql } from "../sql/statement.ts";
import { createStorageTables, type Dialect } from "../sql/storages.ts";
import { asBytes, drivers, inTransaction, loadDriver, SqlDatabase, type SqliteDriver } from "./sql-database.ts";
import { checkWritable, isBusy, movedCode, toStoreFailure } from "./store-failure.ts";

/** Options of all stores in an SQLite file. */
export interface SqliteFileOptions {
  /** Path of a local file for runs, todos and notes, created with its folders if missing, or `:memory:`. */
  readonly path: string;
  /**
   * Time that a method waits for a locked file before it fails with `store-failed`. After 8 ms it returns a promise.
   * Opening may block this process for the whole time. @default 5000
   */
  readonly busyTimeoutMs?: number | undefined;
  /** Clock that times waits for a locked file. @default the system's */
  readonly clock?: Clock | undefined;
  /**
   * Driver, the same for all stores of a process, as a copy of SQLite does not see the locks of other copies.
   * @default the first available of `node`, `better-sqlite3` and `libsql`
   */
  readonly driver?: SqliteDriver | undefined;
}

export const fileOptions = {
  path: {
    isValid: (path) => typeof path === "string" && /^(?!(file|https?|wss?|libsql):)[^\0]+$/i.test(path),
    expected: 'the path of a file, or ":memory:"',
    isRequired: true,
  },
  busyTimeoutMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  clock: { type: "clock", default: systemClock },
  driver: {
    isValid: (driver) => drivers.includes(driver as SqliteDriver),
    expected: `one of ${drivers.join(", ")}`,
    isHarmless: true,
  },
} satisfies OptionTable<SqliteFileOptions>;

type FileSettings = SettingsOf<SqliteFileOptions, typeof fileOptions>;

const inMemory = ":memory:";

/** Limit for waits in the driver, which block the process. A transaction may wait twice: to begin and to commit. */
const driverWaitMs = 8;

const retries: RetryPolicy = { maxAttempts: 0, minDelayMs: 2, maxDelayMs: 4, factor: 2, maxTotalMs: 0 };

/** Length of the pause of a process that writes constantly, so that others can lock the file. */
const pauseMs = 4;
const pauseAfterMs = 250;
const contendedPauseAfterMs = 50;

export function openDatabase({ path, driver, busyTimeoutMs }: Omit<FileSettings, "clock">): SqlDatabase {
  const Database = loadDriver(driver);
  let db: SqlDatabase | undefined;
  try {
    if (path !== inMemory) {
      // On a read-only disk, `mkdir` reports only "no such file".
      checkWritable(path);
      mkdirSync(dirname(path), { recursive: true });
    }
    db = new SqlDatabase(new Database(path));
    // Set first, because any of the next statements may find the file locked.
    setDriverWait(db, busyTimeoutMs);
    prepareTables(db, path);
    setJournalMode(db);
    db.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
    setDriverWait(db, Math.min(busyTimeoutMs, driverWaitMs));
    return db;
  } catch (thrown) {
    db?.close();
    throw toStoreFailure(thrown, { path, operation: "open", runId: "" });
  }
}

/** Before 3.51.3, SQLite can damage a file when two processes reset its log (https://sqlite.org/wal.html#walreset). */
function setJournalMode(db: SqlDatabase): void {
  const [major = 0, minor = 0, patch = 0] = String(db.value("SELECT sqlite_version()")).split(".").map(Number);
  const isSafe = major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
  try {
    db.value(`PRAGMA journal_mode = ${isSafe ? "WAL" : "TRUNCATE"}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  }
}

function setDriverWait(db: SqlDatabase, waitMs: number): void {
  db.value(`PRAGMA busy_timeout = ${waitMs}`);
}

/** Methods return a promise only while another process has locked the file. Waiting calls keep their order. */
export class DatabaseFile {
  readonly #settings: FileSettings;
  #db: SqlDatabase | undefined;
  readonly #inode: bigint | undefined;
  readonly #waiting: { readonly endMs: number; readonly settle: (isLast: boolean) => boolean }[] = [];
  #timer: unknown;
  readonly #latest = { writeMs: 0, waitMs: Number.NEGATIVE_INFINITY, pauseMs: 0 };

  constructor(settings: FileSettings) {
    this.#settings = { ...settings, path: settings.path === inMemory ? inMemory : resolve(settings.path) };
    this.#db = openDatabase(this.#settings);
    this.#inode = this.#findInode();
  }

  read<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T | Promise<T> {
    return this.#attempt(() => this.#use({ operation, runId }, (db) => inTransaction(db, "DEFERRED", () => work(db))));
  }

  write<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T | Promise<T> {
    const use = () =>
      this.#use({ operation, runId }, (db) => {
        // With a write-ahead log, SQLite does not notice that its file was replaced, and writes would be lost.
        if (this.#findInode() !== this.#inode)
          throw Object.assign(new Error("the file was replaced or is gone"), { errcode: movedCode });
        this.#pause();
        const result = inTransaction(db, "IMMEDIATE", () => work(db));
        this.#latest.writeMs = monotonicNow(this.#settings.clock);
        return result;
      });
    return this.#waiting.length > 0 ? this.#wait(use) : this.#attempt(use);
  }

  /** Removes deleted data from the log. The log is left as it is while another process uses it. */
  emptyLog(): void {
    this.#use({ operation: "delete", runId: "" }, (db) => {
      setDriverWait(db, 0);
      try {
        db.value("PRAGMA wal_checkpoint(TRUNCATE)");
      } finally {
        if (this.#waiting.length === 0) setDriverWait(db, this.#driverWaitMs);
      }
    });
  }

  close(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#retry();
    db?.close();
  }

  get #driverWaitMs(): number {
    return Math.min(this.#settings.busyTimeoutMs, driverWaitMs);
  }

  #attempt<T>(use: () => T): T | Promise<T> {
    try {
      return use();
    } catch (thrown) {
      if (!isLocked(thrown) || this.#settings.busyTimeoutMs <= driverWaitMs) throw thrown;
      return this.#wait(use);
    }
  }

  #pause(): void {
    const latest = this.#latest;
    const { clock, busyTimeoutMs } = this.#settings;
    const nowMs = monotonicNow(clock);
    const afterMs = nowMs - latest.waitMs < busyTimeoutMs ? contendedPauseAfterMs : pauseAfterMs;
    if (nowMs - latest.writeMs < pauseMs) {
      if (nowMs - latest.pauseMs < afterMs) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
    latest.pauseMs = monotonicNow(clock);
  }

  #wait<T>(use: () => T): Promise<T> {
    const { clock, busyTimeoutMs } = this.#settings;
    this.#latest.waitMs = monotonicNow(clock);
    return new Promise((resolve, reject) => {
      const settle = (isLast: boolean) => {
        try {
          resolve(use());
        } catch (thrown) {
          if (!isLast && isLocked(thrown)) return false;
          reject(thrown);
        }
        return true;
      };
      this.#waiting.push({ endMs: monotonicNow(clock) + busyTimeoutMs - this.#driverWaitMs, settle });
      if (this.#waiting.length > 1) return;
      if (this.#db !== undefined) setDriverWait(this.#db, 0);
      this.#retryLater(1);
    });
  }

  #retryLater(attempt: number): void {
    const { clock } = this.#settings;
    const leftMs = (this.#waiting[0]?.endMs ?? 0) - monotonicNow(clock);
    const delayMs = Math.max(0, Math.min(leftMs, retryDelayMs(retries, attempt, Math.random)));
    this.#timer = clock.setTimeout(() => this.#retry(attempt + 1), delayMs);
  }

  #retry(attempt = 1): void {
    const { clock } = this.#settings;
    clock.clearTimeout(this.#timer);
    for (const { endMs, settle } of [...this.#waiting]) {
      if (!settle(monotonicNow(clock) >= endMs)) {
        this.#retryLater(attempt);
        return;
      }
      this.#waiting.shift();
    }
    if (this.#db !== undefined) setDriverWait(this.#db, this.#driverWaitMs);
  }

  #use<T>({ operation, runId }: StoreAttempt, work: (db: SqlDatabase) => T): T {
    const { path } = this.#settings;
    if (this.#db === undefined) throw closedFailure(`The database "${path}"`, { operation, runId });
    try {
      return work(this.#db);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path, operation, runId });
    }
  }

  #findInode(): bigint | undefined {
    const { path } = this.#settings;
    return path === inMemory ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  }
}

function isLocked(thrown: unknown): boolean {
  return isAgentError(thrown, "store-failed") && thrown.details.problem === "busy";
}

const applicationId = 0x706c7772;
export const dialect: Dialect = {
  prefix: "",
  indexPrefix: "",
  serialType: "INTEGER PRIMARY KEY",
  textType: "text",
  search: "instr",
  json: raw(asBytes("json")),
  indexed: (column) => column,
  equals: (column, text) => sql`${raw(column)} = ${text}`,
};

export function prepareTables(db: SqlDatabase, path: string): void {
  // In one transaction, as another process may create the tables between two reads.
  if (inTransaction(db, "DEFERRED", () => hasTables(db, path))) return;
  inTransaction(db, "EXCLUSIVE", () => {
    if (hasTables(db, path)) return;
    db.exec(createTables);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}`);
  });
}

function hasTables(db: SqlDatabase, path: string): boolean {
  const place = { runId: "", operation: "open" } as const;
  const format = Number(db.value("PRAGMA user_version"));
  if (Number(db.value("PRAGMA application_id")) === applicationId) {
    if (!isReadable(format)) throw wrongFormat(format || undefined, { what: `The database "${path}"`, ...place });
    const rows = db.all(`SELECT ${asBytes("name")} FROM sqlite_schema WHERE type = 'table'`);
    const found = new Set(rows.map((row) => readText(row, "name")));
    // Checked now: later, a step may already have had its effect when a statement fails.
    for (const [, name = ""] of createTables.matchAll(/CREATE TABLE (\w+)/g))
      if (!found.has(name)) throw new SyntaxError(`the table "${name}" is missing`);
    return true;
  }
  if (format === 0 && Number(db.value("SELECT count(*) FROM sqlite_schema")) === 0) return false;
  const message = `The database "${path}" belongs to another program. Give the store a file of its own.`;
  throw new AgentError("store-failed", message, { details: { ...place, reason: "a database of another program" } });
}

/**
 * - Rows of `runs` change with each event, so values that are long or seldom change are in other tables.
 * - Text from callers is stored as JSON, as some drivers truncate plain text at a null character.
 * - A lease may precede the first event, and its fence outlives the lease.
 * - `run_metadata` has hashes of the thread and of each metadata entry, in the order in which runs are listed.
 * - Numbers of runs and fences are never reused: events are deleted in batches, and `run_marks` has the highest fence
 *   of deleted runs.
 * - `run_waits` has the kinds of waits, in the same order. `run_resumes` has the earliest end of a run's waits.
 */
const createTables = `
  CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL, sequence INTEGER NOT NULL,
    created_ms INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, started_at TEXT);
  CREATE INDEX runs_by_creation ON runs (created_ms, number);
  CREATE INDEX runs_by_status ON runs (status, created_ms, number);
  CREATE TABLE run_requests (run INTEGER PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE run_events (run INTEGER NOT NULL, sequence INTEGER NOT NULL, json TEXT NOT NULL, UNIQUE (run, sequence));
  CREATE TABLE run_claims (run_id TEXT PRIMARY KEY, owner TEXT, fence INTEGER NOT NULL, from_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE run_digests (run INTEGER PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE run_metadata (hash TEXT NOT NULL, created_ms INTEGER NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (hash, created_ms, run)) WITHOUT ROWID;
  CREATE TABLE run_messages (number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX run_messages_by_run ON run_messages (run);
  CREATE TABLE deleted_runs (number INTEGER PRIMARY KEY);
  CREATE TABLE run_marks (fence INTEGER NOT NULL);
  INSERT INTO run_marks VALUES (0);
  CREATE TABLE run_waits (kind TEXT NOT NULL, created_ms INTEGER NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (kind, created_ms, run)) WITHOUT ROWID;
  CREATE TABLE run_resumes (run INTEGER PRIMARY KEY, resume_ms INTEGER NOT NULL);
  CREATE INDEX run_resumes_by_time ON run_resumes (resume_ms);
  ${createStorageTables(dialect)}
`;
