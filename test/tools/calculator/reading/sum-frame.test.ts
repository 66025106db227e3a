import { expect, it } from "vitest";
import { sumFrame } from "../../../../src/tools/calculator/reading/sum-frame.ts";

it("has one word for each part of the arithmetic, and its operators behind", () => {
  const words = "my kid asks what 8 times seven is".split(" ");
  const used = [false, false, false, false, true, true, true, false];
  expect(sumFrame(words, used)).toEqual(["my", "kid", "asks", "what", "‹sum›", "is", "|", "times"]);
});
