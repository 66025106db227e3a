import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import type { PlanStep } from "../../../../src/core/plan.ts";
import { StepReader } from "../../../../src/planners/llm/reading/read-steps.ts";
import { toolWith } from "../../../fixtures/plan-tools.ts";
import { byName, tools } from "../ask-llm-planner.ts";

const step = { tool: "Note", input: { title: "x" } };

/** A step as it is read, without the `id` and `dependsOn` that it was completed with. */
async function read(raw: unknown, { typed = "", list = tools } = {}) {
  const { step, isReshaped } = await new StepReader({ tools: byName(list), typed, kept: [], prefix: "s" }).next(raw);
  if (typeof step !== "object" || step === null || Array.isArray(step)) return { step, isReshaped };
  const { id, dependsOn, ...rest } = step as Record<string, unknown>;
  const given = raw as Record<string, unknown>;
  return { step: { ...(given.id ? { id } : {}), ...rest, ...(given.dependsOn ? { dependsOn } : {}) }, isReshaped };
}

/** The input that a step has once it is read. */
async function inputOf(input: unknown, schema: Parameters<typeof toolWith>[0]): Promise<unknown> {
  const { step: whole } = await read({ tool: "Subject", input }, { list: [toolWith(schema)] });
  return (whole as PlanStep).input;
}

describe("the keys of a step", () => {
  const toolKeys = ["tool", "action", "intent", "name", "function", "tool_name", "toolName"];
  const inputKeys = ["input", "params", "parameters", "arguments", "args", "tool_input", "toolInput"];

  it.each(toolKeys.flatMap((tool) => inputKeys.map((input) => [tool, input] as const)))(
    "may be named %s and %s",
    async (tool, input) => {
      const isOurs = tool === "tool" && input === "input";
      expect(await read({ [tool]: "Note", [input]: { title: "x" } })).toEqual({ step, isReshaped: !isOurs });
    },
  );

  it("may include those of the input", async () => {
    const { step: flat } = await read({ id: "a", tool: "Note", title: "x", count: 2, reasoning: "why", dependsOn: [] });
    const input = { title: "x", count: 2 };
    expect(flat).toEqual({ id: "a", tool: "Note", input, reasoning: "why", dependsOn: [] });
  });

  it("belong to the input if the tool itself uses such a key", async () => {
    const tool = toolWith(z.object({ name: z.string(), action: z.string() }));
    const { step: flat } = await read({ tool: "Subject", name: "Bob", action: "greet" }, { list: [tool] });
    expect(flat).toEqual({ tool: "Subject", input: { name: "Bob", action: "greet" } });
  });

  it.each([
    ['{"title": "x"}', { title: "x" }],
    ["title", { title: "title" }],
    ['["x"]', '["x"]'],
    [null, {}],
    [["x"], ["x"]],
    [5, { title: "5" }],
  ])("may contain the input as %j", async (input, expected) => {
    expect(await read({ tool: "Note", input })).toMatchObject({ step: { tool: "Note", input: expected } });
  });

  it("are dropped if they are empty", async () => {
    const empty = { id: null, dependsOn: null, reasoning: "", when: null, forEach: "", concurrency: null };
    expect(await read({ ...step, ...empty })).toEqual({ step, isReshaped: false });
  });

  it("stay if they are unknown, so that validation refuses them", async () => {
    const own = { ...step, needsApproval: false, approvedHash: "0" };
    expect((await read(own)).step).toEqual(own);
    const others = { action: "Note", args: { title: "x" }, effect: "pure" };
    expect((await read(others)).step).toEqual({ ...step, effect: "pure" });
    // Without an input of its own they are the input.
    expect((await read({ tool: "Note", title: "x", retry: {} })).step).toEqual({
      tool: "Note",
      input: { title: "x", retry: {} },
    });
  });

  it("never reach a prototype", async () => {
    for (const text of [
      '{"action": "Anything", "__proto__": {"input": {}, "polluted": true}, "constructor": 1}',
      '{"tool": "Anything", "input": {"__proto__": {"polluted": true}, "a": null, "b": "${x}"}}',
      '{"tool": "Anything", "input": "{\\"__proto__\\": {\\"polluted\\": true}}"}',
    ]) {
      const { step: whole } = await read(JSON.parse(text), { typed: "${x}" });
      const { input } = whole as { input: object };
      expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
      expect(Object.hasOwn(input, "__proto__")).toBe(true);
      expect("polluted" in {}).toBe(false);
    }
  });

  it.each([null, 5, "Note", [step]])("do not exist on %j", async (raw) => {
    expect(await read(raw)).toEqual({ step: raw, isReshaped: false });
  });
});

