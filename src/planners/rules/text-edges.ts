import type { RequestText } from "./request.ts";

/** Tells what a text of a request may begin with, hold and end with. */
export interface TextEdges {
  mayBegin(position: number): boolean;
  mayHold(position: number): boolean;
  /** True if a text may end before this token. */
  mayEnd(position: number): boolean;
  /** True if a date begins at this token. */
  hasDate(position: number): boolean;
}

/** Words that say that something is not so. */
export const denials: ReadonlySet<string> = new Set([
  "not",
  "never",
  "no",
  "nothing",
  "none",
  "nobody",
  "without",
  "nor",
]);
/** The signs that close what these open. */
export const closers: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
]);
const loose: ReadonlySet<string> = new Set(
  ", ; : and or but & - – — … to of the a an my our from with by for at than as is are be into onto".split(" "),
);
const starters: ReadonlySet<string> = new Set(", ; : and or but & – — … . of than as is are was were".split(" "));

/** Reads where the texts of a request may begin and end. */
export function readTextEdges({ tokens, words, dates, falseDates }: RequestText): TextEdges {
  const firm = new Uint8Array(words.length);
  const named = new Uint8Array(words.length);
  const starts = new Set<number>();
  for (const { end: last, leadStart, isFirm } of dates) {
    // "team sync (friday)"
    const closer = closers.get(words[leadStart - 1] ?? "");
    const isEnclosed = closer !== undefined && closer === words[last];
    const [start, end] = isEnclosed ? [leadStart - 1, last + 1] : [leadStart, last];
    if (isFirm) starts.add(start);
    (isFirm ? firm : named).fill(1, start, end);
  }
  // What looks like a date and cannot be read belongs to no text.
  for (const at of falseDates) firm[at] = 1;
  const isDenial = (at: number) => {
    if (tokens[at]?.kind !== "word") return false;
    return denials.has(words[at] ?? "") || (words[at] === "do" && words[at + 1] === "not");
  };
  return {
    mayBegin: (at) => {
      const word = words[at];
      return word !== undefined && firm[at] === 0 && named[at] === 0 && !starters.has(word) && !isDenial(at);
    },
    mayHold: (at) => at < words.length && firm[at] === 0,
    mayEnd: (at) => {
      const last = tokens[at - 1];
      if (last?.kind === "quote") return true;
      return last !== undefined && firm[at - 1] === 0 && !loose.has(last.norm) && !denials.has(last.norm);
    },
    hasDate: (at) => starts.has(at),
  };
}
