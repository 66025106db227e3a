import fc from "fast-check";
import { isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { ExactFraction, operate } from "./exact-expressions.ts";

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

/** Sums of + - * / % with each operand a sum in turn, and long numbers, with their exact values. */
const { sum: nested } = fc.letrec<{ sum: { readonly text: string; readonly exact: ExactFraction | undefined } }>(
  (tie) => ({
    sum: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: -9, max: 9 })).map(([digits, e]) => ({
        text: `${digits}e${e}`,
        exact:
          e < 0
            ? new ExactFraction(BigInt(digits), 10n ** BigInt(-e))
            : new ExactFraction(BigInt(digits) * 10n ** BigInt(e), 1n),
      })),
      fc.tuple(tie("sum"), fc.constantFrom("%", "%", "/", "*", "-", "+"), tie("sum")).map(([left, operator, right]) => {
        const [a, b] = [left.exact, right.exact];
        const exact = a && b && operate(operator, a, b, 10n ** 100n);
        const text = `(${left.text} ${operator} ${right.text})`;
        return { text, exact: exact instanceof ExactFraction ? exact : undefined };
      }),
    ),
  }),
);

describe("a remainder", () => {
  it.each([
    ["mod(1, 1/138)", "not-a-number"],
    ["1 % 138^-1", "not-a-number"],
    ["mod(396, 1/358)", "not-a-number"],
    ["mod(1, 1/4)", 0],
    ["(1/7) % (1/70)", "not-a-number"],
    ["mod(2, sqrt(2)^2 / 138)", "not-a-number"],
    ["1.00000000000000000000000000000000000001 % 0.5", 1e-38],
    ["1 % (1/99999999999)", "not-a-number"],
    ["1 % (1/3 - 0.333333)", "not-a-number"],
    ["mod(1/3, 0.3333333333333333333333333333333333)", "not-a-number"],
    ["1 % (5e0 % (4/3))", "not-a-number"],
    ["1 % (5e6 % (7/3))", "not-a-number"],
    ["8 % sqrt(4)", 0],
    ["7 % log10(1000)", 1],
    ["5000/60 % 60", 70 / 3],
    ["(22/7) % 1", 1 / 7],
    ["floor(10/3) % 2", 1],
    ["floor((4/3)^280) % 7", 1],
    ["floor((4/3)^300) % 7", "not-a-number"],
    ["round((4/3)^300) % 7", "not-a-number"],
    ["lcm(10^25 + 1, 10^25 + 3) % (10^25 + 1)", "not-a-number"],
    ["gcd(trunc((4/3)^300), 7)", "wrong-arguments"],
    ["mod(1, 0)", "division-by-zero"],
    ["1 % 0^-1", "division-by-zero"],
  ])("is never invented by rounding: %s", async (expression, expected) => {
    expect(await outcomeFor(expression)).toBe(expected);
  });

  it("of remainders and quotients equals that of exact fractions, or is refused", async () => {
    let known = 0;
    await fc.assert(
      fc.asyncProperty(nested, async ({ text, exact }) => {
        const value = await outcomeFor(text);
        if (typeof value === "string") return;
        known++;
        // A difference of nearly equal terms, or what is nearly a simple number, loses digits that no remainder hides.
        const isRight = exact !== undefined && (exact.isNearest(value) || exact.isWithin(value, 1e-15));
        expect({ text, value, isRight }).toEqual({ text, value, isRight: true });
      }),
      { numRuns: 20_000 },
    );
    expect(known).toBeGreaterThan(1_000);
  });

  it("of a rounded number that was rounded to whole ones is exact, or is refused", async () => {
    const roundings: Readonly<Record<string, (above: bigint, below: bigint) => bigint>> = {
      floor: (above, below) => above / below,
      trunc: (above, below) => above / below,
      ceil: (above, below) => (above + below - 1n) / below,
      round: (above, below) => (2n * above + below) / (2n * below),
    };
    const base = fc.integer({ min: 1, max: 30 });
    const exponent = fc.integer({ min: 1, max: 300 });
    const name = fc.constantFrom(...Object.keys(roundings));
    let known = 0;
    await fc.assert(
      fc.asyncProperty(
        name,
        base,
        base,
        exponent,
        fc.integer({ min: 2, max: 99 }),
        async (rounding, a, b, n, divisor) => {
          const value = await outcomeFor(`${rounding}((${a} / ${b})^${n}) % ${divisor}`);
          if (typeof value === "string") return;
          known++;
          const whole = roundings[rounding]?.(BigInt(a) ** BigInt(n), BigInt(b) ** BigInt(n)) ?? 0n;
          expect(value).toBe(Number(whole % BigInt(divisor)));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(known).toBeGreaterThan(500);
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
