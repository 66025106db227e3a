import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { Tool } from "../../../src/core/tool.ts";
import { readRequest } from "../../../src/planners/rules/match-input.ts";
import { segmentRequest } from "../../../src/planners/rules/segment-request.ts";
import { compileTool } from "../../../src/planners/rules/tool-rules.ts";
import { calculator, nowMs, refusalOf, stepsFor, todos, toolWith } from "./plan-for.ts";

/** How much the matcher does for a request: a count, which no clock disturbs. */
async function workFor(request: string, tools: readonly Tool[]): Promise<number> {
  const input = readRequest(request, { nowMs, timeZone: "UTC" });
  segmentRequest(await Promise.all(tools.map(compileTool)), input);
  return input.work;
}

async function expectLinear(piece: string, tools: readonly Tool[], count = 200): Promise<void> {
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
  ])("cost no more for each piece of %j", async (piece) => {
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

  it("keep a long text in one title only up to a thousand tokens", async () => {
    const tools = [toolWith({ phrases: ["note {text}"] })];
    expect(await stepsFor(`note ${"word ".repeat(900)}`, { tools })).toHaveLength(1);
    expect((await refusalOf(`note ${"word ".repeat(1_100)}`, { tools })).reason).toContain("no phrase");
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

  it.each(Object.entries(phrases))("with %s stay linear", async (_, phrase) => {
    const tool = toolWith({ inputSchema: z.looseObject({}), phrases: [{ phrase, toInput: () => ({}) }] });
    await expectLinear("a ", [tool], 300);
    await expectLinear("a b ", [tool], 300);
    await expectLinear("a, ", [tool], 100);
    const size = (await compileTool(tool)).rules[0]?.program().code.length ?? 0;
    expect(size).toBeLessThan(phrase.length * 4);
  });

  it.each([
    ["({text}", '"(" has no ")"'],
    ["[{text}", '"[" has no "]"'],
    ["({text}]", '"(" has no ")"'],
    ["say {text} )", '")" has no beginning'],
    ["say text}", '"}" has no beginning'],
    ["say {text", '"{" has no "}"'],
    ["say {te xt}", '"{te xt}" is no slot'],
    ["[say {text}]", "all of it is optional"],
    ["", "all of it is optional"],
    [`${"(".repeat(40)}a${")".repeat(40)}`, "nested deeper"],
    ["a ".repeat(5_000), "longer than"],
    ["say {other}", 'no field "other"'],
  ])("that can not be read are named: %s", async (phrase, message) => {
    const tool = toolWith({ inputSchema: z.strictObject({ text: z.string() }), phrases: ["fine {text}", phrase] });
    await expect(stepsFor("fine day", { tools: [tool] })).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining(message),
      details: { option: "Probe.phrases[1]" },
    });
  });
});
