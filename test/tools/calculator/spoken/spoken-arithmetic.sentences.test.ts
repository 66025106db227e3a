import { describe, expect, it } from "vitest";
import { evaluate } from "../../../../src/tools/calculator/evaluate.ts";
import { readSpoken, wordsOf } from "./read-spoken.ts";

async function resultOf(text: string, hasPrevious = false): Promise<number | undefined> {
  const read = readSpoken(text, hasPrevious);
  return read && evaluate(read.expression, { variables: { x: 100 }, maxLength: 10_000, maxDepth: 2_000 });
}

describe("readSpokenArithmetic in whole sentences", () => {
  it.each([
    ["can you tell me what 30 % off 235 is please", 164.5],
    ["how would one deduct six from fifteen", 9],
    ["what is the total of both numbers 7 and 12", 19],
    ["tell me what one plus one is", 2],
    ["i need to know the answer to 10000 multiplied by 44", 440_000],
    ["start with 8 , halve it and add 3", 7],
    ["um what is uh 6 times 7", 42],
    ["if i have 5 and add 6 what do i get", 11],
    ["2 raised to its 9th power", 512],
    ["2 to the 9th", 512],
    ["the 9th power of 2", 512],
    ["two to the twenty fifth power", 33_554_432],
    ["five squared", 25],
    ["take 100, subtract 30, then divide by 7", 10],
    ["take 5 and 6 and multiply them", 30],
    ["my marks are 67, 74 and 81, whats my average", 74],
    ["20 percent tip on 48", 9.6],
    ["add 19% to 250", 297.5],
    ["100 plus 10 percent", 110],
    ["dinner was 96 plus 18% tip", 113.28],
    ["35 dollars after a 20 percent discount", 28],
    ["a hundred and twelve minus 2", 110],
    ["two and a half times four", 10],
    ["three point oh five times 2", 6.1],
    ["five lakh minus 75 thousand", 425_000],
    ["2 1/2 times 4", 10],
    ["½ of 250", 125],
    ["nine twelves", 108],
    ["12 packs of 6", 72],
    ["5 no wait 6 times 7", 42],
    ["5 plus 6 no 5 plus 7", 12],
    ["five plus i mean fifteen plus thirty", 45],
    ["minus nine plus 4", -5],
    ["how many times does 12 go into 600", 50],
    ["12 goes into 180 how many times", 15],
    ["what's left over when 50 is divided by 8", 2],
    ["by how many percent is 60 more than 50", 20],
    ["i got 34 out of 40, as a percent", 85],
    ["30 is 20 percent of what", 150],
    ["3/4 divided by 1/8", 6],
    ["8/2(2+2)", 16],
    ["5 times 6, minus 2, all divided by 7", 4],
    ["1 hour and 45 minutes to minutes", 105],
    ["how many days in a fortnight", 14],
    ["greatest common divisor of 24 and 36", 12],
    ["avg 3 5 7", 5],
  ])("reads %s as %d", async (text, value) => {
    expect(await resultOf(text)).toBeCloseTo(value, 9);
  });

  it.each([
    "what is 5 plus",
    "five times the population of france",
    "what plus 5 is 10",
    "10 minus what is 3",
    "1/2/2026",
    "555-1234",
    "call 555-123-4567",
    "2026-01-02",
    "version 1.2.3",
    "meet me at 5:30",
    "page 3 of 10",
    "5 feet plus 3 inches",
    "the sum of 3, 5 and",
    "start with 8 and add",
    "5 plus 6 in 2020",
    "5 and 6",
    "multiply 5 by 6 and 7 by 8",
    "what's the score",
    "round 3 results",
    "divide 99 by 9 once you've subtracted 9 from it",
  ])("refuses %s", (text) => {
    expect(readSpoken(text)).toBeUndefined();
  });

  it.each([
    ["add 5 apples and 3 oranges", "add 5 and 3"],
    ["can you tell me what 30 % off 235 is please", "30 % off 235"],
    ["what is the sum of 3 and 4", "the sum of 3 and 4"],
    ["what is 5 no wait 6 times 7", "5 no wait 6 times 7"],
    ["is two plus two five", "two plus two five"],
    ["$ 5 plus um 6 euros", "$ 5 plus um 6 euros"],
  ])("says which words of %s have a part", (text, part) => {
    const used = readSpoken(text)?.used ?? [];
    expect(wordsOf(text).filter((_, index) => used[index])).toEqual(wordsOf(part));
  });

  it("says which earlier results it takes", () => {
    expect(readSpoken("double it", true)).toMatchObject({ uses: "last", expression: "x * 2" });
    expect(readSpoken("add both answers", true)).toMatchObject({ uses: "both", expression: "a + b" });
    expect(readSpoken("subtract the first from the second", true)).toMatchObject({ uses: "both", expression: "b - a" });
    const average = readSpoken("the average of these", true);
    expect(average?.uses).toBe("all");
    expect(average?.combine(["a", "b", "c"])).toBe("(a + b + c) / 3");
    expect(readSpoken("add both answers to it", true)).toBeUndefined();
    expect(readSpoken("what is 3 + 4", true)?.uses).toBe("none");
  });
});
