import { type Abortable, AbortSource } from "../../async/abort.ts";
import { type Clock, maxTimerMs, monotonicNow, sleep, systemClock } from "../../async/clock.ts";
import { loadOnce } from "../../async/promises.ts";
import { type RetryPolicy, retryDelayMs } from "../../async/retry.ts";
import type { StoreOperation } from "../../core/errors.ts";
import { formatVersion, isReadable, wrongFormat } from "../../core/events.ts";
import { failOption, hasMethods, type OptionTable, type SettingsOf } from "../../core/option-tables.ts";
import { closedFailure, hashText, raw, type Sql, type SqlRow, type Steps, sql } from "../sql/statement.ts";
import { createStorageTables, type Dialect } from "../sql/storages.ts";
import { RunNotices } from "./run-notices.ts";
import {
  ignore,
  inTransaction,
  loadPg,
  type NoticeClient,
  type OwnPool,
  type PostgresPool,
  type PostgresQueryable,
} from "./sql-pool.ts";
import { isInDoubt, isOfOtherConnection, isPassing, toStoreFailure } from "./store-failure.ts";

/** Options of all stores in a PostgreSQL database. */
export interface PostgresOptions {
  /** Address of the database: `postgres://user:password@host/database`. Required unless `pool` is given. */
  readonly connectionString?: string | undefined;
  /** Pool of `pg` to use instead. It is never closed, and errors of its idle connections are ignored. */
  readonly pool?: PostgresPool | undefined;
  /** Maximum number of connections in the store's own pool; ignored with `pool`. @default 10 */
  readonly maxConnections?: number | undefined;
  /**
   * Time limit for connecting, for each statement, and for an idle transaction. With a `pool`, its own options limit
   * the first two: `connectionTimeoutMillis` and `query_timeout`. @default 10_000
   */
  readonly timeoutMs?: number | undefined;
  /** Time for which a method retries while the database cannot be reached. @default 5_000 */
  readonly retryForMs?: number | undefined;
  /** Schema of the tables, whose names start with `planwright_`; created if missing. @default "public" */
  readonly schema?: string | undefined;
  /**
   * True if processes notify each other with LISTEN, on one more connection; otherwise they poll. Use false behind a
   * pooler in transaction mode, where LISTEN does not work; a warning says so. @default true
   */
  readonly listen?: boolean | undefined;
  /** Clock that times retries. @default the clock of the machine */
  readonly clock?: Clock | undefined;
}

export const databaseOptions = {
  connectionString: {
    isValid: (address) => typeof address === "string" && /^postgres(ql)?:\/\//.test(address),
    expected: "the address of a database: postgres://…",
  },
  pool: { isValid: (pool) => hasMethods(pool, ["query", "connect"]), expected: 'a pool of the package "pg"' },
  maxConnections: { type: "integer", min: 1, default: 10 },
  timeoutMs: { type: "integer", min: 1, max: maxTimerMs, default: 10_000 },
  retryForMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  schema: {
    isValid: (name) => typeof name === "string" && /^[^\0]{1,63}$/s.test(name),
    expected: "the name of a schema, of at most 63 characters",
    isHarmless: true,
    default: "public",
  },
  listen: { type: "boolean", default: true },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<PostgresOptions>;

type DatabaseSettings = SettingsOf<PostgresOptions, typeof databaseOptions>;

const retries: RetryPolicy = { maxAttempts: 1_000, minDelayMs: 50, maxDelayMs: 1_000, factor: 2, maxTotalMs: 0 };

export interface Statements {
  query(statement: Sql): Promise<readonly SqlRow[]>;
  /** Prepares the statement once per connection, as planning takes longer than running. Only for a few fixed texts. */
  prepared(statement: Sql): Promise<readonly SqlRow[]>;
  readonly isInDoubt: boolean;
}

type Queries = Pick<Statements, "query">;

export async function finish<T>({ query }: Queries, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await query(step.value));
  return step.value;
}

export async function retryPassing<T>(
  work: () => Promise<T>,
  { clock, retryForMs, signal }: { readonly clock: Clock; readonly retryForMs: number; readonly signal: Abortable },
): Promise<T> {
  let endMs = Number.POSITIVE_INFINITY;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (attempt === 1) endMs = monotonicNow(clock) + retryForMs;
      const delayMs = retryDelayMs(retries, attempt, Math.random);
      const isLate = attempt === retries.maxAttempts || monotonicNow(clock) + delayMs > endMs;
      if (!isPassing(thrown) || isLate || !(await sleep(delayMs, { clock, signal }))) throw thrown;
    }
  }
}

export class Database {
  readonly dialect: Dialect;
  readonly notices: RunNotices;
  readonly #opening = loadOnce(() => this.#open());
  readonly #own = loadOnce(() => this.#createPool());
  /** False behind a pooler in transaction mode, where each statement may use another connection. */
  #prepares = true;
  readonly #closing = new AbortSource();

