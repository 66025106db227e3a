import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Token, tokenize } from "../src/language/tokens.ts";

/** What a word belongs to. */
export const tagNames = ["other", "title", "newTitle", "list", "newList"] as const;
export type Tag = (typeof tagNames)[number];

/** One wish of a sentence. */
export interface Wish {
  /** The operation, or `calc`. */
  readonly operation: string;
  /** From the first of its words to before the last. */
  readonly start: number;
  readonly end: number;
  /** Of `calc`: what it should come to, as an expression of the Calculator. */
  readonly expression?: string;
}

/** A sentence written for this, with what is in it. */
export interface MarkedSentence {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly tags: readonly Tag[];
  readonly wishes: readonly Wish[];
  readonly file: string;
}

const opening: Readonly<Record<string, string>> = { "[": "]", "<": ">", "{": "}" };

/** Reads a line: `[title]`, `[=new title]`, `<list>`, `<=new list>`, `{operation}` before each wish of several. */
export function readMarked(line: string, heading: string, file: string): MarkedSentence {
  const arrow = line.lastIndexOf(" => ");
  const isCalculation = heading === "calc" && arrow > 0;
  const marked = isCalculation ? line.slice(0, arrow) : line;
  let text = "";
  const spans: { start: number; end: number; tag: Tag }[] = [];
  const starts: { at: number; operation: string; expression?: string }[] = [];
  for (let at = 0; at < marked.length; at++) {
    const sign = marked.charAt(at);
    const closer = opening[sign];
    if (closer === undefined) {
      text += sign;
      continue;
    }
    const end = marked.indexOf(closer, at);
    if (end === -1) throw new Error(`${file}: ${sign} is not closed in: ${line}`);
    const inside = marked.slice(at + 1, end);
    at = end;
    if (sign === "{") {
      const [operation = "", ...rest] = inside.split(" ");
      starts.push({ at: text.length, operation, ...(rest.length > 0 && { expression: rest.join(" ") }) });
      if (marked.charAt(at + 1) === " " && (text === "" || text.endsWith(" "))) at++;
      continue;
    }
    const isNew = inside.startsWith("=");
    const words = isNew ? inside.slice(1) : inside;
    const tag = sign === "[" ? (isNew ? "newTitle" : "title") : isNew ? "newList" : "list";
    spans.push({ start: text.length, end: text.length + words.length, tag });
    text += words;
  }
  const tokens = tokenize(text);
  const tags = tokens.map(
    ({ start, end }) => spans.find((span) => span.start < end && start < span.end)?.tag ?? "other",
  );
  const wishes: Wish[] =
    starts.length === 0
      ? [
          {
            operation: heading,
            start: 0,
            end: tokens.length,
            ...(isCalculation && { expression: line.slice(arrow + 4) }),
          },
        ]
      : starts.map(({ at, operation, expression }, index) => {
          const first = tokens.findIndex(({ end }) => end > at);
          const next = starts[index + 1];
          const last = next === undefined ? -1 : tokens.findIndex(({ end }) => end > next.at);
          return {
            operation,
            start: index === 0 ? 0 : first,
            end: last === -1 ? tokens.length : last,
            ...(expression !== undefined && { expression }),
          };
        });
  return { text, tokens, tags, wishes, file };
}

/** All sentences of a folder. */
export function readSentences(folder: string): readonly MarkedSentence[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .flatMap((name) => {
      let heading = "";
      return readFileSync(join(folder, name), "utf8")
        .split("\n")
        .flatMap((line) => {
          if (line.startsWith("## ")) heading = line.slice(3).trim();
          return line.trim() === "" || line.startsWith("#") ? [] : [readMarked(line.trim(), heading, name)];
        });
    });
}
