import {
  courtesiesAfter,
  courtesiesAlone,
  courtesiesBefore,
  optionalWords,
  smallTalk,
} from "../../english/courtesies.ts";

type SequenceIndex = ReadonlyMap<string, readonly (readonly string[])[]>;

function indexSequences(text: string, keyOf: (words: readonly string[]) => string | undefined): SequenceIndex {
  const index = new Map<string, (readonly string[])[]>();
  for (const entry of text.trim().split(/[|\n]/)) {
    const words = entry.trim().split(" ");
    const key = keyOf(words) ?? "";
    index.set(key, [...(index.get(key) ?? []), words]);
  }
  return index;
}

const openings = indexSequences(courtesiesBefore, (words) => words[0]);
const closings = indexSequences(courtesiesAfter, (words) => words.at(-1));
const wholes = indexSequences(courtesiesAlone, (words) => words[0]);
const maxTokens = 24;

/** Signs that mean nothing between words. */
export function isFiller(norm: string): boolean {
  return norm === "," || norm === ":" || norm === "–" || norm === "—" || norm === "…";
}

/** Words that are optional before a word of a phrase. */
export function isArticle(word: string): boolean {
  return optionalWords.has(word);
}

/** Where the content of a clause from `start` to `end` may start: at its start, or after any courtesies. */
export function contentStarts(words: readonly string[], start: number, end: number): readonly number[] {
  return spread(start, (at) => {
    if (at >= end || at - start > maxTokens) return [];
    if (isFiller(words[at] ?? "")) return [at + 1];
    return (openings.get(words[at] ?? "") ?? []).flatMap((sequence) =>
      at + sequence.length < end && sequence.every((word, index) => words[at + index] === word)
        ? [at + sequence.length]
        : [],
    );
  });
}

/** Where the content of a clause from `start` to `end` may end: at its end, or before any courtesies. */
export function contentEnds(words: readonly string[], start: number, end: number): readonly number[] {
  return spread(end, (at) => {
    if (at <= start || end - at > maxTokens) return [];
    if (isFiller(words[at - 1] ?? "") || words[at - 1] === "." || words[at - 1] === "?") return [at - 1];
    return (closings.get(words[at - 1] ?? "") ?? []).flatMap((sequence) => {
      const first = at - sequence.length;
      return first > start && sequence.every((word, index) => words[first + index] === word) ? [first] : [];
    });
  });
}

/** Whether a clause is nothing but courtesies. */
export function isCourtesy(words: readonly string[], start: number, end: number): boolean {
  if (end - start > maxTokens) return false;
  const ends = spread(start, (at) =>
    (wholes.get(words[at] ?? "") ?? []).flatMap((sequence) =>
      at + sequence.length <= end && sequence.every((word, index) => words[at + index] === word)
        ? [at + sequence.length]
        : [],
    ),
  );
  return ends.includes(end);
}

const talk = indexSequences(smallTalk, (words) => words[0]);

/** Whether a clause asks for nothing that a tool could do: "hi there, what can you do?". */
export function isSmallTalk(words: readonly string[], start: number, end: number): boolean {
  const ends = contentEnds(words, start, end);
  return contentStarts(words, start, end).some((from) =>
    (talk.get(words[from] ?? "") ?? []).some(
      (sequence) =>
        ends.includes(from + sequence.length) && sequence.every((word, index) => words[from + index] === word),
    ),
  );
}

function spread(first: number, nextOf: (at: number) => readonly number[]): readonly number[] {
  const found = new Set([first]);
  for (const at of found) for (const next of nextOf(at)) found.add(next);
  return [...found];
}
