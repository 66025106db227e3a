/** @module planwright/sqlite */

export { createSqliteNotes, type SqliteNotes } from "./sqlite-notes.ts";
export { createSqliteRunStore, type SqliteRunStore } from "./sqlite-run-store.ts";
export { createSqliteTodos, type SqliteTodos } from "./sqlite-todos.ts";
