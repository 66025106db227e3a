import { type AgentWarning, createAgent, createWebSearch, defineTool, explainRequest, type Tool } from "planwright";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/v4";
import { calculator, inputsFor, nowMs, stepsFor, todos, toolWith, weather } from "./plan-for.ts";

const paraphrases = [
  "weather in Paris",
  "What's the weather in Paris?",
  "what is the weather in Paris",
  "Tell me the weather in Paris",
  "show me the weather in Paris please",
  "Could you please check the weather in Paris?",
  "I want to know the weather in Paris",
  "hey, give me the weather in Paris",
  "let me know the weather in Paris, thanks",
  "I'd like to know the weather in Paris",
  "please find out the wheather in Paris",
  "is it warm in Paris",
  "Is it cold in Paris?",
  "hi there! is it warm in Paris, please?",
  "do you know how warm is it in Paris",
  "how hot is it in Paris, thank you",
  "check how cold is it in Paris",
  "ok so how warm is it in Paris",
  "just the weather in Paris",
  "WEATHER IN Paris!!",
  "weather in “Paris”",
];

describe("a tool with three phrases", () => {
  const tools = [calculator, todos, weather];
  it.each(paraphrases)("plans %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ city: "Paris" }]);
  });

  it.each(paraphrases)("plans it beside the built-in tools: %s", async (request) => {
    const mixed = `Add milk to my list. ${request.replace(/[.!]+$/, "")}. Then calculate 6 * 7 and add the result as a todo`;
    const steps = await stepsFor(mixed, { tools });
    expect(steps.map(({ tool }) => tool)).toEqual(["TodoStore", "Weather", "Calculator", "TodoStore"]);
    expect(steps[3]).toMatchObject({ input: { title: "${s3.value}" }, dependsOn: ["s2", "s3"] });
  });
});

