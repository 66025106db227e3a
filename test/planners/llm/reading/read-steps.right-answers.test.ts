import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PlanStep } from "../../../../src/core/plan.ts";
import { planWith, requestOf } from "../ask-llm-planner.ts";
import { toolSets } from "./right-answers/tools.ts";

interface RightAnswer {
  readonly title: string;
  readonly tools: string;
  readonly request: string;
  readonly answer: string;
  readonly expected: readonly Partial<PlanStep>[];
}

/** Right answers as models write them. Each has a title, a request, the answer and the steps that it means. */
function readAnswers(): readonly RightAnswer[] {
  const text = readFileSync(new URL("right-answers/answers.txt", import.meta.url), "utf8");
  return text
    .split(/^=== /m)
    .slice(1)
    .map((entry) => {
      const [head = "", answer = "", steps = ""] = entry.split(/^---\n/m);
      const [title = "", request = ""] = head.split("\n");
      const tools = title.split(" · ")[0] ?? "";
      return { title, tools, request, answer: answer.trimEnd(), expected: JSON.parse(steps) as Partial<PlanStep>[] };
    });
}

const answers = readAnswers();

describe("a right answer is taken at once", () => {
  it("is one of a hundred", () => {
    expect(answers.length).toBeGreaterThanOrEqual(100);
    expect(new Set(answers.map(({ title }) => title)).size).toBe(answers.length);
  });

  it.each(answers.map((answer) => [answer.title, answer] as const))("%s", async (_title, right) => {
    const tools = toolSets[right.tools] ?? [];
    const { steps, source } = await planWith([right.answer], requestOf(right.request, { tools }));
    expect(steps.map((step, index) => only(step, right.expected[index] ?? {}))).toEqual(right.expected);
    expect(source?.attempts).toBe(1);
  });
});

/** The parts of a step that are expected to be something. */
function only(step: object, expected: Partial<PlanStep>): object {
  return Object.fromEntries(Object.entries(step).filter(([key]) => key in { tool: 1, input: 1, ...expected }));
}
