import fc from "fast-check";
import {
  createAgent,
  createLlmPlanner,
  createTodoStore,
  type DefinedTool,
  defineTool,
  type ToolEffect,
} from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerOf, failureOf, planWith, requestOf } from "./ask-llm-planner.ts";

/** An answer without probabilities, or one of which every token is certain. */
const modes = {
  "a model that tells no probabilities": (text: string) => text,
  "a model that is certain": (text: string) => ({ text, logprobs: [{ token: text, logprob: 0 }] }),
};

const certain = modes["a model that is certain"];

const inputSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("archive"), customer: z.string() }),
  z.object({ action: z.literal("find"), customer: z.string() }),
]);

/** A tool that finds customers, and archives them in a way that must be asked for. */
function crm(options: { effect?: ToolEffect; needsApproval?: boolean; byInput?: boolean; destructive?: boolean }) {
  const { effect = "idempotent", needsApproval = false, byInput = false, destructive = false } = options;
  return defineTool({
    name: "Crm",
    description: "Knows the customers",
    inputSchema,
    effect: byInput ? ({ action }) => (action === "archive" ? "once" : "pure") : effect,
    needsApproval,
    phrases: [
      { phrase: "archive [customer] {customer}", input: { action: "archive" }, destructive },
      { phrase: "(find|show) [customer] {customer}", input: { action: "find" } },
    ],
    execute: () => null,
  });
}

const archive = answerOf({ do: "Crm.archive", customer: "Ada" });
const find = answerOf({ do: "Crm.find", customer: "Ada" });

describe.each(Object.entries(modes))("%s", (_mode, say) => {
  const todos = [createTodoStore()];
  it.each<[string, object]>([
    ["add milk to my shopping list", { do: "TodoStore.clear", list: "shopping" }],
    ["what is on my shopping list today", { do: "TodoStore.clear", list: "shopping" }],
    ["show everything on the shopping list", { do: "TodoStore.clear", list: "shopping" }],
    ["pull up the shopping list", { do: "TodoStore.clear", list: "shopping" }],
    ["show my milk", { do: "TodoStore.delete", title: "milk" }],
    ["remind me of milk", { do: "TodoStore.delete", title: "milk" }],
  ])("is refused if it answers %j with %j", async (request, call) => {
    const failure = await failureOf([say(answerOf(call))], requestOf(request, { tools: todos }));
    expect(failure).toMatchObject({
      code: "cannot-plan",
      message: expect.stringContaining(`no word of the request asks for ${Object.values(call)[0]}`),
      details: {
        reason: "unsure",
        proposals: [{ steps: [{ tool: "TodoStore" }] }],
      },
    });
  });

  it("may clear and delete what it is asked to, in words of the phrases or their like", async () => {
    for (const [request, call] of [
      ["empty the party list", { do: "TodoStore.clear", list: "party" }],
      ["milk can go, off the list", { do: "TodoStore.delete", title: "milk" }],
      ["scrap milk", { do: "TodoStore.delete", title: "milk" }],
    ] as const) {
      const asked = requestOf(request, { tools: todos });
      expect((await planWith([say(answerOf(call))], asked, { minCertainty: 0 })).steps).toHaveLength(1);
    }
  });

  it.each<[string, Parameters<typeof crm>[0]]>([
    ["once", { effect: "once" }],
    ["once for this input", { byInput: true }],
    ["approved", { needsApproval: true }],
    ["destructive", { destructive: true }],
  ])("does what is %s only if it is asked for", async (_what, options) => {
    const tools = [crm(options)];
    for (const request of ["customer Ada", "show customer Ada"]) {
      const failure = await failureOf([say(archive)], requestOf(request, { tools }));
      expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "unsure" } });
      expect(failure.message).toContain("no word of the request asks for Crm.archive");
    }
    const asked = requestOf("archive Ada", { tools });
    expect((await planWith([say(archive)], asked)).steps).toMatchObject([{ input: { action: "archive" } }]);
  });

  it("may do what can be done again in other words", async () => {
    const tools = [crm({})];
    expect((await planWith([say(find)], requestOf("look up Ada", { tools }), { minCertainty: 0 })).steps).toHaveLength(
      1,
    );
  });
});

it("a tool without phrases is asked for in words of its name or description", async () => {
  const cancel: DefinedTool = defineTool({
    name: "EndContract",
    description: "Terminates the contract of a customer",
    inputSchema: z.object({ customer: z.string() }),
    effect: "once",
    execute: () => null,
  });
  const answer = answerOf({ do: "EndContract", customer: "Ada" });
  for (const request of ["end the contract of Ada", "terminate Ada"])
    expect((await planWith([answer], requestOf(request, { tools: [cancel] }))).steps).toHaveLength(1);
  const failure = await failureOf([answer], requestOf("greet Ada", { tools: [cancel] }));
  expect(failure).toMatchObject({ details: { reason: "unsure" } });
});

