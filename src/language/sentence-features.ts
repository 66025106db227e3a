import { hashText } from "./hash.ts";

/** How many features a classifier tells apart: two words may share one. */
export const featureCount = 1 << 15;

const seeds = Object.fromEntries(
  ["word", "pair", "triple", "skip", "start", "end", "prefix", "suffix", "length"].map((name) => [
    name,
    hashText(name),
  ]),
) as Record<"word" | "pair" | "triple" | "skip" | "start" | "end" | "prefix" | "suffix" | "length", number>;

const bucket = (seed: number, text: string) => hashText(text, seed) & (featureCount - 1);

/**
 * What a classifier sees of a sentence: its words, pairs of neighbours, pairs with a word between them, the beginnings and
 * ends of words, and how it begins and ends. Each feature once. Linear.
 */
export function sentenceFeatures(words: readonly string[]): readonly number[] {
  const features = new Set<number>();
  const add = (seed: number, text: string) => features.add(bucket(seed, text));
  for (let index = 0; index <= words.length; index++) {
    const word = words[index] ?? "$";
    add(seeds.pair, `${words[index - 1] ?? "^"} ${word}`);
    if (index === words.length) break;
    add(seeds.word, word);
    if (index > 1) add(seeds.skip, `${words[index - 2]} ${word}`);
    if (index > 0) add(seeds.triple, `${words[index - 2] ?? "^"} ${words[index - 1]} ${word}`);
    if (word.length > 4) {
      add(seeds.prefix, word.slice(0, 4));
      add(seeds.suffix, word.slice(-3));
    }
  }
  add(seeds.start, words.slice(0, 2).join(" "));
  add(seeds.start, words.slice(0, 3).join(" "));
  add(seeds.end, words.slice(-2).join(" "));
  add(seeds.length, String(Math.min(12, words.length)));
  return [...features];
}
