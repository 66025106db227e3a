import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type {
  ListRunsOptions,
  PostAnswer,
  PostedMessages,
  PostOptions,
  RunPage,
  RunStore,
} from "../../core/run-store.ts";
import { ownedElsewhere, runNotFound, sequenceConflict } from "../../core/run-store-errors.ts";
import type { RunDigest, RunStatus } from "../../core/run-summary.ts";
import { toCursor } from "../sql/list-position.ts";
import { readInteger, readOptionalText, readText, type SqlRow, type SqlValue } from "../sql/statement.ts";
import { digestOf, eventsOf, messagesOf, statusOf, summaryOf } from "../sql/stored-runs.ts";
import { Database, type Queries, type Statements } from "./database.ts";
import { databaseOptions, type PostgresOptions } from "./database-options.ts";
import { readListOptions } from "./list-query.ts";
import { type RunStatements, runStatements } from "./run-statements.ts";
import { appendValues, insertValues, needsDigest } from "./run-values.ts";

/** Options of {@link createPostgresRunStore}. @inline */
export interface PostgresRunStoreOptions extends PostgresOptions {
  /**
   * The clock of leases and waits, in ms since 1970 UTC, which all processes must share; in a test, the manual one of its
   * agents. @default the clock of the database, so that the clocks of the processes do not matter
   */
  readonly now?: (() => number) | undefined;
}

const storeOptions = {
  ...databaseOptions,
  now: { type: "function" },
} satisfies OptionTable<PostgresRunStoreOptions>;

type AppendOptions = Parameters<RunStore["append"]>[2];
type ReleaseOptions = Parameters<RunStore["release"]>[1];
type LeaseOptions = { readonly owner: string; readonly ttlMs: number };

/** A {@link RunStore} in a PostgreSQL database. @group Storage */
export interface PostgresRunStore extends RunStore {
  append(runId: string, events: readonly AgentEvent[], options: AppendOptions): Promise<void>;
  read(runId: string, options?: { after?: number; limit?: number }): Promise<readonly AgentEvent[]>;
  list(options?: ListRunsOptions): Promise<RunPage>;
  claim(runId: string, options: { owner: string; ttlMs: number }): Promise<{ fence: number } & PostedMessages>;
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): Promise<PostedMessages>;
  release(runId: string, options: ReleaseOptions): Promise<void>;
  post(runId: string, message: JsonObject, options?: PostOptions): Promise<PostAnswer>;
  delete(runId: string, options?: { readonly status?: readonly RunStatus[] | undefined }): Promise<boolean>;
  watch(runId: string, listener: () => void): () => void;
  watchPosted(listener: (runId?: string) => void): () => void;
  /** Ends its connections, but not a given pool; after that every other method rejects with `store-failed`. */
  close(): Promise<void>;
}

/**
 * A run store in a PostgreSQL database, which any number of processes, on any number of machines, may share. When
 * `append` resolves, the events are committed. It needs the package `pg`; the tables are created when it is first used.
 *
 * Throws `invalid-options`. Its methods reject with `store-failed` (`details.problem` states what is wrong with the
 * database) and, if `pg` is not installed, `missing-dependency`.
 *
 * ```ts
 * const store = createPostgresRunStore({ connectionString: "postgres://localhost/app" });
 * const agent = createAgent({ tools: [createCalculator()], store });
 * ```
 * @group Storage
 */
export function createPostgresRunStore(options: PostgresRunStoreOptions): PostgresRunStore {
  const { now, ...settings } = readOptions(storeOptions, options);
  return new DatabaseRunStore(new Database(settings), now);
}

class DatabaseRunStore implements PostgresRunStore {
  private readonly sql: RunStatements;

  constructor(
    private readonly database: Database,
    private readonly now: (() => number) | undefined,
  ) {
    this.sql = runStatements(database.prefix);
  }

  async append(runId: string, events: readonly AgentEvent[], options: AppendOptions): Promise<void> {
    if (events.length === 0) return;
    const texts = events.map((event) => JSON.stringify(event));
    const { sequence } = options;
    await this.database.run("append", runId, async (statements) => {
      const before = sequence > 1 && needsDigest(events) ? await this.findDigest(statements, runId) : undefined;
      const added = { runId, events, texts, options, before };
      const rows = await (sequence === 1
        ? statements.prepared(this.sql.insert, insertValues(added))
        : statements.prepared(this.sql.append, appendValues(added)));
      if (rows.length > 0) return;
      if (statements.isInDoubt && (await this.isRecorded(statements, { runId, texts, options }))) return;
      throw await this.refusalOf(statements, runId, options);
    });
    this.database.notices.tell(runId);
  }

  read(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): Promise<readonly AgentEvent[]> {
    return this.database.run("read", runId, async ({ prepared }) => {
      const rows = await prepared(this.sql.readEvents, [runId, after, Number.isFinite(limit) ? limit : null]);
      return eventsOf(rows, after, (row) => readText(row, "json"));
    });
  }

  async list(options: ListRunsOptions = {}): Promise<RunPage> {
    const { sql, values, limit } = readListOptions(options, this.database.prefix, this.nowMs());
    if (sql === undefined) return { runs: [] };
    return this.database.run("list", "", async ({ prepared }) => {
      const rows = await prepared(sql, values);
      const runs = rows.slice(0, limit).map((row) => summaryOf((column) => readOptionalText(row, column)));
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      if (last === undefined) return { runs };
      const position = { createdMs: readInteger(last, "created_ms"), number: readInteger(last, "number") };
      return { runs, cursor: toCursor(position) };
    });
  }