describe.each([
  ["two tools", "TurnOff", "TurnOn"],
  ["two operations of one tool", "Switch.off", "Switch.on"],
  ["a choice in the phrase", "Switch.off", "Switch.on"],
  ["two tools without phrases", "TurnOff", "TurnOn"],
])("%s with opposite words", (what, off, on) => {
  const lamps = ["off", "on"].map((state) =>
    defineTool({
      name: `Turn${state === "off" ? "Off" : "On"}`,
      description: `Turns a device ${state}`,
      inputSchema: z.object({ device: z.string() }),
      effect: "once",
      ...(what === "two tools" && { phrases: [`turn ${state} {device}`, `turn {device} ${state}`] }),
      execute: () => null,
    }),
  );
  const branchOf = <TState extends string>(state: TState) => z.object({ state: z.literal(state), device: z.string() });
  const lamp = defineTool({
    name: "Switch",
    description: "Turns devices on and off",
    inputSchema: z.discriminatedUnion("state", [branchOf("on"), branchOf("off")]),
    effect: "once",
    phrases:
      what === "a choice in the phrase"
        ? ["turn {state} {device}"]
        : [
            { phrase: "turn on {device}", input: { state: "on" } },
            { phrase: "turn off {device}", input: { state: "off" } },
          ],
    execute: () => null,
  });
  const tools: readonly DefinedTool[] = what.startsWith("two tools") ? lamps : [lamp];

  it.each([
    ["turn on the lamp", off, on],
    ["turn off the lamp", on, off],
  ])("%s does not ask for %s", async (request, wrong, right) => {
    const sure = modes["a model that is certain"];
    const [first, second] = [wrong, right].map((name) => sure(answerOf({ do: name, device: "the lamp" })));
    const failure = await failureOf([first] as never, requestOf(request, { tools }));
    expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "unsure" } });
    expect((await planWith([second] as never, requestOf(request, { tools }))).steps).toHaveLength(1);
  });
});

it("a tool without phrases is not asked for by the thing alone that it is about", async () => {
  const close: DefinedTool = defineTool({
    name: "CloseAccount",
    description: "Closes an account",
    inputSchema: z.object({ customer: z.string() }),
    effect: "once",
    execute: () => null,
  });
  const answer = answerOf({ do: "CloseAccount", customer: "Ada" });
  const tools = [close];
  expect((await planWith([answer], requestOf("close the account of Ada", { tools }))).steps).toHaveLength(1);
  for (const [request, reason] of [
    ["open the account of Ada", "not-understood"],
    ["account of Ada", "unsure"],
  ] as const) {
    const failure = await failureOf([answer], requestOf(request, { tools }));
    expect(failure).toMatchObject({ code: "cannot-plan", details: { reason } });
  }
});

it("a verb that no other operation has asks for it, and one that others have does not", async () => {
  const toolOf = (name: string, phrase: string): DefinedTool =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object({ what: z.string() }),
      effect: "once",
      phrases: [phrase],
      execute: () => null,
    });
  const account = toolOf("DeleteAccount", "delete the account of {what}");
  const others = [toolOf("Book", "book a table at {what}"), toolOf("DeleteFile", "delete the file {what}")];
  const plan = (name: string, request: string, tools: readonly DefinedTool[]) => {
    const answer = answerOf({ do: name, what: "the Lotus" });
    return [[answer], requestOf(request, { tools })] as const;
  };
  expect((await planWith(...plan("Book", "book the Lotus", [account, ...others]))).steps).toHaveLength(1);
  expect(await failureOf(...plan("DeleteAccount", "delete the Lotus", [account, ...others]))).toMatchObject({
    details: { reason: "unsure" },
  });
});

it("a replan may do what the request does not ask for in so many words", async () => {
  const failing = defineTool({
    name: "Close",
    description: "Closes an account",
    inputSchema: z.object({ customer: z.string() }),
    effect: "idempotent",
    retry: { maxAttempts: 1 },
    execute: () => {
      throw new Error("closed accounts are archived");
    },
  });
  const sure = modes["a model that is certain"];
  const model = createScriptedModel([sure(answerOf({ do: "Close", customer: "Ada" })), sure(archive)]);
  const agent = createAgent({
    tools: [failing, crm({ destructive: true })],
    planner: createLlmPlanner({ model }),
  });
  const { status, steps } = await agent.run("close Ada", { maxReplans: 1 });
  expect([status, steps.at(-1)?.input]).toEqual(["suspended", { action: "archive", customer: "Ada" }]);
});

