import type { JsonSchema } from "../../../core/json-schema.ts";
import { unitNames } from "../../../english/unit-names.ts";

const signs = "[$€£¥]";
const numeral = String.raw`[+-]?\d[\d,]*(?:\.\d+)?`;
/** A number, with the sign of a currency before it or a unit behind it. */
const numberText = new RegExp(`^${signs}?(${numeral})(?:\\s?(%|°?\\p{L}+))?$`, "u");
const groups = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/**
 * The numbers that a text may mean: `30`, `$30`, `1,250.00`, `45 minutes` in a field of minutes,
 * `35 %` of a hundred or of one. A comma with three
 * digits behind it may also be a decimal comma.
 */
export function numberReadings(
  text: string,
  { schemas, name }: { readonly schemas: readonly JsonSchema[]; readonly name: string },
): readonly number[] {
  const [, digits, unit] = numberText.exec(text) ?? [];
  if (digits === undefined) return [];
  const numbers = digitReadings(digits);
  if (unit === undefined) return numbers;
  const said = wordsOf([name, ...schemas.map(({ description }) => description ?? "")].join(" "));
  if (unit === "%") return percentages(numbers, { schemas, isSaid: said.has("percent") || said.has("percentage") });
  const names = unitNames(unit.replace("°", "").toLowerCase());
  return names.some((one) => said.has(one)) ? numbers : [];
}

function digitReadings(digits: string): readonly number[] {
  if (!digits.includes(",")) return exact([digits]);
  if (!groups.test(digits)) return [];
  const isDecimal = /^[+-]?\d{1,3},\d{3}$/.test(digits);
  return exact([digits.replaceAll(",", ""), ...(isDecimal ? [digits.replace(",", ".")] : [])]);
}

/** An inexact number would be a different one. */
function exact(texts: readonly string[]): readonly number[] {
  return texts.map(Number).filter((number) => Number.isSafeInteger(Math.trunc(number)));
}

/** What its field counts from 0 to 100, or to 1, as words or bounds of the field say. */
function percentages(
  numbers: readonly number[],
  { schemas, isSaid }: { readonly schemas: readonly JsonSchema[]; readonly isSaid: boolean },
): readonly number[] {
  const ends = (end: number) => schemas.some(({ maximum }) => maximum === end);
  return [
    ...(isSaid || ends(100) ? numbers : []),
    ...(!isSaid && ends(1) ? numbers.map((number) => number / 100) : []),
  ];
}

function wordsOf(text: string): ReadonlySet<string> {
  const apart = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return new Set(apart.match(/\p{L}+/gu));
}
