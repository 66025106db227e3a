import { describe, expect, it } from "vitest";
import { stem } from "../../src/language/word-forms.ts";

describe("stem", () => {
  it.each([
    ["rain rains rained raining", "rain"],
    ["stop stops stopped stopping", "stop"],
    ["add adds added adding", "add"],
    ["need needs needed needing", "need"],
    ["create creates created creating", "creat"],
    ["box boxes", "box"],
    ["city cities", "city"],
  ])("is the same for %s", (words, expected) => {
    for (const word of words.split(" ")) expect(stem(word)).toBe(expected);
  });

  it.each(["bus", "glass", "red", "sing", "is", "freed", "köln", "3rd", "‹number›"])("leaves %s", (word) => {
    expect(stem(word)).toBe(word);
  });
});
