import { AgentError } from "../../core/errors.ts";
import { digestAll, fillWaits } from "./digest-rows.ts";
import { inTransaction, type SqlDatabase } from "./sql-database.ts";
import { createNoteTables, createTodoTables, createWaitTables } from "./tables.ts";

/** Upgrades a database from one format to the next. */
export type Upgrade = (db: SqlDatabase) => void;

/** Marks a file as one of ours: "plwr". */
const applicationId = 0x706c7772;

/**
 * From format 0, an empty file, to 1, and so on: to change the format, add a function. A process that opened the file
 * before keeps using its prepared statements: rename a table if the meaning of its rows changes.
 */
export const upgrades: readonly Upgrade[] = [toFormat1, toFormat2, toFormat3, toFormat4];

/**
 * Upgrades a database to the newest format, in one transaction that locks other processes out. Throws `store-failed`
 * for a database of a later version, or of another program, and leaves it unchanged.
 */
export function upgradeDatabase(db: SqlDatabase, path: string, steps: readonly Upgrade[] = upgrades): void {
  // In a transaction, too: another process may create the tables between two reads of the file.
  if (inTransaction(db, "DEFERRED", () => readFormat(db, path, steps.length)) === steps.length) return;
  inTransaction(db, "EXCLUSIVE", () => {
    // Another process may have been faster.
    const format = readFormat(db, path, steps.length);
    for (const step of steps.slice(format)) step(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`);
  });
}

function readFormat(db: SqlDatabase, path: string, newest: number): number {
  const format = readNumber(db, "PRAGMA user_version");
  const isOurs = readNumber(db, "PRAGMA application_id") === applicationId;
  const isEmpty = format === 0 && readNumber(db, "SELECT count(*) FROM sqlite_schema") === 0;
  const details = { runId: "", operation: "open" } as const;
  if (!isOurs && !isEmpty) {
    const message = `The database "${path}" belongs to something else. Give the run store a file of its own.`;
    throw new AgentError("store-failed", message, { details: { ...details, reason: "a database of something else" } });
  }
  if (format > newest) {
    const reason = `format ${format}; the newest known is ${newest}`;
    const message = `The database "${path}" was written by a later version of planwright (${reason}). Update planwright, or choose another path; the file was not changed.`;
    throw new AgentError("store-failed", message, { details: { ...details, reason, problem: "newer-format" } });
  }
  return format;
}

function readNumber(db: SqlDatabase, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() ?? {})[0]);
}

/**
 * - The rows of `runs` change with each event, so they are small: the request, which may be long, has its own table.
 * - Texts from a caller are kept as JSON: some drivers truncate a plain text at a null character.
 * - A lease may precede the first event, and its fence outlives it.
 */
function toFormat1(db: SqlDatabase): void {
  db.exec(`
    CREATE TABLE runs (
      number INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      created_ms INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    );
    CREATE INDEX runs_by_creation ON runs (created_ms, number);
    CREATE INDEX runs_by_status ON runs (status, created_ms, number);
    CREATE TABLE run_requests (run INTEGER PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE run_events (run INTEGER NOT NULL, sequence INTEGER NOT NULL, json TEXT NOT NULL, UNIQUE (run, sequence));
    CREATE TABLE run_claims (run_id TEXT PRIMARY KEY, owner TEXT, fence INTEGER NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID;
  `);
  createTodoTables(db);
}

/** A lease also has a start time. One of format 1, or of a process that still writes it, has always started. */
function toFormat2(db: SqlDatabase): void {
  db.exec("ALTER TABLE run_claims ADD COLUMN from_ms INTEGER");
}

/**
 * - The other data that a list shows of a run is in a separate table, as it seldom changes.
 * - `run_metadata` has a hash of each key of metadata and its value, in the order of the list.
 * - The events of a deleted run are deleted in batches. `run_marks` has one row: the highest number and fence of
 *   deleted runs, which are not used again.
 * - The record of a changed todo contains its previous state. One of an earlier format does not, and cannot be undone.
 */
function toFormat3(db: SqlDatabase): void {
  db.exec(`
    ALTER TABLE runs ADD COLUMN started_at TEXT;
    CREATE TABLE run_digests (run INTEGER PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE run_metadata (hash TEXT NOT NULL, created_ms INTEGER NOT NULL, run INTEGER NOT NULL,
      PRIMARY KEY (hash, created_ms, run)) WITHOUT ROWID;
    CREATE TABLE run_messages (number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE INDEX run_messages_by_run ON run_messages (run);
    CREATE TABLE deleted_runs (number INTEGER PRIMARY KEY);
    CREATE TABLE run_marks (number INTEGER NOT NULL, fence INTEGER NOT NULL);
    INSERT INTO run_marks VALUES (0, 0);
    ALTER TABLE todo_records ADD COLUMN before_json TEXT;
  `);
  // What creates digests writes to these, too.
  createWaitTables(db);
  digestAll(db);
  createNoteTables(db);
}

/**
 * What suspended runs wait for: the kinds in the order of the list, and when the earliest wait of a run is over. A run
 * that a process of an earlier format suspends later has none: it is resumed as before, but not found by its kinds.
 */
function toFormat4(db: SqlDatabase): void {
  createWaitTables(db);
  fillWaits(db);
}
