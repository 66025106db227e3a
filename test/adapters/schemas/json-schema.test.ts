import { describe, expect, it } from "vitest";
import { jsonSchema } from "../../../src/adapters/schemas/index.ts";
import { isAgentError } from "../../../src/core/errors.ts";
import { compareWithAjv } from "../../gold-plans/schema-agreement.ts";
import { featureSchemas } from "./feature-schemas.ts";

const issuesOf = (schema: object, value: unknown) => {
  const result = jsonSchema<unknown>(schema)["~standard"].validate(value);
  return (result as { issues?: readonly unknown[] }).issues;
};

describe("jsonSchema", () => {
  it.each(Object.entries(featureSchemas))("says what ajv says of values: %s", (_name, schema) => {
    const { values, valid, misses } = compareWithAjv([schema], { perSchema: 60 });
    expect(misses).toEqual([]);
    expect([values, valid > 0, valid < values]).toEqual([300, true, true]);
  });

  it("returns a value as it is", () => {
    const value = { a: 2 ** 60, extra: [1] };
    expect(jsonSchema({ type: "object" })["~standard"].validate(value)).toEqual({ value });
  });

  it("keeps and tells its own copy", () => {
    const given = { type: "object", properties: { a: { enum: ["x"] as string[] }, any: true, none: false } };
    const schema = jsonSchema<unknown>(given);
    const told = { type: "object", properties: { a: { enum: ["x"] }, any: {}, none: { not: {} } } };
    given.properties.a.enum.push("y");
    (schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) as { type: string }).type = "null";
    expect(schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" })).toEqual(told);
    expect(schema.schema).toEqual(told);
    expect(issuesOf(given, { a: "z" })).toHaveLength(1);
  });

  it("holds schemas of older drafts by their $schema", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const tuple = { $schema, items: [{ type: "string" }], additionalItems: false };
    expect([issuesOf(tuple, ["a"]), issuesOf(tuple, [1])?.length, issuesOf(tuple, ["a", 1])?.length]).toEqual([
      undefined,
      1,
      1,
    ]);
    const exclusive = { $schema: "http://json-schema.org/draft-04/schema#", minimum: 1, exclusiveMinimum: true };
    expect([issuesOf(exclusive, 1)?.length, issuesOf(exclusive, 2)]).toEqual([1, undefined]);
  });

  it("refuses a list that is too long to be checked for duplicates, rather than hang", () => {
    const schema = { type: "object", properties: { ids: { type: "array", uniqueItems: true } } };
    const ids = Array.from({ length: 5_001 }, (_, index) => index);
    expect(issuesOf(schema, { ids })).toEqual([
      { path: ["ids"], message: "at most 5000 items can be checked to be unique" },
    ]);
    expect(issuesOf(schema, { ids: ids.slice(1) })).toBeUndefined();
    expect(issuesOf({ type: "object" }, { ids })).toBeUndefined();
  });

  it("takes bounds of draft 4 where the schema says so, formats that are only notes, and what recurs below itself", () => {
    jsonSchema({ $schema: "http://json-schema.org/draft-04/schema#", minimum: 5, exclusiveMinimum: true });
    jsonSchema({ type: "integer", format: "int32", "x-unit": "m", examples: [1] });
    jsonSchema({ type: "object", properties: { child: { $ref: "#" } } });
  });

  it.each<[string, unknown, string]>([
    ["a misspelled type", { properties: { a: { type: "strin" } } }, "schema.properties.a.type"],
    ["a reference to nothing", { items: { $ref: "#/$defs/x" } }, "schema"],
    ["a reference outside", { $ref: "https://example.com/schema" }, "schema"],
    ["a pattern that is none", { pattern: "(" }, "schema.pattern"],
    ["a pattern of keys that is none", { patternProperties: { "(": {} } }, "schema.patternProperties"],
    ["a keyword of OpenAPI", { type: "string", nullable: true }, "schema.nullable"],
    ["a keyword that is not held", { $dynamicRef: "#x" }, "schema.$dynamicRef"],
    ["a text", "object", "schema"],
    ["a list in place of a schema", { anyOf: [{}, []] }, "schema.anyOf[1]"],
    ["one in place of a list", { anyOf: {} }, "schema.anyOf"],
    ["required of a text", { required: "a" }, "schema.required"],
    ["no properties", { properties: null }, "schema.properties"],
    ["a misspelled keyword", { requird: ["a"] }, "schema.requird"],
    ["two exchanged letters", { properties: { a: { maxLenght: 5 } } }, "schema.properties.a.maxLenght"],
    ["a bound of draft 4", { minimum: 5, exclusiveMinimum: true }, "schema.exclusiveMinimum"],
    ["a bound as text", { maximum: "5" }, "schema.maximum"],
    ["a negative length", { maxLength: -1 }, "schema.maxLength"],
    ["multiples of nothing", { multipleOf: 0 }, "schema.multipleOf"],
    ["no constants", { enum: [] }, "schema.enum"],
    ["a format that nothing checks", { format: "license-plate" }, "schema.format"],
    ["keys that are numbers", { required: [5] }, "schema.required"],
    ["a list of properties", { properties: [{}] }, "schema.properties"],
    ["an older word for multiples", { divisibleBy: 2 }, "schema.divisibleBy"],
    ["a schema that is itself", { $ref: "#" }, "schema"],
    [
      "a circle of references",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } },
      "schema",
    ],
    ["a draft that does not exist", { $schema: "https://example.com/draft-99/" }, "schema.$schema"],
  ])("refuses %s", (_name, schema, option) => {
    const refusal = (() => {
      try {
        return jsonSchema(schema as object);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(isAgentError(refusal, "invalid-options") && refusal.details.option).toBe(option);
  });

  it("refuses a schema that contains itself", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema.properties = { self: schema };
    expect(() => jsonSchema(schema as object)).toThrow("at most 200 levels deep; use $defs for what recurs");
  });
});
