import { cardinals, startsNumber } from "../english/numbers.ts";
import { isVerb, unsplitPairs } from "../english/word-classes.ts";
import type { Token } from "../language/tokens.ts";
import { findMistyped, isMistypedInside } from "../language/word-forms.ts";
import { readConversion } from "./amounts.ts";
import { vocabulary } from "./rules.ts";
import { SumParser } from "./sum-parser.ts";
import { type SumToken, SumTokenizer, type SumTokens } from "./sum-tokens.ts";
import * as lexicon from "./words.ts";

export interface SumReading {
  readonly expression: string;
  readonly variables: readonly string[];
}

const names = "abcdefghijklmnopqrstuvw";
const maxWords = 10_000;
const notArithmetic =
  /^(?:\d{1,2}\/\d{1,2}\/(?:\d\d){1,2}|\d{4}-\d\d?-\d\d?|(?:\d-)?\d{3}-\d{3}-\d{4}|(?:\d-)?\d{3}-\d{4})$/;

/** Returns undefined unless the sum uses every word. `results`: how many earlier results there are or may be. */
export function readSum(
  tokens: readonly Token[],
  { results = 0 }: { readonly results?: number | readonly number[] } = {},
): SumReading | undefined {
  if (tokens.length < 1 || tokens.length > maxWords || tokens.some(({ kind }) => kind === "quote")) return undefined;
  const said = tokens.map(({ norm }) => norm);
  if (said.some((word, at) => word === "and" && unsplitPairs.has(`${said[at - 1]} and ${said[at + 1]}`)))
    return undefined;
  const counts = new Set([0, ...[results].flat()]);
  if (!said.some(mayBeNumber) && (counts.size === 1 || said.filter((word) => !isKnown(word)).length > 1))
    return undefined;
  const glued = tokens.map((token) => token.glued);
  if (/^(?:24\/7|9\/11)$/.test(said.join("")) && glued[1] === true && glued[2] === true) return undefined;
  const meant = respelt(said);
  return readWords(said, glued, counts) ?? (meant && readWords(meant, glued, counts));
}

function readWords(
  words: readonly string[],
  glued: readonly boolean[],
  counts: ReadonlySet<number>,
): SumReading | undefined {
  const isMixed = words.some(
    (word, at) => word === "and" && lexicon.denominators.has(words[at + (words[at + 1] === "a" ? 2 : 1)] ?? ""),
  );
  const ways = (words.includes("and") && !isMixed ? [true, false] : [true]).flatMap((joinAnd) => {
    const found = new SumTokenizer(words, glued, joinAnd).read();
    return found === undefined || isOnlyAlike(found.tokens) ? [] : [{ ...found, joinAnd }];
  });
  for (const count of counts) {
    const converted = readConversion(words, count > 0 ? "x" : undefined);
    if (converted !== undefined) return { expression: converted, variables: usesLast(converted) ? ["x"] : [] };
    for (const { joinAnd, ...found } of ways) {
      const read = parse(found, joinAnd && asksForSum(words, found.tokens), count);
      if (read !== undefined) return read;
    }
  }
  return undefined;
}

function parse({ tokens, hasUnit }: SumTokens, isSum: boolean, results: number): SumReading | undefined {
  const all = names.slice(0, results).split("");
  const parser = new SumParser(tokens, all, isSum);
  const expression = parser.read()?.text;
  if (expression === undefined) return undefined;
  const isContinued = usesLast(expression);
  const { uses } = parser;
  // "add 5 days": the earlier result may be in any unit.
  if (hasUnit && (isContinued || uses !== undefined)) return undefined;
  if (uses === undefined) return { expression, variables: isContinued ? ["x"] : [] };
  return isContinued || results < 2 || (uses === "both" && results > 2) ? undefined : { expression, variables: all };
}

const dictionary = new Set([...vocabulary, ...lexicon.sumWords, ...cardinals, "convert"]);

function isKnown(word: string): boolean {
  return dictionary.has(word) || /\d/.test(word) || startsNumber(word) || lexicon.currencyOf(word) !== undefined;
}

function mayBeNumber(word: string): boolean {
  const isName = lexicon.denominators.has(word) || /^(?:pi|tau|e|oh|dozen|score|grand|k)$/.test(word);
  return isName || /\p{N}/u.test(word) || startsNumber(word);
}

function respelt(words: readonly string[]): readonly string[] | undefined {
  const [at, ...others] = [...words.keys()].filter((index) => !isKnown(words[index] ?? ""));
  if (at === undefined || others.length > 0) return undefined;
  const typed = words[at] ?? "";
  const alike = findMistyped(typed, dictionary).filter((word) => word.length > 5 && isMistypedInside(typed, word));
  const [meant, ...rivals] = new Set(alike.map((word) => lexicon.meanings.get(word) ?? word));
  return meant === undefined || rivals.length > 0 || isVerb(typed) ? undefined : words.with(at, meant);
}

function usesLast(expression: string): boolean {
  return /(?<![a-z])x(?![a-z])/.test(expression);
}

function isOnlyAlike(tokens: readonly SumToken[]): boolean {
  const signs = tokens.filter(({ word, term }) => term !== undefined || /^[-/]$/.test(word));
  return signs.length < 9 && notArithmetic.test(signs.map(({ word }) => word).join(""));
}

function asksForSum(words: readonly string[], tokens: readonly SumToken[]): boolean {
  if (!words.includes("and") || words.includes("by")) return false;
  const first = tokens.find(({ term }) => term !== undefined)?.start ?? 0;
  const before = words.slice(0, first).filter((word) => word !== "-" && word !== "minus");
  return /(?:^| )(?:(?:what|whats|much|many) (?:is|are|do|does)|makes|whats)$/.test(before.join(" "));
}
