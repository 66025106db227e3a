import { createAgent, createMemoryRunStore, defineTool, isAgentError, type JsonSchema } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { describe, expect, it } from "vitest";
import { sensitivePaths } from "../../../src/core/sensitive-paths.ts";
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

  it("finds equal items in lists of any length, of objects and lists, and below unions and references", () => {
    const unique = { type: "array", uniqueItems: true };
    const schema = { type: "object", properties: { a: unique, b: { anyOf: [unique, { type: "string" }] }, c: unique } };
    const many = Array.from({ length: 40_000 }, (_, id) => ({ id, tags: [[id], id % 7] }));
    expect(issuesOf(schema, { a: many })).toBeUndefined();
    const issue = { path: ["a"], message: "expected items that differ from each other" };
    expect(issuesOf(schema, { a: [...many, { tags: [[0], 0], id: 0 }] })).toEqual([issue]);
    expect(issuesOf(schema, { a: [1, "1", true, null, [1], ["1"], 0, -0] })).toEqual([issue]);
    expect(issuesOf(schema, { b: [1, 1] })).toEqual([{ ...issue, path: ["b"] }]);
    // Lists that need not be unique are left alone, as is what is not known yet.
    expect(issuesOf(schema, { a: [[1, 1], 2], b: "x", d: [1, 1], c: [undefined, undefined] })).toBeUndefined();
    const nested = { $ref: "#/$defs/list", $defs: { list: { ...unique, items: { $ref: "#/$defs/list" } } } };
    expect(issuesOf(nested, [[], [[]], [[], []]])).toEqual([{ ...issue, path: [2] }]);
    expect(issuesOf({ ...unique, enum: [[1, 1], [2]] }, [1, 1])).toEqual([{ ...issue, path: [] }]);
    expect(issuesOf({ type: "array", uniqueItems: false }, [1, 1])).toBeUndefined();
    const pairs = (length: number) => Array.from({ length }, (_, id) => [id, id]);
    expect(issuesOf({ ...unique, items: unique }, pairs(101))).toHaveLength(101);
  });

  it("bounds the work of looking for lists with equal items, and leaves what need not be unique alone", () => {
    const lists = { type: "array", items: { type: "array", uniqueItems: true } };
    const schema = { type: "object", properties: { lists, points: { type: "array" } } };
    const pairs = Array.from({ length: 4_000 }, (_, id) => [id, id]);
    expect(issuesOf(schema, { lists: [[1, 2], [3]], points: pairs })).toBeUndefined();
    expect(issuesOf(schema, { lists: [[1, 1]], points: pairs })).toHaveLength(1);
    expect(issuesOf(schema, { lists: pairs, points: [] })).toEqual([
      { path: [], message: "it has too many lists with equal items to check them all" },
    ]);
    expect(issuesOf(schema, { lists: [[1, 2]], points: [] })).toBeUndefined();
    // What the schema does not look at may be no JSON.
    expect(issuesOf(schema, { lists: [[1, 2]], other: [1n, 1n, Symbol("s")] })).toBeUndefined();
    const turning: unknown[] = [];
    turning.push(turning);
    expect(issuesOf(schema, { lists: [], other: turning })).toBeUndefined();
  });

  it("does not match a text that is too long for a pattern with several ways", () => {
    const schema = { pattern: "\\s+$", maxLength: 10_000 };
    const spaces = (length: number) => `${" ".repeat(length - 1)}x`;
    expect(issuesOf(schema, "a ")).toBeUndefined();
    expect(issuesOf(schema, 7)).toBeUndefined();
    expect(issuesOf(schema, spaces(5_000))).toEqual([{ path: [], message: "String does not match pattern." }]);
    expect(issuesOf(schema, spaces(5_001))).toEqual([{ path: [], message: "String is too long (5001 > 5000)." }]);
    expect(issuesOf({ pattern: "^\\s+$" }, " ".repeat(500_000))).toBeUndefined();
    const exponential = { pattern: "^(\\w+\\s?)*$" };
    expect(issuesOf(exponential, "ab cd ef ghi")).toBeUndefined();
    expect(issuesOf(exponential, "ab cd ef gh!")).toEqual([{ path: [], message: "String does not match pattern." }]);
    expect(issuesOf(exponential, "ab cd ef gh ij kl mn")).toEqual([
      { path: [], message: "String is too long (20 > 19)." },
    ]);
  });

  it("checks a URL in time that grows with its length", () => {
    expect(issuesOf({ format: "url" }, "https://example.com/a?b#c")).toBeUndefined();
    expect(issuesOf({ format: "url" }, `http://${"a".repeat(5_000)}^`)).toHaveLength(1);
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
    ["a reference that is no text", { properties: { a: { $ref: [] } } }, "schema.properties.a.$ref"],
    ["a pattern that is no text", { pattern: ["a"] }, "schema.pattern"],
    ["a pattern of keys that is none", { patternProperties: { "(": {} } }, "schema.patternProperties"],
    [
      "a pattern of keys that takes exponential time",
      { patternProperties: { "^(\\w+\\s?)*$": {} } },
      "schema.patternProperties",
    ],
    ["a pattern that takes long for any text", { pattern: "^(?:(?:a?){30}){30}b$" }, "schema.pattern"],
    ["a pattern of keys that takes the square", { patternProperties: { "_+x": {} } }, "schema.patternProperties"],
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
    expect(() => jsonSchema(schema as object)).toThrow("at most 200 levels deep, with $defs for schemas that recur");
  });
});

