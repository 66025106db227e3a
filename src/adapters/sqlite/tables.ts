import type { SqlDatabase } from "./sql-database.ts";

/**
 * Creates the tables of todos, a part of format 1.
 *
 * - `sequence` is the order of insertion: SQLite gives a new row one more than the highest existing number.
 * - The values that queries compare are in columns, encoded by `toOrderText`, so that SQLite compares as JavaScript
 *   does. The todo itself is JSON.
 */
export function createTodoTables(db: SqlDatabase): void {
  db.exec(`
    CREATE TABLE todos (
      sequence INTEGER PRIMARY KEY,
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      list_key TEXT NOT NULL,
      title_key TEXT NOT NULL,
      completed INTEGER NOT NULL,
      rank INTEGER,
      due_day INTEGER,
      due_ms INTEGER,
      is_whole_day INTEGER,
      tags TEXT NOT NULL,
      json TEXT NOT NULL,
      UNIQUE (scope, id)
    );
    CREATE INDEX todos_by_scope ON todos (scope, sequence, completed);
    CREATE INDEX todos_by_list ON todos (scope, list_key, sequence, completed);
    CREATE INDEX todos_by_title ON todos (scope, title_key, sequence);
  `);
  createRecordTable(db, "todo_records");
}

/** Creates the tables of notes, a part of format 3. Their columns work like those of todos: see `createTodoTables`. */
export function createNoteTables(db: SqlDatabase): void {
  db.exec(`
    CREATE TABLE notes (
      sequence INTEGER PRIMARY KEY,
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      item_key TEXT NOT NULL,
      author_key TEXT,
      json TEXT NOT NULL,
      UNIQUE (scope, id)
    );
    CREATE INDEX notes_by_scope ON notes (scope, sequence);
    CREATE INDEX notes_by_item ON notes (scope, item_key, sequence);
  `);
  createRecordTable(db, "note_records");
}

/** Creates the tables of what runs wait for, a part of format 4; an upgrade from format 2 or less needs them earlier. */
export function createWaitTables(db: SqlDatabase): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS run_waits (kind TEXT NOT NULL, created_ms INTEGER NOT NULL, run INTEGER NOT NULL,
      PRIMARY KEY (kind, created_ms, run)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS run_resumes (run INTEGER PRIMARY KEY, resume_ms INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS run_resumes_by_time ON run_resumes (resume_ms);
  `);
}

/** Creates a table of call outcomes by idempotency key. The lowest numbers are the oldest, deleted first. */
function createRecordTable(db: SqlDatabase, name: "note_records" | "todo_records"): void {
  db.exec(`
    CREATE TABLE ${name} (
      number INTEGER PRIMARY KEY,
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      operation TEXT NOT NULL,
      json TEXT NOT NULL,
      UNIQUE (scope, key)
    );
  `);
}
