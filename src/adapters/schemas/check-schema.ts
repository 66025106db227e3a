import { dereference, type Schema } from "@cfworker/json-schema";
import { isRecord, setOwn } from "../../core/json.ts";
import { failOption } from "../../core/option-tables.ts";
import { cutText, editDistance } from "../../core/text.ts";
import { longestTextFor } from "./longest-text.ts";

const typeNames = ["string", "number", "integer", "boolean", "null", "array", "object"];
const checkedFormats =
  "date time date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer";
const otherFormats = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float double decimal byte binary char password";
const formats = new Set<unknown>(`${checkedFormats} ${otherFormats}`.split(" "));

interface KeywordKind {
  readonly words: string;
  readonly isValid?: (value: unknown) => boolean;
  readonly expected?: string;
}

const isText = (value: unknown): value is string => typeof value === "string";

const keywordKinds = {
  schema: { words: "contains else if items not propertyNames then" },
  closing: { words: "additionalItems additionalProperties unevaluatedItems unevaluatedProperties" },
  list: { words: "allOf anyOf oneOf prefixItems", isValid: Array.isArray, expected: "a list" },
  map: {
    words: "$defs definitions dependentSchemas patternProperties properties",
    isValid: isRecord,
    expected: "an object of schemas",
  },
  number: {
    words: "minimum maximum exclusiveMinimum exclusiveMaximum",
    isValid: Number.isFinite,
    expected: "a number (true and false are only allowed in draft 4)",
  },
  count: {
    words: "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    expected: "a whole number from 0",
  },
  multiple: {
    words: "multipleOf",
    isValid: (value) => Number.isFinite(value) && (value as number) > 0,
    expected: "a number above 0",
  },
  type: {
    words: "type",
    isValid: (value) => {
      const names: readonly unknown[] = Array.isArray(value) ? value : [value];
      return names.length > 0 && names.every((name) => typeNames.includes(name as string));
    },
    expected: `one of ${typeNames.join(", ")}, or a list of them`,
  },
  values: {
    words: "enum",
    isValid: (value) => Array.isArray(value) && value.length > 0,
    expected: "a list with at least one entry",
  },
  keys: {
    words: "required",
    isValid: (value) => Array.isArray(value) && value.every(isText),
    expected: "a list of keys",
  },
  text: { words: "$id $ref $anchor $comment", isValid: isText, expected: "text" },
  pattern: { words: "pattern", isValid: isText, expected: "the text of a regular expression" },
  format: {
    words: "format",
    isValid: (value) => formats.has(value),
    expected: `a format that can be checked: ${checkedFormats.replaceAll(" ", ", ")}`,
  },
  any: {
    words:
      "const uniqueItems default title description examples example dependentRequired deprecated readOnly writeOnly sensitive composed contentEncoding contentMediaType contentSchema discriminator externalDocs xml id $schema $vocabulary",
  },
} satisfies Readonly<Record<string, KeywordKind>>;

type Kind = keyof typeof keywordKinds;

const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(keywordKinds).flatMap(([kind, { words }]) => words.split(" ").map((word) => [word, kind as Kind])),
);

const replacements: Readonly<Record<string, string>> = {
  $dynamicRef: 'written as "$ref"',
  $dynamicAnchor: 'written as "$anchor"',
  dependencies: 'written as "dependentRequired" or "dependentSchemas"',
  nullable: 'written as "null" among the types, as in type: ["string", "null"] (nullable is an OpenAPI keyword)',
  divisibleBy: 'written as "multipleOf"',
  disallow: 'written as "not"',
  extends: 'written as "allOf"',
};

const maxDepth = 200;

interface CopyOptions {
  readonly isDraft4?: boolean;
  readonly change?: (part: Record<string, unknown>) => Record<string, unknown>;
  readonly longestTexts?: Map<string, number>;
  readonly depth?: number;
}

export function copySchema(schema: unknown, option: string, options: CopyOptions = {}): Record<string, unknown> {
  const { depth = 0, isDraft4 = false, change, longestTexts } = options;
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (!isRecord(schema)) failOption(option, schema, "a JSON Schema: an object, true or false");
  if (depth > maxDepth)
    failOption(cutText(option, 100), schema, `at most ${maxDepth} levels deep, with $defs for schemas that recur`);
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const place = `${option}.${keyword}`;
    // In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans beside the bound.
    if (change === undefined && !(isDraft4 && keyword.startsWith("exclusive")))
      checkKeyword(keyword, value, place, longestTexts);
    setOwn(copy, keyword, copyInner(keyword, value, place, { ...options, depth: depth + 1 }));
  }
  return change?.(copy) ?? copy;
}

