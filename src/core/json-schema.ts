import { isHolder, type JsonPath } from "./json.ts";

// Where a schema is open, these functions assume that a value may fit.

const maxBranches = 200;

/** Returns the schemas at a path in branches that `value` may match: undefined if anything fits, `[]` if nothing. */
export function schemasAt(root: JsonSchema, path: JsonPath, value?: unknown): readonly JsonSchema[] | undefined {
  let schemas = branchesOf(root, root, value);
  let current = value;
  for (const key of path) {
    current = isHolder(current) ? (current as Readonly<Record<string, unknown>>)[key] : undefined;
    const below = branchesBelow(root, schemas, { key, value: current });
    if (below === undefined || below.length > maxBranches) return undefined;
    schemas = below;
  }
  return schemas;
}

function branchesBelow(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  { key, value }: { readonly key: string | number; readonly value: unknown },
): readonly JsonSchema[] | undefined {
  // A set, because a union that contains itself twice would double the schemas at each level.
  const children = new Set(schemas.map((schema) => childOf(schema, key)));
  if (children.has(true)) return undefined;
  return distinct([...children].flatMap((child) => (typeof child === "object" ? branchesOf(root, child, value) : [])));
}

export function branchField(branches: readonly JsonSchema[]): string | undefined {
  if (branches.length < 2) return undefined;
  const isConstant = (schema: JsonSchema | undefined) => schema?.const !== undefined || schema?.enum !== undefined;
  const names = Object.keys(branches[0]?.properties ?? {});
  return names.find((name) => branches.every(({ properties }) => isConstant(properties?.[name])));
}

export function typesOf(schemas: readonly JsonSchema[]): ReadonlySet<string> | undefined {
  const types = new Set<string>();
  for (const schema of schemas) {
    const names = typeNamesOf(schema);
    if (names === undefined) return undefined;
    for (const name of names) types.add(name === "integer" ? "number" : name);
  }
  return types;
}

function typeNamesOf({ type, const: constant, enum: values }: JsonSchema): readonly string[] | undefined {
  if (type !== undefined) return typeof type === "string" ? [type] : type;
  return constant !== undefined ? [jsonTypeOf(constant)] : values?.map(jsonTypeOf);
}

export function valuesOf(schemas: readonly JsonSchema[]): readonly unknown[] | undefined {
  const all: unknown[] = [];
  for (const { type, const: constant, enum: listed } of schemas) {
    const values = constant !== undefined ? [constant] : (listed ?? (type === "null" ? [null] : undefined));
    if (values === undefined) return undefined;
    all.push(...values);
  }
  const isPlain = all.every((value) => typeof value !== "object" || value === null);
  return isPlain && all.length > 0 ? all : undefined;
}

export function nameValues(values: readonly unknown[]): string {
  const names = [...new Set(values)].map((value) => JSON.stringify(value));
  return [...names.slice(0, 5), ...(names.length > 5 ? ["others"] : [])].join(" or ");
}

export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function findUnknownKeys(root: JsonSchema, value: unknown): readonly JsonPath[] {
  const found: JsonPath[] = [];
  const collect = (branches: readonly JsonSchema[], holder: object, path: JsonPath): void => {
    if (branches.length > maxBranches) return;
    const schemas = branches.filter((schema) => allowsType(schema, jsonTypeOf(holder)));
    if (schemas.length === 0) return;
    for (const [name, item] of Object.entries(holder)) {
      const key = Array.isArray(holder) ? Number(name) : name;
      const below = branchesBelow(root, schemas, { key, value: item });
      if (below === undefined) continue;
      if (below.length === 0 && typeof key === "string") found.push([...path, key]);
      else if (isHolder(item)) collect(below, item, [...path, key]);
    }
  };
  if (isHolder(value)) collect(branchesOf(root, root, value), value, []);
  return found;
}

export function hasOnlyKnownKeys({ properties, $ref, anyOf, oneOf, allOf }: JsonSchema, value: unknown): boolean {
  if (!isHolder(value)) return true;
  if (properties === undefined || Array.isArray(value) || ($ref ?? anyOf ?? oneOf ?? allOf) !== undefined) return false;
  return Object.keys(value).every((key) => {
    const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return child !== undefined && hasOnlyKnownKeys(child, (value as Record<string, unknown>)[key]);
  });
}

