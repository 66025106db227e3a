import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArithmetic } from "../../../src/tools/calculator/arithmetic-language.ts";
import { defaultMaxDepth, defaultMaxLength, evaluate } from "../../../src/tools/calculator/evaluate.ts";

/** What the expression comes to, with 100 as the earlier result. */
async function resultOf(text: string, hasPrevious = false): Promise<number | undefined> {
  const read = readArithmetic(text, { hasPrevious });
  if (read === undefined) return undefined;
  const variables = read.usesPrevious ? { x: 100 } : undefined;
  return evaluate(read.expression, { variables, maxLength: defaultMaxLength, maxDepth: defaultMaxDepth });
}

describe("readArithmetic", () => {
  it.each([
    ["100 / 4", "100 / 4"],
    ["12*4", "12 * 4"],
    ["(3 + 4) × 2 ÷ 7", "(3 + 4) * 2 / 7"],
    ["2 ** 3 ^ 2", "2 ^ 3 ^ 2"],
    ["-5 + 3", "-5 + 3"],
    ["sqrt(16) + max(1, 2, 3)", "sqrt(16) + max(1, 2, 3)"],
    ["2 * pi", "2 * pi"],
    ["$1,200.50 + €50", "1200.50 + 50"],
    ["5!", "5!"],
    ["17 % 5", "17 % 5"],
    ["50% * 100", "50% * 100"],
    ["15 % of 80", "15% * 80"],
    ["30% off 279", "279 * (1 - 30%)"],
    ["1e3 + 1", "1e3 + 1"],
    ["5x6", "5 * 6"],
    ["[1 + 2] * 3", "(1 + 2) * 3"],
  ])("writes %s as an expression for the calculator", (text, expression) => {
    expect(readArithmetic(text)).toEqual({ expression, usesPrevious: false });
  });

  it.each([
    ["five plus three times two", 11],
    ["two hundred and five minus seventeen", 188],
    ["the sum of three and four", 7],
    ["the sum of three hundred and four", 304],
    ["sum of 3, 7, 9, and 24", 43],
    ["the product of six and seven", 42],
    ["the difference between 20 and 8", 12],
    ["the difference between 8 and 20", 12],
    ["the quotient of 20 and 8", 2.5],
    ["the ratio of 10 to 4", 2.5],
    ["the average of 10, 20 and 30", 20],
    ["the largest of 3, 9 and 4", 9],
    ["the minimum of 3, 9 and 4", 3],
    ["add 5 and 6", 11],
    ["add 5 to 10", 15],
    ["add up 3, 4 and 5", 12],
    ["add the numbers 3, 4 and 5", 12],
    ["add 3 and 4 together", 7],
    ["add 3 + 4", 7],
    ["add 20% to 80", 96],
    ["subtract 5 from 20", 15],
    ["take 5 away from 20", 15],
    ["take 10% off 50", 45],
    ["deduct 10% from 50", 45],
    ["multiply sixteen by nine", 144],
    ["multiply 2, 3 and 4", 24],
    ["multiply 2 with 3", 6],
    ["divide 144 by 12", 12],
    ["divide 20 into 4 equal parts", 5],
    ["increase 50 by 10%", 55],
    ["reduce 50 by 10", 40],
    ["raise 2 to the power of 5", 32],
    ["raise 2 to 5", 32],
    ["double 21", 42],
    ["triple 5", 15],
    ["halve 10", 5],
    ["square 5", 25],
    ["cube 2", 8],
    ["negate 5", -5],
    ["twice 7 plus 3", 17],
    ["7 doubled", 14],
    ["half of 90", 45],
    ["half 90", 45],
    ["a third of 99", 33],
    ["two thirds of nine", 6],
    ["three quarters of 8", 6],
    ["3/4 of 200 euros", 150],
    ["7 hundredths of 100", 7],
    ["one and a half times four", 6],
    ["2 and three quarters plus 1", 3.75],
    ["20% of 50 plus 5", 15],
    ["15 per cent of 80", 12],
    ["50% of 20% of 100", 10],
    ["10% tip on 50", 5],
    ["the square root of 144", 12],
    ["the cube root of 27", 3],
    ["the fourth root of 16", 2],
    ["the 5th root of 32", 2],
    ["√16 + 2² + 2³", 16],
    ["3 squared plus 4 squared", 25],
    ["4 cubed", 64],
    ["the square of 5", 25],
    ["2 to the power of 10", 1024],
    ["2 to the fifth power", 32],
    ["2 raised to the 3rd", 8],
    ["5 factorial", 120],
    ["the factorial of 5", 120],
    ["17 mod 5", 2],
    ["remainder of 17 divided by 5", 2],
    ["the remainder when 17 is divided by 5", 2],
    ["how many times does 3 go into 12", 4],
    ["3 goes into 12", 4],
    ["5 less than 12", 7],
    ["7 more than 8", 15],
    ["50 increased by 10%", 55],
    ["50 decreased by 10", 40],
    ["5 subtracted from 7", 2],
    ["the absolute value of -5", 5],
    ["the reciprocal of 4", 0.25],
    ["log base 2 of 8", 3],
    ["the logarithm to the base 2 of 8", 3],
    ["the log of 1000", 3],
    ["sqrt 49 plus 1", 8],
    ["abs of -3", 3],
    ["round 3.14159 to 2 decimal places", 3.14],
    ["round 3.5", 4],
    ["round up 3.2", 4],
    ["round down 3.8", 3],
    ["round 3.2 up", 4],
    ["round 3.8 down", 3],
    ["round 7 / 2 to the nearest whole number", 4],
    ["10 / 3 rounded to two decimals", 3.33],
    ["10 / 3, rounded", 3],
    ["the sum of 3 and 5, divided by 2", 4],
    ["the sum of 3 and 4 equals", 7],
    ["3 + 4 =", 7],
    ["3 + 4 = ?", 7],
    ["negative five times three", -15],
    ["-(2 + 3) ^ 2", -25],
    ["(-2) ^ 2", 4],
    ["two plus two is what", 4],
    ["what is the value of 3 + 4 in total", 7],
    ["a dozen times 3", 36],
    ["3 million divided by two hundred and fifty thousand", 12],
    ["half of the sum of 4 and 6", 5],
    ["10 - (4 - 3) - 2", 7],
    ["6 / (2 * 3)", 1],
    ["the sine of 0", 0],
    ["cos of 0", 1],
    ["tangent of 0", 0],
    ["the natural log of 1", 0],
    ["ln of 1", 0],
    ["double of 4 plus the triple of 2", 14],
    ["5 tripled", 15],
    ["9 halved", 4.5],
    ["3 quadrupled", undefined],
    ["the cube of 3", 27],
    ["1 plus quadruple 2", 9],
    ["1 plus halve 2", 2],
  ])("reads %s as %j", async (text, value) => {
    if (value === undefined) expect(readArithmetic(text)).toBeUndefined();
    else expect(await resultOf(text)).toBeCloseTo(value, 10);
  });

  it.each([
    ["add 12 to it", 112],
    ["add 12", 112],
    ["add 10%", 110],
    ["double that", 200],
    ["double", 200],
    ["plus 5", 105],
    ["times 3", 300],
    ["divided by 4", 25],
    ["divide it by 4", 25],
    ["divide by 4", 25],
    ["multiply the result by 2", 200],
    ["multiply by 2", 200],
    ["subtract 6", 94],
    ["subtract that from 240", 140],
    ["take 10% off", 90],
    ["take away 3", 97],
    ["take the square root", 10],
    ["take the square root of it", 10],
    ["squared", 10_000],
    ["square the last answer", 10_000],
    ["round it", 100],
    ["round to 2 decimals", 100],
    ["increase it by 10%", 110],
    ["decrease by 10", 90],
    ["raise it to the power of 2", 10_000],
    ["raise to the power of 2", 10_000],
    ["what is 10% of that", 10],
    ["half of it", 50],
    ["the total minus 1", 99],
  ])("continues from an earlier result: %s is %d", async (text, value) => {
    expect(await resultOf(text, true)).toBeCloseTo(value, 10);
    expect(readArithmetic(text)).toBeUndefined();
  });

  it.each([
    "",
    "7",
    "what is 7",
    "fifty",
    "50%",
    "three quarters",
    "-5",
    "the time",
    "milk",
    "5 eggs",
    "x + 2 = 5",
    "10 choose 3",
    "sum of 3",
    "3 +",
    "+ 3",
    "(3 + 4",
    "3 + 4)",
    "sqrt(",
    "sqrt(1",
    "foo(3)",
    "5 % off milk",
    "5 off 10",
    "3 & 4",
    "add",
    "multiply",
    "multiply 3",
    "divide 3",
    "round",
    "round 3 to milk",
    "round 3 to the nearest dozen",
    "increase 5",
    "square root",
    "remainder of 5",
    "log base 2",
    "the fourth root",
    "constructor + 1",
    "__proto__",
    "5 + toString",
  ])("finds no arithmetic in %j", (text) => {
    expect(readArithmetic(text)).toBeUndefined();
  });

  it("handles hostile requests in linear time", () => {
    const hostile = [
      "(",
      "sum of ",
      "2^",
      "half ",
      "square root of ",
      "5 thirds ",
      "- ",
      "the sum of the sum of ",
      "log base 2 of ",
      "% ",
    ];
    for (const piece of hostile)
      expect(readArithmetic(`${piece.repeat(19_000 / piece.length)}1`)?.expression ?? "").not.toBe("x");
    expect(readArithmetic("1+".repeat(20_000))).toBeUndefined();
    expect(readArithmetic(`1${" + 1".repeat(4_000)}`)?.expression).toHaveLength(16_001);
  });

  it("writes only valid expressions", async () => {
    const words =
      "5 3 seven + - * / ^ % ( ) plus minus times of half the sum and square root squared percent off it double round to , factorial two thirds over".split(
        " ",
      );
    const texts = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 9 }).map((all) => all.join(" "));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const read = readArithmetic(text, { hasPrevious: true });
        if (read === undefined) return;
        const options = { variables: { x: 2 }, maxLength: defaultMaxLength, maxDepth: defaultMaxDepth };
        const failed = await Promise.resolve()
          .then(() => evaluate(read.expression, options))
          .then(
            () => undefined,
            (error: { code?: string }) => error.code,
          );
        expect(["syntax", "unknown-function", "unknown-variable", "wrong-arguments"]).not.toContain(failed);
      }),
      { numRuns: 2_000 },
    );
  });
});
