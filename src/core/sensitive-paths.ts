import type { JsonSchema } from "./json-schema.ts";

/**
 * The part of a JSON Schema that a value may have to fit, for one question: whether it is sensitive. If the schema
 * leaves that part open (the branches of a union), a mark in any of them counts.
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
    this.isSensitive = this.schemas.some(isMarked);
  }

  /** The view of an item of the value. */
  at(key: string | number): SensitiveView {
    return new SensitiveView(
      this.root,
      this.schemas.flatMap((schema) => [...childrenOf(schema, key)]),
    );
  }
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

/** Of a schema with more parts than these, all counts as sensitive. */
const maxParts = 10_000;

/**
 * Where values of a schema are sensitive, as [JSON Pointers](https://www.rfc-editor.org/rfc/rfc6901) with `*` for any key
 * or item and `**` for any number of them: `/user/password`. A whole value is the empty pointer.
 */
export function sensitivePaths(root: JsonSchema): readonly string[] {
  const walk = new PathWalk(root);
  const paths = [...new Set(walk.below(root))];
  return walk.isTooLarge ? [""] : paths;
}

class PathWalk {
  private parts = 0;
  /** The schemas that the walk is in, and whether one of them is a part of itself. */
  private readonly open = new Map<JsonSchema, { isRecursive: boolean }>();

  constructor(private readonly root: JsonSchema) {}

  get isTooLarge(): boolean {
    return this.parts > maxParts;
  }

  below(schema: unknown): readonly string[] {
    this.parts += 1;
    if (this.isTooLarge) return [];
    const found = new Set<JsonSchema>();
    collect(this.root, schema, found);
    if ([...found].some(isMarked)) return [""];
    return [...found].flatMap((part) => this.ofPart(part));
  }

  private ofPart(part: JsonSchema): readonly string[] {
    const known = this.open.get(part);
    if (known !== undefined) {
      known.isRecursive = true;
      return [];
    }
    const entry = { isRecursive: false };
    this.open.set(part, entry);
    const paths = [...keyedParts(part)].flatMap(([key, child]) => this.below(child).map((path) => `/${key}${path}`));
    this.open.delete(part);
    return entry.isRecursive ? paths.map((path) => `/**${path}`) : paths;
  }
}

function* keyedParts(schema: JsonSchema): Iterable<readonly [key: string, part: unknown]> {
  const { properties = {}, patternProperties = {}, additionalProperties, items, prefixItems = [] } = schema;
  for (const [key, part] of Object.entries(properties)) {
    yield [key.replaceAll("~", "~0").replaceAll("/", "~1"), part];
  }
  const others = [...Object.values(patternProperties as object), additionalProperties, schema.additionalItems];
  for (const part of [...others, ...prefixItems, ...(Array.isArray(items) ? items : [items])]) yield ["*", part];
}

function isMarked({ sensitive, writeOnly }: JsonSchema): boolean {
  return sensitive === true || writeOnly === true;
}
