import { cardinals, readNumber } from "../../../english/numbers.ts";
import { atom, binary, fraction, partOf, type Term } from "./terms.ts";
import { denominators } from "./words.ts";

/** A number in digits or words. */
export interface Amount {
  readonly term: Term;
  /** The index after the last word. */
  readonly end: number;
  /** Whether it is counted by the number before it: the twelves in "nine twelves". */
  readonly isCounted?: boolean;
}

const scales = new Map(
  Object.entries({
    dozen: 12,
    score: 20,
    grand: 1e3,
    hundred: 1e2,
    k: 1e3,
    thousand: 1e3,
    million: 1e6,
    billion: 1e9,
    trillion: 1e12,
  }),
);
const beforePronoun = new Set("would does should could can do might must may when if".split(" "));
const beforePlace = new Set("quick easy simple first second this that other last which no previous another".split(" "));
const plurals = new Map(
  [...cardinals.slice(2), "twenty", "thirty", "forty", "fifty", "hundred", "thousand", "million", "dozen"].flatMap(
    (name) =>
      [`${name}s`, `${name}es`, name.replace(/y$/, "ies"), name.replace(/ve$/, "ves")]
        .filter((plural) => plural !== name)
        .map((plural) => [plural, name] as const),
  ),
);
const vulgar = new Map<string, readonly [string, string]>([
  ["½", ["1", "2"]],
  ["¼", ["1", "4"]],
  ["¾", ["3", "4"]],
  ["⅓", ["1", "3"]],
  ["⅔", ["2", "3"]],
  ["⅛", ["1", "8"]],
]);
const whole = /^\d{1,9}$/;

/** Reads the longest number at a word: "two and a half", "3 million", "three quarters", "half a dozen", "2 1/2". */
export function readAmount(words: readonly string[], at: number, joinAnd: boolean): Amount | undefined {
  const word = words[at] ?? "";
  if (word === "one" && isPronoun(words, at)) return undefined;
  const many = plurals.get(word);
  if (many !== undefined) {
    const isCounted = at > 0 && readNumber(words, at - 1) !== undefined;
    return { term: atom(readNumber([many], 0)?.digits ?? "1"), end: at + 1, isCounted };
  }
  const written = vulgar.get(word);
  if (written !== undefined) return { term: fraction(...written), end: at + 1 };
  if (/^\.\d+$/.test(word)) return { term: atom(`0${word}`), end: at + 1 };
  const part = readPart(words, at);
  if (part !== undefined) return part;
  // "oh point six"
  if (word === "oh" && words[at + 1] === "point") {
    const zero = readNumber(["zero", ...words.slice(at + 1, at + 50)], 0);
    return zero && { term: atom(zero.digits), end: at + zero.end };
  }
  const number = readNumber(words, at, { joinAnd });
  if (number === undefined) return undefined;
  const { digits, end } = number;
  const next = words[end] ?? "";
  if (/^e\d{1,3}$/.test(next)) return { term: atom(digits + next), end: end + 1 };
  const below = denominators.get(next);
  const isRank = ["root", "power"].includes(words[end + 1] ?? "");
  if (below !== undefined && whole.test(digits) && !isRank) return { term: fraction(digits, below), end: end + 1 };
  return scaled(words, readRest(words, digits, end, joinAnd) ?? { term: atom(digits), end });
}

/** "half", "a third", "half a million". */
function readPart(words: readonly string[], at: number): Amount | undefined {
  const word = words[at] ?? "";
  const hasArticle = word === "a" || word === "an";
  const name = hasArticle ? (words[at + 1] ?? "") : word;
  const below = denominators.get(name);
  const isAlone = ["half", "quarter", "quarters"].includes(name) || words[at + 1] === "of";
  if (below === undefined || !(hasArticle || isAlone)) return undefined;
  const part = fraction("1", below);
  const end = at + (hasArticle ? 2 : 1);
  const start = words[end] === "a" ? end + 1 : end;
  const scale = scales.get(words[start] ?? "");
  // "half a percent"
  if (scale === undefined) return { term: part, end: words[start] === "percent" ? start : end };
  return { term: { ...(partOf(part, atom(String(scale))) ?? part), isBare: true }, end: start + 1 };
}

/** The fraction after a whole number: "and a half", "and three quarters", "1/2". */
function readRest(words: readonly string[], digits: string, end: number, joinAnd: boolean): Amount | undefined {
  const [next = "", second = "", third = "", fourth = ""] = words.slice(end, end + 4);
  const written = vulgar.get(next);
  if (written !== undefined) return mixed(digits, ...written, end + 1);
  if (second === "/" && whole.test(digits) && whole.test(next) && whole.test(third) && Number(next) < Number(third))
    return mixed(digits, next, third, end + 3);
  if (next !== "and" || !joinAnd) return undefined;
  const alone = denominators.get(second);
  // "7 and half a dozen" is two numbers.
  if (alone !== undefined) return third === "a" || third === "of" ? undefined : mixed(digits, "1", alone, end + 2);
  const below = denominators.get(third);
  const above = second === "a" || second === "an" ? "1" : readNumber([second], 0)?.digits;
  if (below === undefined || above === undefined || fourth === "of") return undefined;
  return mixed(digits, above, below, end + 3);
}

function mixed(digits: string, above: string, below: string, end: number): Amount {
  return { term: { ...binary("+", atom(digits), fraction(above, below)), isBare: true }, end };
}

/** "two and a half million", "5 k". */
function scaled(words: readonly string[], amount: Amount): Amount {
  const scale = scales.get(words[amount.end] ?? "");
  if (scale === undefined) return amount;
  return { term: { ...binary("*", amount.term, atom(String(scale))), isBare: true }, end: amount.end + 1 };
}

/** "how would one add", "the first one": no number. */
function isPronoun(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? "";
  const isCounted =
    /^(?:plus|minus|times|and|over|percent|divided|multiplied|point|hundred|thousand|million|[-+*/%x])$/.test(
      words[at + 1] ?? "",
    );
  return beforePlace.has(before) || (beforePronoun.has(before) && !isCounted);
}
