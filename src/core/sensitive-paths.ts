import type { JsonSchema } from "./schema.ts";

/**
 * The part of a JSON Schema that a value may have to fit, for one question: whether it is sensitive. Where the schema leaves
 * it open (the branches of a union), what any part of it says counts.
 */
export class SensitiveView {
  readonly isSensitive: boolean;
  private readonly schemas: readonly JsonSchema[];

  constructor(
    private readonly root: JsonSchema,
    schemas: readonly unknown[] = [root],
  ) {
    const found = new Set<JsonSchema>();
    for (const schema of schemas) collect(root, schema, found);
    this.schemas = [...found];
    this.isSensitive = this.schemas.some(({ sensitive, writeOnly }) => sensitive === true || writeOnly === true);
  }

  /** What an item of the value may have to fit. */
  at(key: string | number): SensitiveView {
    return new SensitiveView(
      this.root,
      this.schemas.flatMap((schema) => [...childrenOf(schema, key)]),
    );
  }
}

/** A schema and all that it says of the same value. */
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

/** What a pointer such as `#/$defs/Item` leads to. */
function follow(root: JsonSchema, pointer: string): unknown {
  let target: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const holder = (target ?? {}) as Readonly<Record<string, unknown>>;
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    // The converters write a key such as `100%` as it is.
    target = Object.hasOwn(holder, key)
      ? holder[key]
      : holder[decodeURIComponent(key.replace(/%(?![\da-f]{2})/gi, "%25"))];
  }
  return target;
}
