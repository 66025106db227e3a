import fc from "fast-check";
import { defineTool, validatePlan } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { indexTools } from "../../src/core/define-tool.ts";
import { toJson } from "../../src/core/json.ts";
import { checkPlan, plainIssues } from "../../src/plan/validate-plan.ts";
import { issuesOf, note, open, planTools, sum, toolWith } from "../fixtures/plan-tools.ts";

const first = { id: "s1", tool: "Sum", input: { a: 1, b: 2 }, dependsOn: [] };
const second = { id: "s2", tool: "Note", input: { title: "It is ${s1.value}" }, dependsOn: ["s1"] };

describe("a valid plan", () => {
  it.each<[string, unknown]>([
    ["of one step, by hand", { steps: [{ id: "s1", tool: "Sum", input: { a: 1 } }] }],
    [
      "with all there is",
      {
        version: 1,
        id: "plan_1",
        request: "Add",
        source: { planner: "rules", model: "any" },
        createdAt: "2026-01-01T00:00:00.000Z",
        steps: [{ ...first, reasoning: "Why not" }, second],
      },
    ],
    [
      "with references of every kind",
      {
        steps: [
          first,
          {
            id: "s2",
            tool: "Note",
            input: {
              title: { $ref: "s1.text" },
              tags: ["${s1}", { $ref: "s1.rows[0].id" }, { $literal: "${s1.nope}" }],
            },
          },
          {
            id: "s3",
            tool: "Open",
            input: {
              any: [{ deep: { $ref: "s1" } }],
              at: { $ref: 's1.rows[3]["due date"]' },
              open: { $ref: "s1.open.a.b" },
            },
          },
          { id: "s4", tool: "Sum", input: { $ref: "s3" } },
        ],
      },
    ],
    ["with keys that are undefined", { version: undefined, steps: [{ ...first, reasoning: undefined }] }],
    [
      "of a class of its own",
      new (class {
        steps = [first];
      })(),
    ],
    ["without a prototype", Object.assign(Object.create(null), { steps: [first] })],
  ])("%s", async (_name, plan) => {
    expect(await issuesOf(plan)).toEqual([]);
  });

  it("is returned as a frozen copy", async () => {
    const plan = { steps: [structuredClone(first)] };
    const tools = new Map(planTools.map((tool) => [tool.name, tool]));
    const checked = await checkPlan(toJson(plan), { tools, expressions: undefined });
    plan.steps[0] = { ...first, tool: "Gone" };
    expect(checked.plan).toEqual({ steps: [first] });
    expect(Object.isFrozen(checked.plan?.steps[0]?.input)).toBe(true);
    expect((await checkPlan(toJson({ steps: [] }), { tools, expressions: undefined })).plan).toBeUndefined();
  });
});

