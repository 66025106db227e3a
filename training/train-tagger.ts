import { tokenFeatureCount } from "../src/language/token-features.ts";
import { createRandom, shuffle } from "./random.ts";

/** A sentence to learn from: the features of each word, and its label. */
export interface TaggedRow {
  readonly features: readonly (readonly number[])[];
  readonly labels: readonly number[];
  readonly weight: number;
}

/** Weights by feature, then by label; and of each label after each other one, with the start as the last row. */
export interface TaggerWeights {
  readonly labelCount: number;
  readonly weights: Float64Array;
  readonly transitions: Float64Array;
}

/** A linear-chain conditional random field (Lafferty et al. 2001) by AdaGrad. */
export function trainTagger(
  rows: readonly TaggedRow[],
  { keep, ...options }: { labelCount: number; keep: number; epochs?: number; rate?: number; seed?: number },
): TaggerWeights {
  const { weights, labelCount } = descend(rows, options);
  const counts = new Float64Array(tokenFeatureCount);
  for (const { features } of rows)
    for (const word of features) for (const feature of word) counts[feature] = (counts[feature] ?? 0) + 1;
  const use = weights.map((weight, at) => Math.abs(weight) * Math.sqrt(counts[Math.floor(at / labelCount)] ?? 0));
  const order = [...use.keys()].sort((left, right) => (use[right] ?? 0) - (use[left] ?? 0) || left - right);
  const kept = new Uint8Array(weights.length);
  for (const at of order.slice(0, keep)) kept[at] = use[at] === 0 ? 0 : 1;
  return descend(rows, { ...options, kept });
}

function descend(
  rows: readonly TaggedRow[],
  {
    labelCount,
    epochs = 4,
    rate = 0.2,
    seed = 1,
    kept,
  }: { labelCount: number; epochs?: number; rate?: number; seed?: number; kept?: Uint8Array },
): TaggerWeights {
  const random = createRandom(seed);
  const model: TaggerWeights = {
    labelCount,
    weights: new Float64Array(tokenFeatureCount * labelCount),
    transitions: new Float64Array((labelCount + 1) * labelCount),
  };
  const weightSquares = new Float64Array(model.weights.length).fill(1e-6);
  const transitionSquares = new Float64Array(model.transitions.length).fill(1e-6);
  const step = (values: Float64Array, squares: Float64Array, at: number, gradient: number) => {
    squares[at] = (squares[at] ?? 0) + gradient * gradient;
    values[at] = (values[at] ?? 0) - (rate / Math.sqrt(squares[at] ?? 1)) * gradient;
  };
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features, labels, weight } of shuffle(rows, random)) {
      const { unary, pairs } = marginals(model, features);
      for (let index = 0; index < labels.length; index++) {
        for (let label = 0; label < labelCount; label++) {
          const error = weight * ((unary[index * labelCount + label] ?? 0) - (labels[index] === label ? 1 : 0));
          if (Math.abs(error) < 1e-3) continue;
          for (const feature of features[index] ?? []) {
            const at = feature * labelCount + label;
            if (kept === undefined || kept[at] === 1) step(model.weights, weightSquares, at, error);
          }
        }
        const before = index === 0 ? labelCount : (labels[index - 1] ?? 0);
        for (let label = 0; label < labelCount; label++) {
          for (let from = 0; from <= labelCount; from++) {
            const expected = pairs[(index * (labelCount + 1) + from) * labelCount + label] ?? 0;
            const error = weight * (expected - (from === before && labels[index] === label ? 1 : 0));
            if (Math.abs(error) > 1e-4) step(model.transitions, transitionSquares, from * labelCount + label, error);
          }
        }
      }
    }
  }
  return model;
}

/** Scores of each label at each word. */
export function emissions(
  { labelCount, weights }: TaggerWeights,
  features: readonly (readonly number[])[],
): Float64Array {
  const scores = new Float64Array(features.length * labelCount);
  for (const [index, row] of features.entries()) {
    for (const feature of row) {
      for (let label = 0; label < labelCount; label++) {
        const at = index * labelCount + label;
        scores[at] = (scores[at] ?? 0) + (weights[feature * labelCount + label] ?? 0);
      }
    }
  }
  return scores;
}

function logSum(values: readonly number[]): number {
  const top = Math.max(...values);
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

/** The probability of each label at each word, and of each pair of labels. */
export function marginals(model: TaggerWeights, features: readonly (readonly number[])[]) {
  const { labelCount, transitions } = model;
  const count = features.length;
  const scores = emissions(model, features);
  const forward = new Float64Array(count * labelCount);
  const backward = new Float64Array(count * labelCount);
  const range = [...Array(labelCount).keys()];
  const jump = (from: number, to: number) => transitions[from * labelCount + to] ?? 0;
  for (let index = 0; index < count; index++) {
    for (const label of range) {
      const own = scores[index * labelCount + label] ?? 0;
      forward[index * labelCount + label] =
        own +
        (index === 0
          ? jump(labelCount, label)
          : logSum(range.map((from) => (forward[(index - 1) * labelCount + from] ?? 0) + jump(from, label))));
    }
  }
  for (let index = count - 2; index >= 0; index--) {
    for (const label of range) {
      backward[index * labelCount + label] = logSum(
        range.map(
          (to) =>
            jump(label, to) +
            (scores[(index + 1) * labelCount + to] ?? 0) +
            (backward[(index + 1) * labelCount + to] ?? 0),
        ),
      );
    }
  }
  const total = count === 0 ? 0 : logSum(range.map((label) => forward[(count - 1) * labelCount + label] ?? 0));
  const unary = new Float64Array(count * labelCount);
  const pairs = new Float64Array(count * (labelCount + 1) * labelCount);
  for (let index = 0; index < count; index++) {
    for (const label of range) {
      const at = index * labelCount + label;
      unary[at] = Math.exp((forward[at] ?? 0) + (backward[at] ?? 0) - total);
      if (index === 0) pairs[labelCount * labelCount + label] = unary[at] ?? 0;
      else
        for (const from of range) {
          pairs[(index * (labelCount + 1) + from) * labelCount + label] = Math.exp(
            (forward[(index - 1) * labelCount + from] ?? 0) +
              jump(from, label) +
              (scores[at] ?? 0) +
              (backward[at] ?? 0) -
              total,
          );
        }
    }
  }
  return { unary, pairs };
}
