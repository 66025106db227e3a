import { AgentError } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";
import type { NativeDatabase } from "./sql-database.ts";

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

/** Extra files from which drivers are resolved. The command adds one in the current folder. */
export const driverPlaces: string[] = [];

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
