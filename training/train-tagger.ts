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

/** A linear-chain conditional random field (Lafferty et al. 2001) by AdaGrad, of which the most useful weights are kept. */
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

/** One AdaGrad step (Duchi et al. 2011). */
function step(values: Float64Array, squares: Float64Array, at: number, gradient: number, rate: number): void {
  squares[at] = (squares[at] ?? 0) + gradient * gradient;
  values[at] = (values[at] ?? 0) - (rate / Math.sqrt(squares[at] ?? 1)) * gradient;
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
  const { weights, transitions } = model;
  const weightSquares = new Float64Array(weights.length).fill(1e-6);
  const transitionSquares = new Float64Array(transitions.length).fill(1e-6);
  const chain = new Chain(
    labelCount,
    rows.reduce((most, { labels }) => Math.max(most, labels.length), 0),
  );
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features, labels, weight } of shuffle(rows, random)) {
      const { unary, pairs } = chain.marginals(model, features);
      for (let index = 0; index < labels.length; index++) {
        const row = features[index] ?? [];
        for (let label = 0; label < labelCount; label++) {
          const error = weight * ((unary[index * labelCount + label] ?? 0) - (labels[index] === label ? 1 : 0));
          if (Math.abs(error) < 1e-3) continue;
          for (const feature of row) {
            const at = feature * labelCount + label;
            if (kept === undefined || kept[at] === 1) step(weights, weightSquares, at, error, rate);
          }
        }
        const before = index === 0 ? labelCount : (labels[index - 1] ?? 0);
        for (let pair = 0; pair < transitions.length; pair++) {
          const isRight = pair === before * labelCount + (labels[index] ?? 0);
          const error = weight * ((pairs[index * transitions.length + pair] ?? 0) - (isRight ? 1 : 0));
          if (Math.abs(error) > 1e-4) step(transitions, transitionSquares, pair, error, rate);
        }
      }
    }
  }
  return model;
}

/** Forward and backward sums over all labellings of a sentence, scaled at each word; the memory is used again. */
class Chain {
  private readonly scores: Float64Array;
  private readonly forward: Float64Array;
  private readonly backward: Float64Array;
  private readonly unary: Float64Array;
  private readonly pairs: Float64Array;
  private readonly jumps: Float64Array;

  constructor(
    private readonly labelCount: number,
    longest: number,
  ) {
    const size = longest * labelCount;
    this.scores = new Float64Array(size);
    this.forward = new Float64Array(size);
    this.backward = new Float64Array(size);
    this.unary = new Float64Array(size);
    this.pairs = new Float64Array(size * (labelCount + 1));
    this.jumps = new Float64Array((labelCount + 1) * labelCount);
  }

  /** The probability of each label at each word, and of each label after each other one. */
  marginals(model: TaggerWeights, features: readonly (readonly number[])[]) {
    const { labelCount, unary, pairs } = this;
    const count = features.length;
    for (let at = 0; at < this.jumps.length; at++) this.jumps[at] = Math.exp(model.transitions[at] ?? 0);
    this.emit(model, features);
    this.goForward(count);
    this.goBackward(count);
    pairs.fill(0, 0, count * (labelCount + 1) * labelCount);
    for (let index = 0; index < count; index++) {
      this.pair(index);
      for (let label = 0; label < labelCount; label++) {
        let sum = 0;
        for (let from = 0; from <= labelCount; from++)
          sum += pairs[(index * (labelCount + 1) + from) * labelCount + label] ?? 0;
        unary[index * labelCount + label] = sum;
      }
    }
    return { unary, pairs };
  }

  /** How well each label fits each word, to the power of e, at most 1. */
  private emit({ weights }: TaggerWeights, features: readonly (readonly number[])[]): void {
    const { scores, labelCount } = this;
    for (let index = 0; index < features.length; index++) {
      const at = index * labelCount;
      scores.fill(0, at, at + labelCount);
      for (const feature of features[index] ?? [])
        for (let label = 0; label < labelCount; label++)
          scores[at + label] = (scores[at + label] ?? 0) + (weights[feature * labelCount + label] ?? 0);
      let top = Number.NEGATIVE_INFINITY;
      for (let label = 0; label < labelCount; label++) top = Math.max(top, scores[at + label] ?? 0);
      for (let label = 0; label < labelCount; label++) scores[at + label] = Math.exp((scores[at + label] ?? 0) - top);
    }
  }

  private goForward(count: number): void {
    const { labelCount, forward, jumps, scores } = this;
    for (let index = 0; index < count; index++) {
      const at = index * labelCount;
      for (let label = 0; label < labelCount; label++) {
        let sum = index === 0 ? (jumps[labelCount * labelCount + label] ?? 0) : 0;
        if (index > 0)
          for (let from = 0; from < labelCount; from++)
            sum += (forward[at - labelCount + from] ?? 0) * (jumps[from * labelCount + label] ?? 0);
        forward[at + label] = sum * (scores[at + label] ?? 0);
      }
      scaleToOne(forward, at, labelCount);
    }
  }

  private goBackward(count: number): void {
    const { labelCount, backward, jumps, scores } = this;
    backward.fill(1, Math.max(0, count - 1) * labelCount, count * labelCount);
    for (let index = count - 2; index >= 0; index--) {
      const at = index * labelCount;
      for (let label = 0; label < labelCount; label++) {
        let sum = 0;
        for (let to = 0; to < labelCount; to++)
          sum +=
            (jumps[label * labelCount + to] ?? 0) *
            (scores[at + labelCount + to] ?? 0) *
            (backward[at + labelCount + to] ?? 0);
        backward[at + label] = sum;
      }
      scaleToOne(backward, at, labelCount);
    }
  }

  private pair(index: number): void {
    const { labelCount, forward, backward, jumps, scores, pairs } = this;
    const at = index * labelCount;
    const first = index * (labelCount + 1) * labelCount;
    for (let from = 0; from <= labelCount; from++) {
      if ((index === 0) !== (from === labelCount)) continue;
      const before = index === 0 ? 1 : (forward[at - labelCount + from] ?? 0);
      for (let label = 0; label < labelCount; label++)
        pairs[first + from * labelCount + label] =
          before * (jumps[from * labelCount + label] ?? 0) * (scores[at + label] ?? 0) * (backward[at + label] ?? 0);
    }
    scaleToOne(pairs, first, (labelCount + 1) * labelCount);
  }
}

function scaleToOne(values: Float64Array, start: number, count: number): void {
  let sum = 0;
  for (let at = start; at < start + count; at++) sum += values[at] ?? 0;
  for (let at = start; at < start + count; at++) values[at] = (values[at] ?? 0) / sum;
}
