/** A value for a `?` of a statement. */
export type SqlValue = string | number | null;

/** A row of a result, by column name. Stored values are selected and read with the functions of `sql-row.ts`. */
export type SqlRow = Readonly<Record<string, SqlValue | Uint8Array | ArrayBuffer>>;

/** A prepared statement. */
export interface SqlStatement {
  /** Runs it, without a result. */
  run(...values: readonly SqlValue[]): void;
  /** Its first row, if it has one. */
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  /** All its rows. */
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** An open database, the same for every driver. Errors of the driver are thrown unchanged. */
export interface SqlDatabase {
  /** Runs statements that return no rows. */
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** A statement of a driver. */
interface NativeStatement {
  run(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): SqlRow[];
}

/** The interface that all drivers share. */
export interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

/** Hides the differences between drivers. */
export function toSqlDatabase(native: NativeDatabase): SqlDatabase {
  return {
    exec: (sql) => void native.exec(sql),
    prepare: (sql) => toSqlStatement(native.prepare(sql)),
    close: () => void native.close(),
  };
}

function toSqlStatement(native: NativeStatement): SqlStatement {
  return {
    run: (...values) => void native.run(...values),
    // With `all`: libsql adds a key to the row of its own `get`.
    get: (...values) => native.all(...values)[0],
    all: (...values) => native.all(...values),
  };
}

/**
 * Does work in one transaction, all or nothing. `DEFERRED` is for reading only; `IMMEDIATE` locks other writers out
 * from the start, `EXCLUSIVE` readers, too.
 */
export function inTransaction<T>(db: SqlDatabase, mode: "DEFERRED" | "IMMEDIATE" | "EXCLUSIVE", work: () => T): T {
  db.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (thrown) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
    throw thrown;
  }
}

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
