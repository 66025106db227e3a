import { describe, expect, it } from "vitest";
import { readNumber, startsNumber, withoutLastZeros } from "../../src/english/numbers.ts";
import { tokenize } from "../../src/language/tokens.ts";

const wordsOf = (text: string) => tokenize(text).map(({ norm }) => norm);

it("withoutLastZeros removes the zeros at the end of digits, and no others", () => {
  expect(["1200", "0012", "000", "", "10203"].map(withoutLastZeros)).toEqual(["12", "0012", "", "", "10203"]);
});

it("readNumber multiplies a decimal with very many zeros in linear time", () => {
  const zeros = "0".repeat(100_000);
  const { digits } = readNumber([`1.${zeros}1`, "thousand"], 0) ?? { digits: "" };
  expect(digits).toBe(`1000.${zeros.slice(3)}1`);
});

describe("readNumber", () => {
  it.each([
    ["zero", "0"],
    ["seventeen", "17"],
    ["forty two", "42"],
    ["twenty-one", "21"],
    ["two hundred and five", "205"],
    ["a hundred", "100"],
    ["hundred", "100"],
    ["thousand", "1000"],
    ["twelve hundred", "1200"],
    ["three thousand four hundred and fifty six", "3456"],
    ["two million and one", "2000001"],
    ["a million", "1000000"],
    ["five hundred thousand", "500000"],
    ["one million two hundred thousand and three", "1200003"],
    ["two thousand million", "2000000000"],
    ["a dozen", "12"],
    ["three dozen", "36"],
    ["one decillion", `1${"0".repeat(33)}`],
    ["three point one four", "3.14"],
    ["zero point 05", "0.05"],
    ["two point twenty five", "2.25"],
    ["1,200,000.50", "1200000.50"],
    ["3 million", "3000000"],
    ["2.5 thousand", "2500"],
    ["2.55 hundred", "255"],
    ["0.125 hundred", "12.5"],
    ["one thousand million thousand", "1000000000000"],
  ])("reads %s", (text, digits) => {
    const words = wordsOf(text);
    expect(readNumber(words, 0)).toEqual({ digits, end: words.length });
  });

  it.each([
    ["five six", "5", 1],
    ["twenty twelve", "20", 1],
    ["twenty zero", "20", 1],
    ["three hundred hundred", "300", 2],
    ["two hundred and milk", "200", 2],
    ["two point milk", "2", 1],
    ["thirty forty", "30", 1],
    ["one thousand two million", "1002", 3],
    ["a dog", undefined, 0],
    ["milk", undefined, 0],
    ["", undefined, 0],
  ])("stops after the number in %s", (text, digits, end) => {
    expect(readNumber(wordsOf(text), 0)).toEqual(digits === undefined ? undefined : { digits, end });
  });

  it('stops at "and" with joinAnd: false', () => {
    expect(readNumber(wordsOf("three hundred and four"), 0, { joinAnd: false })).toEqual({ digits: "300", end: 2 });
  });
});

it("startsNumber recognizes words that may begin a number", () => {
  expect(["5", "five", "fifty", "a", "hundred", "dozen"].every(startsNumber)).toBe(true);
  expect(startsNumber("milk")).toBe(false);
});
