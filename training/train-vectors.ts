import { softmax } from "../src/language/classifier.ts";
import { tokenize } from "../src/language/tokens.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { type PackedVectors, rarityStep, stemsOf, type WordVectors } from "../src/language/word-vectors.ts";
import { createRandom, shuffle } from "./random.ts";
import type { LabelledSentence } from "./read-shared.ts";

/** The stems of a sentence, as vectors know them. */
export function stemsOfText(text: string): readonly string[] {
  return stemsOf(wordForms(tokenize(text)).filter((form) => /[\p{L}‹]/u.test(form)));
}

interface Row {
  readonly places: readonly number[];
  readonly label: number;
}

/**
 * Word vectors from sentences with labels (as fastText's classifier, Joulin et al. 2017): the mean of a sentence's vectors,
 * by how rare its words are, is to tell the label.
 */
export function trainVectors(
  sentences: readonly LabelledSentence[],
  { words = 3_000, dimensions = 24, epochs = 6, rate = 0.15, seed = 1 } = {},
): WordVectors {
  const counts = new Map<string, number>();
  const read = sentences.map(({ text }) => stemsOfText(text));
  for (const stems of read) for (const word of new Set(stems)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const ranked = [...counts]
    .filter(([, count]) => count > 1)
    .sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1));
  const kept = ranked
    .slice(0, words)
    .map(([word]) => word)
    .sort();
  const places = new Map(kept.map((word, place) => [word, place]));
  const rarities = Float32Array.from(kept, (word) => Math.log((read.length + 1) / (counts.get(word) ?? 1)));
  const labels = new Map<string, number>();
  const rows: Row[] = [];
  for (const [index, { dataset, intent }] of sentences.entries()) {
    if (intent === null || intent === "oos") continue;
    // SLURP was made from NLU Evaluation Data: its labels are the same.
    const name = `${dataset === "slurp" ? "nlu-eval" : dataset} ${intent}`;
    const label = labels.get(name) ?? labels.size;
    labels.set(name, label);
    rows.push({ places: (read[index] ?? []).flatMap((word) => places.get(word) ?? []), label });
  }
  const random = createRandom(seed);
  const values = Float64Array.from(
    { length: kept.length * dimensions },
    () => (random() - 0.5) / Math.sqrt(dimensions),
  );
  const classes = new Float64Array(labels.size * dimensions);
  learn({ rows, values, classes, rarities, dimensions, count: labels.size }, { epochs, rate, random });
  return { dimensions, places, values: Float32Array.from(values), rarities };
}

interface Learned {
  readonly rows: readonly Row[];
  readonly values: Float64Array;
  readonly classes: Float64Array;
  readonly rarities: Float32Array;
  readonly dimensions: number;
  readonly count: number;
}

function learn(
  { rows, values, classes, rarities, dimensions, count }: Learned,
  { epochs, rate, random }: { epochs: number; rate: number; random: () => number },
): void {
  const valueSquares = new Float64Array(values.length).fill(1e-4);
  const classSquares = new Float64Array(classes.length).fill(1e-4);
  const mean = new Float64Array(dimensions);
  const back = new Float64Array(dimensions);
  const scores = new Float64Array(count);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { places: all, label } of shuffle(rows, random)) {
      const places = all.filter(() => random() >= 0.2);
      if (places.length === 0) continue;
      mean.fill(0);
      back.fill(0);
      let total = 0;
      for (const place of places) {
        const weight = rarities[place] ?? 0;
        total += weight;
        for (let at = 0; at < dimensions; at++)
          mean[at] = (mean[at] ?? 0) + weight * (values[place * dimensions + at] ?? 0);
      }
      for (let at = 0; at < dimensions; at++) mean[at] = (mean[at] ?? 0) / total;
      for (let each = 0; each < count; each++) {
        let score = 0;
        for (let at = 0; at < dimensions; at++) score += (mean[at] ?? 0) * (classes[each * dimensions + at] ?? 0);
        scores[each] = score;
      }
      softmax(scores);
      for (let each = 0; each < count; each++) {
        const error = (scores[each] ?? 0) - (each === label ? 1 : 0);
        if (Math.abs(error) < 1e-3) continue;
        for (let at = 0; at < dimensions; at++) {
          const index = each * dimensions + at;
          back[at] = (back[at] ?? 0) + error * (classes[index] ?? 0);
          const gradient = error * (mean[at] ?? 0);
          classSquares[index] = (classSquares[index] ?? 0) + gradient * gradient;
          classes[index] = (classes[index] ?? 0) - (rate / Math.sqrt(classSquares[index] ?? 1)) * gradient;
        }
      }
      for (const place of places) {
        const share = (rarities[place] ?? 0) / total;
        for (let at = 0; at < dimensions; at++) {
          const index = place * dimensions + at;
          const gradient = share * (back[at] ?? 0);
          valueSquares[index] = (valueSquares[index] ?? 0) + gradient * gradient;
          values[index] = (values[index] ?? 0) - (rate / Math.sqrt(valueSquares[index] ?? 1)) * gradient;
        }
      }
    }
  }
}

/** Rounds vectors to two bits for each dimension. */
export function packVectors({ dimensions, places, values, rarities }: WordVectors): PackedVectors {
  const scales = Array.from({ length: dimensions }, (_, index) => {
    let sum = 0;
    for (let place = 0; place < places.size; place++) sum += square(values[place * dimensions + index] ?? 0);
    return Math.round(1000 * Math.sqrt(sum / places.size)) / 1000;
  });
  const bytes: number[] = [];
  for (let place = 0; place < places.size; place++) {
    bytes.push(Math.min(255, Math.round((rarities[place] ?? 0) / rarityStep)));
    for (let first = 0; first < dimensions; first += 4) {
      let packed = 0;
      for (let index = first; index < first + 4; index++) {
        const value = (values[place * dimensions + index] ?? 0) / (scales[index] ?? 1);
        const step = value < -0.98 ? 0 : value < 0 ? 1 : value < 0.98 ? 2 : 3;
        packed |= step << (2 * (index - first));
      }
      bytes.push(packed);
    }
  }
  return { dimensions, words: [...places.keys()].join(" "), scales, text: Buffer.from(bytes).toString("base64") };
}
const square = (value: number) => value * value;
