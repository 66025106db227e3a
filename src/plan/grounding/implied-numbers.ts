import { ordinals, readNumber, startsNumber } from "../../english/numbers.ts";
import { months } from "../../english/times.ts";
import { unitOf } from "../../english/unit-names.ts";
import { currencyWords, unitKinds } from "../../english/units.ts";

/** A number that is said, and the index of the word behind it. */
interface SaidNumber {
  readonly value: number;
  readonly end: number;
  /** Whether it is a part, such as a half, of what stands behind it. */
  readonly isPart?: true;
}

/**
 * The numbers that follow from those of a text, whose words are its tokens, by rules that everybody knows: 5 % is 0.05, half
 * an hour 1 800 seconds, 50 mH 0.05, "the nineties" 1990 to 1999.
 */
export class ImpliedNumbers {
  private readonly values = new Set<number>();
  /** Those that are no whole numbers, which may be rounded. */
  private readonly decimals: readonly number[];
  /** Of amounts, in the hundredth part of their unit. */
  private readonly inHundredths = new Set<number>();

  constructor(tokens: readonly string[], text: string) {
    const add = (value: number) => this.values.add(exact(value));
    for (const [, digits = ""] of text.matchAll(/(?<![\d.,])(\d[\d.,]*)\s?[%％]/g))
      for (const one of ofPercent(toNumber(digits))) add(one);
    for (const [index, token] of tokens.entries()) {
      for (const value of valuesOfWord(token)) add(value);
      for (const said of numbersFrom(tokens, index)) {
        for (const value of valuesOf(said, tokens, index)) add(value);
        this.inHundredths.add(exact(said.value * 100));
      }
      for (const value of yearsAt(tokens, index)) add(value);
    }
    for (const [, century = "", short = ""] of text.matchAll(/\b(\d\d)\d\d\s?[-–/]\s?(\d\d)\b(?![-–/])/g)) {
      add(Number(century + short));
    }
    this.decimals = [...this.values].filter((value) => !Number.isInteger(value)).slice(0, maxDecimals);
  }

  /** Whether a number follows from the text, perhaps rounded to two or more decimals. */
  has(value: number): boolean {
    if (this.values.has(value)) return true;
    const digits = String(value).split(".")[1]?.length ?? 0;
    return digits >= 2 && this.decimals.some((one) => Math.abs(one - value) <= 0.51 * 10 ** -digits);
  }

  /** Whether a number is one of the text in cents, or in the like of another currency. */
  hasInHundredths(value: number): boolean {
    return this.inHundredths.has(value);
  }
}

const maxDecimals = 200;

/** What a number means by the words around it. */
function valuesOf({ value, end, isPart }: SaidNumber, tokens: readonly string[], index: number): readonly number[] {
  const [next = "", afterNext] = tokens.slice(end, end + 2);
  const isPercent = next === "percent" || (next === "per" && afterNext === "cent");
  // "half of an hour"
  let unit = end;
  while (isPart && unit < end + 2 && /^(?:of|an?|the)$/.test(tokens[unit] ?? "")) unit++;
  return [
    ...(isPart ? [value] : []),
    ...(isPercent ? ofPercent(value) : []),
    ...[...factorsOf(tokens[unit] ?? ""), ...speedFactors(tokens, unit)].map((factor) => value * factor),
    ...(isMoreThan(tokens, index) ? [value + 1] : []),
    ...(isLessThan(tokens, index) ? [value - 1] : []),
  ];
}

/** A percentage as a part of one, and what something becomes when it grows or shrinks by it. */
function ofPercent(percent: number): readonly number[] {
  return [percent / 100, 1 + percent / 100, 1 - percent / 100];
}

/** The numbers that start at a word: `5`, `two thirds`, `half`, `one and a half`, `an hour and a half`. */
function numbersFrom(tokens: readonly string[], index: number): readonly SaidNumber[] {
  const whole = wholeAt(tokens, index);
  const part = whole?.value === 1 ? undefined : fractionAt(tokens, index);
  const further = whole === undefined ? [] : numbersWith(whole, tokens);
  return [whole, part, ...further].filter((one) => one !== undefined);
}

