import type { JsonSchema } from "../../../core/json-schema.ts";
import { unitNames } from "../../../english/units.ts";

const numeral = String.raw`[+-]?\d[\d,]*(?:\.\d+)?`;
/** A number, with the sign of a currency before it or a unit behind it. */
const numberText = new RegExp(`^([$€£¥]?)(${numeral})(?:\\s?(%|°?\\p{L}+))?$`, "u");
const groups = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/**
 * The numbers that a text may mean: `30`, `$30`, `1,250.00`, `45 minutes` in a field of minutes, `35 %` of a hundred or of
 * one. A comma with three digits behind it may also be a decimal comma.
 */
export function numberReadings(
  text: string,
  { schemas, name }: { readonly schemas: readonly JsonSchema[]; readonly name: string },
): readonly number[] {
  const [, sign = "", digits, unit] = numberText.exec(text) ?? [];
  if (digits === undefined) return [];
  const numbers = digitReadings(digits);
  const field = fieldWords(name, schemas);
  if (sign !== "" && !takesSign(sign, field)) return [];
  if (unit === undefined) return numbers;
  if (unit === "%") return percentages(numbers, schemas, field);
  return isUnitOf(field, unit.replace("°", "").toLowerCase()) ? numbers : [];
}

/** The words of a field: of its name, which counts, and of its description. */
interface FieldWords {
  readonly name: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

function fieldWords(name: string, schemas: readonly JsonSchema[]): FieldWords {
  const descriptions = schemas.map(({ description }) => description ?? "");
  return { name: wordsOf(name), all: wordsOf([name, ...descriptions].join(" ")) };
}

/** Whether a field counts in a unit: its name says so, or its description names this unit and no other of its kind. */
function isUnitOf({ name, all }: FieldWords, unit: string): boolean {
  const names = unitNames(unit);
  const has = (words: ReadonlySet<string>) => names.some((one) => words.has(one));
  if (has(name)) return true;
  const others = [...all].filter((word) => unitNames(word).length > 0 && !names.includes(word));
  return has(all) && others.length === 0;
}

const currencies: Readonly<Record<string, readonly string[]>> = {
  $: ["usd", "dollar", "dollars"],
  "€": ["eur", "euro", "euros"],
  "£": ["gbp", "pound", "pounds"],
  "¥": ["jpy", "yen", "cny", "yuan"],
};
const smallUnits = ["cent", "cents", "pence", "minor", "smallest"];

/** Whether a field may count in the currency of a sign: it names no other one, and no hundredths. */
function takesSign(sign: string, { all }: FieldWords): boolean {
  const others = Object.entries(currencies).flatMap(([other, names]) => (other === sign ? [] : names));
  return ![...others, ...smallUnits].some((word) => all.has(word));
}

/** What its field counts from 0 to 100, or to 1, as words or bounds of the field say. */
function percentages(
  numbers: readonly number[],
  schemas: readonly JsonSchema[],
  { all }: FieldWords,
): readonly number[] {
  const isSaid = all.has("percent") || all.has("percentage");
  const ends = (end: number) => schemas.some(({ maximum }) => maximum === end);
  return [
    ...(isSaid || ends(100) ? numbers : []),
    ...(!isSaid && ends(1) ? numbers.map((number) => number / 100) : []),
  ];
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

function wordsOf(text: string): ReadonlySet<string> {
  const apart = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return new Set(apart.match(/\p{L}+/gu));
}
