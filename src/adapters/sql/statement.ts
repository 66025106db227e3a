import { createHash } from "node:crypto";
import { AgentError, type StoreOperation, type StoreProblem } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";

/** A list becomes an array, which only PostgreSQL has. */
export type SqlValue = string | number | null | readonly (string | number)[];

/** Columns that `asBytes` selects in SQLite are bytes, and 64-bit integers of PostgreSQL are text. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface Sql {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
}

/** SQLite runs the statements synchronously. A statement that writes needs a `RETURNING` clause. */
export type Steps<T> = Generator<Sql, T, readonly SqlRow[]>;

export function sql(first: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  const texts = [first[0] ?? ""];
  const values: SqlValue[] = [];
  parts.forEach((part, index) => {
    const isPart = typeof part === "object" && part !== null && "texts" in part;
    const [start = "", ...rest] = isPart ? part.texts : ["", ""];
    values.push(...(isPart ? part.values : [part]));
    texts.push(`${texts.pop()}${start}`, ...rest);
    texts.push(`${texts.pop()}${first[index + 1]}`);
  });
  return { texts, values };
}

export const raw = (text: string): Sql => ({ texts: [text], values: [] });

export function join([first = raw(""), ...others]: readonly Sql[], separator: string): Sql {
  return others.reduce((joined, part) => sql`${joined}${raw(separator)}${part}`, first);
}

export function list(values: readonly SqlValue[]): Sql {
  const parts = values.map((value) => sql`${value}`);
  return join(parts, ", ");
}

/** Nests the conditions as a balanced tree, as SQLite accepts at most a thousand in a row. */
export function all(conditions: readonly Sql[]): Sql {
  if (conditions.length <= 100) return join(conditions, " AND ");
  const half = Math.ceil(conditions.length / 2);
  return sql`(${all(conditions.slice(0, half))}) AND (${all(conditions.slice(half))})`;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readOptionalText(row: SqlRow, column: string): string | undefined {
  const value = row[column];
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  if (!(value instanceof Uint8Array || value instanceof ArrayBuffer)) {
    throw new SyntaxError(`the column "${column}" is not text`);
  }
  try {
    return decoder.decode(value);
  } catch {
    throw new SyntaxError(`the column "${column}" is not UTF-8`);
  }
}

export function readText(row: SqlRow, column: string): string {
  const text = readOptionalText(row, column);
  if (text === undefined) throw new SyntaxError(`the column "${column}" is null`);
  return text;
}

export function readInteger(row: SqlRow, column: string): number {
  const value = row[column];
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : readText(row, column);
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new SyntaxError(`the column "${column}" is not a whole number`);
  return number;
}

const unusual = /[^ -\ud7ff]/g;

/**
 * Makes bytes in a database sort as code units do in JavaScript. Code units from the first surrogate on become
 * characters beyond the surrogates, as UTF-8 cannot encode half a pair. The null character, which drivers and
 * PostgreSQL refuse, becomes two characters. So do the five characters used for this, so that a search cannot match
 * parts of two neighbours.
 */
export function toOrderText(text: string): string {
  return text.replace(unusual, (unit) => {
    const code = unit.charCodeAt(0);
    if (code >= 0xd800) return String.fromCodePoint(code + 0x800);
    if (code > 5) return unit;
    return String.fromCharCode(1 + Math.floor(code / 3), 3 + (code % 3));
  });
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

export interface StoreAttempt {
  readonly operation: StoreOperation;
  readonly runId: string;
}

export function storeFailure(
  thrown: unknown,
  { operation, runId }: StoreAttempt,
  problem: StoreProblem | undefined,
  describe: (reason: string) => string,
): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const reason = describeThrown(thrown);
  return new AgentError("store-failed", describe(reason), {
    details: { runId, operation, reason, ...(problem && { problem }) },
    cause: thrown,
    retryable: problem === "busy" || problem === "unreachable",
  });
}

export function closedFailure(store: string, { operation, runId }: StoreAttempt): AgentError {
  const message = `${store} has been closed. Close it only when no run needs it.`;
  return new AgentError("store-failed", message, { details: { runId, operation, reason: "it is closed" } });
}