/** What a whole number is with the words behind it. */
function numbersWith({ value, end }: SaidNumber, tokens: readonly string[]): readonly SaidNumber[] {
  const unit = tokens[end] ?? "";
  const fraction = parts.test(unit) ? partOf(unit) : undefined;
  // "twelve euros fifty"
  const cents = currencyWords.has(unit) ? wholeAt(tokens, end + 1) : undefined;
  const factors = factorsOf(unit);
  const made = (number: number, at: number) => ({ value: number, end: at, isPart: true as const });
  return [
    ...(fraction === undefined ? [] : [made(value * fraction, end + 1)]),
    ...(cents !== undefined && cents.value < 100 ? [made(value + cents.value / 100, cents.end)] : []),
    ...(isAndAHalf(tokens, end) ? [made(value + 0.5, end + 3)] : []),
    // The unit stands before: "an hour and a half".
    ...(isAndAHalf(tokens, end + 1) ? factors.map((factor) => made((value + 0.5) * factor, tokens.length)) : []),
    ...(factors.length > 0 && isAndAHalf(tokens, end + 1) ? [made(value + 0.5, tokens.length)] : []),
  ];
}

const parts = /^(?:thirds?|quarters?|halves|fifths?|eighths?|tenths?)$/;

function isAndAHalf(tokens: readonly string[], index: number): boolean {
  return tokens[index] === "and" && /^an?$/.test(tokens[index + 1] ?? "") && tokens[index + 2] === "half";
}

/** A number in digits or words, or "a" before a unit. */
function wholeAt(tokens: readonly string[], index: number): SaidNumber | undefined {
  const word = tokens[index] ?? "";
  if (/^\d/.test(word)) {
    const read = startsNumber(word) ? readNumber(tokens, index) : undefined;
    return read === undefined
      ? { value: toNumber(word), end: index + 1 }
      : { value: Number(read.digits), end: read.end };
  }
  const read = startsNumber(word) ? readNumber(tokens, index) : undefined;
  if (read !== undefined) return { value: Number(read.digits), end: read.end };
  const isOne = (word === "a" || word === "an") && unitOf(tokens[index + 1] ?? "") !== undefined;
  return isOne ? { value: 1, end: index + 1 } : undefined;
}

/** "half", "a third": with what it is a part of, such as "a million", behind it. */
function fractionAt(tokens: readonly string[], index: number): SaidNumber | undefined {
  const word = tokens[index] ?? "";
  const isOne = word === "a" || word === "an" || word === "one";
  const at = isOne ? index + 1 : index;
  const fraction = tokens[at] === "half" || isOne ? partOf(tokens[at] ?? "") : undefined;
  if (fraction === undefined) return undefined;
  const next = tokens[at + 1] === "of" ? at + 2 : at + 1;
  const scale = startsNumber(tokens[next] ?? "") ? readNumber(tokens, next) : undefined;
  return scale === undefined
    ? { value: fraction, end: at + 1, isPart: true }
    : { value: fraction * Number(scale.digits), end: scale.end, isPart: true };
}

/** The part that a word names: `half`, `thirds`, `quarter`, `fifth` … */
function partOf(word: string): number | undefined {
  const one = word.replace(/s$/, "");
  if (one === "half" || one === "halve") return 0.5;
  if (one === "quarter") return 0.25;
  const rank = ordinals.indexOf(one);
  return rank >= 2 ? 1 / (rank + 1) : undefined;
}

/** Words that say a number. */
const numberWords: Readonly<Record<string, readonly number[]>> = {
  pair: [2],
  couple: [2],
  twice: [2],
  double: [2],
  squared: [2],
  thrice: [3],
  triple: [3],
  cubed: [3],
  dozen: [12],
  hourly: [24],
  daily: [1, 365],
  weekly: [7, 52],
  monthly: [12],
  quarterly: [4],
  semiannually: [2],
  biannually: [2],
  annually: [1],
  yearly: [1],
  pi: [Math.PI],
  π: [Math.PI],
};

/** The numbers that a word says by itself: the number of a month, the years of "the past decade". */
function valuesOfWord(token: string): readonly number[] {
  const month = monthOf(token);
  const size = calendarUnits.get(token);
  return [
    ...(month > 0 ? [month] : []),
    ...(size === undefined ? [] : calendarSizes.map((one) => size / one)),
    ...(Object.hasOwn(numberWords, token) ? (numberWords[token] ?? []) : []),
  ];
}

