import { describe, expect, it } from "vitest";
import { evaluateFractions } from "../../../src/tools/calculator/fraction.ts";
import { parse } from "../../../src/tools/calculator/parse.ts";

function evaluated(expression: string, variables: Record<string, number> = {}): number | undefined {
  const instructions = parse(expression, { maxLength: 100, maxDepth: 10, isVariable: () => true });
  return evaluateFractions(instructions, new Map(Object.entries(variables)));
}

describe("evaluateFractions", () => {
  it.each([
    ["(41 * 7) + 13", 300],
    ["0.1 + 0.2", 0.3],
    ["1 / 3 * 3", 1],
    ["2 / 3", 2 / 3],
    ["-3 ^ 2", -9],
    ["8 % 3 + 50%", 2.5],
    ["3! - 6", 0],
  ])("%s is %s", (expression, expected) => {
    expect(evaluated(expression)).toBe(expected);
  });

  it.each(["1 / 0", "2 ^ 0.5", "sqrt(4)", "pi", "unknown", "9007199254740991 + 1", "1e3"])(
    "leaves %s to evaluateDecimals",
    (expression) => {
      expect(evaluated(expression)).toBeUndefined();
    },
  );

  it("reads variables in their shortest decimal form", () => {
    expect(evaluated("x + y", { x: 0.1, y: 0.2 })).toBe(0.3);
    expect(evaluated("x * y", { x: -0.5, y: -4 })).toBe(2);
    expect(evaluated("x", { x: 1e-9 })).toBeUndefined();
    expect(evaluated("x", { x: -1e300 })).toBeUndefined();
    expect(evaluated("x", { x: -0 })).toBe(0);
  });
});
