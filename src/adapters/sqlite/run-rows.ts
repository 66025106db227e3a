import type { AgentEvent } from "../../core/events.ts";
import type { RunPage } from "../../core/run-store.ts";
import { endedStatuses, type RunStatus, type RunSummary, runStatusAfter } from "../../core/run-summary.ts";
import { toCursor } from "../sql/list-position.ts";
import { readInteger, readOptionalText, readText, type SqlRow } from "../sql/statement.ts";
import { eventsOf, statusOf, summaryOf } from "../sql/stored-runs.ts";
import { DeletionRows } from "./deletion-rows.ts";
import { DigestRows } from "./digest-rows.ts";
import { countMetadataText, countStatusText, type ListQuery, listSql } from "./list-query.ts";
import { MessageRows } from "./message-rows.ts";
import { asBytes, type SqlDatabase, type SqlStatement } from "./sql-database.ts";

/** The stored data of a run besides its events. */
export interface RunRow {
  readonly number: number;
  readonly status: RunStatus;
  /** The number of its last event. */
  readonly sequence: number;
  readonly createdMs: number;
}

/** A lease on a run. */
export interface ClaimRow {
  /** Null once it is released: the fence stays. */
  readonly owner: string | null;
  readonly fence: number;
  /** The lease lasts from `fromMs`, included, to `untilMs`, excluded. */
  readonly fromMs: number;
  readonly untilMs: number;
}

const statements = {
  findRun: `SELECT ${asBytes("number", "status", "sequence", "created_ms")} FROM runs WHERE run_id = ?`,
  insertRun: `INSERT INTO runs (number, run_id, status, sequence, created_ms, created_at, updated_at)
    SELECT max(run_marks.number, coalesce((SELECT max(number) FROM runs), 0)) + 1, ?, 'planning', 0, ?, ?, ? FROM run_marks
    RETURNING number`,
  insertRequest: "INSERT INTO run_requests (run, json) VALUES (?, ?)",
  insertEvent: "INSERT INTO run_events (run, sequence, json) VALUES (?, ?, ?)",
  updateRun: "UPDATE runs SET sequence = ?, updated_at = ?, started_at = coalesce(started_at, ?) WHERE number = ?",
  updateStatus: "UPDATE runs SET status = ? WHERE number = ?",
  // The number is only compared, and is a number whatever the column contains; as bytes it would take 50% longer.
  readEvents: `SELECT CAST(sequence AS INTEGER) AS sequence, ${asBytes("json")} FROM run_events
    WHERE run = ? AND sequence > ? ORDER BY run_events.sequence LIMIT ?`,
  countMetadata: countMetadataText,
  countStatus: countStatusText,
  findClaim: `SELECT ${asBytes("owner", "fence", "from_ms", "until_ms")} FROM run_claims WHERE run_id = ?`,
  saveClaim: "INSERT OR REPLACE INTO run_claims (run_id, owner, fence, from_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
} as const;

/** The tables of runs, with statements that are prepared once. Throws a `SyntaxError` for a damaged row. */
export class RunRows {
  readonly digests: DigestRows;
  readonly messages: MessageRows;
  readonly deletions: DeletionRows;
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;
  private readonly lists = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    this.digests = new DigestRows(db);
    this.messages = new MessageRows(db);
    this.deletions = new DeletionRows(db);
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  findRun(runId: string): RunRow | undefined {
    const row = this.prepared.findRun.get(runId);
    if (row === undefined) return undefined;
    return {
      number: readInteger(row, "number"),
      status: statusOf(readText(row, "status")),
      sequence: readInteger(row, "sequence"),
      createdMs: readInteger(row, "created_ms"),
    };
  }

  insertRun(runId: string, first: AgentEvent): RunRow {
    const { timestamp } = first;
    const createdMs = Date.parse(timestamp);
    const row = this.prepared.insertRun.get(runId, createdMs, timestamp, timestamp);
    const number = Number(row?.number);
    if (first.type === "run-start") {
      // As JSON: some drivers truncate a text at a null character.
      if (first.request !== undefined) this.prepared.insertRequest.run(number, JSON.stringify(first.request));
      this.digests.insertMetadata({ number, createdMs }, first.metadata);
    }
    return { number, status: "planning", sequence: 0, createdMs };
  }

  /** Appends events to a run; `texts` are the same events as JSON. */
  insertEvents(run: RunRow, events: readonly AgentEvent[], texts: readonly string[]): void {
    let { sequence, status } = run;
    for (const text of texts) this.prepared.insertEvent.run(run.number, ++sequence, text);
    for (const event of events) status = runStatusAfter(event) ?? status;
    const startedAt = events.find(({ type }) => type === "step-start")?.timestamp ?? null;
    this.prepared.updateRun.run(sequence, events.at(-1)?.timestamp ?? "", startedAt, run.number);
    this.digests.update(run, events);
    // Separately, as it also writes to an index.
    if (status !== run.status) this.prepared.updateStatus.run(status, run.number);
    if (endedStatuses.has(status)) this.messages.deleteAll(run.number);
  }

  deleteRun(runId: string, run: RunRow): void {
    this.digests.delete(run);
    this.messages.deleteAll(run.number);
    this.deletions.delete(runId, { number: run.number, fence: this.findClaim(runId)?.fence ?? 0 });
  }

  readEvents(run: RunRow, { after, limit }: { after: number; limit: number }): readonly AgentEvent[] {
    const rows = this.prepared.readEvents.all(run.number, after, Number.isFinite(limit) ? limit : -1);
    return eventsOf(rows, after, (row) => readText(row, "json"));
  }

  list(asked: ListQuery, nowMs: number): RunPage {
    const query = this.byTheRarest(asked);
    const { text, values } = listSql(query, nowMs);
    const statement = this.lists.get(text) ?? this.db.prepare(text);
    this.lists.set(text, statement);
    const rows = statement.all(...values);
    const runs = rows.slice(0, query.limit).map(summarize);
    const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
    if (last === undefined) return { runs };
    return {
      runs,
      cursor: toCursor({ createdMs: readInteger(last, "created_ms"), number: readInteger(last, "number") }),
    };
  }

  /** Looks runs up by the rarest condition: a status, or one of the metadata. */
  private byTheRarest(query: ListQuery): ListQuery {
    const { statuses, metadata } = query;
    if (metadata.length === 0 || (metadata.length === 1 && statuses === undefined)) return query;
    const count = (statement: SqlStatement, value: string) => Number(statement.get(value)?.count);
    const counted = metadata.map((hash) => ({ hash, count: count(this.prepared.countMetadata, hash) }));
    counted.sort((one, other) => one.count - other.count);
    let ofStatus = 0;
    for (const status of statuses ?? []) ofStatus += count(this.prepared.countStatus, status);
    const isByMetadata = statuses === undefined || (counted[0]?.count ?? 0) <= ofStatus;
    return { ...query, metadata: counted.map(({ hash }) => hash), isByMetadata };
  }

  findClaim(runId: string): ClaimRow | undefined {
    const row = this.prepared.findClaim.get(runId);
    if (row === undefined) return undefined;
    return {
      owner: readOptionalText(row, "owner") ?? null,
      fence: readInteger(row, "fence"),
      fromMs: readInteger(row, "from_ms"),
      untilMs: readInteger(row, "until_ms"),
    };
  }

  saveClaim(runId: string, { owner, fence, fromMs, untilMs }: ClaimRow): void {
    this.prepared.saveClaim.run(runId, owner, fence, fromMs, untilMs);
  }
}

function summarize(row: SqlRow): RunSummary {
  return summaryOf((column) => readOptionalText(row, column));
}
