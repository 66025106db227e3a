import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import {
  type ListRunsOptions,
  ownedElsewhere,
  type PostAnswer,
  type PostedMessages,
  type PostOptions,
  type RunPage,
  type RunStore,
  runNotFound,
  sequenceConflict,
} from "../../core/run-store.ts";
import { endedStatuses, type RunDigest, type RunStatus, runStatuses } from "../../core/run-summary.ts";
import {
  firstValues,
  getChanges,
  getWaits,
  type ListQuery,
  needsDigest,
  readDigest,
  readEvents,
  readListOptions,
  readMessages,
  readPage,
  readStatus,
} from "../sql/run-rows.ts";
import { join, raw, readInteger, type Sql, type SqlRow, sql } from "../sql/statement.ts";
import { Database, databaseOptions, type PostgresOptions, type Statements } from "./database.ts";

/** Options of {@link createPostgresRunStore}. @inline */
export interface PostgresRunStoreOptions extends PostgresOptions {
  /** Clock for leases and waits, in ms since 1970 UTC, common to all processes. @default the clock of the database */
  readonly now?: (() => number) | undefined;
}

const storeOptions = { ...databaseOptions, now: { type: "function" } } satisfies OptionTable<PostgresRunStoreOptions>;

/** {@link RunStore} in a PostgreSQL database. @group Storage */
export interface PostgresRunStore extends RunStore {
  append(runId: string, events: readonly AgentEvent[], options: Parameters<RunStore["append"]>[2]): Promise<void>;
  read(runId: string, options?: { after?: number; limit?: number }): Promise<readonly AgentEvent[]>;
  list(options?: ListRunsOptions): Promise<RunPage>;
  claim(runId: string, options: { owner: string; ttlMs: number }): Promise<{ fence: number } & PostedMessages>;
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): Promise<PostedMessages>;
  release(runId: string, options: Parameters<RunStore["release"]>[1]): Promise<void>;
  post(runId: string, message: JsonObject, options?: PostOptions): Promise<PostAnswer>;
  delete(runId: string, options?: { readonly status?: readonly RunStatus[] | undefined }): Promise<boolean>;
  watch(runId: string, listener: () => void): () => void;
  watchPosted(listener: (runId?: string) => void): () => void;
  /** Closes the store's connections, but not a given pool. Afterwards, reads and writes reject with `store-failed`. */
  close(): Promise<void>;
}