describe("one issue, with its code and path", () => {
  it.each<[string, unknown, string[]]>([
    ["null", null, ["invalid-shape at "]],
    ["undefined", undefined, ["invalid-shape at "]],
    ["text", "plan", ["invalid-shape at "]],
    ["a list", [first], ["invalid-shape at "]],
    ["nothing in it", {}, ["invalid-shape at .steps"]],
    ["no step", { steps: [] }, ["invalid-shape at .steps"]],
    ["steps that are not a list", { steps: { s1: first } }, ["invalid-shape at .steps"]],
    ["another version", { version: 3, steps: [first] }, ["invalid-shape at .version"]],
    ["a request that is not text", { request: 5, steps: [first] }, ["invalid-shape at .request"]],
    ["an unknown key", { steps: [first], goal: 1 }, ["unknown-key at .goal"]],
    [
      "a key named __proto__",
      JSON.parse('{"__proto__":{},"steps":[{"id":"s1","tool":"Open","input":{}}]}'),
      ["unknown-key at .__proto__"],
    ],
    ["an unknown key of a step", { steps: [{ ...first, why: "" }] }, ["unknown-key at .steps[0].why"]],
    ["a step that is null", { steps: [null] }, ["invalid-shape at .steps[0]"]],
    ["a hole in the steps", { steps: Object.assign(new Array(2), { 0: first }) }, ["invalid-shape at .steps[1]"]],
    ["no id", { steps: [{ tool: "Sum", input: { a: 1 } }] }, ["invalid-shape at .steps[0].id"]],
    ["an id that no reference can name", { steps: [{ ...first, id: "1a" }] }, ["invalid-shape at .steps[0].id"]],
    ["an id with a line break behind it", { steps: [{ ...first, id: "s1\n" }] }, ["invalid-shape at .steps[0].id"]],
    ["an empty tool", { steps: [{ ...first, tool: "" }] }, ["invalid-shape at .steps[0].tool"]],
    ["an input that is a list", { steps: [{ ...first, input: [] }] }, ["invalid-shape at .steps[0].input"]],
    ["no input", { steps: [{ id: "s1", tool: "Sum" }] }, ["invalid-input at .steps[0].input.a"]],
    ["dependsOn that is text", { steps: [{ ...first, dependsOn: "s1" }] }, ["invalid-shape at .steps[0].dependsOn"]],
    ["an invalid condition", { steps: [{ ...first, when: "1 >" }] }, ["invalid-expression at .steps[0].when"]],
    ["a loop over no list", { steps: [{ ...first, forEach: "5" }] }, ["invalid-expression at .steps[0].forEach"]],
    ["a condition that is not text", { steps: [{ ...first, when: true }] }, ["invalid-shape at .steps[0].when"]],
    [
      "concurrency without a loop",
      { steps: [{ ...first, concurrency: 2 }] },
      ["invalid-shape at .steps[0].concurrency"],
    ],
    [
      "concurrency of nothing",
      { steps: [{ ...first, forEach: "[1]", concurrency: 0 }] },
      ["invalid-shape at .steps[0].concurrency"],
    ],
    ["an unknown tool", { steps: [{ ...first, tool: "sum" }] }, ["unknown-tool at .steps[0].tool"]],
    [
      "a tool named as a member of Object",
      { steps: [{ ...first, tool: "constructor" }] },
      ["unknown-tool at .steps[0].tool"],
    ],
    ["two steps of one id", { steps: [first, { ...first }] }, ["duplicate-id at .steps[1].id"]],
    ["half a surrogate pair", { request: "\ud800", steps: [first] }, ["lone-surrogate at .request"]],
    [
      "half a surrogate pair in a key",
      { steps: [{ ...first, tool: "Open", input: { "\udc00": 1 } }] },
      ["lone-surrogate at .steps[0].input.\udc00"],
    ],
    [
      "half a surrogate pair in a literal",
      { steps: [{ ...first, tool: "Open", input: { a: { $literal: ["\ud800"] } } }] },
      ["lone-surrogate at .steps[0].input.a.$literal[0]"],
    ],
    ["a BigInt", { steps: [{ ...first, input: { a: 1n } }] }, ["not-json at .steps[0].input.a"]],
    [
      "a cycle",
      (() => {
        const plan: Record<string, unknown> = { steps: [first] };
        plan.self = plan;
        return plan;
      })(),
      ["not-json at .self"],
    ],
    [
      "a getter that throws",
      {
        get steps() {
          throw new Error("no");
        },
      },
      ["not-json at .steps"],
    ],
    [
      "a step behind a getter that throws",
      {
        steps: [
          {
            get id() {
              throw Object.create(null);
            },
          },
        ],
      },
      ["not-json at .steps[0].id"],
    ],
    ["a list without end", { steps: new Array(2 ** 32 - 1) }, ["not-json at .steps"]],
  ])("%s", async (_name, plan, expected) => {
    expect(await issuesOf(plan)).toEqual(expected);
  });

  it("lists the available tools", async () => {
    const [issue] = await validatePlan({ steps: [{ ...first, tool: "Add" }] }, { tools: planTools });
    expect(issue?.message).toBe('There is no tool "Add". Available tools: Sum, Note, Open.');
    const [none] = await validatePlan({ steps: [first] }, { tools: [] });
    expect(none?.message).toContain("Available tools: none.");
  });
});

