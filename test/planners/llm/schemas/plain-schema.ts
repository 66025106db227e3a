import type { JsonSchema } from "planwright";

const keywords = new Set(
  "type properties required enum const items minItems maxItems anyOf additionalProperties".split(" "),
);

/** What of a schema is more than the plain keywords, or no schema. */
export function oddities(schema: JsonSchema, path = "#"): readonly string[] {
  const { properties = {}, items, anyOf, additionalProperties, required, type } = schema;
  const below: (readonly [string, unknown])[] = Object.entries(properties);
  if (items !== undefined) below.push(["items", items]);
  if (typeof additionalProperties === "object") below.push(["others", additionalProperties]);
  for (const [index, branch] of (anyOf ?? []).entries()) below.push([`anyOf ${index}`, branch]);
  return [
    ...Object.keys(schema).filter((keyword) => !keywords.has(keyword)),
    ...(type === undefined || typeof type === "string" ? [] : ["type is a list"]),
    ...(anyOf?.length === 0 ? ["anyOf is empty"] : []),
    ...(new Set(required).size === (required?.length ?? 0) ? [] : ["required twice"]),
  ]
    .map((oddity) => `${path}: ${oddity}`)
    .concat(below.flatMap(([key, item]) => oddities(item as JsonSchema, `${path}/${key}`)));
}

/** Whether a value fits a plain schema. */
export function fits(value: unknown, schema: JsonSchema): boolean {
  if ("const" in schema) return JSON.stringify(value) === JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.anyOf !== undefined) return schema.anyOf.some((branch) => fits(value, branch));
  switch (schema.type) {
    case undefined:
      return true;
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value) && fitsList(value, schema);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && fitsObject(value, schema);
    default:
      return typeof value === schema.type;
  }
}

function fitsList(value: readonly unknown[], { items = {}, minItems = 0, maxItems = 1e9 }: JsonSchema): boolean {
  const isLength = value.length >= (minItems as number) && value.length <= (maxItems as number);
  return isLength && value.every((item) => fits(item, items as JsonSchema));
}

function fitsObject(value: object, { properties = {}, required = [], additionalProperties }: JsonSchema): boolean {
  if (!required.every((key) => Object.hasOwn(value, key))) return false;
  return Object.entries(value).every(([key, item]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return known !== false && (typeof known !== "object" || fits(item, known));
  });
}
