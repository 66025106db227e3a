import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { maxTimerMs } from "../../async/clock.ts";
import { AgentError, type StoreOperation } from "../../core/errors.ts";
import { formatVersion, wrongFormat } from "../../core/events.ts";
import type { OptionTable, SettingsOf } from "../../core/options.ts";
import { closedFailure, raw, readText, sql } from "../sql/statement.ts";
import { createStorageTables, type Dialect } from "../sql/storages.ts";
import { asBytes, drivers, inTransaction, loadDriver, SqlDatabase, type SqliteDriver } from "./sql-database.ts";
import { checkWritable, isBusy, movedCode, toStoreFailure } from "./store-failure.ts";

/** Options of every store in an SQLite file. */
export interface SqliteFileOptions {
  /**
   * The file: it, and the folders above it, are created if they are missing. It must be on a disk of this machine. Runs
   * and todos may share one. `:memory:` keeps everything in memory.
   */
  readonly path: string;
  /**
   * The time that a method waits while another process writes, before it throws `store-failed`; this process is blocked
   * meanwhile. @default 5000
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Different processes may open a file with different drivers. Within a process all must use the same one: SQLite
   * cannot see the locks of another copy of itself. @default The first available of `node`, `better-sqlite3` and
   * `libsql`.
   */
  readonly driver?: SqliteDriver | undefined;
}

export const fileOptions = {
  path: { isValid: isPath, expected: 'the path of a file, or ":memory:"', isRequired: true },
  busyTimeoutMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  driver: {
    isValid: (driver) => drivers.includes(driver as SqliteDriver),
    expected: `left out, or one of ${drivers.join(", ")}`,
    isHarmless: true,
  },
} satisfies OptionTable<SqliteFileOptions>;

function isPath(value: unknown): boolean {
  if (typeof value !== "string" || value === "" || value.includes("\0")) return false;
  return !/^(file|https?|wss?|libsql):/i.test(value);
}

type FileSettings = SettingsOf<SqliteFileOptions, typeof fileOptions>;

const inMemory = ":memory:";

