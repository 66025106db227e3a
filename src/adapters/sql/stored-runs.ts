import type { AgentEvent } from "../../core/events.ts";
import { deepFreeze, type JsonValue } from "../../core/json.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { isRunStatus, type RunDigest, type RunStatus, type RunSummary } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import { readInteger, readText, type SqlRow } from "./statement.ts";

// What cannot be read is a `SyntaxError`: the database is damaged.

/**
 * The events of rows, the first with number `after + 1`; `readJson` returns the JSON of one. Throws if an event is
 * missing or not JSON.
 */
export function eventsOf<TRow extends { readonly [column: string]: unknown }>(
  rows: readonly TRow[],
  after: number,
  readJson: (row: TRow) => string,
): readonly AgentEvent[] {
  return rows.map((row, index) => {
    const sequence = after + index + 1;
    // Resuming without it could run a step twice.
    if (row.sequence !== sequence) throw new SyntaxError(`event ${sequence} is missing`);
    try {
      // The code that reads a run validates its events.
      return deepFreeze(JSON.parse(readJson(row)) as AgentEvent);
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

/** A run of a list; `read` returns a column of its row, undefined for null. */
export function summaryOf(read: (column: string) => string | undefined): RunSummary {
  const readText = (column: string) => {
    const text = read(column);
    if (text === undefined) throw new SyntaxError(`the column "${column}" is null`);
    return text;
  };
  const request = read("request");
  const startedAt = read("started_at");
  return {
    runId: readText("run_id"),
    status: statusOf(readText("status")),
    ...(request !== undefined && { request: JSON.parse(request) as string }),
    createdAt: readText("created_at"),
    updatedAt: readText("updated_at"),
    ...(startedAt !== undefined && { startedAt }),
    ...digestOf(readText("digest")),
  };
}

/** What is kept of a run for lists. The code that lists runs validates the rest. */
export function digestOf(json: string): RunDigest {
  const digest: unknown = JSON.parse(json);
  if (typeof digest !== "object" || digest === null) throw new SyntaxError("a digest is not an object");
  return digest as RunDigest;
}

/** The status that a text is. */
export function statusOf(text: string): RunStatus {
  if (!isRunStatus(text)) throw new SyntaxError(`${JSON.stringify(text)} is not the status of a run`);
  return text;
}
