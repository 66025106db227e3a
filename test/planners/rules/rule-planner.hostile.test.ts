import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { define } from "../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../src/core/tool.ts";
import { maxTokens, maxWork, readRequest, TooMuchWork, WorkMeter } from "../../../src/planners/rules/match-input.ts";
import { segmentRequest } from "../../../src/planners/rules/segment-request.ts";
import { compileTool } from "../../../src/planners/rules/tool-rules.ts";
import { calculator, nowMs, refusalOf, stepsFor, todos, toolWith } from "./plan-for.ts";

/** How much the matcher does for a request: a count, which no clock disturbs. */
async function workFor(request: string, tools: readonly DefinedTool[]): Promise<number> {
  const work = new WorkMeter(Number.POSITIVE_INFINITY);
  segmentRequest(await Promise.all(tools.map(compileTool)), readRequest(request, { nowMs, timeZone: "UTC" }, { work }));
  return work.done;
}

async function expectLinear(piece: string, tools: readonly DefinedTool[], count = 200): Promise<void> {
  const once = await workFor(piece.repeat(count), tools);
  const twice = await workFor(piece.repeat(count * 2), tools);
  expect(twice).toBeLessThanOrEqual(once * 2.2 + 2_000);
}

describe("long requests", () => {
  it.each([
    "add milk and ",
    "add milk, ",
    "milk ",
    "and ",
    "the ",
    "please ",
    "what is ",
    "1 + ",
    "add a todo to ",
    "tomorrow ",
    "my list ",
    "show me my tasks. ",
    "'",
    '"',
    "“",
    "( ",
    "one hundred and ",
    "a\n",
    "${s1} ",
  ])("of %j take linear time", async (piece) => {
    await expectLinear(piece, [calculator, todos]);
  });

  it("of a megabyte are planned or refused", async () => {
    const text = "x".repeat(1_000_000);
    expect(
      await stepsFor(`add "${text}" as a note`, { tools: [toolWith({ phrases: ["add {text} as a note"] })] }),
    ).toMatchObject([{ input: { text } }]);
    for (const piece of ["x ", "add x, ", "1+", "'"]) {
      expect((await refusalOf(piece.repeat(1_000_000 / piece.length))).reason).not.toBe("");
    }
  });

  it("may contain a title of up to a thousand tokens", async () => {
    const tools = [toolWith({ phrases: ["note {text}"] })];
    expect(await stepsFor(`note ${"word ".repeat(900)}`, { tools })).toHaveLength(1);
    expect((await refusalOf(`note ${"word ".repeat(1_100)}`, { tools })).message).toContain("no phrase");
  });
});

describe("templates with several gaps", () => {
  const withSlots = (names: readonly string[], phrase: string) =>
    toolWith({ inputSchema: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))), phrases: [phrase] });

  it.each([
    ["{a} to {b}", ["a", "b"], "x to "],
    ["{a} to {b}", ["a", "b"], "to "],
    ["move {title} from {list} to {other}", ["title", "list", "other"], "move a from b to "],
    ["{a} to {b} to {c} to {d}", ["a", "b", "c", "d"], "x to "],
    ["say {a} and {b}", ["a", "b"], "say x and "],
  ])("take linear time: %s", async (phrase, names, piece) => {
    const tool = withSlots(names, phrase);
    await expectLinear(piece, [tool], Math.ceil(4_000 / piece.length));
    const work = await workFor(`${piece.repeat(Math.ceil(400 / piece.length))}x`, [tool]);
    expect(work).toBeLessThan(40_000);
  });
});

/** Shapes that were slow, or could be: each makes a request of so many characters. */
const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const shapes: Readonly<Record<string, (length: number) => string>> = {
  "a hyphenated name of a list": (length) => `show my ${filled("a-", length)}/ list`,
  "a long name of a list": (length) => `show my ${filled("a", length)}/ list`,
  "a quoted name of a list": (length) => `add milk to my "${filled("a", length)}!" list`,
  "a quoted place": (length) => `add "${filled("to my ", length)}1"`,
  "a quoted place to delete from": (length) => `delete "${filled("to my ", length)}1"`,
  "quoted arithmetic": (length) => `what is "${filled("the square root of the sum of ", length)}"`,
  "quotes in a title": (length) => `add ${filled('"a" ', length)} to my list`,
  "slashes in a title": (length) => `add ${filled("a/", length)} to my list`,
  connectors: (length) => `add ${filled("a and ", length)} to my list`,
  commas: (length) => `add ${filled("a, ", length)} to my list`,
  "separators before what is not understood": (length) => `milk ${filled("and ", length)} nonsense; ☕`,
  "roots of roots": (length) => `what is ${filled("the square root of ", length)} 3`,
  "sums of sums": (length) => `what is ${filled("the sum of 1 and ", length)} 3`,
  "openings of questions": (length) => filled("what is ", length),
  "opening brackets": (length) => `calculate ${filled("(", length)}`,
  digits: (length) => `calculate ${filled("1", length)}`,
  "wishes that go on": (length) => `what is 1 + 1 and ${filled("add it and ", length)}`,
  "beginnings of phrases": (length) => filled("add milk to my list, ", length),
  "spoken numbers": (length) => `what is ${filled("one hundred and ", length)}`,
  "white space": (length) => `add milk${filled(" ", length)}to my list`,
  "characters of no width": (length) => filled("a\u200b", length),
  "one long word": (length) => `add ${filled("aA", length)} to my list`,
  tags: (length) => `add a todo b ${filled("tagged a ", length)}`,
  courtesies: (length) => `add milk ${filled("please now ", length)}`,
  items: (length) => filled("1. a\n", length),
};

