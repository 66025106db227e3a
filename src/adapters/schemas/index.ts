/** Tools whose schemas are written as JSON Schema. @module planwright/schemas */

import { type OutputUnit, type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { type JsonPath, mapLeaves } from "../../core/json.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import { addTo } from "../../core/lists.ts";
import { failOption } from "../../core/option-tables.ts";
import type { SchemaIssue, StandardSchema } from "../../core/schema.ts";
import { checkReferences, copySchema, writePointers } from "./check-schema.ts";

/** JSON Schema as a schema of a tool. @group Tools */
export interface JsonSchemaOf<T> extends StandardSchema<T, T> {
  /** Copy of the given schema. */
  readonly schema: JsonSchema;
}

/**
 * Makes a JSON Schema the `inputSchema` or `outputSchema` of a tool: draft 2020-12, or the one in its `$schema`
 * (2019-09, 7, 6, 4). It checks values without changing them, so `default` has no effect. The keywords `sensitive` and
 * `composed` mark a field, as the functions of these names do. The type of a schema literal is inferred; give the type
 * of any other schema: `jsonSchema<Order>(orderSchema)`. Throws `invalid-options`, with the path, for misspelled types
 * and keywords, invalid values of keywords, patterns that are not ECMAScript or may be slow, formats that cannot be
 * checked, a `$ref` that leads nowhere, outside or back to itself, and ineffective keywords of other drafts.
 *
 * {@includeCode ../../../examples/25-schemas.ts}
 * @see https://json-schema.org/draft/2020-12
 * @group Tools
 */
export function jsonSchema<const TSchema extends object, TValue extends FromJsonSchema<TSchema>>(
  schema: TSchema,
): JsonSchemaOf<TValue>;
export function jsonSchema<TValue>(schema: object): JsonSchemaOf<TValue>;
export function jsonSchema(schema: object): JsonSchemaOf<unknown> {
  const draft = getDraft(Object(schema));
  const longestTexts = new Map<string, number>();
  const copy = copySchema(schema, "schema", { isDraft4: draft === "4", longestTexts });
  // The next statement changes the schema that it receives.
  const pointed = structuredClone(copy) as Schema;
  writePointers(pointed, checkReferences(pointed));
  const lists = new RepeatingLists();
  const root = copySchema(copy, "schema", { change: (part) => toQuick(part, lists, longestTexts) }) as Schema;
  const validator = new Validator(root, draft, false);
  const tell = () => structuredClone(pointed) as JsonSchema;
  return {
    schema: structuredClone(copy),
    "~standard": {
      version: 1,
      vendor: "planwright",
      validate: (value) => {
        const errors = findErrors(validator, value, lists);
        if (lists.areTooMany) return { issues: [{ path: [], message: tooManyLists }] };
        return errors.length === 0 ? { value } : { issues: toIssues(errors, value) };
      },
      jsonSchema: { input: tell, output: tell },
    },
  };
}

const drafts: readonly (readonly [part: string, draft: SchemaDraft])[] = [
  ["draft/2020-12/", "2020-12"],
  ["draft/2019-09/", "2019-09"],
  ["draft-07/", "7"],
  ["draft-06/", "7"],
  ["draft-04/", "4"],
];

function getDraft({ $schema = "draft/2020-12/" }: { readonly $schema?: unknown }): SchemaDraft {
  const draft = drafts.find(([part]) => typeof $schema === "string" && $schema.includes(part))?.[1];
  return draft ?? failOption("schema.$schema", $schema, "the address of JSON Schema 2020-12, 2019-09, 7, 6 or 4", true);
}

/** The validator throws for `undefined`, which stands for values of a plan not yet known, so null replaces it. */
function findErrors(validator: Validator, value: unknown, lists: RepeatingLists): readonly OutputUnit[] {
  try {
    lists.setValue(value);
    return validator.validate(value).errors.map(toUnique);
  } catch {
    lists.setValue(value, withNull);
    return validator.validate(withNull(value)).errors.map(toUnique);
  }
}

function toUnique(unit: OutputUnit): OutputUnit {
  if (unit.keyword !== "enum" || !unit.error.endsWith(` ${JSON.stringify(differing)}.`)) return unit;
  return { ...unit, keyword: "uniqueItems", error: `expected ${differing}` };
}

function withNull(value: unknown): unknown {
  return mapLeaves(value, (leaf) => leaf ?? null);
}

const differing = "items that differ from each other";
const tooManyLists = "it has too many lists with equal items to check them all";
/** Maximum number of comparisons: more would take over a second. */
const maxCompared = 10_000_000;

/** Replaces what the validator needs quadratic or exponential time for: patterns, unique lists, the format `url`. */
function toQuick(part: Record<string, unknown>, lists: RepeatingLists, longestTexts: ReadonlyMap<string, number>) {
  const { uniqueItems, pattern, allOf = [], ...rest } = part;
  const all = [...(allOf as readonly unknown[])];
  if (uniqueItems === true) {
    // The validator calls `some` of an `enum`, and quotes the `enum` as JSON in the error.
    const some = (isEqual: (list: unknown) => boolean) => !lists.have(isEqual);
    all.push({ if: { not: { type: "array" } }, else: { enum: { some, toJSON: () => differing } } });
  }
  const maxLength = longestTexts.get(pattern as string) ?? Infinity;
  if (maxLength !== Infinity) all.push({ maxLength }, { if: { minLength: maxLength + 1 }, else: { pattern } });
  else if (pattern !== undefined) rest.pattern = pattern;
  if (rest.format === "url") rest.format = "uri";
  return all.length === 0 ? rest : { ...rest, allOf: all };
}

class RepeatingLists {
  /** True if comparing stopped early; the results of {@link have} are then invalid. */
  areTooMany = false;
  #compared = 0;
  #found: readonly SizedList[] | undefined;
  #find: () => readonly SizedList[] = () => [];

  setValue(value: unknown, change = (list: unknown) => list): void {
    this.areTooMany = false;
    this.#compared = 0;
    this.#found = undefined;
    this.#find = () => findRepeating(value).map(({ list, size }) => ({ list: change(list), size }));
  }

  have(isEqual: (list: unknown) => boolean): boolean {
    this.#found ??= this.#find();
    return this.#found.some(({ list, size }) => {
      this.#compared += size;
      this.areTooMany ||= this.#compared > maxCompared;
      return this.areTooMany || isEqual(list);
    });
  }
}

