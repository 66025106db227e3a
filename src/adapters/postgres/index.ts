/** @module planwright/postgres */

export { createPostgresRunStore, type PostgresRunStore } from "./postgres-run-store.ts";
export type { PostgresPool } from "./sql-pool.ts";
