import type { AgentEvent, RunStartEvent } from "../../core/events.ts";
import { canonicalJson, deepFreeze } from "../../core/json.ts";
import { failOption } from "../../core/option-tables.ts";
import {
  type ListRunsOptions,
  type ListSelection,
  type PostedMessage,
  type RunPage,
  selectRuns,
} from "../../core/run-store.ts";
import {
  changesDigest,
  digestAfter,
  isRunStatus,
  type RunDigest,
  type RunStatus,
  type RunSummary,
  runStatusAfter,
  shownRequest,
} from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import { hashText, readInteger, readOptionalText, readText, type SqlRow } from "./statement.ts";

// These functions throw a `SyntaxError` if the database is damaged.

export function readEvents(rows: readonly SqlRow[], after: number): readonly AgentEvent[] {
  return rows.map((row, index) => {
    const sequence = after + index + 1;
    // Resuming without the missing event could run a step twice.
    if (row.sequence !== sequence) throw new SyntaxError(`event ${sequence} is missing`);
    try {
      return deepFreeze(JSON.parse(readText(row, "json")) as AgentEvent);
    } catch (thrown) {
      throw new SyntaxError(`event ${sequence}: ${describeThrown(thrown)}`);
    }
  });
}

export function readMessages(rows: readonly SqlRow[]): readonly PostedMessage[] {
  const found = rows.filter(({ number }) => number !== null);
  return found.map((row) => ({ number: readInteger(row, "number"), message: JSON.parse(readText(row, "json")) }));
}

export function readDigest(row: SqlRow, column: string): RunDigest | undefined {
  const json = readOptionalText(row, column);
  if (json === undefined) return undefined;
  const digest: unknown = JSON.parse(json);
  if (typeof digest !== "object" || digest === null) throw new SyntaxError("a digest is not an object");
  return digest as RunDigest;
}

export function readStatus(row: SqlRow): RunStatus {
  const text = readText(row, "status");
  if (!isRunStatus(text)) throw new SyntaxError(`${JSON.stringify(text)} is not the status of a run`);
  return text;
}

/** The request is JSON because it may contain a null character. */
export function firstValues(first: AgentEvent) {
  const { timestamp: createdAt } = first;
  const start: Partial<RunStartEvent> = first.type === "run-start" ? first : {};
  const request = shownRequest(start);
  return {
    createdAt,
    createdMs: Date.parse(createdAt),
    request: request === undefined ? null : JSON.stringify(request),
    hashes: hashesOf(start),
    thread: hashThread(start.thread)[0],
  };
}

export function needsDigest(events: readonly AgentEvent[]): boolean {
  const changing = events.find(changesDigest);
  return changing !== undefined && changing.sequence > 1;
}

export function getChanges(events: readonly AgentEvent[], before: RunDigest | undefined) {
  let status: RunStatus | undefined;
  let digest = before;
  for (const event of events) {
    status = runStatusAfter(event) ?? status;
    if (changesDigest(event)) digest = digestAfter(digest, event);
  }
  return {
    updatedAt: events.at(-1)?.timestamp ?? "",
    status,
    startedAt: events.find(({ type }) => type === "step-start")?.timestamp,
    digest: digest === before ? undefined : digest,
  };
}

export function getWaits({ pending, resumeAt }: RunDigest) {
  return { kinds: pending?.kinds ?? null, resumeMs: resumeAt === undefined ? null : Date.parse(resumeAt) };
}

export interface ListQuery extends Pick<ListSelection, "statuses" | "resumable" | "pending" | "sinceMs" | "limit"> {
  readonly hashes: readonly string[];
  readonly thread: string | undefined;
  /** Position after which the page starts. Neither value of a run ever changes. */
  readonly before: { readonly createdMs: number; readonly number: number };
}

export function readListOptions(options: ListRunsOptions): ListQuery {
  const { untilMs, metadata, thread, ...selection } = selectRuns(options);
  const position = readCursor(options.cursor);
  const threads = hashThread(thread);
  return {
    ...selection,
    hashes: [...metadata.map(([key, json]) => hashMetadata(key, json)), ...threads],
    thread: threads[0],
    // No run has the number 0, so runs created at `until` are left out.
    before: position.createdMs < untilMs ? position : { createdMs: untilMs, number: 0 },
  };
}

export function readPage(rows: readonly SqlRow[], limit: number): RunPage {
  const runs = rows.slice(0, limit).map(readSummary);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last === undefined) return { runs };
  return { runs, cursor: `${readInteger(last, "created_ms")}_${readInteger(last, "number")}` };
}

function readCursor(cursor: unknown): ListQuery["before"] {
  if (cursor === undefined) return { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };
  const match = typeof cursor === "string" ? /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor) : null;
  if (match === null) failOption("cursor", cursor, "the cursor of a page");
  return { createdMs: Number(match[1]), number: Number(match[2]) };
}

function readSummary(row: SqlRow): RunSummary {
  const request = readOptionalText(row, "request");
  const startedAt = readOptionalText(row, "started_at");
  return {
    runId: readText(row, "run_id"),
    status: readStatus(row),
    ...(request !== undefined && { request: JSON.parse(request) as string }),
    createdAt: readText(row, "created_at"),
    updatedAt: readText(row, "updated_at"),
    ...(startedAt !== undefined && { startedAt }),
    ...(readDigest(row, "digest") ?? { metadata: {} }),
  };
}

export function hashesOf({ metadata = {}, thread }: Partial<RunDigest>): readonly string[] {
  const entries = Object.entries(metadata);
  return [...entries.map(([key, value]) => hashMetadata(key, canonicalJson(value))), ...hashThread(thread)];
}

function hashMetadata(key: string, json: string): string {
  return hashText(`${JSON.stringify(key)}:${json}`);
}

function hashThread(thread: string | undefined): readonly string[] {
  return thread === undefined ? [] : [hashText(`thread:${JSON.stringify(thread)}`)];
}
