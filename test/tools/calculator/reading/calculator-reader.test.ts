import { describe, expect, it } from "vitest";
import { tokenize } from "../../../../src/language/tokens.ts";
import { wordForms } from "../../../../src/language/word-forms.ts";
import { createCalculatorReader } from "../../../../src/tools/calculator/reading/calculator-reader.ts";

const reader = createCalculatorReader();

function read(text: string) {
  const tokens = tokenize(text);
  const [found] = reader.read({ text, tokens, forms: wordForms(tokens), dates: [] });
  return found && { ...found, inputs: found.toInputs({ previous: undefined, nowMs: 0, timeZone: "UTC" }) };
}

describe("the reader of arithmetic", () => {
  it.each([
    ["how much would 12 times 3 come to", "12 * 3"],
    // A few words that say nothing of numbers do no harm beside a plain operator.
    ["my kid asks what 8 times 7 is", "8 * 7"],
    ["oi whats 17 quid plus 26 quid", "17 + 26"],
  ])("reads %s", (text, expression) => {
    expect(read(text)?.inputs).toEqual([{ expression }]);
  });

  it("is less sure the more other words there are", () => {
    const sure = ["what is 8 times 7", "my kid asks what 8 times 7 is"].map((text) => read(text)?.probability ?? 0);
    expect(sure[1]).toBeLessThan(sure[0] ?? 0);
    expect(sure[1]).toBeGreaterThanOrEqual(0.7);
  });

  it.each([
    "i was charged two times for one transaction",
    "graph y = 2x + 1",
    "rent a car from 2/28 - 3/1 in reno",
    "my blood pressure is 120 over 80",
    'what is 8 times 7 in "roman"',
    "what is one plus one equals window",
    "the long story of how my kid found that 8 times 7 is 56 at school",
  ])("leaves alone: %s", (text) => {
    expect(read(text)).toBeUndefined();
  });
});
