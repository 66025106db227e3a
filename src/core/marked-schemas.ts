import type { JsonSchema } from "./json-schema.ts";

/** The schemas below a key that a value may have to fit, with every part of them that applies to the same value. */
export function schemasBelow(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  key: string | number,
): readonly JsonSchema[] {
  return withBranches(
    root,
    schemas.flatMap((schema) => [...childrenOf(schema, key)]),
  );
}

/** Schemas with every part of them that applies to the same value. */
export function withBranches(root: JsonSchema, schemas: readonly unknown[]): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  for (const schema of schemas) collect(root, schema, found);
  return [...found];
}

/** Collects a schema and every part of it that applies to the same value. */
function collect(root: JsonSchema, schema: unknown, found: Set<JsonSchema>): void {
  if (typeof schema !== "object" || schema === null) return;
  const one = schema as JsonSchema;
  if (found.has(one)) return;
  found.add(one);
  if (one.$ref !== undefined) collect(root, follow(root, one.$ref), found);
  const { anyOf = [], oneOf = [], allOf = [] } = one;
  for (const branch of [...anyOf, ...oneOf, ...allOf]) collect(root, branch, found);
}

function* childrenOf(schema: JsonSchema, key: string | number): Iterable<unknown> {
  const { properties = {}, patternProperties = {}, additionalProperties, items, prefixItems = [] } = schema;
  if (typeof key === "number") {
    const tuple = Array.isArray(items) ? items : prefixItems;
    yield tuple[key] ?? (Array.isArray(items) ? schema.additionalItems : items);
    return;
  }
  yield Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  yield* Object.values(patternProperties as Readonly<Record<string, unknown>>);
}

/** The target of a pointer such as `#/$defs/Item`. */
function follow(root: JsonSchema, pointer: string): unknown {
  let target: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const holder = (target ?? {}) as Readonly<Record<string, unknown>>;
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    // The converters do not escape a key such as `100%`.
    target = Object.hasOwn(holder, key)
      ? holder[key]
      : holder[decodeURIComponent(key.replace(/%(?![\da-f]{2})/gi, "%25"))];
  }
  return target;
}
