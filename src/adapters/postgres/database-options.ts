import { type Clock, maxTimerMs, systemClock } from "../../async/clock.ts";
import { hasMethods, type OptionTable, type SettingsOf } from "../../core/options.ts";
import type { PostgresPool } from "./sql-pool.ts";

/** Options of every store in a PostgreSQL database. */
export interface PostgresOptions {
  /** Where the database is: `postgres://user:password@host/database`. Needed, unless `pool` is given. */
  readonly connectionString?: string | undefined;
  /**
   * A pool of `pg` to use instead. It is never closed. Until the store is closed, errors of its idle connections are
   * ignored, so that they do not end the process.
   */
  readonly pool?: PostgresPool | undefined;
  /** The most connections of the pool that is created; ignored with `pool`. @default 10 */
  readonly maxConnections?: number | undefined;
  /**
   * How long a method waits for a connection, and then for the answer to each statement, before that counts as lost; with
   * `pool`, its `connectionTimeoutMillis` and `query_timeout` are used instead. Also how long the server keeps a
   * transaction in which nothing happens. @default 10_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a method is tried again, from its first failure on, while the database cannot be reached, as when its server
   * restarts, before it rejects with `store-failed`. @default 5_000
   */
  readonly retryForMs?: number | undefined;
  /** The schema of the tables, whose names start with `planwright_`; it is created if missing. @default "public" */
  readonly schema?: string | undefined;
  /**
   * Whether readers and owners of runs are notified by other processes, by LISTEN on one more connection, or poll. Set it
   * to false behind a pooler in transaction mode, where that does not work. @default true
   */
  readonly listen?: boolean | undefined;
  /** The clock of retries. @default the clock of the machine */
  readonly clock?: Clock | undefined;
}

/** The options of every store in a PostgreSQL database, which each adds its own to. */
export const databaseOptions = {
  connectionString: { isValid: isAddress, expected: "left out, or the address of a database: postgres://…" },
  pool: { isValid: (pool) => hasMethods(pool, ["query", "connect"]), expected: "left out, or a pool of pg" },
  maxConnections: { type: "integer", min: 1, default: 10 },
  timeoutMs: { type: "integer", min: 1, max: maxTimerMs, default: 10_000 },
  retryForMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  schema: { isValid: isSchema, expected: "the name of a schema, of at most 63 characters", default: "public" },
  listen: { type: "boolean", default: true },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<PostgresOptions>;

/** The options, checked and with their defaults. */
export type DatabaseSettings = SettingsOf<PostgresOptions, typeof databaseOptions>;

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^postgres(ql)?:\/\//.test(value);
}

function isSchema(value: unknown): boolean {
  return typeof value === "string" && /^[^\0]{1,63}$/s.test(value);
}
