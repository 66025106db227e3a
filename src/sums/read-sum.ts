import { startsNumber } from "../english/numbers.ts";
import type { Token } from "../language/tokens.ts";
import { vocabulary } from "./rules.ts";
import { SumParser } from "./sum-parser.ts";
import {
  type Amount,
  functions,
  readAmount,
  readRest,
  type SumToken,
  SumTokenizer,
  type SumTokens,
} from "./sum-tokens.ts";
import { atom, binary, type Term } from "./terms.ts";
import * as lexicon from "./words.ts";

/** A sum in the notation of the calculator. */
export interface SumReading {
  /** The tokens of the sum itself. The words before and after it only ask for it. */
  readonly start: number;
  readonly end: number;
  /** Such as `(3 + 4) * x`. */
  readonly expression: string;
  /** The names in the expression that stand for earlier results: `x` for the last one, or one for each, the oldest first. */
  readonly variables: readonly string[];
  /** The number of operations: "add 3 and 4" is one, "add 3 and 4, then halve it" are two. */
  readonly statements: number;
}

/** Options of {@link readSum}. */
export interface SumOptions {
  /** The first token. @default 0 */
  readonly start?: number;
  /** The token after the last. @default all */
  readonly end?: number;
  /** Number of earlier results that "it" or "both answers" may refer to. @default 0 */
  readonly results?: number;
}

const counted = lexicon.units.get("piece");
const links = new Set(
  "to into in as is are equals equal make makes = how what many much there do does have".split(" "),
);
const degrees = new Set("degree degrees of ° a an the".split(" "));
const small = new Set([
  ...[...links, ...degrees, ...lexicon.around],
  ..."convert change turn express and on for with if at then both all each left total , !".split(" "),
]);

const known = new Set([
  ...[
    ...vocabulary,
    ...lexicon.meanings.keys(),
    ...lexicon.phrases.flatMap(([phrase]) => phrase),
    ...lexicon.weakWords,
    ...lexicon.around,
    ...lexicon.leads,
  ],
  ...[
    ...lexicon.units.keys(),
    ...lexicon.denominators.keys(),
    ...lexicon.shapes,
    ...functions,
    ...small,
    ..."½ ¼ ¾ ⅓ ⅔ ⅛ pi tau e point k grand score ( )".split(" "),
  ],
]);
const names = "abcdefghijklmnopqrstuvw";
const maxWords = 10_000;
const asks = new Set(["what", "whats", "much", "many"]);
const sums = new Set(["is", "are", "do", "does"]);
const together = new Set(["together", "altogether", "combined", "make", "makes"]);
/** Dates and telephone numbers. */
const notArithmetic =
  /^(?:\d{1,2}\/\d{1,2}\/(?:\d\d){1,2}|\d{4}-\d\d?-\d\d?|(?:\d-)?\d{3}-\d{3}-\d{4}|(?:\d-)?\d{3}-\d{4})$/;

/**
 * Reads some words as a sum: in signs, in words, or both, with the words that ask for it. It is a sum only if every word
 * has its part; else it is undefined. What continues an earlier result, such as "double it" or "add both answers", is
 * read where there is one. Linear in the number of words; a sentence about something else ends at its first word that no
 * sum has.
 */
export function readSum(
  tokens: readonly Token[],
  { start = 0, end = tokens.length, results = 0 }: SumOptions = {},
): SumReading | undefined {
  const own = tokens.slice(start, end);
  if (own.length < 1 || own.length > maxWords || own.some(({ kind }) => kind === "quote")) return undefined;
  const words = own.map(({ norm }) => norm);
  if (!words.every((word, at) => mayBeExplained(word, words[at + 1]))) return undefined;
  const glued = own.map(({ glued }) => glued);
  for (const earlier of results > 0 ? [0, results] : [0]) {
    const found = readWords(words, glued, earlier);
    if (found !== undefined) return { ...found, start: start + found.start, end: start + found.end };
  }
  return undefined;
}

/** A cheap test of one word: those of a sentence about something else end at their first noun. */
function mayBeExplained(word: string, next: string | undefined): boolean {
  if (known.has(word) || /\d/.test(word) || startsNumber(word)) return true;
  // "12 packs of 6"
  return (
    /^(?:of|at|@)$/.test(next ?? "") || lexicon.rankOf(word) !== undefined || lexicon.currencyOf(word) !== undefined
  );
}