describe("a reference by $id", () => {
  const marked = { type: "string", sensitive: true } as const;
  const byId = (ref: string, $id: string, more: object = {}) => ({
    ...{ type: "object", properties: { token: { $ref: ref } }, required: ["token"], ...more },
    $defs: { "a/b": { ...marked, ...($id && { $id }) } },
  });
  it.each([
    ["of a URN", byId("urn:key", "urn:key")],
    ["of a URL", byId("https://example.org/key", "https://example.org/key")],
    ["relative to the root", byId("key", "key", { $id: "https://example.org/a" })],
    ["with a pointer", byId("https://example.org/a#/$defs/a~1b", "", { $id: "https://example.org/a" })],
    ["to an anchor", { ...byId("urn:a#key", "", { $id: "urn:a" }), $defs: { key: { ...marked, $anchor: "key" } } }],
    [
      "within another one",
      {
        ...byId("urn:outer", ""),
        $defs: { outer: { $id: "urn:outer", $ref: "#/$defs/key", $defs: { key: marked } } },
      },
    ],
  ])("%s leads to a mark: the field is sealed", async (_, schema) => {
    const tool = defineTool({ name: "Login", description: "l", inputSchema: jsonSchema(schema), execute: () => "ok" });
    const store = createMemoryRunStore();
    const agent = createAgent({ tools: [tool], store, onWarning() {} });
    const steps = [{ id: "s", tool: "Login", input: { token: "hunter2-hunter2" } }];
    const result = await agent.execute({ steps } as never, { runId: "r" });
    expect(result.status).toBe("completed");
    expect(JSON.stringify([result, await store.read("r")])).not.toContain("hunter2");
    expect(jsonSchema(schema).schema).toEqual(schema);
    const lacking = { steps: [{ id: "s", tool: "Login", input: {} }] };
    await expect(agent.execute(lacking as never)).rejects.toMatchObject({ code: "invalid-plan" });
  });

  it("is quick to follow in a schema of 1,000 of them", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    const schema = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `urn:x:${name}` }])),
      $defs: Object.fromEntries(
        names.map((name, index) => [
          name,
          { $id: `urn:x:${name}`, type: "string", ...(index === 999 && { sensitive: true }) },
        ]),
      ),
    };
    const told = jsonSchema(schema)["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
    expect(sensitivePaths(told as JsonSchema)).toEqual(["/k999"]);
  });
});

const shape = { kind: { enum: ["circle", "square"] } };
const schema = jsonSchema<unknown>({
  type: "object",
  properties: {
    name: { type: "string", not: { const: "nobody" } },
    "a/b~c %": { type: "array", items: { type: ["integer", "null"] } },
    "0": { type: "object", properties: { "1": { const: 2 } } },
    shape: {
      anyOf: [
        { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind", "r"] },
        { type: "object", properties: { kind: { const: "square" }, a: { type: "number" } }, required: ["kind", "a"] },
      ],
    },
    size: { oneOf: [{ type: "number", minimum: 3 }, { type: "number", maximum: 5 }, { type: "null" }] },
    map: { type: "object", additionalProperties: { type: "string" } },
    either: {
      anyOf: [
        { type: "object", properties: { a: { type: "number" } }, additionalProperties: false },
        { type: "object", properties: { b: { type: "number" } }, additionalProperties: false },
      ],
    },
    color: { enum: ["red", 7] },
    more: { type: "number", exclusiveMinimum: 0 },
    id: { $ref: "#/$defs/id" },
    code: { type: "string", format: "uuid", minLength: 3 },
  },
  required: ["name"],
  additionalProperties: false,
  if: { properties: { name: { const: "box" } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: shape },
  $defs: { id: { type: "integer", minimum: 1 } },
});

describe("the issues of a value", () => {
  it.each<[object, (string | number)[], string]>([
    [{}, ["name"], "it is required"],
    [{ name: 1 }, ["name"], "expected string, received number"],
    [{ name: "nobody" }, ["name"], 'it is excluded by "not"'],
    [{ name: "", extra: 1 }, ["extra"], "it is not allowed"],
    [{ name: "", "a/b~c %": [1, null, "e"] }, ["a/b~c %", 2], "expected integer or null, received string"],
    [{ name: "", "0": { "1": 3 } }, ["0", "1"], "expected 2"],
    [{ name: "", shape: { kind: "circle" } }, ["shape", "r"], "it is required"],
    [{ name: "", shape: { kind: "square", a: "" } }, ["shape", "a"], "expected number, received string"],
    [{ name: "", shape: "round" }, ["shape"], "it matches none of the allowed forms: expected object, received string"],
    [{ name: "", size: 4 }, ["size"], "it must match exactly one of the allowed forms, but matches several"],
    [{ name: "", map: { k: 1 } }, ["map", "k"], "expected string, received number"],
    [{ name: "", either: { a: 1, b: 2 } }, ["either"], "it matches none of the allowed forms: it is not allowed"],
    [{ name: "", color: "blue" }, ["color"], 'expected any of ["red",7]'],
    [{ name: "", more: 0 }, ["more"], "0 is not greater than 0"],
    [{ name: "", id: 0 }, ["id"], "0 is less than 1."],
    [{ name: "", code: "x-y-z" }, ["code"], "expected the format uuid"],
  ])("of %j lead to their place", (value, path, message) => {
    expect(schema["~standard"].validate(value)).toEqual({ issues: [{ path, message }] });
  });

  it("are as many as there are", () => {
    const result = schema["~standard"].validate({ id: "x", color: "blue" });
    expect((result as { issues?: readonly unknown[] }).issues).toHaveLength(3);
  });
});
