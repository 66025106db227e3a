import { type ListRunsOptions, selectRuns } from "../../core/run-store.ts";
import { type PendingKind, type RunStatus, unendedStatuses } from "../../core/run-summary.ts";
import { type ListPosition, pageStart } from "../sql/list-position.ts";
import { metadataHash } from "../sql/metadata-hash.ts";
import type { SqlValue } from "../sql/statement.ts";
import { asBytes } from "./sql-database.ts";

/** Selects the runs of a page. */
export interface ListQuery {
  /** Undefined for any. */
  readonly statuses: readonly RunStatus[] | undefined;
  readonly isResumable: boolean;
  /** Undefined for any; else only suspended runs are selected. */
  readonly pending: readonly PendingKind[] | undefined;
  /** A hash of each key and value, as in `run_metadata`. */
  readonly metadata: readonly string[];
  /** Whether runs are looked up by the first of these hashes, and not by their status. */
  readonly isByMetadata: boolean;
  readonly sinceMs: number;
  readonly limit: number;
  /** The page starts after this position. */
  readonly before: ListPosition;
}

const resumableStatuses: readonly RunStatus[] = [...unendedStatuses, "suspended"];

/** Checks the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions): ListQuery {
  const selection = selectRuns(options);
  const { statuses: wanted, resumable, sinceMs = Number.MIN_SAFE_INTEGER, limit } = selection;
  const unended = resumableStatuses.filter((one) => wanted === undefined || wanted.has(one));
  const pending = selection.pending && [...selection.pending];
  const asked = resumable ? unended : wanted && [...wanted];
  const statuses = pending === undefined ? asked : pendingStatuses(asked, pending);
  const metadata = selection.metadata.map(([key, value]) => metadataHash(key, value));
  const before = pageStart(options.cursor, selection);
  return { statuses, isResumable: resumable, pending, metadata, isByMetadata: true, sinceMs, limit, before };
}

function pendingStatuses(
  asked: readonly RunStatus[] | undefined,
  pending: readonly PendingKind[],
): readonly RunStatus[] {
  return pending.length > 0 && (asked?.includes("suspended") ?? true) ? ["suspended"] : [];
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
      : (statuses ?? [undefined]).flatMap((status) =>
          status === "suspended" && query.pending !== undefined
            ? query.pending.map((kind) => pendingArm(query, { kind, nowMs }))
            : [statusArm(query, { status, nowMs })],
        );
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
    FROM (${arms.map((arm) => `SELECT * FROM (${arm.text})`).join(query.pending === undefined ? " UNION ALL " : " UNION ")}
      ORDER BY created_ms DESC, number DESC LIMIT ?) AS page
    JOIN runs ON runs.number = page.number
    LEFT JOIN run_requests ON run_requests.run = page.number LEFT JOIN run_digests ON run_digests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
  return { text, values: [...arms.flatMap(({ values }) => values), limit + 1] };
}

const notHeld = `AND NOT EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = runs.run_id AND c.owner IS NOT NULL
  AND c.until_ms > ? AND c.from_ms <= ?)`;

const hasMetadata = `AND EXISTS (SELECT 1 FROM run_metadata o
  WHERE o.hash = ? AND o.created_ms = runs.created_ms AND o.run = runs.number)`;

/** Whether a suspended run can be resumed: something was posted to it, or a wait of it is over. */
const isCalled = `(number IN (SELECT run FROM run_messages) OR number IN (SELECT run FROM run_resumes WHERE resume_ms <= ?))`;

/** Suspended runs that wait for a kind of thing, by the index of that. A run may wait for several. */
function pendingArm(
  { isResumable, metadata, sinceMs, limit, before }: ListQuery,
  { kind, nowMs }: { readonly kind: PendingKind; readonly nowMs: number },
): Sql {
  const text = `SELECT w.run AS number, w.created_ms FROM run_waits AS w CROSS JOIN runs ON runs.number = w.run
    WHERE w.kind = ? AND (w.created_ms, w.run) < (?, ?) AND w.created_ms >= ? AND runs.status = 'suspended'
    ${metadata.map(() => hasMetadata).join(" ")} ${isResumable ? `AND ${isCalled} ${notHeld}` : ""}
    ORDER BY w.created_ms DESC, w.run DESC LIMIT ?`;
  const which = [kind, before.createdMs, before.number, sinceMs, ...metadata];
  return { text, values: [...which, ...(isResumable ? [nowMs, nowMs, nowMs] : []), limit + 1] };
}

/** A suspended run is resumable only for a reason, of which there are few: so those are looked up first. */
function statusArm(
  { isResumable, metadata, sinceMs, limit, before }: ListQuery,
  { status, nowMs }: { readonly status: RunStatus | undefined; readonly nowMs: number },
): Sql {
  const isPosted = isResumable && status === "suspended";
  const from = isPosted
    ? `(SELECT run FROM run_messages UNION SELECT run FROM run_resumes WHERE resume_ms <= ?) AS called
      CROSS JOIN runs ON runs.number = called.run`
    : "runs";
  const text = `SELECT number, created_ms FROM ${from} WHERE ${status === undefined ? "" : "status = ? AND"}
    (created_ms, number) < (?, ?) AND created_ms >= ? ${metadata.map(() => hasMetadata).join(" ")}
    ${isResumable ? notHeld : ""} ORDER BY created_ms DESC, number DESC LIMIT ?`;
  const which = [before.createdMs, before.number, sinceMs, ...metadata];
  const position = [...which, ...(isResumable ? [nowMs, nowMs] : []), limit + 1];
  const values = status === undefined ? position : [status, ...position];
  return { text, values: isPosted ? [nowMs, ...values] : values };
}

/** The highest count of {@link countMetadataText}: a value with more runs is not rare. */
const countLimit = 2_000;
/** Counts the runs of one key and value of metadata, up to the limit. */
export const countMetadataText = `SELECT count(*) AS count FROM (SELECT 1 FROM run_metadata WHERE hash = ? LIMIT ${countLimit})`;
/** Like {@link countMetadataText}, for a status. */
export const countStatusText = `SELECT count(*) AS count FROM (SELECT 1 FROM runs WHERE status = ? LIMIT ${countLimit})`;

/** The metadata index is in the order of the list, and has all runs of one value together. */
function metadataArm(
  { statuses, isResumable, pending, metadata, sinceMs, limit, before }: ListQuery,
  nowMs: number,
): Sql {
  const [first = "", ...others] = metadata;
  const called = `AND (status <> 'suspended' OR ${isCalled})`;
  const kinds = pending ?? [];
  const isPending = `AND EXISTS (SELECT 1 FROM run_waits w WHERE w.kind IN (${kinds.map(() => "?").join(", ")})
    AND w.created_ms = runs.created_ms AND w.run = runs.number)`;
  const text = `SELECT m.run AS number, m.created_ms FROM run_metadata AS m CROSS JOIN runs ON runs.number = m.run
    WHERE m.hash = ? AND (m.created_ms, m.run) < (?, ?) AND m.created_ms >= ? ${others.map(() => hasMetadata).join(" ")}
    ${statuses === undefined ? "" : `AND status IN (${statuses.map(() => "?").join(", ")})`}
    ${pending === undefined ? "" : isPending} ${isResumable ? `${called} ${notHeld}` : ""} ORDER BY m.created_ms DESC, m.run DESC LIMIT ?`;
  const position = [first, before.createdMs, before.number, sinceMs, ...others, ...(statuses ?? []), ...kinds];
  return { text, values: [...position, ...(isResumable ? [nowMs, nowMs, nowMs] : []), limit + 1] };
}
