import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { defineTool } from "../../src/core/define-tool.ts";
import type { PlanInput } from "../../src/core/plan.ts";
import type { DefinedTool } from "../../src/core/tool.ts";
import { assemblePlan, checkOnce, rememberPlan } from "../../src/plan/check-once.ts";

/** A tool that counts how often an input is checked against its schema. */
function countedTool(name = "Count", schema: z.ZodType = z.string()) {
  const checks = { count: 0 };
  const inputSchema = z.object({
    text: schema.refine(() => {
      checks.count++;
      return true;
    }),
  });
  return { checks, tool: defineTool({ name, description: "Counts", inputSchema, execute: () => null }) };
}

const scopeOf = (tools: readonly DefinedTool[], maxSteps?: number) => ({
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  maxSteps,
});
const steps = ["a", "b"].map((id) => ({ id, tool: "Count", input: { text: "x" }, dependsOn: [] }));

/** The frozen steps of a plan that was found valid. */
async function validSteps(tool: DefinedTool): Promise<PlanInput["steps"]> {
  const { plan } = await checkOnce({ steps }, scopeOf([tool]));
  return plan?.steps ?? [];
}

describe("steps that were found valid", () => {
  it("are not checked again in another plan with the same step objects", async () => {
    const { tool, checks } = countedTool();
    const valid = await validSteps(tool);
    expect(checks.count).toBe(2);
    const head = { request: "Do it", source: { planner: "p", model: undefined } };
    const scope = scopeOf([countedTool("Other").tool, tool], 2);
    const { plan, issues } = await checkOnce(assemblePlan(valid, head, scope), scope);
    expect(issues).toEqual([]);
    expect(plan).toStrictEqual({ request: "Do it", source: { planner: "p" }, steps });
    expect(plan?.steps).toBe(valid);
    expect(Object.isFrozen(plan) && Object.isFrozen(plan?.source)).toBe(true);
    expect(checks.count).toBe(2);
  });

  it("are checked again if a tool of the same name differs", async () => {
    const valid = await validSteps(countedTool().tool);
    const strict = countedTool("Count", z.literal("y"));
    const plan = assemblePlan(valid, {}, scopeOf([strict.tool]));
    expect((await checkOnce(plan, scopeOf([strict.tool]))).issues).toHaveLength(2);
    expect((await checkOnce(plan, scopeOf([]))).issues.map(({ code }) => code)).toEqual([
      "unknown-tool",
      "unknown-tool",
    ]);
    const loose = countedTool();
    expect(await checkOnce(plan, scopeOf([loose.tool]))).toEqual({ plan: { steps }, issues: [] });
    expect(loose.checks.count).toBe(2);
  });

  it("are checked again if there are more than maxSteps", async () => {
    const { tool } = countedTool();
    const plan = assemblePlan(await validSteps(tool), {}, scopeOf([tool], 1));
    expect(await checkOnce(plan, scopeOf([tool], 1))).toMatchObject({ issues: [{ code: "too-many-steps" }] });
    const known = assemblePlan(await validSteps(tool), {}, scopeOf([tool]));
    expect(await checkOnce(known, scopeOf([tool], 1))).toMatchObject({ issues: [{ code: "too-many-steps" }] });
  });

  it("are checked again as a copy, which may have been changed", async () => {
    const { tool } = countedTool();
    const [first, ...rest] = await validSteps(tool);
    const changed = [{ ...first, input: { text: 7 } }, ...rest];
    const scope = scopeOf([tool]);
    expect(await checkOnce(assemblePlan(changed, {}, scope), scope)).toMatchObject({
      issues: [{ code: "invalid-input" }],
    });
  });

  it.each<[string, object, object]>([
    ["a source without a planner", { source: { planner: 5 } }, { code: "invalid-shape", path: ["source", "planner"] }],
    ["a key that does not exist", { steps2: [] }, { code: "unknown-key", path: ["steps2"] }],
    ["half a character", { request: "\ud800" }, { code: "lone-surrogate", path: ["request"] }],
    [
      "a value that is not JSON",
      { source: { planner: "p", cost: 1n } },
      { code: "not-json", path: ["source", "cost"] },
    ],
  ])("do not make a plan valid that has %s", async (_what, head, issue) => {
    const { tool } = countedTool();
    const scope = scopeOf([tool]);
    expect(await checkOnce(assemblePlan(await validSteps(tool), head, scope), scope)).toMatchObject({
      issues: [issue],
    });
  });
});

describe("a plan that is remembered", () => {
  it("is returned unchanged for the same tools", async () => {
    const { tool, checks } = countedTool();
    const plan = rememberPlan(Object.freeze({ request: "Do it", steps: await validSteps(tool) }));
    expect((await checkOnce(plan, scopeOf([tool]))).plan).toBe(plan);
    expect(checks.count).toBe(2);
    const copy = await checkOnce({ ...plan }, scopeOf([tool]));
    expect(copy.plan).toEqual(plan);
    expect(checks.count).toBe(4);
  });
});

it.each([null, undefined, 5, "plan", [], {}])("a value that is not a plan has issues: %j", async (value) => {
  expect((await checkOnce(value, scopeOf([]))).issues.length).toBeGreaterThan(0);
});
