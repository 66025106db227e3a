import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PlanStep } from "../../../../src/core/plan.ts";
import type { DefinedTool } from "../../../../src/core/tool.ts";
import { planWith, requestOf } from "../ask-llm-planner.ts";
import { toolSets as first } from "./right-answers/first/tools.ts";
import { toolSets as fourth } from "./right-answers/fourth/tools.ts";
import { toolSets as second } from "./right-answers/second/tools.ts";
import { toolSets as third } from "./right-answers/third/tools.ts";

interface Answer {
  readonly title: string;
  readonly tools: string;
  readonly request: string;
  readonly answer: string;
  readonly expected: readonly Partial<PlanStep>[];
}

/** Answers as models write them. Each has a title, a request, the answer and the steps that it means. */
function readAnswers(file: string): readonly Answer[] {
  const text = readFileSync(new URL(`right-answers/${file}`, import.meta.url), "utf8");
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

/** All but the first were written without a look at how answers are read. Of the fourth, 97 of 100 were taken at once. */
const sets: readonly (readonly [string, Readonly<Record<string, readonly DefinedTool[]>>])[] = [
  ["first", first],
  ["second", second],
  ["third", third],
  ["fourth", fourth],
];

describe.each(sets)("a right answer of the %s set is taken at once", (set, toolSets) => {
  const answers = readAnswers(`${set}/answers.txt`);

  it("is one of many", () => {
    expect(answers.length).toBeGreaterThanOrEqual(88);
    expect(new Set(answers.map(({ title }) => title)).size).toBe(answers.length);
  });

  it.each(answers.map((answer) => [answer.title, answer] as const))("%s", async (_title, right) => {
    const tools = toolSets[right.tools] ?? [];
    const { steps, source } = await planWith([right.answer], requestOf(right.request, { tools }));
    expect(steps.map((step, index) => only(step, right.expected[index] ?? {}))).toEqual(right.expected);
    expect(source?.attempts).toBe(1);
  });
});

describe.each(sets.slice(1))("a wrong or ambiguous answer of the %s set is not taken", (set, toolSets) => {
  it.each(readAnswers(`${set}/wrong-answers.txt`).map((answer) => [answer.title, answer] as const))(
    "%s",
    async (_title, { request, tools, answer }) => {
      const planning = planWith([answer, ""], requestOf(request, { tools: toolSets[tools] ?? [] }));
      await expect(planning).rejects.toThrow();
    },
  );
});

/** The parts of a step that are expected to be something. */
function only(step: object, expected: Partial<PlanStep>): object {
  return Object.fromEntries(Object.entries(step).filter(([key]) => key in { tool: 1, input: 1, ...expected }));
}
