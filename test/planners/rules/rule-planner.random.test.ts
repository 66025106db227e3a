import fc from "fast-check";
import { createRulePlanner, isAgentError, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { findReferences } from "../../../src/plan/references.ts";
import { calculator, requestOf, todos, weather } from "./plan-for.ts";

const tools = [calculator, todos, weather];
const pieces = [
  ..."add show list complete delete clear search rename remind calculate what is the my a todo task list to on in from and then , . ; : ! ? milk eggs 5 + 7 times two hundred % of it that the result".split(
    " ",
  ),
  ...[
    "${s1}",
    "${HOME}",
    '{"$ref":"s1"}',
    "s1.value",
    '"',
    "'",
    "“",
    "”",
    "tomorrow",
    "weather",
    "Paris",
    "second",
    "☕",
    "ÄÖ",
    "first",
    "please",
    "me",
    "as",
    "done",
  ],
];
const request = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }).map((words) => words.join(" "));
const anaphor = /\b(?:it|that|this|result|halve|double)\b/i;

async function planOrRefuse(text: string) {
  try {
    return await createRulePlanner().plan(requestOf(text, { tools }));
  } catch (error) {
    if (isAgentError(error, "cannot-plan")) return undefined;
    throw error;
  }
}

describe("any request", () => {
  it("is refused, or becomes a valid plan that escapes its text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.string({ unit: "grapheme", minLength: 1 })), async (text) => {
        const plan = await planOrRefuse(text);
        if (plan === undefined) return;
        expect(await validatePlan({ ...plan, request: "" }, { tools })).toEqual([]);
        for (const step of plan.steps) {
          for (const { reference } of findReferences(step.input)) expect(reference?.text).toMatch(/^s\d+/);
          expect(step.dependsOn).toBeDefined();
        }
        const first = plan.steps[0];
        expect(first && findReferences(first.input)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("refers to a result only through a word for one", async () => {
    const titles = fc.string({ minLength: 1, maxLength: 30 }).filter((title) => !anaphor.test(title));
    await fc.assert(
      fc.asyncProperty(titles, async (title) => {
        const plan = await planOrRefuse(`calculate 1 + 1; add a todo: ${title}`);
        const step = plan?.steps[1];
        if (step?.tool === "TodoStore") expect(findReferences(step.input)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("always becomes the same plan", async () => {
    await fc.assert(
      fc.asyncProperty(request, async (text) => {
        expect(await planOrRefuse(text)).toEqual(await planOrRefuse(text));
      }),
      { numRuns: 50 },
    );
  });
});
