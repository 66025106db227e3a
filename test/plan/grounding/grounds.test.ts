import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { JsonObject } from "../../../src/core/json.ts";
import type { JsonSchema } from "../../../src/core/json-schema.ts";
import { inputJsonSchema } from "../../../src/core/schema.ts";
import { Grounds } from "../../../src/plan/grounding/grounds.ts";

/** What of a text or another value does not stand in a request, where the schema says nothing. */
function missing(request: string, value: unknown, schema: JsonSchema = {}): readonly string[] {
  return new Grounds(request)
    .findUngrounded({ input: { value } as JsonObject }, { schema, isHarmless: true })
    .flatMap(({ words }) => words);
}

describe("words", () => {
  it.each([
    ["add milk to the list", "milk"],
    ["ADD Milk!", "milk"],
    ["add milk", "MILK"],
    ["buy apples", "apple"],
    ["buy an apple", "apples"],
    ["Bob's birthday", "Bob"],
    ["Bob’s birthday", "Bob's"],
    ["don't forget", "don’t"],
    ["l'eau minérale", "eau"],
    ["add caf\u00e9", "cafe\u0301"],
    ["\uff4d\uff49\uff4c\uff4b please", "milk"],
    ["ΟΔΟΣ", "οδος"],
    ["write to a@b.example", "a@b.example"],
    ["open my_file.txt", "my_file.txt"],
    ["say “hi”, twice", "hi twice"],
    ["купи молоко", "Молоко"],
    ["add 牛奶和鸡蛋 to the list", "鸡蛋"],
    ["add 牛奶、鸡蛋", "鸡蛋、牛奶"],
    ["TODO买牛奶", "买牛奶"],
    ["买", "买"],
    ["牛乳をかう", "牛乳"],
    ["ซื้อนมและไข่", "นม"],
    ["우유를 사다", "우유를"],
    ["🥛 milk", "🥛"],
    ["add milk", ""],
    ["add milk", "!? …"],
  ])("of %j include %j", (request, text) => {
    expect(missing(request, text)).toEqual([]);
  });

  it.each([
    ["add milk", "buy milk", ["buy"]],
    ["add milk", "milkshake", ["milkshake"]],
    ["add milkshake", "milk", ["milk"]],
    ["pass the glass", "glas", ["glas"]],
    ["the bus", "bu", ["bu"]],
    ["add milk", "mi", ["mi"]],
    ["add milk", "mіlk", ["mіlk"]],
    ["add milk", "mi\u200blk", ["mi", "lk"]],
    ["add 牛奶", "鸡蛋", ["鸡蛋"]],
    ["add 牛奶", "奶牛", ["奶牛"]],
    ["add milk", "牛", ["牛"]],
    ["", "milk", ["milk"]],
    ["🥛", "🥛 milk", ["milk"]],
  ])("of %j do not include all of %j", (request, text, words) => {
    expect(missing(request, text)).toEqual(words);
  });
});

describe("numbers", () => {
  it.each([
    ["add two and 3", 2],
    ["add two and 3", 3],
    ["twenty-five eggs", 25],
    ["three hundred and four", 304],
    ["the sum of three hundred and four", 300],
    ["the sum of three hundred and four", 4],
    ["a dozen eggs", 12],
    ["3 million", 3_000_000],
    ["2.5 thousand", 2500],
    ["one point five", 1.5],
    ["3,000 euros", 3000],
    ["3,000.50 euros", 3000.5],
    ["3.000,50 euros", 3000.5],
    ["3.000 euros", 3000],
    ["3.241 and 2", 3.241],
    ["3,5 Liter", 3.5],
    ["todos 1,2,3", 2],
    ["todos 1,2,3", 3],
    ["10,20", 10],
    ["on 22.11.2026", 22],
    ["1,00,000 rupees", 100_000],
    ["007", 7],
    ["5.50", 5.5],
    ["minus 5", -5],
    ["delete the third", 3],
    ["the 2nd", 2],
    ["the last one", -1],
    ["0.0000001", 0.0000001],
    ["1000000000000000000000", 1e21],
    ["3.14159265358979323846", Math.PI],
    ["\uff15 eggs", 5],
    ["zero", 0],
  ])("of %j include %d", (request, number) => {
    expect(missing(request, number)).toEqual([]);
  });

  it.each([
    ["add two and 3", 5],
    ["twenty-five eggs", 26],
    ["3,000 euros", 3001],
    ["3.14", 314],
    ["a milk", 1],
    ["", 0],
    ["add milk", 1],
  ])("of %j do not include %d", (request, number) => {
    expect(missing(request, number)).toEqual([String(number)]);
  });

  it("may be words or digits on either side, also within texts", () => {
    expect(missing("two eggs, 3 pears and 1,200 nuts", "2 eggs, three pears, 1200 nuts")).toEqual([]);
    expect(missing("12 * 4", "twelve times 4")).toEqual(["times"]);
    expect(missing("add 12", "13 12 14")).toEqual(["13", "14"]);
  });

  it("are compared exactly within texts of any length", () => {
    const account = "12345678901234567890";
    expect(missing(`pay to ${account}`, account)).toEqual([]);
    expect(missing(`pay to ${account}`, "12345678901234567891")).toEqual(["12345678901234567891"]);
    expect(missing(`pay ${"9".repeat(400)}`, "8".repeat(400))).toHaveLength(1);
  });
});

