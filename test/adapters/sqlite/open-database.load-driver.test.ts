import { isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { type FindDriver, loadDriver, type SqliteDriver } from "../../../src/adapters/sqlite/sql-database.ts";

class Working {
  exec() {}
  close() {}
  prepare(): never {
    throw new Error("not here");
  }
}

class Broken extends Working {
  constructor() {
    super();
    throw new Error("Could not locate the bindings file.");
  }
}

type Found = Partial<Record<SqliteDriver, typeof Working>>;

/** One place, in which there are some drivers. */
function finder(found: Found): FindDriver {
  return (driver) => {
    if (found[driver] !== undefined || driver === "node") return found[driver];
    throw Object.assign(new Error(`Cannot find module '${driver}'`), { code: "MODULE_NOT_FOUND" });
  };
}

function errorOf(driver: SqliteDriver | undefined, found: Found) {
  try {
    loadDriver(driver, [finder(found)]);
  } catch (thrown) {
    if (isAgentError(thrown, "missing-dependency")) return thrown;
    throw thrown;
  }
  throw new Error("It did not fail.");
}

describe("loadDriver", () => {
  it("loads the driver of Node, else better-sqlite3, else libsql", () => {
    class Other extends Working {}
    expect(loadDriver(undefined, [finder({ node: Working, libsql: Other })])).toBe(Working);
    expect(loadDriver(undefined, [finder({ "better-sqlite3": Working, libsql: Other })])).toBe(Working);
    expect(loadDriver(undefined, [finder({ libsql: Other })])).toBe(Other);
  });

  it("looks for a driver in every place before it looks for the next", () => {
    class Other extends Working {}
    const places = [finder({ libsql: Other }), finder({ "better-sqlite3": Working })];
    expect(loadDriver(undefined, places)).toBe(Working);
    expect(loadDriver("libsql", places)).toBe(Other);
    expect(loadDriver(undefined, [finder({ libsql: Broken }), finder({ libsql: Other })])).toBe(Other);
  });

  it("loads the requested driver", () => {
    class Other extends Working {}
    const modules = { node: Working, "better-sqlite3": Working, libsql: Other };
    expect(loadDriver("libsql", [finder(modules)])).toBe(Other);
    expect(errorOf("libsql", { node: Working })).toMatchObject({
      message: 'The driver "libsql" is not available. Run "npm install libsql".',
      details: { packages: ["libsql"], command: "npm install libsql" },
    });
    const message = errorOf("node", { libsql: Other }).message;
    expect(message).toMatch(
      /^Node's own driver is not available\. Run "npm install libsql", or use Node 22\.13 or later/,
    );
  });

  it("skips a package without its compiled part, and reports that if there is no other", () => {
    expect(loadDriver(undefined, [finder({ "better-sqlite3": Broken, libsql: Working })])).toBe(Working);
    const error = errorOf(undefined, { "better-sqlite3": Broken });
    expect(error.message).toContain("does not load: Error: Could not locate the bindings file.");
    expect(error.cause).toBeInstanceOf(Error);
    const broken = finder({ "better-sqlite3": Broken });
    expect(() => loadDriver(undefined, [broken, broken])).toThrow(error.message);
  });

  it("reports what to install if no driver is available", () => {
    const error = errorOf(undefined, {});
    expect(error.details).toEqual({ packages: ["better-sqlite3", "libsql"], command: "npm install libsql" });
    const version = process.versions.node;
    expect(error.message).toBe(
      `An SQLite driver is not available. Run "npm install libsql", or use Node 22.13 or later (this is ${version}).`,
    );
    expect(error.cause).toBeUndefined();
  });

  it("reports a package whose own dependency is missing", () => {
    const findDriver: FindDriver = () => {
      throw Object.assign(new Error("Cannot find module '@libsql/linux-x64-gnu'"), { code: "MODULE_NOT_FOUND" });
    };
    expect(() => loadDriver("libsql", [findDriver])).toThrow(/Cannot find module '@libsql\/linux-x64-gnu'/);
  });
});
