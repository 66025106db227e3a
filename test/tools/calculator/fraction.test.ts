import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateFractions, Fraction, operateOnFractions } from "../../../src/tools/calculator/fraction.ts";
import { type Operator, parse } from "../../../src/tools/calculator/parse.ts";

const show = (fraction: Fraction | undefined) => fraction && `${fraction.numerator}/${fraction.denominator}`;

function operate(operator: Operator, left: string, right: string): string | undefined {
  const [first, second] = [left, right].map((text) => {
    const size = Fraction.parse(text.replace("-", ""));
    return size && Fraction.of(text.startsWith("-") ? -size.numerator : size.numerator, size.denominator);
  });
  return first && second && show(operateOnFractions(operator, first, second));
}

describe("Fraction.parse", () => {
  it.each([
    ["0", "0/1"],
    ["12", "12/1"],
    ["12.50", "25/2"],
    [".05", "1/20"],
    ["5.", "5/1"],
    ["007", "7/1"],
    ["999999999999999", "999999999999999/1"],
    ["1000000000000000", undefined],
    ["1e3", undefined],
  ])("%s is %s", (text, expected) => {
    expect(show(Fraction.parse(text))).toBe(expected);
  });
});

describe("operateOnFractions", () => {
  it.each<[Operator, string, string, string | undefined]>([
    ["add", "0.1", "0.2", "3/10"],
    ["add", "999999999999999", "0.000000001", undefined],
    ["subtract", "0.3", "0.1", "1/5"],
    ["subtract", "5", "5", "0/1"],
    ["multiply", "1.1", "1.1", "121/100"],
    ["multiply", "-3", "0", "0/1"],
    ["multiply", "99999999", "999999999", undefined],
    ["divide", "1", "3", "1/3"],
    ["divide", "1", "-3", "-1/3"],
    ["divide", "1", "0", undefined],
    ["divide", "0", "-3", "0/1"],
    ["remainder", "8", "3", "2/1"],
    ["remainder", "-8", "3", "-2/1"],
    ["remainder", "-3", "3", "0/1"],
    ["remainder", "5.5", "0.2", "1/10"],
    ["remainder", "5", "0", undefined],
    ["remainder", "999999999999999", "0.000000001", undefined],
    ["power", "2", "52", "4503599627370496/1"],
    ["power", "2", "53", undefined],
    ["power", "0.5", "3", "1/8"],
    ["power", "2", "-1", "1/2"],
    ["power", "-2", "-3", "-1/8"],
    ["power", "0", "-1", undefined],
    ["power", "2", "0.5", undefined],
    ["power", "1", "1025", undefined],
    ["power", "0", "0", "1/1"],
    ["negate", "1", "2.5", "-5/2"],
    ["negate", "1", "0", "0/1"],
    ["percent", "1", "15", "3/20"],
    ["factorial", "1", "18", "6402373705728000/1"],
    ["factorial", "1", "19", undefined],
    ["factorial", "1", "-1", undefined],
    ["factorial", "1", "0.5", undefined],
  ])("%s of %s and %s is %s", (operator, left, right, expected) => {
    expect(operate(operator, left, right)).toBe(expected);
  });

  it("never returns -0", () => {
    const zeros = [operateOnFractions("negate", ...pair(0, 0)), operateOnFractions("multiply", ...pair(-2, 0))];
    expect(zeros.map((zero) => zero?.toNumber())).toEqual([0, 0]);
  });

  it("is exact whenever it returns a result", () => {
    const part = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.maxSafeInteger());
    const operators = fc.constantFrom<Operator>("add", "subtract", "multiply", "divide", "remainder");
    fc.assert(
      fc.property(
        operators,
        part,
        fc.integer({ min: 1, max: 99_999 }),
        part,
        fc.integer({ min: 1, max: 99_999 }),
        (operator, a, b, c, d) => {
          const [left, right] = [Fraction.of(a, b), Fraction.of(c, d)];
          const result = left && right && operateOnFractions(operator, left, right);
          if (result === undefined) return;
          const [n, m] = exactResult(operator, [BigInt(a), BigInt(b)], [BigInt(c), BigInt(d)]);
          expect(BigInt(result.numerator) * m).toBe(n * BigInt(result.denominator));
        },
      ),
      { numRuns: 2_000, seed: 1 },
    );
  });
});

function pair(left: number, right: number): [Fraction, Fraction] {
  const [first, second] = [Fraction.of(left, 1), Fraction.of(right, 1)];
  if (first === undefined || second === undefined) throw new Error("not small integers");
  return [first, second];
}

function exactResult(operator: Operator, [a, b]: [bigint, bigint], [c, d]: [bigint, bigint]): [bigint, bigint] {
  if (operator === "add") return [a * d + c * b, b * d];
  if (operator === "subtract") return [a * d - c * b, b * d];
  if (operator === "multiply") return [a * c, b * d];
  return operator === "divide" ? [a * d, b * c] : [(a * d) % (c * b), b * d];
}

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
