import type { JsonPath } from "../../core/json.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import { asLiteral, asReference, parseTemplate } from "../../plan/references.ts";

/** A value of an input that contains no others. */
export interface Leaf {
  readonly value: unknown;
  readonly path: JsonPath;
  /** True if its text is not a template. */
  readonly isLiteral: boolean;
}

/** The values in an input, except references, which stand for values that are not known yet. */
export function leavesOf(value: unknown, path: JsonPath, isLiteral = false): readonly Leaf[] {
  if (typeof value !== "object" || value === null) return [{ value, path, isLiteral }];
  const literal = isLiteral ? undefined : asLiteral(value);
  if (literal !== undefined) return leavesOf(literal.$literal, path, true);
  if (!isLiteral && asReference(value) !== undefined) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, [...path, Array.isArray(value) ? Number(key) : key], isLiteral),
  );
}

/** A value; for a template, its text without what other steps put into it. */
export function textOf({ value, isLiteral }: Leaf): unknown {
  if (typeof value !== "string" || isLiteral || !value.includes("${")) return value;
  return parseTemplate(value)
    .map((part) => (part.type === "text" ? part.text : " "))
    .join("");
}

/** The names that an input gives to its values and its schema does not, such as the variables of an expression. */
export function namesIn(
  path: JsonPath,
  schemasOf: (path: JsonPath) => readonly JsonSchema[] | undefined,
): readonly string[] {
  const isKnown = (key: string, index: number) =>
    schemasOf(path.slice(0, index))?.some(({ properties = {} }) => Object.hasOwn(properties, key)) ?? false;
  return path.filter((key, index): key is string => typeof key === "string" && !isKnown(key, index));
}

/** The words of a name: `notifyAll`, `notify_all`. */
export function spaced(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, "$1 $2");
}

/** The keys, texts and numbers of a value, unchanged: none of them is a reference. */
export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, item]) => [spaced(key), ...textsOf(item)]);
  if (typeof value === "number") return [String(value), value.toLocaleString("en", plainDigits)];
  return value === undefined || value === null ? [] : [String(value)];
}

const plainDigits = { useGrouping: false, maximumSignificantDigits: 21 } as const;

/** The texts and numbers that an expression itself has, except list indexes. */
export function constantsOf(expression: string | undefined): readonly (string | number)[] {
  const found = expression?.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w.]|[\w\])]\[)\d+(?:\.\d+)?/g) ?? [];
  return found.map((text) => (/^["']/.test(text) ? text.slice(1, -1) : Number(text)));
}
