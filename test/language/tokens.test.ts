import { describe, expect, it } from "vitest";
import { tokenize } from "../../src/language/tokens.ts";

const wordsOf = (text: string) => tokenize(text).map(({ norm }) => norm);

describe("tokenize", () => {
  it("keeps the position of each token", () => {
    const text = "What's  Bob's\n“to-do” 1,200.5 3rd don't 'quoted text' \"open";
    for (const { start, end } of tokenize(text)) expect(end).toBeGreaterThan(start - 1);
    expect(tokenize(text).map(({ kind, norm }) => `${kind}:${norm}`)).toEqual([
      "word:what",
      "word:is",
      "word:bob's",
      "quote:to-do",
      "number:1200.5",
      "word:3rd",
      "word:do",
      "word:not",
      "quote:quoted text",
      'sign:"',
      "word:open",
    ]);
  });

  it("reads words of any script and full-width letters", () => {
    expect(wordsOf("ＡＢＣ größe 買い物 i’m we'll")).toEqual(["abc", "größe", "買い物", "i", "am", "we", "will"]);
    expect(wordsOf("5-3 x-ray .5 \u200b5x6 ''")).toEqual(["5", "-", "3", "x", "ray", ".5", "5", "x6", "'", "'"]);
  });
});
