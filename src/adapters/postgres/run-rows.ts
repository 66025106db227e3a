import type { JsonValue } from "../../core/json.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import type { SqlRow } from "./sql-pool.ts";

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
