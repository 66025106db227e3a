import { createRecordTable } from "./record-table.ts";
import type { SqlDatabase } from "./sql-database.ts";

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