describe("the tool of a step", () => {
  it("is found regardless of case, if the name is unique", async () => {
    expect(await read({ ...step, tool: " note " })).toEqual({ step, isReshaped: true });
    const twins = [toolWith(z.object({}), "note"), toolWith(z.object({}), "NOTE")];
    expect((await read({ tool: "Note", input: {} }, { list: twins })).step).toMatchObject({ tool: "Note" });
    expect((await read({ tool: "NOTE", input: {} }, { list: twins })).step).toMatchObject({ tool: "NOTE" });
  });

  it.each(["Nothing", "", "Note\u200b", "Nоte", 5, null, { name: "Note" }])(
    "stays unchanged if there is no such tool: %j",
    async (tool) => {
      expect((await read({ tool, input: {} })).step).toMatchObject({ tool });
    },
  );
});

describe("the values of an input", () => {
  it("become numbers where only numbers are valid, and stay text where text is", async () => {
    const schema = z.object({
      number: z.number(),
      integer: z.int().optional(),
      text: z.string(),
      either: z.union([z.string(), z.number()]),
      list: z.array(z.number()),
      pair: z.tuple([z.string(), z.number()]),
      deep: z.object({ count: z.number().nullable() }),
      map: z.record(z.string(), z.number()),
      open: z.unknown(),
    });
    const given = {
      number: "3",
      integer: " -2 ",
      text: "3",
      either: "3",
      list: ["1", "2.5", "x"],
      pair: ["1", "2"],
      deep: { count: "007" },
      map: { a: "1" },
      open: "3",
      unknown: "3",
    };
    expect(await inputOf(given, schema)).toEqual({
      number: 3,
      integer: -2,
      text: "3",
      either: "3",
      list: [1, 2.5, "x"],
      pair: ["1", 2],
      deep: { count: 7 },
      map: { a: 1 },
      open: "3",
      unknown: "3",
    });
  });

  it.each([
    "",
    " ",
    "1e3",
    "0x10",
    "1,000",
    "Infinity",
    "NaN",
    "--1",
    "1.",
    ".5",
    "12345678901234567890",
    "9".repeat(400),
  ])("stay text if they are not plain numbers: %j", async (text) => {
    expect(await inputOf({ n: text }, z.object({ n: z.number() }))).toEqual({ n: text });
  });

  it("are dropped if they are null but not nullable", async () => {
    const schema = z.object({
      a: z.string().optional(),
      b: z.string().nullable(),
      c: z.null(),
      d: z.object({ e: z.number().optional() }),
      f: z.array(z.string().nullable()),
      g: z.unknown(),
    });
    const given = { a: null, b: null, c: null, d: { e: null }, f: [null], g: null, unknown: null };
    const { a: _left, unknown: _unknown, ...rest } = given;
    expect(await inputOf(given, schema)).toEqual({ ...rest, d: {} });
  });

  it("follow the branch of a union that the input matches", async () => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("count"), value: z.number() }),
      z.object({ kind: z.literal("text"), value: z.string() }),
    ]);
    expect(await inputOf({ kind: "count", value: "3" }, schema)).toEqual({ kind: "count", value: 3 });
    expect(await inputOf({ kind: "text", value: "3" }, schema)).toEqual({ kind: "text", value: "3" });
  });

  it("are converted for schemas of zod 3 as well", async () => {
    const schema = z3.object({ n: z3.number(), text: z3.string(), maybe: z3.string().optional() });
    expect(await inputOf({ n: "3", text: "3", maybe: null }, schema)).toEqual({ n: 3, text: "3" });
  });

  it("stay unchanged if they are references or literals", async () => {
    const given = {
      n: { $ref: "s1.value" },
      l: { $literal: { n: "3", x: null } },
      t: "${s1.value}",
      m: { n: "${s1}" },
    };
    const schema = z.object({ n: z.number(), l: z.unknown(), t: z.string(), m: z.object({ n: z.number() }) });
    expect(await inputOf(given, schema)).toEqual(given);
    expect(await inputOf({ $ref: "s1" }, schema)).toEqual({ $ref: "s1" });
  });

  it("stay the same object if they are valid", async () => {
    const input = { title: "x", tags: ["3"] };
    const { step: whole, isReshaped } = await read({ tool: "Note", input });
    expect((whole as PlanStep).input).toBe(input);
    expect(isReshaped).toBe(false);
  });
});
