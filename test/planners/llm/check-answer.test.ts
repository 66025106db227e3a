import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { composed } from "../../../src/core/composed.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../src/core/tool.ts";
import { type AnswerScope, type CheckedAnswer, checkAnswer } from "../../../src/planners/llm/check-answer.ts";
import { answerOf, anything, byName, note, sum, wipe } from "./ask-llm-planner.ts";

/** Reads without an effect, or writes, and says which by its input. */
const file = defineTool({
  name: "File",
  description: "Reads or writes a file",
  inputSchema: z.object({ mode: z.enum(["read", "write", "odd"]), path: z.string() }),
  effect: ({ mode }) => {
    if (mode === "odd") throw new Error("Odd.");
    return mode === "read" ? "pure" : "once";
  },
  execute: () => null,
});

async function check(
  text: string,
  options: Partial<AnswerScope> & { isWhole?: boolean; mayAskAgain?: boolean } = {},
): Promise<CheckedAnswer> {
  return checkAnswer(text, {
    tools: byName([note, sum, anything, wipe, file] as readonly DefinedTool[]),
    request: "note milk, add 2 and 3",
    typed: "note milk, add 2 and 3",
    planned: [],
    shown: [],
    isReplan: false,
    mayAskAgain: true,
    instructions: "",
    expressions: false,
    maxSteps: 5,
    grounding: "refuse",
    prefix: "s",
    kept: [],
    isWhole: true,
    ...options,
  });
}

const milk = { tool: "Note", input: { title: "milk" } };
const add = { tool: "Sum", input: { a: 2, b: 3 } };

describe("a valid plan", () => {
  it("has complete steps, and lists the repairs", async () => {
    expect(await check(answerOf(milk, add))).toEqual({
      type: "plan",
      steps: [
        { id: "s1", ...milk, dependsOn: [] },
        { id: "s2", ...add, dependsOn: ["s1"] },
      ],
      repaired: [],
      mends: [],
      warnings: [],
    });
    expect(await check(`Ok: ${JSON.stringify([{ action: "note", title: "milk" }])}`)).toMatchObject({
      repaired: ["extracted", "shape"],
    });
    expect(await check(JSON.stringify({ plan: [milk] }))).toMatchObject({ repaired: ["shape"] });
    expect(await check(`{steps: [{tool: "Sum", input: {a: "2"}}]}`)).toMatchObject({ repaired: ["json", "shape"] });
  });

  it("is preferred to all other parts of the answer", async () => {
    const answer = `{"steps": []} or {"steps": [{"tool": "No"}]} or ${answerOf(milk)} or [1]`;
    expect(await check(answer)).toMatchObject({ type: "plan", steps: [milk] });
  });

  it("has all steps of a sequence without a list, not only the last", async () => {
    const rows = `${JSON.stringify(milk)}\n${JSON.stringify(add)}`;
    expect(await check(rows)).toMatchObject({
      type: "plan",
      steps: [milk, add],
      repaired: ["extracted", "shape"],
    });
    expect(await check(rows, { isWhole: false })).toMatchObject({ type: "problem", code: "no-json" });
  });

  it("may refer to kept steps before it", async () => {
    const kept = [{ id: "s1", ...add }];
    const answer = answerOf({ tool: "Sum", input: { a: { $ref: "s1.value" } } });
    expect(await check(answer, { kept, prefix: "r1_" })).toMatchObject({
      type: "plan",
      steps: [{ id: "r1_1", input: { a: { $ref: "s1.value" } } }],
    });
    expect(await check(answerOf({ ...milk, id: "s1" }), { kept })).toMatchObject({ type: "problem" });
  });
});

describe("an answer without a valid plan", () => {
  it("is a refusal with its reason", async () => {
    expect(await check('{"steps": [], "reason": "no tool books flights"}')).toEqual({
      type: "refusal",
      reason: "no tool books flights",
    });
    expect(await check('```\n{"steps": []}\n```')).toMatchObject({ type: "problem", code: "invalid-plan" });
    expect(await check("{'steps': [], 'reason': 'no'}")).toEqual({ type: "refusal", reason: "no" });
  });

  it.each(["", "I cannot help with that.", '{"answer": 42}', "[", "[]", "a [] b", '{"steps": [', "\ud800"])(
    "is reported as no-json: %j",
    async (text) => {
      expect(await check(text)).toEqual({
        type: "problem",
        code: "no-json",
        problems: ["There is no JSON object with a list of steps in it."],
      });
    },
  );

  it.each([
    [
      { ...milk, tool: "Book" },
      'steps.0.tool: There is no tool "Book". Available tools: Note, Sum, Anything, Wipe, File.',
    ],
    [{ tool: "Note", input: { title: [5, 6] } }, "steps.0.input.title: Invalid input: expected string, received array"],
    [{ ...milk, retry: {} }, 'steps.0.retry: Unknown key "retry".'],
    [
      { tool: "Note", input: { title: "milk", to: 1 } },
      'steps.0.input.to: "Note" has no input "to"; it knows: title, count, priority, tags.',
    ],
    [{ ...milk, when: "true" }, 'steps.0.when: Steps have no "when" here; leave it out.'],
    [{ ...milk, forEach: "[1]", concurrency: 3 }, 'steps.0.forEach: Steps have no "forEach" here; leave it out.'],
    [{ tool: "Note", input: { title: "\ud800" } }, "steps.0.input.title: The text has half a surrogate pair."],
  ])("is reported with its first issue: %#", async (step, problem) => {
    const checked = await check(answerOf(step));
    expect(checked).toMatchObject({ type: "problem", code: "invalid-plan" });
    expect(checked.type === "problem" && checked.problems[0]).toBe(problem);
  });

  it("is reported once if it has too many steps, without reading them all", async () => {
    const steps = Array.from({ length: 10_000 }, () => milk);
    expect(await check(answerOf(...steps))).toMatchObject({
      code: "invalid-plan",
      problems: ["steps: The plan has 6 steps; at most 5 are allowed."],
    });
  });

  it("may not have conditions or loops unless they are enabled", async () => {
    expect(await check(answerOf({ ...milk, when: "true" }), { expressions: true })).toMatchObject({ type: "plan" });
  });
});

