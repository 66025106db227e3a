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
import { pageOf, readListOptions } from "../sql/run-list.ts";
import { readInteger, readOptionalText, readText, type SqlRow } from "../sql/statement.ts";
import { digestOf, eventsOf, messagesOf, needsDigest, statusOf } from "../sql/stored-runs.ts";
import { Database, databaseOptions, type PostgresOptions, type Queries, type Statements } from "./database.ts";
import { listSql } from "./list-query.ts";
import { type NewEvents, runStatements } from "./run-statements.ts";

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
  const database = new Database(settings);
  const statements = runStatements(database.prefix);
  const clock = () => (now === undefined ? null : Math.floor(now()));

  async function findRun({ prepared }: Statements, runId: string): Promise<SqlRow | undefined> {
    const [row] = await prepared(statements.findRun(runId, clock()));
    return row;
  }

  async function findDigest(db: Statements, runId: string): Promise<RunDigest | undefined> {
    const row = await findRun(db, runId);
    const digest = row && readOptionalText(row, "digest");
    return digest === undefined ? undefined : digestOf(digest);
  }

  /** True if these very events are recorded: an attempt whose answer was lost was done after all. */
  async function isRecorded({ prepared }: Statements, { runId, texts, options }: NewEvents): Promise<boolean> {
    const rows = await prepared(statements.readEvents(runId, options.sequence - 1, texts.length));
    const fence = options.fence ?? null;
    const isSame = (row: SqlRow, index: number) =>
      row.json === texts[index] && (row.fence === null ? null : readInteger(row, "fence")) === fence;
    return rows.length === texts.length && rows.every(isSame);
  }

  async function refusalOf(db: Statements, { runId, options: { sequence, fence } }: NewEvents) {
    const run = await findRun(db, runId);
    if (fence !== undefined && (run === undefined || readInteger(run, "fence") !== fence)) return ownedElsewhere(runId);
    return sequenceConflict(runId, { sequence, next: (run === undefined ? 0 : readInteger(run, "sequence")) + 1 });
  }

  return {
    async append(runId, events, appendOptions) {
      if (events.length === 0) return;
      const texts = events.map((event) => JSON.stringify(event));
      const isFirst = appendOptions.sequence === 1;
      await database.run("append", runId, async (db) => {
        const before = !isFirst && needsDigest(events) ? await findDigest(db, runId) : undefined;
        const added = { runId, events, texts, options: appendOptions, before };
        const rows = await db.prepared(isFirst ? statements.insert(added) : statements.append(added));
        if (rows.length > 0 || (db.isInDoubt && (await isRecorded(db, added)))) return;
        throw await refusalOf(db, added);
      });
      database.notices.tell(runId);
    },

    read: (runId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      database.run("read", runId, async ({ prepared }) =>
        eventsOf(await prepared(statements.readEvents(runId, after, limit)), after),
      ),

    async list(listOptions = {}) {
      const query = readListOptions(listOptions);
      if (query.statuses?.length === 0) return { runs: [] };
      const statement = listSql(query, database.prefix, clock());
      return database.run("list", "", async ({ prepared }) => pageOf(await prepared(statement), query.limit));
    },

    claim: (runId, { owner, ttlMs }) =>
      database.run("claim", runId, async ({ prepared }) => {
        const rows = await prepared(statements.claim(runId, { owner, ttlMs, nowMs: clock() }));
        const [first] = rows;
        if (first === undefined) throw ownedElsewhere(runId);
        return { fence: readInteger(first, "fence"), nowMs: readInteger(first, "now"), posted: messagesOf(rows) };
      }),

    renew: (runId, { owner, fence, ttlMs }) =>
      database.run("claim", runId, async ({ prepared }) => {
        const rows = await prepared(statements.renew(runId, fence, { owner, ttlMs, nowMs: clock() }));
        const [first] = rows;
        if (first === undefined) throw ownedElsewhere(runId);
        return { nowMs: readInteger(first, "now"), posted: messagesOf(rows) };
      }),

    release: (runId, lease) =>
      database.run("claim", runId, async ({ prepared }) => void (await prepared(statements.release(runId, lease)))),

    async post(runId, message, { isEarly = false, maxKept } = {}) {
      // With a key, so that a message that is sent again is not another one.
      const added = { key: randomUUID(), text: JSON.stringify(message), nowMs: clock() };
      const statement = isEarly ? statements.postEarly(runId, added) : statements.post(runId, added);
      const add = async (query: Queries["query"]): Promise<PostAnswer> => {
        const [row] = await query(statement);
        if (row === undefined) throw runNotFound(runId);
        const nowMs = readInteger(row, "now");
        return row.number === null ? { nowMs } : { number: readInteger(row, "number"), nowMs };
      };
      const posted =
        maxKept === undefined
          ? await database.run("post", runId, ({ prepared }) => add(prepared))
          : // One statement would not count what others are adding.
            await database.transact({ operation: "post", runId, lock: `messages ${runId}` }, async ({ query }) => {
              const [row] = await query(statements.countMessages(runId, added.key));
              const isFull = row !== undefined && readInteger(row, "count") >= maxKept;
              return isFull ? { isFull } : add(query);
            });
      database.notices.tell(runId, { isPosted: true });
      return posted;
    },

    delete: (runId, { status } = {}) =>
      database.run("delete", runId, async (db) => {
        const [gone] = await db.prepared(statements.delete(runId, status ?? null, clock()));
        if (gone !== undefined) {
          await db.prepared(statements.sweep(readInteger(gone, "number")));
          return true;
        }
        const run = await findRun(db, runId);
        if (run === undefined || readInteger(run, "sequence") === 0) {
          // An earlier attempt has deleted it.
          if (db.isInDoubt) return true;
          throw runNotFound(runId);
        }
        if (run.held === true) throw ownedElsewhere(runId);
        if (status?.includes(statusOf(readText(run, "status"))) ?? true) throw ownedElsewhere(runId);
        return false;
      }),

    watch: (runId, listener) => database.notices.watch(runId, listener),
    watchPosted: (listener) => database.notices.watchPosted(listener),
    close: () => database.close(),
  };
}
