import { isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { readInteger, readOptionalText, readText, type SqlRow } from "../../../src/adapters/sql/statement.ts";
import { asBytes, type FindDriver, loadDriver, type SqliteDriver } from "../../../src/adapters/sqlite/sql-database.ts";
import { drivers, openRaw } from "./sqlite-files.ts";

it.each(drivers)("the readers of columns return stored values unchanged, and refuse others, with %s", (driver) => {
  const db = openRaw(":memory:", driver);
  db.exec("CREATE TABLE t (a)");
  const rowOf = (value: string): SqlRow => {
    db.exec(`DELETE FROM t; INSERT INTO t VALUES (${value})`);
    return db.get(`SELECT ${asBytes("t.a")} FROM t`) ?? {};
  };
  const textOf = (value: string) => readText(rowOf(value), "a");
  expect(["''", "'milk'", "char(65279, 233, 128512)", "12"].map(textOf)).toEqual([
    "",
    "milk",
    "\ufeffé\u{1F600}",
    "12",
  ]);
  expect(["0", "-5", "'12'", "9007199254740991"].map((value) => readInteger(rowOf(value), "a"))).toEqual([
    0, -5, 12, 9_007_199_254_740_991,
  ]);
  expect(readOptionalText(rowOf("NULL"), "a")).toBeUndefined();
  expect(() => textOf("NULL")).toThrow(SyntaxError);
  for (const bytes of ["ff", "c328", "eda080", "6d80"])
    expect(() => textOf(`CAST(x'${bytes}' AS TEXT)`)).toThrow(/not UTF-8/);
  for (const value of ["NULL", "1.5", "'x'", "''", "9007199254740992", "x'ff'"])
    expect(() => readInteger(rowOf(value), "a")).toThrow(SyntaxError);
  expect(() => readText(db.get("SELECT 1 AS a") ?? {}, "a")).toThrow(/not text/);
  db.close();
});

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
    expect(message).toMatch(/^Node's driver is not available\. Run "npm install libsql", or use Node 22\.13 or later/);
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
      `No SQLite driver is available. Run "npm install libsql", or use Node 22.13 or later (this is ${version}).`,
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
