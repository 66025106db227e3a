import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Upgrade, upgradeDatabase } from "./formats.ts";
import { loadDriver, type SqliteDriver } from "./load-driver.ts";
import { type SqlDatabase, type SqlRow, toSqlDatabase } from "./sql-database.ts";
import { checkWritable, isBusy, toStoreFailure } from "./store-failure.ts";

/** The path of a database that goes with the process. */
export const inMemory = ":memory:";

/** How {@link openDatabase} opens a file. */
export interface OpenOptions {
  readonly driver: SqliteDriver | undefined;
  readonly busyTimeoutMs: number;
  /** @default Those there are. */
  readonly upgrades?: readonly Upgrade[];
}

/**
 * Opens a database, makes it and the folders above it if they are missing, and brings it to the newest format. Throws
 * `store-failed` or `missing-dependency`.
 */
export function openDatabase(path: string, { driver, busyTimeoutMs, upgrades }: OpenOptions): SqlDatabase {
  const Database = loadDriver(driver);
  let db: SqlDatabase | undefined;
  try {
    if (path !== inMemory) {
      // First, as Node says "no such file" where a folder cannot be made on a disk that is read-only.
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
 * file when two processes start it over at once (https://sqlite.org/wal.html#walreset). The mode can only be changed while
 * nobody else has the file open: then all go on with the one it has.
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
