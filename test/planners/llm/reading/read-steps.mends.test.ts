import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../src/core/tool.ts";
import { StepReader } from "../../../../src/planners/llm/reading/read-steps.ts";
import { toolSets } from "./right-answers/first/tools.ts";

async function read(tools: readonly DefinedTool[], raws: readonly unknown[], typed = "") {
  const reader = new StepReader({
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    typed,
    kept: [],
    prefix: "s",
  });
  const steps = [];
  for (const raw of raws) steps.push(await reader.next(raw));
  return steps;
}

/** The input of the last of the steps, as it was read. */
async function inputOf(set: string, raws: readonly object[], typed?: string): Promise<unknown> {
  const steps = await read(toolSets[set] ?? [], raws, typed);
  return (steps.at(-1)?.step as { readonly input: unknown } | undefined)?.input;
}

const find = { tool: "FindContact", input: { name: "Ana" } };
const add = { tool: "Calculator", input: { expression: "5 + 3" } };
const mailTo = (to: unknown) => ({ tool: "SendEmail", input: { to, subject: "x", body: "y" } });

describe("what may mean several things stays as it is written", () => {
  it.each([
    [
      "a list that may be one value",
      { tool: "TodoStore", input: { operation: "add", title: "x", tags: "dairy, cold" } },
    ],
    ["a number with a unit", { tool: "TodoStore", input: { operation: "complete", index: "40%" } }],
    ["a number with other text", { tool: "TodoStore", input: { operation: "complete", index: "2nd" } }],
    ["an empty text that is required", { tool: "TodoStore", input: { operation: "add", title: "" } }],
    ["null that is required", { tool: "TodoStore", input: { operation: "add", title: null } }],
    ["a value of no enum", { tool: "TodoStore", input: { operation: "create", title: "x" } }],
    ["an unknown key with a value", { tool: "TodoStore", input: { operation: "add", title: "x", due: "today" } }],
    ["a list of two for one value", { tool: "TodoStore", input: { operation: "add", title: ["x", "y"] } }],
    ["a reference to nothing", { tool: "TodoStore", input: { operation: "add", title: "{{s9.value}}" } }],
    ["a reference that is cut", { tool: "TodoStore", input: { operation: "add", title: "${s1.val" } }],
  ])("%s", async (_what, step) => {
    expect(await inputOf("app", [add, step])).toEqual(step.input);
  });

  it("two values of an enum that differ in case only", async () => {
    const tool = defineTool({
      name: "Set",
      description: "",
      inputSchema: z.object({
        unit: z.enum(["m", "M", "km"]),
        maybe: z.union([z.string().min(1), z.array(z.string())]).optional(),
      }),
      execute: () => null,
    });
    const [first, second] = await read(
      [tool as DefinedTool],
      [
        { tool: "Set", input: { unit: "KM" } },
        { tool: "Set", input: { unit: " m" } },
      ],
    );
    expect(first?.step).toMatchObject({ input: { unit: "km" } });
    expect(second?.step).toMatchObject({ input: { unit: " m" } });
  });

  it("a name that two tools nearly have, or that names the part of two", async () => {
    const named = (name: string) =>
      defineTool({ name, description: "", inputSchema: z.object({}), execute: () => null }) as DefinedTool;
    const tools = [named("add_todo"), named("addTodo"), named("mail"), named("files")];
    const steps = await read(tools, [
      { tool: "AddTodo", input: {} },
      { tool: "todo", input: {} },
      { tool: "google.mail", input: {} },
    ]);
    expect(steps.map(({ step }) => (step as { tool: string }).tool)).toEqual(["AddTodo", "todo", "mail"]);
  });

  it("numbers that may count from zero or from one: such steps run in their order", async () => {
    const [, , third] = await read(toolSets.app ?? [], [add, add, { ...add, depends_on: [1] }]);
    expect(third).toMatchObject({ step: { dependsOn: [] }, warnings: [{ code: "dropped", path: ["dependsOn"] }] });
    const [, , last] = await read(toolSets.app ?? [], [add, add, { ...add, depends_on: [0, 1] }]);
    expect(last).toMatchObject({ step: { dependsOn: ["s1", "s2"] }, warnings: [] });
  });

  it("a condition under another name, which would be lost", async () => {
    const [step] = await read(toolSets.app ?? [], [{ ...add, condition: "s1.value > 3" }]);
    expect(step?.step).toMatchObject({ condition: "s1.value > 3" });
  });

  it.each(["$s1.email", "s1.email", "{{s1.email}}", "{s1.email}", "<s1.email>", "mail s1.email now"])(
    "%s, if it was typed",
    async (text) => {
      expect(await inputOf("mail", [find, mailTo(text)], `write to ${text}`)).toMatchObject({ to: text });
    },
  );

  it.each(["example.org", "s1.emails", "a.b", "{x}", "$20", "<b>", "1.5", "v1.email", "s2.email", "http://s1.email/x"])(
    "%s, which names no value of an earlier step",
    async (text) => {
      expect(await inputOf("mail", [find, mailTo(text)])).toMatchObject({ to: text });
    },
  );
});

describe("a reference", () => {
  it.each([
    "${{ steps.s1.outputs.email }}",
    "$(s1.email)",
    "#{s1.email}",
    "<<s1.email>>",
    "${FindContact.email}",
    "${previous.email}",
    "{{step_1.output.email}}",
    "${S1.email}",
    '${s1["email"]}',
    "steps[0].email",
  ])("is read in the dialect %s", async (text) => {
    const { to } = (await inputOf("mail", [find, mailTo(text)])) as { to: string };
    expect(to.replace('["email"]', ".email")).toBe("${s1.email}");
  });

  it("is read within a text", async () => {
    const input = { expression: "s1.value * 2 + {{s1.output.value}}" };
    expect(await inputOf("app", [add, { tool: "Calculator", input }])).toEqual({
      expression: "${s1.value} * 2 + ${s1.value}",
    });
  });

  it("of another type is put where a list is needed", async () => {
    const input = { to: "a", subject: "x", body: "y", cc: "${s1.email}" };
    expect(await inputOf("mail", [find, { tool: "SendEmail", input }])).toMatchObject({ cc: ["${s1.email}"] });
    const phones = { ...input, cc: "${s1.phones}" };
    expect(await inputOf("mail", [find, { tool: "SendEmail", input: phones }])).toMatchObject({
      cc: { $ref: "s1.phones" },
    });
  });
});

describe("each mend", () => {
  it("is told with its place, and what was written", async () => {
    const steps = await read(toolSets.app ?? [], [
      add,
      {
        id: 7,
        tool: "todo_store",
        input: { operation: "ADD", title: "{{s1.value}}", due_date: "2026-11-24", list: "" },
        status: "pending",
      },
    ]);
    expect(steps[1]).toMatchObject({
      isReshaped: true,
      mends: [
        { kind: "id", path: ["id"], written: "7", read: "s2" },
        { kind: "tool", path: ["tool"], written: "todo_store", read: "TodoStore" },
        { kind: "key", path: ["input", "dueDate"], written: "due_date", read: "dueDate" },
        { kind: "value", path: ["input", "operation"], written: "ADD", read: "add" },
        { kind: "value", path: ["input", "list"], written: "" },
        { kind: "reference", path: ["input", "title"], written: "{{s1.value}}", read: "${s1.value}" },
      ],
      warnings: [{ code: "dropped", path: ["status"] }],
    });
    expect(steps[0]).toMatchObject({ isReshaped: false, mends: [], warnings: [] });
  });
});
