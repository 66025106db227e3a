import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAgentError } from "../../../src/core/errors.ts";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { ExactFraction } from "./exact-expressions.ts";

/** The remainder of two fractions with BigInt, with the sign of the dividend. */
function exactRemainder(a: bigint, b: bigint, c: bigint, d: bigint): ExactFraction {
  return new ExactFraction((a * d) % (c * b), b * d);
}

async function outcomeFor(expression: string): Promise<number | string> {
  try {
    return await evaluate(expression);
  } catch (thrown) {
    if (!isAgentError(thrown, "calculation-failed")) throw thrown;
    return thrown.details.problem;
  }
}

describe("a remainder", () => {
  it.each([
    ["mod(1, 1/138)", "not-a-number"],
    ["1 % 138^-1", "not-a-number"],
    ["mod(396, 1/358)", "not-a-number"],
    ["mod(1, 1/4)", 0],
    ["(1/7) % (1/70)", 0],
    ["mod(2, sqrt(2)^2 / 138)", 0],
    ["1.00000000000000000000000000000000000001 % 0.5", "not-a-number"],
    ["mod(1, 0)", "division-by-zero"],
    ["1 % 0^-1", "division-by-zero"],
  ])("is never invented by rounding: %s", async (expression, expected) => {
    expect(await outcomeFor(expression)).toBe(expected);
  });

  it("equals that of exact fractions, or is refused", async () => {
    const small = fc.integer({ min: 1, max: 100_000 });
    const write = fc.constantFrom(
      (a: string, b: number, c: number, d: number) => `mod(${a} / ${b}, ${c} / ${d})`,
      (a: string, b: number, c: number, d: number) => `(${a} / ${b}) % (${c} / ${d})`,
      (a: string, b: number, c: number, d: number) => `(${a} * ${b}^-1) % (${c} * ${d}^-1)`,
    );
    const factor = fc.oneof(small, fc.integer({ min: 1, max: 10 ** 14 })).map(BigInt);
    await fc.assert(
      fc.asyncProperty(factor, small, small, small, fc.boolean(), write, async (k, other, c, d, isMultiple, text) => {
        // Multiples have no remainder, but nearly one where the divisor was rounded up.
        const [a, b] = isMultiple ? [k * BigInt(c), d] : [k, other];
        const value = await outcomeFor(text(String(a), b, c, d));
        if (typeof value === "string") expect(value).toBe("not-a-number");
        else expect(exactRemainder(a, BigInt(b), BigInt(c), BigInt(d)).isNearest(value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
