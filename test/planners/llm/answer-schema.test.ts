import fc from "fast-check";
import type { JsonSchema, StandardSchema } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { toJsonSchema } from "../../../src/core/schema.ts";
import { type SchemaDialect, SchemaWriter } from "../../../src/planners/llm/answer-schema.ts";
import { fits, oddities } from "./schemas/plain-schema.ts";
import { schemasWithValues, schemaWithValue } from "./schemas/sample-schemas.ts";

/** A schema as a model gets it. */
async function writtenIn(dialect: SchemaDialect, schema: StandardSchema) {
  const json = (await toJsonSchema(schema, "input")) as JsonSchema;
  const writer = new SchemaWriter(json, dialect);
  const written = writer.write(json);
  return { written, isClosed: writer.isClosed };
}

describe("the schema of a value for a model", () => {
  it.each(schemasWithValues)(
    "has only plain keywords, and takes what the tool takes: %s",
    async (_name, schema, ...values) => {
      const { written } = await writtenIn("plain", schema);
      expect(oddities(written)).toEqual([]);
      for (const value of values) expect(fits(value, written)).toBe(true);
    },
  );

  it("has and takes the same of random schemas", async () => {
    const check = async ({ schema, value }: { schema: z.ZodType; value: unknown }) => {
      const { written } = await writtenIn("plain", z.object({ value: schema }));
      expect(oddities(written)).toEqual([]);
      expect(fits({ value }, written)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(schemaWithValue, check), { numRuns: 300 });
  });

  it.each([
    ["a map", z.object({ a: z.record(z.string(), z.number()) })],
    ["anything", z.object({ a: z.unknown() })],
    ["an open object", z.looseObject({})],
  ])("is not closed for %s", async (_what, schema) => {
    expect((await writtenIn("strict", schema)).isClosed).toBe(false);
  });

  it("keeps what stands beside a union, and names the keys of a closed map", () => {
    const properties = { id: { type: "string" } };
    const rates = {
      ...{ type: "object", additionalProperties: { type: "number" } },
      ...{ propertyNames: { enum: ["low", "high"] }, required: ["low", "high"] },
    };
    const root = {
      type: "object",
      properties: { ...properties, rates },
      anyOf: [{ required: ["id"] }, { required: ["rates"] }],
    };
    const writer = new SchemaWriter(root, "grammar");
    const written = writer.write(root);
    expect(writer.isClosed).toBe(true);
    expect(oddities(written)).toEqual([]);
    expect(fits({ id: "1", rates: { low: 1, high: 2 } }, written)).toBe(true);
    expect(fits({ rates: { low: 1, high: "2" } }, written)).toBe(false);
    expect(fits({}, written)).toBe(false);
  });

  it("leaves open what contains itself", async () => {
    interface Tree {
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({ children: z.lazy(() => z.array(tree)) });
    const { written, isClosed } = await writtenIn("strict", z.object({ tree }));
    expect(isClosed).toBe(false);
    expect(fits({ tree: { children: [{ children: [] }] } }, written)).toBe(true);
  });
});
