import { type DefinedTool, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { define } from "../../../src/core/define-tool.ts";
import { calculator, inputsFor, refusalOf, stepsFor, todos, toolWith } from "./plan-for.ts";

/** Plans a request, or has it refused: the planner counts its steps and gives up, so this ends however long a text is. */
async function planOrRefuse(request: string, tools: readonly DefinedTool[] = [calculator, todos]): Promise<void> {
  await stepsFor(request, { tools }).catch((thrown: unknown) => {
    if (!isAgentError(thrown, "cannot-plan")) throw thrown;
  });
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
  ])("of %j are planned or refused", async (piece) => {
    for (const count of [20, 400, 5_000]) await planOrRefuse(piece.repeat(count));
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

  it("may contain a text of up to 200 words and signs", async () => {
    const tools = [toolWith({ phrases: ["note {text}"] })];
    expect(await stepsFor(`note ${"word ".repeat(200)}`, { tools })).toHaveLength(1);
    expect((await refusalOf(`note ${"word ".repeat(201)}`, { tools })).message).toContain("no phrase");
  });
});

describe("templates with several gaps", () => {
  it.each([
    ["{a} to {b}", ["a", "b"], "x to "],
    ["{a} to {b}", ["a", "b"], "to "],
    ["move {title} from {list} to {other}", ["title", "list", "other"], "move a from b to "],
    ["{a} to {b} to {c} to {d}", ["a", "b", "c", "d"], "x to "],
    ["say {a} and {b}", ["a", "b"], "say x and "],
  ])("try a number of readings that grows with the request: %s", async (phrase, names, piece) => {
    let tried = 0;
    const text = z.string().refine(() => ++tried > 0);
    const slots = Object.fromEntries(names.map((name) => [name, text]));
    const tool = toolWith({ inputSchema: z.object(slots), phrases: [{ phrase, slots }] });
    const triedFor = async (count: number) => {
      tried = 0;
      await planOrRefuse(piece.repeat(count), [tool]);
      return tried;
    };
    const once = await triedFor(100);
    expect(await triedFor(200)).toBeLessThanOrEqual(once * 2.2 + 1_000);
    expect(await triedFor(2_000)).toBeLessThanOrEqual(once * 22 + 1_000);
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
  it.each(Object.entries(shapes))("with %s are planned or refused", async (_, make) => {
    for (const length of [400, 4_000, 200_000]) await planOrRefuse(make(length));
  });

  it("are refused with the limit", async () => {
    expect(await refusalOf("milk ".repeat(4_001))).toMatchObject({
      reason: "too-long",
      message: expect.stringContaining("it has more than 4000 words and signs"),
    });
    expect((await refusalOf(`what is 1 + 1 and ${"add it and ".repeat(300)}`)).reason).not.toBe("");
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

  it.each(Object.entries(phrases))("with %s are matched, or refused", async (_, phrase) => {
    const tool = toolWith({ inputSchema: z.looseObject({}), phrases: [{ phrase, toInput: () => ({}) }] });
    for (const piece of ["a ", "a b ", "a, "]) {
      for (const count of [10, 300, 2_000]) await planOrRefuse(`${piece.repeat(count)}end`, [tool]);
    }
  });

  it("may be thousands, even with the same beginning", async () => {
    const phrases = Array.from({ length: 2_000 }, (_, index) => [`say w${index} {text}`, `{text} v${index}`]).flat();
    const tool = toolWith({ phrases });
    expect(await inputsFor("say w1999 hello", [tool])).toEqual([{ text: "hello" }]);
    expect(await inputsFor("hello v1999", [tool])).toEqual([{ text: "hello" }]);
  });

  it("that two tools share, and those that no request can fit, do no harm", async () => {
    const twins = ["Left", "Right"].map((name) => toolWith({ name, phrases: ["turn {text}", '"" {text}'] }));
    expect(await refusalOf("turn around", { tools: twins })).toMatchObject({ reason: "ambiguous" });
    expect((await refusalOf('"" around', { tools: twins })).reason).not.toBe("");
  });

  it.each([
    ["({text}", '"(" has no ")"'],
    ["[{text}", '"[" has no "]"'],
    ["({text}]", '"(" has no ")"'],
    ["say {text} )", '")" is never opened'],
    ["say text}", '"}" is never opened'],
    ["say {text", '"{" has no "}"'],
    ["say {te xt}", '"{te xt}" is not a slot'],
    ["[say {text}]", "it matches an empty request"],
    ["", "it matches an empty request"],
    [`${"(".repeat(40)}a${")".repeat(40)}`, "nested deeper"],
    ["a ".repeat(5_000), "longer than"],
  ])("are refused by name where the tool is defined, if they are malformed: %s", (phrase, message) => {
    const define = () =>
      toolWith({ inputSchema: z.strictObject({ text: z.string() }), phrases: ["fine {text}", phrase] });
    expect(define).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringContaining(message),
        details: expect.objectContaining({ option: "Probe.phrases[1]" }),
      }),
    );
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

describe("requests in other shapes", () => {
  it.each([
    ["ADD MILK TO MY SHOPPING LIST", { operation: "add", title: "MILK", list: "SHOPPING" }],
    ["add milk 🥛 to my list", { operation: "add", title: "milk 🥛" }],
    ["add 👩‍👩‍👧‍👦 dinner to my list", { operation: "add", title: "👩‍👩‍👧‍👦 dinner" }],
    ["add חלב to my list", { operation: "add", title: "חלב" }],
    ["add حليب to my list", { operation: "add", title: "حليب" }],
    ["add\u00a0milk\u2003to my\tlist", { operation: "add", title: "milk" }],
    ["add Zoë\u0301 to my list", { operation: "add", title: "Zoë\u0301" }],
  ])("are planned: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });

  it.each([
    "addmilktomylist",
    "הוסף חלב לרשימה",
    "أضف الحليب إلى قائمتي",
    "🥛🥛🥛",
    "\u202eadd milk to my list",
    "a\u200bdd mi\u200blk",
    "\ud83d",
    "\u0000",
  ])("are refused, or keep what was typed: %j", async (request) => {
    await planOrRefuse(request);
  });
});

describe("odd requests", () => {
  it.each([
    ["a long way in one word", `add ${"a-".repeat(150)}`],
    ["300 quoted texts", `add ${'"a b", '.repeat(300)}`],
    ["300 quotation marks", '"'.repeat(299)],
    ["999 clauses", `${"x".repeat(198)}; `.repeat(999)],
    ["6,400 letters", "a ".repeat(6_400)],
    ["1,000 dates", "on friday ".repeat(1_000)],
    ["1,000 amounts", "5 euros 3 km ".repeat(700)],
    ["a list in SQL", "add milk'; DROP TABLE todos; --"],
    ["a template", "move {title} to [my|the] (list|todos) {list}"],
  ])("are planned or refused: %s", async (_, request) => planOrRefuse(request));

  it.each([
    ["add \u05d7\u05dc\u05d1 to my list", "\u05d7\u05dc\u05d1"],
    ["add \u202emilk\u202c to my list", "\u202emilk\u202c"],
    ['add "\u{1f95b}\u{1f9c0}" to my list', "\u{1f95b}\u{1f9c0}"],
    ["add 'DROP TABLE todos; --' to my list", "DROP TABLE todos; --"],
    ['add "${s1.value}" to my list', "${$}{s1.value}"],
  ])("keep their texts: %s", async (request, title) => {
    expect(await inputsFor(request, [todos])).toEqual([{ operation: "add", title }]);
  });

  it("may have a date for a name", async () => {
    expect(await inputsFor("remind me to call April on may 5", [todos])).toMatchObject([
      { title: "call April", dueDate: "2027-05-05" },
    ]);
    expect((await refusalOf("add May to my list", { tools: [todos] })).reason).toBe("unsure");
  });
});

describe("odd tools", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}`, z.number().optional()]));
  const phrase = `set ${Object.keys(many)
    .map((name) => `[${name} {${name}}]`)
    .join(" ")}`;

  it("may have 40 optional slots", async () => {
    const tools = [toolWith({ inputSchema: z.object(many), effect: "once", phrases: [phrase] })];
    expect(await inputsFor("set n3 5 n39 7", tools)).toEqual([{ n3: 5, n39: 7 }]);
    await planOrRefuse("7 for n39 and 5 for n3 please set", tools);
    await planOrRefuse(`set ${"n3 5 n4 6 ".repeat(100)}`, tools);
  });

  it("may share their verb with nineteen others", async () => {
    const tools = Array.from({ length: 20 }, (_, at) =>
      toolWith({ name: `Send${at}`, effect: "once", phrases: [`send {text} by way${at}`] }),
    );
    expect(await stepsFor("send milk by way7", { tools })).toMatchObject([{ tool: "Send7", input: { text: "milk" } }]);
    expect((await refusalOf("milk should be sent", { tools })).reason).not.toBe("ambiguous");
  });

  it("may take anything", async () => {
    const anything = toolWith({ phrases: ["{text}"] });
    expect(await inputsFor("buy milk", [anything])).toEqual([{ text: "buy milk" }]);
    expect(await inputsFor("add milk to my list", [anything, todos])).toMatchObject([{ operation: "add" }]);
  });
});
