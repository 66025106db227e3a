import { describe, expect, it } from "vitest";
import { type ZodTypeAny, z } from "zod/v3";
import { convertZod3, findNotJson } from "../../src/core/schema-zod3.ts";

interface Tree {
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree) }));
const hidden: ZodTypeAny = z.lazy(() => z.object({ again: hidden.optional(), at: z.date() }));

describe("findNotJson", () => {
  it.each<[string, ZodTypeAny, string, string]>([
    ["a Date", z.date(), "input", "ZodDate"],
    ["a Map", z.object({ m: z.map(z.string(), z.string()) }), "input.m", "ZodMap"],
    ["a Set", z.object({ s: z.set(z.string()) }), "input.s", "ZodSet"],
    ["a BigInt", z.object({ a: z.object({ b: z.bigint() }) }), "input.a.b", "ZodBigInt"],
    ["a symbol", z.object({ s: z.symbol() }), "input.s", "ZodSymbol"],
    ["a function", z.object({ f: z.function() }), "input.f", "ZodFunction"],
    ["a promise", z.object({ p: z.promise(z.string()) }), "input.p", "ZodPromise"],
    ["NaN", z.object({ n: z.nan() }), "input.n", "ZodNaN"],
    ["nothing", z.object({ v: z.void() }), "input.v", "ZodVoid"],
    ["an optional one", z.object({ a: z.date().optional() }), "input.a", "ZodDate"],
    ["a nullable one", z.object({ a: z.date().nullable() }), "input.a", "ZodDate"],
    ["one with a default", z.object({ a: z.date().default(new Date(0)) }), "input.a", "ZodDate"],
    ["one that is caught", z.object({ a: z.date().catch(new Date(0)) }), "input.a", "ZodDate"],
    ["a readonly one", z.object({ a: z.date().readonly() }), "input.a", "ZodDate"],
    ["a branded one", z.object({ a: z.date().brand("At") }), "input.a", "ZodDate"],
    ["a refined one", z.object({ a: z.date().refine(() => true) }), "input.a", "ZodDate"],
    ["a transformed one", z.object({ a: z.date().transform(String) }), "input.a", "ZodDate"],
    ["the beginning of a pipe", z.object({ a: z.date().pipe(z.any()) }), "input.a", "ZodDate"],
    ["in a list", z.object({ a: z.array(z.date()) }), "input.a", "ZodDate"],
    ["in a tuple", z.object({ a: z.tuple([z.string(), z.date()]) }), "input.a", "ZodDate"],
    ["in the rest of a tuple", z.object({ a: z.tuple([z.string()]).rest(z.date()) }), "input.a", "ZodDate"],
    ["in a record", z.object({ a: z.record(z.date()) }), "input.a", "ZodDate"],
    ["in a union", z.object({ a: z.union([z.string(), z.date()]) }), "input.a", "ZodDate"],
    [
      "in a discriminated union",
      z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b"), at: z.date() })]),
      "input.at",
      "ZodDate",
    ],
    ["in an intersection", z.object({ a: z.string() }).and(z.object({ b: z.date() })), "input.b", "ZodDate"],
    ["in other keys", z.object({}).catchall(z.date()), "input", "ZodDate"],
    ["behind recursion", hidden, "input.at", "ZodDate"],
  ])("finds %s", (_name, schema, path, type) => {
    expect(findNotJson(schema)).toEqual({ path, type });
  });

  it.each<[string, ZodTypeAny]>([
    ["what JSON has", z.object({ a: z.string(), b: z.array(z.number().nullable()), c: z.record(z.unknown()) })],
    ["coerced types", z.object({ a: z.coerce.date(), b: z.coerce.bigint().optional() })],
    ["what is preprocessed", z.object({ a: z.preprocess((value) => new Date(String(value)), z.date()) })],
    ["what comes out of a pipe", z.object({ a: z.string().pipe(z.coerce.date()), b: z.string().transform(BigInt) })],
    ["recursion", tree],
  ])("accepts %s", (_name, schema) => {
    expect(findNotJson(schema)).toBeUndefined();
  });

  it("visits each schema once", () => {
    let calls = 0;
    const lazy = z.lazy(() => {
      calls++;
      return z.string();
    });
    findNotJson(z.object({ a: lazy, b: lazy, c: z.array(lazy) }));
    expect(calls).toBe(1);
  });
});

describe("convertZod3", () => {
  it("keeps recursion as a pointer from the root", async () => {
    const schema = await convertZod3(z.object({ tree }), "input");
    expect(schema).toMatchObject({
      properties: { tree: { properties: { children: { items: { $ref: "#/properties/tree" } } } } },
    });
  });
});
