import { sharesOf } from "../src/language/example-classifier.ts";
import { compareWithExamples, exampleFeatures } from "../src/language/example-features.ts";
import { buildExampleIndex } from "../src/language/example-index.ts";
import type { WordVectors } from "../src/language/word-vectors.ts";
import { shuffle } from "./random.ts";
import { stemsOfText } from "./train-vectors.ts";

/** Sentences of one kind. */
export interface Kind {
  readonly name: string;
  readonly sentences: readonly (readonly string[])[];
}

/** A sentence held against some tools that are known by examples. */
export interface Trial {
  /** A row of features for each tool. */
  readonly features: Float64Array;
  /** The right tool; -1 for none. */
  readonly right: number;
  readonly source: "own" | "neighbour" | "out of scope";
}

/** The kinds of a data set, each with its sentences. */
export function kindsOf(rows: readonly { readonly text: string; readonly intent: string | null }[]): readonly Kind[] {
  const kinds = new Map<string, (readonly string[])[]>();
  for (const { text, intent } of rows) {
    if (intent === null) continue;
    const sentences = kinds.get(intent) ?? [];
    kinds.set(intent, sentences);
    sentences.push(stemsOfText(text));
  }
  return [...kinds].map(([name, sentences]) => ({ name, sentences }));
}

/** Draws some kinds as tools with a few examples each, and sentences of them, of other kinds and of none. */
export function drawEpisode(
  { kinds, none, vectors }: { kinds: readonly Kind[]; none: readonly (readonly string[])[]; vectors: WordVectors },
  { tools, examples, queries }: { tools: number; examples: number; queries: number },
  random: () => number,
): readonly Trial[] {
  const drawn = shuffle(kinds, random);
  const chosen = drawn.slice(0, tools).map(({ sentences }) => shuffle(sentences, random));
  const others = drawn.slice(tools).flatMap(({ sentences }) => sentences);
  const index = buildExampleIndex(
    vectors,
    chosen.map((sentences) => sentences.slice(0, examples)),
  );
  const trial = (stems: readonly string[], right: number, source: Trial["source"]): Trial => ({
    features: compareWithExamples(index, stems),
    right,
    source,
  });
  const own = chosen.flatMap((sentences, right) => sentences.slice(examples).map((stems) => ({ stems, right })));
  return [
    ...shuffle(own, random)
      .slice(0, queries)
      .map(({ stems, right }) => trial(stems, right, "own")),
    ...shuffle(others, random)
      .slice(0, queries / 2)
      .map((stems) => trial(stems, -1, "neighbour")),
    ...shuffle(none, random)
      .slice(0, queries / 2)
      .map((stems) => trial(stems, -1, "out of scope")),
  ];
}

const width = exampleFeatures.length;

/** Learns how much each feature says: a softmax over the tools and none of them, whose score is 0. By AdaGrad. */
export function trainExampleWeights(
  trials: readonly Trial[],
  { epochs = 6, rate = 0.3, random }: { epochs?: number; rate?: number; random: () => number },
): number[] {
  const weights: number[] = new Array(width).fill(0);
  const squares = new Float64Array(width).fill(1e-2);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features, right } of shuffle(trials, random)) {
      const shares = sharesOf(features, weights);
      const slopes = new Float64Array(width);
      for (let tool = 0; tool < shares.length; tool++) {
        const error = (shares[tool] ?? 0) - (tool === right ? 1 : 0);
        for (let at = 0; at < width; at++) slopes[at] = (slopes[at] ?? 0) + error * (features[tool * width + at] ?? 0);
      }
      for (let at = 0; at < width; at++) {
        const slope = (slopes[at] ?? 0) + 1e-5 * (weights[at] ?? 0);
        squares[at] = (squares[at] ?? 0) + slope * slope;
        weights[at] = (weights[at] ?? 0) - (rate / Math.sqrt(squares[at] ?? 1)) * slope;
      }
    }
  }
  return weights;
}
