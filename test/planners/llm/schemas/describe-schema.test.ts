import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { inputJsonSchema, type StandardSchema } from "../../../../src/core/schema.ts";
import { describeOutput, describeSchema } from "../../../../src/planners/llm/schemas/describe-schema.ts";
import { createCalculator } from "../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../src/tools/todo-store/todo-store.ts";

async function describeOf(schema: StandardSchema): Promise<string> {
  return describeSchema(await inputJsonSchema(schema));
}

interface Category {
  name: string;
  children: Category[];
}
const category: z.ZodType<Category> = z.object({ name: z.string(), children: z.lazy(() => z.array(category)) });
const category3: z3.ZodType<Category> = z3.object({ name: z3.string(), children: z3.lazy(() => z3.array(category3)) });
const shared = z.object({ x: z.number() }).meta({ id: "100%/~", description: "A point" });
const address3 = z3.object({ street: z3.string() });

const cases: readonly (readonly [schema: StandardSchema, text: string])[] = [
  [z.object({}), "{}"],
  [z.looseObject({}), "{ [name: string]: unknown }"],
  [z.object({ a: z.string(), b: z.number().optional() }), "{ a: string, b?: number }"],
  [z.object({ a: z.array(z.string()), b: z.array(z.unknown()) }), "{ a: string[], b: unknown[] }"],
  [z.object({ a: z.array(z.enum(["x", "y"])) }), '{ a: ("x" | "y")[] }'],
  [z.object({ a: z.array(z.literal("x")) }), '{ a: "x"[] }'],
  [z.object({ a: z.tuple([z.string(), z.number()]) }), "{ a: [string, number] }"],
  [z3.object({ a: z3.tuple([z3.string(), z3.number()]) }), "{ a: [string, number] }"],
  [z.object({ a: z.literal(5), b: z.literal(null) }), "{ a: 5, b: null }"],
  [
    z.object({ a: z.string().nullable(), b: z.union([z.string(), z.number()]) }),
    "{ a: string | null, b: string | number }",
  ],
  [z3.object({ a: z3.string().nullable() }), "{ a: string | null }"],
  [z.object({ a: z.record(z.string(), z.number()) }), "{ a: { [name: string]: number } }"],
  [
    z.object({ a: z.intersection(z.object({ x: z.null() }), z.object({ y: z.boolean() })) }),
    "{ a: { x: null, y: boolean } }",
  ],
  [z.object({ a: z.any() }), "{ a: unknown }"],
  [z.object({ n: z.int().min(1).max(9) }), "{ n: integer /* 1 to 9 */ }"],
  [
    z.object({ n: z.number().gt(1).lt(9).multipleOf(2) }),
    "{ n: number /* more than 1, less than 9, a multiple of 2 */ }",
  ],
  [z.object({ n: z.int() }), "{ n: integer }"],
  [z.object({ a: z.email(), b: z.iso.date() }), "{ a: string /* email */, b: string /* date */ }"],
  [z.object({ a: z.string().regex(/^x+$/) }), "{ a: string /* matches ^x+$ */ }"],
  [
    z.object({ a: z.string().default("x").describe("Which\n  one */ it is") }),
    '{ a?: string = "x" /* Which one * / it is */ }',
  ],
  [category, "{ name: string, children: (unknown /* the same again */)[] }"],
  [z.object({ a: shared, b: shared }), "{ a: { x: number } /* A point */, b: { x: number } /* A point */ }"],
  [z3.object({ home: address3, work: address3 }), "{ home: { street: string }, work: { street: string } }"],
];

