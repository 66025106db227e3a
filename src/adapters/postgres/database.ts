import { type Clock, maxTimerMs, sleep, systemClock } from "../../async/clock.ts";
import { type RetryPolicy, retryDelayMs, retryFailed } from "../../async/retry.ts";
import { AgentError, type StoreOperation } from "../../core/errors.ts";
import { failOption, hasMethods, type OptionTable, type SettingsOf } from "../../core/options.ts";
import { quoteName, upgradeTables } from "./formats.ts";
import { loadPg, type OwnPool, type PostgresPool, type SqlRow, type SqlValue } from "./sql-pool.ts";
import { isInDoubt, isPassing, type StoreAttempt, toStoreFailure } from "./store-failure.ts";

/** Options of every store in a PostgreSQL database. */
export interface PostgresOptions {
  /** Where the database is: `postgres://user:password@host/database`. Needed, unless `pool` is given. */
  readonly connectionString?: string | undefined;
  /**
   * A pool of `pg` to use instead. It is never closed. If nobody listens to its errors, a listener is added, as an
   * error of an idle connection would end the process.
   */
  readonly pool?: PostgresPool | undefined;
  /** The most connections of the pool that is created; of no use with `pool`. @default 10 */
  readonly maxConnections?: number | undefined;
  /**
   * How long a method waits for a connection, before it rejects with `store-failed`; of no use with `pool`.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long a method is tried again while the database cannot be reached, as when its server restarts, before it
   * rejects with `store-failed`. @default 5_000
   */
  readonly retryForMs?: number | undefined;
  /** The schema of the tables, whose names start with `planwright_`; it is created if missing. @default "public" */
  readonly schema?: string | undefined;
  /** The clock of retries. @default the clock of the machine */
  readonly clock?: Clock | undefined;
}

/** The options of every store in a PostgreSQL database, which each adds its own to. */
export const databaseOptions = {
  connectionString: { isValid: isAddress, expected: "left out, or the address of a database: postgres://…" },
  pool: { isValid: (pool) => hasMethods(pool, ["query", "connect"]), expected: "left out, or a pool of pg" },
  maxConnections: { type: "integer", min: 1, default: 10 },
  connectTimeoutMs: { type: "integer", min: 1, max: maxTimerMs, default: 10_000 },
  retryForMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  schema: { isValid: isSchema, expected: "the name of a schema, of at most 63 characters", default: "public" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<PostgresOptions>;

type DatabaseSettings = SettingsOf<PostgresOptions, typeof databaseOptions>;

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^postgres(ql)?:\/\//.test(value);
}

function isSchema(value: unknown): boolean {
  return typeof value === "string" && /^[^\0]{1,63}$/s.test(value);
}

const retries: RetryPolicy = { maxAttempts: 1_000, minDelayMs: 50, maxDelayMs: 1_000, factor: 2, maxTotalMs: 0 };

/** What a method does in the database. */
export interface Statements {
  /** Runs one statement, which is one transaction. */
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Whether an earlier attempt broke off without an answer, so that its statements may have been done. */
  readonly isInDoubt: boolean;
}

interface Attempt<T> {
  readonly thrown?: unknown;
  readonly value?: T;
}

/** A database with our tables. Its failures are `store-failed`. It is opened when first used. */
export class Database {
  /** In front of the name of a table. */
  readonly prefix: string;
  private opening: Promise<PostgresPool> | undefined;
  private created: Promise<OwnPool> | undefined;
  private isClosed = false;
  private readonly closing = new AbortController();

  /** Throws `invalid-options`. */
  constructor(private readonly settings: DatabaseSettings) {
    const { connectionString, pool, schema } = settings;
    if ((pool === undefined) === (connectionString === undefined)) {
      const expected =
        pool === undefined ? "the address of a database, unless there is a `pool`" : "left out with `pool`";
      failOption("connectionString", connectionString, expected);
    }
    this.prefix = `${quoteName(schema)}.`;
    // Otherwise an idle connection that breaks would end the process.
    if (pool?.listenerCount?.("error") === 0) pool.on?.("error", ignore);
  }

  /**
   * Does the work of a method. If the connection breaks, or the server restarts, it is done again, for a while: it has
   * to bear that an earlier attempt may have been done, though there was no answer.
   */
  async run<T>(operation: StoreOperation, runId: string, work: (statements: Statements) => Promise<T>): Promise<T> {
    const { clock, retryForMs } = this.settings;
    const attempted: StoreAttempt = { operation, runId };
    const startMs = clock.now();
    let wasInDoubt = false;
    const attempt = async (): Promise<Attempt<T>> => {
      try {
        return { value: await this.work(attempted, wasInDoubt, work) };
      } catch (thrown) {
        wasInDoubt ||= isInDoubt(thrown);
        return { thrown };
      }
    };
    const first = await attempt();
    const last = !isAgain(first)
      ? first
      : await retryFailed(first, {
          maxAttempts: retries.maxAttempts,
          isFailure: isAgain,
          attempt,
          shouldRetry: (_failure, number) => {
            const delayMs = retryDelayMs(retries, number, Math.random);
            if (this.isClosed || clock.now() - startMs + delayMs > retryForMs) return Promise.resolve(false);
            return sleep(delayMs, { clock, signal: this.closing.signal });
          },
        });
    if ("thrown" in last) throw toStoreFailure(last.thrown, attempted);
    return last.value as T;
  }

  /** Ends the connections of a pool that was created here; after that every other method rejects. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closing.abort();
    this.settings.pool?.off?.("error", ignore);
    const pool = await this.created?.catch(ignore);
    await pool?.end().catch(ignore);
  }

  private async work<T>(
    { operation, runId }: StoreAttempt,
    wasInDoubt: boolean,
    work: (statements: Statements) => Promise<T>,
  ): Promise<T> {
    if (this.isClosed) {
      const message = "The store has been closed. Close it only when no run needs it any more.";
      throw new AgentError("store-failed", message, { details: { runId, operation, reason: "it is closed" } });
    }
    const pool = await this.open();
    return work({
      isInDoubt: wasInDoubt,
      query: async (text, values = []) => (await pool.query(text, [...values])).rows as SqlRow[],
    });
  }

  private open(): Promise<PostgresPool> {
    const opening = this.opening ?? this.prepare();
    this.opening = opening;
    // The next use tries again.
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  private async prepare(): Promise<PostgresPool> {
    const pool = this.settings.pool ?? (await this.ownPool());
    await upgradeTables(pool, this.settings.schema);
    return pool;
  }

  private ownPool(): Promise<OwnPool> {
    const created = this.created ?? this.createPool();
    this.created = created;
    return created;
  }

  private async createPool(): Promise<OwnPool> {
    const { connectionString, maxConnections, connectTimeoutMs } = this.settings;
    try {
      const { Pool } = await loadPg();
      const pool = new Pool({
        connectionString,
        max: maxConnections,
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
        // An idle pool must not keep a process alive.
        allowExitOnIdle: true,
      });
      // Otherwise an idle connection that breaks would end the process.
      pool.on("error", ignore);
      return pool;
    } catch (thrown) {
      this.created = undefined;
      throw thrown;
    }
  }
}

function ignore(): undefined {
  return undefined;
}

function isAgain<T>(attempt: Attempt<T>): boolean {
  return "thrown" in attempt && isPassing(attempt.thrown);
}
