import { failOption } from "../../core/options.ts";

/*
 * What is wrong with a JSON Schema is found when it is defined, not when the first value is checked: a misspelled type
 * would refuse everything, and a misspelled reference or pattern would throw.
 */

const typeNames: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** Keywords whose value is a schema, a list of schemas, or a map of them. `items` may be a list before 2020-12. */
const schemaKeywords = new Set(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
const listKeywords = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
/** Keywords in which `false` is usual, and stays. */
const mayBeBoolean = new Set(["additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"]);
const mapKeywords = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** Keywords that would be ignored in silence, with what to write. */
const unheld: Readonly<Record<string, string>> = {
  $dynamicRef: "written as $ref",
  $dynamicAnchor: "written as $anchor",
  dependencies: "written as dependentRequired or dependentSchemas",
  nullable: 'written as a type "null" beside the others (nullable is of OpenAPI)',
};

const maxDepth = 200;

/**
 * A deep copy of a JSON Schema, with `{}` for a part that is `true`, and `{ not: {} }` for `false`. Throws `invalid-options`, with the
 * path, for a type, pattern or keyword that cannot be held.
 */
export function copySchema(schema: unknown, option: string, depth = 0): Record<string, unknown> {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    failOption(option, schema, "a JSON Schema: an object, true or false");
  if (depth > maxDepth) failOption(option, "a schema", `at most ${maxDepth} levels deep; use $defs for what recurs`);
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const place = `${option}.${keyword}`;
    checkKeyword(keyword, value, place);
    const inner = copyInner(keyword, value, place, depth + 1);
    Object.defineProperty(copy, keyword, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function copyInner(keyword: string, value: unknown, place: string, depth: number): unknown {
  if (listKeywords.has(keyword) && Array.isArray(value))
    return value.map((item, index) => copySchema(item, `${place}[${index}]`, depth));
  if (mayBeBoolean.has(keyword) && typeof value === "boolean") return value;
  if (schemaKeywords.has(keyword)) return copySchema(value, place, depth);
  if (!mapKeywords.has(keyword)) return structuredClone(value);
  if (typeof value !== "object" || value === null) failOption(place, value, "an object of schemas");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copySchema(item, `${place}.${key}`, depth)] as const),
  );
}

function checkKeyword(keyword: string, value: unknown, place: string): void {
  if (Object.hasOwn(unheld, keyword)) failOption(place, value, unheld[keyword] as string);
  if (keyword === "type") {
    const names = Array.isArray(value) ? value : [value];
    if (!names.every((name) => typeNames.has(name)))
      failOption(place, value, `one of ${[...typeNames].join(", ")}, or a list of them`);
  }
  if ((keyword === "required" || keyword === "enum" || listOnly.has(keyword)) && !Array.isArray(value))
    failOption(place, value, "a list");
  const patterns =
    keyword === "patternProperties" ? Object.keys(value as object) : keyword === "pattern" ? [value] : [];
  for (const pattern of patterns) checkPattern(pattern, place);
}

const listOnly = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

function checkPattern(pattern: unknown, place: string): void {
  try {
    new RegExp(pattern as string, "u");
  } catch (thrown) {
    failOption(place, pattern, `a regular expression of ECMAScript with the flag u (${(thrown as Error).message})`);
  }
}
