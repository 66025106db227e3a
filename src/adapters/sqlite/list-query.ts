import { failOption } from "../../core/options.ts";
import { type ListRunsOptions, selectRuns } from "../../core/run-store.ts";
import { type RunStatus, unendedStatuses } from "../../core/run-summary.ts";
import { metadataHash } from "./digest-rows.ts";
import { asBytes, type SqlValue } from "./sql-database.ts";

/** Selects the runs of a page. */
export interface ListQuery {
  /** Undefined for any. */
  readonly statuses: readonly RunStatus[] | undefined;
  readonly isResumable: boolean;
  /** A hash of each key and value, as in `run_metadata`. */
  readonly metadata: readonly string[];
  /** Whether runs are looked up by the first of these hashes, and not by their status. */
  readonly isByMetadata: boolean;
  readonly sinceMs: number;
  readonly limit: number;
  /** The page starts after this position. */
  readonly before: ListPosition;
}

/** The position of a run in the list: by its creation time, then by its number. Neither ever changes. */
export interface ListPosition {
  readonly createdMs: number;
  readonly number: number;
}

const furthest: ListPosition = { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };
const resumableStatuses: readonly RunStatus[] = [...unendedStatuses, "suspended"];

/** Checks the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions): ListQuery {
  const selection = selectRuns(options);
  const { statuses: wanted, resumable, sinceMs = Number.MIN_SAFE_INTEGER, untilMs, limit } = selection;
  const unended = resumableStatuses.filter((one) => wanted === undefined || wanted.has(one));
  const statuses = resumable ? unended : wanted && [...wanted];
  const metadata = selection.metadata.map(([key, value]) => metadataHash(key, value));
  const cursor = readCursor(options.cursor);
  // No run has the number 0, so runs created exactly at `until` are left out.
  const before = untilMs === undefined || cursor.createdMs < untilMs ? cursor : { createdMs: untilMs, number: 0 };
  return { statuses, isResumable: resumable, metadata, isByMetadata: true, sinceMs, limit, before };
}

/** The cursor after a run. */
export function toCursor({ createdMs, number }: ListPosition): string {
  return `${createdMs}_${number}`;
}

function readCursor(cursor: unknown): ListPosition {
  if (cursor === undefined) return furthest;
  const match = typeof cursor === "string" ? /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor) : null;
  if (match === null) failOption("cursor", cursor, "the cursor of a page");
  return { createdMs: Number(match[1]), number: Number(match[2]) };
}

/** A statement and its values. */
interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * The statement of a list. Each status is looked up in the index separately, so that a page costs no more than its own
 * runs, however many there are; together they would have to be sorted first. One run more than the limit is selected,
 * to detect another page.
 */
export function listSql(query: ListQuery, nowMs: number): Sql {
  const { statuses, metadata, limit, isByMetadata } = query;
  const arms =
    isByMetadata && metadata.length > 0
      ? [metadataArm(query, nowMs)]
      : (statuses ?? [undefined]).map((status) => statusArm(query, { status, nowMs }));
  const columns = asBytes(
    "runs.number",
    "runs.run_id",
    "runs.status",
    "runs.created_ms",
    "runs.created_at",
    "runs.updated_at",
    "runs.started_at",
  );
  const text = `SELECT ${columns}, CAST(run_requests.json AS BLOB) AS request, CAST(run_digests.json AS BLOB) AS digest
    FROM (${arms.map((arm) => `SELECT * FROM (${arm.text})`).join(" UNION ALL ")}
      ORDER BY created_ms DESC, number DESC LIMIT ?) AS page
    JOIN runs ON runs.number = page.number
    LEFT JOIN run_requests ON run_requests.run = page.number LEFT JOIN run_digests ON run_digests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
  return { text, values: [...arms.flatMap(({ values }) => values), limit + 1] };
}

const notHeld = `AND NOT EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = runs.run_id AND c.owner IS NOT NULL
  AND c.until_ms > ? AND coalesce(c.from_ms <= ?, 1))`;

const hasMetadata = `AND EXISTS (SELECT 1 FROM run_metadata o
  WHERE o.hash = ? AND o.created_ms = runs.created_ms AND o.run = runs.number)`;

/** A suspended run is resumable only if a message was posted to it, so those are looked up by their messages. */
function statusArm(
  { isResumable, metadata, sinceMs, limit, before }: ListQuery,
  { status, nowMs }: { readonly status: RunStatus | undefined; readonly nowMs: number },
): Sql {
  const isPosted = isResumable && status === "suspended";
  const from = isPosted
    ? "(SELECT DISTINCT run FROM run_messages) AS posted CROSS JOIN runs ON runs.number = posted.run"
    : "runs";
  const text = `SELECT number, created_ms FROM ${from} WHERE ${status === undefined ? "" : "status = ? AND"}
    (created_ms, number) < (?, ?) AND created_ms >= ? ${metadata.map(() => hasMetadata).join(" ")}
    ${isResumable ? notHeld : ""} ORDER BY created_ms DESC, number DESC LIMIT ?`;
  const which = [before.createdMs, before.number, sinceMs, ...metadata];
  const position = [...which, ...(isResumable ? [nowMs, nowMs] : []), limit + 1];
  return { text, values: status === undefined ? position : [status, ...position] };
}

/** The highest count of {@link countMetadataText}: a value with more runs is not rare. */
const countLimit = 2_000;
/** Counts the runs of one key and value of metadata, up to the limit. */
export const countMetadataText = `SELECT count(*) AS count FROM (SELECT 1 FROM run_metadata WHERE hash = ? LIMIT ${countLimit})`;
/** Like {@link countMetadataText}, for a status. */
export const countStatusText = `SELECT count(*) AS count FROM (SELECT 1 FROM runs WHERE status = ? LIMIT ${countLimit})`;

/** The metadata index is in the order of the list, and has all runs of one value together. */
function metadataArm({ statuses, isResumable, metadata, sinceMs, limit, before }: ListQuery, nowMs: number): Sql {
  const [first = "", ...others] = metadata;
  const posted = "AND (status <> 'suspended' OR number IN (SELECT run FROM run_messages))";
  const text = `SELECT m.run AS number, m.created_ms FROM run_metadata AS m CROSS JOIN runs ON runs.number = m.run
    WHERE m.hash = ? AND (m.created_ms, m.run) < (?, ?) AND m.created_ms >= ? ${others.map(() => hasMetadata).join(" ")}
    ${statuses === undefined ? "" : `AND status IN (${statuses.map(() => "?").join(", ")})`}
    ${isResumable ? `${posted} ${notHeld}` : ""} ORDER BY m.created_ms DESC, m.run DESC LIMIT ?`;
  const position = [first, before.createdMs, before.number, sinceMs, ...others, ...(statuses ?? [])];
  return { text, values: [...position, ...(isResumable ? [nowMs, nowMs] : []), limit + 1] };
}
