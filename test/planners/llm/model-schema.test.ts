import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { JsonSchema } from "../../../src/core/json-schema.ts";
import { inputJsonSchema, type StandardSchema } from "../../../src/core/schema.ts";
import { answerSchema, stepSchema } from "../../../src/planners/llm/model-schema.ts";
import { createCalculator } from "../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
import { fits, oddities } from "./plain-schema.ts";
import { schemasWithValues, schemaWithValue } from "./sample-schemas.ts";

async function plainOf(schema: StandardSchema): Promise<JsonSchema> {
  const step = stepSchema("T", await inputJsonSchema(schema), []);
  return step.properties?.input ?? {};
}

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
    const $ref = "s1.value";
    const right = { text: "x", number: 1, list: [], mode: "x", map: {} };
    expect(fits({ ...right, number: { $ref } }, plain)).toBe(true);
    expect(fits({ ...right, list: { $ref } }, plain)).toBe(true);
    expect(fits({ ...right, list: [{ $ref }, { n: { $ref } }], map: { a: { $ref } } }, plain)).toBe(true);
    // A text is a template, and what a tool does is not for another step to say.
    expect(fits({ ...right, text: { $ref } }, plain)).toBe(false);
    expect(fits({ ...right, mode: { $ref } }, plain)).toBe(false);
    expect(fits({ ...right, number: { other: $ref } }, plain)).toBe(false);
  });

  it("accepts anything if a definition or a type is unknown", () => {
    for (const odd of [{ $ref: "#/$defs/none" }, { $ref: "other.json" }, { type: "date" }, { not: {} }, {}]) {
      expect(stepSchema("T", { type: "object", properties: { a: odd } }, []).properties?.input?.properties?.a).toEqual(
        {},
      );
    }
    expect(stepSchema("T", { allOf: [{ $ref: "#/none" }] }, []).properties?.input).toEqual({});
  });

  it("stays small if definitions refer to each other", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const schema = stepSchema("T", { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs }, []);
    expect(JSON.stringify(schema).length).toBeLessThan(100_000);
  });
});

describe("the schema of a step", () => {
  it("has the tool as a constant before the input, and other keys only if enabled", () => {
    const schema = stepSchema("T", { type: "object", properties: {} }, []);
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
    const more = stepSchema("T", { type: "object", properties: {} }, ["when", "forEach"]);
    expect(fits({ tool: "T", input: {}, when: "true" }, more)).toBe(true);
  });
});

describe("the schema of an answer", () => {
  const steps = ["A", "B"].map((tool) => stepSchema(tool, { type: "object", properties: {} }, []));
  const step = { tool: "B", input: {} };

  it("has steps with the tools, or no steps and a reason", () => {
    const schema = answerSchema(steps, 2);
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
    expect(fits({ steps: [step] }, answerSchema(steps.slice(1), 2))).toBe(true);
  });

  it("allows at most 50 steps", () => {
    expect(answerSchema(steps, 1_000).properties?.steps).toMatchObject({ maxItems: 50 });
  });

  it("has no empty union if there are no tools", () => {
    expect(oddities(answerSchema([], 10))).toEqual([]);
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
                      "additionalProperties": {
                        "type": "string",
                      },
                      "required": [
                        "$ref",
                      ],
                      "type": "object",
                    },
                  ],
                },
                "type": "object",
              },
              {
                "additionalProperties": {
                  "type": "string",
                },
                "required": [
                  "$ref",
                ],
                "type": "object",
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
          },
          "priority": {
            "enum": [
              "low",
              "medium",
              "high",
            ],
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
                "additionalProperties": {
                  "type": "string",
                },
                "required": [
                  "$ref",
                ],
                "type": "object",
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
