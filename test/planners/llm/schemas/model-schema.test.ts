import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import type { JsonSchema } from "../../../../src/core/json-schema.ts";
import { type StandardSchema, writableJsonSchema } from "../../../../src/core/schema.ts";
import { answerSchema, stepSchema } from "../../../../src/planners/llm/schemas/model-schema.ts";
import type { SchemaDialect } from "../../../../src/planners/llm/schemas/schema-writer.ts";
import { createCalculator } from "../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../src/tools/todo-store/todo-store.ts";
import { fits, oddities } from "./plain-schema.ts";
import { schemasWithValues, schemaWithValue } from "./sample-schemas.ts";

const plainStep = (tool: string, input: JsonSchema, optional: readonly string[] = []) =>
  stepSchema(tool, input, { optional, dialect: "plain" });

/** The schema of an input as a model gets it, with its definitions. */
async function writtenIn(dialect: SchemaDialect, schema: StandardSchema) {
  const step = stepSchema("T", await writableJsonSchema(schema), { optional: [], dialect });
  return { input: step.schema.properties?.input ?? {}, isClosed: step.isClosed, definitions: step.definitions };
}

async function plainOf(schema: StandardSchema): Promise<JsonSchema> {
  return (await writtenIn("plain", schema)).input;
}

/** `{}` is an object to llama.cpp, and a list of `{}` one of objects. */
const anyJson = { anyOf: ["string", "number", "boolean", "null", "object", "array"].map((type) => ({ type })) };

