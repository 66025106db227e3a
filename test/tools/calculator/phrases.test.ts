import { describe, expect, it } from "vitest";
import { calculator, inputsFor, refusalOf, todos } from "../../planners/rules/plan-for.ts";

describe("calculatorPhrases", () => {
  it.each([
    "calculate 6 * 7",
    "Please compute six times seven",
    "what is 6 x 7?",
    "what's six multiplied by seven",
    "how much is 6 times 7",
    "what does 6 times 7 equal",
    "how much would 6 * 7 make",
    "what do you get when you multiply six by seven",
    "what do you get if you multiply 6 and 7",
    "tell me the product of 6 and 7",
    "can you work out 6 * 7 for me",
    "could you please tell me what 6 * 7 is",
    "I want to know what is 6 * 7",
    "i'd like to calculate 6 * 7",
    "evaluate 6 * 7",
    "what's the result of 6 * 7?",
    "what would be the answer to 6 * 7",
    "use the calculator to multiply 6 by 7",
    "do the math: 6 * 7",
    "hey, find 6 * 7, thanks",
    "6 * 7",
    "6 * 7 = ?",
    "the product of six and seven please",
  ])("understands %s", async (request) => {
    expect(await inputsFor(request)).toEqual([{ expression: "6 * 7" }]);
  });

  it.each([
    ["how much is left when you take 5 from 20", "20 - 5"],
    ["the answer for this problem 5 plus 6", "5 + 6"],
    ["is 17 divisible by 5", "17 % 5"],
    ["does 5 plus 5 equal 11", "5 + 5"],
    ["is the sum of four and five ten", "4 + 5"],
    ["six times two equals thirteen", "6 * 2"],
    ["divide 7 into 49", "49 / 7"],
    ["split 90 three ways", "90 / 3"],
    ["share 100 equally among 4 people", "100 / 4"],
    ["81 divided buy 9", "81 / 9"],
    ["forty percentages of 60", "40% * 60"],
    ["what's 8 and 9", "8 + 9"],
    ["what is -8 and 9", "-8 + 9"],
    ["what percent of 80 is 20", "20 / 80 * 100"],
    ["20 is what percentage of 80", "20 / 80 * 100"],
    ["what is point five times ten", "0.5 * 10"],
    ["what is one point five million times 2", "1500000 * 2"],
    ["half a million divided by two", "1000000 / 2 / 2"],
    ["5 feet is how many inches", "5 * 304.8 / 25.4"],
    ["how many inches are there in 3 feet", "3 * 304.8 / 25.4"],
    ["how many hours in a week", "1 * 604800 / 3600"],
    ["convert -5 km to m", "(-5) * 1000000 / 1000"],
    ["convert 20 celsius to fahrenheit", "20 * 9 / 5 + 32"],
    ["what is 68 degrees fahrenheit in celsius", "(68 - 32) * 5 / 9"],
    ["what is the area of a 5 by 8 room", "5 * 8"],
    ["how many square feet is a 5 by 8 room", "5 * 8"],
    ["what is the perimeter of a 5 by 8 rectangle", "2 * (5 + 8)"],
  ])("understands another wording: %s", async (request, expression) => {
    expect(await inputsFor(request)).toEqual([{ expression }]);
  });

  it.each([
    ["add both answers", "a + b"],
    ["then add them up", "a + b"],
    ["multiply the two results", "a * b"],
    ["what is the average of them", "(a + b) / 2"],
    ["the difference between both results", "abs(a - b)"],
    ["subtract the first from the second", "b - a"],
    ["divide the second by the first", "b / a"],
  ])("uses two earlier results: %s", async (request, expression) => {
    const [, , last] = await inputsFor(`what is 3 + 4; what is 5 * 6; ${request}`);
    expect(last).toEqual({ expression, variables: { a: { $ref: "s1.value" }, b: { $ref: "s2.value" } } });
  });

  it("uses two earlier results only if there are exactly two", async () => {
    expect(await inputsFor("what is 3 + 4, what is 5 * 6, what is 2 + 2, then add them")).toHaveLength(4);
    for (const request of ["what is 3 + 4, then add both answers", "add both answers"]) {
      expect((await refusalOf(request)).reason).not.toBe("");
    }
    expect((await refusalOf(`${"what is 3 + 4; ".repeat(3)}add both answers`)).reason).not.toBe("");
  });

  it("converts an earlier result", async () => {
    expect((await inputsFor("what is 3 * 4, then convert it feet to inches"))[1]).toEqual({
      expression: "x * 304.8 / 25.4",
      variables: { x: { $ref: "s1.value" } },
    });
  });

  it("passes a result to the next step", async () => {
    expect(await inputsFor("what is 3 + 4, and what is 10% of it")).toEqual([
      { expression: "3 + 4" },
      { expression: "10% * x", variables: { x: { $ref: "s1.value" } } },
    ]);
    expect(await inputsFor("calculate 3 + 4 and calculate it", [calculator]).catch(() => "refused")).toBe("refused");
  });

  it.each([
    "7",
    "what is 7",
    "calculate",
    "what is the time",
    "what is it",
    "calculate the weather",
    "solve x + 2 = 5",
    "convert 5 miles to hours",
    "convert 5 celsius to celsius",
    "how many ounces in a gallon",
    "convert 5 dollars to euros",
    "what is the area of a -5 by 8 room",
    "3/4/2020",
    "555-123-4567",
    "reduce 80 by a quarter",
  ])("refuses %s", async (request) => {
    expect((await refusalOf(request, { tools: [calculator, todos] })).examples.length).toBeGreaterThan(0);
  });
});
