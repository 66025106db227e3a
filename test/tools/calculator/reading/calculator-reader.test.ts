import { describe, expect, it } from "vitest";
import { tokenize } from "../../../../src/language/tokens.ts";
import { wordForms } from "../../../../src/language/word-forms.ts";
import { createCalculatorReader } from "../../../../src/tools/calculator/reading/calculator-reader.ts";
import { sumWeights } from "../../../../src/tools/calculator/reading/sum-weights.ts";

const reader = createCalculatorReader(sumWeights);

function read(text: string) {
  const tokens = tokenize(text);
  const [found] = reader.read({ text, tokens, forms: wordForms(tokens), dates: [] });
  return found && { ...found, inputs: found.toInputs({ previous: undefined, nowMs: 0, timeZone: "UTC" }) };
}

describe("the reader of arithmetic", () => {
  it.each([
    ["how much would 12 times 3 come to", "12 * 3"],
    ["my neighbour wants to know what 8 times 7 is", "8 * 7"],
    ["hi there, 17 plus 26", "17 + 26"],
  ])("reads %s", (text, expression) => {
    expect(read(text)?.inputs).toEqual([{ expression }]);
  });

  it.each([
    "i was charged two times for one transaction",
    "graph y = 2x + 1",
    "rent a car from 2/28 - 3/1 in reno",
    "my blood pressure is 120 over 80",
    "what is one plus one equals window",
    "add the answer of 5 + 6 to my list",
    "email bob 3 plus 4",
    'what is 8 times 7 in "roman"',
    "what is one plus one equals window",
    "the long story of how my kid found that 8 times 7 is 56 at school",
  ])("leaves alone: %s", (text) => {
    // Less than the planner takes.
    expect(read(text)?.probability ?? 0).toBeLessThan(0.7);
  });
});
