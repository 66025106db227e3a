import { formatVersion, wrongFormat } from "../../core/events.ts";
import type { Dialect } from "../sql/keyed-storage.ts";
import { createNoteTables } from "../sql/notes.ts";
import { raw, sql } from "../sql/statement.ts";
import { createTodoTables } from "../sql/todos.ts";
import { inTransaction, type PostgresPool, type PostgresQueryable } from "./sql-pool.ts";

/** The key of the lock that the process holds that creates the tables: "plwr". */
const lockKey = 0x706c7772;

/** The time limit of the statements that create tables: they may wait for another process that does so. */
const createTimeoutMs = 600_000;

/** Returns the words of PostgreSQL for the tables in a schema. */
export function createDialect(schema: string): Dialect {
  return {
    prefix: `${quoteName(schema)}.planwright_`,
    indexPrefix: "planwright_",
    serialType: "bigserial PRIMARY KEY",
    textType: 'text COLLATE "C"',
    search: "strpos",
    column: (name) => name,
    // An entry of an index must not be long.
    indexed: (column) => `md5(${column})`,
    equals(name, text) {
      const column = raw(name);
      return sql`md5(${column}) = md5(${text}) AND ${column} = ${text}`;
    },
  };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Creates the tables in a schema that has none, in one transaction. One process at a time does, and the others wait for
 * it. Rejects with `store-failed` for tables of another format, which stay unchanged.
 */
export async function prepareTables(
  pool: PostgresPool,
  { schema, idleMs }: { readonly schema: string; readonly idleMs: number },
): Promise<void> {
  // Without a lock, as nearly always there is nothing to do.
  if (await hasTables(pool, schema)) return;
  await inTransaction({
    pool,
    idleMs,
    work: async (client) => {
      const lock = "SELECT pg_advisory_xact_lock($1)";
      await client.query({ text: lock, values: [lockKey], query_timeout: createTimeoutMs });
      // Another process may have been faster.
      if (!(await hasTables(client, schema))) await createTables(client, schema);
    },
  });
}

async function createTables(client: PostgresQueryable, schema: string): Promise<void> {
  const dialect = createDialect(schema);
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // Whether it exists is asked first, as creating one needs a right even if it is there.
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoteName(schema)}`);
  const text = `${createRunTables(dialect)} ${createTodoTables(dialect)} ${createNoteTables(dialect)}`;
  await client.query({ text, query_timeout: createTimeoutMs });
}

async function hasTables(db: PostgresQueryable, schema: string): Promise<boolean> {
  // Not by `to_regclass`, which may still remember that there was none before a lock was waited for.
  const { rows: found } = await db.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'planwright_format'`,
    [schema],
  );
  if (found.length === 0) return false;
  const { rows } = await db.query(`SELECT format FROM ${createDialect(schema).prefix}format`);
  const { format } = (rows[0] ?? {}) as { readonly format?: unknown };
  if (Number(format) === formatVersion) return true;
  throw wrongFormat(format, { what: `The schema "${schema}"`, runId: "", operation: "open" });
}

/**
 * Returns the statements that create the tables of runs.
 *
 * - All that changes with an event, and the lease, is in one row of a run, so that an append is one statement. A row
 *   with sequence 0 is a run that has yet to start: it is claimed, or has messages.
 * - No index mentions what an append changes nearly always, not even in its WHERE: PostgreSQL then need not write to all
 *   of the indexes ("heap-only tuples"). A run that has yet to start has no status.
 * - JSON is kept as text: `jsonb` would refuse a null character and forget how numbers were written.
 * - Fences are never used again, so that they still grow after a run is deleted.
 * - Messages up to `dropped_to` were posted to a run that has ended since.
 * - Times of leases are milliseconds since 1970 UTC.
 */
function createRunTables({ prefix }: Dialect): string {
  return `
    CREATE TABLE ${prefix}format (format integer NOT NULL);
    INSERT INTO ${prefix}format VALUES (${formatVersion});
    CREATE SEQUENCE ${prefix}fences;
    CREATE TABLE ${prefix}runs (
      run_id text COLLATE "C" PRIMARY KEY,
      number bigserial NOT NULL UNIQUE,
      sequence integer NOT NULL DEFAULT 0,
      status text COLLATE "C",
      request text,
      created_ms bigint,
      created_at text,
      updated_at text,
      started_at text,
      digest text,
      metadata text[] COLLATE "C",
      pending_kinds text[] COLLATE "C",
      resume_at_ms bigint,
      posts bigint NOT NULL DEFAULT 0,
      dropped_to bigint NOT NULL DEFAULT 0,
      owner text,
      fence bigint NOT NULL DEFAULT 0,
      lease_from_ms bigint NOT NULL DEFAULT 0,
      lease_until_ms bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 80);
    CREATE INDEX planwright_runs_by_status ON ${prefix}runs (status, created_ms, number) WHERE status IS NOT NULL;
    CREATE INDEX planwright_runs_by_metadata ON ${prefix}runs USING gin (metadata);
    CREATE INDEX planwright_runs_by_pending ON ${prefix}runs USING gin (pending_kinds)
      WHERE pending_kinds IS NOT NULL;
    CREATE INDEX planwright_runs_by_resume ON ${prefix}runs (resume_at_ms) WHERE resume_at_ms IS NOT NULL;
    CREATE TABLE ${prefix}events (
      run_number bigint NOT NULL,
      sequence integer NOT NULL,
      fence bigint,
      json text NOT NULL,
      PRIMARY KEY (run_number, sequence)
    );
    CREATE TABLE ${prefix}messages (
      number bigserial PRIMARY KEY,
      run_number bigint NOT NULL,
      key text COLLATE "C" NOT NULL UNIQUE,
      json text NOT NULL
    );
    CREATE INDEX planwright_messages_by_run ON ${prefix}messages (run_number, number);
  `;
}
