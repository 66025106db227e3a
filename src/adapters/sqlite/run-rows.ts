import type { AgentEvent } from "../../core/events.ts";
import type { PostedMessage, RunPage } from "../../core/run-store.ts";
import { endedStatuses, pendingKinds, type RunDigest, type RunStatus } from "../../core/run-summary.ts";
import { type ListQuery, metadataHashes, pageOf } from "../sql/run-list.ts";
import { readInteger, readOptionalText, readText } from "../sql/statement.ts";
import { changesOf, digestOf, eventsOf, messagesOf, needsDigest, statusOf } from "../sql/stored-runs.ts";
import { listSql } from "./list-query.ts";
import { asBytes, type SqlDatabase } from "./sql-database.ts";

/** The stored data of a run besides its events. */
interface RunRow {
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
  insertEvent: "INSERT INTO run_events (run, sequence, json) VALUES (?, ?, ?)",
  updateRun: "UPDATE runs SET sequence = ?, updated_at = ?, started_at = coalesce(started_at, ?) WHERE number = ?",
  // The number is only compared, and is a number whatever the column contains; as bytes it would take 50% longer.
  readEvents: `SELECT CAST(sequence AS INTEGER) AS sequence, ${asBytes("json")} FROM run_events
    WHERE run = ? AND sequence > ? ORDER BY run_events.sequence LIMIT ?`,
  deleteEvents: `DELETE FROM run_events WHERE rowid IN
    (SELECT rowid FROM run_events WHERE run = ? LIMIT ?) RETURNING 1 AS deleted`,
  findDigest: `SELECT ${asBytes("json")} FROM run_digests WHERE run = ?`,
  findClaim: `SELECT ${asBytes("owner", "fence", "from_ms", "until_ms")} FROM run_claims WHERE run_id = ?`,
  saveClaim: "INSERT OR REPLACE INTO run_claims (run_id, owner, fence, from_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
  listMessages: `SELECT ${asBytes("number", "json")} FROM run_messages
    WHERE run = (SELECT number FROM runs WHERE run_id = ?) ORDER BY run_messages.number`,
} as const;

/** How many events are deleted at a time: meanwhile, other writers wait. */
const batchSize = 500;
/** The highest count of runs that {@link RunRows.list} compares: a value with more runs is not rare. */
const countLimit = 2_000;

/** The tables of runs. Throws a `SyntaxError` for a damaged row. */
export class RunRows {
  constructor(private readonly db: SqlDatabase) {}

  findRun(runId: string): RunRow | undefined {
    const row = this.db.get(statements.findRun, runId);
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
    const row = this.db.get(statements.insertRun, runId, createdMs, timestamp, timestamp);
    const number = readInteger(row ?? {}, "number");
    if (first.type === "run-start") {
      const { request, metadata } = first;
      // As JSON: some drivers truncate a text at a null character.
      const text = request === undefined ? undefined : JSON.stringify(request);
      if (text !== undefined) this.db.run("INSERT INTO run_requests (run, json) VALUES (?, ?)", number, text);
      const insertMetadata = "INSERT OR IGNORE INTO run_metadata (hash, created_ms, run) VALUES (?, ?, ?)";
      for (const hash of metadataHashes(metadata)) this.db.run(insertMetadata, hash, createdMs, number);
    }
    return { number, status: "planning", sequence: 0, createdMs };
  }

  /** Appends events to a run; `texts` are the same events as JSON. */
  insertEvents(run: RunRow, events: readonly AgentEvent[], texts: readonly string[]): void {
    const { number } = run;
    let { sequence } = run;
    for (const text of texts) this.db.run(statements.insertEvent, number, ++sequence, text);
    const before = needsDigest(events) ? this.findDigest(number) : undefined;
    const { updatedAt, startedAt = null, status = run.status, digest } = changesOf(events, before);
    this.db.run(statements.updateRun, sequence, updatedAt, startedAt, number);
    if (digest !== undefined) this.saveDigest(run, digest, before);
    // Separately, as it also writes to an index.
    if (status !== run.status) this.db.run("UPDATE runs SET status = ? WHERE number = ?", status, number);
    if (endedStatuses.has(status)) this.deleteMessages(number);
  }

  readEvents({ number }: RunRow, after: number, limit: number): readonly AgentEvent[] {
    return eventsOf(this.db.all(statements.readEvents, number, after, Number.isFinite(limit) ? limit : -1), after);
  }

  /** Runs are looked up by the rarest condition: a status, or one of the metadata. */
  list(query: ListQuery, nowMs: number): RunPage {
    const { statuses, metadata, limit } = query;
    const isPlain = metadata.length === 0 || (metadata.length === 1 && statuses === undefined);
    const counted = isPlain
      ? []
      : metadata.map((hash) => ({ hash, count: this.count("run_metadata WHERE hash", hash) }));
    counted.sort((one, other) => one.count - other.count);
    const ofStatus = isPlain ? [] : (statuses ?? []).map((status) => this.count("runs WHERE status", status));
    const rarest = counted[0]?.count ?? 0;
    const isByMetadata = statuses === undefined || rarest <= ofStatus.reduce((sum, count) => sum + count, 0);
    const byRarest = isPlain ? query : { ...query, metadata: counted.map(({ hash }) => hash) };
    return pageOf(this.db.select(listSql(byRarest, nowMs, isPlain || isByMetadata)), limit);
  }

