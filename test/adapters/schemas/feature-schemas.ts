/** One schema for each feature of JSON Schema, by its name. */
export const featureSchemas: Readonly<Record<string, object>> = {
  integer: { type: "integer" },
  "an integer within bounds": { type: "integer", minimum: 0, exclusiveMaximum: 10 },
  "a multiple": { type: "number", multipleOf: 5 },
  "a constant that is an object": { const: { a: 1, b: [2] } },
  "an enum of anything": { enum: [[1], { a: 1 }, "x", null] },
  "a type beside an enum": { type: "string", enum: ["a", "b"] },
  not: { not: { type: "string" } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  "if, then, else": { if: { type: "string" }, then: { minLength: 3 }, else: { type: "number" } },
  dependentRequired: {
    type: "object",
    dependentRequired: { a: ["b"] },
    properties: { a: { type: "string" }, b: { type: "number" } },
  },
  dependentSchemas: { type: "object", dependentSchemas: { a: { required: ["b"] } } },
  unevaluatedProperties: {
    type: "object",
    allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "number" } } }],
    unevaluatedProperties: false,
  },
  "a tuple": { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
  uniqueItems: { type: "array", items: { type: "number" }, uniqueItems: true },
  contains: { type: "array", contains: { type: "number" }, minContains: 2, maxContains: 3 },
  patternProperties: { type: "object", patternProperties: { "^x_": { type: "number" } }, additionalProperties: false },
  propertyNames: { type: "object", propertyNames: { maxLength: 3 } },
  "a number of properties": { type: "object", minProperties: 1, maxProperties: 2 },
  "a list of types": { type: ["string", "null"], minLength: 2 },
  recursion: {
    $defs: { tree: { type: "object", properties: { in: { type: "array", items: { $ref: "#/$defs/tree" } } } } },
    $ref: "#/$defs/tree",
  },
  oneOf: {
    oneOf: [
      { type: "number", minimum: 3 },
      { type: "number", maximum: 5 },
    ],
  },
  "anyOf of required keys": { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  date: { type: "string", format: "date" },
  "date-time": { type: "string", format: "date-time" },
  email: { type: "string", format: "email" },
  uuid: { type: "string", format: "uuid" },
  uri: { type: "string", format: "uri" },
  pattern: { type: "string", pattern: "^[a-z]{2,4}$" },
  "no type": { properties: { a: { type: "number" } }, required: ["a"] },
};
