import { type ExampleIndex, product, sparseFeatures } from "./example-index.ts";
import { meanVector, rarityOf, unknownRarity, type WordVectors } from "./word-vectors.ts";

/** By what a sentence is held against a class of examples. The order of the weights. */
export const exampleFeatures = [
  "bias",
  "nearest",
  "nearest three",
  "all together",
  "nearest by vectors",
  "nearest three by vectors",
  "all together by vectors",
  "words known",
  "rarest word unknown",
  "alike among themselves",
  "alike among themselves by vectors",
  "how many examples",
  "longer than the examples",
  "unknown to the vectors",
  "above the second",
  "above the second by vectors",
] as const;

/** Of more classes than this only the nearest are compared example by example. */
const maxCompared = 32;

/**
 * The features of a sentence for each class, one row each; `replaced` gives classes other stems than the sentence's. A class
 * that is far from it has a bias of 0 and only the features by which classes are compared. Linear in the examples that
 * share features with the sentence, and in the classes.
 */
export function compareWithExamples(
  index: ExampleIndex,
  stems: readonly string[],
  replaced: ReadonlyMap<number, readonly string[]> = new Map(),
): Float64Array {
  const rows = new Float64Array(index.classes.length * exampleFeatures.length);
  const sparse = sparseProducts(index, stems);
  const words = wordsOf(index.vectors, stems);
  for (let at = 0; at < index.classes.length; at++) fillTogether(index, { at, rows, sparse, words });
  for (const at of nearestClasses(index, rows)) fillRow(index, { at, rows, sparse, words });
  for (const [at, own] of replaced) {
    const alone = { at, rows, sparse: sparseProducts(index, own), words: wordsOf(index.vectors, own) };
    fillTogether(index, alone);
    fillRow(index, alone);
  }
  for (const name of ["all together", "all together by vectors"] as const) compareClasses(rows, name);
  return rows;
}

/** The numbers of the classes that may be meant. */
function nearestClasses({ classes }: ExampleIndex, rows: Float64Array): Iterable<number> {
  if (classes.length <= maxCompared) return classes.keys();
  const nearness = (at: number) => {
    const start = at * exampleFeatures.length;
    return (rows[start + 3] ?? 0) + (rows[start + 6] ?? 0);
  };
  const near = new Float64Array(classes.length);
  for (let at = 0; at < near.length; at++) near[at] = nearness(at);
  const least = near.toSorted()[near.length - maxCompared] ?? 0;
  return [...near.keys()].filter((at) => (near[at] ?? 0) >= least);
}

/** How alike a sentence and examples are by their features: each of them, and all of each class. */
interface Products {
  readonly ofExamples: Float64Array;
  readonly ofClasses: Float64Array;
}

function sparseProducts({ vectors, postings, classes, classOf }: ExampleIndex, stems: readonly string[]): Products {
  const ofExamples = new Float64Array(classOf.length);
  const ofClasses = new Float64Array(classes.length);
  for (const [name, weight] of sparseFeatures(vectors, stems)) {
    const { examples = [], weights = [] } = postings.get(name) ?? {};
    for (let at = 0; at < examples.length; at++) {
      const example = examples[at] ?? 0;
      const own = classOf[example] ?? 0;
      const found = weight * (weights[at] ?? 0);
      ofExamples[example] = (ofExamples[example] ?? 0) + found;
      ofClasses[own] = (ofClasses[own] ?? 0) + found;
    }
  }
  return { ofExamples, ofClasses };
}

/** What is said, with how much each word says. */
interface Said {
  readonly stems: readonly string[];
  readonly rarities: readonly number[];
  readonly total: number;
  /** The share of words that the vectors do not know. */
  readonly unknown: number;
  readonly mean: Float64Array;
}

function wordsOf(vectors: WordVectors, stems: readonly string[]): Said {
  const rarities = stems.map((word) => rarityOf(vectors, word));
  const total = rarities.reduce((sum, rarity) => sum + rarity, 0);
  let unknown = 0;
  for (const [at, word] of stems.entries()) if (!vectors.places.has(word)) unknown += rarities[at] ?? 0;
  return { stems, rarities, total, unknown: total === 0 ? 1 : unknown / total, mean: meanVector(vectors, stems) };
}

interface Row {
  /** The number of the class. */
  readonly at: number;
  readonly rows: Float64Array;
  readonly sparse: Products;
  readonly words: Said;
}

/** The features for which a class is taken as a whole. */
function fillTogether({ classes }: ExampleIndex, { at, rows, sparse, words }: Row): void {
  const own = classes[at];
  if (own === undefined) return;
  const start = at * exampleFeatures.length;
  rows[start + 3] = own.length === 0 ? 0 : (sparse.ofClasses[at] ?? 0) / own.length;
  rows[start + 6] = product(words.mean, own.mean);
}

function fillRow({ classes, means, vectors: { dimensions } }: ExampleIndex, { at, rows, sparse, words }: Row): void {
  const own = classes[at];
  if (own === undefined) return;
  const near = new TopThree();
  const dense = new TopThree();
  for (let example = own.first; example < own.first + own.count; example++) {
    near.add(sparse.ofExamples[example] ?? 0);
    dense.add(product(words.mean, means, example * dimensions));
  }
  let known = 0;
  let rarest = 0;
  for (const [position, word] of words.stems.entries()) {
    const rarity = words.rarities[position] ?? 0;
    if (own.words.has(word)) known += rarity;
    else rarest = Math.max(rarest, rarity);
  }
  // In the order of `exampleFeatures`.
  const start = at * exampleFeatures.length;
  rows[start] = 1;
  rows[start + 1] = near.most;
  rows[start + 2] = near.mean(own.count);
  rows[start + 4] = dense.most;
  rows[start + 5] = dense.mean(own.count);
  rows[start + 7] = words.total === 0 ? 0 : known / words.total;
  rows[start + 8] = rarest / unknownRarity;
  rows[start + 9] = own.likeness;
  rows[start + 10] = own.meanLikeness;
  rows[start + 11] = own.logCount;
  rows[start + 12] = Math.min(2, words.stems.length / Math.max(1, own.meanStems)) - 1;
  rows[start + 13] = words.unknown;
}

/** A class of something else would be as near as this: with few classes none of them may be. */
const sparseFloor = 0.12;
const vectorFloor = 0.4;

/** How far each class is above the best of the others. */
function compareClasses(rows: Float64Array, name: "all together" | "all together by vectors"): void {
  const count = exampleFeatures.length;
  const from = exampleFeatures.indexOf(name);
  const to = exampleFeatures.indexOf(name === "all together" ? "above the second" : "above the second by vectors");
  const floor = name === "all together" ? sparseFloor : vectorFloor;
  let best = floor;
  let second = floor;
  for (let at = 0; at < rows.length; at += count) {
    const value = rows[at + from] ?? 0;
    if (value > best) {
      second = best;
      best = value;
    } else if (value > second) second = value;
  }
  for (let at = 0; at < rows.length; at += count) {
    const value = rows[at + from] ?? 0;
    rows[at + to] = value - (value === best ? second : best);
  }
}

class TopThree {
  most = 0;
  private second = 0;
  private third = 0;

  add(value: number): void {
    if (value > this.most) {
      this.third = this.second;
      this.second = this.most;
      this.most = value;
    } else if (value > this.second) {
      this.third = this.second;
      this.second = value;
    } else if (value > this.third) this.third = value;
  }

  mean(count: number): number {
    return (this.most + this.second + this.third) / Math.max(1, Math.min(3, count));
  }
}
