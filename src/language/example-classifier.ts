import { compareWithExamples, exampleFeatures } from "./example-features.ts";
import type { ExampleIndex } from "./example-index.ts";
import type { PackedVectors } from "./word-vectors.ts";

/** What the training writes for sentences of tools of one's own. */
export interface ExampleWeights {
  readonly vectors: PackedVectors;
  /** How much each feature says, in the order of `exampleFeatures`. */
  readonly weights: readonly number[];
}

/**
 * How probable it is that a sentence is of each class, one number each; what is left of 1 is for none of them. `replaced`
 * gives classes other stems than the sentence's, such as those with the values of slots left out.
 */
export function classifyByExamples(
  index: ExampleIndex,
  weights: readonly number[],
  stems: readonly string[],
  replaced: ReadonlyMap<number, readonly string[]> = new Map(),
): Float64Array {
  return sharesOf(compareWithExamples(index, stems, replaced), weights);
}

/**
 * A softmax over classes and none of them, whose score is 0, from a row of features for each class; a class with a bias of
 * 0 is too far away to count.
 */
export function sharesOf(features: Float64Array, weights: readonly number[]): Float64Array {
  const width = exampleFeatures.length;
  const shares = new Float64Array(features.length / width);
  let top = 0;
  for (let at = 0; at < shares.length; at++) {
    let score = features[at * width] === 0 ? Number.NEGATIVE_INFINITY : 0;
    for (let column = 0; column < width; column++)
      score += (weights[column] ?? 0) * (features[at * width + column] ?? 0);
    shares[at] = score;
    top = Math.max(top, score);
  }
  let sum = Math.exp(-top);
  for (let at = 0; at < shares.length; at++) sum += shares[at] = Math.exp((shares[at] ?? 0) - top);
  for (let at = 0; at < shares.length; at++) shares[at] = (shares[at] ?? 0) / sum;
  return shares;
}
