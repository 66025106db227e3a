import { statSync } from "node:fs";
import { resolve } from "node:path";
import { maxTimerMs } from "../../async/clock.ts";
import type { StoreOperation } from "../../core/errors.ts";
import type { OptionTable, SettingsOf } from "../../core/options.ts";
import { closedFailure } from "../sql/store-failure.ts";
import { drivers, inMemory, openDatabase, type SqliteDriver } from "./open-database.ts";
import { inTransaction, type SqlDatabase } from "./sql-database.ts";
import { movedCode, toStoreFailure } from "./store-failure.ts";

/** Options of every store in an SQLite file. */
export interface SqliteFileOptions {
  /**
   * The file: it, and the folders above it, are created if they are missing. It must be on a disk of this machine. Runs
   * and todos may share one. `:memory:` keeps everything in memory.
   */
  readonly path: string;
  /**
   * How long a method waits while another process writes, before it throws `store-failed`; this process is blocked
   * meanwhile. @default 5000
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Different processes may open a file with different drivers. Within a process all must use the same one: SQLite
   * cannot see the locks of another copy of itself. @default The first available of `node`, `better-sqlite3` and
   * `libsql`.
   */
  readonly driver?: SqliteDriver | undefined;
}

/** The options of every store in an SQLite file, which each adds its own to. */
export const fileOptions = {
  path: { isValid: isPath, expected: 'the path of a file, or ":memory:"', isRequired: true },
  busyTimeoutMs: { type: "integer", min: 0, max: maxTimerMs, default: 5_000 },
  driver: {
    isValid: (driver) => drivers.includes(driver as SqliteDriver),
    expected: `left out, or one of ${drivers.join(", ")}`,
  },
} satisfies OptionTable<SqliteFileOptions>;

function isPath(value: unknown): boolean {
  if (typeof value !== "string" || value === "" || value.includes("\0")) return false;
  return !/^(file|https?|wss?|libsql):/i.test(value);
}

interface OpenFile<TRows> {
  readonly db: SqlDatabase;
  readonly rows: TRows;
  /** Throws if the file is no longer where it was. */
  guard(): void;
}

/** An open file, and the rows in it that a store works with. Its failures are `store-failed`. */
export class DatabaseFile<TRows> {
  private readonly path: string;
  /** Undefined once it is closed. */
  private open: OpenFile<TRows> | undefined;

  /** Throws `store-failed` or `missing-dependency`. */
  constructor(
    { path, busyTimeoutMs, driver }: SettingsOf<SqliteFileOptions, typeof fileOptions>,
    rowsOf: (db: SqlDatabase) => TRows,
  ) {
    this.path = path === inMemory ? path : resolve(path);
    const db = openDatabase(this.path, { busyTimeoutMs, driver });
    try {
      this.open = { db, rows: rowsOf(db), guard: path === inMemory ? () => {} : guardFile(this.path) };
    } catch (thrown) {
      db.close();
      throw toStoreFailure(thrown, { path: this.path, operation: "open", runId: "" });
    }
  }

  /** Reads everything in one transaction, so that the results of several queries are consistent. */
  read<T>(operation: StoreOperation, runId: string, work: (rows: TRows) => T): T {
    return this.attempt(operation, runId, ({ db, rows }) => inTransaction(db, "DEFERRED", () => work(rows)));
  }

  /** Writes all or nothing; when it returns, the change is on the disk. */
  write<T>(operation: StoreOperation, runId: string, work: (rows: TRows) => T): T {
    return this.attempt(operation, runId, ({ db, rows, guard }) => {
      guard();
      return inTransaction(db, "IMMEDIATE", () => work(rows));
    });
  }

  close(): void {
    const { open } = this;
    this.open = undefined;
    open?.db.close();
  }

  private attempt<T>(operation: StoreOperation, runId: string, work: (open: OpenFile<TRows>) => T): T {
    if (this.open === undefined) {
      throw closedFailure(`The database "${this.path}"`, { operation, runId });
    }
    try {
      return work(this.open);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path: this.path, operation, runId });
    }
  }
}

/**
 * Returns a function that throws once a path no longer leads to its current file: if that was moved, deleted or
 * replaced, everything written would be lost with the process. With a write-ahead log SQLite does not check this.
 */
function guardFile(path: string): () => void {
  const opened = inodeOf(path);
  return () => {
    if (inodeOf(path) === opened) return;
    throw Object.assign(new Error("the file was replaced or is gone"), { errcode: movedCode });
  };
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
