import { expect, it } from "vitest";
import { readInteger, readOptionalText, readText, type SqlRow } from "../../../src/adapters/sql/statement.ts";
import { asBytes } from "../../../src/adapters/sqlite/sql-database.ts";
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
  expect(() => readText(db.get("SELECT 1 AS a") ?? {}, "a")).toThrow(/not a text/);
  db.close();
});
