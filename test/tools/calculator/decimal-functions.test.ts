import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { failure, outcome } from "./outcome.ts";

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