describe("slots", () => {
  const lamp = toolWith({
    name: "Lamp",
    inputSchema: z.object({
      room: z
        .enum(["livingRoom", "kitchen", "bed-room"])
        .meta({ synonyms: { kitchen: "cookhouse", livingRoom: ["lounge"] } }),
      on: z.boolean().optional(),
      level: z.number().min(0).max(100).optional(),
      from: z.iso.date().optional(),
      at: z.iso.datetime().optional(),
      colours: z.array(z.string()).optional(),
      scenes: z.array(z.number()).optional(),
      mode: z.union([z.literal("eco"), z.null()]).optional(),
      place: z.union([z.number(), z.null()]).optional(),
    }),
    phrases: [
      "turn {on} the lamp in the {room}",
      "set the {room} lamp to {level} [percent]",
      "light the {room} from {from}",
      "light the {room} at {at}",
      "colour the {room} in {colours}",
      "play scenes {scenes} in the {room}",
      "(use|choose) {mode} mode in the {room}",
      "put lamp {place} in the {room}",
    ],
  });

  it.each([
    ["turn on the lamp in the living room", { room: "livingRoom", on: true }],
    ["please turn off the lamp in the kitchens", { room: "kitchen", on: false }],
    ["turn off the lamp in the lounge", { room: "livingRoom", on: false }],
    ["set the bed-room lamp to fifty percent", { room: "bed-room", level: 50 }],
    ["set the cookhouse lamp to 12.5", { room: "kitchen", level: 12.5 }],
    ["light the kitchen from tomorrow", { room: "kitchen", from: "2026-11-23" }],
    // No hour is said, and a lamp cannot be asked for one.
    ["light the kitchen at tomorrow", undefined],
    ["colour the kitchen in red, green and blue", { room: "kitchen", colours: ["red", "green", "blue"] }],
    ["colour the kitchen in red", { room: "kitchen", colours: ["red"] }],
    ["play scenes 1, two and 3 in the kitchen", { room: "kitchen", scenes: [1, 2, 3] }],
    ["use eco mode in the kitchen", { room: "kitchen", mode: "eco" }],
    ["put lamp -3 in the kitchen", { room: "kitchen", place: -3 }],
    // In another order.
    ["put the second lamp in the kitchen", undefined],
    ["put lamp second in the kitchen", { room: "kitchen", place: 2 }],
    ["put lamp 3rd in the kitchen", { room: "kitchen", place: 3 }],
    ["put lamp $1,200 in the kitchen", { room: "kitchen", place: 1200 }],
    ["turn maybe the lamp in the kitchen", undefined],
    ["set the kitchen lamp to 500", undefined],
    ["set the kitchen lamp by 20 percent", undefined],
    ["play scenes one, red in the kitchen", undefined],
    ["light the kitchen from whenever", undefined],
  ])("reads %s", async (request, input) => {
    const planned = inputsFor(request, [lamp]);
    if (input === undefined) await expect(planned).rejects.toMatchObject({ code: "cannot-plan" });
    else expect(await planned).toEqual([input]);
  });

  const seats = toolWith({
    name: "Seats",
    inputSchema: z.object({ guest: z.string(), seats: z.int().positive(), on: z.iso.date() }),
    effect: "once",
    phrases: ["keep [a row for] {guest} for {seats} seats on {on}"],
  });
  it.each([
    ["Could you keep a row for Ada Lovelace, four seats, on Saturday?", "Ada Lovelace"],
    ['keep a row for "the choir", four seats, on Saturday', "the choir"],
  ])("plans what differs from a phrase in small words alone: %s", async (request, guest) => {
    expect(await inputsFor(request, [seats])).toEqual([{ guest, seats: 4, on: "2026-11-28" }]);
  });

  it.each([
    "keep a row for ada, four seats, on Saturday",
    "a row for Ada Lovelace on Saturday, four seats",
    "keep a row for Ada Lovelace, not four seats, on Saturday",
    "keep a row for Ada Lovelace, four seats, until Saturday",
    "we will keep a row for Ada Lovelace, four seats, on Saturday",
    "I kept a row for Ada Lovelace, four seats, on Saturday",
    "You keep a row for Ada Lovelace, four seats, on Saturday",
    "we are keeping a row for Ada Lovelace, four seats, on Saturday",
    "my keeping a row for Ada Lovelace, four seats, on Saturday",
    "KEEP A ROW FOR ADA NEAR THE DOOR, FOUR SEATS, ON SATURDAY",
  ])("plans nothing else with an effect: %s", async (request) => {
    await expect(inputsFor(request, [seats])).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("does not read an auxiliary as the end of a name", async () => {
    const inputSchema = z.object({ name: z.string(), amount: z.number() });
    const pay = toolWith({ name: "Pay", inputSchema, phrases: ["{name} paid {amount}"] });
    expect(await inputsFor("Rosa paid 20", [pay])).toEqual([{ name: "Rosa", amount: 20 }]);
    for (const said of ["Rosa has paid 20", "Rosa had paid 20"])
      await expect(inputsFor(said, [pay])).rejects.toMatchObject({ code: "cannot-plan" });
  });

  const timer = toolWith({
    name: "Timer",
    inputSchema: z.object({ minutes: z.number() }),
    phrases: ["wait {minutes} minutes", "snooze [for] {minutes}"],
  });
  const room = toolWith({
    name: "Room",
    inputSchema: z.object({ durationHours: z.number().int().optional() }),
    phrases: ["book the room"],
  });
  const pay = toolWith({
    name: "Pay",
    inputSchema: z.object({ name: z.string(), amountCents: z.number() }),
    phrases: ["lend {name} {amountCents}"],
  });
  const count = toolWith({ name: "Count", inputSchema: z.object({ n: z.number() }), phrases: ["count to {n}"] });

  it.each([
    ["wait 5 minutes", { minutes: 5 }],
    ["wait an hour", { minutes: 60 }],
    ["wait half an hour", { minutes: 30 }],
    ["wait two hours", { minutes: 120 }],
    ["wait 1.5 hours", { minutes: 90 }],
    ["wait 5", undefined],
    ["wait 5 km", undefined],
    ["snooze for 30 min", { minutes: 30 }],
    ["snooze half a day", { minutes: 720 }],
    ["snooze for 20", { minutes: 20 }],
    ["snooze for 20 years", undefined],
    ["book the room for two hours", { durationHours: 2 }],
    ["book the room for 120 minutes and wait 5 minutes", { durationHours: 2 }],
    ["book the room for 90 minutes", undefined],
    ["book the room for half an hour", undefined],
    ["lend Ann $20", { name: "Ann", amountCents: 2000 }],
    ["lend Ann $2k", { name: "Ann", amountCents: 200_000 }],
    ["lend Ann 20 dollars", { name: "Ann", amountCents: 2000 }],
    ["lend Ann 20 cents", { name: "Ann", amountCents: 20 }],
    ["count to 2k", { n: 2000 }],
    ["count to 1.5k", { n: 1500 }],
    ["count to 2 k", undefined],
  ])("reads the unit of %s", async (request, input) => {
    const planned = inputsFor(request, [timer, room, pay, count]);
    if (input === undefined) await expect(planned).rejects.toMatchObject({ code: "cannot-plan" });
    else expect((await planned)[0]).toEqual(input);
  });

  it("reads a date as midnight in the time zone of the request", async () => {
    const log = toolWith({
      inputSchema: z.object({ at: z.iso.datetime() }),
      effect: "pure",
      phrases: ["what was on at {at}"],
    });
    const at = async (timeZone: string) =>
      (await stepsFor("what was on at today", { tools: [log], timeZone }))[0]?.input;
    expect(await at("Europe/Berlin")).toMatchObject({ at: "2026-11-21T23:00:00.000Z" });
    expect(await at("America/New_York")).toMatchObject({ at: "2026-11-22T05:00:00.000Z" });
    expect(await at("Asia/Kolkata")).toMatchObject({ at: "2026-11-21T18:30:00.000Z" });
  });

  it("keeps quoted text unchanged", async () => {
    const tool = toolWith({ phrases: ["say {text}"] });
    expect(await inputsFor("say 'it' and say \"that, and say more\"", [tool])).toEqual([
      { text: "it" },
      { text: "that, and say more" },
    ]);
  });

  it("creates a step for each item if the input needs a single one", async () => {
    const add = toolWith({
      phrases: [{ phrase: "note {text}", slots: { text: z.array(z.string()).min(2) } }, "note {text}"],
    });
    expect(await inputsFor("note x b, c and d", [add])).toEqual([{ text: "x b" }, { text: "c" }, { text: "d" }]);
    expect(await inputsFor("note x b", [add])).toEqual([{ text: "x b" }]);
  });

  it("adds fixed parts of the input, which also choose the branch of a union", async () => {
    const inputSchema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("count"), value: z.number() }),
      z.object({ kind: z.literal("say"), value: z.string() }),
    ]);
    const options = {
      inputSchema,
      phrases: [
        { phrase: "count {value}", input: { kind: "count" } },
        { phrase: "say {value}", input: { kind: "say" } },
      ],
    };
    const tool = toolWith(options);
    expect(await inputsFor("say hello and count seven", [tool])).toEqual([
      { kind: "say", value: "hello" },
      { kind: "count", value: 7 },
    ]);
    expect(await inputsFor("count 2 and count it", [toolWith({ ...options, outputSchema: z.number() })])).toEqual([
      { kind: "count", value: 2 },
      { kind: "count", value: { $ref: "s1" } },
    ]);
  });

  it("creates the input with toInput, which may decline", async () => {
    const tool = toolWith({
      phrases: [
        {
          phrase: "shout {words}",
          toInput: ({ words }, { previous, timeZone, nowMs }) =>
            typeof words === "string"
              ? {
                  text: words.toUpperCase(),
                  ...(words === "context" && { text: `${previous?.$ref} ${timeZone} ${nowMs}` }),
                }
              : undefined,
        },
      ],
    });
    expect(await inputsFor("shout hello", [tool])).toEqual([{ text: "HELLO" }]);
    expect(await inputsFor("shout context", [tool])).toEqual([{ text: `undefined UTC ${nowMs}` }]);
    await expect(inputsFor("shout hello; shout it", [tool])).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("never treats text in the result of toInput as a reference", async () => {
    const inputSchema = z.object({ any: z.unknown() });
    const make = (made: (slots: Readonly<Record<string, unknown>>) => unknown) =>
      toolWith({ inputSchema, phrases: [{ phrase: "take {words}", toInput: made as never }] });
    const inputOf = async (made: (slots: Readonly<Record<string, unknown>>) => unknown) =>
      (await inputsFor("take s1.x", [make(made)]))[0];
    expect(await inputOf(({ words }) => ({ any: { $ref: words } }))).toEqual({ any: { $literal: { $ref: "s1.x" } } });
    expect(await inputOf(({ words }) => ({ any: { $literal: words } }))).toEqual({
      any: { $literal: { $literal: "s1.x" } },
    });
    expect(await inputOf(({ words }) => ({ any: [`\${${words}}`, { deep: 1, gone: undefined }, null] }))).toEqual({
      any: ["${$}{s1.x}", { deep: 1 }, null],
    });
    await expect(inputsFor("take it", [make(() => [])])).rejects.toMatchObject({ code: "cannot-plan" });
    await expect(inputsFor("take this thing", [make(() => "text")])).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("inserts a result as text into text, and unchanged elsewhere", async () => {
    const inputSchema = z.object({
      text: z.string().optional(),
      n: z.number().optional(),
      words: z.array(z.unknown()).optional(),
    });
    const tool = toolWith({
      inputSchema,
      outputSchema: z.object({ ok: z.boolean() }),
      phrases: [
        "write {text}",
        "roll {n} dice",
        { phrase: "keep {words}", slots: { words: z.string() }, toInput: ({ words }) => ({ words: [words] }) },
      ],
    });
    expect(await inputsFor("calculate 1 + 1, write it, roll it dice and keep that", [calculator, tool])).toEqual([
      { expression: "1 + 1" },
      { text: "${s1.value}" },
      { n: { $ref: "s1.value" } },
      { words: [{ $ref: "s3.ok" }] },
    ]);
  });
});

/** A tool with these fields and phrases. */
function toolOf(name: string, shape: z.ZodRawShape, phrases: Tool["phrases"], more: Partial<Tool> = {}): Tool {
  const inputSchema = z.object(shape);
  const tool = { name, description: name, inputSchema, effect: "idempotent", phrases, execute: () => ({ ok: true }) };
  return defineTool({ ...tool, ...more } as Parameters<typeof defineTool>[0]);
}

async function plan(tools: readonly Tool[], request: string) {
  const clock = { nowMs: Date.parse("2026-11-26T10:00Z"), timeZone: "UTC" };
  const { signal } = new AbortController();
  const { steps, refusal } = await explainRequest({ tools, request, ...clock, maxSteps: 50, signal } as Explained);
  return refusal?.reason ?? steps.map(({ tool, input }) => [tool, input]);
}

type Explained = Parameters<typeof explainRequest>[0];

const text = z.string();
const boats = [
  toolOf("Hire", { boat: z.number(), skipper: text }, ["hire boat {boat} for {skipper}"]),
  toolOf("Paint", { boat: z.number(), colour: z.enum(["red", "blue"]) }, ["paint boat {boat} {colour}"]),
  toolOf("Depth", { harbour: text }, ["depth in {harbour}"], { effect: "pure" }),
  toolOf("Signal", { to: text, message: text }, ["signal {to}: {message}"]),
];

it.each([
  [
    "hire boat 4 for Ida and paint it red",
    [
      ["Hire", { boat: 4, skipper: "Ida" }],
      ["Paint", { boat: 4, colour: "red" }],
    ],
  ],
  [
    "depth in Kiel and Cuxhaven",
    [
      ["Depth", { harbour: "Kiel" }],
      ["Depth", { harbour: "Cuxhaven" }],
    ],
  ],
  [
    "signal Ida: the harbour is closed right now",
    [["Signal", { to: "Ida", message: "the harbour is closed right now" }]],
  ],
  ["signal Ida: a storm", [["Signal", { to: "Ida", message: "a storm" }]]],
  ["paint it red", "unbound"],
  ["depth in harbour", "missing"],
])("plans or refuses with tools of one's own: %s", async (request, wanted) => {
  expect(await plan(boats, request)).toEqual(wanted);
});

it("asks of the past for the last weekday", async () => {
  const log = toolOf("Log", { day: z.iso.date() }, ["what did I paint {day}"], { effect: "pure" });
  expect(await plan([log], "what did I paint on monday")).toEqual([["Log", { day: "2026-11-23" }]]);
});

it("reads the day of an example anew", async () => {
  const phrases = [{ phrase: "how high is the tide in Brest tomorrow", input: { port: "Brest", day: "2020-03-01" } }];
  const tide = toolOf("Tide", { port: text, day: z.iso.date() }, phrases, { effect: "pure" });
  expect(await plan([tide], "how high is the tide in Dover tomorrow")).toEqual([
    ["Tide", { port: "Dover", day: "2026-11-27" }],
  ]);
});

it("searches the web once for several words, and not for another wish", async () => {
  const tools = [createWebSearch({ search: () => [] })];
  expect(await plan(tools, "search for foo, bar and baz")).toEqual([["WebSearch", { query: "foo, bar and baz" }]]);
});

it("warns of a phrase that takes nearly any request, if the tool runs once or needs approval", async () => {
  const warnings: AgentWarning[] = [];
  const shape = { drink: text };
  const tools = [
    toolOf("Order", shape, ["get {drink}", "order {drink}"], { effect: "once" }),
    toolOf("Buy", shape, ["{drink} please"], { needsApproval: true }),
    toolOf("Find", shape, ["get {drink} quickly"]),
  ];
  createAgent({ tools, onWarning: (warning) => warnings.push(warning) });
  await vi.dynamicImportSettled();
  expect(warnings.map(({ code, message }) => [code, /"(.*?)" of (\w+)/.exec(message)?.slice(1)])).toEqual([
    ["open-phrase", ["get {drink}", "Order"]],
    ["open-phrase", ["{drink} please", "Buy"]],
  ]);
});
