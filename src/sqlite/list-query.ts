import { selectRuns, unendedStatuses } from "../core/list-selection.ts";
import { failOption } from "../core/options.ts";
import type { RunStatus } from "../core/run-status.ts";
import type { ListRunsOptions } from "../core/run-store.ts";
import type { SqlValue } from "./sql-database.ts";
import { asBytes } from "./sql-row.ts";

/** Which runs a page has. */
export interface ListQuery {
  /** Undefined: of any. */
  readonly statuses: readonly RunStatus[] | undefined;
  readonly isResumable: boolean;
  readonly sinceMs: number;
  readonly limit: number;
  readonly before: ListPosition;
}

/** Where a run stands in the list: by its creation, then by its number. Neither ever changes. */
export interface ListPosition {
  readonly createdMs: number;
  readonly number: number;
}

const furthest: ListPosition = { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };

/** Checks the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions): ListQuery {
  const { statuses: wanted, resumable, sinceMs = Number.MIN_SAFE_INTEGER, limit } = selectRuns(options);
  const unended = [...unendedStatuses].filter((one) => wanted === undefined || wanted.has(one));
  const statuses = resumable ? unended : wanted && [...wanted];
  return { statuses, isResumable: resumable, sinceMs, limit, before: readCursor(options.cursor) };
}

/** The cursor behind a run. */
export function toCursor({ createdMs, number }: ListPosition): string {
  return `${createdMs}_${number}`;
}

function readCursor(cursor: unknown): ListPosition {
  if (cursor === undefined) return furthest;
  const match = typeof cursor === "string" ? /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor) : null;
  if (match === null) failOption("cursor", cursor, "the cursor of a page");
  return { createdMs: Number(match[1]), number: Number(match[2]) };
}

/**
 * The statement of a list. Each status is looked up in the index by itself, so that a page costs no more than its own
 * runs however many there are; together they would have to be sorted first.
 */
export function listSql({ statuses, isResumable }: Pick<ListQuery, "statuses" | "isResumable">): string {
  const held = `SELECT 1 FROM run_claims c WHERE c.run_id = runs.run_id AND c.owner IS NOT NULL
    AND c.until_ms > ? AND coalesce(c.from_ms <= ?, 1)`;
  const arm = (status: string) => `SELECT * FROM (
    SELECT number, created_ms FROM runs
    WHERE ${status} (created_ms, number) < (?, ?) AND created_ms >= ? ${isResumable ? `AND NOT EXISTS (${held})` : ""}
    ORDER BY created_ms DESC, number DESC LIMIT ?)`;
  const arms = statuses === undefined ? [arm("")] : statuses.map(() => arm("status = ? AND"));
  const columns = asBytes(
    "runs.number",
    "runs.run_id",
    "runs.status",
    "runs.created_ms",
    "runs.created_at",
    "runs.updated_at",
  );
  return `SELECT ${columns}, CAST(run_requests.json AS BLOB) AS request
    FROM (${arms.join(" UNION ALL ")} ORDER BY created_ms DESC, number DESC LIMIT ?) AS page
    JOIN runs ON runs.number = page.number LEFT JOIN run_requests ON run_requests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
}

/** What goes into {@link listSql}. One run more than the limit is asked for: it says that there is another page. */
export function listValues(query: ListQuery, nowMs: number): readonly SqlValue[] {
  const { statuses, isResumable, sinceMs, limit, before } = query;
  const common = [before.createdMs, before.number, sinceMs, ...(isResumable ? [nowMs, nowMs] : []), limit + 1];
  const arms = statuses === undefined ? common : statuses.flatMap((status) => [status, ...common]);
  return [...arms, limit + 1];
}