describe("describeSchema", () => {
  it.each(cases)("writes a type that a model can read (%#)", async (schema, text) => {
    expect(await describeOf(schema)).toBe(text);
  });

  it("stops at a schema that contains itself", async () => {
    expect(await describeOf(category3)).toContain("the same again");
    expect((await describeOf(z.object({ a: z.json() }))).length).toBeLessThan(300);
    let deep: z.ZodType = z.null();
    for (const key of "hgfedcba") deep = z.object({ [key]: deep });
    expect(await describeOf(deep)).toContain("h: unknown");
  });

  it("reports a definition that cannot be found", () => {
    expect(describeSchema({ $ref: "#/$defs/none" })).toBe("unknown");
    expect(describeSchema({ type: ["string", "null"] })).toBe("string | null");
    expect(describeSchema({ allOf: [{ type: "string" }, {}] })).toBe("string & unknown");
    expect(describeSchema({ type: "array" })).toBe("unknown[]");
    expect(describeSchema({ anyOf: [{ type: "string" }] })).toBe("string");
  });

  it("stays short if definitions refer to each other", () => {
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    expect(describeSchema({ $ref: "#/$defs/d0", $defs }).length).toBeLessThan(100_000);
  });

  it("writes each object of a union on its own line", async () => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), n: z.number() }),
    ]);
    expect(await describeOf(schema)).toBe('\n    | { kind: "a" }\n    | { kind: "b", n: number }');
  });

  it("describes fields of a union once, and objects that differ in a constant together", async () => {
    const point = { x: z.number().describe("From the left"), y: z.number() };
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("dot"), ...point }),
      z.object({ kind: z.literal("ring"), ...point }),
      z.object({ kind: z.literal("line"), ...point, to: z.number(), y: z.number().optional() }),
    ]);
    expect(await describeOf(schema)).toBe(
      '\n    | { kind: "dot" | "ring", x, y }\n    | { kind: "line", x, y?, to: number }' +
        "\n    where x: number /* From the left */, y: number",
    );
  });

  it("describes the built-in tools", async () => {
    expect(await describeOf(createCalculator().inputSchema)).toMatchInlineSnapshot(
      `"{ expression: string /* Such as "(41 * 7) + 13", "sqrt(2) * x" or "15% * 80" */, variables?: { [name: string]: number } /* Values of the names in the expression */ }"`,
    );
    expect(await describeOf(createTodoStore().inputSchema)).toMatchInlineSnapshot(`
      "
          | { operation: "add", title: string, list?, dueDate?: string /* A date (2026-11-22) */, dueAt?: string /* Or a time with offset (2026-11-22T18:00+01:00) */, priority?, tags? }
          | { operation: "list", list?: string /* Default: all lists, at most 100 characters */, status?: "all" | "pending" | "completed" = "all", dueBefore?: string /* As dueDate or dueAt */, dueAfter?: string /* As dueDate or dueAt */, dueOn?: string /* A date */, tag?: string /* at most 50 characters */, priority?, sort?: "created" | "due" | "priority" | "title" = "created", reverse?: boolean = false, offset?, limit? }
          | { operation: "get" | "complete" | "reopen" | "delete", id?, title?, index?, list? }
          | { operation: "update", id?, title?, index?, list?, newTitle?: string, newList?: string /* List to move it to, at most 100 characters */, dueDate?: string /* A date (2026-11-22), keeps the time; null for never */ | null, dueAt?: string /* Or a time with offset (2026-11-22T18:00+01:00); null for never */ | null, priority?: "low" | "medium" | "high" | null, tags?, addTags?: string[], removeTags?: string[] }
          | { operation: "clear", list?, allLists?: boolean = false /* Clear every list there is */, onlyCompleted?: boolean = false }
          | { operation: "search", query: string /* Words of the title */, list?, offset?, limit? }
          where list: string /* Name of a list, at most 100 characters */, priority: "low" | "medium" | "high", tags: (string /* at most 50 characters */)[] /* at most 20 items */, offset: integer = 0 /* How many to skip, at least 0 */, limit: integer = 100 /* How many to return, 1 to 1000 */, id: string /* at most 200 characters */, title: string /* Give one of id, title, index */, index: integer /* Position: 1 is the first, -1 the last */"
    `);
  });
});

describe("describeOutput", () => {
  it("has no comments, and names an object that is repeated", () => {
    const todo = {
      type: "object",
      properties: { id: { type: "string", description: "x" }, title: { type: "string" }, list: { type: "string" } },
    };
    const page = { type: "object", properties: { todos: { type: "array", items: todo } }, description: "a page" };
    expect(describeOutput({ anyOf: [todo, page] })).toBe(
      "\n    | T\n    | { todos?: T[] } /* a page */\n    where T = { id?: string, title?: string, list?: string }",
    );
    expect(describeOutput({ type: "object", properties: { n: { type: "integer", minimum: 1, default: 2 } } })).toBe(
      "{ n?: integer }",
    );
  });
});
