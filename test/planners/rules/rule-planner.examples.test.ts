import { createCalculator, createTodoStore, type DefinedTool, defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { inputsFor, refusalOf, stepsFor } from "./plan-for.ts";

const execute = () => ({ done: true });
const weather = defineTool({
  name: "Weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string().optional() }),
  effect: "idempotent",
  phrases: [
    { phrase: "is it raining in Paris", input: { city: "Paris" } },
    { phrase: "what is the weather like in New York", input: { city: "New York" } },
    { phrase: "weather forecast for Berlin", input: { city: "Berlin" } },
    { phrase: "will I need an umbrella in London", input: { city: "London" } },
    { phrase: "how hot is it in Madrid", input: { city: "Madrid" } },
  ],
  execute,
});
const lights = defineTool({
  name: "Lights",
  description: "Switches the lights.",
  inputSchema: z.object({ state: z.enum(["on", "off"]), room: z.string().optional() }),
  effect: "idempotent",
  phrases: [
    { phrase: "turn on the lights in the kitchen", input: { state: "on", room: "kitchen" } },
    { phrase: "switch the lights off", input: { state: "off" } },
    { phrase: "lights on please", input: { state: "on" } },
    { phrase: "it is too dark in here", input: { state: "on" } },
    { phrase: "switch off the bedroom lights", input: { state: "off", room: "bedroom" } },
  ],
  execute,
});
const timer = defineTool({
  name: "Timer",
  description: "Sets a timer.",
  inputSchema: z.object({ minutes: z.number() }),
  effect: "idempotent",
  phrases: [
    { phrase: "set a timer for 10 minutes", input: { minutes: 10 } },
    { phrase: "wake me in 20 minutes", input: { minutes: 20 } },
    { phrase: "start a 5 minute countdown", input: { minutes: 5 } },
    { phrase: "let me know when twelve minutes have passed", input: { minutes: 12 } },
  ],
  execute,
});
const pay = defineTool({
  name: "Pay",
  description: "Pays somebody.",
  effect: "once",
  inputSchema: z.object({ person: z.string(), amount: z.number() }),
  phrases: [
    { phrase: "send Anna 20 dollars", input: { person: "Anna", amount: 20 } },
    { phrase: "pay Bob 5 dollars", input: { person: "Bob", amount: 5 } },
    { phrase: "transfer 50 dollars to Carol", input: { person: "Carol", amount: 50 } },
  ],
  execute,
});
const wetter = defineTool({
  name: "Wetter",
  description: "Sagt das Wetter.",
  inputSchema: z.object({ ort: z.string() }),
  effect: "idempotent",
  phrases: [
    { phrase: "wie ist das Wetter in Hamburg", input: { ort: "Hamburg" } },
    { phrase: "regnet es gerade in Köln", input: { ort: "Köln" } },
  ],
  execute,
});
const tools: readonly DefinedTool[] = [weather, lights, timer, pay, createTodoStore(), createCalculator()];

async function inputsOf(request: string, offered: readonly DefinedTool[] = tools) {
  return (await stepsFor(request, { tools: offered })).map(({ tool, input }) => [tool, input]);
}

describe("createRulePlanner with examples", () => {
  it.each([
    // The words of an input's values are its slots.
    ["is it raining in Oslo", ["Weather", { city: "Oslo" }]],
    ["how hot is it in Rio de Janeiro", ["Weather", { city: "Rio de Janeiro" }]],
    ["set a timer for 45 minutes", ["Timer", { minutes: 45 }]],
    ["switch the lights on", ["Lights", { state: "on" }]],
    // Said in nearly the same words.
    ["turn off the lights in the garage", ["Lights", { state: "off", room: "garage" }]],
    ["set a timer for twenty five minutes", ["Timer", { minutes: 25 }]],
    ["TURN OFF THE LIGHTS IN THE GARAGE", ["Lights", { state: "off", room: "GARAGE" }]],
  ] as const)("plans: %s", async (request, step) => {
    expect(await inputsOf(request)).toEqual([step]);
  });

  it("plans several wishes, and results of other tools", async () => {
    expect(await inputsOf("is it raining in Oslo and turn on the lights in the hall")).toEqual([
      ["Weather", { city: "Oslo" }],
      ["Lights", { state: "on", room: "hall" }],
    ]);
    expect(await inputsOf("calculate 5 + 5 and set a timer for it minutes")).toEqual([
      ["Calculator", { expression: "5 + 5" }],
      ["Timer", { minutes: { $ref: "s1.value" } }],
    ]);
  });

  it.each([
    // A denial, a missing value, and values that no slot takes.
    "don't turn on the lights",
    "never switch the lights off",
    "set a timer",
    "start a 5 minute countdown for 3 people",
    'it is so dark in "here"',
    "it is too dark for Maria here",
    // The slot is not all there is to an example.
    "play some jazz",
    "tell me a joke",
    "what is the capital of France",
    "in Oslo",
    "please turn off the lamp",
    // What cannot be undone needs the words of an example.
    "wire Dave 30 dollars",
    "give Dave 30 dollars",
    "pay Dave 30 dollars and 2 to Eve",
    // Other words than those of an example.
    "is it going to rain in Oslo",
    "it's so dark here",
    // Other languages, no words, no spaces.
    "quel temps fait-il à Lyon",
    "isitraininginoslo",
    "☔ ☔ ☔",
    "i\u200Bs it",
  ])("refuses: %s", async (request) => {
    await refusalOf(request, { tools });
  });

  it("plans what cannot be undone if it is said with the words of an example", async () => {
    expect(await inputsOf("please send Dave 30 dollars")).toEqual([["Pay", { person: "Dave", amount: 30 }]]);
    const steps = [{ tool: "Pay", input: { person: "Dave", amount: 30 } }];
    const other = await refusalOf("please send 30 dollars to Dave", { tools });
    expect(other.proposals?.[0]).toMatchObject({ steps, unused: [] });
  });

  it("understands examples in other languages", async () => {
    const offered = [wetter, lights];
    expect(await inputsOf("regnet es gerade in Bonn", offered)).toEqual([["Wetter", { ort: "Bonn" }]]);
    expect(await inputsOf("Wie ist das Wetter in Köln?", offered)).toEqual([["Wetter", { ort: "Köln" }]]);
    await refusalOf("wo ist der Bahnhof", { tools: offered });
  });

  it("takes templates as they are", async () => {
    const ring = defineTool({
      name: "Ring",
      description: "Rings the bell.",
      inputSchema: z.object({ times: z.number() }),
      effect: "idempotent",
      phrases: ["ring the bell {times} times"],
      execute,
    });
    await refusalOf("sound the bell 3 times", { tools: [ring] });
  });

  it("takes a number beside a date, and a name before 's, as values of their own", async () => {
    const at = z.iso.datetime();
    const inputSchema = z.object({ booking: z.int().optional(), who: z.string().optional(), people: z.int(), at });
    const example = { people: 3, at: "2026-12-05T20:30:00Z" };
    const phrases = [
      { phrase: "booking 12 would like 2026-12-05 at 20:30 for 3", input: { booking: 12, ...example } },
      { phrase: "Sanders comes on 2026-12-05 at 20:30, three of them", input: { who: "Sanders", ...example } },
      { phrase: "Ito's party comes on 2026-12-05 at 20:30 with 3", input: { who: "Ito", ...example } },
    ];
    const book = [
      defineTool({ name: "Book", description: "Books a table.", inputSchema, effect: "idempotent", phrases, execute }),
    ];
    expect(await inputsFor("booking 4 would like 2027-01-03 at 19:00 for 5", book)).toEqual([
      { booking: 4, people: 5, at: "2027-01-03T19:00:00.000Z" },
    ]);
    for (const request of [
      "Mori comes on 2027-01-03 at 19:00, five of them",
      "Mori's party comes on 2027-01-03 at 19:00 with 5",
    ])
      expect(await inputsFor(request, book)).toEqual([{ who: "Mori", people: 5, at: "2027-01-03T19:00:00.000Z" }]);
    await refusalOf("booking tonight", { tools: book });
  });

  it("has no idea of a tool that says nothing", async () => {
    const silent = defineTool({
      name: "Silent",
      description: "",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute,
    });
    await refusalOf("say something", { tools: [silent] });
  });

  it("stays linear in the length of the request", async () => {
    for (const request of [
      "is it raining ".repeat(300),
      `is it raining in ${"Oslo ".repeat(900)}`,
      "is it raining, ".repeat(900),
    ])
      await stepsFor(request, { tools }).catch((error: unknown) =>
        expect(error).toMatchObject({ code: "cannot-plan" }),
      );
  });
});