describe("words that the request does not contain", () => {
  const salt = { tool: "Note", input: { title: "salt" } };
  const wrongSum = { tool: "Sum", input: { a: 2, b: 4 } };
  const read = { tool: "File", input: { mode: "read", path: "salt" } };
  const write = { tool: "File", input: { mode: "write", path: "salt" } };
  const odd = { tool: "File", input: { mode: "odd", path: "salt" } };
  const warning = {
    code: "ungrounded",
    path: ["steps", 0, "input", "title"],
    message: 'The request does not say "salt".',
    words: ["salt"],
  };

  it("refuse a step that has an effect", async () => {
    const problems = ['steps.0.input.title: The request does not say "salt".'];
    expect(await check(answerOf(salt, add))).toEqual({ type: "problem", code: "ungrounded", problems });
    for (const step of [write, odd, { tool: "File", input: { mode: { $ref: "s1" }, path: "salt" } }]) {
      expect(await check(answerOf({ tool: "Anything", input: {} }, step))).toMatchObject({ type: "problem" });
    }
  });

  it("cause a warning for a step without an effect", async () => {
    expect(await check(answerOf(wrongSum))).toMatchObject({
      type: "plan",
      warnings: [{ path: ["steps", 0, "input", "b"], message: 'The request does not say "4".' }],
    });
    expect(await check(answerOf(read))).toMatchObject({ type: "plan", warnings: [{ code: "ungrounded" }] });
  });

  it("cause only a warning, or nothing, if configured so", async () => {
    expect(await check(answerOf(salt), { grounding: "warn" })).toMatchObject({ type: "plan", warnings: [warning] });
    expect(await check(answerOf(salt), { grounding: "off" })).toMatchObject({ type: "plan", warnings: [] });
    expect(await check(answerOf(salt), { request: "note salt" })).toMatchObject({ type: "plan", warnings: [] });
  });

  it("are reported by their path in the whole plan", async () => {
    const kept = [{ id: "s1", ...add }];
    expect(await check(answerOf(salt), { kept, prefix: "r1_" })).toMatchObject({
      problems: ['steps.1.input.title: The request does not say "salt".'],
    });
  });

  it("are listed in part if they are many or long", async () => {
    const title = Array.from({ length: 10_000 }, (_, index) => `x${"y".repeat(index % 90)}z`).join(" ");
    const checked = await check(answerOf({ tool: "Note", input: { title } }));
    const [problem = ""] = checked.type === "problem" ? checked.problems : [];
    expect(problem).toMatch(/and 9990 more\.$/);
    expect(problem.length).toBeLessThan(700);
  });
});

describe("a text that a model composes", () => {
  const mail = defineTool({
    name: "Mail",
    description: "Sends an email",
    inputSchema: z.object({ to: z.string(), body: composed(z.string()), on: composed(z.iso.date()).optional() }),
    effect: "once",
    execute: () => null,
  }) as DefinedTool;
  const options = { tools: byName([mail]), request: "email ana that I am late", typed: "email ana that I am late" };
  const mailTo = (input: object) => answerOf({ tool: "Mail", input });

  it("may have words that the request does not say, with a warning", async () => {
    const checked = await check(mailTo({ to: "ana", body: "Dear Ana, sorry, I am late." }), options);
    expect(checked).toMatchObject({
      type: "plan",
      warnings: [{ code: "ungrounded", path: ["steps", 0, "input", "body"], words: ["dear", "sorry"] }],
    });
  });

  it.each([
    { to: "bob", body: "late" },
    { to: "ana", body: "late", on: "2026-12-24" },
  ])("is the only one that may: %j", async (input) => {
    expect(await check(mailTo(input), options)).toMatchObject({ type: "problem", code: "ungrounded" });
  });
});
