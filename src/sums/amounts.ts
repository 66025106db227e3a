import { readNumber } from "../english/numbers.ts";
import { atom, binary, fraction, partOf, type Term } from "./terms.ts";
import { denominators } from "./words.ts";

/** A number in digits or words. */
export interface Amount {
  readonly term: Term;
  /** The index after the last word. */
  readonly end: number;
}

const scales: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dozen: 12,
    score: 20,
    hundred: 100,
    k: 1e3,
    grand: 1e3,
    thousand: 1e3,
    million: 1e6,
    billion: 1e9,
    trillion: 1e12,
  }).map(([name, size]) => [name, String(size)]),
);
const vulgar: ReadonlyMap<string, readonly [above: string, below: string]> = new Map([
  ...([
    ["½", ["1", "2"]],
    ["¼", ["1", "4"]],
    ["¾", ["3", "4"]],
  ] as const),
  ...([
    ["⅓", ["1", "3"]],
    ["⅔", ["2", "3"]],
    ["⅛", ["1", "8"]],
  ] as const),
]);
const whole = /^\d{1,9}$/;
const beforePronoun = /^(?:would|does|should|could|do|can|did|might|must|may|when|if)$/;
const beforePlace = /^(?:quick|easy|simple|first|second|this|that|other|last|which|no|previous|another)$/;
const afterNumber =
  /^(?:plus|minus|times|and|over|percent|divided|multiplied|point|hundred|thousand|[mbt]r?illion|[-+*/%x])$/;

/** Reads the longest number at a word: "two and a half", "3 million", "three quarters", "half a dozen", "2 1/2". */
export function readAmount(words: readonly string[], at: number, joinAnd: boolean): Amount | undefined {
  const word = words[at] ?? "";
  if (word === "one" && isPronoun(words, at)) return undefined;
  const written = vulgar.get(word);
  if (written !== undefined) return { term: fraction(...written), end: at + 1 };
  if (/^\.\d+$/.test(word)) return { term: atom(`0${word}`), end: at + 1 };
  const part = readPart(words, at);
  if (part !== undefined) return part;
  // "oh point six"
  const isOh = word === "oh" && words[at + 1] === "point";
  const number = isOh ? readNumber(["zero", ...words.slice(at + 1, at + 50)], 0) : readNumber(words, at, { joinAnd });
  if (number === undefined) return undefined;
  const { digits } = number;
  const end = isOh ? at + number.end : number.end;
  const next = words[end] ?? "";
  if (/^e\d{1,3}$/.test(next)) return { term: atom(digits + next), end: end + 1 };
  const below = denominators.get(next);
  const isRank = /^(?:root|power)$/.test(words[end + 1] ?? "");
  if (below !== undefined && whole.test(digits) && !isRank) return { term: fraction(digits, below), end: end + 1 };
  const cents = readCents(words, digits, end);
  if (cents !== undefined) return cents;
  // "two and a half million", "5 k"
  const amount = readRest(words, digits, end, joinAnd) ?? { term: atom(digits), end };
  const scale = scales.get(words[amount.end] ?? "");
  if (scale === undefined) return amount;
  return { term: { ...binary("*", amount.term, atom(scale)), isBare: true }, end: amount.end + 1 };
}

/** "how would one add", "the first one": no number. */
function isPronoun(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? "";
  return beforePlace.test(before) || (beforePronoun.test(before) && !afterNumber.test(words[at + 1] ?? ""));
}

/** "half", "a third", "half a million". */
function readPart(words: readonly string[], at: number): Amount | undefined {
  const hasArticle = /^an?$/.test(words[at] ?? "");
  const name = words[hasArticle ? at + 1 : at] ?? "";
  const below = denominators.get(name);
  const isAlone = /^(?:half|quarters?)$/.test(name) || words[at + 1] === "of";
  if (below === undefined || !(hasArticle || isAlone)) return undefined;
  const part = fraction("1", below);
  const end = at + (hasArticle ? 2 : 1);
  const start = words[end] === "a" ? end + 1 : end;
  const scale = scales.get(words[start] ?? "");
  // "half a percent"
  if (scale === undefined) return { term: part, end: words[start] === "percent" ? start : end };
  return { term: { ...(partOf(part, atom(scale)) ?? part), isBare: true }, end: start + 1 };
}

/** "sixty dollars and fifty cents" */
function readCents(words: readonly string[], digits: string, end: number): Amount | undefined {
  if (!whole.test(digits) || !/^(?:dollars?|euros?|pounds?|bucks?)$/.test(words[end] ?? "")) return undefined;
  const cents = readNumber(words, words[end + 1] === "and" ? end + 2 : end + 1, { joinAnd: false });
  if (cents === undefined || !/^\d{1,2}$/.test(cents.digits) || !/^(?:cents?|pence)$/.test(words[cents.end] ?? ""))
    return undefined;
  return { term: atom(`${digits}.${cents.digits.padStart(2, "0")}`), end: cents.end + 1 };
}

/** The fraction after a whole number: "and a half", "and three quarters", "1/2". */
export function readRest(words: readonly string[], digits: string, end: number, joinAnd: boolean): Amount | undefined {
  const mixed = (above: string, below: string, length: number): Amount => {
    return { term: { ...binary("+", atom(digits), fraction(above, below)), isBare: true }, end: end + length };
  };
  const [next = "", second = "", third = "", fourth = ""] = words.slice(end, end + 4);
  const written = vulgar.get(next);
  if (written !== undefined) return mixed(...written, 1);
  if (second === "/" && [digits, next, third].every((one) => whole.test(one)) && Number(next) < Number(third))
    return mixed(next, third, 3);
  if (next !== "and" || !joinAnd) return undefined;
  const alone = denominators.get(second);
  // "7 and half a dozen" is two numbers.
  if (alone !== undefined) return third === "a" || third === "of" ? undefined : mixed("1", alone, 2);
  const below = denominators.get(third);
  const above = /^an?$/.test(second) ? "1" : readNumber([second], 0)?.digits;
  return below === undefined || above === undefined || fourth === "of" ? undefined : mixed(above, below, 3);
}
