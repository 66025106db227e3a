import fc from "fast-check";
import { validatePlan } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import { plainIssues } from "../../src/plan/validate-plan.ts";

const tools = [createFakeTool({ name: "A" }), createFakeTool({ name: "B" })];
const byName = indexTools(tools);
const codesOf = (plan: unknown) => plainIssues(plan, byName).map(({ code }) => code);
const step = (id: unknown, tool: unknown) => ({ id, tool, input: {}, dependsOn: [] });

describe("the plain issues of a plan", () => {
  it("are all missing steps, unknown tools and duplicate ids", () => {
    expect(codesOf({ steps: [step("a", "A"), step("b", "B")] })).toEqual([]);
    expect(codesOf({ steps: [] })).toEqual(["invalid-shape"]);
    expect(codesOf({ steps: [step("a", "C"), step("a", "A"), step("b", "D"), step("a", "A")] })).toEqual([
      "unknown-tool",
      "duplicate-id",
      "unknown-tool",
      "duplicate-id",
    ]);
  });

  it.each([[null], [undefined], [42], ["text"], [[]], [{}], [{ steps: {} }]])("of %j are missing steps", (plan) => {
    expect(codesOf(plan)).toEqual(["invalid-shape"]);
  });

  it("are found in the JSON that the plan becomes", () => {
    expect(codesOf({ toJSON: () => ({ steps: [step("a", "A")] }) })).toEqual([]);
    expect(codesOf({ toJSON: () => ({ steps: [step("a", "C")] }) })).toEqual(["unknown-tool"]);
  });

  it("are empty for a plan that cannot be read, or is not JSON, which the full check reports", () => {
    const fragile = {
      get steps(): never {
        throw new Error("no");
      },
    };
    expect(codesOf(fragile)).toEqual([]);
    expect(codesOf({ steps: [{ ...step("a", "C"), input: { n: 1n } }] })).toEqual([]);
  });

  it("are a part of the issues that validatePlan finds, for any plan", async () => {
    const part = fc.record(
      {
        id: fc.oneof(fc.constantFrom("a", "b", "c"), fc.jsonValue()),
        tool: fc.oneof(fc.constantFrom("A", "B", "C"), fc.jsonValue()),
        input: fc.constant({}),
        dependsOn: fc.constant([]),
      },
      { requiredKeys: [] },
    );
    const plans = fc.record({ steps: fc.oneof(fc.array(fc.oneof(part, fc.jsonValue())), fc.jsonValue()) });
    const isPlain = ({ code }: { code: string }) => code === "unknown-tool" || code === "duplicate-id";
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const all = await validatePlan(plan, { tools });
        const found = plainIssues(plan, byName);
        if (all.length === 0) expect(found).toEqual([]);
        // Of a step that is out of shape validation says nothing else.
        if (all.some(({ code }) => code === "invalid-shape")) return;
        expect(new Set(found)).toEqual(new Set(all.filter(isPlain)));
      }),
    );
  });
});
