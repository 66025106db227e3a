import type { JsonValue } from "../../core/json.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { readInteger, readText } from "../sql/statement.ts";
import { asBytes, type SqlDatabase, type SqlStatement } from "./sql-database.ts";

const statements = {
  insert: "INSERT INTO run_messages (run, json) VALUES (?, ?) RETURNING number",
  list: `SELECT ${asBytes("number", "json")} FROM run_messages
    WHERE run = (SELECT number FROM runs WHERE run_id = ?) ORDER BY run_messages.number`,
  count: "SELECT count(*) AS count FROM run_messages WHERE run = ?",
  delete: "DELETE FROM run_messages WHERE number = ? AND run = ?",
  deleteAll: "DELETE FROM run_messages WHERE run = ?",
} as const;

/** Messages that were posted to runs and are not acknowledged. */
export class MessageRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;

  constructor(db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  /** Returns the number of the message. */
  insert(run: number, text: string): number {
    return Number(this.prepared.insert.get(run, text)?.number);
  }

  list(runId: string): readonly PostedMessage[] {
    return this.prepared.list.all(runId).map((row) => ({
      number: readInteger(row, "number"),
      // The code that acts on it validates it.
      message: JSON.parse(readText(row, "json")) as JsonValue,
    }));
  }

  count(run: number): number {
    return Number(this.prepared.count.get(run)?.count);
  }

  delete(run: number, numbers: readonly number[]): void {
    for (const number of numbers) this.prepared.delete.run(number, run);
  }

  deleteAll(run: number): void {
    this.prepared.deleteAll.run(run);
  }
}
