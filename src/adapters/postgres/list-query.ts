import { type RunStatus, runStatuses } from "../../core/run-summary.ts";
import { join, raw, type Sql, sql } from "../sql/statement.ts";
import type { ListQuery } from "../sql/stored-runs.ts";

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

const columns = raw(
  ["run_id", "status", "request", "created_at", "updated_at", "started_at", "digest", "created_ms", "number"]
    .map((name) => `r.${name}`)
    .join(", "),
);

/**
 * The statement of a list. Each status is looked up in the index separately, so that a page costs no more than its own
 * runs, however many there are; together they would have to be sorted first. One run more than the limit is selected, to
 * detect another page.
 */
export function listSql(query: ListQuery, prefix: string, nowMs: number | null): Sql {
  const { statuses = runStatuses, resumable, pending = null, metadata, sinceMs, limit, before } = query;
  const runs = raw(`${prefix}runs`);
  const order = sql`ORDER BY r.created_ms DESC, r.number DESC LIMIT ${limit + 1}`;
  // A run that has yet to start has no status, so it is in no arm.
  const position = sql`(r.created_ms, r.number) < (${before.createdMs}::bigint, ${before.number}::bigint)
    AND r.created_ms >= ${sinceMs}::bigint
    AND (cardinality(${metadata}::text[]) = 0 OR r.metadata @> ${metadata}::text[])
    AND (${pending}::text[] IS NULL OR r.pending_kinds && ${pending}::text[])`;
  const free = resumable ? sql`AND NOT ${heldSql(nowMs)}` : raw("");
  const byStatus = (plain: readonly RunStatus[]) => sql`SELECT found.number
    FROM unnest(${plain}::text[]) AS wanted (status) CROSS JOIN LATERAL (
      SELECT r.number, r.created_ms FROM ${runs} r WHERE r.status = wanted.status AND ${position} ${free} ${order}
    ) AS found`;
  // A suspended run is resumable only for a reason, of which there are few: so those are looked up first.
  const messages = raw(`${prefix}messages`);
  const suspended = sql`SELECT number FROM (SELECT r.number FROM ${runs} r WHERE r.status = 'suspended'
    AND r.number = ANY (ARRAY(SELECT run_number FROM ${messages}
      UNION SELECT number FROM ${runs} WHERE resume_at_ms <= ${nowSql(nowMs)}))
    AND (EXISTS (SELECT 1 FROM ${messages} m WHERE m.run_number = r.number AND m.number > r.dropped_to)
      OR r.resume_at_ms <= ${nowSql(nowMs)}) AND ${position} ${free} ${order}) AS suspended`;
  const plain = resumable ? statuses.filter((status) => status !== "suspended") : statuses;
  const arms = [
    ...(plain.length > 0 ? [byStatus(plain)] : []),
    ...(resumable && statuses.includes("suspended") ? [suspended] : []),
  ];
  return sql`SELECT ${columns} FROM (${join(arms, " UNION ALL ")}) AS page
    JOIN ${runs} r ON r.number = page.number ${order}`;
}
