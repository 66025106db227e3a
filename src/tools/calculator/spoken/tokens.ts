import { currencySigns, currencyWords, unitKinds } from "../../../english/units.ts";
import { findConstant, findFunction } from "../functions.ts";
import { readAmount } from "./amounts.ts";
import { vocabulary } from "./grammar.ts";
import { atom, type Term } from "./terms.ts";
import { corrections, fillers, meanings, phrases, rankOf, shapes, weakWords } from "./words.ts";

/** A number, or a word or sign of the rules; other words are left out. */
export interface Token {
  readonly word: string;
  /** Set for a number. */
  readonly term?: Term;
  /** Where it is in the words. */
  readonly start: number;
  readonly end: number;
}

/** The tokens of a clause. */
export interface Tokens {
  readonly tokens: readonly Token[];
  /** For each word whether it only glues: an article, a currency, a filler, the room that has sides. */
  readonly isGlue: readonly boolean[];
  /** For each word whether it belongs to a correction: "5 no wait" before 6. */
  readonly isCorrected: readonly boolean[];
}

const lengths = new Set(Object.entries(unitKinds.length ?? {}).flatMap(([name, [, ...others]]) => [name, ...others]));

/** How far back a correction reaches, in tokens. */
const maxCorrected = 12;

/** Reads the tokens. With `joinAnd: false` an "and" ends a number, for "the sum of three hundred and four". */
export function tokensOf(words: readonly string[], joinAnd: boolean): Tokens {
  const tokens: Token[] = [];
  const hasShape = words.some((word, at) => shapes.has(word) || isSquareUnit(words, at));
  const glue = [fillers, currencySigns, currencyWords, ...(hasShape ? [shapes, lengths] : [])];
  const isGlue = words.map(
    (word, at) => glue.some((known) => known.has(word)) || (word === "of" && shapes.has(words[at - 1] ?? "")),
  );
  const isCorrected = words.map(() => false);
  const repairs: { readonly at: number; readonly start: number; readonly end: number }[] = [];
  for (let at = 0; at < words.length; ) {
    const said = tokens.length === 0 ? undefined : corrections.find((phrase) => isNext(words, at, phrase));
    if (said !== undefined) {
      repairs.push({ at: tokens.length, start: at, end: at + said.length });
      at += said.length;
      continue;
    }
    const found = rankAt(words, at) ?? amountAt(words, at, joinAnd) ?? wordAt(words, at, tokens, hasShape);
    tokens.push(...found.tokens);
    at = found.end;
  }
  const dropped = new Set<Token>();
  for (const { at, start, end } of repairs) {
    const corrected = correctedBefore(tokens, at);
    for (const token of corrected) dropped.add(token);
    if (corrected.length > 0) isCorrected.fill(true, start, end);
    for (const token of corrected) isCorrected.fill(true, token.start, token.end);
  }
  return { tokens: tokens.filter((token) => !dropped.has(token)), isGlue, isCorrected };
}

/** What was said before a correction and is said again after it: from the same number on, or as many words of one kind. */
function correctedBefore(tokens: readonly Token[], at: number): readonly Token[] {
  const isSaid = ({ word }: Token) => word !== ",";
  const [first, second] = tokens.slice(at, at + 5).filter(isSaid);
  const before = tokens.slice(Math.max(0, at - maxCorrected), at);
  const same = before.findIndex((token) => isNumber(token) && token.word === first?.word);
  if (same >= 0 && second !== undefined) return before.slice(same);
  const [last, other] = before.filter(isSaid).reverse();
  if (first === undefined || last === undefined) return [];
  if (other !== undefined && second?.word === last.word && isNumber(other) === isNumber(first)) return [other, last];
  return isNumber(last) === isNumber(first) ? [last] : [];
}

function isNumber(token: Token | undefined): boolean {
  return token?.term !== undefined;
}

interface Found {
  readonly tokens: readonly Token[];
  readonly end: number;
}

function isNext(words: readonly string[], at: number, phrase: readonly string[]): boolean {
  return phrase.every((word, index) => words[at + index] === word);
}

function isSquareUnit(words: readonly string[], at: number): boolean {
  return words[at] === "square" && lengths.has(words[at + 1] ?? "");
}