  private count(condition: "run_metadata WHERE hash" | "runs WHERE status", value: string): number {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${condition} = ? LIMIT ${countLimit})`;
    return Number(this.db.get(sql, value)?.count);
  }

  findClaim(runId: string): ClaimRow | undefined {
    const row = this.db.get(statements.findClaim, runId);
    if (row === undefined) return undefined;
    return {
      owner: readOptionalText(row, "owner") ?? null,
      fence: readInteger(row, "fence"),
      fromMs: readInteger(row, "from_ms"),
      untilMs: readInteger(row, "until_ms"),
    };
  }

  saveClaim(runId: string, { owner, fence, fromMs, untilMs }: ClaimRow): void {
    this.db.run(statements.saveClaim, runId, owner, fence, fromMs, untilMs);
  }

  /** The highest fence of the deleted runs. */
  goneFence(): number {
    const row = this.db.get(`SELECT ${asBytes("fence")} FROM run_marks`);
    return row === undefined ? 0 : readInteger(row, "fence");
  }

  /** Returns the number of the message. */
  insertMessage(run: number, text: string): number {
    return Number(
      this.db.get("INSERT INTO run_messages (run, json) VALUES (?, ?) RETURNING number", run, text)?.number,
    );
  }

  /** Messages that were posted to a run and are not acknowledged. */
  listMessages(runId: string): readonly PostedMessage[] {
    return messagesOf(this.db.all(statements.listMessages, runId));
  }

  countMessages(run: number): number {
    return Number(this.db.get("SELECT count(*) AS count FROM run_messages WHERE run = ?", run)?.count);
  }

  /** Deletes the messages with some numbers, or all. */
  deleteMessages(run: number, numbers?: readonly number[]): void {
    const all = "DELETE FROM run_messages WHERE run = ?";
    if (numbers === undefined) this.db.run(all, run);
    else for (const number of numbers) this.db.run(`${all} AND number = ?`, run, number);
  }

  /** Deletes a run, except for its events if there are many; neither its number nor its fence is used again. */
  deleteRun(runId: string, run: RunRow): void {
    const { db } = this;
    const { number, createdMs } = run;
    const { metadata = {} } = this.findDigest(number) ?? {};
    const deleteMetadata = "DELETE FROM run_metadata WHERE hash = ? AND created_ms = ? AND run = ?";
    for (const hash of metadataHashes(metadata)) db.run(deleteMetadata, hash, createdMs, number);
    this.deleteWaits(run);
    this.deleteMessages(number);
    const fence = this.findClaim(runId)?.fence ?? 0;
    db.run("UPDATE run_marks SET number = max(number, ?), fence = max(fence, ?)", number, fence);
    db.run("DELETE FROM run_digests WHERE run = ?", number);
    db.run("DELETE FROM runs WHERE number = ?", number);
    db.run("DELETE FROM run_requests WHERE run = ?", number);
    db.run("DELETE FROM run_claims WHERE run_id = ?", runId);
    if (this.deleteEvents(number)) db.run("INSERT INTO deleted_runs (number) VALUES (?)", number);
  }

  /** Deletes some events of a deleted run. Returns true if there may be more. */
  sweep(): boolean {
    const row = this.db.get(`SELECT ${asBytes("number")} FROM deleted_runs LIMIT 1`);
    if (row === undefined) return false;
    const number = readInteger(row, "number");
    if (!this.deleteEvents(number)) this.db.run("DELETE FROM deleted_runs WHERE number = ?", number);
    return true;
  }

  /** Returns true if there may be more. */
  private deleteEvents(number: number): boolean {
    return this.db.all(statements.deleteEvents, number, batchSize).length === batchSize;
  }

  private findDigest(number: number): RunDigest | undefined {
    const row = this.db.get(statements.findDigest, number);
    return row && digestOf(readText(row, "json"));
  }

  /** Saves what lists show of a run, and indexes what it waits for if it is suspended. */
  private saveDigest(run: RunRow, digest: RunDigest, before: RunDigest | undefined): void {
    const { number, createdMs } = run;
    const { pending, resumeAt } = digest;
    this.db.run("INSERT OR REPLACE INTO run_digests (run, json) VALUES (?, ?)", number, JSON.stringify(digest));
    if (before?.pending !== undefined) this.deleteWaits(run);
    const insertWait = "INSERT OR IGNORE INTO run_waits (kind, created_ms, run) VALUES (?, ?, ?)";
    for (const kind of pending?.kinds ?? []) this.db.run(insertWait, kind, createdMs, number);
    if (resumeAt === undefined) return;
    this.db.run("INSERT OR REPLACE INTO run_resumes (run, resume_ms) VALUES (?, ?)", number, Date.parse(resumeAt));
  }

  private deleteWaits({ number, createdMs }: RunRow): void {
    const deleteWait = "DELETE FROM run_waits WHERE kind = ? AND created_ms = ? AND run = ?";
    for (const kind of pendingKinds) this.db.run(deleteWait, kind, createdMs, number);
    this.db.run("DELETE FROM run_resumes WHERE run = ?", number);
  }
}
