import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";
import type { SqlRow } from "../sql/statement.ts";
import { driverPlaces } from "./driver-places.ts";
import { prepareTables } from "./formats.ts";
import { type NativeDatabase, SqlDatabase } from "./sql-database.ts";
import { checkWritable, isBusy, toStoreFailure } from "./store-failure.ts";

/** The path of a database that ends with the process. */
export const inMemory = ":memory:";

/** How {@link openDatabase} opens a file. */
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
    query(db, `PRAGMA busy_timeout = ${busyTimeoutMs}`);
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
  return Object.values(db.get(sql) ?? {})[0];
}

/**
 * The driver: `node` is `node:sqlite`, part of Node since 22.13; the others are packages. All share one format.
 * @inline
 */
export type SqliteDriver = "node" | "better-sqlite3" | "libsql";

/** Opens a database with a driver. */
type DatabaseConstructor = new (path: string) => NativeDatabase;

/** Returns a driver; throws or returns undefined if there is none. */
export type FindDriver = (driver: SqliteDriver) => DatabaseConstructor | undefined;

/** In the order in which they are tried. */
export const drivers: readonly SqliteDriver[] = ["node", "better-sqlite3", "libsql"];

/** Looks for packages as a file does, by literal names. Bundlers do not know this `require`, and so leave it alone. */
function findFrom(path: string): FindDriver {
  const load = process.getBuiltinModule("node:module").createRequire(path);
  const find: Readonly<Record<SqliteDriver, () => unknown>> = {
    node: () => (process.getBuiltinModule("node:sqlite") as { DatabaseSync?: unknown } | undefined)?.DatabaseSync,
    "better-sqlite3": () => load("better-sqlite3"),
    libsql: () => load("libsql"),
  };
  return (driver) => find[driver]() as DatabaseConstructor | undefined;
}

/**
 * The first available driver, or the requested one. An installed package that does not work here, for example because
 * its install script was not run, is skipped. Throws `missing-dependency`.
 */
export function loadDriver(driver: SqliteDriver | undefined, places?: readonly FindDriver[]): DatabaseConstructor {
  const failures: unknown[] = [];
  // A bundle that is CommonJS has no `import.meta.url`.
  const finders = places ?? [import.meta.url ?? __filename, ...driverPlaces].map(findFrom);
  for (const candidate of driver === undefined ? drivers : [driver]) {
    for (const find of finders) {
      try {
        const Database = find(candidate);
        if (Database === undefined) continue;
        // Loads the compiled part.
        new Database(":memory:").close();
        return Database;
      } catch (thrown) {
        if (!isNotFound(thrown, candidate)) failures.push(thrown);
      }
    }
  }
  throw missingDriver(driver, failures);
}

function isNotFound(thrown: unknown, name: string): boolean {
  const { code, message } = thrown as Partial<NodeJS.ErrnoException>;
  return code === "MODULE_NOT_FOUND" && String(message).includes(`'${name}'`);
}

function missingDriver(driver: SqliteDriver | undefined, failures: readonly unknown[]): AgentError {
  const isPackage = driver !== undefined && driver !== "node";
  const command = `npm install ${isPackage ? driver : "libsql"}`;
  const version = process.versions.node;
  const wanted = isPackage ? `The driver "${driver}"` : driver ? "Node's own driver" : "An SQLite driver";
  // The same one may be found in several places.
  const broken = new Set(failures.map((thrown) => ` One is installed, but does not load: ${describeThrown(thrown)}.`));
  const way = isPackage ? `Run "${command}".` : `Run "${command}", or use Node 22.13 or later (this is ${version}).`;
  return new AgentError("missing-dependency", `${wanted} is not available. ${way}${[...broken].join("")}`, {
    details: { packages: isPackage ? [driver] : drivers.slice(1), command },
    cause: failures[0],
  });
}
