import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StepStream } from "../../../../src/planners/llm/reading/step-stream.ts";

/** All steps of an answer that comes in these pieces. */
function stepsOf(deltas: Iterable<string>): readonly unknown[] {
  const stream = new StepStream();
  const steps: unknown[] = [];
  for (const delta of deltas) steps.push(...stream.push(delta));
  return steps;
}

const plan = {
  steps: [
    { tool: "A", input: { text: 'a "}]{[" \\ é 😀' } },
    { tool: "B", input: { list: [{}, [1]] } },
  ],
};
const json = JSON.stringify(plan);

describe("the steps of a stream", () => {
  it.each([
    ["of an object", json],
    ["of a bare list", JSON.stringify(plan.steps)],
    ["with white space", JSON.stringify(plan, null, 2)],
    ["in a fence in prose", `Sure [1], "so"} be it:\n\`\`\`json\n${json}\n\`\`\`\nOk? {"steps": [{}]}`],
    [
      "behind a list of something else",
      `{"notes": ["x", 1, []], "steps": ${JSON.stringify(plan.steps)}, "more": [{}]}`,
    ],
    ["behind a text that quotes brackets", `{"reason": "[{\\"tool\\": 1}]", ${json.slice(1)}`],
    ["behind a thought", `<think>maybe [{"tool":"C"}] or "{</think>${json}`],
    ["behind a thought of another name", `Hm. <Thinking>[{"tool":"C"}]</THINKING>\n${json}`],
    ["behind tags that are not a thought", `a < b, <thin k> <thinkingthinking> <> </think> ${json}`],
  ])("are found: %s", (_name, text) => {
    expect(stepsOf([text])).toEqual(plan.steps);
    expect(stepsOf(text)).toEqual(plan.steps);
  });

  it("are returned as soon as they are complete", () => {
    const stream = new StepStream();
    expect(stream.push('{"steps": [{"tool": "A"')).toEqual([]);
    expect(stream.push("}")).toEqual([{ tool: "A" }]);
    expect(stream.push(', {"tool": "B"}, {"to')).toEqual([{ tool: "B" }]);
    expect(stream.push('ol": "C"}]}')).toEqual([{ tool: "C" }]);
    expect(stream.push('{"steps": [{"tool": "D"}]}')).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["prose", "I cannot do that."],
    ["no list", '{"tool": "A", "input": {"tags": [{"a": 1}]}}'],
    ["no objects", '{"steps": [1, "a", [{"tool": "A"}], null]}'],
    ["an empty list", '{"steps": [], "reason": "no"}'],
    ["a value that is not JSON", "{steps: [{tool: 'A'}]}"],
    ["a step with the wrong end", '{"steps": [{"tool": "A"]]}'],
    ["a step that is cut", '{"steps": [{"tool": "A", "input": {'],
    ["a thought that never ends", `<think>${json}`],
    ["a step that is nested too deep", `{"steps": [${'{"a":'.repeat(500)}1${"}".repeat(500)}]}`],
  ])("are not found in %s", (_name, text) => {
    expect(stepsOf([text])).toEqual([]);
  });

  it("are found beside a step that is not JSON", () => {
    expect(stepsOf('{"steps": [{tool: 1}, {"tool": "B"}]}')).toEqual([{ tool: "B" }]);
  });

  it("do not depend on how the text is split", () => {
    const parts = [
      json,
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      '{"steps":[',
      '{"tool":"A"}',
      ",",
      "<think>",
      "</think>",
      "a ",
      "é😀",
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(60), { maxLength: 8 }), (whole, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
        const deltas = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect(stepsOf(deltas)).toEqual(stepsOf([whole]));
        // Also in the midst of a character.
        expect(stepsOf(whole.split(""))).toEqual(stepsOf([whole]));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("very long answers", () => {
  const size = 1_000_000;

  it.each(["{", "[", "}", '"', "<", "<think>", "</think>", "a", "{}", '[{"a":1},', '[{"', '{"steps":[{"a":"\\', "\\"])(
    "of %j are read in linear time",
    (piece) => {
      const text = piece.repeat(size / piece.length);
      expect(stepsOf(text).length).toBe(stepsOf([text]).length);
    },
  );

  it("are read in single characters", () => {
    const steps = [
      { tool: "A", input: { text: "x".repeat(size) } },
      ...Array.from({ length: 20_000 }, () => ({ tool: "B" })),
    ];
    expect(stepsOf(JSON.stringify({ steps }))).toEqual(steps);
  });
});
