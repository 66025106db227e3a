import { describe, expect, it } from "vitest";
import { classifyByExamples } from "../../src/language/example-classifier.ts";
import { exampleFeatures } from "../../src/language/example-features.ts";
import { buildExampleIndex } from "../../src/language/example-index.ts";
import { exampleWeights } from "../../src/language/example-weights.ts";
import { tokenize } from "../../src/language/tokens.ts";
import { wordForms } from "../../src/language/word-forms.ts";
import { stemsOf, unpackVectors } from "../../src/language/word-vectors.ts";

const { weights } = exampleWeights;
const vectors = unpackVectors(exampleWeights.vectors);
const stems = (text: string) => stemsOf(wordForms(tokenize(text)));
const index = buildExampleIndex(
  vectors,
  [
    ["is it raining", "will it rain today", "what is the weather"],
    ["play some jazz", "put on a song", "i want to hear music"],
    ["what is my balance", "how much money do i have", "show my account"],
  ].map((sentences) => sentences.map(stems)),
);
const shares = (text: string) => [...classifyByExamples(index, weights, stems(text))];

describe("classifyByExamples", () => {
  it("has a weight for each feature", () => {
    expect(weights).toHaveLength(exampleFeatures.length);
  });

  it.each([
    ["is it snowing", 0],
    ["how will the weather be today", 0],
    ["play a rock song", 1],
    ["what's the balance of my account", 2],
  ])("finds what %s means", (text, expected) => {
    const found = shares(text);
    expect(found.indexOf(Math.max(...found))).toBe(expected);
    expect(found[expected]).toBeGreaterThan(0.7);
  });

  it.each(["how tall is the eiffel tower", "book a flight to rome", "", "xyzzy plugh"])(
    "finds nothing in: %s",
    (text) => {
      expect(Math.max(...shares(text))).toBeLessThan(0.7);
    },
  );

  it("adds up to at most 1", () => {
    for (const text of ["is it raining", "play my balance", "hello"]) {
      const sum = shares(text).reduce((left, right) => left + right, 0);
      expect(sum).toBeGreaterThan(0);
      expect(sum).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it("takes other stems for some classes", () => {
    const replaced = new Map([[1, stems("play some jazz")]]);
    const found = classifyByExamples(index, weights, stems("wxyz"), replaced);
    expect(found[1]).toBeGreaterThan(0.7);
  });
});