describe("all issues at once", () => {
  it("are found in a plan that is wrong in every way", async () => {
    const plan = {
      goal: "x",
      request: "\ud800",
      steps: [
        { id: "s1", tool: "Sum", input: { a: "one", c: 1 }, why: "" },
        { id: "s2", tool: "Nope", input: { a: "${s1.value}" }, when: "s9.value > s6.x" },
        { id: "s1", tool: "Note", input: { title: { $ref: "s4.value" }, tags: ["${", { $ref: "s1.nope" }] } },
        { id: "s4", tool: "Note", input: { title: { $ref: "s1.value" }, due: { day: 5, hour: 1 } } },
        { id: "s5", tool: "Open", input: {}, dependsOn: ["s6", "s9"] },
        { id: "s6", tool: "Open", input: {}, dependsOn: ["s5"] },
        { id: "s7", tool: "Sum", input: { a: { $ref: "s7.value" }, b: { $ref: "s4.done" } } },
      ],
    };
    expect(await issuesOf(plan, { maxSteps: 6 })).toEqual([
      "lone-surrogate at .request",
      "unknown-key at .steps[0].why",
      "unknown-key at .goal",
      "too-many-steps at .steps",
      "duplicate-id at .steps[2].id",
      "unknown-step at .steps[1].when",
      "forward-reference at .steps[1].when",
      "forward-reference at .steps[2].input.title",
      "cyclic-reference at .steps[4].dependsOn[0]",
      "unknown-step at .steps[4].dependsOn[1]",
      "cyclic-reference at .steps[6].input.a",
      "unknown-key at .steps[0].input.c",
      "invalid-input at .steps[0].input.a",
      "unknown-tool at .steps[1].tool",
      "invalid-reference at .steps[2].input.title",
      "invalid-reference at .steps[2].input.tags[0]",
      "invalid-reference at .steps[2].input.tags[1]",
      "reference-type at .steps[3].input.title",
      "unknown-key at .steps[3].input.due.hour",
      "invalid-input at .steps[3].input.due.day",
      "reference-type at .steps[6].input.b",
    ]);
  });

  it("include more steps than maxSteps, 1000 by default", async () => {
    const plan = (count: number) => ({
      steps: Array.from({ length: count }, (_, index) => ({ id: `s${index}`, tool: "Open", input: {} })),
    });
    expect(await issuesOf(plan(1_000))).toEqual([]);
    expect(await issuesOf(plan(1_001))).toEqual(["too-many-steps at .steps"]);
    expect(await issuesOf(plan(3), { maxSteps: 3 })).toEqual([]);
    expect(await issuesOf(plan(4), { maxSteps: 3 })).toEqual(["too-many-steps at .steps"]);
  });
});

describe("validatePlan", () => {
  it("refuses two tools of one name, missing tools and an invalid maxSteps", async () => {
    const refused = expect.objectContaining({ code: "invalid-options" });
    await expect(validatePlan({}, { tools: [sum, sum] })).rejects.toEqual(refused);
    await expect(validatePlan({}, { tools: undefined as unknown as [] })).rejects.toEqual(refused);
    await expect(validatePlan({}, { tools: [], maxSteps: 0 })).rejects.toEqual(refused);
    await expect(validatePlan({}, undefined as never)).rejects.toEqual(refused);
    await expect(validatePlan({}, { tools: [{ name: "X" }] } as never)).rejects.toEqual(refused);
    await expect(validatePlan({}, { tools: [], max: 5 } as never)).rejects.toEqual(refused);
  });

  it("calls no tool", async () => {
    let calls = 0;
    const counted = defineTool({
      name: "Counted",
      description: "d",
      inputSchema: z.object({}),
      effect: () => {
        calls++;
        return "pure";
      },
      execute: () => calls++,
    });
    expect(await issuesOf({ steps: [{ id: "s1", tool: "Counted", input: {} }] }, { tools: [counted] })).toEqual([]);
    expect(calls).toBe(0);
  });

  it("accepts tools of zod 3 and zod 4 in any order, some with async schemas", async () => {
    const later = toolWith(z.object({ a: z.string().refine(async (text) => text === "ok", "not ok") }), "Later");
    const later3 = toolWith(z3.object({ a: z3.string().refine(async (text) => text === "ok", "not ok") }), "Later3");
    const steps = ["Later", "Later3", "Sum", "Note", "Later"].map((tool, index) => ({
      id: `s${index}`,
      tool,
      input: { a: "no" },
    }));
    expect(await issuesOf({ steps }, { tools: [later, later3, sum, note, open] })).toEqual([
      "invalid-input at .steps[0].input.a",
      "invalid-input at .steps[1].input.a",
      "invalid-input at .steps[2].input.a",
      "unknown-key at .steps[3].input.a",
      "invalid-input at .steps[3].input.title",
      "invalid-input at .steps[4].input.a",
    ]);
  });
});

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
