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

  it("gives a result to the next step", async () => {
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
  ])("refuses %s", async (request) => {
    expect((await refusalOf(request, { tools: [calculator, todos] })).capabilities.length).toBeGreaterThan(0);
  });
});
