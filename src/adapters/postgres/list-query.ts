import { failOption } from "../../core/options.ts";
import { type ListRunsOptions, selectRuns } from "../../core/run-store.ts";
import { type RunStatus, runStatuses, unendedStatuses } from "../../core/run-summary.ts";
import { heldSql, nowSql } from "./run-statements.ts";
import { metadataHash } from "./run-values.ts";
import type { SqlValue } from "./sql-pool.ts";

/** Selects the runs of a page. */
export interface ListQuery {
  /** The statement; undefined if no run can be in the list. */
  readonly sql: string | undefined;
  readonly values: readonly SqlValue[];
  readonly limit: number;
}

/** The position of a run in the list: by its creation time, then by its number. Neither ever changes. */
export interface ListPosition {
  readonly createdMs: number;
  readonly number: number;
}

const furthest: ListPosition = { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };

/** Reads the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions, prefix: string, nowMs: number | null): ListQuery {
  const selection = selectRuns(options);
  const { statuses, resumable, sinceMs = Number.MIN_SAFE_INTEGER, untilMs, limit } = selection;
  const cursor = readCursor(options.cursor);
  // No run has the number 0, so runs created exactly at `until` are left out.
  const before = untilMs === undefined || cursor.createdMs < untilMs ? cursor : { createdMs: untilMs, number: 0 };
  const pending = selection.pending && [...selection.pending];
  const isWanted = (status: RunStatus) => pending === undefined || (status === "suspended" && pending.length > 0);
  const wanted = runStatuses.filter((status) => (statuses?.has(status) ?? true) && isWanted(status));
  const arms = armsOf({ wanted, isResumable: resumable, prefix });
  const metadata = selection.metadata.map(([key, value]) => metadataHash(key, value));
  const plain = resumable ? wanted.filter((status) => unendedStatuses.has(status)) : wanted;
  const values = [plain, before.createdMs, before.number, sinceMs, metadata, limit + 1, nowMs, pending ?? null];
  return { sql: arms.length === 0 ? undefined : pageSql(arms, prefix), values, limit };
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

const order = "ORDER BY r.created_ms DESC, r.number DESC LIMIT $6";

/**
 * Each status is looked up in the index separately, so that a page costs no more than its own runs, however many there
 * are; together they would have to be sorted first. One run more than the limit is selected, to detect another page.
 */
function pageSql(arms: readonly string[], prefix: string): string {
  return `SELECT r.* FROM (${arms.join(" UNION ALL ")}) AS page
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
  const position = `r.sequence > 0 AND (r.created_ms, r.number) < ($2::bigint, $3::bigint) AND r.created_ms >= $4::bigint
    AND (cardinality($5::text[]) = 0 OR r.metadata @> $5::text[]) AND ($7::bigint IS NULL OR true)
    AND ($8::text[] IS NULL OR r.pending_kinds && $8::text[])`;
  const free = isResumable ? `AND NOT ${heldSql("$7")}` : "";
  const byStatus = `SELECT found.number FROM unnest($1::text[]) AS wanted (status) CROSS JOIN LATERAL (
      SELECT r.number, r.created_ms FROM ${prefix}planwright_runs r WHERE r.status = wanted.status AND ${position} ${free} ${order}
    ) AS found`;
  if (!isResumable) return wanted.length === 0 ? [] : [byStatus];
  const arms = wanted.some((status) => unendedStatuses.has(status)) ? [byStatus] : [];
  return wanted.includes("suspended") ? [...arms, suspendedArm({ position, free, prefix })] : arms;
}

/** A suspended run is resumable only for a reason, of which there are few: so those are looked up first. */
function suspendedArm({ position, free, prefix }: { position: string; free: string; prefix: string }): string {
  const isPosted = `EXISTS (SELECT 1 FROM ${prefix}planwright_messages m
    WHERE m.run_number = r.number AND m.number > r.dropped_to)`;
  return `SELECT number FROM (SELECT r.number FROM ${prefix}planwright_runs r WHERE r.status = 'suspended'
    AND r.number = ANY (ARRAY(SELECT run_number FROM ${prefix}planwright_messages
      UNION SELECT number FROM ${prefix}planwright_runs WHERE resume_at_ms <= ${nowSql("$7")}))
    AND (${isPosted} OR r.resume_at_ms <= ${nowSql("$7")}) AND ${position} ${free} AND $1::text[] IS NOT NULL ${order}) AS suspended`;
}
