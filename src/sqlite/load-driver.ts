import { createRequire } from "node:module";
import { AgentError } from "../core/errors.ts";
import { describeThrown } from "../core/text.ts";
import type { NativeDatabase } from "./sql-database.ts";

/**
 * The driver: `node` is `node:sqlite`, part of Node since 22.13; the others are packages. All share one format.
 * @inline
 */
export type SqliteDriver = "node" | "better-sqlite3" | "libsql";

/** Opens a database with a driver. */
export type DatabaseConstructor = new (path: string) => NativeDatabase;

/** Returns a module; throws or returns undefined if there is none. */
export type FindModule = (name: string) => unknown;

/** In the order in which they are tried. */
export const drivers: readonly SqliteDriver[] = ["node", "better-sqlite3", "libsql"];
const packages = ["better-sqlite3", "libsql"];

const load = createRequire(import.meta.url);
const findInstalled: FindModule = (name) =>
  name.startsWith("node:") ? process.getBuiltinModule(name) : (load(name) as unknown);

/**
 * The first available driver, or the requested one. An installed package that does not work here, for example because
 * its install script was not run, is skipped. Throws `missing-dependency`.
 */
export function loadDriver(
  driver: SqliteDriver | undefined,
  findModule: FindModule = findInstalled,
): DatabaseConstructor {
  const failures: unknown[] = [];
  for (const candidate of driver === undefined ? drivers : [driver]) {
    try {
      const found = findDriver(candidate, findModule);
      if (found !== undefined) return found;
    } catch (thrown) {
      if (!isNotFound(thrown, candidate)) failures.push(thrown);
    }
  }
  throw missingDriver(driver, failures);
}

function findDriver(driver: SqliteDriver, findModule: FindModule): DatabaseConstructor | undefined {
  if (driver === "node") {
    const builtin = findModule("node:sqlite") as { DatabaseSync: DatabaseConstructor } | undefined;
    return builtin?.DatabaseSync;
  }
  const Database = findModule(driver) as DatabaseConstructor;
  // Loads the compiled part.
  new Database(":memory:").close();
  return Database;
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
  const broken = failures.map((failure) => ` One is installed, but does not load: ${describeThrown(failure)}.`);
  const way = isPackage ? `Run "${command}".` : `Run "${command}", or use Node 24 (this is ${version}).`;
  return new AgentError("missing-dependency", `${wanted} is not available. ${way}${broken.join("")}`, {
    details: { packages: isPackage ? [driver] : packages, command },
    cause: failures[0],
  });
}