describe("a wish for the opposite", () => {
  const lesson = (name: string, verb: string) =>
    defineTool({
      name,
      description: `${verb}s a lesson`,
      inputSchema: z.object({ person: z.string() }),
      effect: "idempotent",
      phrases: [`${verb} [a] lesson [for|with] {person}`],
      execute: () => null,
    });
  const book = lesson("BookLesson", "book");
  const bookEmma = answerOf({ do: "BookLesson", person: "Emma" });

  it("asks no model if no tool does it", async () => {
    const model = createScriptedModel([bookEmma]);
    const planning = createLlmPlanner({ model }).plan(
      requestOf("please cancel the lesson with Emma", { tools: [book] }),
    );
    await expect(planning).rejects.toMatchObject({
      message: expect.stringContaining('no tool does what "cancel" says'),
      details: { reason: "not-understood" },
    });
    expect(model.requests).toEqual([]);
  });

  it("is asked about where only some of the tools are shown", async () => {
    const many = Array.from({ length: 200 }, (_, index) => lesson(`Lesson${index}`, "book"));
    const cancel = answerOf({ do: "EndCourse", person: "Emma" });
    const tools = [...many, lesson("EndCourse", "cancel")];
    const asked = requestOf("cancel the lesson with Emma", { tools });
    expect((await planWith([cancel, cancel], asked, { tools: "nearest" })).steps).toHaveLength(1);
  });

  it("is refused, and not proposed, where a tool does it and the model names the other", async () => {
    const tools = [book, lesson("CancelLesson", "cancel")];
    const failure = await failureOf([bookEmma], requestOf("cancel the lesson with Emma", { tools }));
    expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "not-understood" } });
    expect(failure.details).not.toHaveProperty("proposals");
    const cancel = answerOf({ do: "CancelLesson", person: "Emma" });
    expect((await planWith([cancel], requestOf("cancel the lesson with Emma", { tools }))).steps).toHaveLength(1);
  });
});

describe("what the answer lacks", () => {
  const tools = [
    defineTool({
      name: "Refund",
      description: "Refunds an invoice",
      inputSchema: z.object({ invoice: z.number().int() }),
      effect: "once",
      phrases: ["refund invoice {invoice}"],
      execute: () => null,
    }),
  ];
  const answer = answerOf({ do: "Refund", invoice: 4 });
  const lost = fc.constantFrom(
    "17",
    "20 euros",
    "'late delivery'",
    "friday",
    "at 5pm",
    "3 days",
    "ada@example.com",
    "#urgent",
  );
  const joint = fc.constantFrom(" ", ", ", " and ", " with ");
  const closing = fc.constantFrom("", " please", " too", " for me");

  it("is proposed, however sure the model is: a mark, wherever it stands", async () => {
    await fc.assert(
      fc.asyncProperty(lost, joint, closing, fc.boolean(), async (mark, before, after, isCertain) => {
        const request = `refund invoice 4${before}${mark}${after}`;
        const said = isCertain ? certain(answer) : answer;
        const failure = await failureOf([said], requestOf(request, { tools }), { minCertainty: 0 });
        expect(failure).toMatchObject({
          details: { reason: "unsure", proposals: [{ steps: [{ input: { invoice: 4 } }] }] },
        });
        expect(failure.details).toMatchObject({ proposals: [{ text: "refund invoice 4", certainty: 0 }] });
      }),
    );
  });

  const todos = [createTodoStore()];
  const add = (...titles: readonly string[]) =>
    certain(answerOf(...titles.map((title) => ({ do: "TodoStore.add", title }))));

  it.each([
    ["a day in a name, where no other word says when", "put down gas cert weds", ["gas cert weds"]],
    ["the last thing of a list", "add milk, bread, and eggs", ["milk", "bread"]],
    ["a thing in the middle of a list", "add milk, the eggs and bread", ["milk", "bread"]],
    ["what a name refers to", "add milk and chase payment of that", ["milk", "chase payment of that"]],
  ])("is proposed: %s", async (_what, request, titles) => {
    const failure = await failureOf(Array(4).fill(add(...titles)), requestOf(request, { tools: todos }));
    expect(failure).toMatchObject({ details: { reason: "unsure", proposals: [{ certainty: 0 }] } });
  });

  it.each([
    ["in quotes", "put down 'gas cert weds'", ["gas cert weds"]],
    ["a whole list", "add milk, bread, and eggs", ["milk", "bread", "eggs"]],
    ["a list and courtesies", "add milk and bread, please, thanks", ["milk", "bread"]],
  ])("is nothing: %s", async (_what, request, titles) => {
    const { steps } = await planWith([add(...titles)], requestOf(request, { tools: todos }));
    expect(steps).toMatchObject(titles.map((title) => ({ input: { title } })));
  });

  it.each([
    "invoice 4 needs a refund, 17 too",
    "refund invoice 4, we should look at 17 as well",
    "refund invoice 4 and cancel the order",
    "refund invoice 4, then buy another one",
    "refund invoices 4 and 6",
  ])("is proposed: %s", async (request) => {
    const failure = await failureOf(Array(4).fill(certain(answer)), requestOf(request, { tools }));
    expect(failure).toMatchObject({ details: { reason: "unsure" } });
  });
});
