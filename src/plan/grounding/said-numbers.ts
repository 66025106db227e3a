import { ordinals, readNumber, startsNumber } from "../../english/numbers.ts";
import { currencyWords, unitOf } from "../../english/units.ts";

/** A number that is said, and the index of the word behind it. */
export interface SaidNumber {
  readonly value: number;
  readonly end: number;
  /** Whether it is a part, such as a half, of what stands behind it. */
  readonly isPart?: true;
}

/** The numbers that start at a word: `5`, `two thirds`, `half`, `one and a half`, `an hour and a half`. */
export function numbersFrom(tokens: readonly string[], index: number): readonly SaidNumber[] {
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
  const made = (number: number, at: number) => ({ value: number, end: at, isPart: true as const });
  return [
    ...(fraction === undefined ? [] : [made(value * fraction, end + 1)]),
    ...(cents !== undefined && cents.value < 100 ? [made(value + cents.value / 100, cents.end)] : []),
    ...(isAndAHalf(tokens, end) ? [made(value + 0.5, end + 3)] : []),
    // The unit stands before: "an hour and a half".
    ...(isAndAHalf(tokens, end + 1) && unitOf(unit) !== undefined ? [{ value: value + 0.5, end }] : []),
  ];
}

const parts = /^(?:thirds?|quarters?|halves|fifths?|eighths?|tenths?)$/;

function isAndAHalf(tokens: readonly string[], index: number): boolean {
  return tokens[index] === "and" && /^an?$/.test(tokens[index + 1] ?? "") && tokens[index + 2] === "half";
}

/** A number in digits or words, or "a" before a unit. */
function wholeAt(tokens: readonly string[], index: number): SaidNumber | undefined {
  const word = tokens[index] ?? "";
  const read = startsNumber(word) ? readNumber(tokens, index) : undefined;
  if (read !== undefined) return { value: Number(read.digits), end: read.end };
  if (/^\d/.test(word)) return { value: toNumber(word), end: index + 1 };
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

/** A number in digits, with signs that separate them. */
export function toNumber(digits: string): number {
  const plain = digits.replace(/[.,]+$/, "");
  return Number(/^\d+,\d{1,2}$/.test(plain) ? plain.replace(",", ".") : plain.replaceAll(",", ""));
}
