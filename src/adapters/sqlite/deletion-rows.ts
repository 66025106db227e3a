import { readInteger } from "../sql/statement.ts";
import { asBytes, type SqlDatabase, type SqlStatement } from "./sql-database.ts";

const statements = {
  readMarks: `SELECT ${asBytes("fence")} FROM run_marks`,
  raiseMarks: "UPDATE run_marks SET number = max(number, ?), fence = max(fence, ?)",
  deleteRun: "DELETE FROM runs WHERE number = ?",
  deleteRequest: "DELETE FROM run_requests WHERE run = ?",
  deleteClaim: "DELETE FROM run_claims WHERE run_id = ?",
  remember: "INSERT INTO deleted_runs (number) VALUES (?)",
  findDeleted: `SELECT ${asBytes("number")} FROM deleted_runs LIMIT 1`,
  forget: "DELETE FROM deleted_runs WHERE number = ?",
  deleteEvents: `DELETE FROM run_events WHERE rowid IN
    (SELECT rowid FROM run_events WHERE run = ? LIMIT ?) RETURNING 1 AS deleted`,
} as const;

/** How many events are deleted at a time: meanwhile, other writers wait. */
const batchSize = 500;

/** Deletes runs: the run itself at once, its events in batches. */
export class DeletionRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;

  constructor(db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  /** The highest fence of the deleted runs. */
  goneFence(): number {
    const row = this.prepared.readMarks.get();
    return row === undefined ? 0 : readInteger(row, "fence");
  }

  /** Deletes a run, except for its events if there are many; neither its number nor its fence is used again. */
  delete(runId: string, { number, fence }: { readonly number: number; readonly fence: number }): void {
    const { prepared } = this;
    prepared.raiseMarks.run(number, fence);
    prepared.deleteRun.run(number);
    prepared.deleteRequest.run(number);
    prepared.deleteClaim.run(runId);
    if (this.deleteEvents(number)) prepared.remember.run(number);
  }

  /** Deletes some events of a deleted run. Returns whether there may be more. */
  sweep(): boolean {
    const row = this.prepared.findDeleted.get();
    if (row === undefined) return false;
    const number = readInteger(row, "number");
    if (!this.deleteEvents(number)) this.prepared.forget.run(number);
    return true;
  }

  /** Returns whether there may be more. */
  private deleteEvents(number: number): boolean {
    return this.prepared.deleteEvents.all(number, batchSize).length === batchSize;
  }
}
