import { hiddenText, isHolder, isSealed, mapItems } from "./json.ts";
import { itemsOf, type JsonSchema, resolvePointer } from "./json-schema.ts";
import { remembered } from "./remembered.ts";

export class SensitiveView {
  readonly isSensitive: boolean;
  readonly #parts: readonly JsonSchema[];

  constructor(
    private readonly root: JsonSchema,
    schemas: readonly unknown[] = [root],
  ) {
    this.#parts = withBranches(root, schemas);
    this.isSensitive = this.#parts.some(isMarked);
  }

  at(key: string | number): SensitiveView {
    const parts = this.#parts.flatMap((part) => childrenAt(part, key));
    return new SensitiveView(this.root, parts);
  }
}

export function sensitiveViewOf(schema: JsonSchema | undefined): SensitiveView | undefined {
  const paths = schema === undefined ? [] : sensitivePaths(schema);
  if (schema === undefined || paths.length === 0) return undefined;
  return new SensitiveView(paths.includes("") ? { sensitive: true } : schema);
}

const maxParts = 10_000;

/** JSON Pointers (RFC 6901) in which `*` is any key and `**` any number of keys. */
export const sensitivePaths = remembered((root: JsonSchema): readonly string[] => {
  let count = 0;
  const visited = new Set<unknown>();
  const open = new Map<JsonSchema, { isRecursive: boolean }>();

  function pathsBelow(schema: unknown): readonly string[] {
    count += 1;
    if (count > maxParts) return [];
    const found = withBranches(root, [schema]);
    for (const part of found) visited.add(part);
    return found.some(isMarked) ? [""] : found.flatMap(pathsOfPart);
  }

  function pathsOfPart(part: JsonSchema): readonly string[] {
    const known = open.get(part);
    if (known !== undefined) {
      known.isRecursive = true;
      return [];
    }
    const entry = { isRecursive: false };
    open.set(part, entry);
    const paths = childrenOf(part).flatMap(([key, child]) => pathsBelow(child).map((path) => `/${key}${path}`));
    open.delete(part);
    return entry.isRecursive ? paths.map((path) => `/**${path}`) : paths;
  }

  const paths = [...new Set(pathsBelow(root))];
  return count > maxParts || hasStrayMark(root, visited) ? [""] : paths;
});

const withoutSchemas: ReadonlySet<string> = new Set("const enum default examples $defs definitions".split(" "));

const schemasByName: ReadonlySet<string> = new Set("properties patternProperties dependentSchemas".split(" "));

function hasStrayMark(root: JsonSchema, visited: ReadonlySet<unknown>): boolean {
  const seen = new Set<unknown>();
  const isStray = (part: unknown): boolean => {
    if (!isHolder(part) || seen.has(part)) return false;
    seen.add(part);
    if (isMarked(part as JsonSchema)) return !visited.has(part);
    const { $ref } = part as JsonSchema;
    if (typeof $ref === "string" && isStray(resolvePointer(root, $ref))) return true;
    return Object.entries(part).some(([keyword, value]) => {
      if (schemasByName.has(keyword)) return Object.values(Object(value)).some(isStray);
      return !withoutSchemas.has(keyword) && isStray(value);
    });
  };
  return isStray(root);
}

function withBranches(root: JsonSchema, schemas: readonly unknown[]): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const collect = (part: unknown) => {
    const schema = part as JsonSchema;
    if (!isHolder(part) || found.has(schema)) return;
    const { $ref, anyOf = [], oneOf = [], allOf = [], then, else: otherwise } = schema;
    found.add(schema);
    if ($ref !== undefined) collect(resolvePointer(root, $ref));
    for (const branch of [...anyOf, ...oneOf, ...allOf, then, otherwise]) collect(branch);
  };
  for (const schema of schemas) collect(schema);
  return [...found];
}

function childrenAt(schema: JsonSchema, key: string | number): readonly unknown[] {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  const { tuple, rest } = itemsOf(schema);
  if (typeof key === "number") return [tuple[key] ?? rest];
  const named = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  return [named, ...Object.values(patternProperties ?? {})];
}

function childrenOf(schema: JsonSchema): readonly (readonly [key: string, part: unknown])[] {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  const { tuple, rest } = itemsOf(schema);
  const named = Object.entries(properties).map(
    ([key, part]) => [key.replaceAll("~", "~0").replaceAll("/", "~1"), part] as const,
  );
  const others = [...Object.values(patternProperties ?? {}), additionalProperties, ...tuple, rest];
  return [...named, ...others.map((part) => ["*", part] as const)];
}

export function isMarked({ sensitive, writeOnly }: JsonSchema): boolean {
  return sensitive === true || writeOnly === true;
}

type Pattern = readonly string[];

export function maskPaths<T>(value: T, paths: readonly string[]): T {
  const toKey = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~");
  const patterns = paths.map((path) => path.split("/").slice(1).map(toKey));
  return mask(value, patterns) as T;
}

function mask(value: unknown, patterns: readonly Pattern[]): unknown {
  const here = patterns.flatMap(withoutAnyDepth);
  if (here.some(({ length }) => length === 0) || isSealed(value)) return hiddenText;
  if (!isHolder(value)) return value;
  return mapItems(value, (item, key) => mask(item, patternsBelow(here, String(key))));
}

function withoutAnyDepth(pattern: Pattern): readonly Pattern[] {
  return pattern[0] === "**" ? [pattern, ...withoutAnyDepth(pattern.slice(1))] : [pattern];
}

function patternsBelow(patterns: readonly Pattern[], key: string): readonly Pattern[] {
  return patterns.flatMap((pattern) => {
    const [first, ...rest] = pattern;
    if (first === "**") return [pattern];
    return first === "*" || first === key ? [rest] : [];
  });
}
