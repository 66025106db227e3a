import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolStep } from "../../src/core/plan.ts";
import { findBraces } from "../../src/plan/references.ts";

const stepsWith = (input: ToolStep["input"]): readonly ToolStep[] => [
  { id: "a", tool: "A", input: {} },
  { id: "b", tool: "A", input },
];
const found = (text: string) => findBraces(stepsWith({ text }))[0];

describe("findBraces", () => {
  it.each([
    ["{{a.todos}}", "{{a.todos}}", "a.todos"],
    ["Sum of {{ a }} and 3", "{{ a }}", "a"],
    ['{{a["any key"][0]}}', '{{a["any key"][0]}}', 'a["any key"][0]'],
    ["{{name}} owes {{a.sum}}", "{{a.sum}}", "a.sum"],
    ["{{{a}}}", "{{a}}", "a"],
    ["{{ {{a}}", "{{a}}", "a"],
  ])("finds braces that name a step in %j", (text, braces, reference) => {
    expect(found(text)).toEqual({ stepId: "b", text: braces, reference });
  });

  it.each([
    "{{name}}",
    "{a.todos}",
    "{{a.todos}",
    "{{}}",
    "{{a + 1}}",
    "{{aa}}",
    "{{#each a}}",
    "{{a}.x}",
    "${a.todos}",
  ])("treats %j as plain text", (text) => {
    expect(found(text)).toBeUndefined();
  });

  it("searches every level of an input except literals, and reports the first of each step", () => {
    const deep = { list: [{ text: "x" }, { text: "{{a}} {{a.b}}" }], other: "{{b}}", none: null, count: 1 };
    expect(findBraces([...stepsWith(deep), { id: "c", tool: "A", input: { text: "{{b}}" } }])).toEqual([
      { stepId: "b", text: "{{a}}", reference: "a" },
      { stepId: "c", text: "{{b}}", reference: "b" },
    ]);
    expect(findBraces(stepsWith({ text: { $literal: "{{a}}" } }))).toEqual([]);
  });

  it("finds braces anywhere in a text", () => {
    const plain = fc.string().map((text) => text.replaceAll(/[{}]/g, ""));
    fc.assert(
      fc.property(plain, plain, (before, after) => {
        expect(found(`${before}{{a}}${after}`)?.reference).toBe("a");
        expect(found(`${before}{{other}}${after}`)).toBeUndefined();
      }),
    );
  });
});
