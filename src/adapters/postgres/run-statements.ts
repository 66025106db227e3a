import { endedStatuses } from "../../core/run-summary.ts";

/** The statements of a run store. Each is one transaction. */
export interface RunStatements {
  readonly findRun: string;
  readonly append: string;
  readonly insert: string;
  readonly readBack: string;
  readonly readEvents: string;
  readonly claim: string;
  readonly renew: string;
  readonly release: string;
  readonly post: string;
  readonly postEarly: string;
  readonly countMessages: string;
  readonly delete: string;
  readonly sweep: string;
}

const ended = [...endedStatuses].map((status) => `'${status}'`).join(", ");

/**
 * The time in milliseconds: that of the store's own clock, if it has one, else that of the database. It is read where it
 * is needed, after a lock was waited for, as otherwise a lease could start in the future for the one who waited.
 */
export function nowSql(parameter: string): string {
  return `coalesce(${parameter}::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
}

/** Whether a lease on the run `r` lasts; one that starts in the future was made before the clock was set back. */
export function heldSql(parameter: string): string {
  const now = nowSql(parameter);
  return `(r.owner IS NOT NULL AND r.lease_from_ms <= ${now} AND ${now} < r.lease_until_ms)`;
}

/** The columns that an append may change, each with its parameter. */
function changedColumns(prefix: string): string {
  return `sequence = $2::integer - 1 + cardinality($3::text[]), updated_at = $4,
    status = coalesce($5, r.status), started_at = coalesce(r.started_at, $6),
    digest = coalesce($7, r.digest),
    pending_kinds = CASE WHEN $7::text IS NULL THEN r.pending_kinds ELSE $8::text[] END,
    resume_at_ms = CASE WHEN $7::text IS NULL THEN r.resume_at_ms ELSE $9::bigint END,
    dropped_to = CASE WHEN coalesce($5, r.status) IN (${ended})
      THEN nextval('${prefix}planwright_messages_number_seq') ELSE r.dropped_to END`;
}

/** The events of the run in `up`, if that was written, and the end of the messages that they acknowledge. */
function eventsSql(prefix: string): string {
  return `added AS (
      INSERT INTO ${prefix}planwright_events (run_number, sequence, fence, json)
      SELECT up.number, $2::integer - 1 + event.place::integer, $10::bigint, event.json
      FROM up, unnest($3::text[]) WITH ORDINALITY AS event (json, place)
    ), processed AS (
      DELETE FROM ${prefix}planwright_messages m USING up
      WHERE m.run_number = up.number AND (m.number = ANY ($11::bigint[]) OR up.status IN (${ended}))
    ) SELECT number FROM up`;
}

/** The statements for tables with a prefix. */
export function runStatements(prefix: string): RunStatements {
  const runs = `${prefix}planwright_runs`;
  const events = `${prefix}planwright_events`;
  const messages = `${prefix}planwright_messages`;
  return {
    findRun: `SELECT number, sequence, status, fence, digest, ${heldSql("$2")} AS held FROM ${runs} r WHERE run_id = $1`,
    append: `WITH up AS (
        UPDATE ${runs} r SET ${changedColumns(prefix)}
        WHERE run_id = $1 AND r.sequence = $2::integer - 1 AND r.sequence > 0 AND ($10::bigint IS NULL OR r.fence = $10)
        RETURNING r.number, r.status
      ), ${eventsSql(prefix)}`,
    // With a fence there must have been a lease, and so there is a row already.
    insert: `WITH up AS (
        INSERT INTO ${runs} AS r (run_id, sequence, status, request, created_ms, created_at, updated_at, started_at,
          digest, metadata, pending_kinds, resume_at_ms)
        SELECT $1, cardinality($3::text[]), $5, $12, $13, $14, $4, $6, $7, $15::text[], $8::text[], $9::bigint
        WHERE $10::bigint IS NULL OR EXISTS (SELECT 1 FROM ${runs} WHERE run_id = $1)
        ON CONFLICT (run_id) DO UPDATE SET request = $12, created_ms = $13, created_at = $14, metadata = $15,
          ${changedColumns(prefix)}
        WHERE r.sequence = 0 AND ($10::bigint IS NULL OR r.fence = $10)
        RETURNING r.number, r.status
      ), ${eventsSql(prefix)}`,
    readBack: `SELECT e.fence, e.json FROM ${events} e
      WHERE e.run_number = (SELECT number FROM ${runs} WHERE run_id = $1) AND e.sequence >= $2
      ORDER BY e.sequence LIMIT $3`,
    readEvents: `SELECT e.sequence, e.json FROM ${events} e
      WHERE e.run_number = (SELECT number FROM ${runs} WHERE run_id = $1) AND e.sequence > $2
      ORDER BY e.sequence LIMIT $3`,
    ...leaseStatements(prefix),
    post: postSql(
      messages,
      `UPDATE ${runs} SET posts = posts + 1 WHERE run_id = $1 AND sequence > 0 RETURNING number, status`,
    ),
    postEarly: postSql(
      messages,
      `INSERT INTO ${runs} AS r (run_id, posts) VALUES ($1, 1)
        ON CONFLICT (run_id) DO UPDATE SET posts = r.posts + 1 RETURNING r.number, r.status`,
    ),
    // Without the one that is to be added: an earlier attempt may have done so.
    countMessages: `SELECT count(*) FROM ${messages} m JOIN ${runs} r ON r.number = m.run_number
      WHERE r.run_id = $1 AND m.number > r.dropped_to AND m.key <> $2`,
    delete: `WITH gone AS (
        DELETE FROM ${runs} r WHERE r.run_id = $1 AND r.sequence > 0 AND NOT ${heldSql("$2")}
          AND ($3::text[] IS NULL OR r.status = ANY ($3::text[])) RETURNING r.number
      ), events AS (
        DELETE FROM ${events} e USING gone WHERE e.run_number = gone.number
      ), messages AS (
        DELETE FROM ${messages} m USING gone WHERE m.run_number = gone.number
      ) SELECT number FROM gone`,
    // What was written while the deletion waited for the run.
    sweep: `WITH events AS (DELETE FROM ${events} WHERE run_number = $1)
      DELETE FROM ${messages} WHERE run_number = $1`,
  };
}

/**
 * The run is changed first, so that numbers grow. An append that waited for a mere lock, and not for a change, would end
 * the run with a number for `dropped_to` that it took before it waited.
 */
function postSql(messages: string, changed: string): string {
  return `WITH run AS (
      ${changed}
    ), added AS (
      INSERT INTO ${messages} (run_number, key, json)
      SELECT number, $2, $3 FROM run WHERE status IS NULL OR status NOT IN (${ended})
      ON CONFLICT (key) DO UPDATE SET json = EXCLUDED.json RETURNING number
    ) SELECT (SELECT number FROM added) AS number, ${nowSql("$4")} AS now FROM run`;
}

function leaseStatements(prefix: string): Pick<RunStatements, "claim" | "renew" | "release"> {
  const runs = `${prefix}planwright_runs`;
  const messages = `${prefix}planwright_messages`;
  const posted = `LEFT JOIN ${messages} m ON m.run_number = up.number AND m.number > up.dropped_to ORDER BY m.number`;
  return {
    claim: `WITH up AS (
        INSERT INTO ${runs} AS r (run_id, owner, fence, lease_from_ms, lease_until_ms)
        VALUES ($1, $2, nextval('${prefix}planwright_fences'), coalesce($4, ${nowSql("$3")}), coalesce($5, ${nowSql("$3")} + $6))
        ON CONFLICT (run_id) DO UPDATE SET owner = $2,
          fence = CASE WHEN ${heldSql("$3")} THEN r.fence ELSE nextval('${prefix}planwright_fences') END,
          lease_from_ms = coalesce($4, ${nowSql("$3")}), lease_until_ms = coalesce($5, ${nowSql("$3")} + $6)
        WHERE r.owner = $2 OR NOT ${heldSql("$3")}
        RETURNING r.number, r.fence, r.dropped_to
      ) SELECT up.fence, ${nowSql("$3")} AS now, m.number, m.json FROM up ${posted}`,
    renew: `WITH up AS (
        UPDATE ${runs} r SET lease_from_ms = coalesce($4, ${nowSql("$3")}), lease_until_ms = coalesce($5, ${nowSql("$3")} + $6)
        WHERE r.run_id = $1 AND r.owner = $2 AND r.fence = $7
        RETURNING r.number, r.fence, r.dropped_to
      ) SELECT ${nowSql("$3")} AS now, m.number, m.json FROM up ${posted}`,
    release: `WITH up AS (
        UPDATE ${runs} r SET owner = NULL WHERE r.run_id = $1 AND r.owner = $2 AND r.fence = $3 RETURNING r.number
      ) DELETE FROM ${messages} m USING up WHERE m.run_number = up.number AND m.number = ANY ($4::bigint[])`,
  };
}
