import fc from "fast-check";
import {
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  createTodoStore,
  type DefinedTool,
  defineTool,
  type JsonSchema,
  type LlmPlannerOptions,
  type ModelRequest,
} from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerOf, failureOf, note, nowMs, planWith, requestOf, unclear } from "./ask-llm-planner.ts";

/** Phrases without a function: its slots are fields. */
const lamp = defineTool({
  name: "Lamp",
  description: "Switches a lamp",
  inputSchema: z.object({ room: z.string(), level: z.number().optional(), mood: z.enum(["warm", "cold"]).optional() }),
  effect: "idempotent",
  phrases: [
    "dim {room}",
    "dim {room} to {level} percent",
    { phrase: "make {room} cosy", input: { level: 20 } },
    { phrase: "light up the hall", input: { room: "hall" } },
  ],
  execute: () => null,
});

/** Phrases with slots of their own and a function. */
const ride = defineTool({
  name: "Ride",
  description: "Books a ride",
  inputSchema: z.object({ from: z.string(), to: z.string(), at: z.iso.datetime({ offset: true }).optional() }),
  effect: "idempotent",
  phrases: ["ride from {from} to {to}", "ride from {from} to {to} {when}"].map((phrase) => ({
    phrase,
    slots: { when: z.iso.datetime({ offset: true }) },
    toInput: ({ when, ...places }) => ({ ...places, ...(when !== undefined && { at: when }) }) as never,
  })),
  execute: () => null,
});

/** A union with a constant. */
const door = defineTool({
  name: "Door",
  description: "Opens and locks doors",
  inputSchema: z.discriminatedUnion("act", [
    z.object({ act: z.literal("open"), which: z.string() }),
    z.object({ act: z.literal("lock"), which: z.string(), code: z.number() }),
  ]),
  effect: "idempotent",
  phrases: [
    { phrase: "open the {which} door", input: { act: "open" } },
    { phrase: "lock the {which} door with {code}", input: { act: "lock" } },
  ],
  execute: () => null,
});

/** A union without one. */
const shape = defineTool({
  name: "Shape",
  description: "Draws",
  inputSchema: z.union([
    z.object({ colour: z.string(), radius: z.number() }),
    z.object({ colour: z.string(), width: z.number() }),
  ]),
  effect: "idempotent",
  execute: () => null,
});

/** No phrases; a time, a number with a unit, and a choice of two words. */
const visit = defineTool({
  name: "Visit",
  description: "Plans a visit",
  inputSchema: z.object({
    name: z.string(),
    day: z.iso.date(),
    minutes: z.number().optional(),
    kind: z.enum(["check_up", "vaccination"]).optional(),
  }),
  effect: "idempotent",
  outputSchema: z.object({ id: z.string(), day: z.string() }),
  execute: () => ({ id: "v1", day: "" }),
});

/** Fields named like ours. */
const odd = defineTool({
  name: "Odd",
  description: "Has odd fields",
  inputSchema: z.object({ do: z.string(), if: z.string().optional(), each: z.number().optional() }),
  effect: "idempotent",
  execute: () => null,
});

const wide = defineTool({
  name: "Wide",
  description: "Has forty fields",
  inputSchema: z.object({
    name: z.string(),
    ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, z.string().optional()])),
  }),
  effect: "idempotent",
  phrases: ["wide {name} at {field7}"],
  execute: () => null,
});

const order = defineTool({
  name: "Order",
  description: "Orders",
  inputSchema: z.object({
    items: z.array(z.object({ name: z.string(), count: z.number().optional(), day: z.iso.date().optional() })),
    address: z.object({ street: z.string(), place: z.object({ town: z.string() }).optional() }).optional(),
    more: z.looseObject({}).optional(),
  }),
  effect: "idempotent",
  outputSchema: z.object({ number: z.string(), price: z.number() }),
  execute: () => ({ number: "o1", price: 1 }),
});

