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
import * as z from "zod/v4";
import { goldRows } from "../../eval/gold.ts";
import { refusalOf, requestOf, stepsFor, toolWith, weather } from "./plan-for.ts";

const missing = (field: string) => ({
  reason: "missing",
  proposals: expect.arrayContaining([expect.objectContaining({ asks: expect.objectContaining({ field }) })]),
});

describe("createRulePlanner", () => {
  it("reports what was not understood, and sentences that somebody wrote", async () => {
    const refusal = await refusalOf("add milk to my list, then book a flight to Rome");
    expect(refusal.message).toBe('The request cannot be planned: no phrase of any tool fits "book a flight to Rome".');
    expect(refusal.reason).toBe("not-understood");
    expect(refusal.examples.length).toBeLessThanOrEqual(3);
    expect((await refusalOf("book a flight and then add milk to my list")).message).toContain('"book a flight"');
  });

  it.each([
    "what is the time",
    "7",
    "what is 7",
    "play some music",
    "book a table for two",
    "rent me a van from 4/28 - 5/1 in bergen",
    "what is the derivative of x^2",
    "add a meeting with Bob to my calendar",
    "add a song to the playlist",
    "set an alarm for 7 am",
    "transfer $50 to savings",
    "☕☕☕",
    "${s1.value}",
  ])("refuses %s", async (request) => {
    expect((await refusalOf(request)).reason).toBe("not-understood");
  });

  it.each([
    ["how many ounces in a gallon", "question"],
    ["don't add milk to my list", "denied"],
    ["what if I deleted milk", "supposed"],
    ["my brother deleted milk", "others"],
    ["add eggs to my list, actually no", "corrected"],
    ["remind me to take the bins out every monday", "repeated"],
    ["add milk to my list unless it rains", "condition"],
  ])("says why it refuses %s", async (request, reason) => {
    expect((await refusalOf(request)).reason).toBe(reason);
  });

  it.each([
    ["remind me to", "does not say the title", missing("title")],
    ["add item", "does not say the title", missing("title")],
    ["put on my list", "does not say the title", missing("title")],
    ["add something", "does not say the title", missing("title")],
    ["delete everything", "does not say the title", missing("title")],
    ["please add it to my list", '"it" refers to a result, but no earlier step has one', { reason: "unbound" }],
  ])("reports what is missing in %s", async (request, why, details) => {
    const refusal = await refusalOf(request);
    expect(refusal.message).toContain(why);
    expect(refusal).toMatchObject(details);
  });

  it("refuses a request that two tools match equally well, and names both", async () => {
    const north = toolWith({ name: "North", phrases: ["go {text}"] });
    const south = toolWith({ name: "South", phrases: ["go {text}"] });
    const refusal = await refusalOf("go home", { tools: [north, south] });
    expect(refusal.message).toContain('"go home" fits North ("go {text}") and South ("go {text}") equally well');
    const proposals = ["North", "South"].map((tool) => ({ steps: [{ tool }], text: "go home" }));
    expect(refusal).toMatchObject({ reason: "ambiguous", proposals });
    const exact = toolWith({ name: "South", phrases: ["go home"], inputSchema: z.object({}) });
    expect(await stepsFor("go home", { tools: [north, exact] })).toMatchObject([{ tool: "South" }]);
  });

  it("refuses a result that does not fit the input", async () => {
    const roll = toolWith({ name: "Roll", inputSchema: z.object({ n: z.number() }), phrases: ["roll {n} dice"] });
    const list = toolWith({
      name: "Listing",
      inputSchema: z.object({}),
      outputSchema: z.object({ all: z.array(z.string()) }),
      phrases: ["names"],
    });
    expect((await refusalOf("names and roll it dice", { tools: [roll, list] })).message).toContain("number is needed");
    const say = toolWith({ phrases: ["say {text}"] });
    expect((await refusalOf("names and say it", { tools: [say, list] })).message).toContain("is not a single value");
  });

  it("refuses too many steps, too many parts, and requests without words", async () => {
    const many = "weather in Rome; ".repeat(4);
    const reason = "too-long";
    expect(await refusalOf(many, { tools: [weather], maxSteps: 3 })).toMatchObject({
      reason,
      message: expect.stringContaining("more than 3 steps"),
    });
    expect(await refusalOf("tasks. ".repeat(1_001))).toMatchObject({
      reason,
      message: expect.stringContaining("more than 1000 parts"),
    });
    for (const request of [" ", "?!"]) {
      expect(await refusalOf(request)).toMatchObject({
        reason: "not-understood",
        message: expect.stringContaining("it has no words"),
      });
    }
  });

  it("has no examples if no tool has phrases", async () => {
    expect((await refusalOf("do it", { tools: [] })).examples).toEqual([]);
  });

  it("quotes long requests in part, and never half a character", async () => {
    const { message } = await refusalOf(`nonsense ${"😀 ".repeat(500)}`);
    expect(message.length).toBeLessThanOrEqual(200);
    expect(message).not.toMatch(/\p{Surrogate}/u);
  });

  it("does not read a question or a request as part of a text", async () => {
    const options = { tools: [weather] };
    expect((await refusalOf("weather in Rome and what is the time", options)).message).toContain('"what is the time"');
    expect((await refusalOf("weather in Rome and can you sing", options)).message).toContain('"can you sing"');
  });

  it("does not read a second request as part of a text whose slot has a schema", async () => {
    const city = z.string().refine((name) => !/\band\b/.test(name));
    const careful = toolWith({
      inputSchema: z.object({ city: z.string() }),
      phrases: [{ phrase: "weather in {city}", slots: { city } }],
    });
    expect((await refusalOf("weather in Rome and book a flight", { tools: [careful] })).message).toContain(
      '"book a flight"',
    );
  });

  it("refuses a very long request", async () => {
    const request = `${"weather in Rome; ".repeat(200)}nonsense`;
    expect((await refusalOf(request, { tools: [weather], maxSteps: 1_000 })).reason).not.toBe("");
  });
});

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

describe("the reason of a refusal", () => {
  it.each([
    "hi",
    "Hello there!",
    "help",
    "Can you help me?",
    "what can you do?",
    "Hi, what can you do for me, please",
    "thanks a lot!",
    "who are you",
    "how does this work?",
    "ok bye",
    "lol",
    "Good morning. How are you?",
  ])("is small talk for %s", async (request) => {
    expect((await refusalOf(request)).reason).toBe("small-talk");
  });

  it("is not small talk if something is asked for as well", async () => {
    expect((await refusalOf("hi, help me book a flight")).reason).toBe("not-understood");
    expect(await stepsFor("hi! what can you do? add milk to my list").catch(() => [])).toEqual([]);
    expect((await refusalOf("thanks, and book a flight")).reason).toBe("not-understood");
  });

  it("is not small talk if a tool has a phrase for it", async () => {
    const help = toolWith({ name: "Help", inputSchema: z.object({}), phrases: ["help", "what can you do"] });
    expect(await stepsFor("what can you do?", { tools: [help] })).toMatchObject([{ tool: "Help" }]);
  });

  it.each([
    ["delete", "title"],
    ["delete everything", "title"],
  ])("names what is missing in %s", async (request, field) => {
    const steps = [{ tool: "TodoStore", input: { operation: "delete" } }];
    const { reason, proposals } = await refusalOf(request);
    expect(reason).toBe("missing");
    expect(proposals?.[0]).toMatchObject({ steps, unused: [], asks: { stepId: "s1", field, type: "text" } });
  });
});
