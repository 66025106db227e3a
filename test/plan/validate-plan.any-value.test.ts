import fc from "fast-check";
import { validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { issuesOf, planTools } from "../fixtures/plan-tools.ts";

const first = { id: "s1", tool: "Sum", input: { a: 1, b: 2 }, dependsOn: [] };

describe("validatePlan", () => {
  const anything = fc.anything({
    withBigInt: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withDate: true,
  });
  const expectIssues = async (plan: unknown) => {
    const issues = await validatePlan(plan, { tools: planTools });
    expect(issues.every(({ code, path, message }) => code && Array.isArray(path) && message)).toBe(true);
  };

  it("never throws for any value", async () => {
    await fc.assert(fc.asyncProperty(anything, expectIssues));
  });

  it("never throws for any JSON at any place of a plan", async () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("s1", "s2", "${s1.value}", "${", { $ref: "s1.value" }, { $ref: 5 }, { $literal: 1 }),
    );
    const parts = [
      "s1",
      "s2",
      "item",
      "index",
      ".value",
      ".rows",
      " > ",
      " + ",
      "[0]",
      "(",
      ")",
      ".map(x, x)",
      "true",
      "||",
    ];
    const expression = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((found) => found.join(""));
    const step = fc.record(
      {
        id: fc.oneof(fc.constantFrom("s1", "s2"), odd),
        tool: fc.oneof(fc.constantFrom("Sum", "Note", "Open"), odd),
        input: fc.oneof(odd, fc.dictionary(fc.constantFrom("a", "b", "title", "tags"), odd)),
        dependsOn: fc.oneof(fc.array(fc.constantFrom("s1", "s2")), odd),
        when: fc.oneof(expression, odd),
        forEach: fc.oneof(expression, odd),
        concurrency: fc.oneof(fc.constant(2), odd),
      },
      { requiredKeys: [] },
    );
    const plan = fc.record(
      { version: odd, request: odd, steps: fc.array(step), more: odd },
      { requiredKeys: ["steps"] },
    );
    await fc.assert(fc.asyncProperty(plan, expectIssues), { numRuns: 300 });
  });

  it("never throws for JavaScript values inside an input", async () => {
    await fc.assert(
      fc.asyncProperty(anything, (value) => expectIssues({ steps: [{ ...first, tool: "Open", input: { value } }] })),
    );
  });

  it("limits depth, length and repetition", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(await issuesOf({ steps: [{ ...first, tool: "Open", input: { deep } }] })).toMatchObject({ length: 1 });
    const long = new Array(200_000).fill("x");
    expect(await issuesOf({ steps: [{ ...first, tool: "Open", input: { long } }] })).toEqual([]);
    expect(await issuesOf({ steps: new Array(50_000).fill(null) }, { maxSteps: 10 })).toHaveLength(50_001);
  });
});