type SizedList = { readonly list: unknown; readonly size: number };

function findRepeating(value: unknown): readonly SizedList[] {
  const numbers = new Map<string, number>();
  const sizes: number[] = [];
  const repeating = new Map<string, SizedList>();
  const numberOf = (part: unknown): number => {
    const parts: number[] = [];
    const text = part === undefined ? `${numbers.size}?` : textOf(part, parts);
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const size = parts.reduce((sum, number) => sum + (sizes[number] as number), 1);
    if (Array.isArray(part) && new Set(parts).size < parts.length) repeating.set(text, { list: part, size });
    numbers.set(text, sizes.push(size) - 1);
    return sizes.length - 1;
  };
  const textOf = (part: unknown, parts: number[]): string => {
    const add = (item: unknown) => parts[parts.push(numberOf(item)) - 1];
    if (Array.isArray(part)) return `[${part.map(add)}]`;
    if (typeof part === "string") return JSON.stringify(part);
    if (typeof part !== "object" || part === null) return `${typeof part} ${String(part)}`;
    return `{${Object.entries(part)
      .map(([key, item]) => `${JSON.stringify(key)}:${add(item)}`)
      .sort()}}`;
  };
  numberOf(value);
  return [...repeating.values()];
}

/** Keywords whose errors only announce other errors below them. */
const containerWords =
  "$ref $recursiveRef additionalItems additionalProperties allOf dependentSchemas if items patternProperties prefixItems properties propertyNames unevaluatedItems unevaluatedProperties";
const containers = new Set(containerWords.split(" "));
const unions = new Set(["anyOf", "oneOf"]);
/** Keywords whose errors show that a value was not meant for a branch of a union. */
const decisive = new Set(["const", "enum", "type"]);

/** Reads a flat list, in which the error of a whole comes before the errors of its parts. */
function toIssues(errors: readonly OutputUnit[], value: unknown): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (let index = 0; index < errors.length; index += 1) {
    const error = errors[index] as OutputUnit;
    if (unions.has(error.keyword)) {
      const below = getErrorsBelow(errors, index);
      issues.push(...toUnionIssues(error, below, value));
      index += below.length;
    } else if (!isContainer(error, errors[index + 1])) {
      issues.push({ path: toPath(error, value), message: toMessage(error) });
    }
  }
  return issues;
}

function isContainer({ keyword, keywordLocation }: OutputUnit, next: OutputUnit | undefined): boolean {
  if (next === undefined || !containers.has(keyword)) return false;
  return keyword === "if" || next.keyword === "false" || next.keywordLocation.startsWith(keywordLocation);
}

function getErrorsBelow(errors: readonly OutputUnit[], index: number): readonly OutputUnit[] {
  const prefix = `${(errors[index] as OutputUnit).keywordLocation}/`;
  let end = index + 1;
  // Errors of a schema `false` have no location in the schema.
  while (errors[end]?.keyword === "false" || errors[end]?.keywordLocation.startsWith(prefix)) end += 1;
  return errors.slice(index + 1, end);
}

