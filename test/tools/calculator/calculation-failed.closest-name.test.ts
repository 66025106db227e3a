import { describe, expect, it } from "vitest";
import { closestName } from "../../../src/tools/calculator/calculation-failed.ts";

describe("closestName", () => {
  it.each([
    ["sqr", "sqrt"],
    ["SQTR", "sqrt"],
    ["cosine", undefined],
    ["flor", "floor"],
    ["maximum", undefined],
    ["a", undefined],
    ["", undefined],
  ])("%j is closest to %s", (name, expected) => {
    expect(closestName(name, ["max", "cos", "sqrt", "floor"])).toBe(expected);
  });
});
