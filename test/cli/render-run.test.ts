import { AgentError, type StepRecord, type Tool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { createColors } from "../../src/cli/printer.ts";
import { renderError, renderOutput, renderResult, renderStep, summarizeOutput } from "../../src/cli/render-run.ts";

const error = { name: "AgentError", code: "cancelled", message: "no\u001b", retryable: false } as const;

it.each([
  [{ status: "completed", output: { title: "milk" }, attempts: 2 }, "✔ s1 Fake: milk (attempt 2)"],
  [{ status: "pending" }, "- s1 Fake: not started"],
  [{ status: "running" }, "> s1 Fake: started"],
  [{ status: "waiting" }, "? s1 Fake: waiting for approval"],
  [{ status: "skipped", reason: "run-ended" }, "- s1 Fake: skipped (run-ended)"],
  [{ status: "undone" }, "↶ s1 Fake: undone"],
  [{ status: "failed", error }, "✖ s1 Fake: failed, no\\u001b"],
  [{ status: "cancelled", error }, "✖ s1 Fake: cancelled, no\\u001b"],
  [{ status: "interrupted" }, "✖ s1 Fake: interrupted"],
  [{ status: "unknown", error, iteration: 3 }, "✖ s1[3] Fake: unknown, no\\u001b"],
])("renderStep shows the status of %j", (fields, expected) => {
  const step = { stepId: "s1", tool: "Fake", input: {}, attempts: 1, ...fields } as unknown as StepRecord;
  expect(renderStep(step, { colors: createColors(false), tool: undefined, run: {} })).toBe(`  ${expected}`);
});

const colors = { ...createColors(false), dim: (text: string) => `<${text}>` };
const resultIn = (result: string): Tool => ({ ...createFakeTool({ name: "Fake" }), result });
const render = (output: unknown, tool?: Tool) => renderOutput(output, { tool, colors });

const milk = {
  id: "1",
  title: "buy milk",
  completed: false,
  list: "todos",
  createdAt: "2026-01-01T00:00:00.000Z",
  tags: ["food", "cheap"],
  dueDate: "2026-01-02",
};

describe("renderOutput", () => {
  it.each([
    [25, ["25"]],
    [true, ["true"]],
    ["two\nlines", ["two", "lines"]],
    [null, ["Done."]],
    [undefined, ["Done."]],
    [{}, ["Done."]],
    [{ cleared: 2 }, ["cleared: 2"]],
    [
      [1, 2],
      ["[", "  1,", "  2", "]"],
    ],
    [{ value: 25, expression: "100 / 4" }, ["value: 25, expression: 100 / 4"]],
  ])("shows %j", (output, lines) => {
    expect(render(output)).toEqual(lines);
  });

  it("shows only the result that the tool names", () => {
    expect(render({ value: 25, expression: "100 / 4" }, resultIn("value"))).toEqual(["25"]);
    expect(render({ list: [{ deep: 7 }] }, resultIn("list[0].deep"))).toEqual(["7"]);
  });

  it("shows the whole output if it lacks that result", () => {
    expect(render({ other: 1 }, resultIn("value"))).toEqual(["other: 1"]);
    expect(render("text", resultIn("length"))).toEqual(["text"]);
    expect(render({ a: 1 }, resultIn("constructor"))).toEqual(["a: 1"]);
    expect(render({ a: 1 }, resultIn("not a path"))).toEqual(["a: 1"]);
  });

  it("shows an object by its title, with its other fields", () => {
    expect(render(milk)).toEqual(["[ ] buy milk <(list: todos, tags: food cheap, dueDate: 2026-01-02)>"]);
    const timed = { title: "dentist", completed: false, dueAt: "2026-01-02T17:00:00+01:00" };
    expect(render(timed)).toEqual(["[ ] dentist <(dueAt: 2026-01-02T17:00:00+01:00)>"]);
    expect(render({ title: "bread", completed: true })).toEqual(["[x] bread"]);
    expect(render({ name: "Ada", age: 36 })).toEqual(["Ada <(age: 36)>"]);
  });

  it("shows a list of objects, with the counts beside it", () => {
    const bread = { id: "2", name: "bread", done: true };
    expect(render({ todos: [milk, bread], count: 2, completed: 1 })).toEqual([
      "[ ] buy milk <(list: todos, tags: food cheap, dueDate: 2026-01-02)>",
      "[x] bread",
      "<count: 2, completed: 1>",
    ]);
    expect(render([bread])).toEqual(["[x] bread"]);
    expect(render({ todos: [bread] })).toEqual(["[x] bread"]);
    expect(render({ todos: [], count: 0 })).toEqual(["No todos.", "<count: 0>"]);
  });

  it("shows anything else as JSON", () => {
    const output = { rows: [[1], [2]], total: 2 };
    expect(render(output).join("\n")).toBe(JSON.stringify(output, undefined, 2));
    const two = { todos: [milk], notes: [] };
    expect(render(two).join("\n")).toBe(JSON.stringify(two, undefined, 2));
    const nested = { user: { name: "Ada" } };
    expect(render(nested).join("\n")).toBe(JSON.stringify(nested, undefined, 2));
  });

  it("shows no control characters", () => {
    const evil = "\u001b[2J";
    const outputs = [
      evil,
      { title: evil, [evil]: evil },
      { todos: [{ title: evil }] },
      { [evil]: [] },
      [[evil]],
      { [evil]: 1 },
    ];
    for (const output of outputs) expect(render(output).join("\n")).not.toContain("\u001b");
    for (const output of outputs) expect(summarizeOutput(output, undefined)).not.toContain("\u001b");
  });
});

it("renderResult shows all iterations of a loop, whose effects may differ", () => {
  const record = (stepId: string, effect: string, iteration?: number) => {
    const output = `${stepId} ${iteration}`;
    return { stepId, tool: "Fake", input: {}, status: "completed", attempts: 1, effect, iteration, output };
  };
  const loop = (id: string) => ["pure", "once", "once"].map((effect, index) => record(id, effect, index + 1));
  const resultOf = (steps: readonly object[]) => renderResult({ steps } as never, { tools: [], colors });
  expect(resultOf(loop("a"))).toEqual(["", "Result", "  a 1", "  a 2", "  a 3"]);
  expect(resultOf([...loop("a"), ...loop("b")])).toEqual(["", "Result", "  b 1", "  b 2", "  b 3"]);
});

describe("summarizeOutput", () => {
  it.each([
    [25, "25"],
    ["two\nlines", "two\\nlines"],
    [null, undefined],
    [undefined, undefined],
    [milk, "[ ] buy milk"],
    [{ todos: [milk], count: 1, pending: 1 }, "count: 1, pending: 1"],
    [[1, 2], "[1,2]"],
    [{ rows: [[1]] }, '{"rows":[[1]]}'],
    [{}, "{}"],
  ])("summarizes %j", (output, summary) => {
    expect(summarizeOutput(output, undefined)).toBe(summary);
  });

  it("summarizes the result that the tool names, in at most 100 characters", () => {
    expect(summarizeOutput({ value: 25, expression: "100 / 4" }, resultIn("value"))).toBe("25");
    expect(summarizeOutput("x".repeat(500), undefined)).toHaveLength(100);
  });
});

it("says how a driver is installed beside npx and beside a command that is installed globally", () => {
  const details = { packages: ["libsql"], command: "npm install libsql" };
  const [line] = renderError(new AgentError("missing-dependency", 'Run "npm install libsql".', { details }));
  expect(line).toBe(
    'planwright: Run "npm install libsql". With npx: "npx -p planwright -p libsql planwright …". Installed globally: "npm install -g libsql".',
  );
});

it("says nothing about drivers if another package is missing", () => {
  const details = { packages: ["pg"], command: "npm install pg" };
  const lines = renderError(new AgentError("missing-dependency", 'Run "npm install pg".', { details }));
  expect(lines).toEqual(['planwright: Run "npm install pg".']);
});
