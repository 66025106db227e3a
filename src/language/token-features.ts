import { hashText } from "./hash.ts";

/** How many features a tagger tells apart. */
export const tokenFeatureCount = 1 << 15;

const names = [
  "w0",
  "w-1",
  "w1",
  "w-2",
  "w2",
  "p-1",
  "p1",
  "p-2",
  "p2",
  "t-1",
  "t1",
  "suffix",
  "prefix",
  "before",
  "after",
  "place",
  "bias",
] as const;
const seeds = Object.fromEntries(names.map((name) => [name, hashText(name)])) as Record<(typeof names)[number], number>;

const bucket = (seed: number, text: string) => hashText(text, seed) & (tokenFeatureCount - 1);

/**
 * What a tagger sees of each word: the word, its neighbours, alone and in pairs, its beginning and end, and which of the
 * few words that frame a wish stand anywhere before or after it. Linear.
 */
export function tokenFeatures(words: readonly string[], marks: ReadonlySet<string>): readonly (readonly number[])[] {
  const at = (index: number) => (index < 0 ? "^" : (words[index] ?? "$"));
  const before = marksUpTo(words, marks);
  const after = marksUpTo([...words].reverse(), marks);
  return words.map((word, index) => {
    const features = [
      bucket(seeds.bias, ""),
      bucket(seeds.w0, word),
      bucket(seeds["w-1"], at(index - 1)),
      bucket(seeds.w1, at(index + 1)),
      bucket(seeds["w-2"], at(index - 2)),
      bucket(seeds.w2, at(index + 2)),
      bucket(seeds["p-1"], `${at(index - 1)} ${word}`),
      bucket(seeds.p1, `${word} ${at(index + 1)}`),
      bucket(seeds["p-2"], `${at(index - 2)} ${at(index - 1)}`),
      bucket(seeds.p2, `${at(index + 1)} ${at(index + 2)}`),
      bucket(seeds["t-1"], `${at(index - 2)} ${at(index - 1)} ${word}`),
      bucket(seeds.t1, `${word} ${at(index + 1)} ${at(index + 2)}`),
      bucket(seeds.place, index === 0 ? "first" : index === words.length - 1 ? "last" : index < 3 ? "early" : "within"),
    ];
    if (word.length > 3) features.push(bucket(seeds.suffix, word.slice(-3)), bucket(seeds.prefix, word.slice(0, 4)));
    for (const mark of before[index] ?? []) features.push(bucket(seeds.before, mark));
    for (const mark of after[words.length - 1 - index] ?? []) features.push(bucket(seeds.after, mark));
    return features;
  });
}

/** For each word the marks before it, at most the first and the last three. */
function marksUpTo(words: readonly string[], marks: ReadonlySet<string>): readonly (readonly string[])[] {
  const found: string[] = [];
  return words.map((word) => {
    const known = found.length > 4 ? [found[0] ?? "", ...found.slice(-3)] : [...found];
    if (marks.has(word)) found.push(word);
    return known;
  });
}
