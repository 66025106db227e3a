import type { JsonSchema } from "../../core/json-schema.ts";
import { hasWord } from "./words.ts";

/** Whether a schema prescribes a value, or has it as its default. */
export function isPrescribed(value: unknown, schemas: readonly JsonSchema[] | undefined): boolean {
  if (typeof value === "boolean" || value === null) return true;
  return (
    schemas?.some(
      ({ const: constant, enum: values, default: usual }) =>
        constant === value || usual === value || (values?.includes(value) ?? false),
    ) ?? false
  );
}

/**
 * Whether a description offers a value in words: as the default (`USD by default`, `use 2 unless …`), or as one of those in
 * quotes (`"gas" or "diesel"`). A value that is only an example is not offered.
 */
export function isOffered(value: unknown, schemas: readonly JsonSchema[] | undefined): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  return (
    schemas?.some(({ description }) => typeof description === "string" && offers(description, String(value))) ?? false
  );
}

const beforeDefault = String.raw`\bdefaults?(?:\s+(?!to\b|is\b)\w+)?(?:\s+(?:is|to|value|of|set))*\W{1,4}`;
const behindDefault = String.raw`\W{1,3}(?:(?:is|as|will be)\s+(?:the |used |assumed )*)?(?:by default|default|unless|otherwise|if (?:not|none|no|absent|omitted|missing|unspecified))\b`;
/** Where a description sets bounds, a number is none of the values. */
const saysBound =
  /\b(?:exceed|at most|at least|max(?:imum)?|min(?:imum)?|limit|up to|between|less|more|greater|than)\b/i;
const saysExample = /\be\.?g\b|\bexamples?\b|\bsuch as\b|\blike\b/i;
const quotes = [`"`, "'", "`"];
const maxLength = 2_000;

/** Whether one of the clauses of a description has the value as a default, or in quotes of its own. */
function offers(description: string, value: string): boolean {
  if (value.trim() === "" || description.length > maxLength) return false;
  return description.split(/[.;](?=\s)|[()\n]/).some((clause) => {
    if (saysExample.test(clause)) return false;
    if (quotes.some((quote) => clause.includes(`${quote}${value}${quote}`))) return true;
    if (saysBound.test(clause) || !hasWord(clause.toLowerCase(), value.toLowerCase())) return false;
    const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`${beforeDefault}${escaped}|${escaped}${behindDefault}`, "i").test(clause);
  });
}
