import { describeThrown } from "../core/describe-thrown.ts";
import type { AgentEvent } from "../core/events.ts";
import { deepFreeze } from "../core/json.ts";
import { isRunStatus, type RunStatus, runStatusAfter } from "../core/run-status.ts";
import type { RunPage, RunSummary } from "../core/run-store.ts";
import { type ListQuery, listSql, listValues, toCursor } from "./list-query.ts";
import type { SqlDatabase, SqlRow, SqlStatement } from "./sql-database.ts";
import { asBytes, readInteger, readOptionalInteger, readOptionalText, readText } from "./sql-row.ts";

/** What is stored of a run beside its events. */
export interface RunRow {
  readonly number: number;
  readonly status: RunStatus;
  /** The number of its last event. */
  readonly sequence: number;
}

/** A claim on a run. */
export interface ClaimRow {
  /** Null once it is given back: the fence stays. */
  readonly owner: string | null;
  readonly fence: number;
  /** It lasts from this time until before the other. */
  readonly fromMs: number;
  readonly untilMs: number;
}

const statements = {
  findRun: `SELECT ${asBytes("number", "status", "sequence")} FROM runs WHERE run_id = ?`,
  insertRun: `INSERT INTO runs (run_id, status, sequence, created_ms, created_at, updated_at)
    VALUES (?, 'planning', 0, ?, ?, ?) RETURNING number`,
  insertRequest: "INSERT INTO run_requests (run, json) VALUES (?, ?)",
  insertEvent: "INSERT INTO run_events (run, sequence, json) VALUES (?, ?, ?)",
  updateRun: "UPDATE runs SET sequence = ?, updated_at = ? WHERE number = ?",
  updateStatus: "UPDATE runs SET status = ? WHERE number = ?",
  // The number is only compared, and a number whatever the column is; as bytes it would take half as long again.
  readEvents: `SELECT CAST(sequence AS INTEGER) AS sequence, ${asBytes("json")} FROM run_events
    WHERE run = ? AND sequence > ? ORDER BY run_events.sequence LIMIT ?`,
  findClaim: `SELECT ${asBytes("owner", "fence", "from_ms", "until_ms")} FROM run_claims WHERE run_id = ?`,
  saveClaim: "INSERT OR REPLACE INTO run_claims (run_id, owner, fence, from_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
} as const;

/** The tables of runs, by statements that are prepared once. A row that is not as it was written is a `SyntaxError`. */
export class RunRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;
  private readonly lists = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  findRun(runId: string): RunRow | undefined {
    const row = this.prepared.findRun.get(runId);
    return (
      row && { number: readInteger(row, "number"), status: readStatus(row), sequence: readInteger(row, "sequence") }
    );
  }

  insertRun(runId: string, first: AgentEvent): RunRow {
    const { timestamp } = first;
    const row = this.prepared.insertRun.get(runId, Date.parse(timestamp), timestamp, timestamp);
    const number = Number(row?.number);
    const request = first.type === "run-start" ? first.request : undefined;
    // As JSON: a text with a null character is cut short by some drivers.
    if (request !== undefined) this.prepared.insertRequest.run(number, JSON.stringify(request));
    return { number, status: "planning", sequence: 0 };
  }

  /** Adds events behind those that a run has; `texts` are the same as JSON. */
  insertEvents(run: RunRow, events: readonly AgentEvent[], texts: readonly string[]): void {
    let { sequence, status } = run;
    for (const text of texts) this.prepared.insertEvent.run(run.number, ++sequence, text);
    for (const event of events) status = runStatusAfter(event) ?? status;
    this.prepared.updateRun.run(sequence, events.at(-1)?.timestamp ?? "", run.number);
    // By itself, as it writes to an index, too.
    if (status !== run.status) this.prepared.updateStatus.run(status, run.number);
  }

  readEvents(run: RunRow, { after, limit }: { after: number; limit: number }): readonly AgentEvent[] {
    const rows = this.prepared.readEvents.all(run.number, after, Number.isFinite(limit) ? limit : -1);
    return rows.map((row, index) => {
      const sequence = after + index + 1;
      // To go on as if it had never happened could run a step twice.
      if (row.sequence !== sequence) throw new SyntaxError(`event ${sequence} is missing`);
      try {
        // Whoever reads a run checks what its events are.
        return deepFreeze(JSON.parse(readText(row, "json")) as AgentEvent);
      } catch (thrown) {
        throw new SyntaxError(`event ${sequence}: ${describeThrown(thrown)}`);
      }
    });
  }

  list(query: ListQuery, nowMs: number): RunPage {
    const sql = listSql(query);
    const statement = this.lists.get(sql) ?? this.db.prepare(sql);
    this.lists.set(sql, statement);
    const rows = statement.all(...listValues(query, nowMs));
    const runs = rows.slice(0, query.limit).map(summarize);
    const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
    if (last === undefined) return { runs };
    return {
      runs,
      cursor: toCursor({ createdMs: readInteger(last, "created_ms"), number: readInteger(last, "number") }),
    };
  }

  findClaim(runId: string): ClaimRow | undefined {
    const row = this.prepared.findClaim.get(runId);
    if (row === undefined) return undefined;
    return {
      owner: readOptionalText(row, "owner") ?? null,
      fence: readInteger(row, "fence"),
      fromMs: readOptionalInteger(row, "from_ms") ?? Number.MIN_SAFE_INTEGER,
      untilMs: readInteger(row, "until_ms"),
    };
  }

  saveClaim(runId: string, { owner, fence, fromMs, untilMs }: ClaimRow): void {
    this.prepared.saveClaim.run(runId, owner, fence, fromMs, untilMs);
  }
}

function summarize(row: SqlRow): RunSummary {
  const request = readOptionalText(row, "request");
  return {
    runId: readText(row, "run_id"),
    status: readStatus(row),
    ...(request !== undefined && { request: JSON.parse(request) as string }),
    createdAt: readText(row, "created_at"),
    updatedAt: readText(row, "updated_at"),
  };
}

function readStatus(row: SqlRow): RunStatus {
  const status = readText(row, "status");
  if (!isRunStatus(status)) throw new SyntaxError(`there is no status ${JSON.stringify(status)}`);
  return status;
}
