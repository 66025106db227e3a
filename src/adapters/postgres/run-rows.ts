import type { AgentEvent } from "../../core/events.ts";
import { deepFreeze, type JsonValue } from "../../core/json.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { isRunStatus, type RunDigest, type RunStatus, type RunSummary } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import type { SqlRow } from "./sql-pool.ts";

/** The events of rows, the first with number `after + 1`. Throws a `SyntaxError` if one is missing or not JSON. */
export function eventsOf(rows: readonly SqlRow[], after: number): readonly AgentEvent[] {
  return rows.map((row, index) => {
    const sequence = after + index + 1;
    // Resuming without it could run a step twice.
    if (row.sequence !== sequence) throw new SyntaxError(`event ${sequence} is missing`);
    try {
      // The code that reads a run validates its events.
      return deepFreeze(JSON.parse(readText(row, "json")) as AgentEvent);
    } catch (thrown) {
      throw new SyntaxError(`event ${sequence}: ${describeThrown(thrown)}`);
    }
  });
}

/** The messages of rows; one without a number has none. */
export function messagesOf(rows: readonly SqlRow[]): readonly PostedMessage[] {
  return rows
    .filter(({ number }) => number !== null)
    .map((row) => ({
      number: readInteger(row, "number"),
      // The code that acts on it validates it.
      message: JSON.parse(readText(row, "json")) as JsonValue,
    }));
}

/** A run of a list. */
export function summaryOf(row: SqlRow): RunSummary {
  const request = readOptionalText(row, "request");
  const startedAt = readOptionalText(row, "started_at");
  return {
    runId: readText(row, "run_id"),
    status: readStatus(row),
    ...(request !== undefined && { request: JSON.parse(request) as string }),
    createdAt: readText(row, "created_at"),
    updatedAt: readText(row, "updated_at"),
    ...(startedAt !== undefined && { startedAt }),
    ...(digestOf(row) ?? { metadata: {} }),
  };
}

/** What a row keeps for lists, if it has that. The code that lists runs validates it. */
export function digestOf(row: SqlRow): RunDigest | undefined {
  const text = readOptionalText(row, "digest");
  if (text === undefined) return undefined;
  const digest: unknown = JSON.parse(text);
  if (typeof digest !== "object" || digest === null) throw new SyntaxError("a digest is not an object");
  return digest as RunDigest;
}

/** The status of a row. Throws a `SyntaxError` for anything else. */
export function readStatus(row: SqlRow): RunStatus {
  const status = readText(row, "status");
  if (!isRunStatus(status)) throw new SyntaxError(`there is no status ${JSON.stringify(status)}`);
  return status;
}

/** A text; undefined for null. Throws a `SyntaxError` for anything else. */
export function readOptionalText(row: SqlRow, column: string): string | undefined {
  const text = row[column];
  if (text === null) return undefined;
  if (typeof text !== "string") throw new SyntaxError(`the column "${column}" is not a text`);
  return text;
}

/** Like {@link readOptionalText}, for a column that is never null. */
export function readText(row: SqlRow, column: string): string {
  const text = readOptionalText(row, column);
  if (text === undefined) throw new SyntaxError(`the column "${column}" is null`);
  return text;
}

/** A whole number, which `pg` returns as a text if it has 64 bits. Throws a `SyntaxError` for anything else. */
export function readInteger(row: SqlRow, column: string): number {
  const value = row[column];
  const number = typeof value === "string" || typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number)) {
    throw new SyntaxError(`the column "${column}" is not a whole number`);
  }
  return number;
}