export function knownKeys(schemas: readonly JsonSchema[]): readonly string[] {
  return [...new Set(schemas.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

export function childOf(schema: JsonSchema, key: string | number): JsonSchema | boolean {
  if (typeof key === "number") {
    const { tuple, rest } = itemsOf(schema);
    return tuple[key] ?? rest ?? (allowsType(schema, "array") && tuple.length === 0);
  }
  const { properties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key] ?? true;
  return othersOf(schema);
}

/** Draft 7 writes `items` for `prefixItems`, and `additionalItems` for `items`. */
export function itemsOf({ items, prefixItems = [], additionalItems }: JsonSchema) {
  const isDraft7Tuple = Array.isArray(items);
  const tuple: readonly JsonSchema[] = isDraft7Tuple ? items : prefixItems;
  return { tuple, rest: (isDraft7Tuple ? additionalItems : items) as JsonSchema | boolean | undefined };
}

function allowsType(schema: JsonSchema, type: string): boolean {
  if (schema.type === type) return true;
  return typesOf([schema])?.has(type) ?? true;
}

export function branchesOf(root: JsonSchema, schema: JsonSchema, value?: unknown, depth = 0): readonly JsonSchema[] {
  if (depth > 20) return [{}];
  const { $ref, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return branchesOf(root, resolvePointer(root, $ref), value, depth + 1);
  const parts = allOf ?? anyOf ?? oneOf;
  if (parts === undefined) return [schema];
  const { type, properties, required, additionalProperties } = schema;
  const own = properties === undefined ? [] : [[{ type, properties, required, additionalProperties } as JsonSchema]];
  const found = parts.map((part) => branchesOf(root, part, value, depth + 1));
  if (allOf !== undefined) return [mergeAll([...own, ...found])];
  const branches = own.length === 0 ? found.flat() : found.flat().map((branch) => mergeAll([...own, [branch]]));
  const possible = branches.filter((branch) => !isRuledOut(branch, value));
  return possible.length > 0 ? possible : branches;
}

function mergeAll(parts: readonly (readonly JsonSchema[])[]): JsonSchema {
  if (parts.some((branches) => branches.length !== 1)) return {};
  const schemas = parts.flat();
  const properties: Record<string, JsonSchema> = {};
  for (const [key, schema] of schemas.flatMap((schema) => Object.entries(schema.properties ?? {}))) {
    const other = Object.hasOwn(properties, key) ? properties[key] : undefined;
    properties[key] = other === undefined ? schema : { allOf: [other, schema] };
  }
  const additionalProperties = schemas.map(othersOf).find((others) => others !== false) ?? false;
  const type = schemas.find((schema) => schema.type !== undefined)?.type;
  const required = distinct(schemas.flatMap((schema) => schema.required ?? []));
  return { ...(type && { type }), properties, required, additionalProperties };
}

function othersOf(schema: JsonSchema): JsonSchema | boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  if (patternProperties !== undefined) return true;
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0) return true;
  return additionalProperties ?? (properties === undefined && allowsType(schema, "object"));
}

function isRuledOut({ properties, type }: JsonSchema, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== "object" || value === null)
    return type !== undefined && typesOf([{ type }])?.has(jsonTypeOf(value)) === false;
  return Object.entries(properties ?? {}).some(([key, { const: constant, enum: values }]) => {
    const member = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    if (typeof member === "object" || member === undefined) return false;
    return constant !== undefined ? member !== constant : values !== undefined && !values.includes(member);
  });
}

export function resolvePointer(root: JsonSchema, pointer: string): JsonSchema {
  if (!pointer.startsWith("#")) return {};
  if (/^#[^/]/.test(pointer)) return findAnchor(root, decodeFragment(pointer.slice(1))) ?? {};
  let target: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const holder = (target ?? {}) as Readonly<Record<string, unknown>>;
    // The converters do not escape a key such as `100%`.
    const key = [part, decodeFragment(part)]
      .map((text) => text.replaceAll("~1", "/").replaceAll("~0", "~"))
      .find((name) => Object.hasOwn(holder, name));
    target = key === undefined ? undefined : holder[key];
  }
  return typeof target === "object" && target !== null ? (target as JsonSchema) : {};
}

function findAnchor(part: unknown, name: string): JsonSchema | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  if ((part as JsonSchema).$anchor === name) return part as JsonSchema;
  for (const item of Object.values(part)) {
    const found = findAnchor(item, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function decodeFragment(part: string): string {
  try {
    return decodeURIComponent(part.replace(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return part;
  }
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}

/** JSON Schema with the keywords that are read from it: draft 7 for zod 3, otherwise draft 2020-12. @group Tools */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly prefixItems?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}
