import { abbreviations } from "./sentences.ts";

/** What connects two wishes; one that is hard cannot be part of a text. */
export const connectors: readonly { readonly words: readonly string[]; readonly isHard: boolean }[] = [
  { words: ["and"], isHard: false },
  { words: ["&"], isHard: false },
  { words: ["but"], isHard: false },
  { words: ["then"], isHard: true },
  { words: ["after", "that"], isHard: true },
  { words: ["after", "which"], isHard: true },
  { words: ["afterwards"], isHard: true },
  { words: ["afterward"], isHard: true },
  { words: ["followed", "by"], isHard: true },
  { words: ["once", "that", "is", "done"], isHard: true },
  { words: ["once", "done"], isHard: true },
  { words: ["when", "that", "is", "done"], isHard: true },
];

/** What links two wishes, too, but is as often part of one. */
export const linkWords: readonly (readonly string[])[] = [
  ["as", "well", "as"],
  ["plus"],
  ["also"],
  ["next"],
  ["finally"],
];

/** Words that start a new wish: the text before "and what is …" never includes it. */
export const wishOpeners: ReadonlySet<string> = new Set("what who where why how which please".split(" "));

/** Pairs of words that start a new wish. */
export const wishOpeningPairs: ReadonlySet<string> = new Set([
  "can you",
  "could you",
  "would you",
  "will you",
  "tell me",
  "show me",
  "give me",
  "let me",
  "is it",
  "is there",
  "are there",
  "do i",
  "i want",
  "i would",
]);

/** What a point may follow without ending a sentence. */
export const clauseAbbreviations: ReadonlySet<string> = new Set([
  ...abbreviations,
  ..."prof nr jr sr inc ltd co ave".split(" "),
]);
