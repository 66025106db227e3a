import type * as z from "zod/v4";
import type { OptionTable } from "../../core/options.ts";
import {
  list,
  raw,
  readInteger,
  readOptionalText,
  readText,
  type Sql,
  type SqlRow,
  type Steps,
  sql,
  toOrderText,
} from "./statement.ts";

/** The words of a database for the statements that todos and notes have in common. */
export interface Dialect {
  /** The text in front of the name of each table. */
  readonly prefix: string;
  /** The text in front of the name of each index, which has no schema. */
  readonly indexPrefix: string;
  /** The type of the key that numbers rows in the order of their insertion. */
  readonly serialType: string;
  /** The type of a text that is compared by its bytes. */
  readonly textType: string;
  /** The function that finds a text in another one. */
  readonly search: "instr" | "strpos";
  /** Returns a column of texts for a `SELECT`. */
  column(name: string): string;
  /** Returns what an index has of a column of texts. */
  indexed(column: string): string;
  /** Returns the condition that a column of texts is equal to one. */
  equals(column: string, text: string): Sql;
}

/** Options of a storage in a database. @inline */
export interface KeyedStorageOptions {
  /**
   * The number of latest changes, over all scopes, that are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

/** The options of a storage in a database, which has others for the database. */
export const keyedStorageOptions = {
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<KeyedStorageOptions>;

/**
 * Returns the statements that create a table of values with its indexes, of what follows the scope by their name, and a
 * table of the outcomes of calls by their key. The oldest outcomes, which have the lowest numbers, are deleted first.
 */
export function createKeyedTables(
  { prefix, indexPrefix, serialType, textType, indexed }: Dialect,
  kind: { table: string; columns: string; indexes: Readonly<Record<string, string>>; records: string },
): string {
  const { table, columns, records } = kind;
  const indexes = Object.entries({ id: indexed("id"), ...kind.indexes }).map(
    ([name, rest]) => `CREATE ${name === "id" ? "UNIQUE " : ""}INDEX ${indexPrefix}${table}_by_${name}
      ON ${prefix}${table} (${indexed("scope")}, ${rest});`,
  );
  return `
    CREATE TABLE ${prefix}${table} (sequence ${serialType}, scope ${textType} NOT NULL, id ${textType} NOT NULL,
      ${columns}, json text NOT NULL);
    ${indexes.join("\n")}
    CREATE TABLE ${prefix}${records} (number ${serialType}, scope ${textType} NOT NULL, key ${textType} NOT NULL,
      operation text NOT NULL, json text NOT NULL, before_json text);
    CREATE UNIQUE INDEX ${indexPrefix}${records}_by_key ON ${prefix}${records} (${indexed("scope")}, ${indexed("key")});`;
}

/** A change to make once for its key. */
interface Write<TOperation, TChange> {
  readonly key: string;
  readonly operation: TOperation;
  readonly change: TChange;
}

/** The tables of one kind of values, and the outcomes of the latest writes by their key. */
export interface KeyedStorage<TQuery, TFound, TWrite, TRecord> {
  /** Finds a page and the counts with one statement, so that they are of the same moment. */
  find(scope: string, query: TQuery): Steps<TFound>;
  recall(scope: string, key: string): Steps<TRecord | undefined>;
  /** Makes a change once, in a transaction; undefined if it does not fit. */
  apply(scope: string, write: TWrite): Steps<TRecord | undefined>;
}

/** Creates the statements of one kind of values for a database. */
export type CreateKeyedStorage<TQuery, TFound, TWrite, TRecord> = (
  dialect: Dialect,
  rememberedWrites: number,
) => KeyedStorage<TQuery, TFound, TWrite, TRecord>;

/** Reads and changes the rows of one kind of values, and encodes the outcomes of changes. */
interface KeyedKind<TQuery, TFound, TChange, TOutcome, TRecord> {
  /** The table of outcomes. */
  readonly records: string;
  find(scope: string, query: TQuery): Steps<TFound>;
  /** Makes a change; undefined, with nothing changed, if it does not fit. */
  change(scope: string, change: TChange): Steps<TOutcome | undefined>;
  /** Returns the value of an outcome, and the one before it was changed, if that is kept. */
  toValues(outcome: TOutcome): readonly [value: unknown, before?: unknown];
  /** Returns the recorded outcome. Throws a `SyntaxError` if it is damaged. */
  toRecord(operation: string, value: unknown, before: unknown): TRecord;
}

/** Adds to a kind of values the outcomes of the latest `rememberedWrites` writes. */
export function keyedStorage<TQuery, TFound, TChange, TOutcome extends object, TOperation extends string, TRecord>(
  { prefix, column, equals }: Dialect,
  kind: KeyedKind<TQuery, TFound, TChange, TOutcome, TRecord>,
  rememberedWrites: number,
): KeyedStorage<TQuery, TFound, Write<TOperation, TChange>, TRecord> {
  const table = raw(`${prefix}${kind.records}`);
  const columns = raw(["operation", "json", "before_json"].map((name) => column(name)).join(", "));

  function* recall(scope: string, key: string): Steps<TRecord | undefined> {
    const [row] = yield sql`SELECT ${columns} FROM ${table}
      WHERE ${equals("scope", toOrderText(scope))} AND ${equals("key", toOrderText(key))}`;
    if (row === undefined) return undefined;
    const before = readOptionalText(row, "before_json");
    const parsed = before === undefined ? undefined : JSON.parse(before);
    return kind.toRecord(readText(row, "operation"), JSON.parse(readText(row, "json")), parsed);
  }

  function* add(scope: string, { key, operation }: Write<TOperation, TChange>, outcome: TOutcome): Steps<TRecord> {
    const [value, before] = kind.toValues(outcome);
    const texts = [JSON.stringify(value), before === undefined ? null : JSON.stringify(before)];
    const [row = {}] = yield sql`INSERT INTO ${table} (scope, key, operation, json, before_json)
      VALUES (${list([toOrderText(scope), toOrderText(key), operation, ...texts])}) RETURNING number`;
    const last = Math.floor(readInteger(row, "number") - rememberedWrites);
    // The lowest numbers are the oldest.
    if (last > 0) yield sql`DELETE FROM ${table} WHERE number <= ${last} RETURNING 1 AS deleted`;
    return JSON.parse(JSON.stringify({ operation, ...outcome })) as TRecord;
  }

  return {
    find: kind.find,
    recall,
    *apply(scope, write) {
      // An earlier attempt may have made the change, and its answer was lost.
      const known = yield* recall(scope, write.key);
      if (known !== undefined) return known;
      const outcome = yield* kind.change(scope, write.change);
      return outcome && (yield* add(scope, write, outcome));
    },
  };
}

/**
 * Selects the rows of a page. Each row also has the counts of all matching rows. If the page is empty, one row has the
 * counts and a null `json`.
 */
export function pageSql(
  { column }: Pick<Dialect, "column">,
  page: { table: string; counts: string; where: Sql; order: string; offset?: number | undefined; limit: number },
): Sql {
  const { table, counts, where, order, offset = 0 } = page;
  const limit = Math.min(Math.max(0, page.limit), Number.MAX_SAFE_INTEGER);
  const columns = order.replace(/ (ASC|DESC|NULLS LAST)/g, "");
  return sql`SELECT counted.*, page.json
    FROM (SELECT ${raw(counts)} FROM ${raw(table)} WHERE ${where}) AS counted
    LEFT JOIN (SELECT ${raw(column("json"))}, ${raw(columns)} FROM ${raw(table)} WHERE ${where}
      ORDER BY ${raw(order)} LIMIT ${limit} OFFSET ${offset}) AS page ON true
    ORDER BY ${raw(order)}`;
}

/** Reads the values of the rows of {@link pageSql}. */
export function readValues<T>(rows: readonly SqlRow[], parse: (json: string) => T): readonly T[] {
  return rows.filter(({ json }) => json !== null).map((row) => parse(readText(row, "json")));
}

/** Returns a check of stored values, which keep all their keys. @internal */
export function storedAs<T>(name: string, createSchema: () => z.ZodType): (value: unknown) => T {
  // Created when the first row is read, so that an import does not pay for it.
  let schema: z.ZodType | undefined;
  return (value) => {
    schema ??= createSchema();
    if (!schema.safeParse(value).success) throw new SyntaxError(`a ${name} is malformed`);
    return value as T;
  };
}
