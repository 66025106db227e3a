import { describe, expect, it } from "vitest";
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
