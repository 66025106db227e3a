import type { SqlRow } from "./sql-database.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Columns for a `SELECT`, to be read by {@link readText} and {@link readInteger}. In a damaged file any column may be a
 * text of arbitrary bytes, for which one driver ends the process and others return another text: so all are selected as
 * bytes. An `ORDER BY` of such a column must also name its table, or it sorts by the bytes.
 */
export function asBytes(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${column.slice(column.indexOf(".") + 1)}`).join(", ");
}

/** A text; undefined for null. Throws a `SyntaxError` for anything else. */
export function readOptionalText(row: SqlRow, column: string): string | undefined {
  const bytes = row[column];
  if (bytes === null) return undefined;
  if (typeof bytes !== "object") throw new SyntaxError(`the column "${column}" was not selected as bytes`);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new SyntaxError(`the column "${column}" is not UTF-8`);
  }
}

/** Like {@link readOptionalText}, for a column that is never null. */
export function readText(row: SqlRow, column: string): string {
  const text = readOptionalText(row, column);
  if (text === undefined) throw new SyntaxError(`the column "${column}" is null`);
  return text;
}

/** A whole number; undefined for null. Throws a `SyntaxError` for anything else. */
export function readOptionalInteger(row: SqlRow, column: string): number | undefined {
  const text = readOptionalText(row, column);
  if (text === undefined) return undefined;
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new SyntaxError(`the column "${column}" is not a whole number`);
  return number;
}

/** Like {@link readOptionalInteger}, for a column that is never null. */
export function readInteger(row: SqlRow, column: string): number {
  const number = readOptionalInteger(row, column);
  if (number === undefined) throw new SyntaxError(`the column "${column}" is null`);
  return number;
}
