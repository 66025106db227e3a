/** @module planwright/sqlite */

export { createSqliteRunStore, type SqliteRunStore } from "./sqlite-run-store.ts";
export { createSqliteNotes, createSqliteTodos, type SqliteNotes, type SqliteTodos } from "./sqlite-storages.ts";