function wordAt(words: readonly string[], at: number, before: readonly Token[], hasShape: boolean): Found {
  const phrase = phrases.find(([phrase]) => isNext(words, at, phrase));
  if (phrase !== undefined) return one(phrase[1], at, at + phrase[0].length);
  if (isSquareUnit(words, at)) return { tokens: [], end: at + 2 };
  // "The square footage of a 10 by 12 room"
  if (hasShape && words[at] === "square" && /^\p{L}/u.test(words[at + 1] ?? "")) return { tokens: [], end: at + 1 };
  const word = words[at] ?? "";
  const meaning = specialMeaning(words, at, before, hasShape);
  if (meaning !== undefined) return one(meaning, at, at + 1);
  if (/^x\d[x\d]*$/.test(word) && isNumber(before.at(-1)) && before.at(-1)?.word !== "0") return factorsOf(word, at);
  if (findConstant(word) !== undefined && (word !== "e" || isInFormula(words, at)))
    return { tokens: [token(word, at, at + 1, atom(word))], end: at + 1 };
  return isKnown(words, at, before) ? one(meanings.get(word) ?? word, at, at + 1) : { tokens: [], end: at + 1 };
}

/** What a word means between these others. */
function specialMeaning(
  words: readonly string[],
  at: number,
  before: readonly Token[],
  hasShape: boolean,
): string | undefined {
  const word = words[at] ?? "";
  if (word === "%") return /^[\d(]/.test(words[at + 1] ?? "") ? "mod" : "percent";
  if (["of", "at", "@"].includes(word) && isCounted(words, at)) return "times";
  if (word === "x" || word === "by") return hasShape && isSide(before, words, at) ? "sides" : word;
  return words[at + 1] === "(" && findFunction(word) !== undefined ? word : undefined;
}

/** Whether the rules have the word. "twenty one times … times four" is said once. */
function isKnown(words: readonly string[], at: number, before: readonly Token[]): boolean {
  const word = words[at] ?? "";
  const meaning = meanings.get(word) ?? word;
  if (fillers.has(word) || (before.at(-1)?.word === meaning && /^[a-z]/.test(meaning))) return false;
  return vocabulary.has(meaning) || weakWords.has(meaning) || rankOf(word) !== undefined || /^[()]$/.test(meaning);
}

/** The rest of "3x3x3". */
function factorsOf(word: string, at: number): Found {
  const digits = word
    .slice(1)
    .split("x")
    .filter((text) => text !== "");
  return {
    tokens: digits.flatMap((text) => [token("times", at, at), token(text, at, at + 1, atom(text))]),
    end: at + 1,
  };
}

function token(word: string, start: number, end: number, term?: Term): Token {
  return term === undefined ? { word, start, end } : { word, start, end, term };
}

function one(word: string, start: number, end: number): Found {
  return { tokens: [token(word, start, end)], end };
}

/** Whether "by" is between the sides of a rectangle; they have no sign. */
function isSide(before: readonly Token[], words: readonly string[], at: number): boolean {
  const isSigned = ["-", "minus", "negative"].includes(before.at(-2)?.word ?? "");
  return before.at(-1)?.term !== undefined && !isSigned && words[at + 1] !== "-";
}

/** "12 packs of 6", "3 tickets at 14.50" */
function isCounted(words: readonly string[], at: number): boolean {
  const count = at < 2 ? undefined : readAmount(words.slice(at - 2, at), 0, false);
  const isWhole = count !== undefined && count.end === 1 && /^\d+$/.test(count.term.text);
  return isWhole && /^[a-z]+s$/.test(words[at - 1] ?? "") && readAmount(words, at + 1, true) !== undefined;
}

function isInFormula(words: readonly string[], at: number): boolean {
  return /^[-+*/^)]$/.test(words[at + 1] ?? "") || /^[-+*/^(]$/.test(words[at - 1] ?? "");
}

function amountAt(words: readonly string[], at: number, joinAnd: boolean): Found | undefined {
  const found = readAmount(words, at, joinAnd);
  if (found === undefined) return undefined;
  const number = token(words.slice(at, found.end).join(" "), at, found.end, found.term);
  return { tokens: found.isCounted ? [token("times", at, at), number] : [number], end: found.end };
}

/** "to the twenty fifth": one ordinal of two words. */
function rankAt(words: readonly string[], at: number): Found | undefined {
  const ten = readAmount(words.slice(at, at + 1), 0, false)?.term.text ?? "";
  const unit = rankOf(words[at + 1] ?? "") ?? "";
  const isRank = /^[2-9]0$/.test(ten) && /^[1-9]$/.test(unit) && /^(?:the|its)$/.test(words[at - 1] ?? "");
  return isRank ? one(`${Number(ten) + Number(unit)}th`, at, at + 2) : undefined;
}
