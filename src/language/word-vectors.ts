import { stem } from "./stem.ts";

/** What is known of words: where each lies among the others, and how much it says. */
export interface WordVectors {
  readonly dimensions: number;
  /** The place of a stem among the words. */
  readonly places: ReadonlyMap<string, number>;
  /** One row for each word. */
  readonly values: Float32Array;
  /** How much each word says: the logarithm of how rare it is. */
  readonly rarities: Float32Array;
}

/** How much a word says that is not known. */
export const unknownRarity = 9;

/** The stems of words. */
export function stemsOf(words: readonly string[]): readonly string[] {
  return words.map(stem);
}

/** Stands for the value of a slot, whatever it is. */
export const slotStem = "‹slot›";
const slotRarity = 2;

/** How much a stem says. */
export function rarityOf({ places, rarities }: WordVectors, word: string): number {
  if (word === slotStem) return slotRarity;
  const place = places.get(word);
  return place === undefined ? unknownRarity : (rarities[place] ?? unknownRarity);
}

/** The direction of some stems together: the mean of their vectors by how much they say, of length 1, or all zeros. */
export function meanVector(vectors: WordVectors, stems: readonly string[]): Float64Array {
  const { dimensions, places, values, rarities } = vectors;
  const mean = new Float64Array(dimensions);
  for (const word of stems) {
    const place = places.get(word);
    if (place === undefined) continue;
    const weight = rarities[place] ?? 0;
    for (let index = 0; index < dimensions; index++)
      mean[index] = (mean[index] ?? 0) + weight * (values[place * dimensions + index] ?? 0);
  }
  return toUnit(mean);
}

/** Scales a vector to the length 1, in place. */
export function toUnit(vector: Float64Array): Float64Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale;
  return vector;
}

/** Vectors as the training writes them. */
export interface PackedVectors {
  readonly dimensions: number;
  /** The stems in the order of the alphabet, with spaces between them. */
  readonly words: string;
  /** How far the steps of each dimension reach. */
  readonly scales: readonly number[];
  /** For each stem a byte with its rarity, and two bits for each dimension: base64. */
  readonly text: string;
}

/** What the four steps of a dimension stand for, times its scale: the best for a normal distribution (Max 1960). */
export const vectorSteps: readonly number[] = [-1.51, -0.4528, 0.4528, 1.51];
/** A rarity is stored in steps of this. */
export const rarityStep = 0.05;

/** Decodes what the training has packed. */
export function unpackVectors({ dimensions, words, scales, text }: PackedVectors): WordVectors {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const all = words.split(" ");
  const values = new Float32Array(all.length * dimensions);
  const rarities = new Float32Array(all.length);
  const row = 1 + dimensions / 4;
  for (let place = 0; place < all.length; place++) {
    rarities[place] = (bytes[place * row] ?? 0) * rarityStep;
    for (let index = 0; index < dimensions; index++) {
      const packed = bytes[place * row + 1 + (index >> 2)] ?? 0;
      const step = vectorSteps[(packed >> (2 * (index & 3))) & 3] ?? 0;
      values[place * dimensions + index] = step * (scales[index] ?? 0);
    }
  }
  return { dimensions, places: new Map(all.map((word, place) => [word, place])), values, rarities };
}
