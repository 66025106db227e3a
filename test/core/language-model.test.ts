import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, modelName } from "../../src/core/language-model.ts";

describe("estimateTokens", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["abc", 1],
    ["abcd", 2],
    ["é", 1],
    ["éé", 2],
    ["日", 1],
    ["日本語", 3],
    ["𝒳", 2],
    ["👩‍👩‍👧", 6],
    ["\ud800", 1],
    ["x".repeat(3_000), 1_000],
  ])("estimates %j as %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("estimates a third of the bytes of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(estimateTokens(text)).toBe(Math.ceil(new TextEncoder().encode(text).length / 3));
      }),
    );
  });

  it("never decreases as the text grows, and grows no faster than the text", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const both = estimateTokens(left + right);
        expect(both).toBeGreaterThanOrEqual(Math.max(estimateTokens(left), estimateTokens(right)));
        expect(both).toBeLessThanOrEqual(estimateTokens(left) + estimateTokens(right));
      }),
    );
  });
});

describe("modelName", () => {
  it("consists of provider and id", () => {
    expect(modelName({ provider: "ollama", modelId: "qwen3:8b" })).toBe("ollama/qwen3:8b");
  });
});