/** The years of `1990s`, `nineties`, `17th century`, `nineteen eighty-four`. */
function yearsAt(tokens: readonly string[], index: number): readonly number[] {
  const word = tokens[index] ?? "";
  const [next = "", afterNext] = tokens.slice(index + 1, index + 3);
  if (/^\d{2}(?:\d{2})?$/.test(word) && next === "s" && word.endsWith("0")) return decade(Number(word));
  const tens = decades.indexOf(word);
  if (tens >= 0) return decade(10 * (tens + 2));
  const century = /^\d{1,2}$/.test(word) ? Number(word) : ordinals.indexOf(word) + 1;
  if (century > 0 && (next === "century" || (/^(?:st|nd|rd|th)$/.test(next) && afterNext === "century"))) {
    return [(century - 1) * 100, (century - 1) * 100 + 1, century * 100 - 1, century * 100];
  }
  const [first, second] = [readNumber(tokens, index), readNumber(tokens, index + 1)];
  const isYear = first?.end === index + 1 && /^(?:1\d|20)$/.test(first.digits) && /^\d{2}$/.test(second?.digits ?? "");
  return isYear && !/^\d/.test(word) ? [Number(first.digits) * 100 + Number(second?.digits)] : [];
}

const decades = "twenties thirties forties fifties sixties seventies eighties nineties".split(" ");

function decade(year: number): readonly number[] {
  const start = year < 100 ? 1900 + year : year;
  return [start, start + 9];
}

function toNumber(digits: string): number {
  const plain = digits.replace(/[.,]+$/, "");
  return Number(/^\d+,\d{1,2}$/.test(plain) ? plain.replace(",", ".") : plain.replaceAll(",", ""));
}

/** Without the last digits, in which products of decimals are off. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}

/** The number of the month that a word names; 0 if it names none. */
export function monthOf(word: string): number {
  const isShort = word.length === 3 && word !== "may" && word !== "mar";
  const found = isShort ? months.findIndex((name) => name.startsWith(word)) : months.indexOf(word);
  return found + 1;
}

/** "The past decade" is ten years. */
const calendarUnits = new Map(["decade", "decades", "century"].map((name) => [name, unitOf(name)?.size ?? 0]));
const calendarSizes = Object.values(unitKinds.calendar ?? {}).map(([size]) => Number(size));

/** What a letter before the sign of a unit, or behind a number, multiplies by. */
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
const prefixed = /^([pnμumckgt])(?:f|h|hz|w|wh|v|a|c|ohms?|ω|b|bits?|bytes?|l|g|m|s|pa|j|n|ev|cal)$/;

/** The same in words: `microcoulombs`. */
const prefixWords: Readonly<Record<string, number>> = {
  pico: 1e-12,
  nano: 1e-9,
  micro: 1e-6,
  milli: 1e-3,
  centi: 1e-2,
  kilo: 1e3,
  mega: 1e6,
  giga: 1e9,
  tera: 1e12,
};
const prefixedWord = new RegExp(`^(${Object.keys(prefixWords).join("|")})\\p{L}{3,}$`, "u");

/** What a number may be multiplied by because of the word behind it. */
function factorsOf(word: string): readonly number[] {
  const unit = unitOf(word);
  // Of all units, only seconds are often counted in thousandths.
  const converted = unit?.sizes.map((size) => unit.size / size) ?? [];
  const inMs = unit?.sizes.includes(86_400) ? [unit.size * 1_000] : [];
  const prefix = prefixed.exec(word)?.[1] ?? (word.length === 1 ? word : "");
  if (word === "pi" || word === "π") return [Math.PI];
  const size = byteUnits.get(word);
  if (size !== undefined)
    return [...byteUnits.values()].flatMap((other) => [1_000, 1_024].map((base) => base ** (size - other)));
  const inWords = prefixWords[prefixedWord.exec(word)?.[1] ?? ""];
  return [...converted, ...inMs, ...(prefixes[prefix] ?? []), ...(inWords === undefined ? [] : [inWords])];
}

/** Units of data, as powers of 1 000 or 1 024. */
const byteUnits = new Map(
  ["b", "k", "m", "g", "t", "p"].flatMap((letter, power) =>
    (power === 0 ? ["byte", "bytes"] : [`${letter}b`, `${letter}ib`]).map((name) => [name, power] as const),
  ),
);

/** Speeds in meters a second. */
function speedFactors(tokens: readonly string[], index: number): readonly number[] {
  const [unit = "", next] = tokens.slice(index, index + 2);
  if (
    /^(?:kph|kmh)$/.test(unit) ||
    (/^(?:km|kilomet(?:er|re)s?)$/.test(unit) && /^(?:h|hr|hour|an|per)$/.test(next ?? ""))
  )
    return [1 / 3.6];
  return unit === "mph" ? [0.44704] : [];
}

function isMoreThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "over" || word === "above" || (word === "than" && (before === "more" || before === "greater"));
}

function isLessThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "under" || word === "below" || (word === "than" && (before === "less" || before === "fewer"));
}
