/** @module planwright/postgres */

export { createPostgresNotes, type PostgresNotes } from "./postgres-notes.ts";
export { createPostgresRunStore, type PostgresRunStore } from "./postgres-run-store.ts";
export { createPostgresTodos, type PostgresTodos } from "./postgres-todos.ts";
export type { PostgresPool } from "./sql-pool.ts";
