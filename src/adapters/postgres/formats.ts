import { formatVersion, wrongFormat } from "../../core/events.ts";
import { inTransaction } from "./in-transaction.ts";
import type { PostgresPool, PostgresQueryable } from "./sql-pool.ts";

/** The key of the lock that the process holds that creates the tables: "plwr". */
const lockKey = 0x706c7772;

/** The time limit of the statements that create tables: they may wait for another process that does so. */
const createTimeoutMs = 600_000;

/** A name as a part of a statement. */
export function quoteName(name: string): string {
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
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // Whether it exists is asked first, as creating one needs a right even if it is there.
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoteName(schema)}`);
  await client.query({ text: tables(`${quoteName(schema)}.`), query_timeout: createTimeoutMs });
}

async function hasTables(db: PostgresQueryable, schema: string): Promise<boolean> {
  // Not by `to_regclass`, which may still remember that there was none before a lock was waited for.
  const { rows: found } = await db.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'planwright_format'`,
    [schema],
  );
  if (found.length === 0) return false;
  const { rows } = await db.query(`SELECT format FROM ${quoteName(schema)}.planwright_format`);
  const { format } = (rows[0] ?? {}) as { readonly format?: unknown };
  if (Number(format) === formatVersion) return true;
  throw wrongFormat(format, { what: `The schema "${schema}"`, runId: "", operation: "open" });
}

/**
 * The statements that create the tables. `schema` is a quoted name with a dot.
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
function tables(schema: string): string {
  return `
    CREATE TABLE ${schema}planwright_format (format integer NOT NULL);
    INSERT INTO ${schema}planwright_format VALUES (${formatVersion});
    CREATE SEQUENCE ${schema}planwright_fences;
    CREATE TABLE ${schema}planwright_runs (
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
    CREATE INDEX planwright_runs_by_status ON ${schema}planwright_runs (status, created_ms, number) WHERE status IS NOT NULL;
    CREATE INDEX planwright_runs_by_metadata ON ${schema}planwright_runs USING gin (metadata);
    CREATE INDEX planwright_runs_by_pending ON ${schema}planwright_runs USING gin (pending_kinds)
      WHERE pending_kinds IS NOT NULL;
    CREATE INDEX planwright_runs_by_resume ON ${schema}planwright_runs (resume_at_ms) WHERE resume_at_ms IS NOT NULL;
    CREATE TABLE ${schema}planwright_events (
      run_number bigint NOT NULL,
      sequence integer NOT NULL,
      fence bigint,
      json text NOT NULL,
      PRIMARY KEY (run_number, sequence)
    );
    CREATE TABLE ${schema}planwright_messages (
      number bigserial PRIMARY KEY,
      run_number bigint NOT NULL,
      key text COLLATE "C" NOT NULL UNIQUE,
      json text NOT NULL
    );
    CREATE INDEX planwright_messages_by_run ON ${schema}planwright_messages (run_number, number);
    ${todoTables(schema)}
    ${noteTables(schema)}
  `;
}

/**
 * The columns are those of SQLite files; texts are compared as `toOrderText` makes them. Indexes are of hashes, as an
 * entry of an index must not be long.
 */
function todoTables(schema: string): string {
  return `
    CREATE TABLE ${schema}planwright_todos (
      sequence bigserial PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      list_key text COLLATE "C" NOT NULL,
      title_key text COLLATE "C" NOT NULL,
      completed integer NOT NULL,
      rank integer,
      due_day bigint,
      due_ms bigint,
      is_whole_day boolean,
      tags text COLLATE "C" NOT NULL,
      json text NOT NULL
    );
    CREATE UNIQUE INDEX planwright_todos_by_id ON ${schema}planwright_todos (md5(scope), md5(id));
    CREATE INDEX planwright_todos_by_scope ON ${schema}planwright_todos (md5(scope), sequence);
    ${recordTable(schema, "planwright_todo_records")}`;
}

function noteTables(schema: string): string {
  return `
    CREATE TABLE ${schema}planwright_notes (
      sequence bigserial PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      item_key text COLLATE "C" NOT NULL,
      author_key text COLLATE "C",
      json text NOT NULL
    );
    CREATE UNIQUE INDEX planwright_notes_by_id ON ${schema}planwright_notes (md5(scope), md5(id));
    CREATE INDEX planwright_notes_by_item ON ${schema}planwright_notes (md5(scope), md5(item_key), sequence);
    ${recordTable(schema, "planwright_note_records")}`;
}

/** The outcomes of calls by idempotency key. The lowest numbers are the oldest, deleted first. */
function recordTable(schema: string, name: string): string {
  return `
    CREATE TABLE ${schema}${name} (
      number bigserial PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      operation text NOT NULL,
      json text NOT NULL,
      before_json text
    );
    CREATE UNIQUE INDEX ${name}_by_key ON ${schema}${name} (md5(scope), md5(key));`;
}
