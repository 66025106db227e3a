import { Decimal as DecimalBase } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, asRounded, Decimal, multiply, precision, settle, subtract } from "../../../src/core/decimal.ts";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import {
  constantNames,
  constantTexts,
  findConstant,
  findFunction,
  functionNames,
  ruleOf,
} from "../../../src/tools/calculator/functions.ts";
import { failure, outcome } from "./outcome.ts";

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

describe("a function of decimals", () => {
  it.each([
    ["sqrt(0)", 0],
    ["cbrt(-0.001)", -0.1],
    ["root(-32, 5)", -2],
    ["root(16, -2)", 0.25],
    ["sign(-0.5) + sign(0) * 10 + sign(2) * 100", 99],
    ["round(-1.5)", -2],
    ["round(0.5)", 1],
    ["round(1.45, 1)", 1.5],
    ["round(55, -1)", 60],
    ["round(1e-300, 400)", 1e-300],
    ["gcd(0, 0)", 0],
    ["gcd(-12, 18)", 6],
    ["lcm(0, 5)", 0],
    ["lcm(-4, 6)", 12],
    ["lcm(5)", 5],
    ["hypot(5)", 5],
    ["hypot(1e200, 1e200) / 1e200", Math.SQRT2],
    ["log(1e-20)", -20],
    ["log(0.5, 0.5)", 1],
    ["log(1)", 0],
    ["sum(0.1, 0.2, -0.3)", 0],
    ["max(1/3, 0.3)", 1 / 3],
    ["min(-1e300, 1)", -1e300],
    ["mod(5.5, 2)", 1.5],
    ["factorial(5)", 120],
  ])("%s is %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });

  it.each([
    ["sqrt(-1)", "not-a-number", "sqrt needs a number of at least 0"],
    ["ln(-1)", "not-a-number", "ln needs a number above 0"],
    ["log(0)", "not-a-number", "log needs a number above 0"],
    ["log2(-1)", "not-a-number", "log2 needs a number above 0"],
    ["log(2, 1)", "not-a-number", "a base above 0 that is not 1"],
    ["log(2, -2)", "not-a-number", "a base above 0 that is not 1"],
    ["root(4, 0)", "wrong-arguments", "a whole number n that is not 0"],
    ["root(4, 1.5)", "wrong-arguments", "a whole number n that is not 0"],
    ["root(-4, 2)", "not-a-number", "not a real number"],
    ["round(1, 0.5)", "wrong-arguments", "from -400 to 400"],
    ["round(1, 401)", "wrong-arguments", "from -400 to 400"],
    ["gcd(1.5, 3)", "wrong-arguments", "gcd needs whole numbers"],
    ["gcd(1e40, 3)", "wrong-arguments", "at most 40 digits"],
    ["lcm(2.5)", "wrong-arguments", "lcm needs whole numbers"],
  ])("%s fails with %s", async (expression, problem, message) => {
    const error = await failure(expression);
    expect(error).toMatchObject({ details: { problem, position: 0 } });
    expect(error.message).toContain(message);
  });
});

describe("trigonometry", () => {
  it.each([
    ["sin(pi)", 0],
    ["sin(1000000 * pi)", 0],
    ["cos(pi / 2)", 0],
    ["sin(1e-30)", 1e-30],
    ["cos(1e-30)", 1],
    ["tan(1e-30)", 1e-30],
    ["tan(pi / 4)", 1],
    ["asin(-1)", -Math.PI / 2],
    ["asin(1e-300)", 1e-300],
    ["acos(1)", 0],
    ["acos(0)", Math.PI / 2],
    ["atan(-1e300)", -Math.PI / 2],
    ["atan(-1)", -Math.PI / 4],
    ["atan2(0, 0)", 0],
    ["atan2(1, 0)", Math.PI / 2],
    ["atan2(-1, 0)", -Math.PI / 2],
    ["atan2(0, -1)", Math.PI],
    ["atan2(-1, -1)", (-3 * Math.PI) / 4],
    ["sinh(0)", 0],
    ["sinh(-1)", -Math.sinh(1)],
    ["tanh(-100000)", -1],
    ["asinh(1e-25)", 1e-25],
    ["acosh(1)", 0],
    ["exp(-30000)", 0],
    ["degrees(pi)", 180],
    ["radians(90)", Math.PI / 2],
  ])("%s is %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });

  it.each([
    "tan(pi / 2)",
    "tan(-3 * pi / 2)",
    "sin(2e20)",
    "cos(-2e20)",
    "tan(2e20)",
    "asin(1.1)",
    "acos(-1.1)",
    "acosh(0.9)",
    "atanh(1)",
    "atanh(-2)",
  ])("%s is not a number", async (expression) => {
    expect(await outcome(expression)).toBe("not-a-number at 0");
  });

  it.each(["exp(30000)", "exp(710)", "sinh(30000)", "cosh(-30000)"])("%s overflows", async (expression) => {
    expect(await outcome(expression)).toBe("overflow at 0");
  });

  it("agrees with the engine's functions", async () => {
    const cases = [
      ["sin", -10, 10],
      ["cos", -10, 10],
      ["tan", -1.5, 1.5],
      ["asin", -0.999, 0.999],
      ["acos", -0.999, 0.999],
      ["atan", -100, 100],
      ["sinh", -5, 5],
      ["cosh", -5, 5],
      ["tanh", -5, 5],
      ["asinh", -100, 100],
      ["acosh", 1.01, 100],
      ["atanh", -0.99, 0.99],
      ["exp", -50, 50],
    ] as const;
    for (const [name, min, max] of cases) {
      const property = fc.asyncProperty(fc.double({ min, max, noNaN: true }), async (x) => {
        const expected = Math[name](x);
        expect(Math.abs((await evaluate(`${name}(x)`, { variables: { x } })) - expected)).toBeLessThanOrEqual(
          1e-13 * Math.max(1, Math.abs(expected)),
        );
      });
      await fc.assert(property, { numRuns: 30, seed: 1 });
    }
  });
});

const third = new Decimal(1).div(3);

describe("Decimal", () => {
  it("does not change the settings of decimal.js itself", () => {
    expect(DecimalBase.precision).toBe(20);
    expect(Decimal.precision).toBe(precision);
  });

  it("has constants of more digits than its precision", () => {
    expect(Decimal.acos(-1).minus(constantTexts.pi).abs().lessThan("1e-38")).toBe(true);
    expect(Decimal.exp(1).minus(constantTexts.e).abs().lessThan("1e-38")).toBe(true);
    expect(new Decimal(constantTexts.tau).div(2).minus(constantTexts.pi).abs().lessThan("1e-38")).toBe(true);
  });
});

describe("settle", () => {
  it("corrects the rounding error of a simple result", () => {
    expect(settle(third.times(3)).toString()).toBe("1");
    expect(settle(new Decimal(2).sqrt().pow(2)).toString()).toBe("2");
  });

  it("leaves every other result unchanged", () => {
    expect(settle(third)).toBe(third);
    const nearlyOne = new Decimal("0.99999999999999999999999999999999999");
    expect(settle(nearlyOne)).toBe(nearlyOne);
  });

  it("refuses an infinite result", () => {
    expect(() => settle(new Decimal("1e9999").times(10))).toThrow(expect.objectContaining({ problem: "overflow" }));
  });
});

describe("add", () => {
  it("treats the rounding error of equal values as 0", () => {
    const [two = third, three = third, six = third] = [2, 3, 6].map((value) => asRounded(new Decimal(value).sqrt()));
    const product = multiply(two, three);
    expect(subtract(product, six).toString()).toBe("0");
  });

  it("keeps small exact values and small terms", () => {
    expect(add(new Decimal("1.00000000000000000000000000000000000001"), new Decimal(-1)).toString()).toBe("1e-38");
    expect(add(new Decimal(0), third.times("1e-50")).toString()).toBe(third.times("1e-50").toString());
  });
});

describe("operators on decimals", () => {
  it.each([
    ["1e0 + 2", 3],
    ["1e0 - 2", -1],
    ["3e0 * 2", 6],
    ["3e0 / 2", 1.5],
    ["-8e0 % 3", -2],
    ["8e0% - 3", 8 / 100 - 3],
    ["0e0 % 3", 0],
    ["2e0 ^ 10", 1024],
    ["2e0 ^ -1", 0.5],
    ["0e0 ^ 0", 1],
    ["-(1e0)", -1],
    ["50e0%", 0.5],
    ["5e0!", 120],
    ["0e0!", 1],
    ["1e37 % 7", 3],
    ["2^1000 / 2^999", 2],
  ])("%s is %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });

  it.each([
    ["1e0 / 0", "division-by-zero at 4"],
    ["1e0 % 0", "division-by-zero at 4"],
    ["0e0 ^ -1", "division-by-zero at 4"],
    ["0 ^ -0.5", "division-by-zero at 2"],
    ["(-8) ^ (1/3)", "not-a-number at 5"],
    ["1e40 % 7", "not-a-number at 5"],
    ["(-1)!", "not-a-number at 4"],
    ["1001!", "overflow at 4"],
    ["10 ^ 400", "overflow at 3"],
    ["10 ^ 10000", "overflow at 3"],
  ])("%s fails: %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });
});
