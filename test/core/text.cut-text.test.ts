import { describe, expect, it } from "vitest";
import { cutText } from "../../src/core/text.ts";

describe("cutText", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["", 3, ""],
    ["ab\u{1F600}d", 4, "ab…"],
    ["a\u{1F600}cd", 4, "a\u{1F600}…"],
  ])("cuts %j to %i as %j", (text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
    expect(expected.isWellFormed()).toBe(true);
  });

  it("puts another end where it cut, if one is given", () => {
    expect(cutText("abcdefgh", 6, " (8)")).toBe("ab (8)");
    expect(cutText("abcd", 3, "")).toBe("abc");
  });
});
