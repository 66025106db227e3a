import type { StandardSchema } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { findUnknownKeys, jsonTypeOf, knownKeys, schemasAt, typesOf } from "../../src/core/json-schema.ts";
import { toJsonSchema } from "../../src/core/schema.ts";

const typesAt = async (schema: StandardSchema, path: (string | number)[], value?: unknown) => {
  const schemas = schemasAt(await toJsonSchema(schema, "input"), path, value);
  const types = schemas && typesOf(schemas);
  return types && [...types].sort();
};
const unknownIn = async (schema: StandardSchema, value: unknown) =>
  findUnknownKeys(await toJsonSchema(schema, "input"), value).map((path) => path.join("."));

describe("the types at a path", () => {
  const versions: [string, StandardSchema][] = [
    [
      "zod 4",
      z.object({
        text: z.string(),
        count: z.number().int(),
        kind: z.enum(["a", "b"]),
        five: z.literal(5),
        maybe: z.string().nullable(),
        either: z.union([z.string(), z.array(z.number())]),
        list: z.array(z.object({ id: z.string() })),
        pair: z.tuple([z.string(), z.number()]),
        more: z.tuple([z.string()]).rest(z.boolean()),
        record: z.record(z.string(), z.number()),
        any: z.unknown(),
        open: z.looseObject({ a: z.string() }),
        both: z.object({ a: z.string() }).and(z.object({ b: z.number() })),
      }),
    ],
    [
      "zod 3",
      z3.object({
        text: z3.string(),
        count: z3.number().int(),
        kind: z3.enum(["a", "b"]),
        five: z3.literal(5),
        maybe: z3.string().nullable(),
        either: z3.union([z3.string(), z3.array(z3.number())]),
        list: z3.array(z3.object({ id: z3.string() })),
        pair: z3.tuple([z3.string(), z3.number()]),
        more: z3.tuple([z3.string()]).rest(z3.boolean()),
        record: z3.record(z3.number()),
        any: z3.unknown(),
        open: z3.object({ a: z3.string() }).passthrough(),
        both: z3.object({ a: z3.string() }).and(z3.object({ b: z3.number() })),
      }),
    ],
  ];
  const expected: [(string | number)[], string[] | undefined][] = [
    [[], ["object"]],
    [["text"], ["string"]],
    [["count"], ["number"]],
    [["kind"], ["string"]],
    [["five"], ["number"]],
    [["maybe"], ["null", "string"]],
    [["either"], ["array", "string"]],
    [["either", 0], ["number"]],
    [["either", "length"], []],
    [["list"], ["array"]],
    [["list", 7, "id"], ["string"]],
    [["list", "id"], []],
    [["pair", 0], ["string"]],
    [["pair", 1], ["number"]],
    [["pair", 2], []],
    [["more", 5], ["boolean"]],
    [["record", "x"], ["number"]],
    [["any"], undefined],
    [["any", "deep", 0], undefined],
    [["open", "a"], ["string"]],
    [["open", "b"], undefined],
    [["both", "a"], ["string"]],
    [["both", "b"], ["number"]],
    [["both", "c"], []],
    [["text", "a"], []],
    [["nope"], []],
    [["constructor"], []],
    [["__proto__"], []],
  ];
  for (const [version, schema] of versions) {
    it.each(expected)(`${version}: %j`, async (path, types) => {
      expect(await typesAt(schema, path)).toEqual(types);
    });
  }

  it("depend on the branch that the value has chosen", async () => {
    const four = z.discriminatedUnion("op", [
      z.object({ op: z.literal("add"), id: z.number() }),
      z.object({ op: z.enum(["del", "get"]), id: z.string() }),
    ]);
    const three = z3.union([
      z3.object({ op: z3.literal("add"), id: z3.number() }),
      z3.object({ op: z3.enum(["del", "get"]), id: z3.string() }),
    ]);
    for (const schema of [four, three]) {
      expect(await typesAt(schema, ["id"], { op: "add" })).toEqual(["number"]);
      expect(await typesAt(schema, ["id"], { op: "get" })).toEqual(["string"]);
      expect(await typesAt(schema, ["id"], { op: undefined })).toEqual(["number", "string"]);
      expect(await typesAt(schema, ["id"], { op: "none of them" })).toEqual(["number", "string"]);
      expect(await typesAt(schema, ["id"])).toEqual(["number", "string"]);
    }
  });

  it("are found in recursive schemas", async () => {
    const node: z.ZodType = z.lazy(() => z.object({ name: z.string(), next: node.optional() }));
    const node3: z3.ZodTypeAny = z3.lazy(() => z3.object({ name: z3.string(), next: node3.optional() }));
    for (const schema of [node, node3, z.object({ a: node }), z3.object({ a: node3 })]) {
      const prefix = schema === node || schema === node3 ? [] : ["a"];
      expect(await typesAt(schema, [...prefix, "next", "next", "next", "name"])).toEqual(["string"]);
    }
  });

  it("are unknown if a schema is too complex to follow", () => {
    const loop = { $ref: "#" };
    expect(typesOf(schemasAt(loop, []) ?? [])).toBeUndefined();
    const wide = { anyOf: Array.from({ length: 300 }, (_, index) => ({ properties: { a: { const: index } } })) };
    expect(schemasAt(wide, ["a"])).toBeUndefined();
    expect(schemasAt({ $ref: "https://example.com/schema" }, ["a"])).toBeUndefined();
    expect(schemasAt({ $ref: "#/nowhere/at/all" }, ["a"])).toBeUndefined();
  });

  it("are found through pointers with any key", async () => {
    const shared = z3.object({ text: z3.string() });
    const schema = z3.object({ "100%": shared, "a~b": z3.object({ c: shared }), same: shared });
    expect(await typesAt(schema, ["same", "text"])).toEqual(["string"]);
    const named = z.object({ a: z.object({ text: z.string() }).meta({ id: "50%/~" }) });
    expect(await typesAt(named, ["a", "text"])).not.toEqual([]);
  });
});

