import { describe, expect, it } from "vitest";
import { unpackWeights } from "../../src/language/packed-weights.ts";
import { knownWords, type Tagger, tagWords } from "../../src/language/tagger.ts";
import { tokenFeatureCount, tokenFeatures } from "../../src/language/token-features.ts";
import { packWeights } from "../../training/pack.ts";
import { trainTagger } from "../../training/train-tagger.ts";

const labels = ["other", "title"];
const vocabulary = new Set("add put to on my list please".split(" "));
const marks = new Set(["list"]);
const sentences = [
  "add [milk] to my list",
  "put [old shoes] on my list",
  "please add [bread]",
  "on my list put [green tea]",
];

const rows = sentences.map((sentence) => {
  const words = sentence.replaceAll(/[[\]]/g, "").split(" ");
  let isInside = false;
  const tags = sentence.split(" ").map((word) => {
    if (word.startsWith("[")) isInside = true;
    const tag = isInside ? 1 : 0;
    if (word.endsWith("]")) isInside = false;
    return tag;
  });
  return { features: tokenFeatures(knownWords(words, vocabulary), marks), labels: tags, weight: 1 };
});
const model = trainTagger(rows, { labelCount: 2, keep: 2_000, epochs: 20 });
const packed = packWeights(model.weights, 2);
const tagger: Tagger = {
  labels,
  weights: unpackWeights(packed.text, { columns: 2, features: tokenFeatureCount, scale: packed.scale }),
  transitions: [...model.transitions],
  vocabulary,
  marks,
};

describe("tagWords", () => {
  it.each([
    ["add eggs to my list", "eggs"],
    ["put clean socks on my list", "clean socks"],
    ["please add paper", "paper"],
    ["on my list put blue ink", "blue ink"],
  ])("finds what %s is about", (text, title) => {
    const words = text.split(" ");
    const tags = tagWords(tagger, words);
    expect(words.filter((_, index) => tags[index] === "title").join(" ")).toBe(title);
  });

  it("has nothing to say about no words", () => {
    expect(tagWords(tagger, [])).toEqual([]);
  });
});
