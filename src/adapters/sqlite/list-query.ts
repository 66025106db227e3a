import type { RunPage } from "../../core/run-store.ts";
import { all, join, list, raw, type Sql, sql } from "../sql/statement.ts";
import { type ListQuery, readPage } from "../sql/stored-runs.ts";
import { asBytes, type SqlDatabase } from "./sql-database.ts";

/** The highest count of runs that {@link listRuns} compares: a value with more runs is not rare. */
const countLimit = 2_000;

/** Reads a page of runs by its rarest condition: the statuses, or one of the metadata. */
export function listRuns(db: SqlDatabase, query: ListQuery, nowMs: number): RunPage {
  const { statuses, metadata, limit } = query;
  const hasChoice = metadata.length > 1 || (metadata.length === 1 && statuses !== undefined);
  const count = (condition: "run_metadata WHERE hash" | "runs WHERE status", value: string) =>
    Number(db.value(`SELECT count(*) FROM (SELECT 1 FROM ${condition} = ? LIMIT ${countLimit})`, value));
  const counted = metadata.map((hash) => ({ hash, count: hasChoice ? count("run_metadata WHERE hash", hash) : 0 }));
  counted.sort((one, other) => one.count - other.count);
  const ofStatuses = (hasChoice ? statuses : undefined)?.reduce((sum, one) => sum + count("runs WHERE status", one), 0);
  const byRarest = { ...query, metadata: counted.map(({ hash }) => hash) };
  const isByMetadata = ofStatuses === undefined || (counted[0]?.count ?? 0) <= ofStatuses;
  return readPage(db.select(listSql(byRarest, nowMs, isByMetadata)), limit);
}

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
  const { resumable, pending, metadata, sinceMs, before, limit } = query;
  const first = isByMetadata ? metadata[0] : undefined;
  const others = first === undefined ? metadata : metadata.slice(1);
  const filters = [...others.map(hasMetadata), ...(resumable ? [isFree(nowMs)] : [])];
  const found = getLookups(query, nowMs, first).map(({ from, index, where }) => {
    const [time, number] = index.map(raw) as [Sql, Sql];
    const position = sql`(${time}, ${number}) < (${before.createdMs}, ${before.number}) AND ${time} >= ${sinceMs}`;
    return sql`SELECT * FROM (
      SELECT ${number} AS number, ${time} AS created_ms FROM ${from} WHERE ${all([...where, ...filters, position])}
      ORDER BY ${time} DESC, ${number} DESC LIMIT ${limit + 1})`;
  });
  // A run may wait for several things.
  const union = pending === undefined ? " UNION ALL " : " UNION ";
  return sql`SELECT ${raw(columns)}, CAST(run_requests.json AS BLOB) AS request, CAST(run_digests.json AS BLOB) AS digest
    FROM (${join(found, union)} ORDER BY created_ms DESC, number DESC LIMIT ${limit + 1}) AS page
    JOIN runs ON runs.number = page.number
    LEFT JOIN run_requests ON run_requests.run = page.number LEFT JOIN run_digests ON run_digests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
}

/** Looks up runs by an index that has, after what `where` is equal to, the `index` columns in the order of the list. */
interface Lookup {
  readonly from: Sql;
  readonly index: readonly [createdMs: string, number: string];
  readonly where: readonly Sql[];
}

function getLookups({ statuses, resumable, pending }: ListQuery, nowMs: number, hash?: string): readonly Lookup[] {
  const called = sql`SELECT run FROM run_messages UNION SELECT run FROM run_resumes WHERE resume_ms <= ${nowMs}`;
  const isPending = sql`EXISTS (SELECT 1 FROM run_waits w WHERE w.kind IN (${list(pending ?? [])})
    AND w.created_ms = runs.created_ms AND w.run = runs.number)`;
  if (hash !== undefined) {
    const where = [sql`m.hash = ${hash}`];
    if (statuses !== undefined) where.push(sql`status IN (${list(statuses)})`);
    if (pending !== undefined) where.push(isPending);
    if (resumable) where.push(sql`(status <> 'suspended' OR number IN (${called}))`);
    const from = raw("run_metadata AS m CROSS JOIN runs ON runs.number = m.run");
    return [{ from, index: ["m.created_ms", "m.run"], where }];
  }
  if (pending !== undefined && !resumable) {
    const from = raw("run_waits AS w CROSS JOIN runs ON runs.number = w.run");
    const where = raw("runs.status = 'suspended'");
    return pending.map((kind) => ({ from, index: ["w.created_ms", "w.run"], where: [sql`w.kind = ${kind}`, where] }));
  }
  // A suspended run is resumable only for a reason, of which there are few: so those are looked up first.
  const calledRuns = sql`(${called}) AS called CROSS JOIN runs ON runs.number = called.run`;
  return (statuses ?? [undefined]).map((status) => ({
    from: resumable && status === "suspended" ? calledRuns : raw("runs"),
    index: ["created_ms", "number"],
    where: [...(status === undefined ? [] : [sql`status = ${status}`]), ...(pending === undefined ? [] : [isPending])],
  }));
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
