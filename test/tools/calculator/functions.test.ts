import { describe, expect, it } from "vitest";
import {
  constantNames,
  findConstant,
  findFunction,
  functionNames,
  ruleOf,
} from "../../../src/tools/calculator/functions.ts";

describe("the list of functions", () => {
  it("ignores case", () => {
    expect(findFunction("Sqrt")).toBe("sqrt");
    expect(findConstant("PI")).toMatch(/^3\.14159/);
    expect(findFunction("pi")).toBeUndefined();
    expect(findConstant("sqrt")).toBeUndefined();
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])("does not inherit %s", (name) => {
    expect(findFunction(name)).toBeUndefined();
    expect(findConstant(name)).toBeUndefined();
  });

  it("is sorted, and has no name in common with the constants", () => {
    expect([...functionNames].sort()).toEqual(functionNames);
    expect(functionNames.filter((name) => findConstant(name) !== undefined)).toEqual([]);
    expect(constantNames).toEqual(["e", "pi", "tau"]);
  });

  it("assigns a cost to every function", () => {
    for (const name of functionNames) expect(ruleOf(name)[2]).toBeGreaterThan(0);
  });
});
