import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Upgrade, upgradeDatabase } from "./formats.ts";
import { loadDriver, type SqliteDriver } from "./load-driver.ts";
import { type SqlDatabase, type SqlRow, toSqlDatabase } from "./sql-database.ts";
import { checkWritable, isBusy, toStoreFailure } from "./store-failure.ts";

/** The path of a database that ends with the process. */
export const inMemory = ":memory:";

/** How {@link openDatabase} opens a file. */
export interface OpenOptions {
  readonly driver: SqliteDriver | undefined;
  readonly busyTimeoutMs: number;
  /** @default all upgrades */
  readonly upgrades?: readonly Upgrade[];
}

/**
 * Opens a database, creates it and the folders above it if they are missing, and upgrades it to the newest format.
 * Throws `store-failed` or `missing-dependency`.
 */
export function openDatabase(path: string, { driver, busyTimeoutMs, upgrades }: OpenOptions): SqlDatabase {
  const Database = loadDriver(driver);
  let db: SqlDatabase | undefined;
  try {
    if (path !== inMemory) {
      // First, as Node reports "no such file" if a folder cannot be created on a read-only disk.
      checkWritable(path);
      mkdirSync(dirname(path), { recursive: true });
    }
    db = toSqlDatabase(new Database(path));
    // Before any other statement: each may find the file locked.
    query(db, `PRAGMA busy_timeout = ${busyTimeoutMs}`);
    upgradeDatabase(db, path, upgrades);
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
  const mode = hasSafeLog(String(query(db, "SELECT sqlite_version()"))) ? "WAL" : "TRUNCATE";
  try {
    query(db, `PRAGMA journal_mode = ${mode}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  }
}

function hasSafeLog(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
}

function query(db: SqlDatabase, sql: string): SqlRow[string] | undefined {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}