export function openDatabase({ path, driver, busyTimeoutMs }: FileSettings): SqlDatabase {
  const Database = loadDriver(driver);
  let db: SqlDatabase | undefined;
  try {
    if (path !== inMemory) {
      // First, as Node reports "no such file" if a folder cannot be created on a read-only disk.
      checkWritable(path);
      mkdirSync(dirname(path), { recursive: true });
    }
    db = new SqlDatabase(new Database(path));
    // Before any other statement: each may find the file locked.
    db.value(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    prepareTables(db, path);
    setJournalMode(db);
    db.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
    return db;
  } catch (thrown) {
    db?.close();
    throw toStoreFailure(thrown, { path, operation: "open", runId: "" });
  }
}

/**
 * A write-ahead log takes one write to the disk for a commit instead of three, but before 3.51.3 SQLite can damage a
 * file when two processes reset the log at once (https://sqlite.org/wal.html#walreset). The mode can be changed only
 * while nothing else has the file open; otherwise it stays unchanged.
 */
function setJournalMode(db: SqlDatabase): void {
  const [major = 0, minor = 0, patch = 0] = String(db.value("SELECT sqlite_version()")).split(".").map(Number);
  const isSafe = major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
  try {
    db.value(`PRAGMA journal_mode = ${isSafe ? "WAL" : "TRUNCATE"}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  }
}

export class DatabaseFile {
  private readonly path: string;
  private readonly busyTimeoutMs: number;
  private db: SqlDatabase | undefined;
  private readonly inode: bigint | undefined;

  constructor(settings: FileSettings) {
    this.path = settings.path === inMemory ? inMemory : resolve(settings.path);
    this.busyTimeoutMs = settings.busyTimeoutMs;
    this.db = openDatabase({ ...settings, path: this.path });
    this.inode = this.findInode();
  }

  read<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    return this.attempt(operation, runId, (db) => inTransaction(db, "DEFERRED", () => work(db)));
  }

  write<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    return this.attempt(operation, runId, (db) => {
      // If the file was moved, deleted or replaced, everything written would be lost with the process. With a
      // write-ahead log SQLite does not check this.
      if (this.findInode() !== this.inode)
        throw Object.assign(new Error("the file was replaced or is gone"), { errcode: movedCode });
      return inTransaction(db, "IMMEDIATE", () => work(db));
    });
  }

  /**
   * Copies the write-ahead log into the file and empties it, as it may have what was deleted. While another process uses
   * the log it stays: waiting would block this process.
   */
  emptyLog(): void {
    this.attempt("delete", "", (db) => {
      db.value("PRAGMA busy_timeout = 0");
      try {
        db.value("PRAGMA wal_checkpoint(TRUNCATE)");
      } finally {
        db.value(`PRAGMA busy_timeout = ${this.busyTimeoutMs}`);
      }
    });
  }

  close(): void {
    const { db } = this;
    this.db = undefined;
    db?.close();
  }

  private attempt<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    if (this.db === undefined) throw closedFailure(`The database "${this.path}"`, { operation, runId });
    try {
      return work(this.db);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path: this.path, operation, runId });
    }
  }

  private findInode(): bigint | undefined {
    return this.path === inMemory ? undefined : statSync(this.path, { bigint: true, throwIfNoEntry: false })?.ino;
  }
}

/** Marks a file as one of ours: "plwr". */
const applicationId = 0x706c7772;

/** The words of SQLite. A key of whole numbers is one more than the highest that exists. */
export const dialect: Dialect = {
  prefix: "",
  indexPrefix: "",
  serialType: "INTEGER PRIMARY KEY",
  textType: "text",
  search: "instr",
  column: (name) => asBytes(name),
  indexed: (column) => column,
  equals: (column, text) => sql`${raw(column)} = ${text}`,
};

/** Throws `store-failed` for a database of another format, or of another program, and leaves it unchanged. */
export function prepareTables(db: SqlDatabase, path: string): void {
  // In a transaction, too: another process may create the tables between two reads of the file.
  if (inTransaction(db, "DEFERRED", () => hasTables(db, path))) return;
  inTransaction(db, "EXCLUSIVE", () => {
    // Another process may have been faster.
    if (hasTables(db, path)) return;
    db.exec(createTables);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}`);
  });
}

function hasTables(db: SqlDatabase, path: string): boolean {
  const place = { runId: "", operation: "open" } as const;
  const format = Number(db.value("PRAGMA user_version"));
  if (Number(db.value("PRAGMA application_id")) === applicationId) {
    if (format !== formatVersion) throw wrongFormat(format || undefined, { what: `The database "${path}"`, ...place });
    const rows = db.all(`SELECT ${asBytes("name")} FROM sqlite_schema WHERE type = 'table'`);
    const found = new Set(rows.map((row) => readText(row, "name")));
    // A step may have had its effect before a statement notices that one is missing.
    for (const [, name = ""] of createTables.matchAll(/CREATE TABLE (\w+)/g))
      if (!found.has(name)) throw new SyntaxError(`the table "${name}" is missing`);
    return true;
  }
  if (format === 0 && Number(db.value("SELECT count(*) FROM sqlite_schema")) === 0) return false;
  const message = `The database "${path}" belongs to something else. Give the run store a file of its own.`;
  throw new AgentError("store-failed", message, { details: { ...place, reason: "a database of something else" } });
}

/**
 * The statements that create all tables.
 *
 * - The rows of `runs` change with each event, so they are small: the request, which may be long, has its own table. So
 *   have the other data that a list shows of a run, as they seldom change.
 * - Texts from a caller are kept as JSON: some drivers truncate a plain text at a null character.
 * - A lease may precede the first event, and its fence outlives it.
 * - `run_metadata` has a hash of each key of metadata and its value, in the order of the list.
 * - The events of a deleted run are deleted in batches, so its number is not used again. Nor is its fence: `run_marks` has
 *   one row with the highest fence of the deleted runs.
 * - `run_waits` has the kinds of what suspended runs wait for, in the order of the list; `run_resumes` when the earliest
 *   wait of a run is over.
 */
const createTables = `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    started_at TEXT
  );
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