function readWords(words: readonly string[], glued: readonly boolean[], results: number): SumReading | undefined {
  const conversion = readConversion(words, results > 0 ? "x" : undefined);
  if (conversion !== undefined) return withLast({ ...conversion, start: 0, end: words.length, statements: 1 });
  const read = (joinAnd: boolean) => parse(words, new SumTokenizer(words, glued, joinAnd).read(), { results, joinAnd });
  // "add 2 and a half" names one number.
  const isMixed = words.some(
    (word, at) => word === "and" && lexicon.denominators.has(words[at + (words[at + 1] === "a" ? 2 : 1)] ?? ""),
  );
  return read(true) ?? (words.includes("and") && !isMixed ? read(false) : undefined);
}

function parse(
  words: readonly string[],
  found: SumTokens | undefined,
  { results, joinAnd }: { readonly results: number; readonly joinAnd: boolean },
): SumReading | undefined {
  if (found === undefined || isOnlyAlike(found.tokens)) return undefined;
  const { tokens, hasUnit } = found;
  const all = names.slice(0, results).split("");
  const parser = new SumParser(tokens, { names: all, isSum: joinAnd && isSum(words, tokens) });
  const term = parser.read();
  if (term === undefined) return undefined;
  const [first, last] = [tokens[parser.from], tokens[parser.to - 1]];
  const { statements, uses } = parser;
  const span = { start: first?.start ?? 0, end: last?.end ?? words.length };
  const reading = withLast({ expression: term.text, ...span, statements });
  const usesLast = reading.variables.length > 0;
  // "add 5 days": nobody knows in what unit the earlier result is.
  if (hasUnit && (usesLast || uses !== undefined)) return undefined;
  if (uses === undefined) return reading;
  return usesLast || results < 2 || (uses === "both" && results > 2) ? undefined : { ...reading, variables: all };
}

function withLast<T extends { readonly expression: string }>(
  reading: T,
): T & { readonly variables: readonly string[] } {
  return { ...reading, variables: /(?<![a-z])x(?![a-z])/.test(reading.expression) ? ["x"] : [] };
}

/** True for the signs of a date or of a telephone number. */
function isOnlyAlike(tokens: readonly SumToken[]): boolean {
  const signs = tokens.filter(({ word, term }) => term !== undefined || /^[-/]$/.test(word));
  return signs.length < 9 && notArithmetic.test(signs.map(({ word }) => word).join(""));
}

/** True if the words ask for the sum of numbers with "and" between them: "what is 8 and 9", "5 and 6 together". */
function isSum(words: readonly string[], tokens: readonly SumToken[]): boolean {
  if (!words.includes("and") || words.includes("by")) return false;
  const first = tokens.find(({ term }) => term !== undefined)?.start ?? 0;
  const before = words.slice(0, first).filter((word) => word !== "-" && word !== "minus");
  const [asking = "", verb = ""] = before.slice(-2);
  if ((asks.has(asking) && sums.has(verb)) || verb === "makes" || verb === "whats") return true;
  return words.some(
    (word, at) =>
      together.has(word) || (at > first && sums.has(words[at - 1] ?? "") && (asks.has(word) || word === "how")),
  );
}

/** A unit in the words; a source has an amount, the target has none. */
interface Mention {
  readonly unit: lexicon.Unit;
  readonly amount?: Term;
  readonly start: number;
  readonly end: number;
}

