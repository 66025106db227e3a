import type { Token } from "../language/tokens.ts";
import { readConversion } from "./conversions.ts";
import { SumParser } from "./sum-parser.ts";
import { type SumToken, type SumTokens, sumTokens } from "./sum-tokens.ts";

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
  /** How many earlier results "it" or "both answers" may refer to. @default 0 */
  readonly results?: number;
}

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
  const glued = own.map(({ glued }) => glued);
  for (const earlier of results > 0 ? [0, results] : [0]) {
    const found = readWords(words, glued, earlier);
    if (found !== undefined) return { ...found, start: start + found.start, end: start + found.end };
  }
  return undefined;
}

function readWords(words: readonly string[], glued: readonly boolean[], results: number): SumReading | undefined {
  const conversion = readConversion(words, results > 0 ? "x" : undefined);
  if (conversion !== undefined) return withLast({ ...conversion, start: 0, end: words.length, statements: 1 });
  const read = (joinAnd: boolean) => parse(words, sumTokens(words, glued, joinAnd), { results, joinAnd });
  return read(true) ?? (words.includes("and") ? read(false) : undefined);
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
