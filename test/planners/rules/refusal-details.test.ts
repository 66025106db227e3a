import * as fc from "fast-check";
import {
  createCalculator,
  createRulePlanner,
  createTodoStore,
  defineTool,
  explainRequest,
  isAgentError,
} from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { goldRows } from "../../eval/gold.ts";
import { requestOf } from "./plan-for.ts";

const table = defineTool({
  name: "Table",
  description: "Tables of a restaurant",
  inputSchema: z.discriminatedUnion("action", [
    z.object({
      action: z.literal("book"),
      guests: z.number().int(),
      area: z.enum(["inside", "terrace"]),
      day: z.iso.date().optional(),
    }),
    z.object({ action: z.literal("cancel"), day: z.iso.date() }),
  ]),
  effect: "idempotent",
  phrases: [
    { phrase: "book a table for {guests} {area}", input: { action: "book" } },
    { phrase: "book a table for {guests}", input: { action: "book" } },
    { phrase: "cancel [my] table [on] {day}", input: { action: "cancel" }, destructive: true },
  ],
  execute: () => null,
});
const greet = defineTool({
  name: "Greet",
  description: "Greets",
  inputSchema: z.object({ name: z.string() }),
  effect: "idempotent",
  phrases: ["greet {name}"],
  execute: () => null,
});
const pay = defineTool({
  name: "Pay",
  description: "Pays",
  inputSchema: z.object({ invoice: z.number() }),
  effect: "once",
  phrases: ["pay invoice {invoice}"],
  execute: () => null,
});

const tools = [createCalculator(), createTodoStore(), table, greet, pay];

/** The details of a refusal. */
async function refuse(request: string, offered: readonly unknown[] = tools) {
  const planning = createRulePlanner().plan(requestOf(request, { tools: offered as never }));
  const thrown: unknown = await Promise.resolve(planning).catch((error: unknown) => error);
  if (!isAgentError(thrown, "cannot-plan")) throw new Error(`planned: ${JSON.stringify(thrown)}`);
  return thrown.details;
}

describe("what a refusal is missing", () => {
  it("leaves no word unexplained, if there is none", async () => {
    const { words } = await refuse("please book a table for 4, thanks");
    expect(words).toEqual([
      { text: "please", by: "courtesy" },
      { text: "book a table for", by: "phrase" },
      { text: "4", by: "slot", slot: "guests" },
      { text: ", thanks", by: "courtesy" },
    ]);
  });
});

describe("the words of a refusal", () => {
  it("are those that were understood, and those that were not", async () => {
    expect((await refuse("Greet Bob, we are late, then dance")).words).toEqual([
      { text: "Greet", by: "phrase" },
      { text: "Bob", by: "slot", slot: "name" },
      { text: ", we are late, then", by: "courtesy" },
      { text: "dance", by: "left" },
    ]);
  });

  it("are all words of the request, in their order", async () => {
    const words = fc.constantFrom(
      ..."greet bob and then dance , . please 4 book a table for it tomorrow “x”".split(" "),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 9 }), async (parts) => {
        const text = parts.join(" ");
        const { steps, refusal } = await explainRequest(requestOf(text, { tools: [table, greet] as never }));
        if (steps.length > 0) return;
        expect(refusal?.words?.map((word) => word.text).join(" ") ?? text).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the wishes of a refusal", () => {
  it("have steps where they are planned, and a reason where not", async () => {
    const { wishes } = await refuse("add milk to my shopping list, then dance, and mark it done. Greet Bob");
    expect(wishes).toMatchObject([
      { text: "add milk to my shopping list", steps: [{ id: "s1", input: { title: "milk", list: "shopping" } }] },
      { text: "dance", reason: "not-understood" },
      { text: "mark it done", reason: "unbound" },
      { text: "Greet Bob", steps: [{ id: "s2", tool: "Greet", dependsOn: [] }] },
    ]);
  });

  it("may refer to those before them", async () => {
    const { wishes } = await refuse("dance. What is 7 times 6? Add it as a todo. Do not greet Bob");
    expect(wishes).toMatchObject([
      { reason: "not-understood" },
      { steps: [{ id: "s1", tool: "Calculator" }] },
      { steps: [{ id: "s2", input: { title: "${s1.value}" }, dependsOn: ["s1"] }] },
      { text: "Do not greet Bob", reason: "denied" },
    ]);
  });

  it("are absent where there is only one", async () => {
    expect(await refuse("dance with me")).not.toHaveProperty("wishes");
  });

  it("never have a step that the whole request would not have", async () => {
    for (const { prompt } of goldRows) {
      const { steps, refusal } = await explainRequest(requestOf(prompt, { tools: [greet] as never }));
      expect(steps).toEqual([]);
      for (const wish of refusal?.wishes ?? []) expect(wish).not.toHaveProperty("steps");
    }
  });
});

describe("a request for later", () => {
  it.each([
    ["a day alone has no time", "greet Bob tomorrow"],
    ["a deadline is no time to wait for", "by tomorrow at 8, greet Bob"],
    ["it may be of the last wish alone", "pay invoice 7 and greet Bob in two hours"],
  ])("is refused as such, where %s", async (_why, request) => {
    expect((await refuse(request)).reason).toBe("later");
  });

  it.each([
    ["every day at 8, greet Bob", "repeated"],
    ["do not greet Bob tomorrow", "denied"],
    ["tomorrow, dance", "not-understood"],
  ])("has another reason, if there is one: %s", async (request, reason) => {
    expect((await refuse(request)).reason).toBe(reason);
  });
});

describe("explainRequest of a refusal", () => {
  it("has the parts that were understood", async () => {
    const { steps, parts, refusal } = await explainRequest(
      requestOf("greet Bob, then dance", { tools: tools as never }),
    );
    expect(steps).toEqual([]);
    expect(parts).toMatchObject([{ text: "greet Bob", tool: "Greet", stepIds: [] }]);
    expect(refusal).toMatchObject({ reason: "not-understood", wishes: [{ steps: [{ tool: "Greet" }] }, {}] });
  });
});