  constructor(private readonly settings: DatabaseSettings) {
    const { connectionString, pool, schema, clock } = settings;
    if ((pool === undefined) === (connectionString === undefined)) {
      const expected =
        pool === undefined ? "the address of a database, unless there is a `pool`" : "left out if there is a `pool`";
      failOption("connectionString", connectionString, expected);
    }
    this.dialect = createDialect(schema);
    this.notices = new RunNotices({ schema, clock, createClient: () => this.#createClient(), pool: this.#opening.get });
    // Without a listener, a broken idle connection ends the process. Stores on one pool add one listener each.
    pool?.on?.("error", ignore);
  }

  /** Retries failures that may pass, such as a lost connection. A failed attempt may have succeeded on the server. */
  async run<T>(operation: StoreOperation, runId: string, work: (statements: Statements) => Promise<T>): Promise<T> {
    const { clock, retryForMs } = this.settings;
    let wasInDoubt = false;
    const attempt = async (): Promise<T> => {
      try {
        if (this.#closing.aborted) throw closedFailure("The store", { operation, runId });
        const pool = await this.#opening.get();
        const query = (statement: Sql) => runStatement(pool, statement);
        const prepared = (statement: Sql) => this.#runPrepared(pool, statement);
        return await work({ query, prepared, isInDoubt: wasInDoubt });
      } catch (thrown) {
        wasInDoubt ||= isInDoubt(thrown);
        throw thrown;
      }
    };
    try {
      return await retryPassing(attempt, { clock, retryForMs, signal: this.#closing });
    } catch (thrown) {
      throw toStoreFailure(thrown, { operation, runId });
    }
  }

  transact<T>(
    { operation, runId = "", lock }: { operation: StoreOperation; runId?: string; lock: string },
    work: (statements: Queries) => Promise<T>,
  ): Promise<T> {
    return this.run(operation, runId, async () => {
      const [pool, idleMs] = [await this.#opening.get(), this.settings.timeoutMs];
      return inTransaction({ pool, idleMs }, async (client) => {
        await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
        return work({ query: (statement) => runStatement(client, statement) });
      });
    });
  }

  async close(): Promise<void> {
    if (this.#closing.aborted) return;
    this.#closing.abort(undefined);
    await this.notices.close();
    this.settings.pool?.off?.("error", ignore);
    await (await this.#own.loaded())?.end().catch(ignore);
  }

  async #runPrepared(pool: PostgresPool, statement: Sql): Promise<readonly SqlRow[]> {
    if (!this.#prepares) return runStatement(pool, statement);
    try {
      return await runStatement(pool, statement, getName);
    } catch (thrown) {
      if (!isOfOtherConnection(thrown)) throw thrown;
      this.#prepares = false;
      return runStatement(pool, statement);
    }
  }

  async #open(): Promise<PostgresPool> {
    const pool = this.settings.pool ?? (await this.#own.get());
    await this.#prepareTables(pool);
    return pool;
  }

  async #createPool(): Promise<OwnPool> {
    const { Pool } = await loadPg();
    const pool = new Pool({ ...this.#connection, max: this.settings.maxConnections, allowExitOnIdle: true });
    // Without a listener, a broken idle connection ends the process.
    pool.on?.("error", ignore);
    return pool;
  }

  get #connection() {
    const { connectionString, timeoutMs } = this.settings;
    const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
    return { connectionString, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs, ...keptAlive };
  }

  async #createClient(): Promise<NoticeClient | undefined> {
    const { pool, listen } = this.settings;
    const options = pool === undefined ? this.#connection : pool.options;
    if (!listen || options === undefined) return undefined;
    const { Client } = await loadPg();
    return new Client(options);
  }

  async #prepareTables(pool: PostgresPool): Promise<void> {
    if ((await this.#findFormat(pool)) === formatVersion) return;
    const { schema, timeoutMs: idleMs } = this.settings;
    await inTransaction({ pool, idleMs }, async (client) => {
      const lock = "SELECT pg_advisory_xact_lock($1)";
      await client.query({ text: lock, values: [lockKey], query_timeout: createTimeoutMs });
      const format = await this.#findFormat(client);
      if (format === formatVersion) return;
      if (format !== undefined) {
        await client.query({ text: addThreads(this.dialect), query_timeout: createTimeoutMs });
        return;
      }
      // `CREATE SCHEMA IF NOT EXISTS` needs a privilege even if the schema exists.
      const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
      if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoteName(schema)}`);
      const text = `${createRunTables(this.dialect)} ${createStorageTables(this.dialect)}`;
      await client.query({ text, query_timeout: createTimeoutMs });
    });
  }

  async #findFormat(db: PostgresQueryable): Promise<number | undefined> {
    const { schema } = this.settings;
    // Does not use `to_regclass`, which may remember an answer from before the wait for the lock.
    const { rows: found } = await db.query(
      `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = 'planwright_format'`,
      [schema],
    );
    if (found.length === 0) return undefined;
    const { rows } = await db.query(`SELECT format FROM ${this.dialect.prefix}format`);
    const { format } = (rows[0] ?? {}) as { readonly format?: unknown };
    if (isReadable(Number(format))) return Number(format);
    throw wrongFormat(format, { what: `The schema "${schema}"`, runId: "", operation: "open" });
  }
}

export function formatStatement({ texts }: Sql): string {
  return texts.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join("");
}

async function runStatement(
  db: PostgresQueryable,
  statement: Sql,
  toName?: (text: string) => string,
): Promise<readonly SqlRow[]> {
  const text = formatStatement(statement);
  const { rows } = await db.query({ text, values: [...statement.values], ...(toName && { name: toName(text) }) });
  return rows as SqlRow[];
}

const names = new Map<string, string>();

/** Depends only on the text, as poolers share connections between processes. */
function getName(text: string): string {
  const name = names.get(text) ?? `planwright_${hashText(text)}`;
  names.set(text, name);
  return name;
}

const lockKey = 0x706c7772;

const createTimeoutMs = 600_000;

function createDialect(schema: string): Dialect {
  return {
    prefix: `${quoteName(schema)}.planwright_`,
    indexPrefix: "planwright_",
    serialType: "bigserial PRIMARY KEY",
    textType: 'text COLLATE "C"',
    search: "strpos",
    json: raw("json"),
    // Index entries must be short.
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

function threadIndex(prefix: string): string {
  return `CREATE INDEX planwright_runs_by_thread ON ${prefix}runs (thread, created_ms, number) WHERE thread IS NOT NULL;`;
}

function addThreads({ prefix }: Dialect): string {
  return `ALTER TABLE ${prefix}runs ADD COLUMN thread text COLLATE "C"; ${threadIndex(prefix)}
    UPDATE ${prefix}format SET format = ${formatVersion}`;
}

/**
 * - A run has one row with its lease and everything that changes with an event, so that an append is one statement. A
 *   row with sequence 0 and no status is a run that has not started: it was claimed, or has messages.
 * - No index mentions a column that every append changes, not even in its WHERE: most updates write to no index (HOT).
 * - JSON is stored as text: `jsonb` refuses null characters and changes how numbers are written.
 * - Fences are never reused, so that they still grow after a run is deleted.
 * - Messages up to `dropped_to` were posted to a run that has ended since.
 * - Times of leases are milliseconds since 1970 UTC.
 */
function createRunTables({ prefix }: Dialect): string {
  return `
    CREATE TABLE ${prefix}format (format integer NOT NULL);
    INSERT INTO ${prefix}format VALUES (${formatVersion});
    CREATE SEQUENCE ${prefix}fences;
    CREATE TABLE ${prefix}runs (
      run_id text COLLATE "C" PRIMARY KEY, number bigserial NOT NULL UNIQUE, sequence integer NOT NULL DEFAULT 0,
      status text COLLATE "C", request text,
      created_ms bigint, created_at text, updated_at text, started_at text,
      digest text, metadata text[] COLLATE "C", thread text COLLATE "C",
      pending_kinds text[] COLLATE "C", resume_at_ms bigint,
      posts bigint NOT NULL DEFAULT 0, dropped_to bigint NOT NULL DEFAULT 0,
      owner text, fence bigint NOT NULL DEFAULT 0,
      lease_from_ms bigint NOT NULL DEFAULT 0, lease_until_ms bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 80);
    CREATE INDEX planwright_runs_by_status ON ${prefix}runs (status, created_ms, number) WHERE status IS NOT NULL;
    ${threadIndex(prefix)}
    CREATE INDEX planwright_runs_by_metadata ON ${prefix}runs USING gin (metadata);
    CREATE INDEX planwright_runs_by_pending ON ${prefix}runs USING gin (pending_kinds)
      WHERE pending_kinds IS NOT NULL;
    CREATE INDEX planwright_runs_by_resume ON ${prefix}runs (resume_at_ms) WHERE resume_at_ms IS NOT NULL;
    CREATE TABLE ${prefix}events (run_number bigint NOT NULL, sequence integer NOT NULL, fence bigint,
      json text NOT NULL, PRIMARY KEY (run_number, sequence));
    CREATE TABLE ${prefix}messages (number bigserial PRIMARY KEY, run_number bigint NOT NULL,
      key text COLLATE "C" NOT NULL UNIQUE, json text NOT NULL);
    CREATE INDEX planwright_messages_by_run ON ${prefix}messages (run_number, number);
  `;
}
