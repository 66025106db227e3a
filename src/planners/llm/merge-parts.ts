import type { JsonSchema } from "../../core/json-schema.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/**
 * A schema as one that has either properties or branches: an object beside `anyOf`, `oneOf` or `allOf` becomes a part of
 * each branch, and properties without a type make an object. Never narrower, except for keys that no part names.
 */
export function mergeParts(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, ...own } = schema;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && !isUntyped(own)) return schema;
  const hasProperties = own.properties !== undefined;
  const all = allOf === undefined ? undefined : mergeObjects(root, hasProperties ? [own, ...allOf] : allOf);
  // What has no properties in common says as much alone as with the others.
  const base = all ?? (hasProperties ? { ...own, type: "object" } : undefined);
  const branches = anyOf ?? oneOf;
  if (branches === undefined) return base ?? schema;
  if (base === undefined) return { ...own, anyOf: branches };
  const merged = branches.map((branch) => mergeObjects(root, [base, branch]));
  return merged.includes(undefined) ? base : { anyOf: merged as JsonSchema[] };
}

function isUntyped({ type, properties, $ref }: JsonSchema): boolean {
  return type === undefined && properties !== undefined && $ref === undefined;
}

/** Objects that must all match, as one; undefined if one of them may be something else. */
function mergeObjects(root: JsonSchema, schemas: readonly JsonSchema[]): JsonSchema | undefined {
  const parts: JsonSchema[] = [];
  for (const schema of schemas) {
    const part = schema.$ref === undefined ? schema : resolvePointer(root, schema.$ref);
    if (part === undefined || !mayBeObject(part)) return undefined;
    parts.push(part);
  }
  if (parts.every(({ properties }) => properties === undefined)) return undefined;
  return {
    ...parts[0],
    type: "object",
    properties: Object.fromEntries(parts.flatMap(({ properties = {} }) => Object.entries(properties))),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  };
}

function mayBeObject({ type, enum: values, const: constant, anyOf, oneOf, allOf, $ref }: JsonSchema): boolean {
  return (
    (type ?? "object") === "object" && [values, constant, anyOf, oneOf, allOf, $ref].every((each) => each === undefined)
  );
}
