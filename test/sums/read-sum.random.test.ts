import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../src/tools/calculator/evaluate.ts";
import { readText } from "./read-text.ts";

const units =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

function spell(value: number): string {
  for (const [size, name] of [
    [1e9, "billion"],
    [1e6, "million"],
    [1e3, "thousand"],
    [100, "hundred"],
  ] as const) {
    if (value < size) continue;
    const rest = value % size;
    return `${spell(Math.floor(value / size))} ${name}${rest === 0 ? "" : `${rest < 100 ? " and" : ""} ${spell(rest)}`}`;
  }
  if (value < 20) return units[value] ?? "";
  return `${tens[Math.floor(value / 10)]}${value % 10 === 0 ? "" : ` ${units[value % 10]}`}`;
}

const operators = { "+": ["plus", "added to"], "-": ["minus", "take away"], "*": ["times", "multiplied by"] } as const;
const sign = fc.constantFrom("+", "-", "*");
const number = fc.oneof(fc.nat(120), fc.nat(1e10)).map((value) => ({ value, isSpelt: value % 3 !== 0 }));
const frame = fc.constantFrom(["", ""], ["what is", ""], ["please tell me what", "is"], ["um can you do", "for me"]);

describe("readSum", () => {
  it("reads back expressions spelt in words", async () => {
    const chain = fc.array(fc.tuple(sign, fc.nat(1), number), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(number, chain, frame, async (first, others, [before = "", after = ""]) => {
        const say = ({ value, isSpelt }: { value: number; isSpelt: boolean }) =>
          isSpelt ? spell(value) : String(value);
        const spoken = [say(first), ...others.map(([sign, way, operand]) => `${operators[sign][way]} ${say(operand)}`)];
        const written = [first.value, ...others.map(([sign, , { value }]) => `${sign} ${value}`)].join(" ");
        const text = `${before} ${spoken.join(" ")} ${after}`;
        expect(readText(text)?.expression, text).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it("writes only expressions that the calculator can parse", async () => {
    const words =
      "5 3 seven + - * / ^ % ( ) plus minus times of half the sum and square root squared percent off it double round to , factorial two thirds over take from add then divide by both with raise increase into how many what is no wait 9th power a not".split(
        " ",
      );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 10 }), async (list) => {
        const read = readText(list.join(" "), 2);
        if (read === undefined) return;
        const options = { variables: { x: 2, a: 3, b: 4 }, maxLength: 10_000, maxDepth: 2_000 };
        const failure = await Promise.resolve()
          .then(() => evaluate(read.expression, options))
          .then(
            () => undefined,
            (error: { details?: { problem?: string } }) => error.details?.problem,
          );
        expect(["syntax", "unknown-function", "unknown-name", "wrong-arguments"], read.expression).not.toContain(
          failure,
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads a long sum", () => {
    const sum = Array.from({ length: 2_000 }, () => ["plus", "1"]).flat();
    expect(readText(["1", ...sum].join(" "))?.expression).toHaveLength(8_001);
  });
});