/**
 * Creates a run store in a PostgreSQL database, which any number of processes may share. When `append` resolves, the
 * events are committed. Needs the package `pg`. The first use creates the tables. Throws `invalid-options`. Methods
 * reject with `store-failed` (`details.problem` names the problem) and, without `pg`, with `missing-dependency`.
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
  const tables = nameTables(database.dialect.prefix);
  const { runs, messages } = tables;
  const clock = () => (now === undefined ? null : Math.floor(now()));

  const findRun = async ({ prepared }: Statements, runId: string): Promise<SqlRow | undefined> => {
    const [row] = await prepared(sql`SELECT number, sequence, status, fence, digest, ${heldSql(clock())} AS held
      FROM ${runs} r WHERE run_id = ${runId}`);
    return row;
  };

  const readRows = ({ prepared }: Statements, runId: string, { after = 0, limit = Number.POSITIVE_INFINITY }) =>
    prepared(sql`SELECT e.sequence, e.fence, e.json FROM ${tables.events} e
      WHERE e.run_number = (SELECT number FROM ${runs} WHERE run_id = ${runId}) AND e.sequence > ${after}
      ORDER BY e.sequence LIMIT ${Number.isFinite(limit) ? limit : null}`);

  async function isRecorded(db: Statements, { runId, texts, sequence, fence }: NewEvents): Promise<boolean> {
    const rows = await readRows(db, runId, { after: sequence - 1, limit: texts.length });
    const isSame = (row: SqlRow, index: number) =>
      row.json === texts[index] && (row.fence === null ? null : readInteger(row, "fence")) === fence;
    return rows.length === texts.length && rows.every(isSame);
  }

  async function explainRefusal(db: Statements, { runId, sequence, fence }: NewEvents) {
    const run = await findRun(db, runId);
    if (fence !== null && (run === undefined || readInteger(run, "fence") !== fence)) return ownedElsewhere(runId);
    return sequenceConflict(runId, { sequence, next: (run === undefined ? 0 : readInteger(run, "sequence")) + 1 });
  }

  const changeLease = (runId: string, ttlMs: number, change: (from: Sql, until: Sql, isHeld: Sql) => Sql) =>
    database.run("claim", runId, async ({ prepared }) => {
      const nowMs = clock();
      const rows = await prepared(sql`WITH up AS (
          ${change(...leaseTimes(ttlMs, nowMs), heldSql(nowMs))} RETURNING r.number, r.fence, r.dropped_to
        ) SELECT up.fence, ${nowSql(nowMs)} AS now, m.number, m.json FROM up
          LEFT JOIN ${messages} m ON m.run_number = up.number AND m.number > up.dropped_to ORDER BY m.number`);
      const [first] = rows;
      if (first === undefined) throw ownedElsewhere(runId);
      return { fence: readInteger(first, "fence"), nowMs: readInteger(first, "now"), posted: readMessages(rows) };
    });

  return {
    async append(runId, events, { sequence, fence = null, acknowledged = [] }) {
      if (events.length === 0) return;
      const texts = events.map((event) => JSON.stringify(event));
      const added = { runId, events, texts, sequence, fence, acknowledged };
      await database.run("append", runId, async (db) => {
        // With a fence, claiming the run has already created the row.
        if (sequence === 1 && fence === null)
          await db.prepared(sql`INSERT INTO ${runs} (run_id) VALUES (${runId}) ON CONFLICT DO NOTHING`);
        const run = sequence > 1 && needsDigest(events) ? await findRun(db, runId) : undefined;
        const change = changeSql(tables, added, run && readDigest(run, "digest"));
        const rows = await db.prepared(appendSql(tables, added, change));
        if (rows.length > 0 || (db.isInDoubt && (await isRecorded(db, added)))) return;
        throw await explainRefusal(db, added);
      });
      database.notices.tell(runId);
    },

    read: (runId, page = {}) =>
      database.run("read", runId, async (db) => readEvents(await readRows(db, runId, page), page.after ?? 0)),

    async list(listOptions = {}) {
      const query = readListOptions(listOptions);
      if (query.statuses?.length === 0) return { runs: [] };
      const statement = listSql(query, database.dialect.prefix, clock());
      return database.run("list", "", async ({ prepared }) => readPage(await prepared(statement), query.limit));
    },

    claim: (runId, { owner, ttlMs }) =>
      changeLease(
        runId,
        ttlMs,
        (from, until, isHeld) => sql`INSERT INTO ${runs} AS r (run_id, owner, fence, lease_from_ms, lease_until_ms)
          VALUES (${runId}, ${owner}, ${tables.newFence}, ${from}, ${until})
          ON CONFLICT (run_id) DO UPDATE SET owner = ${owner},
            fence = CASE WHEN ${isHeld} THEN r.fence ELSE ${tables.newFence} END,
            lease_from_ms = ${from}, lease_until_ms = ${until}
          WHERE r.owner = ${owner} OR NOT ${isHeld}`,
      ),

    async renew(runId, { owner, fence, ttlMs }) {
      const { nowMs, posted } = await changeLease(
        runId,
        ttlMs,
        (from, until) => sql`UPDATE ${runs} r SET lease_from_ms = ${from}, lease_until_ms = ${until}
          WHERE r.run_id = ${runId} AND r.owner = ${owner} AND r.fence = ${fence}`,
      );
      return { nowMs, posted };
    },

    release: (runId, { owner, fence, acknowledged = [] }) =>
      database.run("claim", runId, async ({ prepared }) => {
        await prepared(sql`WITH up AS (
            UPDATE ${runs} r SET owner = NULL WHERE r.run_id = ${runId} AND r.owner = ${owner} AND r.fence = ${fence}
            RETURNING r.number
          ) DELETE FROM ${messages} m USING up
            WHERE m.run_number = up.number AND m.number = ANY (${acknowledged}::bigint[])`);
      }),

    async post(runId, message, { isEarly = false, maxKept } = {}) {
      // Identifies the message if it is sent again.
      const key = randomUUID();
      // Comes before the insert: otherwise, an append that ends the run could fail to drop this message.
      const changed = isEarly
        ? sql`INSERT INTO ${runs} AS r (run_id, posts) VALUES (${runId}, 1)
            ON CONFLICT (run_id) DO UPDATE SET posts = r.posts + 1 RETURNING r.number, r.status`
        : sql`UPDATE ${runs} SET posts = posts + 1 WHERE run_id = ${runId} AND sequence > 0 RETURNING number, status`;
      const statement = sql`WITH run AS (
          ${changed}
        ), added AS (
          INSERT INTO ${messages} (run_number, key, json)
          SELECT number, ${key}, ${JSON.stringify(message)} FROM run WHERE status IS NULL OR status NOT IN (${ended})
          ON CONFLICT (key) DO UPDATE SET json = EXCLUDED.json RETURNING number
        ) SELECT (SELECT number FROM added) AS number, ${nowSql(clock())} AS now FROM run`;
      // Ignores this message, which an earlier attempt may have added.
      const count = sql`SELECT count(*) FROM ${messages} m JOIN ${runs} r ON r.number = m.run_number
        WHERE r.run_id = ${runId} AND m.number > r.dropped_to AND m.key <> ${key}`;
      // Needs a lock, as a single statement would not count the messages that others are adding.
      const options = { operation: "post", runId, lock: `messages ${runId}` } as const;
      const posted = await database.transact(options, async ({ query }): Promise<PostAnswer> => {
        const isFull = maxKept !== undefined && readInteger((await query(count))[0] ?? {}, "count") >= maxKept;
        if (isFull) return { isFull };
        const [row] = await query(statement);
        if (row === undefined) throw runNotFound(runId);
        const nowMs = readInteger(row, "now");
        return row.number === null ? { nowMs } : { number: readInteger(row, "number"), nowMs };
      });
      database.notices.tell(runId, { isPosted: true });
      return posted;
    },

    delete: (runId, { status } = {}) =>
      database.run("delete", runId, async (db) => {
        const statuses = status ?? null;
        const [gone] = await db.prepared(sql`WITH gone AS (
            DELETE FROM ${runs} r WHERE r.run_id = ${runId} AND r.sequence > 0 AND NOT ${heldSql(clock())}
              AND (${statuses}::text[] IS NULL OR r.status = ANY (${statuses}::text[])) RETURNING r.number
          ), events AS (
            DELETE FROM ${tables.events} e USING gone WHERE e.run_number = gone.number
          ), messages AS (
            DELETE FROM ${messages} m USING gone WHERE m.run_number = gone.number
          ) SELECT number FROM gone`);
        if (gone !== undefined) {
          const number = readInteger(gone, "number");
          // Deletes what others wrote while the first statement waited for the row of the run.
          await db.prepared(sql`WITH events AS (DELETE FROM ${tables.events} WHERE run_number = ${number})
            DELETE FROM ${messages} WHERE run_number = ${number}`);
          return true;
        }
        const run = await findRun(db, runId);
        if (run === undefined || readInteger(run, "sequence") === 0) {
          if (db.isInDoubt) return true;
          throw runNotFound(runId);
        }
        if (run.held === true || (status?.includes(readStatus(run)) ?? true)) throw ownedElsewhere(runId);
        return false;
      }),

    watch: (runId, listener) => database.notices.watch(runId, listener),
    watchPosted: (listener) => database.notices.watchPosted(listener),
    close: () => database.close(),
  };
}

const ended = raw([...endedStatuses].map((status) => `'${status}'`).join(", "));

function nameTables(prefix: string) {
  return {
    runs: raw(`${prefix}runs`),
    events: raw(`${prefix}events`),
    messages: raw(`${prefix}messages`),
    newFence: raw(`nextval('${prefix}fences')`),
    newMessage: raw(`nextval('${prefix}messages_number_seq')`),
  };
}

type Tables = ReturnType<typeof nameTables>;

function leaseTimes(ttlMs: number, nowMs: number | null): readonly [from: Sql, until: Sql] {
  if (ttlMs < Number.MAX_SAFE_INTEGER / 2) return [nowSql(nowMs), sql`${nowSql(nowMs)} + ${Math.ceil(ttlMs)}`];
  return [sql`${Number.MIN_SAFE_INTEGER}::bigint`, sql`${Number.MAX_SAFE_INTEGER}::bigint`];
}

interface NewEvents {
  readonly runId: string;
  readonly events: readonly AgentEvent[];
  readonly texts: readonly string[];
  readonly sequence: number;
  readonly fence: number | null;
  readonly acknowledged: readonly number[];
}

function appendSql({ events, messages }: Tables, { texts, sequence, fence, acknowledged }: NewEvents, up: Sql): Sql {
  return sql`WITH up AS (
      ${up} RETURNING r.number, r.status
    ), added AS (
      INSERT INTO ${events} (run_number, sequence, fence, json)
      SELECT up.number, ${sequence - 1}::integer + event.place::integer, ${fence}::bigint, event.json
      FROM up, unnest(${texts}::text[]) WITH ORDINALITY AS event (json, place)
    ), processed AS (
      DELETE FROM ${messages} m USING up
      WHERE m.run_number = up.number AND (m.number = ANY (${acknowledged}::bigint[]) OR up.status IN (${ended}))
    ) SELECT number FROM up`;
}

function changeSql({ runs, newMessage }: Tables, added: NewEvents, before: RunDigest | undefined): Sql {
  const { runId, events, sequence, fence } = added;
  const isFirst = sequence === 1;
  const { updatedAt, status = isFirst ? "planning" : null, startedAt = null, digest } = getChanges(events, before);
  const columns = [
    sql`sequence = ${sequence - 1 + events.length}, updated_at = ${updatedAt}, status = coalesce(${status}, r.status),
      started_at = coalesce(r.started_at, ${startedAt}),
      dropped_to = CASE WHEN coalesce(${status}, r.status) IN (${ended}) THEN ${newMessage} ELSE r.dropped_to END`,
  ];
  if (isFirst) {
    const { createdAt, createdMs, request, hashes, thread = null } = firstValues(events[0] as AgentEvent);
    columns.push(sql`request = ${request}, created_ms = ${createdMs}::bigint, created_at = ${createdAt},
      metadata = ${hashes}::text[], thread = ${thread}`);
  }
  if (digest !== undefined) {
    const { kinds, resumeMs } = getWaits(digest);
    columns.push(sql`digest = ${JSON.stringify(digest)}, pending_kinds = ${kinds}::text[],
      resume_at_ms = ${resumeMs}::bigint`);
  }
  return sql`UPDATE ${runs} r SET ${join(columns, ", ")} WHERE run_id = ${runId} AND r.sequence = ${sequence - 1}
    AND ${fence === null ? raw("true") : sql`r.fence = ${fence}`}`;
}

/** Reads the time after the wait for a lock: otherwise, a lease taken meanwhile would seem to start in the future. */
function nowSql(nowMs: number | null): Sql {
  return sql`coalesce(${nowMs}::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
}

/** Ignores a lease that starts in the future, as the clock has been set back since. */
function heldSql(nowMs: number | null): Sql {
  return sql`(r.owner IS NOT NULL AND r.lease_from_ms <= ${nowSql(nowMs)} AND ${nowSql(nowMs)} < r.lease_until_ms)`;
}

const columns = raw(
  "r.run_id, r.status, r.request, r.created_at, r.updated_at, r.started_at, r.digest, r.created_ms, r.number",
);

/** Without a thread, looks up each status separately, so as not to sort all runs with these statuses for one page. */
export function listSql(query: ListQuery, prefix: string, nowMs: number | null): Sql {
  const { statuses = runStatuses, resumable, pending = null, thread, sinceMs, limit, before } = query;
  const hashes = query.hashes.filter((hash) => hash !== thread);
  const runs = raw(`${prefix}runs`);
  const order = sql`ORDER BY r.created_ms DESC, r.number DESC LIMIT ${limit + 1}`;
  const selectRuns = (condition: Sql) => sql`SELECT r.number FROM ${runs} r WHERE ${condition}
    AND (r.created_ms, r.number) < (${before.createdMs}::bigint, ${before.number}::bigint)
    AND r.created_ms >= ${sinceMs}::bigint
    AND (cardinality(${hashes}::text[]) = 0 OR r.metadata @> ${hashes}::text[])
    AND (${pending}::text[] IS NULL OR r.pending_kinds && ${pending}::text[])
    ${thread === undefined ? raw("") : sql`AND r.thread = ${thread}`}
    ${resumable ? sql`AND NOT ${heldSql(nowMs)}` : raw("")} ${order}`;
  const byStatus = (
    plain: readonly RunStatus[],
  ) => sql`SELECT found.number FROM unnest(${plain}::text[]) AS wanted (status)
    CROSS JOIN LATERAL (${selectRuns(raw("r.status = wanted.status"))}) AS found`;
  const byThread = (plain: readonly RunStatus[]) => sql`(${selectRuns(sql`r.status = ANY (${plain}::text[])`)})`;
  const messages = raw(`${prefix}messages`);
  const suspended = sql`(${selectRuns(sql`r.status = 'suspended'
    AND r.number = ANY (ARRAY(SELECT run_number FROM ${messages}
      UNION SELECT number FROM ${runs} WHERE resume_at_ms <= ${nowSql(nowMs)}))
    AND (EXISTS (SELECT 1 FROM ${messages} m WHERE m.run_number = r.number AND m.number > r.dropped_to)
      OR r.resume_at_ms <= ${nowSql(nowMs)})`)})`;
  const plain = resumable ? statuses.filter((status) => status !== "suspended") : statuses;
  const arms = [
    ...(plain.length > 0 ? [thread === undefined ? byStatus(plain) : byThread(plain)] : []),
    ...(resumable && statuses.includes("suspended") ? [suspended] : []),
  ];
  return sql`SELECT ${columns} FROM (${join(arms, " UNION ALL ")}) AS page
    JOIN ${runs} r ON r.number = page.number ${order}`;
}
