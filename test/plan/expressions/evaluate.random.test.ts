import fc from "fast-check";
import type { JsonValue } from "planwright";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { outcomeOf } from "./cel-outcome.ts";

const { sum } = fc.letrec<{ sum: string }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: -1_000, max: 1_000 }).map((value) => `(${value})`),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => `(${value})`),
    fc.constantFrom("a", "b", "c"),
    fc
      .tuple(tie("sum"), fc.constantFrom("+", "-", "*", "/", "%"), tie("sum"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie("sum").map((text) => `(-${text})`),
  ),
}));

const variables = { a: 7, b: 0.1, c: -3 };

it("sums have the results of the calculator", async () => {
  let known = 0;
  await fc.assert(
    fc.asyncProperty(sum, async (text) => {
      const outcome = await outcomeOf(text, variables);
      const expected = calculated(text);
      // A whole number that JSON writes with an exponent is an error here, as no text shows that it is rounded.
      if (typeof expected === "number" && Math.abs(expected) >= 1e21 && typeof outcome === "string") return;
      if (typeof expected === "string") {
        expect(outcome).toMatch(/^(failure|syntax)/);
        return;
      }
      known++;
      expect([text, outcome]).toEqual([text, { value: expected }]);
    }),
    { numRuns: 2_000 },
  );
  expect(known).toBeGreaterThan(1_000);
});

function calculated(text: string): number | string {
  try {
    return evaluate(text, { variables });
  } catch (thrown) {
    return String(thrown);
  }
}

describe("compared with JavaScript", () => {
  it("comparisons of numbers have the same results", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true }), fc.double({ noNaN: true }), async (a, b) => {
        const text = "[a < b, a <= b, a > b, a >= b, a == b, a != b]";
        const expected = { value: [a < b, a <= b, a > b, a >= b, a === b, a !== b] };
        expect(await outcomeOf(text, { a, b })).toEqual(expected);
      }),
    );
  });

  it("operations on text have the same results", async () => {
    const text = "[a + b, a < b, a.contains(b), a.startsWith(b), a.endsWith(b), a == b, size(a)]";
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 2 }), async (a, b) => {
        const read = [a + b, a < b, a.includes(b), a.startsWith(b), a.endsWith(b), a === b, [...a].length];
        expect(await outcomeOf(text, { a, b })).toEqual({ value: read });
        expect(await outcomeOf(text, { a: a + b, b })).toMatchObject({ value: { 4: true } });
      }),
    );
  });

  it("half a surrogate pair counts as one character", async () => {
    const unit = fc.constantFrom("\ud83d", "\ude00", "a", "é", "😀");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit }), async (a) => {
        expect(await outcomeOf("size(a)", { a })).toEqual({ value: [...a].length });
      }),
    );
  });

  it("only the 26 ASCII letters change case", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (a) => {
        const lower = a.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        const upper = a.replace(/[a-z]/g, (letter) => letter.toUpperCase());
        expect(await outcomeOf("[a.lowerAscii(), a.upperAscii()]", { a })).toEqual({ value: [lower, upper] });
      }),
    );
  });

  it("any JSON equals a copy of itself, but not a list of itself", async () => {
    const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) as fc.Arbitrary<JsonValue>;
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(await outcomeOf("a == b && b in [1, a] && !(a != b)", { a: copy, b: structuredClone(copy) })).toEqual({
          value: true,
        });
        expect(await outcomeOf("[a][0] == b", { a: copy, b: [copy] })).toEqual({ value: false });
      }),
    );
  });

  it("macros have the same results as the methods of lists", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 5 })), fc.integer({ min: -5, max: 5 }), async (l, k) => {
        const text = "[l.all(x, x > k), l.exists(x, x > k), l.exists_one(x, x > k), k in l]";
        const over = l.filter((x) => x > k);
        const expected = [l.every((x) => x > k), over.length > 0, over.length === 1, l.includes(k)];
        expect(await outcomeOf(text, { l, k })).toEqual({ value: expected });
        expect(await outcomeOf("l.filter(x, x > k).map(x, x - k)", { l, k })).toEqual({
          value: over.map((x) => x - k),
        });
        expect(await outcomeOf("l.map(x, x > k, x - k)", { l, k })).toEqual({ value: over.map((x) => x - k) });
      }),
    );
  });
});

const valid = [
  's1.users.filter(u, u.age >= 18 && u.name.startsWith("A")).map(u, {"name": u.name, "old": u.age > 60})',
  's1 == null || (has(s1.value) ? s1.value * 2 + 1 > 4 : "x" in s1)',
  "[1, -2.5, 'a', r'b', null, true][0] + s1.list[index] % 3 - size(s1.text)",
  "!(s1.list.all(x, s1.list.exists_one(y, x == y))) || item.n in [1, 2, 3] && int('3') < 4",
  's1.text.trim().lowerAscii().contains("é") != {"a b": [s1["a b"]]}["a b"][0].exists(k, false)',
];
const odd = fc.constantFrom(
  ..."()[]{}.,?:!-+*/%<>=&|\"'\\ \n0129azAZ_é😀`@#$",
  "&&",
  "||",
  "==",
  " in ",
  ".map(x, x)",
  "null",
);
const place = fc.nat({ max: 200 });

/** Whatever comes of a text: anything else than an answer or one of the three kinds of refusal throws. */
async function expectAnswer(text: string, variables: Readonly<Record<string, JsonValue>>): Promise<void> {
  const outcome = await outcomeOf(text, variables, 50_000);
  if (typeof outcome === "string") expect(outcome).toMatch(/^(syntax at \d+: .|failure at \d+: .|limit$)/);
  else expect(JSON.parse(JSON.stringify(outcome.value))).toEqual(outcome.value);
}

describe("any input leads to a result or a refusal", () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
  const variables = fc.record({ s1: json, item: json, index: fc.nat() });

  it("for any text and any data", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(odd, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    await fc.assert(fc.asyncProperty(text, variables, expectAnswer), { numRuns: 1_000 });
  });

  it("for a valid expression on any data", async () => {
    await fc.assert(fc.asyncProperty(fc.constantFrom(...valid), variables, expectAnswer), { numRuns: 500 });
  });

  it("for an expression with a few changed characters", async () => {
    const change = fc.tuple(place, place, odd);
    const text = fc
      .tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([start, changes]) =>
        changes.reduce((text, [at, count, put]) => {
          const from = at % (text.length + 1);
          return text.slice(0, from) + put + text.slice(from + (count % 4));
        }, start),
      );
    await fc.assert(fc.asyncProperty(text, variables, expectAnswer), { numRuns: 1_500 });
  });

  it("for parts of expressions in any combination", async () => {
    const pieces = valid.flatMap((text) => text.match(/\w+|[^\w\s]+/g) ?? []);
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 15 }).map((parts) => parts.join(" "));
    await fc.assert(fc.asyncProperty(text, variables, expectAnswer), { numRuns: 1_000 });
  });
});