function copyInner(keyword: string, value: unknown, place: string, inside: CopyOptions): unknown {
  const kind = kinds.get(keyword);
  // Before 2020-12, `items` may be a list.
  if ((kind === "list" || keyword === "items") && Array.isArray(value))
    return value.map((item, index) => copySchema(item, `${place}[${index}]`, inside));
  if (kind === "closing" && typeof value === "boolean") return value;
  if (kind === "schema" || kind === "closing") return copySchema(value, place, inside);
  if (kind !== "map") return structuredClone(value);
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([key, item]) => [key, copySchema(item, `${place}.${key}`, inside)] as const));
}

function checkKeyword(keyword: string, value: unknown, place: string, longestTexts?: Map<string, number>): void {
  if (Object.hasOwn(replacements, keyword)) failOption(place, value, replacements[keyword] as string, true);
  const kind = kinds.get(keyword);
  if (kind === undefined) {
    const meant = [...kinds.keys()].find((one) => isMisspelled(keyword, one));
    if (meant !== undefined) failOption(place, value, `called "${meant}"`, true);
    return;
  }
  const { isValid, expected = "" }: KeywordKind = keywordKinds[kind];
  if (isValid?.(value) === false) failOption(place, value, expected, true);
  if (kind === "pattern") {
    const longest = longestTexts?.get(value as string) ?? readLongestText(value as string, place);
    if (longest < shortest) failSlow(value, place);
    longestTexts?.set(value as string, longest);
  }
  // Keys may have any length, so their patterns must be quick for every text.
  if (keyword === "patternProperties")
    for (const key of Object.keys(value as object)) if (readLongestText(key, place) < Infinity) failSlow(key, place);
}

function isMisspelled(written: string, keyword: string): boolean {
  if (keyword.length < 4 || Math.abs(written.length - keyword.length) > 1) return false;
  const distance = editDistance(written, keyword);
  const sortLetters = (text: string) => [...text].sort().join("");
  return distance === 1 || (distance === 2 && sortLetters(written) === sortLetters(keyword));
}

const shortest = 6;

function readLongestText(pattern: string, place: string): number {
  try {
    new RegExp(pattern, "u");
  } catch (thrown) {
    const expected = `an ECMAScript regular expression with the flag u (${(thrown as Error).message})`;
    failOption(place, pattern, expected, true);
  }
  return longestTextFor(pattern);
}

function failSlow(pattern: unknown, place: string): never {
  const advice = "let it match each text in only one way, without \\1 and flags such as (?i:…)";
  const expected = `a regular expression that is certain to be quick for every text: ${advice}`;
  failOption(place, pattern, expected, true);
}

/** Throws if a `$ref` leads nowhere, or back to itself for the same value, so that checking would never end. */
export function checkReferences(root: Schema): Readonly<Record<string, Schema | boolean | undefined>> {
  const lookup: ReturnType<typeof checkReferences> = dereference(root);
  const seen = new Set<Schema>();
  const open = new Set<Schema>();
  const visit = (schema: Schema | boolean | null | undefined): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { $ref, __absolute_ref__: target = $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
    if (open.has(schema)) failOption("schema", { $ref }, "a schema in which no $ref leads back to itself");
    if (seen.has(schema)) return;
    seen.add(schema);
    open.add(schema);
    const referred = target === undefined ? undefined : lookup[target];
    if ($ref !== undefined && referred === undefined)
      failOption("schema", { $ref }, `a schema in which each $ref, also "${$ref}", points to a part of this schema`);
    for (const part of [referred, ...allOf, ...anyOf, ...oneOf, schema.not, schema.if, schema.then, schema.else])
      visit(part);
    open.delete(schema);
  };
  for (const schema of Object.values(lookup)) visit(schema);
  return lookup;
}

/** In a schema with an `$id`, writes references as pointers from the root, which all readers of schemas follow. */
export function writePointers(root: Schema, lookup: ReturnType<typeof checkReferences>): void {
  const pointers = new Map<unknown, string>();
  const visit = (part: unknown, pointer: string) => {
    if (typeof part !== "object" || part === null || pointers.has(part)) return;
    pointers.set(part, pointer);
    for (const [key, item] of Object.entries(part))
      visit(item, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  };
  visit(root, "#");
  if (![...pointers.keys()].some((part) => isText((part as Schema).$id))) return;
  for (const part of Object.values(lookup)) {
    if (typeof part !== "object") continue;
    const { __absolute_ref__: target } = part;
    if (target !== undefined) part.$ref = pointers.get(lookup[target]) ?? "#";
    delete part.$id;
  }
}
