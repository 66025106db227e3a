import type { Token } from "../src/language/tokens.ts";
import type { Example } from "./assemble.ts";
import type { Tag } from "./read-sentences.ts";

/** Every marked title of some sentences, as its words. */
export function titlesOf(examples: readonly Example[]): readonly (readonly Token[])[] {
  return examples.flatMap(({ tokens, tags = [] }) =>
    runsOf(tags, "title").map(([start, end]) => tokens.slice(start, end)),
  );
}

function runsOf(tags: readonly Tag[], tag: Tag): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (let start = 0; start < tags.length; start++) {
    if (tags[start] !== tag) continue;
    let end = start;
    while (tags[end] === tag) end++;
    runs.push([start, end]);
    start = end;
  }
  return runs;
}

const unknown: Token = { kind: "word", norm: "zzz", start: 0, end: 0, newLine: false, glued: false };

/**
 * The same sentences with other titles, some of whose words nobody knows, and sometimes an unknown name for the list: so the
 * tagger learns the frame and not what people happen to have on their lists.
 */
export function swapTitles(examples: readonly Example[], random: () => number): readonly Example[] {
  const titles = titlesOf(examples);
  return examples.flatMap((example): Example[] => {
    const { tags, tokens } = example;
    if (tags?.includes("title") !== true) return [];
    const newTokens: Token[] = [];
    const newTags: Tag[] = [];
    for (let at = 0; at < tokens.length; ) {
      const tag = tags[at] ?? "other";
      let end = at + 1;
      while (end < tokens.length && tags[end] === tag && tag !== "other") end++;
      const isTitle = tag === "title" || tag === "newTitle";
      const words = isTitle ? (titles[Math.floor(random() * titles.length)] ?? []) : tokens.slice(at, end);
      const hidden = isTitle ? 0.15 : tag === "other" ? 0 : 0.2;
      for (const token of words) {
        newTokens.push(hidden > 0 && random() < hidden ? unknown : token);
        newTags.push(tag);
      }
      at = end;
    }
    return [{ ...example, tokens: newTokens, tags: newTags }];
  });
}
