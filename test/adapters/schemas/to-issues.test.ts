import { jsonSchema } from "planwright/schemas";
import { describe, expect, it } from "vitest";

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
    [{ name: "nobody" }, ["name"], "it must not match this schema"],
    [{ name: "", extra: 1 }, ["extra"], "it is not allowed"],
    [{ name: "", "a/b~c %": [1, null, "e"] }, ["a/b~c %", 2], "expected integer or null, received string"],
    [{ name: "", "0": { "1": 3 } }, ["0", "1"], "expected 2"],
    [{ name: "", shape: { kind: "circle" } }, ["shape", "r"], "it is required"],
    [{ name: "", shape: { kind: "square", a: "" } }, ["shape", "a"], "expected number, received string"],
    [{ name: "", shape: "round" }, ["shape"], "it matches none of the allowed forms: expected object, received string"],
    [{ name: "", size: 4 }, ["size"], "it must match exactly one form, but matches several"],
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
