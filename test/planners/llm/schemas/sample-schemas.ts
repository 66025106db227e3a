import fc from "fast-check";
import type { StandardSchema } from "planwright";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";

interface Category {
  name: string;
  children: Category[];
}
const category: z.ZodType<Category> = z.object({ name: z.string(), children: z.lazy(() => z.array(category)) });
const category3: z3.ZodType<Category> = z3.object({ name: z3.string(), children: z3.lazy(() => z3.array(category3)) });
const percent = z.object({ value: z.number() }).meta({ id: "100%" });
const slash = z.object({ value: z.number() }).meta({ id: "a/b~c" });
const address3 = z3.object({ street: z3.string() });

/** Schemas of all kinds, each with values that it takes. */
export const schemasWithValues: [name: string, schema: StandardSchema, ...values: unknown[]][] = [
  ["an empty object", z.object({}), {}],
  ["an empty strict object", z.strictObject({}), {}],
  ["an empty loose object", z.looseObject({}), {}, { a: 1 }],
  ["an empty object of zod 3", z3.object({}), {}],
  ["an open object of zod 3", z3.object({}).passthrough(), { a: 1 }],
  ["a loose object with keys", z.looseObject({ a: z.string() }), { a: "x" }],
  ["an object with others", z.object({ a: z.string() }).catchall(z.number()), { a: "x" }],
  ["texts with rules", z.object({ a: z.email().max(9).optional(), b: z.string().regex(/^x/) }), { b: "x" }],
  ["numbers with rules", z.object({ a: z.int().min(1), b: z.number().multipleOf(0.5).max(3) }), { a: 1, b: 2.5 }],
  ["defaults", z.object({ a: z.string().default("x"), b: z.number().prefault(1) }), {}, { a: "y", b: 2 }],
  ["coerced values", z.object({ a: z.coerce.number(), b: z.coerce.boolean() }), { a: "3", b: true }],
  [
    "transforms",
    z.object({ a: z.string().transform(Number), b: z.preprocess(String, z.string()) }),
    { a: "1", b: "2" },
  ],
  ["values that catch", z.object({ a: z.number().catch(1) }), { a: "no" }],
  [
    "nullable and nullish",
    z.object({ a: z.string().nullable(), b: z.number().nullish() }),
    { a: null },
    { a: "x", b: null },
  ],
  [
    "nullable of zod 3",
    z3.object({ a: z3.string().nullable(), b: z3.enum(["x"]).nullish() }),
    { a: null, b: "x" },
    { a: "x" },
  ],
  [
    "enums and literals",
    z.object({ a: z.enum(["x", "y"]), b: z.literal([1, "1", true]), c: z.literal(5) }),
    { a: "x", b: true, c: 5 },
  ],
  ["null alone", z.object({ a: z.null(), b: z.literal(null) }), { a: null, b: null }],
  ["unions", z.object({ a: z.union([z.string(), z.number(), z.array(z.boolean())]) }), { a: 1 }, { a: [true] }],
  [
    "unions of zod 3",
    z3.object({ a: z3.union([z3.string(), z3.number(), z3.object({ b: z3.null() })]) }),
    { a: 1 },
    { a: { b: null } },
  ],
  [
    "discriminated unions",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.number() }),
      z.object({ kind: z.literal("b") }),
    ]),
    { kind: "a", x: 1 },
    { kind: "b" },
  ],
  [
    "discriminated unions of zod 3",
    z3.discriminatedUnion("kind", [
      z3.object({ kind: z3.literal("a"), x: z3.number() }),
      z3.object({ kind: z3.literal("b") }),
    ]),
    { kind: "a", x: 1 },
    { kind: "b" },
  ],
  [
    "records",
    z.object({ a: z.record(z.string(), z.number()), b: z.record(z.string(), z.unknown()) }),
    { a: { x: 1 }, b: { y: [] } },
  ],
  ["a record alone", z.record(z.string(), z.string()), {}, { a: "x" }],
  ["records of enums", z.object({ a: z.partialRecord(z.enum(["x", "y"]), z.number()) }), { a: { x: 1 } }],
  ["records of zod 3", z3.object({ a: z3.record(z3.number()) }), { a: { x: 1 } }],
  ["lists", z.object({ a: z.array(z.string()).min(1).max(2), b: z.array(z.unknown()) }), { a: ["x"], b: [1, null] }],
  ["tuples", z.object({ a: z.tuple([z.string(), z.number()]) }), { a: ["x", 1] }],
  ["tuples with a rest", z.object({ a: z.tuple([z.string()], z.number()) }), { a: ["x"] }, { a: ["x", 1, 2, 3] }],
  [
    "tuples that may be shorter",
    z.object({ a: z.tuple([z.string(), z.number().optional()]) }),
    { a: ["x"] },
    { a: ["x", 1] },
  ],
  ["empty tuples", z.object({ a: z.tuple([]) }), { a: [] }],
  ["tuples of zod 3", z3.object({ a: z3.tuple([z3.string(), z3.number()]), b: z3.tuple([]) }), { a: ["x", 1], b: [] }],
  [
    "tuples with a rest of zod 3",
    z3.object({ a: z3.tuple([z3.string()]).rest(z3.number()) }),
    { a: ["x"] },
    { a: ["x", 1, 2] },
  ],
  [
    "intersections",
    z.object({ a: z.intersection(z.object({ x: z.string(), z: z.null() }), z.object({ y: z.number(), z: z.null() })) }),
    { a: { x: "", y: 1, z: null } },
  ],
  [
    "intersections of unions",
    z.object({ a: z.intersection(z.union([z.string(), z.number()]), z.string()) }),
    { a: "x" },
  ],
  [
    "intersections of zod 3",
    z3.object({ a: z3.object({ x: z3.string() }).and(z3.object({ y: z3.number() })) }),
    { a: { x: "", y: 1 } },
  ],
  [
    "a schema within itself",
    category,
    { name: "a", children: [{ name: "b", children: [{ name: "c", children: [] }] }] },
  ],
  ["a schema of zod 3 within itself", category3, { name: "a", children: [{ name: "b", children: [] }] }],
  ["any JSON", z.object({ a: z.json() }), { a: { b: [1, "x", null, { c: true }] } }],
  [
    "definitions of odd names",
    z.object({ a: percent, b: percent, c: slash, d: slash }),
    { a: { value: 1 }, b: { value: 2 }, c: { value: 3 }, d: { value: 4 } },
  ],
  [
    "parts of zod 3 used twice",
    z3.object({ home: address3, work: address3 }),
    { home: { street: "a" }, work: { street: "b" } },
  ],
  ["anything", z.object({ a: z.any(), b: z.unknown(), c: z.never().optional() }), { a: 1, b: [] }],
  [
    "keys of odd names",
    z.object({ $ref: z.string().optional(), "": z.number(), toString: z.string() }),
    { "": 1, toString: "x" },
  ],
  [
    "read-only and branded values",
    z.object({ a: z.array(z.string()).readonly(), b: z.string().brand("x") }),
    { a: ["x"], b: "x" },
  ],
  ["templates", z.object({ a: z.templateLiteral(["v", z.number()]), b: z.stringbool() }), { a: "v1", b: "yes" }],
];

