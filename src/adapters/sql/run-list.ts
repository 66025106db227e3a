import { createHash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { failOption } from "../../core/options.ts";
import { type ListRunsOptions, type RunPage, selectRuns } from "../../core/run-store.ts";
import { type PendingKind, type RunStatus, type RunSummary, unendedStatuses } from "../../core/run-summary.ts";
import { readInteger, readOptionalText, readText, type SqlRow } from "./statement.ts";
import { digestOf, statusOf } from "./stored-runs.ts";

/** The position of a run in the list: by its creation time, then by its number. Neither ever changes. */
interface ListPosition {
  readonly createdMs: number;
  readonly number: number;
}

/** Selects the runs of a page. */
export interface ListQuery {
  /** Undefined for any. */
  readonly statuses: readonly RunStatus[] | undefined;
  readonly isResumable: boolean;
  /** Undefined for any; else only suspended runs are selected. */
  readonly pending: readonly PendingKind[] | undefined;
  /** A {@link metadataHash} of each key and value. */
  readonly metadata: readonly string[];
  readonly sinceMs: number;
  readonly limit: number;
  /** The page starts after this position. */
  readonly before: ListPosition;
}

const resumableStatuses: readonly RunStatus[] = [...unendedStatuses, "suspended"];

/** Reads the options of a list. Throws `invalid-options`. */
export function readListOptions(options: ListRunsOptions): ListQuery {
  const selection = selectRuns(options);
  const { statuses: wanted, resumable, sinceMs = Number.MIN_SAFE_INTEGER, untilMs, limit } = selection;
  const pending = selection.pending && [...selection.pending];
  const asked = resumable ? resumableStatuses.filter((one) => wanted?.has(one) ?? true) : wanted && [...wanted];
  const isSuspended = pending !== undefined && pending.length > 0 && (asked?.includes("suspended") ?? true);
  const position = readCursor(options.cursor);
  return {
    statuses: pending === undefined ? asked : isSuspended ? ["suspended"] : [],
    ...{ isResumable: resumable, pending, sinceMs, limit },
    metadata: selection.metadata.map(([key, value]) => metadataHash(key, value)),
    // No run has the number 0, so runs created exactly at `until` are left out.
    before: untilMs === undefined || position.createdMs < untilMs ? position : { createdMs: untilMs, number: 0 },
  };
}

/** The page of rows, of which there is one more than its limit if there is another page. */
export function pageOf(rows: readonly SqlRow[], limit: number): RunPage {
  const runs = rows.slice(0, limit).map(summaryOf);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last === undefined) return { runs };
  return { runs, cursor: `${readInteger(last, "created_ms")}_${readInteger(last, "number")}` };
}

function readCursor(cursor: unknown): ListPosition {
  if (cursor === undefined) return { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };
  const match = typeof cursor === "string" ? /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor) : null;
  if (match === null) failOption("cursor", cursor, "the cursor of a page");
  return { createdMs: Number(match[1]), number: Number(match[2]) };
}

function summaryOf(row: SqlRow): RunSummary {
  const request = readOptionalText(row, "request");
  const startedAt = readOptionalText(row, "started_at");
  // None, if the first event is not the start of a run.
  const digest = readOptionalText(row, "digest");
  return {
    runId: readText(row, "run_id"),
    status: statusOf(readText(row, "status")),
    ...(request !== undefined && { request: JSON.parse(request) as string }),
    createdAt: readText(row, "created_at"),
    updatedAt: readText(row, "updated_at"),
    ...(startedAt !== undefined && { startedAt }),
    ...(digest === undefined ? { metadata: {} } : digestOf(digest)),
  };
}

/** The hashes of all metadata of a run. */
export function metadataHashes(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) => metadataHash(key, canonicalJson(value)));
}

/** A key of metadata and its value, as canonical JSON, hashed to a short text. */
function metadataHash(key: string, value: string): string {
  return createHash("sha256")
    .update(`${JSON.stringify(key)}:${value}`)
    .digest("base64url")
    .slice(0, 22);
}
