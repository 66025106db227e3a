import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { monotonicNow, sleep } from "../../async/clock.ts";
import { type RetryPolicy, retryDelayMs, retryFailed } from "../../async/retry.ts";
import { AgentError, type StoreOperation } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import type { Sql, SqlRow, SqlValue, Steps } from "../sql/statement.ts";
import type { DatabaseSettings } from "./database-options.ts";
import { prepareTables, quoteName } from "./formats.ts";
import { inTransaction } from "./in-transaction.ts";
import { RunNotices } from "./run-notices.ts";
import { type ConnectionOptions, loadPg, type NoticeClient, type OwnPool, type PostgresPool } from "./sql-pool.ts";
import { isInDoubt, isOfOtherConnection, isPassing, type StoreAttempt, toStoreFailure } from "./store-failure.ts";

const retries: RetryPolicy = { maxAttempts: 1_000, minDelayMs: 50, maxDelayMs: 1_000, factor: 2, maxTotalMs: 0 };

/** A connection that nothing is asked on is found to be dead in minutes, not hours. */
const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Runs statements; outside of {@link Database.transact}, each is a transaction. */
export interface Queries {
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

/** Does work that takes several statements, one after the other. */
export async function finish<T>({ query }: Queries, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await query(numbered(step.value), step.value.values));
  return step.value;
}

/** The text of a statement, with a `$1` for the first value, and so on. */
export function numbered({ texts }: Sql): string {
  return texts.map((text, index) => (index === 0 ? text : `$${index}${text}`)).join("");
}

/** What a method does in the database. */
export interface Statements extends Queries {
  /** As `query`, for one of few texts: a connection prepares it once, as planning it takes longer than running it. */
  prepared(text: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Whether an earlier attempt broke off without an answer, so that its statements may have been done. */
  readonly isInDoubt: boolean;
}

/** A method that takes more than one statement. */
interface Transaction extends Pick<StoreAttempt, "operation"> {
  readonly runId?: string;
  readonly lock: string;
}

interface Attempt<T> {
  readonly thrown?: unknown;
  readonly value?: T;
}

/** A database with our tables. Its failures are `store-failed`. It is opened when first used. */
export class Database {
  /** In front of the name of a table. */
  readonly prefix: string;
  readonly notices: RunNotices;
  private opening: Promise<PostgresPool> | undefined;
  private created: Promise<OwnPool> | undefined;
  private isClosed = false;
  /** Not behind a pooler in transaction mode, where each statement may meet another connection. */
  private prepares = true;
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
    // Each method that waits for the server to come back listens to it.
    setMaxListeners(0, this.closing.signal);
    this.notices = new RunNotices({
      ...{ schema, clock: settings.clock },
      createClient: () => this.createClient(),
      pool: () => this.open(),
    });
    // Otherwise an idle connection that breaks would end the process. One for each store on the pool.
    pool?.on?.("error", ignore);
  }

  /**
   * Does the work of a method. If the connection breaks, or the server restarts, it is done again, for a while: it has
   * to bear that an earlier attempt may have been done, though there was no answer.
   */
  async run<T>(operation: StoreOperation, runId: string, work: (statements: Statements) => Promise<T>): Promise<T> {
    const { clock, retryForMs } = this.settings;
    const attempted: StoreAttempt = { operation, runId };
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
    const failedMs = monotonicNow(clock);
    const last = !isAgain(first)
      ? first
      : await retryFailed(first, {
          maxAttempts: retries.maxAttempts,
          isFailure: isAgain,
          attempt,
          shouldRetry: (_failure, number) => {
            const delayMs = retryDelayMs(retries, number, Math.random);
            if (this.isClosed || monotonicNow(clock) - failedMs + delayMs > retryForMs) return Promise.resolve(false);
            return sleep(delayMs, { clock, signal: this.closing.signal });
          },
        });
    if ("thrown" in last) throw toStoreFailure(last.thrown, attempted);
    return last.value as T;
  }

  /** Does the work of a method in one transaction, all or nothing, one at a time for each `lock`; see {@link run}. */
  transact<T>({ operation, runId = "", lock }: Transaction, work: (statements: Queries) => Promise<T>): Promise<T> {
    return this.run(operation, runId, async () => {
      const pool = await this.open();
      return inTransaction({
        pool,
        idleMs: this.settings.timeoutMs,
        work: async (client) => {
          await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
          return work({ query: async (text, values = []) => rowsOf(await client.query(text, [...values])) });
        },
      });
    });
  }

  /** Ends the connections of a pool that was created here; after that every other method rejects. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closing.abort();
    await this.notices.close();
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
      query: async (text, values = []) => rowsOf(await pool.query(text, [...values])),
      prepared: async (text, values) => rowsOf(await this.runPrepared(pool, text, [...values])),
    });
  }

  private async runPrepared(pool: PostgresPool, text: string, values: SqlValue[]): Promise<{ rows: unknown[] }> {
    if (this.prepares) {
      try {
        return await pool.query({ name: nameOf(text), text, values });
      } catch (thrown) {
        if (!isOfOtherConnection(thrown)) throw thrown;
        this.prepares = false;
      }
    }
    return pool.query(text, values);
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
    await prepareTables(pool, { schema: this.settings.schema, idleMs: this.settings.timeoutMs });
    return pool;
  }

  private ownPool(): Promise<OwnPool> {
    const created = this.created ?? this.createPool();
    this.created = created;
    return created;
  }

  private get connection(): ConnectionOptions {
    const { connectionString, timeoutMs } = this.settings;
    return { connectionString, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs, ...keptAlive };
  }

  private async createClient(): Promise<NoticeClient | undefined> {
    const { pool, listen } = this.settings;
    const options = pool === undefined ? this.connection : pool.options;
    if (!listen || options === undefined) return undefined;
    const { Client } = await loadPg();
    return new Client(options);
  }

  private async createPool(): Promise<OwnPool> {
    try {
      const { Pool } = await loadPg();
      // An idle pool must not keep a process alive.
      const pool = new Pool({ ...this.connection, max: this.settings.maxConnections, allowExitOnIdle: true });
      // Otherwise an idle connection that breaks would end the process.
      pool.on("error", ignore);
      return pool;
    } catch (thrown) {
      this.created = undefined;
      throw thrown;
    }
  }
}

/** Rows are objects, unless a client is told otherwise. */
function rowsOf({ rows }: { readonly rows: unknown[] }): readonly SqlRow[] {
  return rows as SqlRow[];
}

const names = new Map<string, string>();

/** A name that is the same for no other text, in whatever process: poolers lend connections to all of them. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `planwright_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
  names.set(text, name);
  return name;
}

function ignore(): undefined {
  return undefined;
}

function isAgain<T>(attempt: Attempt<T>): boolean {
  return "thrown" in attempt && isPassing(attempt.thrown);
}
