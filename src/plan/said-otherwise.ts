import { readNumber, startsNumber } from "../english/numbers.ts";
import { months } from "../english/times.ts";
import { unitNames, unitOf } from "../english/unit-names.ts";
import { unitKinds } from "../english/units.ts";

/*
 * What a request says in other words than an input: 5 % is 0.05, half an hour 1 800 seconds, 50 mH 0.05, kilometers are
 * km, yen are JPY. What follows from a request by a rule that everybody knows was not made up.
 */

/** A number that is said, and the index of the word behind it. */
interface SaidNumber {
  readonly value: number;
  readonly end: number;
}

/** The numbers that follow from those of a text, whose words are its tokens. Linear. */
export function impliedNumbers(tokens: readonly string[], text: string): ReadonlySet<number> {
  const implied = new Set<number>();
  const add = (value: number) => implied.add(exact(value));
  for (const [, digits = ""] of text.matchAll(/(\d[\d.,]*)\s?[%％]/g)) add(toNumber(digits) / 100);
  for (const [index, token] of tokens.entries()) {
    const month = monthOf(token);
    if (month > 0) add(month);
    const one = calendarUnits.get(token);
    if (one !== undefined) for (const size of calendarSizes) add(one / size);
    const said = numberAt(tokens, index);
    if (said !== undefined) for (const value of valuesOf(said, tokens, index)) add(value);
  }
  return implied;
}

/** What a number means by the words around it. */
function valuesOf({ value, end }: SaidNumber, tokens: readonly string[], index: number): readonly number[] {
  const [next = "", afterNext] = tokens.slice(end, end + 2);
  const isPercent = next === "percent" || (next === "per" && afterNext === "cent");
  return [
    ...(isPercent ? [value / 100] : []),
    ...factorsOf(next).map((factor) => value * factor),
    ...(isMoreThan(tokens, index) ? [value + 1] : []),
    ...(isLessThan(tokens, index) ? [value - 1] : []),
  ];
}

function numberAt(tokens: readonly string[], index: number): SaidNumber | undefined {
  const word = tokens[index] ?? "";
  if (/^\d/.test(word)) return { value: toNumber(word), end: index + 1 };
  const read = startsNumber(word) ? readNumber(tokens, index) : undefined;
  return read && { value: Number(read.digits), end: read.end };
}

function toNumber(digits: string): number {
  const plain = digits.replace(/[.,]+$/, "");
  return Number(/^\d+,\d{1,2}$/.test(plain) ? plain.replace(",", ".") : plain.replaceAll(",", ""));
}

/** Without the last digits, in which products of decimals are off. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}

function monthOf(word: string): number {
  const isShort = word.length === 3 && word !== "may" && word !== "mar";
  const found = isShort ? months.findIndex((name) => name.startsWith(word)) : months.indexOf(word);
  return found + 1;
}

const calendar = unitKinds.calendar ?? {};
/** "The past decade" is ten years. */
const calendarUnits = new Map(["decade", "decades", "century"].map((name) => [name, unitOf(name)?.size ?? 0]));
const calendarSizes = Object.values(calendar).map(([size]) => Number(size));

const prefixes: Readonly<Record<string, readonly number[]>> = {
  p: [1e-12],
  n: [1e-9],
  μ: [1e-6],
  u: [1e-6],
  m: [1e-3, 1e6],
  c: [1e-2],
  k: [1e3],
  g: [1e9],
  t: [1e12],
  b: [1e9],
};
const prefixed = /^([pnμumckgt])(?:f|h|hz|w|wh|v|a|ohms?|ω|b|bits?|bytes?|l|g|m|s|pa|j|n|ev|cal)$/;