/** A schema with a value that it takes. */
export interface Pair {
  readonly schema: z.ZodType;
  readonly value: unknown;
}

/** Any such. */
export const schemaWithValue: fc.Arbitrary<Pair> = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 4 },
    fc.string().map((value): Pair => ({ schema: z.string(), value })),
    fc.integer().map((value): Pair => ({ schema: z.int(), value })),
    fc.boolean().map((value): Pair => ({ schema: z.boolean(), value })),
    fc.constantFrom("x", 1, true).map((value): Pair => ({ schema: z.literal(value), value })),
    fc.constantFrom("x", "y").map((value): Pair => ({ schema: z.enum(["x", "y"]), value })),
    fc.jsonValue().map((value): Pair => ({ schema: z.unknown(), value })),
    tie("pair").map(({ schema }): Pair => ({ schema: schema.nullable(), value: null })),
    tie("pair").map(({ schema, value }): Pair => ({ schema: schema.nullable(), value })),
    fc
      .tuple(tie("pair"), fc.nat(3))
      .map(([{ schema, value }, length]): Pair => ({ schema: z.array(schema), value: Array(length).fill(value) })),
    tie("pair").map(({ schema, value }): Pair => ({ schema: z.record(z.string(), schema), value: { key: value } })),
    fc
      .tuple(tie("pair"), tie("pair"))
      .map(([left, right]): Pair => ({ schema: z.union([left.schema, right.schema]), value: right.value })),
    fc.tuple(tie("pair"), tie("pair")).map(
      ([left, right]): Pair => ({
        schema: z.tuple([left.schema], right.schema),
        value: [left.value, right.value, right.value],
      }),
    ),
    fc.tuple(tie("pair"), tie("pair")).map(
      ([left, right]): Pair => ({
        schema: z.object({ left: left.schema.optional(), right: right.schema }),
        value: { right: right.value },
      }),
    ),
    fc.tuple(tie("pair"), tie("pair")).map(
      ([left, right]): Pair => ({
        schema: z.intersection(z.object({ left: left.schema }), z.object({ right: right.schema })),
        value: { left: left.value, right: right.value },
      }),
    ),
  ),
})).pair;
