import { describe, expect, it } from "vitest";
import { evaluate } from "../../src/tools/calculator/evaluate.ts";
import { readText } from "./read-text.ts";

async function resultOf(text: string, results = 0): Promise<number | undefined> {
  const read = readText(text, results);
  return read && evaluate(read.expression, { variables: { x: 100, a: 2, b: 3 }, maxLength: 10_000, maxDepth: 2_000 });
}

describe("readSum in whole sentences", () => {
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
    ["20 percent tip on 48", 9.6],
    ["add 19% to 250", 297.5],
    ["100 plus 10 percent", 110],
    ["96 plus 18% tip", 113.28],
    ["add 19 % vat to 200", 238],
    ["240 without 20% vat", 200],
    ["take 20% vat out of 240", 200],
    ["remove 20% vat from 240", 200],
    ["what is the price before tax if 240 includes 20% vat", 200],
    ["what is the net price if 107 includes 7% tax", 100],
    ["what is 249 plus 19% vat", 296.31],
    ["how much is 80 euro with 20% tax more", 96],
    ["what would 560 pounds be after a reduction of five per cent", 532],
    ["30 percent from 620", 186],
    ["what is ten percent of sixty dollars and fifty cents", 6.05],
    ["how many minutes in two hours and a half", 150],
    ["12 tickets at $3.50 each", 42],
    ["5 km plus 3 km", 8],
    ["how far is 70 from 80", 10],
    ["10 mod -3", 1],
    ["35 dollars after a 20 percent discount", 28],
    ["a hundred and twelve minus 2", 110],
    ["two and a half times four", 10],
    ["three point oh five times 2", 6.1],
    ["five lakh minus 75 thousand", 425_000],
    ["2 1/2 times 4", 10],
    ["½ of 250", 125],
    ["round 19.5 to the nearest dollar", 20],
    ["round 1.239 to the nearest cent", 1.24],
    ["round 19.987 to two digits", 19.99],
    ["12 packs of 6", 72],
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
    ["12,50 + 3,80", 16.3],
    ["26 pallets x 845 kg", 21_970],
    ["600 x sin 30 degrees", 300],
    ["what is 9/10", 0.9],
  ])("reads %s as %d", async (text, value) => {
    expect(await resultOf(text)).toBeCloseTo(value, 9);
  });

  it.each([
    "what is 5 plus",
    "5 minus minus 3",
    "double double 4",
    "9/11",
    "24/7",
    "1.2.3",
    "31.2.2027",
    "5 no wait 6 times 7",
    "five plus i mean fifteen plus thirty",
    "add 5 apples and 3 oranges",
    "my marks are 67, 74 and 81, whats my average",
    "what is 20 plus 5 without tip",
    "subtract 20% vat from 240",
    "240 minus 20% vat",
    "$5 plus 6 euros",
    "5 km plus $3",
    "the twenty second is what day",
    "150 less a fifth",
    "6 cans at 89 cents",
    "all of 15 plus 6 over 3",
    "add 2 and a half cups",
    "3.6m / 12",
    "1 hour / 5 minutes",
    "3 apples + 4 pears",
    "order 2 x 3 widgets",
    "what is 6 times 7!",
    "10%-3",
    "what is 10 % -3",
    "add 2 packs of 10 to my list",
    "calculate 3 + 4 and calculate it",
    "don't add 5 and 6",
    "should i add 5 and 6",
    "email bob 3 plus 4",
    "graph y = 2x + 1",
    "my blood pressure is 120 over 80",
    "i was charged two times for one transaction",
    'what is 8 times 7 in "roman"',
    "what is one plus one equals window",
    "there are 11 books and 17 movies, how many more movies than books are there",
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
    expect(readText(text)).toBeUndefined();
  });

  it("says which earlier results it takes", () => {
    expect(readText("double it", 1)).toMatchObject({ expression: "x * 2", variables: ["x"] });
    expect(readText("add both answers", 2)).toMatchObject({ expression: "a + b", variables: ["a", "b"] });
    expect(readText("subtract the first from the second", 2)?.expression).toBe("b - a");
    expect(readText("the average of these", 3)).toMatchObject({ expression: "(a + b + c) / 3" });
    for (const [text, results] of [
      ["add both answers", 0],
      ["add both answers", 1],
      ["add both answers", 3],
      ["add both answers to it", 2],
      ["add 5 days", 1],
    ] as const)
      expect(readText(text, results), text).toBeUndefined();
    expect(readText("what is 3 + 4", 2)?.variables).toEqual([]);
  });
});
