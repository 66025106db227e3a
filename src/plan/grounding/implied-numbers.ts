import { months } from "../../english/times.ts";
import { unitOf } from "../../english/units.ts";
import { anyField, type Field } from "./field.ts";
import { shortYears, yearsAt } from "./implied-years.ts";
import { numbersFrom, type SaidNumber, toNumber } from "./said-numbers.ts";

/** A number that follows from a text, for fields of a kind. */
interface Implied {
  readonly value: number;
  readonly isFor: (field: Field) => boolean;
}

const any = () => true;
/** For fields that one of the words names or describes. */
const named = (words: string) => {
  const list = words.split(" ");
  return (field: Field) => field.mentions(list);
};
const ofYears = named("year years date from to start end since until period decade century era");
const ofMonths = named("month months date period");
const ofRates = named("per times frequency periods compound compounded compounding compounds n");
const ofFactors = named("factor multiplier multiple growth ratio coefficient");
const ofBounds = named("min minimum max maximum least most limit threshold lower upper floor ceiling");
const ofSpeeds = named("mps speed velocity meters metres second");

/**
 * The numbers that follow from those of a text, whose words are its tokens, by rules that everybody knows: 5 % is 0.05, half
 * an hour 1 800 seconds, 50 mH 0.05. Most are only for fields that speak of them: no amount of money is in seconds.
 */
export class ImpliedNumbers {
  private readonly byValue = new Map<number, ((field: Field) => boolean)[]>();
  /** Those that are no whole numbers, which may be rounded. */
  private readonly decimals: readonly Implied[];
  /** Of amounts, in the hundredth part of their unit. */
  private readonly inHundredths = new Set<number>();

  constructor(tokens: readonly string[], text: string) {
    const found: Implied[] = [];
    for (const [, digits = ""] of text.matchAll(/(?<![\d.,])(\d[\d.,]*)\s?[%％]/g))
      found.push(...ofPercent(toNumber(digits)));
    for (const value of shortYears(text)) found.push({ value, isFor: any });
    for (const [index, token] of tokens.entries()) {
      found.push(...valuesOfWord(token), ...yearsAt(tokens, index).map((value) => ({ value, isFor: ofYears })));
      for (const said of numbersFrom(tokens, index)) {
        found.push(...valuesOf(said, tokens, index));
        this.inHundredths.add(exact(said.value * 100));
      }
    }
    for (const { value, isFor } of found) this.add(exact(value), isFor);
    this.decimals = found.filter(({ value }) => !Number.isInteger(value)).slice(0, maxDecimals);
  }

  private add(value: number, isFor: Implied["isFor"]): void {
    const known = this.byValue.get(value);
    if (known === undefined) this.byValue.set(value, [isFor]);
    else if (known.length < maxKinds && !known.includes(isFor)) known.push(isFor);
  }

  /** Whether a number follows from the text in a field, perhaps rounded to two or more decimals. */
  has(value: number, field: Field = anyField): boolean {
    if (this.byValue.get(value)?.some((isFor) => isFor(field))) return true;
    const digits = String(value).split(".")[1]?.length ?? 0;
    const isNear = (one: number) => Math.abs(one - value) <= 0.51 * 10 ** -digits;
    return digits >= 2 && this.decimals.some((one) => isNear(one.value) && one.isFor(field));
  }

  /** Whether a number is one of the text in cents, or in the like of another currency. */
  hasInHundredths(value: number): boolean {
    return this.inHundredths.has(value);
  }
}

const maxDecimals = 200;
/** A number follows in few ways. */
const maxKinds = 20;

/** What a number means by the words around it. */
function valuesOf({ value, end, isPart }: SaidNumber, tokens: readonly string[], index: number): readonly Implied[] {
  const [next = "", afterNext] = tokens.slice(end, end + 2);
  const isPercent = next === "percent" || (next === "per" && afterNext === "cent");
  // "half of an hour"
  let unit = end;
  while (isPart && unit < end + 2 && /^(?:of|an?|the)$/.test(tokens[unit] ?? "")) unit++;
  return [
    ...(isPart ? [{ value, isFor: any }] : []),
    ...(isPercent ? ofPercent(value) : []),
    ...converted(value, tokens, unit),
    ...(isMoreThan(tokens, index) ? [{ value: value + 1, isFor: ofBounds }] : []),
    ...(isLessThan(tokens, index) ? [{ value: value - 1, isFor: ofBounds }] : []),
  ];
}

/** A percentage as a part of one, and what something becomes when it grows or shrinks by it. */
function ofPercent(percent: number): readonly Implied[] {
  const changed = [1 + percent / 100, 1 - percent / 100];
  return [{ value: percent / 100, isFor: any }, ...changed.map((value) => ({ value, isFor: ofFactors }))];
}

