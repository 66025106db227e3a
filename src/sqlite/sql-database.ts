/** What a statement takes for a `?`. */
export type SqlValue = string | number | null;

/** A row of a result, by the names of its columns. What was stored is asked for and read as `sql-row.ts` has it. */
export type SqlRow = Readonly<Record<string, SqlValue | Uint8Array | ArrayBuffer>>;

/** A prepared statement. */
export interface SqlStatement {
  /** Runs it, for what it does. */
  run(...values: readonly SqlValue[]): void;
  /** Its first row, if it has one. */
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  /** All its rows. */
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** An open database, the same for every driver. What goes wrong is thrown as the driver throws it. */
export interface SqlDatabase {
  /** Runs statements that give no rows. */
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** A statement as drivers have it. */
interface NativeStatement {
  run(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): SqlRow[];
}

/** What all drivers have in common. */
export interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

/** Makes one database out of what the drivers differ in. */
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
    // By all rows: libsql adds a key to the row of its own `get`.
    get: (...values) => native.all(...values)[0],
    all: (...values) => native.all(...values),
  };
}

/**
 * Does work in one transaction, all or none. `DEFERRED` is for reading only; `IMMEDIATE` keeps other writers out from the
 * beginning, `EXCLUSIVE` readers, too.
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
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
    throw thrown;
  }
}
