import type { Sql, SqlRow, SqlValue, Steps } from "../sql/statement.ts";

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

/** More statements than a program is likely to have: each combination of conditions of a list is one. */
const maxStatements = 200;

/** The statements of a database, each prepared when it is first run. */
export class Statements {
  private readonly prepared = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {}

  /** Runs a statement, without a result. */
  run(text: string, ...values: readonly SqlValue[]): void {
    this.prepare(text).run(...values);
  }

  /** The first row, if there is one. */
  get(text: string, ...values: readonly SqlValue[]): SqlRow | undefined {
    return this.prepare(text).get(...values);
  }

  /** All rows. */
  all(text: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.prepare(text).all(...values);
  }

  /** All rows of a statement that was put together. */
  select({ texts, values }: Sql): readonly SqlRow[] {
    return this.all(texts.join("?"), ...values);
  }

  /** Does work that takes several statements, which all have a result. */
  finish<T>(steps: Steps<T>): T {
    let step = steps.next();
    while (step.done !== true) step = steps.next(this.select(step.value));
    return step.value;
  }

  private prepare(text: string): SqlStatement {
    const known = this.prepared.get(text);
    if (known !== undefined) return known;
    if (this.prepared.size >= maxStatements) this.prepared.clear();
    const statement = this.db.prepare(text);
    this.prepared.set(text, statement);
    return statement;
  }
}

/**
 * Columns for a `SELECT`, to be read by `readText` and `readInteger`. In a damaged file any column may be a
 * text of arbitrary bytes, for which one driver ends the process and others return another text: so all are selected as
 * bytes. An `ORDER BY` of such a column must also name its table, or it sorts by the bytes.
 */
export function asBytes(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${column.slice(column.indexOf(".") + 1)}`).join(", ");
}
