import type { JsonSchema } from "./json-schema.ts";
import { schemasBelow, withBranches } from "./marked-schemas.ts";

/**
 * The part of a JSON Schema that a value may have to fit, for one question: whether it is sensitive. If the schema
 * leaves that part open (the branches of a union), a mark in any of them counts.
 */
export class SensitiveView {
  readonly isSensitive: boolean;

  constructor(
    private readonly root: JsonSchema,
    private readonly schemas: readonly JsonSchema[] = withBranches(root, [root]),
  ) {
    this.isSensitive = this.schemas.some(isMarked);
  }

  /** The view of an item of the value. */
  at(key: string | number): SensitiveView {
    return new SensitiveView(this.root, schemasBelow(this.root, this.schemas, key));
  }
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
    const found = withBranches(this.root, [schema]);
    if (found.some(isMarked)) return [""];
    return found.flatMap((part) => this.ofPart(part));
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