const weather = defineTool({
  name: "Weather",
  description: "Tells the weather",
  inputSchema: z.object({ town: z.enum(Array.from({ length: 500 }, (_, index) => `Town ${index}`)) }),
  effect: "pure",
  execute: () => null,
});

/** An optional text that stands in brackets alone, and something to switch. */
const gift = defineTool({
  name: "Gift",
  description: "Sends a gift",
  inputSchema: z.object({ what: z.string(), card: z.string().optional(), giftWrap: z.boolean().optional() }),
  effect: "idempotent",
  phrases: ["send {what} [with a card saying {card}]"],
  execute: () => null,
});

const [letter, parcel] = ["Letter", "Parcel"].map((name) =>
  defineTool({
    name,
    description: "Sends it",
    inputSchema: z.object({ to: z.string() }),
    effect: "idempotent",
    execute: () => null,
  }),
) as [DefinedTool, DefinedTool];

const own = [gift, lamp, ride, door, shape, visit, odd, wide, order, weather, letter, parcel];
const builtIn = [createTodoStore(), createCalculator()];

async function planOf(request: string, calls: readonly object[], tools: readonly DefinedTool[] = own) {
  return (await planWith([answerOf(...calls)], requestOf(request, { tools }))).steps.map(({ input }) => input);
}

/** What a model is shown of some tools. */
async function shownOf(tools: readonly DefinedTool[], options: Partial<LlmPlannerOptions> = {}) {
  const request = requestOf("wide milk at home", { tools: [...tools, wide] });
  const { requests } = await planWith([answerOf({ do: "Wide", name: "milk", field7: "home" })], request, options);
  const [{ messages = [], responseFormat } = {}] = requests;
  const [system, ...turns] = messages.map(({ content }) => content);
  return { system: system ?? "", lines: (system ?? "").split("\n"), turns: turns.slice(0, -1), responseFormat };
}

