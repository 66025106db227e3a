import type { ReadDates } from "../src/dates/read-dates.ts";
import { findDates } from "../src/planners/rules/request-dates.ts";
import { dateWord } from "../src/tools/todo-store/reading/todo-reader.ts";
import type { Example } from "./assemble.ts";

const clock = { nowMs: Date.UTC(2026, 0, 14, 12), timeZone: "UTC" };

/** Those examples that hold one date, with a word in its place, as the reader sees them. */
export function markDates(examples: readonly Example[], read: ReadDates): readonly Example[] {
  return examples.flatMap((example): Example[] => {
    const { tokens, tags, text } = example;
    const [date, second] = findDates({ text, tokens }, clock, read);
    if (tags === undefined || date === undefined || second !== undefined) return [];
    const { leadStart: start, end } = date;
    const tag = tags[start] ?? "other";
    const [first, last] = [tokens[start], tokens[end - 1]];
    if (first === undefined || last === undefined || tags.slice(start, end).some((each) => each !== tag)) return [];
    const token = { ...first, kind: "sign" as const, norm: dateWord, end: last.end };
    return [
      {
        ...example,
        tokens: [...tokens.slice(0, start), token, ...tokens.slice(end)],
        tags: [...tags.slice(0, start), tag, ...tags.slice(end)],
      },
    ];
  });
}