describe("the schema of an input for a model", () => {
  it.each(schemasWithValues)(
    "uses only plain keywords, and accepts what the tool accepts: %s",
    async (_name, schema, ...values) => {
      const plain = await plainOf(schema);
      expect(oddities(plain)).toEqual([]);
      for (const value of values) {
        const parsed = await schema["~standard"].validate(value);
        expect(parsed.issues).toBeUndefined();
        expect(fits(value, plain)).toBe(true);
      }
    },
  );

  it("does the same for random schemas", async () => {
    await fc.assert(
      fc.asyncProperty(schemaWithValue, async ({ schema, value }) => {
        const plain = await plainOf(z.object({ value: schema }));
        expect(oddities(plain)).toEqual([]);
        expect(fits({ value }, plain)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("refuses what plain keywords can describe", async () => {
    const plain = await plainOf(z.object({ a: z.string(), b: z.array(z.int()).max(1).optional(), c: z.enum(["x"]) }));
    const right = { a: "", b: [1], c: "x" };
    expect(fits(right, plain)).toBe(true);
    for (const wrong of [
      { a: "", b: [] },
      { ...right, a: 1 },
      { ...right, b: [1, 2] },
      { ...right, c: "y" },
      { ...right, d: 1 },
    ]) {
      expect(fits(wrong, plain)).toBe(false);
    }
  });

  it("accepts references for values that are known only when the plan runs", async () => {
    const schema = z.object({
      text: z.string(),
      number: z.number(),
      list: z.array(z.object({ n: z.number() })),
      mode: z.enum(["x"]),
      map: z.record(z.string(), z.number()),
    });
    const plain = await plainOf(schema);
    const reference = "${s1.value}";
    const right = { text: "x", number: 1, list: [], mode: "x", map: {} };
    expect(fits({ ...right, number: reference }, plain)).toBe(true);
    expect(fits({ ...right, list: reference }, plain)).toBe(true);
    expect(fits({ ...right, list: [reference, { n: reference }], map: { a: reference } }, plain)).toBe(true);
    // What a tool does is not for another step to say, and no reference is an object.
    expect(fits({ ...right, mode: reference }, plain)).toBe(false);
    expect(fits({ ...right, number: { $ref: "s1.value" } }, plain)).toBe(false);
  });

  it("accepts anything if a definition or a type is unknown", () => {
    for (const odd of [{ $ref: "#/$defs/none" }, { $ref: "other.json" }, { type: "date" }, { not: {} }, {}]) {
      const { schema, isClosed } = plainStep("T", { type: "object", properties: { a: odd } });
      expect(schema.properties?.input?.properties?.a).toEqual(anyJson);
      expect(isClosed).toBe(false);
    }
    expect(plainStep("T", { allOf: [{ $ref: "#/none" }] }).schema.properties?.input).toEqual(anyJson);
  });

  it("stays small if definitions refer to each other", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const input = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs };
    for (const dialect of ["plain", "strict", "grammar"] as const) {
      const step = stepSchema("T", input, { optional: [], dialect });
      expect(JSON.stringify(step).length).toBeLessThan(300_000);
    }
  });
});

describe("the schema of a step", () => {
  it("has the tool as a constant before the input, and other keys only if enabled", () => {
    const { schema } = plainStep("T", { type: "object", properties: {} });
    expect(Object.keys(schema.properties ?? {})).toEqual(["tool", "input"]);
    expect(fits({ tool: "T", input: {} }, schema)).toBe(true);
    for (const wrong of [
      { tool: "U", input: {} },
      { tool: "T" },
      { tool: "T", input: {}, needsApproval: false },
      { tool: "T", input: {}, when: "x" },
    ]) {
      expect(fits(wrong, schema)).toBe(false);
    }
    const { schema: more } = plainStep("T", { type: "object", properties: {} }, ["when", "forEach"]);
    expect(fits({ tool: "T", input: {}, when: "true" }, more)).toBe(true);
  });
});

describe("the schema of an answer", () => {
  const steps = ["A", "B"].map((tool) => plainStep(tool, { type: "object", properties: {} }));
  const answer = (of: typeof steps, maxSteps: number) => answerSchema(of, { maxSteps, dialect: "plain" }).schema;
  const step = { tool: "B", input: {} };

  it("has steps with the tools, or no steps and a reason", () => {
    const schema = answer(steps, 2);
    expect(oddities(schema)).toEqual([]);
    expect(fits({ steps: [step, step] }, schema)).toBe(true);
    expect(fits({ steps: [], missing: "no" }, schema)).toBe(true);
    for (const wrong of [
      { steps: [step, step, step] },
      { missing: "no" },
      { steps: [{ tool: "C", input: {} }] },
      { steps: [], tools: [] },
    ]) {
      expect(fits(wrong, schema)).toBe(false);
    }
    expect(fits({ steps: [step] }, answer(steps.slice(1), 2))).toBe(true);
  });

  it("allows at most 50 steps", () => {
    expect(answer(steps, 1_000).properties?.steps).toMatchObject({ maxItems: 50 });
  });

  it("has no empty union if there are no tools", () => {
    expect(oddities(answer([], 10))).toEqual([]);
  });
});

describe("the dialect of a server", () => {
  const shapes = z.object({
    day: z.iso.date(),
    at: z.iso.datetime().optional(),
    code: z.string().min(2).max(5),
    long: z.string().max(1_000),
    key: z.string().regex(/^[A-Z]{2}-[0-9]+$/),
    digits: z.string().regex(/^\d+$/),
    part: z.string().regex(/[a-z]/),
    quotes: z.string().regex(/^[^a]*.$/),
    count: z.int().min(1).max(9),
    more: z.int().gt(0),
    pair: z.tuple([z.string(), z.number()]),
    map: z.record(z.enum(["a", "b"]), z.number()),
  });

  it("grammar has what llama.cpp holds, and no pattern that it reads in its own way", async () => {
    const { input } = await writtenIn("grammar", shapes);
    const reference = {
      type: "string",
      pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*|\\[[0-9]+\\])*\\}$",
    };
    expect(input.properties).toEqual({
      day: { anyOf: [{ type: "string", format: "date" }, reference] },
      at: { anyOf: [{ type: "string", format: "date-time" }, reference] },
      code: { type: "string", minLength: 2, maxLength: 5 },
      long: { type: "string" },
      key: { anyOf: [{ type: "string", pattern: "^[A-Z]{2}-[0-9]+$" }, reference] },
      digits: { type: "string" },
      part: { type: "string" },
      quotes: { type: "string" },
      count: { anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, reference] },
      more: { anyOf: [{ type: "integer", minimum: 1 }, reference] },
      pair: {
        anyOf: [
          { type: "array", prefixItems: [{ type: "string" }, { anyOf: [{ type: "number" }, reference] }] },
          reference,
        ],
      },
      map: {
        anyOf: [
          {
            type: "object",
            properties: {
              a: { anyOf: [{ type: "number" }, reference] },
              b: { anyOf: [{ type: "number" }, reference] },
            },
            required: ["a", "b"],
            additionalProperties: false,
          },
          reference,
        ],
      },
    });
  });

  it("strict requires each key, and takes null for one that is left out", async () => {
    const { input, isClosed } = await writtenIn("strict", z.object({ a: z.string(), b: z.number().optional() }));
    expect(isClosed).toBe(true);
    expect(input).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { anyOf: [{ type: "number" }, { type: "string" }, { type: "null" }] } },
      required: ["a", "b"],
      additionalProperties: false,
    });
  });

  it.each([
    ["a key that may be left out or be null", z.object({ a: z.string().nullish() })],
    ["a map", z.object({ a: z.record(z.string(), z.number()) })],
    ["anything", z.object({ a: z.unknown() })],
    ["a list of anything", z.object({ a: z.array(z.any()) })],
    ["an open object", z.looseObject({})],
    ["a key $ref", z.object({ $ref: z.string() })],
  ])("strict is off for %s", async (_what, schema) => {
    expect((await writtenIn("strict", schema)).isClosed).toBe(false);
  });

  it("an answer is strict only if all its steps are", () => {
    const closed = stepSchema("A", { type: "object", properties: {} }, { optional: ["reasoning"], dialect: "strict" });
    const open = stepSchema("B", { type: "object" }, { optional: [], dialect: "strict" });
    expect(answerSchema([closed], { maxSteps: 3, dialect: "strict" })).toMatchObject({
      isClosed: true,
      schema: { required: ["steps", "missing"] },
    });
    expect(answerSchema([closed, open], { maxSteps: 3, dialect: "strict" }).isClosed).toBe(false);
  });

  it.each(["strict", "grammar"] as const)("%s has definitions for what contains itself", async (dialect) => {
    interface Tree {
      name: string;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) });
    const { input, definitions } = await writtenIn(dialect, z.object({ tree }));
    expect(JSON.stringify(input)).toContain('"$ref":"#/$defs/T_1"');
    expect(Object.keys(definitions)).toEqual(["T_1"]);
    expect(JSON.stringify(definitions)).toContain('"$ref":"#/$defs/T_1"');
  });

  it.each(["plain", "strict", "grammar"] as const)(
    "a key called $ref costs only its own object the grammar in %s",
    async (dialect) => {
      const { input } = await writtenIn(dialect, z.object({ a: z.object({ $ref: z.string() }), b: z.string() }));
      expect(JSON.stringify(input)).not.toContain("$ref");
      expect(input.properties?.b).toEqual({ type: "string" });
    },
  );
});