/** Reads a question for another unit: "how many inches are in 5 feet", "3 km in m", "1 hour and 5 minutes to seconds". */
function readConversion(
  words: readonly string[],
  previous: string | undefined,
): { readonly expression: string } | undefined {
  if (!words.some((word) => lexicon.units.has(word))) return undefined;
  const mentions = mentionsIn(words, previous);
  if (mentions === undefined) return undefined;
  let sources = mentions.filter(({ amount }) => amount !== undefined);
  let targets = mentions.filter(({ amount }) => amount === undefined);
  const isAsked = (mention: Mention | undefined) => mention !== undefined && words[mention.start - 1] === "many";
  // "how many inches in a foot", "how many in 3 dozen"
  if (targets.length === 2 && sources.length === 0 && isAsked(targets[0]))
    [targets, sources] = [targets.slice(0, 1), targets.slice(1)];
  else if (targets.length === 0 && counted !== undefined && words.includes("many") && sources[0]?.unit === counted)
    targets = [{ unit: counted, start: 0, end: 0 }];
  const [target, ...others] = targets;
  const [source] = sources;
  if (target === undefined || source === undefined || others.length > 0) return undefined;
  const isSame = sources.length === 1 && source.unit === target.unit && source.unit !== counted;
  const isOneKind = !isSame && sources.every(({ unit }) => unit.kind === target.unit.kind);
  const isFalling = sources.every(
    ({ unit }, index) => index === 0 || Number(unit.size) < Number(sources[index - 1]?.unit.size),
  );
  const inside = words.slice(Math.min(source.end, target.end), Math.max(source.start, target.start));
  if (!isOneKind || !isFalling || !(isAsked(target) || inside.some((word) => links.has(word)))) return undefined;
  const term = converted(sources, target.unit);
  return term && { expression: term.text };
}

function converted(sources: readonly Mention[], target: lexicon.Unit): Term | undefined {
  const [first] = sources;
  if (target.kind === "temperature") {
    if (first?.amount === undefined || first.unit.name === target.name || sources.length > 1) return undefined;
    const [nine, five, freezing] = [atom("9"), atom("5"), atom("32")];
    return target.name === "celsius"
      ? binary("/", binary("*", binary("-", first.amount, freezing), five), nine)
      : binary("+", binary("/", binary("*", first.amount, nine), five), freezing);
  }
  const small = sources
    .map(({ amount = atom("1"), unit }) => (unit.size === "1" ? amount : binary("*", amount, atom(unit.size))))
    .reduce((left, right) => binary("+", left, right));
  return target.size === "1" ? small : binary("/", small, atom(target.size));
}

/** All units with their amounts; undefined if there is another number, an operator, or a word that is not explained. */
function mentionsIn(words: readonly string[], previous: string | undefined): readonly Mention[] | undefined {
  const mentions: Mention[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? "";
    const found = lexicon.units.has(word) ? undefined : amountAt(words, at, previous);
    const mention = mentionAt(words, at, found);
    if (mention !== undefined) mentions.push(mention);
    else if (found !== undefined || !small.has(word)) return undefined;
    at = mention?.end ?? at + 1;
  }
  return mentions;
}

function mentionAt(words: readonly string[], start: number, found: Amount | undefined): Mention | undefined {
  let at = found?.end ?? start;
  while (found !== undefined && degrees.has(words[at] ?? "")) at++;
  const unit = lexicon.units.get(words[at] ?? "");
  if (unit !== undefined && found !== undefined) {
    // "the twenty second" is a day.
    if (words[at] === "second" && found.term.text !== "1") return undefined;
    // "two hours and a half"
    const rest = /^\d+$/.test(found.term.text) ? readRest(words, found.term.text, at + 1, true) : undefined;
    return { unit, amount: rest?.term ?? found.term, start, end: rest?.end ?? at + 1 };
  }
  if (unit !== undefined) return { unit, start, end: at + 1 };
  // "how many in 3 dozen"
  const isDozen = found !== undefined && counted !== undefined && /^dozens?$/.test(words[found.end - 1] ?? "");
  return isDozen ? { unit: counted, amount: found.term, start, end: found.end } : undefined;
}

function amountAt(words: readonly string[], at: number, previous: string | undefined): Amount | undefined {
  const word = words[at] ?? "";
  const isBeforeUnit = lexicon.units.has(words[at + 1] ?? "");
  if (previous !== undefined && /^(?:it|that|this)$/.test(word) && isBeforeUnit)
    return { term: atom(previous), end: at + 1 };
  const isNegative = ["-", "minus", "negative"].includes(word);
  const found = readAmount(words, isNegative ? at + 1 : at, true);
  if (found === undefined && (word === "a" || word === "an") && isBeforeUnit) return { term: atom("1"), end: at + 1 };
  return found && isNegative ? { term: atom(`(-${found.term.text})`), end: found.end } : found;
}
