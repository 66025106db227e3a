import { createCalculator, createNotes, createTodoStore, createWebSearch, defineTool, type Tool } from "planwright";
import { checkPhrases } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const toolOf = (name: string, inputSchema: z.ZodType, phrases: NonNullable<Tool["phrases"]>, more: object = {}) =>
  defineTool({
    name,
    description: name,
    inputSchema,
    effect: "idempotent",
    phrases,
    execute: () => null,
    ...more,
  } as never);

/** Each problem as text. */
async function problemsOf(...tools: readonly Tool[]): Promise<readonly string[]> {
  const found = await checkPhrases(tools);
  return found.map(({ tool, phrase, request, problem }) => `${tool} ${phrase} | ${request} | ${problem}`);
}

const person = z.object({ to: z.string() });
const money = z.object({ euros: z.number(), to: z.string() });

describe("checkPhrases", () => {
  it("finds nothing in the tools of the package, but what two of them share", async () => {
    const others = [createCalculator(), createNotes(), createTodoStore()];
    expect(await problemsOf(...others)).toEqual([]);
    expect(await problemsOf(...others, createWebSearch({ search: () => [] }))).toEqual([
      'TodoStore search for {query} | search for "query" | ambiguous',
      'WebSearch (search|look) for {query} | search for "query" | ambiguous',
    ]);
  });

  it("names a phrase that another tool takes, with that tool", async () => {
    const pay = toolOf("Pay", money, ["send {to} {euros} euros"]);
    const call = toolOf("Call", person, ["call {to}", "send {to} 3 euros"]);
    const [taken, ...others] = await checkPhrases([pay, call]);
    expect(others).toEqual([]);
    expect(taken).toEqual({
      tool: "Pay",
      phrase: "send {to} {euros} euros",
      request: 'send "to" 3 euros',
      problem: "taken",
      message: 'The sentence is planned by "send {to} 3 euros" of Call.',
    });
  });

  it("names a phrase that is read as several wishes, and one that is never read as a whole", async () => {
    const pack = toolOf("Pack", person, ["pack {to}"]);
    const send = toolOf("Send", person, ["send {to}"]);
    const both = toolOf("Both", z.object({ to: z.string(), from: z.string() }), ["pack {to}, then send {from}"]);
    expect(await checkPhrases([pack, send, both])).toMatchObject([
      {
        tool: "Both",
        problem: "taken",
        message: 'The sentence is planned by "pack {to}" of Pack and "send {to}" of Send.',
      },
    ]);
    expect(await problemsOf(both)).toEqual([
      'Both pack {to}, then send {from} | pack "to", then send "from" | refused',
    ]);
  });

  it("takes two phrases of a tool for one if they mean the same, and not if they differ in the operation", async () => {
    const inputSchema = z.discriminatedUnion("action", [
      z.object({ action: z.literal("open"), door: z.string() }),
      z.object({ action: z.literal("close"), door: z.string() }),
    ]);
    const open = { input: { action: "open" } } as const;
    const close = { input: { action: "close" } } as const;
    const same = [
      { phrase: "use {door}", ...open },
      { phrase: "use [the] {door}", ...open },
    ];
    expect(await problemsOf(toolOf("Door", inputSchema, same))).toEqual([]);
    const other = [
      { phrase: "use {door}", ...open },
      { phrase: "use {door}", ...close },
    ];
    expect(await problemsOf(toolOf("Door", inputSchema, other))).toHaveLength(2);
  });

  it("checks examples as they are, and says values that a schema wants", async () => {
    const code = z.object({
      code: z
        .string()
        .regex(/^[A-Z]{2}-\d+$/)
        .meta({ examples: ["AB-12"] }),
    });
    const count = z.object({ seats: z.int().min(10).max(400), day: z.iso.date().meta({ when: "past" }) });
    const ask = z.object({ topic: z.string() });
    expect(
      await problemsOf(
        toolOf("Trace", code, ["trace {code}"]),
        toolOf("Hall", count, ["who had {seats} seats on {day}"]),
        toolOf("Ask", ask, [{ phrase: "what do you know of tea", input: { topic: "tea" } }]),
      ),
    ).toEqual([]);
    const strict = z.object({ code: z.string().regex(/^[A-Z]{2}-\d+$/) });
    const [refused] = await checkPhrases([toolOf("Trace", strict, ["trace {code}"])]);
    expect(refused).toMatchObject({
      problem: "refused",
      request: 'trace "code"',
      message: expect.stringContaining("code"),
    });
  });

  it("leaves out phrases that need an earlier step, and checks those that are loaded", async () => {
    const inputSchema = z.object({ id: z.string() });
    const undo = {
      phrase: "undo the last one",
      toInput: (_slots: object, { before }: { before?: { input: object } }) => before?.input as { id: string },
    };
    const loaded = async () => [undo, { phrase: "find {id}, then undo it" }];
    expect(await problemsOf(toolOf("Undo", inputSchema, loaded as never))).toEqual([
      'Undo find {id}, then undo it | find "id", then undo it | refused',
    ]);
  });

  it.each([
    ["what is not a list", 5],
    ["what is not a tool", [5]],
    ["two tools of one name", [createCalculator(), createCalculator()]],
  ])("refuses %s", async (_, tools) => {
    await expect(checkPhrases(tools as never)).rejects.toMatchObject({ code: "invalid-options" });
  });
});
