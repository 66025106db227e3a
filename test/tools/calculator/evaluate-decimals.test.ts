import { describe, expect, it } from "vitest";
import { evaluateDecimals } from "../../../src/tools/calculator/evaluate.ts";
import { parse } from "../../../src/tools/calculator/parse.ts";
import { outcome } from "./outcome.ts";

function evaluated(expression: string, variables: Record<string, number> = {}): number {
  const names = new Map(Object.entries(variables));
  return evaluateDecimals(
    parse(expression, { maxLength: 10_000, maxDepth: 10, isVariable: (name) => names.has(name) }),
    names,
  );
}

describe("evaluateDecimals", () => {
  it.each([
    ["0.1 + 0.2", 0.3],
    ["1 / 3 + e - e", 1 / 3],
    ["1e400 / 1e399", 10],
    ["20!", 2432902008176640000],
    ["25!", 1.5511210043330986e25],
    ["2^53 + 2 - 2", 2 ** 53],
    ["1.000000000000000000000000000000000000001 - 1", 1e-39],
    ["-0", 0],
    ["0 * -pi", 0],
    ["1e-400", 0],
    ["(pi - pi) % 5", 0],
    ["123456789012345678901234567890 - 123456789012345678901234567889", 1],
    [`0.${"3".repeat(500)} * 3`, 1],
    ["(e + 1)!  / (e + 1)!".replaceAll("e + 1", "2e1"), 1],
    ["pi - pi", 0],
    ["pi%", Math.PI / 100],
    ["-pi + pi * 2", Math.PI],
  ])("%s is %s", (expression, expected) => {
    expect(evaluated(expression)).toBe(expected);
  });

  it("lets a variable hide a constant, but not a function", () => {
    expect(evaluated("e + max(max, 1)", { e: 1e-9, max: 5 })).toBe(5.000000001);
  });

  it.each([
    ["1 + 2 / (3 - 3)", "division-by-zero at 6"],
    ["1 + 5 % 0", "division-by-zero at 6"],
    ["mod(5, 0)", "division-by-zero at 0"],
    ["1e99999 - 1", "overflow at 0"],
    ["1 + 1e309", "overflow at 2"],
    ["2^53 + 1", "overflow at 5"],
    ["123456789 * 987654321", "overflow at 10"],
    ["-2^64", "overflow at 0"],
    ["1 + unknown", "unknown-name at 4"],
    ["1 + 0.5!", "not-a-number at 7"],
    ["1 + 1e300 % 3", "not-a-number at 10"],
  ])("reports that %s fails: %s", async (expression, expected) => {
    expect(await outcome(expression)).toBe(expected);
  });

  it.each(["sin(1)", "1.5^2.5", "pow(2, 2.5)", "999!/999!", "gcd(1e20, 3)", "1^1e15*e^99"])(
    "limits the work of many times %s",
    async (term) => {
      expect(await outcome(Array(500).fill(term).join("+"))).toMatch(/^too-complex at \d+$/);
    },
  );

  it("passes on errors that are not about arithmetic", () => {
    const variables = new Map<string, number>();
    variables.keys = () => {
      throw new TypeError("broken map");
    };
    const instructions = parse("x", { maxLength: 10, maxDepth: 1, isVariable: () => true });
    expect(() => evaluateDecimals(instructions, variables)).toThrow("broken map");
  });
});
