import type { WeightTable } from "./packed-weights.ts";
import { featureCount, sentenceFeatures } from "./sentence-features.ts";

/** A trained softmax over classes. The last row of its weights, that of feature `featureCount`, holds the biases. */
export interface Classifier {
  readonly classes: readonly string[];
  readonly weights: WeightTable;
}

/** How probable each class is for some words, in the order of the classes. */
export function classify({ classes, weights }: Classifier, words: readonly string[]): Float64Array {
  const features = sentenceFeatures(words);
  const scores = new Float64Array(classes.length);
  const { rows, values } = weights;
  for (const feature of [featureCount, ...features]) {
    const row = rows[feature] ?? 0;
    if (row !== 0)
      for (let index = 0; index < scores.length; index++)
        scores[index] = (scores[index] ?? 0) + (values[row + index] ?? 0);
  }
  const scale = 1 / Math.sqrt(features.length);
  for (let index = 0; index < scores.length; index++) scores[index] = (scores[index] ?? 0) * scale;
  return softmax(scores);
}

/** Makes probabilities of scores, in place. */
export function softmax(scores: Float64Array): Float64Array {
  const top = scores.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let index = 0; index < scores.length; index++) sum += scores[index] = Math.exp((scores[index] ?? 0) - top);
  for (let index = 0; index < scores.length; index++) scores[index] = (scores[index] ?? 0) / sum;
  return scores;
}
