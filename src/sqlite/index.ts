/** @module planwright/sqlite */

export type { SqliteFileOptions } from "./database-file.ts";
export type { SqliteDriver } from "./load-driver.ts";
export { createSqliteNotes, type SqliteNotes, type SqliteNotesOptions } from "./sqlite-notes.ts";
export { createSqliteRunStore, type SqliteRunStore, type SqliteRunStoreOptions } from "./sqlite-run-store.ts";
export { createSqliteTodos, type SqliteTodos, type SqliteTodosOptions } from "./sqlite-todos.ts";