describe("the line of an operation", () => {
  it.each([
    [lamp, "Lamp {room: words} – Switches a lamp"],
    [ride, "Ride {from: words, to: words} – Books a ride"],
    [door, 'Door.open {which: words} – as "open the {which} door"'],
    [door, 'Door.lock {which: words, code: number} – as "lock the {which} door with {code}"'],
    [shape, "Shape {colour: words, radius?: number, width?: number} – Draws"],
    [visit, "Visit {name: words, day: when, minutes?: number, kind?: check_up|vaccination} – Plans a visit → id, day"],
    [gift, "Gift {what: words, card?: words} – Sends a gift"],
    [odd, "Odd {do_: words, if_?: words, each_?: number} – Has odd fields"],
    [wide, "Wide {name: words, field7?: words} – Has forty fields"],
    [letter, "Letter {to: words} – Sends it"],
  ])("names what a model is asked for (%#)", async (tool, line) => {
    expect((await shownOf([tool])).lines).toContain(line);
  });

  it("describes objects by their fields, and of many choices the first", async () => {
    const { lines } = await shownOf([order, weather]);
    const items = "items: {name: words, count?: number, day?: words}[]";
    expect(lines.find((line) => line.startsWith("Order "))).toContain(
      `${items}, address?: {street: words, place?: {town: words}}`,
    );
    const towns = lines.find((line) => line.startsWith("Weather "));
    expect(towns).toContain("Town 19|…}");
    expect(towns).not.toContain("Town 20");
  });

  it("of the todo store leaves to code what it reads better", async () => {
    const { system, responseFormat } = await shownOf(builtIn);
    const operations = ["add", "list", "get", "complete", "reopen", "update", "delete", "clear", "search"];
    for (const name of operations) expect(system).toContain(`\nTodoStore.${name} {`);
    expect(system).toContain("\nTodoStore.add {title: words} – ");
    expect(system).toContain("\nCalculator {sum: sum} – ");
    expect(JSON.stringify(responseFormat)).not.toMatch(/"(?:dueDate|dueAt|priority|list)"/);
  });

  it("is held strictly where a server can: what may be left out is null", async () => {
    const model = createScriptedModel([answerOf({ do: "Lamp", room: "hall", level: null, mood: null })]);
    const planner = createLlmPlanner({ model: Object.assign(model, { schemas: "strict" as const }) });
    await planner.plan(requestOf("dim hall", { tools: [lamp, visit] }));
    const [{ responseFormat } = {}] = model.requests;
    expect(responseFormat).toMatchObject({ strict: true });
    expect(JSON.stringify(responseFormat)).toContain(
      '"kind":{"anyOf":[{"type":"string","enum":["check_up","vaccination"]},{"type":"null"}]}',
    );
  });

  it("lets a server's grammar copy the user's words only, with a result in the place of words for it", async () => {
    const model = createScriptedModel([answerOf({ do: "TodoStore.add", title: "buy $1 apples" })]);
    const llm = createLlmPlanner({ model: Object.assign(model, { schemas: "grammar" as const }) });
    const planner = createFallbackPlanner([createRulePlanner(), llm]);
    const request = requestOf("calculate 6 * 7 and add a todo to buy that many apples", {
      tools: builtIn,
    });
    const { steps } = await planner.plan(request);
    expect(steps.map(({ input }) => input)).toEqual([
      { expression: "6 * 7" },
      { operation: "add", title: "buy ${s1.value} apples" },
    ]);
    const copied = wordsHeldBy(model.requests[0]);
    for (const text of ["buy that many apples", "buy $1 apples", "$1", "apples", "many apples"])
      expect(text).toMatch(copied);
    for (const text of ["buy apples", "pears", "buy that many apples ", "$2"]) expect(text).not.toMatch(copied);
  });

  it("lets it copy every run of words as the user wrote it, however long, and no other", async () => {
    const word = fc.oneof(
      fc.constantFrom("milk", "semi-final", "don't", "(new)", "3.5", "$5", "a|b", "c:\\d", "été", "🎉", "*", "[x]?"),
      fc.stringMatching(/^[a-z]{2,6}$/),
    );
    const gap = fc.constantFrom(" ", "  ", ", ", "\n");
    const said = fc.array(fc.tuple(gap, word), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(said, async (words) => {
        const text = `note ${words.map(([between, each], at) => (at === 0 ? each : between + each)).join("")}`;
        const model = createScriptedModel([unclear, unclear]);
        const planner = createLlmPlanner({ model: Object.assign(model, { schemas: "grammar" as const }) });
        await Promise.resolve(planner.plan(requestOf(text, { tools: [note] }))).catch(() => undefined);
        if (model.requests[0] === undefined) return;
        const copied = wordsHeldBy(model.requests[0]);
        const asked = model.requests[0].messages.at(-1)?.content ?? "";
        const whole = asked.replace(/[,;:.!?•\s]+$/, "");
        expect(JSON.stringify(whole).slice(1, -1)).toMatch(copied);
        expect(JSON.stringify(`${whole}x`).slice(1, -1)).not.toMatch(copied);
        expect(JSON.stringify(`${whole} ${whole}`).slice(1, -1)).not.toMatch(copied);
      }),
      { numRuns: 100 },
    );
  });

  it("tells of conditions and loops only where they are allowed", async () => {
    const { system, responseFormat } = await shownOf([odd]);
    expect(system).not.toContain('"each"');
    expect(JSON.stringify(responseFormat)).not.toContain('"each"');
    const allowed = await shownOf([odd], { expressions: true });
    expect(allowed.system).toContain('"each"');
    expect(JSON.stringify(allowed.responseFormat)).toContain('"each"');
  });
});

/** The texts that a server's grammar holds, as a pattern of their JSON. */
function wordsHeldBy(request: ModelRequest | undefined): RegExp {
  const { responseFormat } = request ?? {};
  const { schema = {} } = responseFormat?.type === "json" ? responseFormat : {};
  const { words = {} } = (schema.$defs ?? {}) as Record<string, JsonSchema>;
  return new RegExp(String(words.pattern));
}