describe("hostile requests", () => {
  const sizes = [400, 4_000, 200_000];

  it.each(Object.entries(shapes))("with %s stay within the work limit", async (_, make) => {
    const rules = await Promise.all([calculator, todos].map(compileTool));
    for (const length of sizes) {
      const work = new WorkMeter();
      const input = readRequest(make(length), { nowMs, timeZone: "UTC" }, { work });
      expect(input.tokens.length).toBeLessThanOrEqual(maxTokens + 2);
      try {
        segmentRequest(rules, input);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TooMuchWork);
      }
      expect(work.done).toBeLessThan(maxWork + 100_000);
    }
  });

  it("are refused with the limit", async () => {
    const many = await refusalOf(`what is 1 + 1 and ${"add it and ".repeat(300)}`);
    expect(many.message).toContain(`more than ${maxWork} steps`);
    expect((await refusalOf("milk ".repeat(maxTokens + 1))).message).toContain(
      `it has more than ${maxTokens} words and signs`,
    );
  });

  it("are no reason to refuse ordinary long requests", async () => {
    const items = "milk, eggs, oat flakes, paper towels, bread and rice";
    expect(await stepsFor(`add ${items} to my shopping list. `.repeat(10))).toHaveLength(60);
    expect(await stepsFor("remind me to buy milk tomorrow. ".repeat(60))).toHaveLength(60);
    expect(await stepsFor(`what is ${Array.from({ length: 300 }, (_, index) => index).join(" + ")}`)).toHaveLength(1);
  });
});

describe("hostile phrases", () => {
  const phrases = {
    "nested optionals": `${"[a ".repeat(30)}${"]".repeat(30)} end`,
    "repeated optionals": `${"[a] ".repeat(500)}end`,
    "repeated alternatives": `${"(a|a a|a a a) ".repeat(120)}end`,
    "slots side by side": `${Array.from({ length: 100 }, (_, index) => `{s${index}}`).join(" ")} end`,
    "optional slots": `${Array.from({ length: 100 }, (_, index) => `[{s${index}} a]`).join(" ")} end`,
    "two kilobytes of words": `(${Array.from({ length: 400 }, (_, index) => `a${index}`).join("|")}) end`,
    "a loop around a loop": "{x} [a [a {y} [a {z}]]] a a a end",
  };

  it.each(Object.entries(phrases))("with %s are matched in linear time", async (_, phrase) => {
    const tool = toolWith({ inputSchema: z.looseObject({}), phrases: [{ phrase, toInput: () => ({}) }] });
    await expectLinear("a ", [tool], 300);
    await expectLinear("a b ", [tool], 300);
    await expectLinear("a, ", [tool], 100);
    const size = (await compileTool(tool)).rules[0]?.program().code.length ?? 0;
    expect(size).toBeLessThan(phrase.length * 4);
  });

  it("are indexed once each, even with the same beginning", async () => {
    const phrases = Array.from({ length: 2_000 }, (_, index) => [`say w${index} {text}`, `{text} v${index}`]).flat();
    const { index } = await compileTool(toolWith({ phrases }));
    const entries = [...index.byWord.values()].reduce((sum, numbers) => sum + numbers.length, index.open.length);
    expect(entries).toBe(phrases.length);
  });

  it.each([
    ["({text}", '"(" has no ")"'],
    ["[{text}", '"[" has no "]"'],
    ["({text}]", '"(" has no ")"'],
    ["say {text} )", '")" is never opened'],
    ["say text}", '"}" is never opened'],
    ["say {text", '"{" has no "}"'],
    ["say {te xt}", '"{te xt}" is not a slot'],
    ["[say {text}]", "all of it is optional"],
    ["", "all of it is optional"],
    [`${"(".repeat(40)}a${")".repeat(40)}`, "nested deeper"],
    ["a ".repeat(5_000), "longer than"],
  ])("are refused by name if they are malformed: %s", async (phrase, message) => {
    const tool = toolWith({ inputSchema: z.strictObject({ text: z.string() }), phrases: ["fine {text}", phrase] });
    await expect(stepsFor("fine day", { tools: [tool] })).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining(message),
      details: { option: "Probe.phrases[1]" },
    });
  });

  it("are refused for unknown slots even if they are loaded later", async () => {
    const phrases = async () => ["fine {text}", "say {other}"];
    const tool = { ...toolWith({ inputSchema: z.strictObject({ text: z.string() }), phrases: [] }), phrases };
    await expect(stepsFor("fine day", { tools: [define(tool)] })).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining('no field "other"'),
      details: { option: "Probe.phrases[1]" },
    });
  });
});