describe("dates and times", () => {
  it.each([
    ["milk tomorrow", "2026-11-23"],
    ["milk on Friday", "2026-11-27T00:00:00Z"],
    ["milk at 5", "2026-11-22T17:00:00+01:00"],
    ["milk at 5 pm", "17:00"],
    ["milk at noon", "12:00:00"],
  ])("of %j may become %s", (request, date) => {
    expect(missing(request, date)).toEqual([]);
  });

  it.each(["2026-11-23", "2026-11-23T10:00:00Z", "17:00"])("must come from the request: %s", (date) => {
    expect(missing("add milk", date)).toEqual([date]);
  });

  it("are compared as words within a longer text", () => {
    expect(missing("milk tomorrow", "due 2026-11-23")).toEqual(["due", "2026", "11", "23"]);
  });
});

describe("a value that the schema prescribes", () => {
  const schemaOf = (schema: z.ZodType) => inputJsonSchema(schema) as JsonSchema;

  it("needs no word of the request", () => {
    const value = z.object({
      mode: z.enum(["fast", "slow"]),
      kind: z.literal("note"),
      limit: z.number().default(100),
      list: z.string().default("todos"),
      is: z.boolean(),
      maybe: z.null(),
      modes: z.array(z.enum(["fast"])),
    });
    const schema = schemaOf(z.object({ value }));
    const input = { mode: "fast", kind: "note", limit: 100, list: "todos", is: true, maybe: null, modes: ["fast"] };
    expect(missing("do it", input, schema)).toEqual([]);
    expect(missing("do it", { ...input, limit: 10, list: "fast" }, schema)).toEqual(["10", "fast"]);
  });

  it("is read from the branch of a union that the input matches", () => {
    const schema = schemaOf(
      z.object({
        value: z.discriminatedUnion("operation", [
          z.object({ operation: z.literal("add"), title: z.string() }),
          z.object({ operation: z.literal("delete"), title: z.enum(["everything"]) }),
        ]),
      }),
    );
    expect(missing("add milk", { operation: "add", title: "everything" }, schema)).toEqual(["everything"]);
    expect(missing("add milk", { operation: "delete", title: "everything" }, schema)).toEqual([]);
  });
});

describe("a value from another step", () => {
  it("needs no word of the request, but the text around it does", () => {
    expect(missing("what is it?", { $ref: "s1.value" })).toEqual([]);
    expect(missing("tell me the sum", "the sum ${s1.value}")).toEqual([]);
    expect(missing("tell me", "evil ${s1.value} words")).toEqual(["evil", "words"]);
    expect(missing("${HOME}", "${$}{HOME}")).toEqual([]);
    expect(missing("home", "${!} home")).toEqual([]);
  });

  it("cannot come from a literal", () => {
    expect(missing("do it", { $literal: "everything" })).toEqual(["everything"]);
    expect(missing("do it", { $literal: { $ref: "everything" } })).toEqual(["everything"]);
    expect(missing("do it", { $literal: "${s1.everything}" })).toEqual(["s", "1", "everything"]);
    expect(missing("do it", { $literal: [{ $literal: 5 }] })).toEqual(["5"]);
  });
});

describe("names that an input defines", () => {
  const schema = inputJsonSchema(
    z.object({ expression: z.string(), variables: z.record(z.string(), z.number()).optional() }),
  ) as JsonSchema;
  const found = (request: string, input: JsonObject) =>
    new Grounds(request).findUngrounded({ input }, { schema, isHarmless: true });

  it("need no word of the request, wherever they are used", () => {
    expect(found("5 squared", { expression: "x ^ 5 * unit_price", variables: { x: 5, unit_price: 5 } })).toEqual([]);
    expect(found("5 squared", { variables: { x: 5 }, expression: "X" })).toEqual([]);
  });

  it("are not the keys of the schema", () => {
    expect(found("five", { expression: "variables", variables: { x: 5 } })).toEqual([
      { path: ["expression"], words: ["variables"] },
    ]);
  });

  it("do not excuse their values", () => {
    expect(found("five", { expression: "x", variables: { x: 6 } })).toEqual([
      { path: ["variables", "x"], words: ["6"] },
    ]);
  });
});