function toUnionIssues(union: OutputUnit, below: readonly OutputUnit[], value: unknown): readonly SchemaIssue[] {
  const branches = new Map<string, OutputUnit[]>();
  let branch = "";
  for (const error of below) {
    if (error.keyword !== "false")
      branch = error.keywordLocation.slice(union.keywordLocation.length + 1).split("/", 1)[0] ?? "";
    addTo(branches, branch, error);
  }
  const path = toPath(union, value);
  if (union.keyword === "oneOf" && !union.error.includes("(0 matches)"))
    return [{ path, message: "it must match exactly one of the allowed forms, but matches several" }];
  const meant = [...branches.values()].filter((errors) => !errors.some((error) => isDecisive(error, union)));
  if (meant.length === 1) return toIssues(meant[0] as OutputUnit[], value);
  const each = [...branches.values()].map((errors) => toIssues(errors, value)[0]?.message);
  return [{ path, message: `it matches none of the allowed forms: ${[...new Set(each)].slice(0, 5).join("; or ")}` }];
}

function isDecisive({ keyword, instanceLocation }: OutputUnit, union: OutputUnit): boolean {
  if (!decisive.has(keyword)) return false;
  const rest = instanceLocation.slice(union.instanceLocation.length + 1);
  return rest === "" || (keyword !== "type" && !rest.includes("/"));
}

/** Reads a location, which is a URI fragment with a pointer. For a missing key, it is the location of the object. */
function toPath({ instanceLocation, keyword, error }: OutputUnit, value: unknown): JsonPath {
  const path: (string | number)[] = [];
  let holder = value;
  for (const part of instanceLocation.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(holder) ? Number(key) : key);
    holder = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  }
  const missing = keyword === "required" ? /"(.*)"/s.exec(error)?.[1] : undefined;
  return missing === undefined ? path : [...path, missing];
}

const wordings: Readonly<Record<string, readonly [error: RegExp, message: string]>> = {
  required: [/^.*$/s, "it is required"],
  false: [/^.*$/s, "it is not allowed"],
  not: [/^.*$/s, 'it is excluded by "not"'],
  type: [/^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/s, "expected $2, received $1"],
  enum: [/^Instance does not match (any of )?(.*)\.$/s, "expected $1$2"],
  const: [/^Instance does not match (any of )?(.*)\.$/s, "expected $1$2"],
  format: [/^String does not match format "(.*)"\.$/s, "expected the format $1"],
  exclusiveMinimum: [/ is less than (.*)\.$/s, " is not greater than $1"],
};

function toMessage({ keyword, error }: OutputUnit): string {
  const [pattern, words] = wordings[keyword] ?? ["", ""];
  const message = error.replace(pattern, words);
  return keyword === "type" ? message.replaceAll('", "', " or ") : message;
}

/** Type of the values that a JSON Schema allows; `unknown` where nothing is inferred, as from `$ref`. @group Tools */
export type FromJsonSchema<TSchema> = TSchema extends { readonly const: infer TConst }
  ? TConst
  : TSchema extends { readonly enum: readonly (infer TValue)[] }
    ? TValue
    : TSchema extends { readonly anyOf: readonly (infer TBranch)[] } | { readonly oneOf: readonly (infer TBranch)[] }
      ? TBranch extends unknown
        ? FromJsonSchema<TBranch>
        : never
      : TSchema extends { readonly type: infer TType }
        ? FromType<TSchema, TType extends readonly (infer TName)[] ? TName : TType>
        : TSchema extends { readonly properties: unknown }
          ? FromObject<TSchema>
          : unknown;

type PlainTypes = { string: string; number: number; integer: number; boolean: boolean; null: null };

type FromType<TSchema, TName> = TName extends keyof PlainTypes
  ? PlainTypes[TName]
  : TName extends "array"
    ? FromArray<TSchema>
    : TName extends "object"
      ? FromObject<TSchema>
      : unknown;

type FromArray<TSchema> = TSchema extends { readonly prefixItems: infer TItems extends readonly unknown[] }
  ? [...{ -readonly [K in keyof TItems]: FromJsonSchema<TItems[K]> }, ...FromRest<TSchema>[]]
  : FromRest<TSchema>[];

type FromRest<TSchema> = TSchema extends { readonly items: infer TItem } ? FromJsonSchema<TItem> : unknown;

type FromObject<TSchema> = TSchema extends { readonly properties: infer TProperties }
  ? Simplify<
      {
        -readonly [K in keyof TProperties as K extends RequiredOf<TSchema> ? K : never]: FromJsonSchema<TProperties[K]>;
      } & {
        -readonly [K in keyof TProperties as K extends RequiredOf<TSchema> ? never : K]?: FromJsonSchema<
          TProperties[K]
        >;
      }
    >
  : TSchema extends { readonly additionalProperties: infer TOther extends object }
    ? { [key: string]: FromJsonSchema<TOther> }
    : { [key: string]: unknown };

type RequiredOf<TSchema> = TSchema extends { readonly required: readonly (infer TKey)[] } ? TKey : never;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
