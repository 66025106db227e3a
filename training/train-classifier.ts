import { softmax } from "../src/language/classifier.ts";
import { featureCount } from "../src/language/sentence-features.ts";
import { createRandom, shuffle } from "./random.ts";

/** A sentence to learn from. */
export interface ClassifierRow {
  readonly features: readonly number[];
  /** The classes that are right: several where the label of a data set leaves it open. */
  readonly classes: readonly number[];
  readonly weight: number;
}

/** Weights by feature, then by class; the last row holds the biases. */
export interface ClassifierWeights {
  readonly classCount: number;
  readonly weights: Float64Array;
}

/**
 * Softmax regression by AdaGrad (Duchi et al. 2011). Where several classes are right, their sum is made likely. Then
 * only the most useful weights are kept, and learned again by themselves.
 */
export function trainClassifier(
  rows: readonly ClassifierRow[],
  {
    keep,
    epochs = 4,
    ...options
  }: { classCount: number; keep: number; epochs?: number; rate?: number; seed?: number; l2?: number; dropout?: number },
): ClassifierWeights {
  const full = descend(rows, { ...options, epochs });
  const kept = mostUseful(
    full,
    rows.flatMap(({ features }) => features),
    keep,
  );
  return descend(rows, { ...options, epochs, kept });
}

/** The weights that change most over all sentences: of what is large and seldom seen little is lost. */
function mostUseful({ weights, classCount }: ClassifierWeights, features: readonly number[], keep: number): Uint8Array {
  const counts = new Float64Array(featureCount + 1);
  for (const feature of features) counts[feature] = (counts[feature] ?? 0) + 1;
  counts[featureCount] = features.length;
  const use = weights.map((weight, at) => Math.abs(weight) * Math.sqrt(counts[Math.floor(at / classCount)] ?? 0));
  const order = [...use.keys()].sort((left, right) => (use[right] ?? 0) - (use[left] ?? 0) || left - right);
  const kept = new Uint8Array(weights.length);
  for (const at of order.slice(0, keep)) kept[at] = use[at] === 0 ? 0 : 1;
  return kept;
}

function descend(
  rows: readonly ClassifierRow[],
  {
    classCount,
    epochs,
    rate = 0.3,
    seed = 1,
    kept,
    l2 = 0,
    dropout = 0,
  }: {
    classCount: number;
    epochs: number;
    rate?: number;
    seed?: number;
    kept?: Uint8Array;
    l2?: number;
    dropout?: number;
  },
): ClassifierWeights {
  const random = createRandom(seed);
  const weights = new Float64Array((featureCount + 1) * classCount);
  const squares = new Float64Array(weights.length).fill(1e-6);
  const scores = new Float64Array(classCount);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features: all, classes, weight } of shuffle(rows, random)) {
      const features = dropout === 0 ? all : all.filter(() => random() >= dropout);
      if (features.length === 0) continue;
      const scale = 1 / Math.sqrt(features.length);
      score(weights, features, scores);
      softmax(scores);
      let right = 0;
      for (const each of classes) right += scores[each] ?? 0;
      const isRight = new Set(classes);
      for (let index = 0; index < classCount; index++) {
        const probability = scores[index] ?? 0;
        const error = weight * (probability - (isRight.has(index) ? probability / Math.max(right, 1e-9) : 0));
        if (Math.abs(error) < 1e-3) continue;
        for (let position = -1; position < features.length; position++) {
          const row = position < 0 ? featureCount : (features[position] ?? 0);
          const at = row * classCount + index;
          if (kept !== undefined && kept[at] === 0) continue;
          const gradient = error * scale + l2 * (weights[at] ?? 0);
          squares[at] = (squares[at] ?? 0) + gradient * gradient;
          weights[at] = (weights[at] ?? 0) - (rate / Math.sqrt(squares[at] ?? 1)) * gradient;
        }
      }
    }
  }
  return { classCount, weights };
}

/** The score of each class, into `scores`. */
function score(weights: Float64Array, features: readonly number[], scores: Float64Array): void {
  const count = scores.length;
  const scale = 1 / Math.sqrt(features.length);
  for (let index = 0; index < count; index++) scores[index] = weights[featureCount * count + index] ?? 0;
  for (const feature of features) {
    for (let index = 0; index < count; index++)
      scores[index] = (scores[index] ?? 0) + (weights[feature * count + index] ?? 0);
  }
  for (let index = 0; index < count; index++) scores[index] = (scores[index] ?? 0) * scale;
}