describe("the examples", () => {
  it("are phrases with values, the author's own, and what is to be refused", async () => {
    const { turns } = await shownOf([...own, ...builtIn]);
    const pairs = turns.flatMap((request, at) =>
      at % 2 === 0 ? [{ request, calls: JSON.parse(turns[at + 1] ?? "").steps as { do: string }[] }] : [],
    );
    const refused = [{ do: "unclear" }];
    for (const [request, calls] of [
      [/light up the hall/, [{ do: "Lamp", room: "hall" }]],
      [/dim /, [{ do: "Lamp", room: expect.any(String) }]],
      [/^do not /, refused],
      [/^hello$/, refused],
    ] as const)
      expect(pairs.filter((pair) => request.test(pair.request))).toContainEqual(
        expect.objectContaining({ calls: calls.map((call) => expect.objectContaining(call)) }),
      );
    for (const { request, calls } of pairs)
      for (const [key, value] of calls.flatMap(Object.entries))
        if (key !== "do" && typeof value === "string") expect(request).toContain(value);
  });

  it("take a quarter of the context at most, and 2,000 tokens", async () => {
    const sizeOf = async (contextTokens?: number) => {
      const model = createScriptedModel([answerOf({ do: "TodoStore.add", title: "milk" })], { contextTokens });
      await createLlmPlanner({ model }).plan(requestOf("add milk", { tools: builtIn }));
      return JSON.stringify(model.requests[0]?.messages).length;
    };
    const [unknown, small, large] = await Promise.all([sizeOf(), sizeOf(4_096), sizeOf(131_072)]);
    expect(small).toBeLessThan(unknown);
    expect(large).toBe(unknown);
    expect(unknown).toBeLessThan(4 * 2_000 + 4_000);
  });

  it("of the developer come first, in the words of their sentences", async () => {
    const examples = [
      { request: "see Ines on friday", steps: [{ tool: "Visit", input: { name: "Ines", day: "2026-11-27" } }] },
      { request: "see somebody", steps: [{ tool: "Visit", input: { name: "Ines", day: "2026-11-27" } }] },
      { request: "see Bo", steps: [{ tool: "Nothing", input: {} }] },
    ];
    const { turns } = await shownOf(own, { examples });
    expect(turns.slice(0, 2)).toEqual(["see Ines on friday", answerOf({ do: "Visit", name: "Ines", day: "friday" })]);
    expect(turns).not.toContain("see somebody");
    expect(turns).not.toContain("see Bo");
  });

  it("of the developer name the part of a result that has several", async () => {
    const find = defineTool({
      name: "Find",
      description: "Finds a place",
      inputSchema: z.object({ place: z.string() }),
      outputSchema: z.object({ lat: z.number(), town: z.string() }),
      effect: "pure",
      execute: () => ({ lat: 47, town: "Graz" }),
    });
    const call = { request: "light it", steps: [{ tool: "Find", input: { place: "it" } }] };
    const references = { "${s1.town}": "$1.town", "${s1}": "$1" };
    for (const [room, written] of Object.entries(references)) {
      const examples = [{ ...call, steps: [...call.steps, { tool: "Lamp", input: { room } }] }];
      const { turns } = await shownOf([find, ...own], { examples });
      expect(turns[1]).toBe(answerOf({ do: "Find", place: "it" }, { do: "Lamp", room: written }));
    }
  });
});

