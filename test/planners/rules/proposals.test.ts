import { createRulePlanner, createTodoStore, defineTool, isAgentError, sensitive, toPlan } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { refusalOf, requestOf } from "./plan-for.ts";

const given = { description: "For tests", effect: "idempotent", execute: () => null } as const;
const table = defineTool({
  ...given,
  name: "Table",
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
});
const greet = defineTool({
  ...given,
  name: "Greet",
  inputSchema: z.object({ name: z.string() }),
  phrases: ["greet {name}"],
});
const meet = defineTool({
  ...given,
  name: "Meet",
  inputSchema: z.object({ name: z.string() }),
  phrases: ["greet {name}"],
});
const pay = defineTool({
  ...given,
  name: "Pay",
  inputSchema: z.object({ invoice: z.number() }),
  effect: "once",
  phrases: ["pay invoice {invoice}"],
});
const lesson = defineTool({
  ...given,
  name: "BookLesson",
  inputSchema: z.object({ rider: z.string(), day: z.iso.date() }),
  effect: "once",
  phrases: ["book a lesson for {rider} on {day}"],
});
const lessons = defineTool({
  ...given,
  name: "ListLessons",
  inputSchema: z.object({ rider: z.string().optional() }),
  effect: "pure",
  phrases: ["list all lessons", "list the lessons of {rider}"],
});
const transfer = defineTool({
  ...given,
  name: "Transfer",
  inputSchema: z.object({ to: z.string(), amountEur: z.number().positive() }),
  effect: "once",
  phrases: ["transfer {amountEur} euros to {to}"],
});
const tools = [createTodoStore(), table, greet, pay, lesson, lessons, transfer];

/** The proposals for a request. */
async function proposalsFor(request: string, offered: readonly unknown[] = tools) {
  return (await refusalOf(request, { tools: offered as never })).proposals ?? [];
}

describe("a proposal", () => {
  it("has the steps for other words, their text, and nothing unused", async () => {
    const [first] = await proposalsFor("settle invoice 7");
    expect(first).toEqual({
      steps: [{ id: "s1", tool: "Pay", input: { invoice: 7 }, dependsOn: [], reasoning: "pay invoice 7" }],
      text: "pay invoice 7",
      certainty: expect.any(Number),
      unused: [],
    });
  });

  it("says the words that it does not use", async () => {
    const [first] = await proposalsFor("pay invoice 7 twice");
    expect(first).toMatchObject({ text: "pay invoice 7", unused: ["twice"] });
  });

  it("is of all that is asked for, in the order of the words", async () => {
    const [first] = await proposalsFor("revoke my table on friday and greet Bob");
    expect(first?.steps).toMatchObject([
      { id: "s1", tool: "Table", input: { action: "cancel", day: "2026-11-27" }, dependsOn: [] },
      { id: "s2", tool: "Greet", input: { name: "Bob" }, dependsOn: ["s1"] },
    ]);
    expect(first?.text).toBe("cancel table friday 27 november, then greet Bob");
  });

  it("is one of both, where two tools fit", async () => {
    const { reason, proposals } = await refusalOf("greet Bob", { tools: [greet, meet] });
    expect(reason).toBe("ambiguous");
    expect(proposals?.map(({ steps }) => steps[0]?.tool)).toEqual(["Greet", "Meet"]);
  });

  it("is among three at most, the likeliest first", async () => {
    const all = await proposalsFor("something about a lesson and a table and invoice 7 for Bob on friday");
    expect(all.length).toBeLessThanOrEqual(3);
    const certainties = all.map(({ certainty }) => certainty);
    expect(certainties).toEqual(certainties.toSorted((one, other) => other - one));
  });

  it("always has the literal reading of a name that may hold more", async () => {
    const request = "add flux, solder and clips to merchants";
    const titles = (await proposalsFor(request)).map(({ steps }) => steps.map(({ input }) => input?.title));
    expect(titles).toContainEqual(["flux", "solder", "clips to merchants"]);
  });

  it("of a todo alone is unlikely", async () => {
    const [first] = await proposalsFor("buy milk");
    expect(first).toMatchObject({ steps: [{ tool: "TodoStore", input: { operation: "add", title: "buy milk" } }] });
    expect(first?.certainty).toBeLessThan(0.5);
  });

  it.each([
    ["denied", "do not pay invoice 7 yet"],
    ["told of others", "Petra told me that she paid invoice 7"],
    ["repeated", "settle invoice 7 every month"],
    ["repeated, with a mistake", "settle invoice 7 evry month"],
    ["small talk", "thanks a lot"],
  ])("is not made of what is %s", async (_what, request) => {
    expect(await proposalsFor(request)).toEqual([]);
  });

  it("is never the opposite", async () => {
    expect(await proposalsFor("cancel Emma's lesson on friday", [lesson, lessons])).toEqual([]);
  });

  it("of a question has no effect", async () => {
    const all = await proposalsFor("should I book a lesson for Emma on friday");
    for (const { steps } of all) for (const { tool } of steps) expect(tool).toBe("ListLessons");
  });

  it("without an effect is planned at once", async () => {
    const { steps } = await createRulePlanner().plan(
      requestOf("show me the lessons of Emma", { tools: [lessons] as never }),
    );
    expect(steps).toMatchObject([{ tool: "ListLessons", input: { rider: "Emma" } }]);
  });

  it("takes no other currency than the field's own", async () => {
    const [first] = await proposalsFor("send 20 euros to Ada", [transfer]);
    expect(first).toMatchObject({ steps: [{ input: { to: "Ada", amountEur: 20 } }] });
    for (const { steps } of await proposalsFor("send 20 dollars to Ada", [transfer]))
      expect(steps[0]?.input).not.toHaveProperty("amountEur");
  });

  it("hides what is sensitive in its words, and not in its steps", async () => {
    const login = defineTool({
      ...given,
      name: "SetPin",
      inputSchema: z.object({ pin: sensitive(z.number()) }),
      effect: "idempotent",
      phrases: ["set the pin to {pin}"],
    });
    const [first] = await proposalsFor("the new pin is 4711 from now", [login]);
    expect(first?.steps[0]?.input).toEqual({ pin: 4711 });
    expect(JSON.stringify([first?.text, first?.steps[0]?.reasoning])).not.toContain("4711");
  });
});