/** What a number may be multiplied by because of the word behind it. */
function factorsOf(word: string): readonly number[] {
  const unit = unitOf(word);
  // Of all units, only seconds are often counted in thousandths.
  const converted = unit?.sizes.map((size) => unit.size / size) ?? [];
  const inMs = unit?.sizes.includes(86_400) ? [unit.size * 1_000] : [];
  const prefix = prefixed.exec(word)?.[1] ?? (word.length === 1 ? word : "");
  return [...converted, ...inMs, ...(prefixes[prefix] ?? [])];
}

function isMoreThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "over" || word === "above" || (word === "than" && (before === "more" || before === "greater"));
}

function isLessThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "under" || word === "below" || (word === "than" && (before === "less" || before === "fewer"));
}

/** The words of a text, for what else is said by them. */
export class SaidWords {
  private readonly words: ReadonlySet<string>;
  private readonly initials: string;
  /** Each longer word with one letter left out: two words that share such a rest are one typing mistake apart. */
  private rests: ReadonlySet<string> | undefined;

  constructor(
    private readonly tokens: readonly string[],
    private readonly text: string,
  ) {
    this.words = new Set(tokens);
    this.initials = tokens.map((token) => token[0] ?? "").join("");
  }

  /** Whether a word says what the text says in another. `isCode`: whether it is written as a code, in capitals. */
  mean(word: string, { isCode }: { readonly isCode: boolean }): boolean {
    if (unitNames(word).some((name) => this.words.has(name))) return true;
    if (/^[a-z]{2,3}$/.test(word) && (this.areCurrency(word) || (isCode && this.areNamed(word)))) return true;
    if (isCode && word.length >= 2 && word.length <= 5 && this.initials.includes(word)) return true;
    return this.isMistyped(word);
  }

  /** Whether a code is that of a currency whose name or sign the text has. */
  private areCurrency(code: string): boolean {
    if (code.length !== 3) return false;
    const name = nameOf("currency", code.toUpperCase());
    const last = name?.split(" ").at(-1) ?? "";
    if (name === undefined) return false;
    if (this.words.has(last) || this.words.has(`${last}s`)) return true;
    const sign = signOf(code.toUpperCase());
    return sign !== undefined && this.text.includes(sign);
  }

  /** Whether a code is that of a country or a language whose name the text has. */
  private areNamed(code: string): boolean {
    return (["region", "language"] as const).some((type) => {
      const name = nameOf(type, type === "region" ? code.toUpperCase() : code);
      return name?.split(" ").every((part) => this.words.has(part)) ?? false;
    });
  }

  private isMistyped(word: string): boolean {
    if (!isLong(word)) return false;
    this.rests ??= new Set(this.tokens.filter(isLong).flatMap((token) => [token, ...restsOf(token)]));
    const { rests } = this;
    if (rests.has(word)) return true;
    return restsOf(word).some((rest) => rests.has(rest));
  }
}

/** Shorter words are too often another word after one mistake, and no word is longer. */
function isLong(word: string): boolean {
  return word.length >= 6 && word.length <= 40 && /^\p{L}+$/u.test(word);
}

function restsOf(word: string): readonly string[] {
  return [...word].map((_letter, index) => word.slice(0, index) + word.slice(index + 1));
}

const named = new Map<string, Intl.DisplayNames>();

/** The English name of a code in lower case; undefined if it is none. */
function nameOf(type: "currency" | "region" | "language", code: string): string | undefined {
  let names = named.get(type);
  if (names === undefined) {
    names = new Intl.DisplayNames("en", { type, fallback: "none" });
    named.set(type, names);
  }
  try {
    return names.of(code)?.toLowerCase();
  } catch {
    return undefined;
  }
}

const signs = new Map<string, string | undefined>();

/** The sign of a currency, such as `$`. */
function signOf(code: string): string | undefined {
  if (!signs.has(code)) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency: code, currencyDisplay: "narrowSymbol" });
    const sign = format.formatToParts(0).find(({ type }) => type === "currency")?.value;
    signs.set(code, sign !== undefined && /^\p{Sc}$/u.test(sign) ? sign : undefined);
  }
  return signs.get(code);
}
