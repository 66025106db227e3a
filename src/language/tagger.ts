import type { WeightTable } from "./packed-weights.ts";
import { tokenFeatures } from "./token-features.ts";

/** A trained linear-chain model: the label of each word depends on the words around it and on the label before. */
export interface Tagger {
  readonly labels: readonly string[];
  readonly weights: WeightTable;
  /** From each label, and last from the start, to each label. */
  readonly transitions: readonly number[];
  /** The words that frame a wish; any other one is only known by its shape. */
  readonly vocabulary: ReadonlySet<string>;
  /** Those of which the tagger sees whether they stand anywhere before or after a word. */
  readonly marks: ReadonlySet<string>;
}

/** The words as a tagger knows them: of one that it does not know only whether it ends in "ing". */
export function knownWords(words: readonly string[], vocabulary: ReadonlySet<string>): readonly string[] {
  return words.map((word) => {
    if (vocabulary.has(word) || !/^\p{L}/u.test(word)) return word;
    return word.endsWith("ing") ? "‹rare-ing›" : "‹rare›";
  });
}

/** Adds the row of a feature to some of the scores. */
function addRow(scores: Float64Array, at: number, { rows, values, columns }: WeightTable, feature: number): void {
  const row = rows[feature] ?? 0;
  if (row === 0) return;
  for (let column = 0; column < columns; column++)
    scores[at + column] = (scores[at + column] ?? 0) + (values[row + column] ?? 0);
}

/** How well each label fits each word, apart from its neighbours' labels. */
function scoresOf({ labels, weights, vocabulary, marks }: Tagger, words: readonly string[]): Float64Array {
  const scores = new Float64Array(words.length * labels.length);
  for (const [index, features] of tokenFeatures(knownWords(words, vocabulary), marks).entries()) {
    for (const feature of features) addRow(scores, index * labels.length, weights, feature);
  }
  return scores;
}

/** The score of a label after each other one; at the start only that of the start, the last row. */
function jumpsTo({ labels, transitions }: Tagger, label: number, isFirst: boolean): readonly number[] {
  const count = labels.length;
  if (isFirst) return [transitions[count * count + label] ?? 0];
  return labels.map((_, before) => transitions[before * count + label] ?? 0);
}

/** The most probable labels of all words together (Viterbi 1967). Linear in the words. */
export function tagWords(tagger: Tagger, words: readonly string[]): readonly string[] {
  const { labels } = tagger;
  const count = labels.length;
  const scores = scoresOf(tagger, words);
  const from = new Uint8Array(scores.length);
  for (let at = 0; at < scores.length; at++) {
    const first = at - (at % count) - count;
    let top = Number.NEGATIVE_INFINITY;
    for (const [before, jump] of jumpsTo(tagger, at % count, first < 0).entries()) {
      const value = jump + (first < 0 ? 0 : (scores[first + before] ?? 0));
      if (value <= top) continue;
      top = value;
      from[at] = before;
    }
    scores[at] = (scores[at] ?? 0) + top;
  }
  const tags: string[] = [];
  let label = highest(scores.subarray(scores.length - count));
  for (let index = words.length - 1; index >= 0; index--) {
    tags[index] = labels[label] ?? "";
    label = from[index * count + label] ?? 0;
  }
  return tags;
}

function highest(values: Float64Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index++) if ((values[index] ?? 0) > (values[best] ?? 0)) best = index;
  return best;
}
