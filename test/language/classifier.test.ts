import { describe, expect, it } from "vitest";
import { classify } from "../../src/language/classifier.ts";
import { unpackWeights } from "../../src/language/packed-weights.ts";
import { featureCount, sentenceFeatures } from "../../src/language/sentence-features.ts";
import { packWeights } from "../../training/pack.ts";
import { trainClassifier } from "../../training/train-classifier.ts";

const classes = ["greeting", "weather", "none"];
const sentences: readonly (readonly [text: string, name: string])[] = [
  ["hello there", "greeting"],
  ["good morning", "greeting"],
  ["hello you", "greeting"],
  ["will it rain today", "weather"],
  ["is it going to rain", "weather"],
  ["how warm will it be", "weather"],
  ["open the door", "none"],
  ["what time is it", "none"],
];

function train(keep: number) {
  const rows = sentences.map(([text, name]) => ({
    features: sentenceFeatures(text.split(" ")),
    classes: [classes.indexOf(name)],
    weight: 1,
  }));
  const { weights } = trainClassifier(rows, { classCount: classes.length, keep, epochs: 30 });
  const packed = packWeights(weights, classes.length);
  const table = unpackWeights(packed.text, {
    columns: classes.length,
    features: featureCount + 1,
    scale: packed.scale,
  });
  return { classifier: { classes, weights: table }, packed };
}

describe("classify", () => {
  const { classifier, packed } = train(400);
  const best = (text: string) => {
    const found = classify(classifier, text.split(" "));
    return classes[found.indexOf(Math.max(...found))];
  };

  it.each(sentences)("knows %s", (text, name) => {
    expect(best(text)).toBe(name);
  });

  it("knows a sentence that it has not seen by its words", () => {
    expect(best("hello everybody")).toBe("greeting");
    expect(best("will it rain in oslo")).toBe("weather");
  });

  it("gives probabilities, for no words, too", () => {
    for (const words of [[], ["hello"]]) {
      const sum = classify(classifier, words).reduce((total, value) => total + value, 0);
      expect(sum).toBeCloseTo(1, 9);
    }
  });

  it("keeps as few weights as it is told to", () => {
    expect(packed.kept).toBeGreaterThan(50);
    expect(train(40).packed.kept).toBeLessThanOrEqual(40);
  });

  it("is the same each time it is trained", () => {
    expect(train(400).packed.text).toBe(packed.text);
  });
});
