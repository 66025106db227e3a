import { describe, expect, it } from "vitest";
import {
  checkArgumentCount,
  constantNames,
  findConstant,
  findFunction,
  functionNames,
  ruleOf,
} from "../../../src/tools/calculator/functions.ts";

describe("the list of functions", () => {
  it("ignores case", () => {
    expect(findFunction("Sqrt")).toBe("sqrt");
    expect(findConstant("PI")).toBe("pi");
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

  it("states the valid number of arguments", () => {
    expect(checkArgumentCount("sqrt", 1)).toBeUndefined();
    expect(checkArgumentCount("sqrt", 2)).toBe("1");
    expect(checkArgumentCount("log", 3)).toBe("1 or 2");
    expect(checkArgumentCount("max", 0)).toBe("at least 1");
    expect(checkArgumentCount("max", 1_000)).toBeUndefined();
  });

  it("assigns a cost to every function", () => {
    for (const name of functionNames) expect(ruleOf(name)[2]).toBeGreaterThan(0);
  });
});
