import { startsWithVerb, unsplitPairs } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { isCapital, type RequestText, textBetween } from "./request.ts";

export interface Part {
  readonly start: number;
  readonly end: number;
}

export const quantifiers = wordSet(
  "a an everything anything something nothing all both some any none one ones stuff things thing item items each every others rest more it me us you him her todo todos task tasks reminder",
);

export function isQuote(parts: readonly Part[], { tokens }: RequestText): boolean {
  const [first] = parts;
  return parts.length === 1 && first?.end === (first?.start ?? 0) + 1 && tokens[first?.start ?? 0]?.kind === "quote";
}

export function textOf(parts: readonly Part[], request: RequestText): string | undefined {
  const { words, tokens } = request;
  const [first] = parts;
  if (first !== undefined && isQuote(parts, request)) return tokens[first.start]?.norm;
  const said = parts.flatMap(({ start, end }) => words.slice(start, end));
  if (said.every((word) => quantifiers.has(word) || !/[\p{L}\p{N}\p{S}"]/u.test(word))) return undefined;
  return parts.map(({ start, end }) => textBetween(request, start, end)).join(" ");
}

const separators: ReadonlySet<string> = new Set([",", "and", "&", ";"]);

export function splitAt(request: RequestText, pieces: readonly Part[]): readonly (readonly Part[])[] {
  const items: Part[][] = [[]];
  for (const { start, end } of pieces) {
    let from = start;
    for (let at = start; at <= end; at++) {
      const isSeparator = at < end && isSeparatorAt(request, at);
      if (at < end && !isSeparator) continue;
      if (at > from) items.at(-1)?.push({ start: from, end: at });
      if (isSeparator) items.push([]);
      from = at + 1;
    }
  }
  return items.filter((item) => item.length > 0).map((item, index) => withoutAlso(item, request.words, index === 0));
}

export function isSeparatorAt({ words, tokens }: RequestText, at: number): boolean {
  const word = words[at] ?? "";
  if (!separators.has(word) || tokens[at]?.kind === "quote") return false;
  if (word === "," || word === ";") return true;
  return !unsplitPairs.has(`${words[at - 1]} and ${words[at + 1]}`);
}

/** "Four Weddings and a Funeral" and "Show and tell, Year 3" may be one name or two. */
export function isBetweenNames(request: RequestText, at: number, from: number): boolean {
  const { words, text } = request;
  if (!/^(?:and|&|,)$/.test(words[at] ?? "") || text === text.toUpperCase()) return false;
  const next = /^(?:the|a|an)$/.test(words[at + 1] ?? "") ? at + 2 : at + 1;
  const isName = isCapital(request, at - 1) || (words[at] === "," && isCapital(request, from));
  return at > 1 && isName && isCapital(request, next);
}

export function holdsNames(request: RequestText, { start, end }: Part): boolean {
  return request.words.slice(start, end).some((_, at) => isBetweenNames(request, start + at, start));
}

function withoutAlso(item: readonly Part[], words: readonly string[], isFirst: boolean): readonly Part[] {
  const [first, ...others] = item;
  if (first === undefined || first.end - first.start < 2) return item;
  const word = words[first.start];
  return word === "also" || (word === "both" && isFirst) ? [{ ...first, start: first.start + 1 }, ...others] : item;
}

const maxItemTokens = 6;

/** Returns undefined if the text may be one item or several. */
export function itemsOf(pieces: readonly Part[], request: RequestText): readonly (readonly Part[])[] | undefined {
  const { words } = request;
  const isOne = !pieces.some(({ start, end }) =>
    words.slice(start, end).some((_, at) => isSeparatorAt(request, start + at)),
  );
  const before = words[(pieces[0]?.start ?? 0) - 1] ?? "";
  if (isOne || /^(?:that|saying|about|regarding)$/.test(before)) return [pieces];
  const isPlace = /^(?:in|near|at|from|for)$/.test(before);
  if (!isPlace && pieces.some((piece) => holdsNames(request, piece))) return undefined;
  const items = splitAt(request, pieces);
  const said = items.map((item) => item.flatMap(({ start, end }) => words.slice(start, end)));
  const marks = pieces.flatMap(({ start, end }) => words.slice(start, end)).filter((word) => separators.has(word));
  if (said.some((item) => item.length > maxItemTokens)) return undefined;
  const verbs = said.map(startsWithVerb);
  if (verbs[0] === true && !verbs.slice(1).some(Boolean))
    return marks.includes(",") || said.length > 2 ? undefined : [pieces];
  return mayBeItems(said, marks) && new Set(verbs).size === 1 ? items : undefined;
}

export function mayBeItems(said: readonly (readonly string[])[], marks: readonly string[]): boolean {
  if (said.some(([first]) => first === "not" || first === "no")) return false;
  const longest = Math.max(...said.map(({ length }) => length));
  if (marks.includes("&")) return longest === 1;
  return marks.includes("and") || longest === 1 || (said.length > 2 && longest <= 3);
}
