import type { PendingKind, RunStatus } from "../../core/run-summary.ts";
import type { ListQuery } from "../sql/run-list.ts";
import { all, join, list, raw, type Sql, sql } from "../sql/statement.ts";
import { asBytes } from "./sql-database.ts";

const columns = asBytes(
  ...["runs.number", "runs.run_id", "runs.status", "runs.created_ms"],
  ...["runs.created_at", "runs.updated_at", "runs.started_at"],
);

/**
 * The statement of a list. Each status is looked up in the index separately, so that a page costs no more than its own
 * runs, however many there are; together they would have to be sorted first. With `isByMetadata`, runs are looked up by
 * the first of the hashes. One run more than the limit is selected, to detect another page.
 */
export function listSql(query: ListQuery, nowMs: number, isByMetadata = true): Sql {
  const { statuses = [undefined], pending, metadata, limit } = query;
  const arms =
    isByMetadata && metadata.length > 0
      ? [metadataArm(query, nowMs)]
      : statuses.flatMap((status) =>
          status === "suspended" && pending !== undefined
            ? pending.map((kind) => pendingArm(query, kind, nowMs))
            : [statusArm(query, status, nowMs)],
        );
  const found = join(
    arms.map((arm) => sql`SELECT * FROM (${arm})`),
    pending === undefined ? " UNION ALL " : " UNION ",
  );
  return sql`SELECT ${raw(columns)}, CAST(run_requests.json AS BLOB) AS request, CAST(run_digests.json AS BLOB) AS digest
    FROM (${found} ORDER BY created_ms DESC, number DESC LIMIT ${limit + 1}) AS page
    JOIN runs ON runs.number = page.number
    LEFT JOIN run_requests ON run_requests.run = page.number LEFT JOIN run_digests ON run_digests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
}

/** Runs by an index that has the columns `number` and `createdMs` in the order of the list. */
interface Arm {
  readonly number: string;
  readonly createdMs: string;
  readonly from: Sql;
  readonly where: readonly Sql[];
}

function armSql({ sinceMs, before, limit }: ListQuery, { number, createdMs, from, where }: Arm): Sql {
  const [time, id] = [raw(createdMs), raw(number)];
  const position = sql`(${time}, ${id}) < (${before.createdMs}, ${before.number}) AND ${time} >= ${sinceMs}`;
  return sql`SELECT ${id} AS number, ${time} AS created_ms FROM ${from} WHERE ${all([...where, position])}
    ORDER BY ${time} DESC, ${id} DESC LIMIT ${limit + 1}`;
}

/** A suspended run is resumable only for a reason, of which there are few: so those are looked up first. */
function statusArm(query: ListQuery, status: RunStatus | undefined, nowMs: number): Sql {
  const { isResumable, metadata } = query;
  const from =
    isResumable && status === "suspended"
      ? sql`(SELECT run FROM run_messages UNION SELECT run FROM run_resumes WHERE resume_ms <= ${nowMs}) AS called
        CROSS JOIN runs ON runs.number = called.run`
      : raw("runs");
  const where = [...(status === undefined ? [] : [sql`status = ${status}`]), ...metadata.map(hasMetadata)];
  const free = isResumable ? [isFree(nowMs)] : [];
  return armSql(query, { number: "number", createdMs: "created_ms", from, where: [...where, ...free] });
}

/** Suspended runs that wait for a kind of thing, by the index of that. A run may wait for several. */
function pendingArm(query: ListQuery, kind: PendingKind, nowMs: number): Sql {
  const called = query.isResumable ? [isCalled(nowMs), isFree(nowMs)] : [];
  return armSql(query, {
    ...{ number: "w.run", createdMs: "w.created_ms" },
    from: raw("run_waits AS w CROSS JOIN runs ON runs.number = w.run"),
    where: [sql`w.kind = ${kind} AND runs.status = 'suspended'`, ...query.metadata.map(hasMetadata), ...called],
  });
}

/** The metadata index is in the order of the list, and has all runs of one value together. */
function metadataArm(query: ListQuery, nowMs: number): Sql {
  const { statuses, pending, isResumable } = query;
  const [first = "", ...others] = query.metadata;
  const where = [sql`m.hash = ${first}`, ...others.map(hasMetadata)];
  if (statuses !== undefined) where.push(sql`status IN (${list(statuses)})`);
  if (pending !== undefined)
    where.push(sql`EXISTS (SELECT 1 FROM run_waits w WHERE w.kind IN (${list(pending)})
      AND w.created_ms = runs.created_ms AND w.run = runs.number)`);
  if (isResumable) where.push(sql`(status <> 'suspended' OR ${isCalled(nowMs)})`, isFree(nowMs));
  const from = raw("run_metadata AS m CROSS JOIN runs ON runs.number = m.run");
  return armSql(query, { number: "m.run", createdMs: "m.created_ms", from, where });
}

function hasMetadata(hash: string): Sql {
  return sql`EXISTS (SELECT 1 FROM run_metadata o
    WHERE o.hash = ${hash} AND o.created_ms = runs.created_ms AND o.run = runs.number)`;
}

/** The condition that no lease on a run lasts. */
function isFree(nowMs: number): Sql {
  return sql`NOT EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = runs.run_id AND c.owner IS NOT NULL
    AND c.until_ms > ${nowMs} AND c.from_ms <= ${nowMs})`;
}

/** The condition that a suspended run can be resumed: something was posted to it, or a wait of it is over. */
function isCalled(nowMs: number): Sql {
  return sql`(number IN (SELECT run FROM run_messages)
    OR number IN (SELECT run FROM run_resumes WHERE resume_ms <= ${nowMs}))`;
}