  claim(runId: string, { owner, ttlMs }: LeaseOptions): Promise<{ fence: number } & PostedMessages> {
    return this.database.run("claim", runId, async ({ prepared }) => {
      const rows = await prepared(this.sql.claim, [runId, owner, ...this.leaseValues(ttlMs)]);
      const [first] = rows;
      if (first === undefined) throw ownedElsewhere(runId);
      return { fence: readInteger(first, "fence"), nowMs: readInteger(first, "now"), posted: messagesOf(rows) };
    });
  }

  renew(runId: string, { owner, fence, ttlMs }: LeaseOptions & { fence: number }): Promise<PostedMessages> {
    return this.database.run("claim", runId, async ({ prepared }) => {
      const rows = await prepared(this.sql.renew, [runId, owner, ...this.leaseValues(ttlMs), fence]);
      const [first] = rows;
      if (first === undefined) throw ownedElsewhere(runId);
      return { nowMs: readInteger(first, "now"), posted: messagesOf(rows) };
    });
  }

  release(runId: string, { owner, fence, acknowledged = [] }: ReleaseOptions): Promise<void> {
    return this.database.run("claim", runId, async ({ prepared }) => {
      await prepared(this.sql.release, [runId, owner, fence, acknowledged]);
    });
  }

  async post(runId: string, message: JsonObject, { isEarly = false, maxKept }: PostOptions = {}): Promise<PostAnswer> {
    // With a key, so that a message that is sent again is not another one.
    const values = [runId, randomUUID(), JSON.stringify(message), this.nowMs()] as const;
    const sql = isEarly ? this.sql.postEarly : this.sql.post;
    const add = async (query: Queries["query"]): Promise<PostAnswer> => {
      const [row] = await query(sql, values);
      if (row === undefined) throw runNotFound(runId);
      const nowMs = readInteger(row, "now");
      return row.number === null ? { nowMs } : { number: readInteger(row, "number"), nowMs };
    };
    const posted =
      maxKept === undefined
        ? await this.database.run("post", runId, ({ prepared }) => add(prepared))
        : // One statement would not count what others are adding.
          await this.database.transact({ operation: "post", runId, lock: `messages ${runId}` }, async ({ query }) => {
            const [row] = await query(this.sql.countMessages, values.slice(0, 2));
            const isFull = row !== undefined && readInteger(row, "count") >= maxKept;
            return isFull ? { isFull } : add(query);
          });
    this.database.notices.tell(runId, { isPosted: true });
    return posted;
  }

  delete(runId: string, { status }: { readonly status?: readonly RunStatus[] | undefined } = {}): Promise<boolean> {
    return this.database.run("delete", runId, async ({ prepared, isInDoubt }) => {
      const [gone] = await prepared(this.sql.delete, [runId, this.nowMs(), status ?? null]);
      if (gone !== undefined) {
        await prepared(this.sql.sweep, [readInteger(gone, "number")]);
        return true;
      }
      const run = await this.findRun({ prepared }, runId);
      if (run === undefined || readInteger(run, "sequence") === 0) {
        // An earlier attempt has deleted it.
        if (isInDoubt) return true;
        throw runNotFound(runId);
      }
      if (run.held === true) throw ownedElsewhere(runId);
      if (status?.includes(statusOf(readText(run, "status"))) ?? true) throw ownedElsewhere(runId);
      return false;
    });
  }

  watch(runId: string, listener: () => void): () => void {
    return this.database.notices.watch(runId, listener);
  }

  watchPosted(listener: (runId?: string) => void): () => void {
    return this.database.notices.watchPosted(listener);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async findRun({ prepared }: Pick<Statements, "prepared">, runId: string): Promise<SqlRow | undefined> {
    const [row] = await prepared(this.sql.findRun, [runId, this.nowMs()]);
    return row;
  }

  private async findDigest(statements: Statements, runId: string): Promise<RunDigest | undefined> {
    const row = await this.findRun(statements, runId);
    const digest = row && readOptionalText(row, "digest");
    return digest === undefined ? undefined : digestOf(digest);
  }

  /** Whether these very events are recorded: an attempt whose answer was lost was done after all. */
  private async isRecorded(
    { prepared }: Statements,
    { runId, texts, options }: { runId: string; texts: readonly string[]; options: AppendOptions },
  ): Promise<boolean> {
    const rows = await prepared(this.sql.readBack, [runId, options.sequence, texts.length]);
    const fence = options.fence ?? null;
    const isSame = (row: SqlRow, index: number) =>
      row.json === texts[index] && (row.fence === null ? null : readInteger(row, "fence")) === fence;
    return rows.length === texts.length && rows.every(isSame);
  }

  private async refusalOf(statements: Statements, runId: string, { sequence, fence }: AppendOptions) {
    const run = await this.findRun(statements, runId);
    if (fence !== undefined && (run === undefined || readInteger(run, "fence") !== fence)) return ownedElsewhere(runId);
    const next = (run === undefined ? 0 : readInteger(run, "sequence")) + 1;
    return sequenceConflict(runId, { sequence, next });
  }

  private nowMs(): number | null {
    return this.now === undefined ? null : Math.floor(this.now());
  }

  /** The values of a lease: now, its start and its end if these do not depend on the clock, and its length. */
  private leaseValues(ttlMs: number): readonly SqlValue[] {
    const isEndless = ttlMs >= Number.MAX_SAFE_INTEGER / 2;
    const ends = isEndless ? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] : [null, null];
    return [this.nowMs(), ...ends, isEndless ? 0 : Math.ceil(ttlMs)];
  }
}
