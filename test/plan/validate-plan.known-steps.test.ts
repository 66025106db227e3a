import { type DefinedTool, defineTool, type PlanInput } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { createExpressions } from "../../src/plan/expressions.ts";
import { checkOnce, rememberPlan } from "../../src/plan/validate-plan.ts";

/** A tool that counts how often an input is checked against its schema. */
function countedTool(name = "Count", schema: z.ZodType = z.string()) {
  const checks = { count: 0 };
  const inputSchema = z.object({
    text: schema.refine(() => {
      checks.count++;
      return true;
    }),
  });
  return {
    checks,
    tool: defineTool({ name, description: "Counts", inputSchema, effect: "idempotent", execute: () => null }),
  };
}

const scopeOf = (tools: readonly DefinedTool[], maxSteps?: number) => ({
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  maxSteps,
  expressions: createExpressions(),
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
    const { plan, issues } = await checkOnce({ ...head, steps: valid }, scope);
    expect(issues).toEqual([]);
    expect(plan).toStrictEqual({ request: "Do it", source: { planner: "p" }, steps });
    expect(plan?.steps).toBe(valid);
    expect(Object.isFrozen(plan) && Object.isFrozen(plan?.source)).toBe(true);
    expect(checks.count).toBe(2);
  });

  it("are checked again if a tool of the same name differs", async () => {
    const valid = await validSteps(countedTool().tool);
    const strict = countedTool("Count", z.literal("y"));
    const plan = { steps: valid };
    expect((await checkOnce(plan, scopeOf([strict.tool]))).issues).toHaveLength(2);
    expect((await checkOnce(plan, scopeOf([]))).issues.map(({ code }) => code)).toEqual([
      "unknown-tool",
      "unknown-tool",
    ]);
    const loose = countedTool();
    expect(await checkOnce(plan, scopeOf([loose.tool]))).toMatchObject({ plan: { steps }, issues: [] });
    expect(loose.checks.count).toBe(2);
  });

  it("are checked again if there are more than maxSteps", async () => {
    const { tool } = countedTool();
    const plan = { steps: await validSteps(tool) };
    expect(await checkOnce(plan, scopeOf([tool], 1))).toMatchObject({ issues: [{ code: "too-many-steps" }] });
    const known = { steps: await validSteps(tool) };
    expect(await checkOnce(known, scopeOf([tool], 1))).toMatchObject({ issues: [{ code: "too-many-steps" }] });
  });

  it("are checked again as a copy, which may have been changed", async () => {
    const { tool } = countedTool();
    const [first, ...rest] = await validSteps(tool);
    const changed = [{ ...first, input: { text: 7 } }, ...rest];
    const scope = scopeOf([tool]);
    expect(await checkOnce({ steps: changed }, scope)).toMatchObject({
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
    expect(await checkOnce({ ...head, steps: await validSteps(tool) }, scope)).toMatchObject({
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
    expect(copy.plan).not.toBe(plan);
    expect(checks.count).toBe(2);
  });
});

describe("a plan of the same content", () => {
  /** A valid plan, and how often its inputs have been checked since it was found valid. */
  async function validPlan() {
    const { tool, checks } = countedTool();
    const plan = { request: "Do it", steps: structuredClone(steps) as Record<string, unknown>[] };
    const { plan: copy } = await checkOnce(plan, scopeOf([tool]));
    checks.count = 0;
    const recheck = async (value: unknown = plan) => checkOnce(value, scopeOf([tool]));
    return { plan, copy, checks, recheck };
  }

  it("is not checked again", async () => {
    const { plan, copy, checks, recheck } = await validPlan();
    const { plan: again } = await recheck();
    expect(again).toEqual(copy);
    expect(again?.steps).toBe(copy?.steps);
    expect((await recheck({ ...plan, request: "Do it twice" })).plan).toEqual({ ...copy, request: "Do it twice" });
    expect(checks.count).toBe(0);
  });

  it.each<[string, (first: Record<string, unknown>) => unknown, number]>([
    ["another value", (first) => Object.assign(first.input as object, { text: "y" }), 2],
    ["another key", (first) => Object.assign(first, { reasoning: "why" }), 2],
    ["a key less", (first) => delete first.dependsOn, 2],
    ["keys in another order", (first) => [delete first.id, Object.assign(first, { id: "a" })], 2],
    ["a Date", (first) => Object.assign(first, { reasoning: new Date(0) }), 2],
    ["toJSON", (first) => Object.defineProperty(first, "toJSON", { value: () => ({ ...first }) }), 2],
    ["a getter", (first) => Object.defineProperty(first, "reasoning", { get: () => "why", enumerable: true }), 2],
    ["a prototype", (first) => Object.setPrototypeOf(first, { when: "false" }), 2],
  ])("is checked again with %s", async (_what, change, expected) => {
    const { plan, checks, recheck } = await validPlan();
    change(plan.steps[0] as Record<string, unknown>);
    expect((await recheck()).issues).toEqual([]);
    expect(checks.count).toBe(expected);
  });

  it("is checked again if a schema answers with a promise", async () => {
    let isOpen = true;
    const inputSchema = z.object({}).refine(() => Promise.resolve(isOpen));
    const gate = defineTool({
      name: "Gate",
      description: "Opens",
      inputSchema,
      effect: "idempotent",
      execute: () => null,
    });
    const plan = { steps: [{ id: "a", tool: "Gate", input: {} }] };
    expect((await checkOnce(plan, scopeOf([gate]))).issues).toEqual([]);
    isOpen = false;
    expect((await checkOnce(plan, scopeOf([gate]))).issues).toMatchObject([{ code: "invalid-input" }]);
  });

  it("is refused once a list of it has a hole at its end, or it is no plain object", async () => {
    const listing = defineTool({
      name: "List",
      description: "Lists",
      inputSchema: z.object({ of: z.array(z.number().nullable()) }),
      effect: "idempotent",
      execute: () => null,
    });
    const plan = { steps: [{ id: "a", tool: "List", input: { of: [1, 2] } }] };
    const scope = scopeOf([listing]);
    await checkOnce(plan, scope);
    (plan.steps[0]?.input.of as number[]).length++;
    expect((await checkOnce(plan, scope)).plan?.steps[0]?.input).not.toEqual({ of: [1, 2] });
    const known = { steps: [{ id: "a", tool: "List", input: { of: [1] } }] };
    await checkOnce(known, scope);
    expect((await checkOnce(Object.assign(new Map(), known), scope)).plan).toBeUndefined();
  });

  it("is refused once it has become invalid, also by a getter that throws", async () => {
    const { plan, recheck } = await validPlan();
    Object.assign(plan.steps[1] as object, { id: "a" });
    expect((await recheck()).issues).toMatchObject([{ code: "duplicate-id" }]);
    const { plan: other, recheck: again } = await validPlan();
    const fail = () => {
      throw new Error("no");
    };
    Object.defineProperty(other.steps[0], "input", { get: fail, enumerable: true });
    expect((await again()).issues).toMatchObject([{ code: "not-json", path: ["steps", 0, "input"] }]);
    Object.defineProperty(other, "request", { get: fail, enumerable: true });
    expect((await again()).issues).toMatchObject([{ code: "not-json", path: ["request"] }]);
  });

  it("is checked against the events that there are, and against version 1", async () => {
    const scope = { ...scopeOf([]), events: new Map([["paid", z.unknown()]]) };
    const plan = { version: 2, steps: [{ id: "a", wait: { event: "paid" } }] };
    expect((await checkOnce(plan, scope)).issues).toEqual([]);
    expect((await checkOnce(plan, { ...scope, events: new Map() })).issues).toMatchObject([{ code: "unknown-event" }]);
    expect((await checkOnce({ ...plan, version: 1 }, scopeOf([]))).issues).toMatchObject([{ code: "plan-version" }]);
  });
});

it.each([null, undefined, 5, "plan", [], {}])("a value that is not a plan has issues: %j", async (value) => {
  expect((await checkOnce(value, scopeOf([]))).issues.length).toBeGreaterThan(0);
});
