import type { AgentEvent } from "../../core/events.ts";
import type { RunStore } from "../../core/run-store.ts";
import { endedStatuses, type RunDigest } from "../../core/run-summary.ts";
import { metadataHashes } from "../sql/run-list.ts";
import { raw, type Sql, sql } from "../sql/statement.ts";
import { changesOf } from "../sql/stored-runs.ts";

/** Events to append. */
export interface NewEvents {
  readonly runId: string;
  readonly events: readonly AgentEvent[];
  /** The same events as JSON. */
  readonly texts: readonly string[];
  readonly options: Parameters<RunStore["append"]>[2];
  /** The digest of the run before; undefined for a new one, or if these events do not change it. */
  readonly before: RunDigest | undefined;
}

/** The lease that an owner asks for, at the time of the store's own clock if it has one. */
export interface LeaseOptions {
  readonly owner: string;
  readonly ttlMs: number;
  readonly nowMs: number | null;
}

const ended = raw([...endedStatuses].map((status) => `'${status}'`).join(", "));

/**
 * The time in milliseconds: that of the store's own clock, if it has one, else that of the database. It is read where it
 * is needed, after a lock was waited for, as otherwise a lease could start in the future for the one who waited.
 */
export function nowSql(nowMs: number | null): Sql {
  return sql`coalesce(${nowMs}::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
}

/** The condition that a lease on the run `r` lasts; one that starts in the future was made before the clock was set back. */
export function heldSql(nowMs: number | null): Sql {
  return sql`(r.owner IS NOT NULL AND r.lease_from_ms <= ${nowSql(nowMs)} AND ${nowSql(nowMs)} < r.lease_until_ms)`;
}

/** The statements of a run store, for tables with a prefix. Each is one transaction. */
export function runStatements(prefix: string) {
  const runs = raw(`${prefix}planwright_runs`);
  const events = raw(`${prefix}planwright_events`);
  const messages = raw(`${prefix}planwright_messages`);
  const newFence = raw(`nextval('${prefix}planwright_fences')`);
  const newMessage = raw(`nextval('${prefix}planwright_messages_number_seq')`);
  const isFenced = ({ fence }: NewEvents["options"]) => (fence === undefined ? raw("true") : sql`r.fence = ${fence}`);

  /** Changes the run in `up`, and if that was written adds its events and deletes the messages that they acknowledge. */
  const withEvents = (up: Sql, { texts, options }: NewEvents) => {
    const { sequence, fence = null, acknowledged = [] } = options;
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
  };

  /**
   * The run is changed first, so that numbers grow. An append that waited for a mere lock, and not for a change, would
   * end the run with a number for `dropped_to` that it took before it waited.
   */
  const post = (
    changed: Sql,
    { key, text, nowMs }: { key: string; text: string; nowMs: number | null },
  ) => sql`WITH run AS (
      ${changed}
    ), added AS (
      INSERT INTO ${messages} (run_number, key, json)
      SELECT number, ${key}, ${text} FROM run WHERE status IS NULL OR status NOT IN (${ended})
      ON CONFLICT (key) DO UPDATE SET json = EXCLUDED.json RETURNING number
    ) SELECT (SELECT number FROM added) AS number, ${nowSql(nowMs)} AS now FROM run`;

  /** A lease without end ignores the clock. */
  const leaseTimes = ({ ttlMs, nowMs }: LeaseOptions): readonly [from: Sql, until: Sql] =>
    ttlMs >= Number.MAX_SAFE_INTEGER / 2
      ? [sql`${Number.MIN_SAFE_INTEGER}::bigint`, sql`${Number.MAX_SAFE_INTEGER}::bigint`]
      : [nowSql(nowMs), sql`${nowSql(nowMs)} + ${Math.ceil(ttlMs)}`];
  const posted = sql`LEFT JOIN ${messages} m ON m.run_number = up.number AND m.number > up.dropped_to ORDER BY m.number`;

  return {
    findRun: (runId: string, nowMs: number | null) =>
      sql`SELECT number, sequence, status, fence, digest, ${heldSql(nowMs)} AS held FROM ${runs} r WHERE run_id = ${runId}`,

    append(added: NewEvents) {
      const { runId, texts, options } = added;
      const { updatedAt, status = null, startedAt = null, digest } = changesOf(added.events, added.before);
      const { kinds, resumeMs } = waitsOf(digest);
      const digestSet = digest
        ? sql`, digest = ${JSON.stringify(digest)}, pending_kinds = ${kinds}::text[], resume_at_ms = ${resumeMs}::bigint`
        : raw("");
      const update = sql`UPDATE ${runs} r SET sequence = ${options.sequence - 1 + texts.length}, updated_at = ${updatedAt},
          status = coalesce(${status}, r.status), started_at = coalesce(r.started_at, ${startedAt})${digestSet},
          dropped_to = CASE WHEN coalesce(${status}, r.status) IN (${ended}) THEN ${newMessage} ELSE r.dropped_to END
        WHERE run_id = ${runId} AND r.sequence = ${options.sequence - 1} AND r.sequence > 0 AND ${isFenced(options)}`;
      return withEvents(update, added);
    },

    /** With a fence there must have been a lease, and so there is a row already. */
    insert(added: NewEvents) {
      const { runId, texts, options } = added;
      const [first] = added.events;
      const { timestamp = "" } = first ?? {};
      const { request, metadata } = first?.type === "run-start" ? first : { metadata: {} };
      // A run whose first event is not that of a run is being planned, as in other stores.
      const { updatedAt, status = "planning", startedAt = null, digest } = changesOf(added.events, undefined);
      const { kinds, resumeMs } = waitsOf(digest);
      // As JSON: the database has no text with a null character.
      const toText = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
      const columns = ["request", "created_ms", "created_at", "metadata", "sequence", "updated_at", "status"];
      const all = [...columns, "started_at", "digest", "pending_kinds", "resume_at_ms"];
      const upsert = sql`INSERT INTO ${runs} AS r (run_id, ${raw(all.join(", "))})
        SELECT ${runId}, ${toText(request)}, ${Date.parse(timestamp)}::bigint, ${timestamp}, ${metadataHashes(metadata)}::text[],
          ${texts.length}::integer, ${updatedAt}, ${status}, ${startedAt}, ${toText(digest)}, ${kinds}::text[], ${resumeMs}::bigint
        WHERE ${options.fence ?? null}::bigint IS NULL OR EXISTS (SELECT 1 FROM ${runs} WHERE run_id = ${runId})
        ON CONFLICT (run_id) DO UPDATE SET ${raw(all.map((name) => `${name} = EXCLUDED.${name}`).join(", "))},
          dropped_to = CASE WHEN EXCLUDED.status IN (${ended}) THEN ${newMessage} ELSE r.dropped_to END
        WHERE r.sequence = 0 AND ${isFenced(options)}`;
      return withEvents(upsert, added);
    },

    readEvents: (runId: string, after: number, limit: number) =>
      sql`SELECT e.sequence, e.fence, e.json FROM ${events} e
        WHERE e.run_number = (SELECT number FROM ${runs} WHERE run_id = ${runId}) AND e.sequence > ${after}
        ORDER BY e.sequence LIMIT ${Number.isFinite(limit) ? limit : null}`,

    claim(runId: string, lease: LeaseOptions) {
      const { owner, nowMs } = lease;
      const [from, until] = leaseTimes(lease);
      return sql`WITH up AS (
          INSERT INTO ${runs} AS r (run_id, owner, fence, lease_from_ms, lease_until_ms)
          VALUES (${runId}, ${owner}, ${newFence}, ${from}, ${until})
          ON CONFLICT (run_id) DO UPDATE SET owner = ${owner},
            fence = CASE WHEN ${heldSql(nowMs)} THEN r.fence ELSE ${newFence} END,
            lease_from_ms = ${from}, lease_until_ms = ${until}
          WHERE r.owner = ${owner} OR NOT ${heldSql(nowMs)}
          RETURNING r.number, r.fence, r.dropped_to
        ) SELECT up.fence, ${nowSql(nowMs)} AS now, m.number, m.json FROM up ${posted}`;
    },

    renew(runId: string, fence: number, lease: LeaseOptions) {
      const [from, until] = leaseTimes(lease);
      return sql`WITH up AS (
          UPDATE ${runs} r SET lease_from_ms = ${from}, lease_until_ms = ${until}
          WHERE r.run_id = ${runId} AND r.owner = ${lease.owner} AND r.fence = ${fence}
          RETURNING r.number, r.fence, r.dropped_to
        ) SELECT ${nowSql(lease.nowMs)} AS now, m.number, m.json FROM up ${posted}`;
    },

    release: (runId: string, { owner, fence, acknowledged = [] }: Parameters<RunStore["release"]>[1]) =>
      sql`WITH up AS (
          UPDATE ${runs} r SET owner = NULL WHERE r.run_id = ${runId} AND r.owner = ${owner} AND r.fence = ${fence}
          RETURNING r.number
        ) DELETE FROM ${messages} m USING up WHERE m.run_number = up.number AND m.number = ANY (${acknowledged}::bigint[])`,

    post: (runId: string, message: Parameters<typeof post>[1]) =>
      post(
        sql`UPDATE ${runs} SET posts = posts + 1 WHERE run_id = ${runId} AND sequence > 0 RETURNING number, status`,
        message,
      ),

    postEarly: (runId: string, message: Parameters<typeof post>[1]) =>
      post(
        sql`INSERT INTO ${runs} AS r (run_id, posts) VALUES (${runId}, 1)
          ON CONFLICT (run_id) DO UPDATE SET posts = r.posts + 1 RETURNING r.number, r.status`,
        message,
      ),

    /** Without the one that is to be added: an earlier attempt may have done so. */
    countMessages: (runId: string, key: string) =>
      sql`SELECT count(*) FROM ${messages} m JOIN ${runs} r ON r.number = m.run_number
        WHERE r.run_id = ${runId} AND m.number > r.dropped_to AND m.key <> ${key}`,

    delete: (runId: string, statuses: readonly string[] | null, nowMs: number | null) =>
      sql`WITH gone AS (
          DELETE FROM ${runs} r WHERE r.run_id = ${runId} AND r.sequence > 0 AND NOT ${heldSql(nowMs)}
            AND (${statuses}::text[] IS NULL OR r.status = ANY (${statuses}::text[])) RETURNING r.number
        ), events AS (
          DELETE FROM ${events} e USING gone WHERE e.run_number = gone.number
        ), messages AS (
          DELETE FROM ${messages} m USING gone WHERE m.run_number = gone.number
        ) SELECT number FROM gone`,

    /** Deletes what was written while the deletion waited for the run. */
    sweep: (number: number) =>
      sql`WITH events AS (DELETE FROM ${events} WHERE run_number = ${number})
        DELETE FROM ${messages} WHERE run_number = ${number}`,
  };
}

/** The kinds of what a run waits for, and when the earliest of its waits ends. */
function waitsOf(digest: RunDigest | undefined) {
  const { pending, resumeAt } = digest ?? {};
  return { kinds: pending?.kinds ?? null, resumeMs: resumeAt === undefined ? null : Date.parse(resumeAt) };
}
