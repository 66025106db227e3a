import { describe, expect, it } from "vitest";
import { readAnaphor } from "../../src/english/word-classes.ts";
import { tokenize } from "../../src/language/tokens.ts";

const wordsOf = (text: string) => tokenize(text).map(({ norm }) => norm);

describe("readAnaphor", () => {
  it.each(["it", "that", "the result", "the last answer", "its value", "what you get", "that number"])(
    "recognizes %s",
    (text) => {
      expect(readAnaphor(wordsOf(text), 0)).toBe(wordsOf(text).length);
    },
  );

  it.each(["milk", "the milk", "what time"])("does not recognize %s", (text) => {
    expect(readAnaphor(wordsOf(text), 0)).toBeUndefined();
  });
});
