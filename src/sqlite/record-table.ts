import type { SqlDatabase } from "./sql-database.ts";

/** Makes a table of what calls have done, by their idempotency keys. The numbers tell the oldest, which are forgotten first. */
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
