import { meanVector, rarityOf, toUnit, type WordVectors } from "./word-vectors.ts";

/** Sentences of some classes, ready to be compared with another. */
export interface ExampleIndex {
  readonly vectors: WordVectors;
  readonly classes: readonly ExampleClass[];
  /** For each example, the number of its class. */
  readonly classOf: Uint16Array;
  /** The features of all examples: which example has each, and how heavy it is there. */
  readonly postings: ReadonlyMap<string, Posting>;
  /** One row of `dimensions` for each example. */
  readonly means: Float32Array;
}

interface Posting {
  readonly examples: number[];
  readonly weights: number[];
}

interface ExampleClass {
  /** The number of its first example. */
  readonly first: number;
  readonly count: number;
  /** The stems of all its examples. */
  readonly words: ReadonlySet<string>;
  /** How long the sum of the examples' features is. */
  readonly length: number;
  readonly mean: Float64Array;
  /** How alike its examples are: the mean of each one's similarity to the nearest other, by features and by vectors. */
  readonly likeness: number;
  readonly meanLikeness: number;
  readonly meanStems: number;
  /** A third of the logarithm of how many examples there are. */
  readonly logCount: number;
}

/** The features of a sentence by which it is compared: its words, pairs of neighbours and runs of four letters, of length 1. */
export function sparseFeatures(vectors: WordVectors, stems: readonly string[]): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (name: string, weight: number) => features.set(name, (features.get(name) ?? 0) + weight);
  let before = "^";
  let rarity = 3;
  for (const word of stems) {
    const own = rarityOf(vectors, word);
    add(word, own);
    add(`${before} ${word}`, pairShare * Math.min(own, rarity));
    const framed = `_${word}_`;
    const runs = Math.max(1, framed.length - 3);
    for (let at = 0; at < runs; at++) add(`#${framed.slice(at, at + 4)}`, (runShare * own) / Math.sqrt(runs));
    before = word;
    rarity = own;
  }
  let sum = 0;
  for (const weight of features.values()) sum += weight * weight;
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  for (const [name, weight] of features) features.set(name, weight * scale);
  return features;
}

const pairShare = 0.6;
const runShare = 0.6;

/** Builds the index of some classes, each given as the stems of its sentences. Linear. */
export function buildExampleIndex(
  vectors: WordVectors,
  sentences: readonly (readonly (readonly string[])[])[],
): ExampleIndex {
  const postings = new Map<string, Posting>();
  const total = sentences.reduce((sum, { length }) => sum + length, 0);
  const means = new Float32Array(total * vectors.dimensions);
  const classOf = new Uint16Array(total);
  const classes: ExampleClass[] = [];
  let first = 0;
  for (const examples of sentences) {
    const sparse = examples.map((stems) => sparseFeatures(vectors, stems));
    const dense = examples.map((stems) => meanVector(vectors, stems));
    for (const [at, features] of sparse.entries()) {
      means.set(dense[at] ?? [], (first + at) * vectors.dimensions);
      classOf[first + at] = classes.length;
      for (const [name, weight] of features) addPosting(postings, name, { example: first + at, weight });
    }
    classes.push({
      first,
      count: examples.length,
      words: new Set(examples.flat()),
      length: lengthOfSum(sparse),
      mean: sumOf(dense, vectors.dimensions),
      likeness: likenessOf(sparse, sparseProduct),
      meanLikeness: likenessOf(dense, (left, right) => product(left, right)),
      logCount: Math.log(Math.max(1, examples.length)) / 3,
      meanStems: examples.flat().length / Math.max(1, examples.length),
    });
    first += examples.length;
  }
  return { vectors, classes, classOf, postings, means };
}

function addPosting(
  postings: Map<string, Posting>,
  name: string,
  { example, weight }: { example: number; weight: number },
): void {
  const posting = postings.get(name);
  if (posting === undefined) postings.set(name, { examples: [example], weights: [weight] });
  else {
    posting.examples.push(example);
    posting.weights.push(weight);
  }
}

function lengthOfSum(all: readonly ReadonlyMap<string, number>[]): number {
  const sum = new Map<string, number>();
  for (const features of all) for (const [name, weight] of features) sum.set(name, (sum.get(name) ?? 0) + weight);
  let square = 0;
  for (const weight of sum.values()) square += weight * weight;
  return Math.sqrt(square);
}

function sumOf(vectors: readonly Float64Array[], dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (const each of vectors) for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (each[at] ?? 0);
  return toUnit(sum);
}

/** How many examples of a class are compared with each other: more say no more. */
const maxCompared = 24;

function likenessOf<T>(all: readonly T[], compare: (left: T, right: T) => number): number {
  const items = all.slice(0, maxCompared);
  if (items.length < 2) return 0.3;
  const nearest = new Float64Array(items.length);
  for (const [at, item] of items.entries()) {
    for (const [before, other] of items.slice(0, at).entries()) {
      const found = compare(item, other);
      nearest[at] = Math.max(nearest[at] ?? 0, found);
      nearest[before] = Math.max(nearest[before] ?? 0, found);
    }
  }
  return nearest.reduce((sum, value) => sum + value, 0) / items.length;
}

function sparseProduct(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [name, weight] of left) sum += weight * (right.get(name) ?? 0);
  return sum;
}

/** The inner product of a vector and the one that begins at a place of another list. */
export function product(left: Float64Array, right: Float64Array | Float32Array, start = 0): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[start + at] ?? 0);
  return sum;
}