describe("typesOf", () => {
  it("is undefined if one schema does not state its type", () => {
    expect(typesOf([{ type: "string" }, {}])).toBeUndefined();
    expect(typesOf([{ not: {} }])).toBeUndefined();
  });

  it("reads constants and lists of values", () => {
    expect([...(typesOf([{ const: null }, { enum: ["a", 1, [], {}, true] }]) ?? [])]).toEqual([
      "null",
      "string",
      "number",
      "array",
      "object",
      "boolean",
    ]);
  });

  it("knows the type of every JSON value", () => {
    expect([null, [], {}, "", 0, true].map(jsonTypeOf)).toEqual([
      "null",
      "array",
      "object",
      "string",
      "number",
      "boolean",
    ]);
  });
});

describe("unknown keys", () => {
  it.each<[string, StandardSchema, unknown, string[]]>([
    ["zod 4", z.object({ a: z.string() }), { a: "", b: 1 }, ["b"]],
    ["zod 3", z3.object({ a: z3.string() }), { a: "", b: 1 }, ["b"]],
    ["zod 4, strict", z.strictObject({ a: z.string() }), { b: 1 }, ["b"]],
    ["zod 4, loose", z.looseObject({ a: z.string() }), { b: 1 }, []],
    ["zod 3, passthrough", z3.object({}).passthrough(), { b: 1 }, []],
    ["zod 4, catchall", z.object({}).catchall(z.object({ x: z.number() })), { b: { x: 1, y: 1 } }, ["b.y"]],
    ["records", z.record(z.string(), z.object({ x: z.number() })), { b: { x: 1, y: 1 } }, ["b.y"]],
    ["nested", z.object({ a: z.object({ b: z.object({}) }) }), { a: { b: { c: 1 }, d: 1 } }, ["a.b.c", "a.d"]],
    ["in lists", z.object({ a: z.array(z.object({ x: z.number() })) }), { a: [{ x: 1 }, { y: 1 }] }, ["a.1.y"]],
    ["in tuples", z.tuple([z.object({ x: z.number() })]).rest(z.object({})), [{ y: 1 }, { z: 1 }], ["0.y", "1.z"]],
    ["in zod 3 tuples", z3.tuple([z3.string()]).rest(z3.object({})), ["", {}, { z: 1 }], ["2.z"]],
    ["below what is loose", z.looseObject({ a: z.object({}) }), { a: { b: 1 }, c: { d: 1 } }, ["a.b"]],
    ["below anything", z.object({ a: z.unknown() }), { a: { b: { c: 1 } } }, []],
    [
      "in no branch of a union",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      { a: "", c: 1 },
      ["c"],
    ],
    [
      "in some branch of a union",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      { a: "", b: "" },
      [],
    ],
    [
      "in another branch than the chosen one",
      z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b"), x: z.number() })]),
      { t: "a", x: 1 },
      ["x"],
    ],
    ["beside text in a union", z.union([z.string(), z.object({ a: z.string() })]), { b: 1 }, ["b"]],
    ["in an intersection", z.object({ a: z.string() }).and(z.object({ b: z.string() })), { a: "", b: "", c: 1 }, ["c"]],
    [
      "in both parts of an intersection",
      z.object({ a: z.object({ x: z.number() }) }).and(z.object({ a: z.object({ y: z.number() }) })),
      { a: { x: 1, y: 1, z: 1 } },
      ["a.z"],
    ],
    ["in an intersection that is open", z.intersection(z.any(), z.object({ a: z.string() })), { b: 1 }, []],
    ["in an intersection with a record", z.object({ a: z.string() }).and(z.record(z.string(), z.any())), { b: 1 }, []],
    [
      "in an intersection with a union",
      z.object({ a: z.string() }).and(z.union([z.object({}), z.string()])),
      { b: 1 },
      [],
    ],
    ["where the type is wrong anyhow: a list", z.object({ a: z.object({}) }), { a: [1, 2] }, []],
    ["where the type is wrong anyhow: an object", z.object({ a: z.array(z.string()) }), { a: { b: 1 } }, []],
    ["behind a tuple's end, which is not a key", z.tuple([z.string()]), ["", 1], []],
    [
      "named as members of Object",
      z.object({ a: z.string() }),
      { constructor: 1, toString: 1 },
      ["constructor", "toString"],
    ],
    ["named __proto__", z.object({ a: z.string() }), JSON.parse('{"__proto__":1}'), ["__proto__"]],
  ])("%s", async (_name, schema, value, expected) => {
    expect(await unknownIn(schema, value)).toEqual(expected);
  });

  it.each(["anyOf", "oneOf", "allOf"] as const)("are not those that stand beside %s", (keyword) => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" } },
      [keyword]: [{ properties: { name: { type: "string" } } }],
    };
    expect(findUnknownKeys(schema, { id: "1", name: "a", other: 1 })).toEqual([["other"]]);
    expect(schemasAt(schema, ["id"])).toEqual([{ type: "string" }]);
  });

  it("are found in linear time if a union contains itself twice", async () => {
    const twice: z.ZodType = z.lazy(() =>
      z.union([z.object({ a: twice.optional() }), z.object({ a: twice.optional(), b: z.string().optional() })]),
    );
    let value: object = { c: 1 };
    for (let level = 0; level < 200; level++) value = { a: value };
    expect(await unknownIn(twice, value)).toHaveLength(1);
    const json = await toJsonSchema(z.object({ any: z.json() }), "input");
    expect(findUnknownKeys(json, { any: { a: [{ b: null }] } })).toEqual([]);
  });

  it("are not keys that a pattern may name", () => {
    const schema = { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false };
    expect(findUnknownKeys(schema, { a: 1, "x-b": 2 })).toEqual([]);
  });

  it("are not searched for in more branches than can be followed", () => {
    const anyOf = Array.from({ length: 300 }, () => ({ type: "object", properties: {} }));
    expect(findUnknownKeys({ anyOf }, { a: 1 })).toEqual([]);
  });
});

it("knownKeys lists the keys of all branches, each once", async () => {
  const schema = await toJsonSchema(
    z.union([z.object({ a: z.string() }), z.object({ a: z.number(), b: z.date() })]),
    "output",
  );
  expect(knownKeys(schemasAt(schema, []) ?? [])).toEqual(["a", "b"]);
  expect(knownKeys([{}])).toEqual([]);
});
