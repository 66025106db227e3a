import { describe, expect, it } from "vitest";
import { readNumber, startsNumber } from "../../../src/english/numbers.ts";
import { readAnaphor } from "../../../src/english/references.ts";
import { tokenize } from "../../../src/language/tokens.ts";
import { readDate } from "../../../src/planners/rules/dates.ts";
import { isMistyped } from "../../../src/planners/rules/phrase-index.ts";

const wordsOf = (text: string) => tokenize(text).map(({ norm }) => norm);

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

describe("readDate", () => {
  const clock = { nowMs: Date.UTC(2026, 10, 25, 12), timeZone: "UTC" };

  it.each([
    ["today", "2026-11-25"],
    ["tonight", "2026-11-25"],
    ["tomorrow", "2026-11-26"],
    ["tomorrow morning", "2026-11-26"],
    ["the day after tomorrow", "2026-11-27"],
    ["yesterday", "2026-11-24"],
    ["friday", "2026-11-27"],
    ["wednesday", "2026-12-02"],
    ["this friday", "2026-11-27"],
    ["next friday", "2026-12-04"],
    ["next tuesday", "2026-12-01"],
    ["next fri", "2026-12-04"],
    ["sunday", "2026-11-29"],
    ["next week", "2026-12-02"],
    ["in 3 days", "2026-11-28"],
    ["in a week", "2026-12-02"],
    ["in two weeks", "2026-12-09"],
    ["march 5", "2027-03-05"],
    ["March the 5th", "2027-03-05"],
    ["5 march", "2027-03-05"],
    ["the 5th of march 2028", "2028-03-05"],
    ["december 24, 2026", "2026-12-24"],
    ["sept 1", "2027-09-01"],
    ["dec 1st", "2026-12-01"],
    ["november 25", "2026-11-25"],
    ["2027-02-28", "2027-02-28"],
  ])("reads %s", (text, date) => {
    const words = wordsOf(text);
    expect(readDate(words, 0, clock)).toEqual({ date, end: words.length });
  });

  it.each([
    "2027-02-30",
    "february 30 2027",
    "may",
    "the 5th",
    "5 milk",
    "in march",
    "in 3 months",
    "fri",
    "milk",
    "the milk",
  ])("finds no date in %s", (text) => {
    expect(readDate(wordsOf(text), 0, clock)).toBeUndefined();
  });

  it("reads February 29 as the one of the next leap year", () => {
    expect(readDate(wordsOf("february 29"), 0, { nowMs: Date.UTC(2027, 5, 1), timeZone: "UTC" })).toEqual({
      date: "2028-02-29",
      end: 2,
    });
  });
});

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

describe("isMistyped", () => {
  it.each([
    ["calculte", "calculate"],
    ["calculatee", "calculate"],
    ["calcolate", "calculate"],
    ["caluclate", "calculate"],
    ["shoping", "shopping"],
  ])("recognizes %s as a mistyped %s", (typed, meant) => expect(isMistyped(typed, meant)).toBe(true));

  it.each([
    ["tasks", "tasks"],
    ["lost", "list"],
    ["masks", "tasks"],
    ["clculte", "calculate"],
    ["calcluate", "calculator"],
    ["whether", "weather"],
  ])("does not treat %s as a mistyped %s", (typed, meant) => expect(isMistyped(typed, meant)).toBe(false));
});

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
