import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../../src/tools/calculator/evaluate.ts";
import { ClauseReader } from "../../../../src/tools/calculator/spoken/clause-reader.ts";
import { readSpokenArithmetic } from "../../../../src/tools/calculator/spoken/spoken-arithmetic.ts";
import { tokensOf } from "../../../../src/tools/calculator/spoken/tokens.ts";
import { readSpoken } from "./read-spoken.ts";

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

/** How often an item is read: a word on the way to its token, and a token by the clause. */
function readsOf(words: readonly string[]): number {
  let reads = 0;
  const counted = <T>(items: readonly T[]): readonly T[] =>
    new Proxy(items, {
      get(target, key) {
        if (/^\d/.test(String(key))) reads++;
        return Reflect.get(target, key);
      },
    });
  readSpokenArithmetic(counted(words), { hasPrevious: true });
  new ClauseReader(counted(tokensOf(words, true).tokens), { names: ["a", "b"], isSum: false }).read();
  return reads;
}

describe("readSpokenArithmetic", () => {
  it("reads back expressions spelt in words", async () => {
    const chain = fc.array(fc.tuple(sign, fc.nat(1), number), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(number, chain, frame, async (first, others, [before = "", after = ""]) => {
        const say = ({ value, isSpelt }: { value: number; isSpelt: boolean }) =>
          isSpelt ? spell(value) : String(value);
        const spoken = [say(first), ...others.map(([sign, way, operand]) => `${operators[sign][way]} ${say(operand)}`)];
        const written = [first.value, ...others.map(([sign, , { value }]) => `${sign} ${value}`)].join(" ");
        const text = `${before} ${spoken.join(" ")} ${after}`;
        expect(readSpoken(text)?.expression, text).toBe(written);
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
        const read = readSpokenArithmetic(list, { hasPrevious: true });
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
        expect(read.used).toHaveLength(list.length);
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads each word a bounded number of times, whatever they are", () => {
    const pieces = [
      "(",
      "the sum of",
      "2 ^",
      "half",
      "- ",
      "5 thirds",
      "add 5 to",
      "( 1 plus",
      "5 no wait",
      "sorry 5 plus",
    ];
    for (const piece of [...pieces, "split 5 ways", "max ( 1 ,", "double", "5 and", "5 miles to", "1 +"]) {
      const part = piece.trim().split(" ");
      const [few = 0, many = 0] = [250, 2_000].map((count) => {
        const words = Array.from({ length: count }, (_, index) => part[index % part.length] ?? "");
        return readsOf([...words, "1"]);
      });
      // Eight times the words: quadratic work would read 64 times as often.
      expect(many, piece).toBeLessThan(9 * few);
    }
    const sum = Array.from({ length: 2_000 }, () => ["plus", "1"]).flat();
    expect(readSpokenArithmetic(["1", ...sum], { hasPrevious: false })?.expression).toHaveLength(8_001);
  });
});
