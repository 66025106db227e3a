import { failOption } from "../../core/options.ts";
import { cutText } from "../../core/text.ts";

/*
 * What is wrong with a JSON Schema is found when it is defined, not when the first value is checked: a misspelled type
 * would refuse everything, and a misspelled reference or pattern would throw.
 */

const typeNames: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** Keywords whose value is a schema, a list of schemas, or a map of them. `items` may be a list before 2020-12. */
const schemaKeywords = new Set(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
const listKeywords = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
/** Keywords in which `false` is usual, and stays. */
const mayBeBoolean = new Set(["additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"]);
const mapKeywords = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** Keywords that would be ignored in silence, with what to write. */
const unheld: Readonly<Record<string, string>> = {
  $dynamicRef: "written as $ref",
  $dynamicAnchor: "written as $anchor",
  dependencies: "written as dependentRequired or dependentSchemas",
  nullable: 'written as a type "null" beside the others (nullable is of OpenAPI)',
  divisibleBy: "written as multipleOf",
  disallow: "written as not",
  extends: "written as allOf",
};

const numberKeywords = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
const countKeywords = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  ...["minContains", "maxContains"],
]);
const checkedFormats = new Set([
  ..."date time date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid".split(" "),
  ..."json-pointer json-pointer-uri-fragment relative-json-pointer".split(" "),
]);
/** Formats that only say how a number or a text is kept. */
const otherFormats = new Set(
  "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float double decimal byte binary char password".split(" "),
);
/** All keywords of the drafts, and ours. */
const known: readonly string[] = [
  ...schemaKeywords,
  ...listKeywords,
  ...mapKeywords,
  ...numberKeywords,
  ...countKeywords,
  ..."type enum const required pattern format multipleOf uniqueItems default title description examples example".split(
    " ",
  ),
  ..."dependentRequired deprecated readOnly writeOnly sensitive composed contentEncoding contentMediaType".split(" "),
  ..."contentSchema discriminator externalDocs xml id $id $schema $ref $anchor $comment $vocabulary".split(" "),
];

const maxDepth = 200;

/**
 * A deep copy of a JSON Schema, with `{}` for a part that is `true`, and `{ not: {} }` for `false`. Throws `invalid-options`, with the
 * path, for a type, pattern or keyword that cannot be held.
 */
export function copySchema(
  schema: unknown,
  option: string,
  { depth = 0, isDraft4 = false }: { readonly depth?: number; readonly isDraft4?: boolean } = {},
): Record<string, unknown> {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    failOption(option, schema, "a JSON Schema: an object, true or false");
  if (depth > maxDepth)
    failOption(cutText(option, 100), schema, `at most ${maxDepth} levels deep; use $defs for what recurs`);
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const place = `${option}.${keyword}`;
    if (!isDraft4 || !keyword.startsWith("exclusive")) checkKeyword(keyword, value, place);
    const inner = copyInner(keyword, value, place, { depth: depth + 1, isDraft4 });
    Object.defineProperty(copy, keyword, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function copyInner(
  keyword: string,
  value: unknown,
  place: string,
  inside: { readonly depth: number; readonly isDraft4: boolean },
): unknown {
  if (listKeywords.has(keyword) && Array.isArray(value))
    return value.map((item, index) => copySchema(item, `${place}[${index}]`, inside));
  if (mayBeBoolean.has(keyword) && typeof value === "boolean") return value;
  if (schemaKeywords.has(keyword)) return copySchema(value, place, inside);
  if (!mapKeywords.has(keyword)) return structuredClone(value);
  if (typeof value !== "object" || value === null) failOption(place, value, "an object of schemas");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copySchema(item, `${place}.${key}`, inside)] as const),
  );
}

function checkKeyword(keyword: string, value: unknown, place: string): void {
  if (Object.hasOwn(unheld, keyword)) failOption(place, value, unheld[keyword] as string);
  if (keyword === "type") {
    const names = Array.isArray(value) ? value : [value];
    if (!names.every((name) => typeNames.has(name)))
      failOption(place, value, `one of ${[...typeNames].join(", ")}, or a list of them`);
  }
  if ((keyword === "required" || keyword === "enum" || listOnly.has(keyword)) && !Array.isArray(value))
    failOption(place, value, "a list");
  const patterns =
    keyword === "patternProperties" ? Object.keys(value as object) : keyword === "pattern" ? [value] : [];
  for (const pattern of patterns) checkPattern(pattern, place);
  checkValue(keyword, value, place);
}

/** What the value of some keywords has to be. */
const rules: readonly {
  readonly applies: (keyword: string) => boolean;
  readonly isValid: (value: unknown) => boolean;
  readonly expected: string;
}[] = [
  {
    // In draft 4, it says how the bound beside it is meant.
    applies: (keyword) => keyword.startsWith("exclusive"),
    isValid: (value) => typeof value !== "boolean",
    expected: "the bound itself, a number (true and false are of draft 4)",
  },
  { applies: (keyword) => numberKeywords.has(keyword), isValid: Number.isFinite, expected: "a number" },
  {
    applies: (keyword) => countKeywords.has(keyword),
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    expected: "a whole number from 0",
  },
  {
    applies: (keyword) => keyword === "multipleOf",
    isValid: (value) => Number.isFinite(value) && (value as number) > 0,
    expected: "a number above 0",
  },
  {
    applies: (keyword) => keyword === "format",
    isValid: (value) => typeof value === "string" && (checkedFormats.has(value) || otherFormats.has(value)),
    expected: `a format that can be checked: ${[...checkedFormats].join(", ")}`,
  },
  {
    applies: (keyword) => keyword === "enum" || keyword === "type",
    isValid: (value) => !Array.isArray(value) || value.length > 0,
    expected: "a list with at least one entry",
  },
  {
    applies: (keyword) => mapKeywords.has(keyword),
    isValid: (value) => !Array.isArray(value),
    expected: "an object of schemas",
  },
  {
    applies: (keyword) => keyword === "required",
    isValid: (value) => Array.isArray(value) && value.every((key) => typeof key === "string"),
    expected: "a list of keys",
  },
];

function checkValue(keyword: string, value: unknown, place: string): void {
  for (const { applies, isValid, expected } of rules) {
    if (applies(keyword) && !isValid(value)) failOption(place, value, expected);
  }
  const meant = known.includes(keyword) ? undefined : known.find((one) => isMisspelled(keyword, one));
  if (meant !== undefined) failOption(place, value, `called "${meant}"`);
}

/** Whether a keyword is one of four letters or more with a letter too much or too little, another one, or two exchanged. */
function isMisspelled(written: string, keyword: string): boolean {
  const difference = written.length - keyword.length;
  if (keyword.length < 4 || Math.abs(difference) > 1) return false;
  let start = 0;
  while (start < keyword.length && written[start] === keyword[start]) start++;
  const [left, right] = [written.slice(start), keyword.slice(start)];
  if (difference !== 0) return difference > 0 ? left.slice(1) === right : left === right.slice(1);
  const isExchanged = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isExchanged || left.slice(1) === right.slice(1);
}

const listOnly = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

function checkPattern(pattern: unknown, place: string): void {
  try {
    new RegExp(pattern as string, "u");
  } catch (thrown) {
    failOption(place, pattern, `a regular expression of ECMAScript with the flag u (${(thrown as Error).message})`);
  }
}
