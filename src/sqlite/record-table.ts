import type { SqlDatabase } from "./sql-database.ts";

/** Creates a table of call outcomes by idempotency key. The lowest numbers are the oldest, deleted first. */
export function createRecordTable(db: SqlDatabase, name: "note_records" | "todo_records"): void {
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
