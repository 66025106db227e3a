import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { maxTimerMs } from "../../async/clock.ts";
import type { StoreOperation } from "../../core/errors.ts";
import type { OptionTable, SettingsOf } from "../../core/options.ts";
import { closedFailure } from "../sql/store-failure.ts";
import { drivers, loadDriver, type SqliteDriver } from "./drivers.ts";
import { prepareTables } from "./formats.ts";
import { inTransaction, SqlDatabase } from "./sql-database.ts";
import { checkWritable, isBusy, movedCode, toStoreFailure } from "./store-failure.ts";

/** Options of every store in an SQLite file. */
export interface SqliteFileOptions {
  /**
   * The file: it, and the folders above it, are created if they are missing. It must be on a disk of this machine. Runs
   * and todos may share one. `:memory:` keeps everything in memory.
   */
  readonly path: string;
  /**
   * The time that a method waits while another process writes, before it throws `store-failed`; this process is blocked
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

/** The path of a database that ends with the process. */
export const inMemory = ":memory:";

/** Options of {@link openDatabase}. */
interface OpenOptions {
  readonly driver: SqliteDriver | undefined;
  readonly busyTimeoutMs: number;
}

/**
 * Opens a database, and creates it and the folders above it if they are missing. Throws `store-failed` or `missing-dependency`.
 */
export function openDatabase(path: string, { driver, busyTimeoutMs }: OpenOptions): SqlDatabase {
  const Database = loadDriver(driver);
  let db: SqlDatabase | undefined;
  try {
    if (path !== inMemory) {
      // First, as Node reports "no such file" if a folder cannot be created on a read-only disk.
      checkWritable(path);
      mkdirSync(dirname(path), { recursive: true });
    }
    db = new SqlDatabase(new Database(path));
    // Before any other statement: each may find the file locked.
    db.value(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    prepareTables(db, path);
    setJournalMode(db);
    db.exec("PRAGMA synchronous = FULL");
    return db;
  } catch (thrown) {
    db?.close();
    throw toStoreFailure(thrown, { path, operation: "open", runId: "" });
  }
}

/**
 * A write-ahead log takes one write to the disk for a commit instead of three, but before 3.51.3 SQLite can damage a
 * file when two processes reset the log at once (https://sqlite.org/wal.html#walreset). The mode can be changed only
 * while nothing else has the file open; otherwise it stays unchanged.
 */
function setJournalMode(db: SqlDatabase): void {
  const mode = hasSafeLog(String(db.value("SELECT sqlite_version()"))) ? "WAL" : "TRUNCATE";
  try {
    db.value(`PRAGMA journal_mode = ${mode}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  }
}

function hasSafeLog(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
}

/** An open file. Its failures are `store-failed`. */
export class DatabaseFile {
  private readonly path: string;
  /** Undefined once it is closed. */
  private db: SqlDatabase | undefined;
  /** The file that the path led to when it was opened. */
  private readonly inode: bigint | undefined;

  /** Throws `store-failed` or `missing-dependency`. */
  constructor({ path, busyTimeoutMs, driver }: SettingsOf<SqliteFileOptions, typeof fileOptions>) {
    this.path = path === inMemory ? path : resolve(path);
    this.db = openDatabase(this.path, { busyTimeoutMs, driver });
    this.inode = this.findInode();
  }

  /** Reads everything in one transaction, so that the results of several queries are consistent. */
  read<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    return this.attempt(operation, runId, (db) => inTransaction(db, "DEFERRED", () => work(db)));
  }

  /** Writes all or nothing; when it returns, the change is on the disk. */
  write<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    return this.attempt(operation, runId, (db) => {
      // If the file was moved, deleted or replaced, everything written would be lost with the process. With a
      // write-ahead log SQLite does not check this.
      if (this.findInode() !== this.inode)
        throw Object.assign(new Error("the file was replaced or is gone"), { errcode: movedCode });
      return inTransaction(db, "IMMEDIATE", () => work(db));
    });
  }

  close(): void {
    const { db } = this;
    this.db = undefined;
    db?.close();
  }

  private attempt<T>(operation: StoreOperation, runId: string, work: (db: SqlDatabase) => T): T {
    if (this.db === undefined) throw closedFailure(`The database "${this.path}"`, { operation, runId });
    try {
      return work(this.db);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path: this.path, operation, runId });
    }
  }

  private findInode(): bigint | undefined {
    return this.path === inMemory ? undefined : statSync(this.path, { bigint: true, throwIfNoEntry: false })?.ino;
  }
}
