import { AgentError } from "../../core/errors.ts";
import { formatVersion, wrongFormat } from "../../core/events.ts";
import type { Dialect } from "../sql/keyed-storage.ts";
import { createNoteTables } from "../sql/notes.ts";
import { raw, readText, sql } from "../sql/statement.ts";
import { createTodoTables } from "../sql/todos.ts";
import { asBytes, inTransaction, type SqlDatabase } from "./sql-database.ts";

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

/**
 * Creates the tables of an empty database, in one transaction that locks other processes out. Throws `store-failed` for
 * a database of another format, or of another program, and leaves it unchanged.
 */
export function prepareTables(db: SqlDatabase, path: string): void {
  // In a transaction, too: another process may create the tables between two reads of the file.
  if (inTransaction(db, "DEFERRED", () => hasTables(db, path))) return;
  inTransaction(db, "EXCLUSIVE", () => {
    // Another process may have been faster.
    if (hasTables(db, path)) return;
    db.exec(createTables());
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}`);
  });
}

/** True if the tables exist, false if the database is empty. */
function hasTables(db: SqlDatabase, path: string): boolean {
  const format = Number(db.value("PRAGMA user_version"));
  if (Number(db.value("PRAGMA application_id")) === applicationId) {
    if (format === formatVersion) return requireTables(db);
    throw wrongFormat(format || undefined, { what: `The database "${path}"`, runId: "", operation: "open" });
  }
  if (format === 0 && Number(db.value("SELECT count(*) FROM sqlite_schema")) === 0) return false;
  const message = `The database "${path}" belongs to something else. Give the run store a file of its own.`;
  const reason = "a database of something else";
  throw new AgentError("store-failed", message, { details: { runId: "", operation: "open", reason } });
}

/** Throws a `SyntaxError` if a table is missing: a step may have had its effect before a statement notices. */
function requireTables(db: SqlDatabase): true {
  const rows = db.all(`SELECT ${asBytes("name")} FROM sqlite_schema WHERE type = 'table'`);
  const found = new Set(rows.map((row) => readText(row, "name")));
  for (const [, name = ""] of createTables().matchAll(/CREATE TABLE (\w+)/g))
    if (!found.has(name)) throw new SyntaxError(`the table "${name}" is missing`);
  return true;
}

function createTables(): string {
  return `${runTables} ${createTodoTables(dialect)} ${createNoteTables(dialect)}`;
}

/**
 * The statements that create the tables of runs.
 *
 * - The rows of `runs` change with each event, so they are small: the request, which may be long, has its own table. So
 *   have the other data that a list shows of a run, as they seldom change.
 * - Texts from a caller are kept as JSON: some drivers truncate a plain text at a null character.
 * - A lease may precede the first event, and its fence outlives it.
 * - `run_metadata` has a hash of each key of metadata and its value, in the order of the list.
 * - The events of a deleted run are deleted in batches. `run_marks` has one row: the highest number and fence of
 *   deleted runs, which are not used again.
 * - `run_waits` has the kinds of what suspended runs wait for, in the order of the list; `run_resumes` when the earliest
 *   wait of a run is over.
 */
const runTables = `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
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
  CREATE TABLE run_marks (number INTEGER NOT NULL, fence INTEGER NOT NULL);
  INSERT INTO run_marks VALUES (0, 0);
  CREATE TABLE run_waits (kind TEXT NOT NULL, created_ms INTEGER NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY (kind, created_ms, run)) WITHOUT ROWID;
  CREATE TABLE run_resumes (run INTEGER PRIMARY KEY, resume_ms INTEGER NOT NULL);
  CREATE INDEX run_resumes_by_time ON run_resumes (resume_ms);
`;