describe("what is converted", () => {
  it.each([
    [z.coerce.number(), [{ type: "number" }, { type: "string" }]],
    [z.coerce.boolean(), [{ type: "boolean" }, { type: "string" }]],
    [
      z.preprocess((value) => value, z.array(z.string())),
      [{ type: "array", items: { type: "string" } }, { type: "string" }],
    ],
    [z.number().catch(1), [{ type: "number" }, { type: "string" }]],
    [z3.coerce.number(), [{ type: "number" }, { type: "string" }]],
    [z3.preprocess((value) => value, z3.number()), [{ type: "number" }, { type: "string" }]],
  ])("is written as what it becomes, or as text (%#)", async (field, anyOf) => {
    const object = "_zod" in field ? z.object({ field }) : z3.object({ field: field as z3.ZodTypeAny });
    expect((await plainOf(object)).properties?.field).toEqual({ anyOf });
  });
});

describe("the built-in tools", () => {
  it("have small schemas", async () => {
    const [calculator, todos] = [createCalculator(), createTodoStore()];
    const plain = await plainOf(calculator.inputSchema);
    expect(plain).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "expression": {
            "type": "string",
          },
          "variables": {
            "anyOf": [
              {
                "additionalProperties": {
                  "anyOf": [
                    {
                      "type": "number",
                    },
                    {
                      "type": "string",
                    },
                  ],
                },
                "type": "object",
              },
              {
                "type": "string",
              },
            ],
          },
        },
        "required": [
          "expression",
        ],
        "type": "object",
      }
    `);
    const store = await plainOf(todos.inputSchema);
    expect(oddities(store)).toEqual([]);
    expect(store.anyOf).toHaveLength(9);
    expect(store.anyOf?.[0]).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "dueAt": {
            "type": "string",
          },
          "dueDate": {
            "type": "string",
          },
          "list": {
            "type": "string",
          },
          "operation": {
            "const": "add",
            "type": "string",
          },
          "priority": {
            "enum": [
              "low",
              "medium",
              "high",
            ],
            "type": "string",
          },
          "tags": {
            "anyOf": [
              {
                "items": {
                  "type": "string",
                },
                "maxItems": 20,
                "type": "array",
              },
              {
                "type": "string",
              },
            ],
          },
          "title": {
            "type": "string",
          },
        },
        "required": [
          "operation",
          "title",
        ],
        "type": "object",
      }
    `);
    expect(fits({ operation: "add", title: "milk" }, store)).toBe(true);
    expect(fits({ operation: "explode" }, store)).toBe(false);
  });
});