describe("what code reads", () => {
  it.each<[string, string, object, object]>([
    [
      "a day in words",
      "see Ines on friday",
      { do: "Visit", name: "Ines", day: "friday" },
      { name: "Ines", day: "2026-11-27" },
    ],
    [
      "a number with a unit",
      "see Ines tomorrow for an hour",
      { do: "Visit", name: "Ines", day: "tomorrow", minutes: "an hour" },
      { name: "Ines", day: "2026-11-23", minutes: 60 },
    ],
    [
      "a choice",
      "see Ines tomorrow, a check up",
      { do: "Visit", name: "Ines", day: "tomorrow", kind: "check_up" },
      { name: "Ines", day: "2026-11-23", kind: "check_up" },
    ],
    [
      "what a phrase that is said fixes beside its slots",
      "make the kitchen cosy please",
      { do: "Lamp", room: "kitchen" },
      { room: "kitchen", level: 20 },
    ],
    [
      "a choice beside the text",
      "dim kitchen, warm",
      { do: "Lamp", room: "kitchen" },
      { room: "kitchen", mood: "warm" },
    ],
    [
      "a choice at the end of the text",
      "dim kitchen warm",
      { do: "Lamp", room: "kitchen warm" },
      { room: "kitchen", mood: "warm" },
    ],
    [
      "something that is switched on",
      "send flowers with gift wrap",
      { do: "Gift", what: "flowers" },
      { what: "flowers", giftWrap: true },
    ],
    [
      "something that is switched off",
      "send flowers, no gift wrap",
      { do: "Gift", what: "flowers" },
      { what: "flowers", giftWrap: false },
    ],
    ["a constant", "open the garden door", { do: "Door.open", which: "garden" }, { act: "open", which: "garden" }],
    [
      "the fields of a union",
      "a Shape, red, radius 5",
      { do: "Shape", colour: "red", radius: 5 },
      { colour: "red", radius: 5 },
    ],
    [
      "fields named like ours",
      "odd milk with bread 5",
      { do: "Odd", do_: "milk", if_: "bread", each_: 5 },
      { do: "milk", if: "bread", each: 5 },
    ],
    [
      "one of forty fields",
      "wide milk at home",
      { do: "Wide", name: "milk", field7: "home" },
      { name: "milk", field7: "home" },
    ],
    ["one of 500 choices", "weather of Town 499", { do: "Weather", town: "Town 499" }, { town: "Town 499" }],
    ["the one of two equal tools that is named", "a parcel to Ines", { do: "Parcel", to: "Ines" }, { to: "Ines" }],
    [
      "objects and lists of objects",
      "order 3 pears and figs on friday to Main Street in Oslo",
      {
        do: "Order",
        items: [
          { name: "pears", count: "3" },
          { name: "figs", day: "friday" },
        ],
        address: { street: "Main Street", place: { town: "Oslo" } },
      },
      {
        items: [
          { name: "pears", count: 3 },
          { name: "figs", day: "2026-11-27" },
        ],
        address: { street: "Main Street", place: { town: "Oslo" } },
      },
    ],
    [
      "nothing of keys that are null or unknown",
      "dim kitchen",
      { do: "Lamp", room: "kitchen", level: null, mode: "x" },
      { room: "kitchen" },
    ],
  ])("is %s", async (_what, request, call, input) => {
    expect(await planOf(request, [call])).toEqual([input]);
  });

  const todo = { operation: "add", title: "buy milk" };
  it.each<[string, object]>([
    ["add buy milk", todo],
    ["add buy milk tomorrow", { ...todo, dueDate: "2026-11-23" }],
    ["add buy milk, high priority, tagged home", { ...todo, priority: "high", tags: ["home"] }],
    [
      "add buy milk tomorrow at 5pm to the shopping list",
      { ...todo, dueAt: "2026-11-23T17:00:00+00:00", list: "shopping" },
    ],
  ])("is the rest of a todo: %s", async (request, input) => {
    for (const title of ["buy milk", request.slice("add ".length)]) {
      if (title.includes(",")) continue;
      expect(await planOf(request, [{ do: "TodoStore.add", title }], builtIn)).toEqual([input]);
    }
  });

  it("is nothing of a text in quotes", async () => {
    const call = { do: "TodoStore.add", title: "buy milk tomorrow" };
    const [input] = await planOf('add "buy milk tomorrow"', [call], builtIn);
    expect(input).toEqual({ operation: "add", title: "buy milk tomorrow" });
  });

  it("is a sum whose numbers are said", async () => {
    for (const [request, sum] of [
      ["what is 15% of 80", "15% * 80"],
      ["twelve apples at 3 each", "12 * 3"],
    ] as const)
      expect(await planOf(request, [{ do: "Calculator", sum }], builtIn)).toEqual([{ expression: sum }]);
    const answer = answerOf({ do: "Calculator", sum: "12 * 3" });
    const failure = await failureOf([answer], requestOf("apples at 3 each", { tools: builtIn }));
    expect(failure.message).toContain('the request does not say "12"');
  });

  it.each<[string, string, object, string]>([
    [
      "no time",
      "see Ines soonish",
      { do: "Visit", name: "Ines", day: "soonish" },
      '"day": expected a day; received "soonish"',
    ],
    ["no number", "dim kitchen to some percent", { do: "Wide", name: ["kitchen"] }, '"name" is not a text'],
    ["left out", "lock the garden door", { do: "Door.lock", which: "garden" }, '"code" is missing'],
    ["no choice", "weather of Paris", { do: "Weather", town: "Paris" }, "town"],
    [
      "of another type in a list",
      "order pears",
      { do: "Order", items: [{ name: 5 }] },
      "expected string, received number",
    ],
  ])("is asked for once more if it is %s, with the reason, and then refused", async (_what, text, call, reason) => {
    const request = requestOf(text, { tools: own });
    const failure = await failureOf([answerOf(call), answerOf(call)], request);
    expect(failure).toMatchObject({ code: "cannot-plan", details: { failures: [{ code: "invalid-plan" }, {}] } });
    expect(failure.message).toContain(reason);
  });
});