/** Words that say a number. */
const numberWords: Readonly<Record<string, readonly Implied[]>> = {
  ...Object.fromEntries(["pair", "couple", "twice"].map((word) => [word, [{ value: 2, isFor: any }]])),
  thrice: [{ value: 3, isFor: any }],
  dozen: [{ value: 12, isFor: any }],
  squared: [{ value: 2, isFor: any }],
  cubed: [{ value: 3, isFor: any }],
  pi: [{ value: Math.PI, isFor: any }],
  π: [{ value: Math.PI, isFor: any }],
  hourly: [{ value: 24, isFor: ofRates }],
  daily: [{ value: 365, isFor: ofRates }],
  weekly: [{ value: 52, isFor: ofRates }],
  monthly: [{ value: 12, isFor: ofRates }],
  quarterly: [{ value: 4, isFor: ofRates }],
  semiannually: [{ value: 2, isFor: ofRates }],
  annually: [{ value: 1, isFor: ofRates }],
  yearly: [{ value: 1, isFor: ofRates }],
};

/** The numbers that a word says by itself: the number of a month, the years of "the past decade". */
function valuesOfWord(token: string): readonly Implied[] {
  const month = monthOf(token);
  const isPeriod = token === "decade" || token === "century";
  return [
    ...(month > 0 ? [{ value: month, isFor: ofMonths }] : []),
    ...(isPeriod ? converted(1, [token], 0) : []),
    ...(Object.hasOwn(numberWords, token) ? (numberWords[token] ?? []) : []),
  ];
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
const noMoney = (field: Field) => !field.isMoney;
/** Thousands and millions are short for a number, whatever is counted. */
const scales = new Set(["k", "m", "b"]);

/** A number in other units than the one behind it. */
function converted(value: number, tokens: readonly string[], index: number): readonly Implied[] {
  const word = tokens[index] ?? "";
  const unit = unitOf(word);
  const kind = unit === undefined ? [] : [...unit.kind.keys()];
  const others = unit === undefined ? [] : [...unit.kind];
  // Of all units, only seconds are often counted in thousandths.
  if (unit?.kind.has("second")) others.push(["millisecond", 0.001]);
  const sameKind = unit?.kind.has("second") ? [...kind, "millisecond"] : kind;
  const prefix = prefixed.exec(word)?.[1] ?? (word.length === 1 ? word : "");
  const factors = [
    ...(prefixes[prefix] ?? []),
    ...(prefixWords[prefixedWord.exec(word)?.[1] ?? ""] === undefined
      ? []
      : [prefixWords[prefixedWord.exec(word)?.[1] ?? ""] as number]),
  ];
  return [
    ...others.map(([name, size]) => ({
      value: (value * (unit?.size ?? 1)) / size,
      isFor: (field: Field) => field.takes(name, sameKind),
    })),
    ...factors.map((factor) => ({ value: value * factor, isFor: scales.has(word) && factor >= 1e3 ? any : noMoney })),
    ...(word === "pi" || word === "π" ? [{ value: value * Math.PI, isFor: any }] : []),
    ...inBytes(value, word),
    ...speeds(value, tokens, index),
  ];
}

/** Units of data, as powers of 1 000 or 1 024. */
const byteUnits = new Map(
  ["b", "k", "m", "g", "t", "p"].flatMap((letter, power) =>
    (power === 0 ? ["byte", "bytes"] : [`${letter}b`, `${letter}ib`]).map((name) => [name, power] as const),
  ),
);

function inBytes(value: number, word: string): readonly Implied[] {
  const power = byteUnits.get(word);
  if (power === undefined) return [];
  return [...byteUnits].flatMap(([name, other]) =>
    [1_000, 1_024].map((base) => ({
      value: value * base ** (power - other),
      isFor: (field: Field) => field.mentions([name]),
    })),
  );
}

/** Speeds in meters a second. */
function speeds(value: number, tokens: readonly string[], index: number): readonly Implied[] {
  const [unit = "", next = ""] = tokens.slice(index, index + 2);
  const isKmh =
    /^(?:kph|kmh)$/.test(unit) || (/^(?:km|kilomet(?:er|re)s?)$/.test(unit) && /^(?:h|hr|hour|an|per)$/.test(next));
  const factor = isKmh ? 1 / 3.6 : unit === "mph" ? 0.44704 : undefined;
  return factor === undefined ? [] : [{ value: value * factor, isFor: ofSpeeds }];
}

function isMoreThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "over" || word === "above" || (word === "than" && (before === "more" || before === "greater"));
}

function isLessThan(tokens: readonly string[], index: number): boolean {
  const [word, before] = [tokens[index - 1], tokens[index - 2]];
  return word === "under" || word === "below" || (word === "than" && (before === "less" || before === "fewer"));
}
