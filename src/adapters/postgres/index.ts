/** @module planwright/postgres */

export { createPostgresRunStore, type PostgresRunStore } from "./postgres-run-store.ts";
export {
  createPostgresNotes,
  createPostgresTodos,
  type PostgresNotes,
  type PostgresTodos,
} from "./postgres-storages.ts";
export type { PostgresPool } from "./sql-pool.ts";
