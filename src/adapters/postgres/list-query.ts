import { type ListRunsOptions, selectRuns } from "../../core/run-store.ts";
import { type RunStatus, runStatuses, unendedStatuses } from "../../core/run-summary.ts";
import { pageStart } from "../sql/list-position.ts";
import { metadataHash } from "../sql/metadata-hash.ts";
import type { SqlValue } from "../sql/statement.ts";
import { heldSql, nowSql } from "./run-statements.ts";

/** Selects the runs of a page. */
export interface ListQuery {
  /** The statement; undefined if no run can be in the list. */
  readonly sql: string | undefined;
  readonly values: readonly SqlValue[];
  readonly limit: number;
}

/** Reads the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions, prefix: string, nowMs: number | null): ListQuery {
  const selection = selectRuns(options);
  const { statuses, resumable, sinceMs = Number.MIN_SAFE_INTEGER, limit } = selection;
  const before = pageStart(options.cursor, selection);
  const pending = selection.pending && [...selection.pending];
  const isWanted = (status: RunStatus) => pending === undefined || (status === "suspended" && pending.length > 0);
  const wanted = runStatuses.filter((status) => (statuses?.has(status) ?? true) && isWanted(status));
  const arms = armsOf({ wanted, isResumable: resumable, prefix });
  const metadata = selection.metadata.map(([key, value]) => metadataHash(key, value));
  const plain = resumable ? wanted.filter((status) => unendedStatuses.has(status)) : wanted;
  const values = [plain, before.createdMs, before.number, sinceMs, metadata, limit + 1, pending ?? null];
  const sql = arms.length === 0 ? undefined : pageSql(arms, prefix);
  // A value that is not used would have no type.
  return { sql, values: resumable ? [...values, nowMs] : values, limit };
}

/** Named one by one: a prepared statement with `*` fails once a newer process has added a column. */
const columns = [
  "run_id",
  "status",
  "request",
  "created_at",
  "updated_at",
  "started_at",
  "digest",
  "created_ms",
  "number",
]
  .map((name) => `r.${name}`)
  .join(", ");
const order = "ORDER BY r.created_ms DESC, r.number DESC LIMIT $6";

/**
 * Each status is looked up in the index separately, so that a page costs no more than its own runs, however many there
 * are; together they would have to be sorted first. One run more than the limit is selected, to detect another page.
 */
function pageSql(arms: readonly string[], prefix: string): string {
  return `SELECT ${columns} FROM (${arms.join(" UNION ALL ")}) AS page
    JOIN ${prefix}planwright_runs r ON r.number = page.number ${order}`;
}

function armsOf({
  wanted,
  isResumable,
  prefix,
}: {
  readonly wanted: readonly RunStatus[];
  readonly isResumable: boolean;
  readonly prefix: string;
}): readonly string[] {
  // A run that has yet to start has no status, so it is in no arm.
  const position = `(r.created_ms, r.number) < ($2::bigint, $3::bigint) AND r.created_ms >= $4::bigint
    AND (cardinality($5::text[]) = 0 OR r.metadata @> $5::text[])
    AND ($7::text[] IS NULL OR r.pending_kinds && $7::text[])`;
  const free = isResumable ? `AND NOT ${heldSql("$8")}` : "";
  const byStatus = `SELECT found.number FROM unnest($1::text[]) AS wanted (status) CROSS JOIN LATERAL (
      SELECT r.number, r.created_ms FROM ${prefix}planwright_runs r WHERE r.status = wanted.status AND ${position} ${free} ${order}
    ) AS found`;
  if (!isResumable) return wanted.length === 0 ? [] : [byStatus];
  const arms = wanted.some((status) => unendedStatuses.has(status)) ? [byStatus] : [];
  return wanted.includes("suspended") ? [...arms, suspendedArm({ position, free, prefix })] : arms;
}

/**
 * A suspended run is resumable only for a reason, of which there are few: so those are looked up first. The condition on
 * `$1`, which only the other arm uses, gives that value a type.
 */
function suspendedArm({ position, free, prefix }: { position: string; free: string; prefix: string }): string {
  const isPosted = `EXISTS (SELECT 1 FROM ${prefix}planwright_messages m
    WHERE m.run_number = r.number AND m.number > r.dropped_to)`;
  return `SELECT number FROM (SELECT r.number FROM ${prefix}planwright_runs r WHERE r.status = 'suspended'
    AND r.number = ANY (ARRAY(SELECT run_number FROM ${prefix}planwright_messages
      UNION SELECT number FROM ${prefix}planwright_runs WHERE resume_at_ms <= ${nowSql("$8")}))
    AND (${isPosted} OR r.resume_at_ms <= ${nowSql("$8")}) AND ${position} ${free} AND $1::text[] IS NOT NULL ${order}) AS suspended`;
}
