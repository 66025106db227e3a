import { type DefinedTool, defineTool, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { issuesOf, planTools } from "../fixtures/plan-tools.ts";

const shapes = defineTool({
  name: "Shapes",
  description: "Has lists of every kind",
  inputSchema: z.looseObject({}),
  effect: "idempotent",
  outputSchema: z.object({
    texts: z.array(z.string()),
    pair: z.tuple([z.string(), z.number()]),
    either: z.union([z.array(z.number()), z.string()]),
    maybe: z.array(z.object({ id: z.string() })).nullable(),
    map: z.record(z.string(), z.number()),
    tree: z.array(z.object({ children: z.array(z.object({ leaf: z.boolean() })) })),
  }),
  execute: () => ({ texts: [], pair: ["", 0] as [string, number], either: [], maybe: null, map: {}, tree: [] }),
});
const tools: readonly DefinedTool[] = [...planTools, shapes];

type Step = Record<string, unknown>;
const sum = { id: "s1", tool: "Sum", input: { a: 1 } };
const shape = { id: "sh", tool: "Shapes", input: {} };
const step = (more: Step): Step => ({ id: "s2", tool: "Open", input: {}, ...more });
const note = (title: unknown, more: Step = {}): Step => ({ id: "s3", tool: "Note", input: { title }, ...more });
const ref = ($ref: string) => ({ $ref });

async function findIssues(...steps: Step[]): Promise<readonly string[]> {
  const issues = await issuesOf({ steps: [sum, shape, ...steps] }, { tools });
  return issues.map((issue) => issue.replace(/\.steps\[(\d+)\]/, "$1"));
}
const messageOf = async (...steps: Step[]) =>
  (await validatePlan({ steps: [sum, shape, ...steps] }, { tools }))[0]?.message;

describe("valid expressions", () => {
  it.each<[string, Step[]]>([
    ["a when", [step({ when: "s1.value > 2 && s1.rows.exists(r, r.id == 'a')" })]],
    ["a forEach", [step({ forEach: "s1.rows" })]],
    [
      "both, with concurrency",
      [step({ when: "item.id != ''", forEach: "s1.rows.filter(r, r.id > 'a')", concurrency: 4 })],
    ],
    ["a when without any name", [step({ when: "1 < 2" })]],
    ["one that tells nothing of its type", [step({ when: "s1.open.flag", forEach: "s1.open.list" })]],
    ["a field that has() asks for", [step({ when: "has(s1.nope) && has(s1.rows[0].nope)" })]],
    ["loose output", [step({ when: "s1.open.a.b[3] == 5" })]],
    ["the output of a tool without a schema", [step({}), note("t", { when: "s2.any.thing > 1" })]],
    [
      "a step of the name item",
      [{ ...sum, id: "item" }, step({ when: "item.value > 1", input: { a: ref("item.value") } })],
    ],
    ["a step of the name index", [{ ...sum, id: "index" }, step({ when: "index.value > 1" })]],
    ["a variable of a macro named as a later step", [step({ when: "s1.rows.all(s3, s3.id != '')" }), note("t")]],
    ["a list that may be null", [step({ forEach: "sh.maybe", input: { a: ref("item.id") } })]],
    ["a loop over keys", [step({ forEach: "sh.map.filter(k, k > 'a')", input: { a: "${item}" } })]],
    ["a loop over a loop", [step({ forEach: "s1.rows" }), note("${item}", { forEach: "s2" })]],
    ["an index of a loop as item", [note("${item}", { forEach: "sh.texts" }), step({ when: "s3[0].done == false" })]],
  ])("%s", async (_name, steps) => {
    expect(await findIssues(...steps)).toEqual([]);
  });
});

describe("invalid expressions", () => {
  it.each<[string, Step[], string[]]>([
    ["a malformed expression", [step({ when: "s1.value >" })], ["invalid-expression at 2.when"]],
    [
      "both at once",
      [step({ when: "", forEach: "[" })],
      ["invalid-expression at 2.when", "invalid-expression at 2.forEach"],
    ],
    ["a when that is never a boolean", [step({ when: "s1.value + 1" })], ["invalid-expression at 2.when"]],
    ["a forEach that is never a list", [step({ forEach: "s1.value > 1" })], ["invalid-expression at 2.forEach"]],
    ["a forEach over a value that is not a list", [step({ forEach: "s1.value" })], ["reference-type at 2.forEach"]],
    [
      "a filter over a value that is not a list",
      [step({ forEach: "s1.text.filter(x, true)" })],
      ["reference-type at 2.forEach"],
    ],
    ["a key that the output does not have", [step({ when: "s1.valeu > 1" })], ["invalid-reference at 2.when"]],
    ["the same twice", [step({ when: "s1.valeu > 1 || s1.valeu < 0" })], ["invalid-reference at 2.when"]],
    ["a key below text", [step({ when: "s1.text.length > 1" })], ["invalid-reference at 2.when"]],
    ["a key that no item has", [step({ when: "item.nope", forEach: "s1.rows" })], ["invalid-reference at 2.when"]],
    ["a key of the index", [step({ when: "index.nope", forEach: "s1.rows" })], ["invalid-reference at 2.when"]],
    ["an unknown step", [step({ when: "nope.value > 1" })], ["unknown-step at 2.when"]],
    ["an unknown step that is never come to", [step({ when: "true || nope" })], ["unknown-step at 2.when"]],
    [
      "an unknown step in a macro",
      [step({ forEach: "s1.rows.filter(r, r.id == nope)" })],
      ["unknown-step at 2.forEach"],
    ],
    [
      "Object's own members",
      [step({ when: "toString == constructor" })],
      ["unknown-step at 2.when", "unknown-step at 2.when"],
    ],
    ["a later step", [step({ when: "s3.done" }), note("t", { dependsOn: [] })], ["forward-reference at 2.when"]],
    [
      "a later step in a loop",
      [step({ forEach: "[s3.done]" }), note("t", { dependsOn: [] })],
      ["forward-reference at 2.forEach"],
    ],
    ["itself", [step({ when: "s2 == null" })], ["cyclic-reference at 2.when"]],
    ["a step that comes later", [step({ when: "s3.done" }), note("t")], ["forward-reference at 2.when"]],
    ["item without a loop", [step({ when: "item > 1" })], ["unknown-step at 2.when"]],
    ["index in an input without a loop", [step({ input: { a: ref("index") } })], ["unknown-step at 2.input.a"]],
    ["item in a template without a loop", [step({ input: { a: "${item.x}" } })], ["unknown-step at 2.input.a"]],
    ["item in forEach itself", [step({ forEach: "item.rows" })], ["unknown-step at 2.forEach"]],
    ["index in forEach itself", [step({ forEach: "[index]" })], ["unknown-step at 2.forEach"]],
    [
      "item in forEach where a step has that id",
      [{ ...sum, id: "item" }, step({ forEach: "item.rows" })],
      ["unknown-step at 3.forEach"],
    ],
    ["concurrency without a loop", [step({ when: "true", concurrency: 2 })], ["invalid-shape at 2.concurrency"]],
    [
      "two names in one expression",
      [step({ when: "a.x > b.y" })],
      ["unknown-step at 2.when", "unknown-step at 2.when"],
    ],
    ["a name in dependsOn too", [step({ when: "a.x > 1", dependsOn: ["a"] })], ["unknown-step at 2.dependsOn[0]"]],
  ])("%s", async (_name, steps, expected) => {
    expect(await findIssues(...steps)).toEqual(expected);
  });
});

describe("references to an iteration", () => {
  const looped = (title: unknown, forEach: string, more: Step = {}) => note(title, { forEach, ...more });
  it.each<[string, Step, string[]]>([
    ["an item that is text", looped(ref("item"), "sh.texts"), []],
    ["an item's text", looped(ref("item.id"), "s1.rows"), []],
    ["an item in a template", looped("${item.id} ${index}", "s1.rows"), []],
    ["an item's text by its quoted key", looped(ref('item["due date"]'), "s1.rows"), []],
    ["an item that is an object", looped(ref("item"), "s1.rows"), ["reference-type at 2.input.title"]],
    ["an item of a filtered list", looped(ref("item"), "s1.rows.filter(r, true)"), ["reference-type at 2.input.title"]],
    ["a key that no item has", looped(ref("item.nope"), "s1.rows"), ["invalid-reference at 2.input.title"]],
    [
      "a key that no item has, in a template",
      looped("${item.nope}", "s1.rows"),
      ["invalid-reference at 2.input.title"],
    ],
    ["a key of text", looped("${item.nope}", "sh.texts"), ["invalid-reference at 2.input.title"]],
    ["an index where text belongs", looped(ref("index"), "s1.rows"), ["reference-type at 2.input.title"]],
    ["a key of the index", looped("${index.x}", "s1.rows"), ["invalid-reference at 2.input.title"]],
    ["items that are not known", looped(ref("item.any"), "s1.open.list"), []],
    ["items that are made", looped(ref("item"), "s1.rows.map(r, r.id)"), []],
    [
      "a key of items that are made",
      looped(ref("item.any"), "s1.rows.map(r, r.id)"),
      ["invalid-reference at 2.input.title"],
    ],
    ["items of a tuple", looped(ref("item"), "sh.pair"), []],
    ["items of what may be no list", looped(ref("item"), "sh.either"), ["reference-type at 2.input.title"]],
    [
      "items of a list in an item",
      looped(ref("item.children[0].leaf"), "sh.tree"),
      ["reference-type at 2.input.title"],
    ],
    [
      "items of a list at an index",
      looped(ref("item.leaf"), "sh.tree[0].children"),
      ["reference-type at 2.input.title"],
    ],
    ["an index where a number belongs", step({ tool: "Sum", forEach: "sh.texts", input: { a: ref("index") } }), []],
    [
      "text where a number belongs",
      step({ tool: "Sum", forEach: "sh.texts", input: { a: ref("item") } }),
      ["reference-type at 2.input.a"],
    ],
  ])("%s", async (_name, given, expected) => {
    expect(await findIssues(given)).toEqual(expected);
  });
});

describe("references to a step that is looped or may be skipped", () => {
  const before = (more: Step) => ({ id: "s2", tool: "Sum", input: { a: 1 }, ...more });
  const list = { list: z.array(z.unknown()), text: z.string(), maybe: z.string().nullable(), nothing: z.null() };
  const taker = defineTool({
    name: "Taker",
    description: "Takes",
    inputSchema: z.object(list).partial(),
    effect: "idempotent",
    execute: () => null,
  });
  const check = async (more: Step, input: Step) => {
    const steps = [sum, before(more), { id: "s3", tool: "Taker", input }];
    return (await issuesOf({ steps }, { tools: [...tools, taker] })).map((issue) =>
      issue.replace(/ at .*\.input/, " at "),
    );
  };
  it.each<[string, Step, Step, string[]]>([
    ["the list of a loop", { forEach: "[1]" }, { list: ref("s2") }, []],
    ["the list of a loop where text belongs", { forEach: "[1]" }, { text: ref("s2") }, ["reference-type at .text"]],
    ["one output of a loop", { forEach: "[1]" }, { text: ref("s2[0].text") }, []],
    [
      "one output of a loop where text belongs",
      { forEach: "[1]" },
      { text: ref("s2[0]") },
      ["reference-type at .text"],
    ],
    ["a number in one output", { forEach: "[1]" }, { text: ref("s2[0].value") }, ["reference-type at .text"]],
    ["a key of the list", { forEach: "[1]" }, { text: ref("s2.text") }, ["invalid-reference at .text"]],
    ["a key that no output has", { forEach: "[1]" }, { text: ref("s2[0].nope") }, ["invalid-reference at .text"]],
    ["a loop is never null", { forEach: "[1]" }, { nothing: ref("s2") }, ["reference-type at .nothing"]],
    ["a loop that when may skip", { forEach: "[1]", when: "true" }, { nothing: ref("s2") }, []],
    [
      "its iterations are not null",
      { forEach: "[1]", when: "true" },
      { nothing: ref("s2[0]") },
      ["reference-type at .nothing"],
    ],
    ["iterations that when may skip", { forEach: "[1]", when: "item > 0" }, { nothing: ref("s2[0]") }, []],
    [
      "their list is not null",
      { forEach: "[1]", when: "item > 0" },
      { nothing: ref("s2") },
      ["reference-type at .nothing"],
    ],
    ["a step that when may skip", { when: "true" }, { nothing: ref("s2") }, []],
    [
      "a step that when may skip, where text belongs",
      { when: "true" },
      { text: ref("s2") },
      ["reference-type at .text"],
    ],
    ["a part of it", { when: "true" }, { text: ref("s2.text") }, []],
    ["a part of it of the wrong type", { when: "true" }, { text: ref("s2.value") }, ["reference-type at .text"]],
    ["a part that it does not have", { when: "true" }, { text: ref("s2.nope") }, ["invalid-reference at .text"]],
    ["a step that always runs", {}, { nothing: ref("s2") }, ["reference-type at .nothing"]],
  ])("%s", async (_name, more, input, expected) => {
    expect(await check(more, input)).toEqual(expected);
  });

  it("includes tools of zod 3, whose schemas have to be converted first", async () => {
    const looped = note("t", { forEach: "s1.rows" });
    const steps = [sum, looped, { id: "s4", tool: "Note", input: { title: ref("s3[0].done") }, when: "s3[0].nope" }];
    expect(await issuesOf({ steps }, { tools })).toEqual([
      "invalid-reference at .steps[2].when",
      "reference-type at .steps[2].input.title",
    ]);
  });
});

describe("messages", () => {
  it.each<[string, Step[], string]>([
    [
      "where it went wrong",
      [step({ when: "s1.value >" })],
      "The expression cannot be used: it ends too early (at character 10).",
    ],
    ["what would be needed", [step({ when: "'a'" })], "it must give true or false, but always gives text"],
    ["the same of a list", [step({ forEach: "{}" })], "it must give a list, but always gives a map"],
    [
      "what there is",
      [step({ when: "s1.valeu > 1" })],
      's1.valeu does not exist in the output of "s1"; available: value, text, maybe, at, rows, open. See character 3.',
    ],
    ["what a list has", [note("${s1.rows.x}")], "available: only items, as in [0]"],
    [
      "how to read a loop",
      [step({ forEach: "[1]" }), note("${s2.x[0].y}")],
      '"s2" has a forEach, so its output is a list: write s2[0].x[0].y, or give this step a forEach over s2.',
    ],
    [
      "how to read a loop in an expression",
      [step({ forEach: "[1]" }), note("t", { when: "s2.x > 1" })],
      's2.x does not exist in the output of "s2": "s2" has a forEach, so its output is a list: write s2[0].x, or give',
    ],
    [
      "how to get the length of a list",
      [step({ when: "s1.rows.length > 0" })],
      's1.rows.length does not exist in the output of "s1"; for its length write size(s1.rows). See character 8.',
    ],
    ["how to get that of a text", [step({ when: 's1.text["length"] > 0' })], "for its length write size(s1.text)."],
    [
      "how to get that of a loop",
      [step({ forEach: "[1]" }), note("t", { when: "s2.length > 1" })],
      "for its length write size(s2).",
    ],
    [
      "that an input has no length",
      [note("${s1.rows.length}")],
      "an input can refer to items, as in [0], not to the length.",
    ],
    ["nor one of a text", [note("${s1.text.length}")], "an input can refer to the whole text, not to the length."],
    [
      "what when needs",
      [step({ when: "s1.text" })],
      's1.text is of type string, but "when" needs true or false; compare it, as in s1.text != "".',
    ],
    ["the same of a number", [step({ when: "s1.value" })], "compare it, as in s1.value > 0."],
    ["the same of a list", [step({ when: "s1.rows" })], "compare it, as in size(s1.rows) > 0."],
    ["the same of a whole output", [step({ when: "s1" })], "compare it, as in s1 != null."],
    ["the same of an item", [step({ when: "item", forEach: "sh.texts" })], 'item is of type string, but "when" needs'],
    ["the same of an index", [step({ when: "index", forEach: "sh.texts" })], "compare it, as in index > 0."],
    ["what an expression is", [step({ forEach: ["a"] })], 'expected a CEL expression as text, such as "a.tags"'],
    ["what a condition is", [step({ when: true })], 'expected a CEL expression as text, such as "size(a.tags) > 0"'],
    ["null as it is", [step({ when: "null" })], "it must give true or false, but always gives null ("],
    [
      "what an item has",
      [note("${item.x}", { forEach: "s1.rows" })],
      'item.x does not exist in "item"; available: id, due date.',
    ],
    ["quoted keys", [step({ when: 's1["no no"][0] == 1' })], 's1["no no"] does not exist in the output'],
    [
      "what a loop has",
      [step({ when: "item > 1" })],
      '"item" and "index" exist only in the input and the "when" of a step with "forEach"',
    ],
    [
      "what forEach has not",
      [step({ forEach: "[item]" })],
      '"item" (at character 1) does not exist in "forEach" itself',
    ],
    ["what concurrency is for", [step({ concurrency: 2 })], '"concurrency" needs "forEach"'],
    [
      "what forEach needs",
      [step({ forEach: "s1.value" })],
      's1.value is of type number, but "forEach" needs an array.',
    ],
  ])("say %s", async (_name, steps, message) => {
    expect(await messageOf(...steps)).toContain(message);
  });

  it("say that an expression cannot name an id with a hyphen", async () => {
    const hyphen = { ...sum, id: "my-step-1" };
    expect(await messageOf(hyphen, step({ when: "my-step-1.value > 1" }))).toContain(
      'An expression reads "my-step-1" as a subtraction: give the step an id without "-".',
    );
    expect(await messageOf(hyphen, step({ input: { a: ref("my.x") } }))).not.toContain("subtraction");
    expect(await messageOf({ ...sum, id: "import" }, step({ when: "import.value > 1" }))).toContain("reserved word");
  });
});

describe("a large plan", () => {
  it("with expressions is checked in linear time", async () => {
    const steps = Array.from({ length: 1_000 }, (_, index) => ({
      id: `s${index}`,
      tool: "Sum",
      input: { a: 1 },
      ...(index > 0 && { when: `s${index - 1}.value > ${index}`, forEach: `s${index - 1}`, dependsOn: [] }),
    }));
    const codes = new Set((await validatePlan({ steps }, { tools })).map(({ code }) => code));
    expect([...codes]).toEqual(["reference-type", "invalid-reference"]);
  });

  it("with unknown names is checked in linear time", async () => {
    const steps = Array.from({ length: 20_000 }, (_, index) => ({
      id: `s-${index}`,
      tool: "Open",
      input: {},
      when: `nope${index}.a == s`,
    }));
    expect(await validatePlan({ steps }, { tools, maxSteps: 20_000 })).toHaveLength(40_000);
  });
});