describe("the result of an earlier step", () => {
  const chained = [{ do: "Order", items: [{ name: "pears" }] }];
  it.each([
    ["by a key", "order pears, a letter to its number", "$1.number", "${s1.number}"],
    ["within a text", "order pears, a letter to Ines about its price", "Ines about $1.price", "Ines about ${s1.price}"],
  ])("is named %s", async (_how, request, to, text) => {
    const answer = answerOf(...chained, { do: "Letter", to });
    const { steps } = await planWith([answer], requestOf(request, { tools: own }));
    expect(steps[1]).toMatchObject({ input: { to: text }, dependsOn: ["s1"] });
  });

  it("is in each of several steps that a call stands for", async () => {
    const define = (name: string, inputSchema: z.ZodObject, phrase: string) =>
      defineTool({
        ...{ name, description: name, inputSchema, outputSchema: z.object({ amount: z.string() }), phrases: [phrase] },
        ...{ effect: "idempotent", execute: () => ({ amount: "1" }) },
      });
    const tools = [
      define("Price", z.object({ item: z.string() }), "price of {item}"),
      define("Add", z.object({ item: z.string(), note: z.string() }), "add {item} with note {note}"),
    ];
    const calls = [
      { do: "Price", item: "lamps" },
      { do: "Add", item: "milk and eggs", note: "costs $1" },
    ];
    const answers = calls.map((call) => answerOf(call));
    const request = requestOf("price of lamps, then add milk and eggs with note costs it", { tools });
    // The result is there twice; the word before it was said once.
    expect((await failureOf(answers, request)).message).toContain('"costs" is used more than once');
  });

  it("is a part of a sum, a text, or a value at any depth", async () => {
    const answers = ["12 * 4", "$1 * 2"].map((sum) => answerOf({ do: "Calculator", sum }));
    const request = requestOf("calculate 12 * 4, then times 2, then add pay that", { tools: builtIn });
    const { steps } = await planWith([...answers, answerOf({ do: "TodoStore.add", title: "pay $2" })], request);
    expect(steps.slice(1).map(({ input }) => input)).toEqual([
      { expression: "x * 2", variables: { x: { $ref: "s1.value" } } },
      { operation: "add", title: "pay ${s2.value}" },
    ]);
    const deep = await planOf("order pears, order it", [...chained, { do: "Order", items: [{ name: "$1.number" }] }]);
    expect(deep[1]).toEqual({ items: [{ name: "${s1.number}" }] });
  });

  it.each([
    ["a letter to $1", "$1", "$1"],
    ["a letter to ${s1.number}", "${s1.number}", "${$}{s1.number}"],
  ])("is none that the user typed: %s", async (request, to, text) => {
    expect(await planOf(request, [{ do: "Letter", to }])).toEqual([{ to: text }]);
  });

  it.each(["$1", "$3.id", "about $2"])("must stand before it: %s", async (to) => {
    const answer = answerOf({ do: "Letter", to });
    const failure = await failureOf([answer, answer], requestOf("a letter about it", { tools: own }));
    expect(failure.message).toMatch(/"\$\d" is not a step before this one; expected /);
  });
});

