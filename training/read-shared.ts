import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Token, tokenize } from "../src/language/tokens.ts";
import type { Tag } from "./read-sentences.ts";

/** A request of the development part. */
export interface DevelopmentRow {
  readonly id: string;
  readonly prompt: string;
  readonly family?: string;
  readonly phrasing?: string;
  readonly category?: string;
  readonly construction?: string;
  readonly hard?: boolean;
  readonly reason?: string;
  readonly source: { readonly parts?: readonly string[] };
  readonly expect: {
    readonly kind: "plan" | "reject";
    readonly steps?: readonly {
      readonly tool: string;
      readonly op?: readonly string[];
      readonly value?: number;
      readonly index?: number;
      readonly title?: { readonly tokens?: readonly string[]; readonly optional?: readonly string[] };
    }[];
  };
}

/** A sentence of a data set, with the label its authors gave it. */
export interface LabelledSentence {
  readonly text: string;
  readonly dataset: string;
  readonly intent: string | null;
  readonly slots?: readonly {
    readonly type: string;
    readonly start: number;
    readonly end: number;
    readonly value: string;
  }[];
}

function readLines<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

/** The requests of the development part that have plans or must be refused. */
export function readDevelopment(folder: string): readonly DevelopmentRow[] {
  return ["plans-single", "plans-multi", "plans-reject"].flatMap((name) =>
    readLines<DevelopmentRow>(readFileSync(join(folder, `${name}.jsonl`), "utf8")),
  );
}

/** The sentences of the data sets. */
export function readLabelled(folder: string): readonly LabelledSentence[] {
  return ["clinc150", "nlu-eval", "slurp", "snips", "banking77"].flatMap((name) =>
    readLines<LabelledSentence>(
      gunzipSync(readFileSync(join(folder, "training", `${name}.jsonl.gz`))).toString("utf8"),
    ),
  );
}

const same = (left: string, right: string) => left.replace(/s$/, "") === right.replace(/s$/, "");

/** Which words of a request are the title that the data names, and which the name of its list. */
export function tagTitle(tokens: readonly Token[], title: readonly string[] | undefined): readonly Tag[] {
  const tags: Tag[] = tokens.map(() => "other");
  tagListName(tokens, tags);
  if (title === undefined || title.length === 0) return tags;
  const wanted = title.flatMap((word) => tokenize(word).map(({ norm }) => norm));
  const quote = tokens.findIndex(({ kind }) => kind === "quote");
  if (quote !== -1 && tokenize(tokens[quote]?.norm ?? "").length >= wanted.length) {
    tags[quote] = "title";
    return tags;
  }
  let best: { start: number; end: number } | undefined;
  for (let start = 0; start < tokens.length; start++) {
    let matched = 0;
    for (let end = start; end < tokens.length && matched < wanted.length; end++) {
      if (same(tokens[end]?.norm ?? "", wanted[matched] ?? "")) matched++;
      if (matched === wanted.length && (best === undefined || end + 1 - start < best.end - best.start))
        best = { start, end: end + 1 };
    }
  }
  if (best !== undefined) for (let at = best.start; at < best.end; at++) tags[at] = "title";
  return tags;
}

const plain = new Set(
  "my the our a this that to do todo task tasks todos whole entire current new complete any your reading same and on from off of in".split(
    " ",
  ),
);

function tagListName(tokens: readonly Token[], tags: Tag[]): void {
  for (const [index, { norm }] of tokens.entries()) {
    const before = tokens[index - 1]?.norm ?? "";
    if ((norm === "list" || norm === "lists") && index > 0 && !plain.has(before) && /^[a-z]+$/.test(before)) {
      tags[index - 1] = "list";
      if (before === "s" && index > 1) tags[index - 2] = "list";
    }
    if (norm === "of" && tokens[index - 1]?.norm === "list" && tokens[index + 1]?.norm === "groceries")
      tags[index + 1] = "list";
  }
}