describe("any request", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
    fc.constantFrom("milk", "ΑΣ.", "don't", "1,5", "3.000,50", "牛奶", "ซื้อ", "ﬁn", "İ", "ß", "１２", "10e3", "x²", "Å"),
  );
  const words = fc.array(
    word.map((text) => text.replace(/\s+/g, "")),
    { minLength: 1, maxLength: 10 },
  );

  it("includes each of its words, alone and in sequence", () => {
    fc.assert(
      fc.property(words, fc.nat(9), fc.nat(10), (all, from, to) => {
        const request = all.join(" ");
        const { length } = all;
        const copied = all.slice(from % length, Math.max(to, from + 1)).join(" ");
        // Its `${` is escaped where it is put into a plan.
        expect(missing(request, { $literal: copied })).toEqual([]);
        expect(missing(request, { $literal: request })).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("includes each of its numbers", () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }));
    fc.assert(
      fc.property(number, (value) => {
        const digits = Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(20);
        const read = Number(digits);
        expect(missing(`add ${digits} to it`, read)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    `1.${"0".repeat(200_000)}1`,
    "1,".repeat(100_000),
    "1.".repeat(100_000),
    "a'".repeat(100_000),
    "hundred ".repeat(25_000),
    "million ".repeat(25_000),
    "9".repeat(200_000),
    "牛".repeat(200_000),
    "ﷺ".repeat(10_000),
    "${".repeat(100_000),
  ])("is read in linear time (%#)", (request) => {
    expect(missing(request, { $literal: request })).toEqual([]);
  });
});

describe("a request", () => {
  const store = { name: "TodoStore", description: "Keeps to-do items in named lists, and clears them" };
  const speaks = (request: string, input: JsonObject, tool = store) => new Grounds(request).speaksOf({ input }, tool);

  it.each([
    ["clear everything", { operation: "clear" }],
    ["empty my todo list", { operation: "clear", allLists: true }],
    ["lösche Milch", { operation: "delete", title: "Milch" }],
    ["牛乳を買う", { operation: "add", title: "牛乳" }],
    ["the third one", { operation: "delete", index: 3 }],
    ["12 of them", { operation: "add", title: "12" }],
  ] as const)("%j mentions %j", (request, input) => {
    expect(speaks(request, input)).toBe(true);
  });

  it.each([
    ["hello", { operation: "clear", allLists: true }],
    ["what can you do for me, and who is that?", { operation: "clear" }],
    ["", { operation: "list" }],
  ] as const)("%j does not mention %j", (request, input) => {
    expect(speaks(request, input)).toBe(false);
  });
});

describe("negative numbers, dates and names of a step with an effect", () => {
  const of = (request: string, input: JsonObject, isHarmless = false) =>
    new Grounds(request).findUngrounded({ input }, { schema: {}, isHarmless }).flatMap(({ words }) => words);

  it("need a minus sign or a word for it", () => {
    expect(of("set it to 5", { celsius: -5 })).toEqual(["-5"]);
    for (const request of ["set it to -5", "set it to minus 5", "5 below zero"])
      expect(of(request, { celsius: -5 })).toEqual([]);
    expect(of("the last one", { index: -1 })).toEqual([]);
  });

  it.each([
    ["add 2 eggs", "2031-05-09"],
    ["I may need eggs, and march home", "2031-05-09"],
    ["what is next", "2026-11-23"],
    ["add 3 eggs", "17:00"],
  ])("need more than %j for %j", (request, date) => {
    expect(of(request, { due: date })).toEqual([date]);
  });

  it.each([
    ["eggs for the 9th", "2031-05-09"],
    ["by may 9", "2031-05-09"],
    ["by the 9th of march", "2031-03-09"],
    ["tomorrow", "2026-11-23"],
    ["in two days", "2026-11-24"],
    ["at 5 pm", "17:00"],
    ["at 5 pm", "2026-11-22T17:00:00Z"],
  ])("find in %j the words for %j", (request, date) => {
    expect(of(request, { due: date })).toEqual([]);
  });

  it("are not excused by their own words", () => {
    expect(of("mail bob", { to: "mallory", headers: { mallory: "mallory" } })).toEqual(["mallory", "mallory"]);
    expect(of("5 squared", { expression: "x", variables: { x: 5 } }, true)).toEqual([]);
  });
});
