import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { randomExpression } from "./exact-expressions.ts";
import { failure, outcome } from "./outcome.ts";

interface Expression {
  readonly group: string;
  readonly expression: string;
  readonly value: number;
}

const table = readFileSync(new URL("../../eval/expressions.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Expression);

describe("the table of expressions", () => {
  it("has at least 150 different expressions", () => {
    expect(new Set(table.map(({ expression }) => expression)).size).toBe(table.length);
    expect(table.length).toBeGreaterThanOrEqual(150);
  });

  it.each(table)("$group: $expression", async ({ expression, value }) => {
    expect(await evaluate(expression)).toBe(value);
  });
});

describe("evaluate compared with exact fractions", () => {
  it("returns the nearest number, or reports a division by zero", async () => {
    const property = fc.asyncProperty(randomExpression, async ({ text, exact }) => {
      const result = await outcome(text);
      if (exact === "division-by-zero") expect(result).toMatch(/^division-by-zero/);
      else if (exact !== "unchecked" && (exact.isTooLarge() || exact.isRoundedWhole()))
        expect(result).toMatch(/^overflow/);
      else if (exact !== "unchecked")
        expect({ result, isNearest: exact.isNearest(Number(result)) }).toEqual({ result, isNearest: true });
    });
    await fc.assert(property, { numRuns: 2_000, seed: 1 });
  });
});

describe("variables", () => {
  it("are used as values, not as text", async () => {
    expect(await evaluate("x ^ 2", { variables: { x: -3 } })).toBe(9);
    expect(await evaluate("2 / x", { variables: { x: 0.1 } })).toBe(20);
    expect(await evaluate("sqrt(total) + total", { variables: { total: 16 } })).toBe(20);
    expect(await evaluate("x!", { variables: { x: 5 } })).toBe(120);
    expect(await evaluate("50 % x", { variables: { x: 7 } })).toBe(1);
  });

  it("hide constants of the same case", async () => {
    expect(await evaluate("e + E", { variables: { e: 1 } })).toBe(1 + Math.E);
    expect(await evaluate("pi", { variables: { PI: 3 } })).toBe(Math.PI);
  });

  it("do not hide functions", async () => {
    expect(await evaluate("max(max, 2)", { variables: { max: 7 } })).toBe(7);
  });

  it("are own properties only", async () => {
    const variables: Record<string, number> = Object.create({ inherited: 1 });
    expect(await outcome("inherited", { variables })).toBe("unknown-name at 0");
    expect(await outcome("constructor + toString", { variables: { x: 1 } })).toBe("unknown-name at 0");
    expect(await outcome("__proto__ + 1", { variables: JSON.parse('{ "__proto__": 2 }') })).toBe(3);
  });

  it.each([
    [{ "a b": 1 }, 'The variable name "a b" is not allowed'],
    [{ "1a": 1 }, 'The variable name "1a" is not allowed'],
    [{ "": 1 }, 'The variable name "" is not allowed'],
    [{ ä: 1 }, 'The variable name "ä" is not allowed'],
    [{ x: Number.NaN }, 'The variable "x" must be a finite number.'],
    [{ x: Number.POSITIVE_INFINITY }, 'The variable "x" must be a finite number.'],
    [Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`x${index}`, 1])), "There are 1001 variables"],
  ])("are refused if they are invalid: %o", async (variables, message) => {
    const error = await failure("1", { variables });
    expect(error).toMatchObject({ details: { problem: "invalid-variable", position: 0 } });
    expect(error.message).toContain(message);
  });

  it("must be numbers", async () => {
    const variables = JSON.parse('{ "x": "1 + 1" }');
    expect(await outcome("x", { variables })).toBe("invalid-variable at 0");
  });
});

describe("limits", () => {
  it("apply by default", async () => {
    expect(await outcome("1".padStart(10_001))).toBe("too-long at 10000");
    expect(await outcome("1".padStart(10_000))).toBe(1);
    expect(await outcome(`${"(".repeat(2_001)}1`)).toBe("too-deep at 2000");
    expect(await outcome(`${"(".repeat(2_000)}1${")".repeat(2_000)}`)).toBe(1);
  });

  it("can be set", async () => {
    expect(await outcome("1 + 1", { maxLength: 4 })).toBe("too-long at 4");
    expect(await outcome("((1))", { maxDepth: 1 })).toBe("too-deep at 1");
    expect(await outcome(`${"(".repeat(20_000)}1${")".repeat(20_000)}`, { maxLength: 50_000, maxDepth: 20_000 })).toBe(
      1,
    );
  });
});