describe("a proposal that asks", () => {
  it("names the field that is missing, its type and choices, with the rest filled in", async () => {
    const { reason, proposals } = await refusalOf("book a table for 4", { tools });
    expect(reason).toBe("missing");
    expect(proposals?.[0]).toMatchObject({
      steps: [{ id: "s1", tool: "Table", input: { action: "book", guests: 4 } }],
      unused: [],
      asks: { stepId: "s1", field: "area", type: "enum", choices: ["inside", "terrace"], text: "Which area?" },
    });
  });

  it.each(["remind me to", "new task", "a new todo please"])(
    "asks for the field that a function fills: %s",
    async (said) => {
      const { reason, proposals } = await refusalOf(said, { tools });
      expect(reason).toBe("missing");
      expect(proposals?.[0]).toMatchObject({
        steps: [{ tool: "TodoStore", input: { operation: "add" } }],
        text: "add …",
        asks: { field: "title", type: "text", text: "Which title?" },
      });
    },
  );

  it("asks where the value is none that the field has", async () => {
    const [first] = await proposalsFor("book a table for 4 in the garden");
    expect(first).toMatchObject({ asks: { field: "area" }, unused: ["garden"] });
  });
});

describe("toPlan", () => {
  it("makes a plan of what was chosen, with the answer", async () => {
    const [open] = await proposalsFor("book a table for 4");
    const [known] = await proposalsFor("settle invoice 7");
    if (open === undefined || known === undefined) throw new Error("nothing was proposed");
    expect(toPlan(known)).toMatchObject({ steps: [{ tool: "Pay", input: { invoice: 7 } }] });
    expect(toPlan(open, "terrace").steps).toMatchObject([{ input: { action: "book", guests: 4, area: "terrace" } }]);
  });

  it("takes texts as they are", async () => {
    const [open] = await proposalsFor("remind me to");
    if (open === undefined) throw new Error("nothing was proposed");
    expect(toPlan(open, "read ${s1.value}").steps).toMatchObject([{ input: { title: "read ${$}{s1.value}" } }]);
  });

  it.each([
    ["no answer", undefined],
    ["none of the choices", "garden"],
  ])("refuses %s", async (_what, answer) => {
    const [open] = await proposalsFor("book a table for 4");
    const make = () => toPlan(open as never, answer);
    expect(make).toThrowError(/The proposal takes an answer to "Which area\?" \(inside, terrace\); received/);
  });

  it("refuses an answer that nobody asked for", async () => {
    const [known] = await proposalsFor("settle invoice 7");
    try {
      toPlan(known as never, 8);
      expect.unreachable();
    } catch (thrown) {
      expect(isAgentError(thrown, "invalid-options") && thrown.details).toEqual({
        option: "answer",
        received: "8",
        expected: "no answer",
      });
    }
  });
});

describe("the examples of a refusal", () => {
  it("are of every tool with phrases, with values of the request", async () => {
    const { examples } = await refusalOf("do something with invoice 12 please", { tools: [pay, transfer] });
    expect(examples).toEqual(["pay invoice 12", 'transfer 12 euros to "to"']);
    const planner = createRulePlanner();
    for (const example of examples)
      expect(await planner.plan(requestOf(example, { tools: [pay, transfer] as never }))).toMatchObject({
        steps: [{ id: "s1" }],
      });
  });
});
