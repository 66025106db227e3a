import {
  courtesiesAfter,
  courtesiesAfterText,
  courtesiesAlone,
  courtesiesBefore,
  optionalWords,
  smallTalk,
} from "../../english/clauses.ts";
import { once, parsePhrase } from "../../language/phrases.ts";
import { compilePhrase, type PhrasePlace } from "./compiled-phrase.ts";

const maxTokens = 24;

const lazily = (read: () => readonly string[]): (() => PhrasePlace) =>
  once(() => compilePhrase({ type: "choice", items: read().map((phrase) => parsePhrase(phrase)) }));

const openings = lazily(() => courtesiesBefore);
const closings = lazily(() => courtesiesAfter);
const textClosings = lazily(() => courtesiesAfterText);
const wholes = lazily(() => courtesiesAlone);
const talk = lazily(() => smallTalk);

function endsAt(phrases: () => PhrasePlace, words: readonly string[], start: number): readonly number[] {
  const ends: number[] = [];
  let places = [phrases()];
  for (let at = start; places.length > 0; at++) {
    if (places.some(({ steps }) => steps.isEnd)) ends.push(at);
    const word = words[at] ?? "";
    places = [...new Set(places.flatMap(({ steps }) => steps.words.get(word) ?? []))];
  }
  return ends;
}

export function isFiller(norm: string): boolean {
  return norm.length === 1 && ",•:–—…".includes(norm);
}

export function isArticle(word: string): boolean {
  return optionalWords.has(word);
}

export function contentStarts(words: readonly string[], start: number, end: number): readonly number[] {
  return spread(start, (at) => {
    if (at >= end || at - start > maxTokens) return [];
    if (isFiller(words[at] ?? "")) return [at + 1];
    return endsAt(openings, words, at).filter((place) => place < end);
  });
}

export function contentEnds(words: readonly string[], start: number, end: number, isText = false): readonly number[] {
  const phrases = isText ? textClosings : closings;
  const found = new Set([end]);
  const first = Math.max(start + 1, end - maxTokens);
  for (let at = end - 1; at >= first; at--) {
    const isMark = /^[,:.?!…–—]$/.test(words[at] ?? "");
    if (isMark ? found.has(at + 1) : endsAt(phrases, words, at).some((place) => found.has(place))) found.add(at);
  }
  return [...found];
}

export function isCourtesy(words: readonly string[], start: number, end: number): boolean {
  // "Second" is a courtesy in "Second, add eggs", but not in "delete the first and second".
  const isPlace = end - start === 1 && /^(?:first|second|third|fourth|fifth)$/.test(words[start] ?? "");
  if (end - start > maxTokens || (isPlace && /^(?:and|,|&)$/.test(words[start - 1] ?? ""))) return false;
  return spread(start, (at) =>
    at >= end ? [] : isFiller(words[at] ?? "") ? [at + 1] : endsAt(wholes, words, at).filter((place) => place <= end),
  ).includes(end);
}

export function isSmallTalk(words: readonly string[], start: number, end: number): boolean {
  const ends = contentEnds(words, start, end);
  return contentStarts(words, start, end).some((from) => endsAt(talk, words, from).some((at) => ends.includes(at)));
}

function spread(first: number, nextOf: (at: number) => readonly number[]): readonly number[] {
  const found = new Set([first]);
  for (const at of found) for (const next of nextOf(at)) found.add(next);
  return [...found];
}