describe("beside the words that a model copied, code reads", () => {
  it.each([
    [
      "a choice alone",
      "make payslip query low",
      "update",
      "payslip query",
      { title: "payslip query", priority: "low" },
    ],
    ["no time of a reason", "shift jab to 2030-05-01, I am busy tomorrow", "update", "jab", { dueDate: "2030-05-01" }],
    [
      "no noun of the operation",
      "kindly show the details of the vendor contract task",
      "get",
      "vendor contract task",
      { title: "vendor contract" },
    ],
    [
      "what a phrase has no words for",
      "rename tea to oolong, P1",
      "update",
      "tea",
      { newTitle: "oolong", priority: "high" },
    ],
  ])("%s", async (_what, text, operation, title, input) => {
    const newTitle = operation === "update" && text.startsWith("rename") ? { newTitle: "oolong" } : {};
    const answer = answerOf({ do: `TodoStore.${operation}`, title, ...newTitle });
    const { steps } = await planWith([answer], requestOf(text, { tools: builtIn }));
    expect(steps).toMatchObject([{ input: { operation, ...input } }]);
  });
});

describe("conditions and loops", () => {
  const expressions = { expressions: true };
  const plan = (text: string, ...calls: readonly object[]) => {
    const answers = calls.map((call) => answerOf(call));
    return planWith(answers, requestOf(text, { tools: own }), expressions);
  };

  it("are written with the numbers of steps, and $item", async () => {
    const { steps } = await plan(
      "order pears, then a letter to Ines if its price is more than 5",
      { do: "Order", items: [{ name: "pears" }] },
      { do: "Letter", to: "Ines", if: "$1.price > 5" },
    );
    expect(steps[1]).toMatchObject({ when: "s1.price > 5", dependsOn: ["s1"] });
    const loop = { do: "Letter", to: "no $item", each: "[1, 2]" };
    expect(await plan("a letter to no 1 and 2", loop)).toMatchObject({
      steps: [{ input: { to: "no ${item}" }, forEach: "[1, 2]" }],
    });
  });

  it.each([
    [{ if: "$9.price > 5" }, '"if" names a step that does not come before this one'],
    [{ if: "1 > (" }, "The expression cannot be used"],
    [{ to: "$item" }, '"$item" needs "each"'],
  ])("are asked for again if they cannot be used (%#)", async (more, reason) => {
    const call = { do: "Letter", to: "Ines", ...more };
    await expect(plan("a letter to Ines if it rains", call, call)).rejects.toThrow(reason);
  });

  it("are nothing to a planner without them", async () => {
    const call = { do: "Letter", to: "Ines", if: "true", each: "[1]" };
    const [step] = (await planWith([answerOf(call)], requestOf("a letter to Ines", { tools: own, nowMs }))).steps;
    expect(Object.keys(step ?? {}).sort()).toEqual(["dependsOn", "id", "input", "tool"]);
  });
});
