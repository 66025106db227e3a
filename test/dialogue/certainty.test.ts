import { defineTool, type Tool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createBuiltInTools, createTalkAgent } from "./talk-agent.ts";

/** Shifts with two times and a choice, and stock that a sale reduces: what is repeated or corrected may mean two things. */
function createShop() {
  const calls: (readonly [string, object])[] = [];
  let next = 40;
  const Shift = z.object({ shift: z.number().int(), person: z.string(), from: z.string(), until: z.string() });
  const Item = z.object({ item: z.number().int(), name: z.string(), stock: z.number().int() });
  const shifts: z.infer<typeof Shift>[] = [
    { shift: 31, person: "Lin", from: "08:00", until: "12:00" },
    { shift: 32, person: "Joel", from: "09:00", until: "12:00" },
    { shift: 33, person: "Vera", from: "10:00", until: "14:00" },
  ];
  const noted = <TInput extends object, TOutput>(name: string, output: (input: TInput) => TOutput) => ({
    name,
    description: name,
    execute: (input: TInput) => {
      calls.push([name, input]);
      return output(input);
    },
  });
  const role = z.enum(["counter", "oven"]);
  const tools: readonly Tool[] = [
    defineTool({
      ...noted("ListShifts", () => ({ shifts })),
      inputSchema: z.object({}),
      outputSchema: z.object({ shifts: z.array(Shift) }),
      effect: "pure",
      phrases: ["show [the] shifts"],
    }),
    defineTool({
      ...noted("AddShift", (input: { person: string; role: string; from: string; until: string }) => ({
        shift: next++,
        ...input,
      })),
      inputSchema: z.object({ person: z.string(), role, from: z.iso.time(), until: z.iso.time() }),
      outputSchema: Shift,
      phrases: ["put {person} on [the] {role} from {from} to {until}"],
    }),
    defineTool({
      ...noted("GiveShift", ({ shift, person }: { shift: number; person: string }) => {
        const found = shifts.find((each) => each.shift === shift);
        if (found === undefined) throw new Error(`There is no shift ${shift}.`);
        return Object.assign(found, { person });
      }),
      inputSchema: z.object({ shift: z.number().int(), person: z.string() }),
      outputSchema: Shift,
      effect: "idempotent",
      phrases: ["give [shift] {shift} to {person}"],
    }),
    defineTool({
      ...noted("SellItem", ({ item, pieces }: { item: number; pieces: number }) => ({
        item,
        name: "Gloss",
        stock: 30 - pieces,
      })),
      inputSchema: z.object({ item: z.number().int(), pieces: z.number().int().positive() }),
      outputSchema: Item,
      effect: "once",
      phrases: ["sell {pieces} of [item] {item}"],
    }),
  ];
  return { tools, calls };
}

const createSearch = () =>
  defineTool({
    name: "SearchItems",
    description: "Searches the stock",
    inputSchema: z.object({ query: z.string() }),
    outputSchema: z.object({ items: z.array(z.object({ item: z.number(), name: z.string() })) }),
    effect: "pure",
    phrases: ["search for {query}", "is there any {query}"],
    execute: () => ({ items: [{ item: 7, name: "Gloss" }] }),
  });

const shift = { person: "Amara", role: "counter", from: "08:00", until: "12:00" };
const put = { steps: [{ id: "s1", tool: "AddShift", input: shift }] };

it.each<[why: string, first: string | typeof put, ...lines: string[]]>([
  ["one of two times", put, "same for Vera, but at nine"],
  ["a choice within a name", put, "and Conti on the oven from 4"],
  ["a sale that is corrected", "sell 3 of item 7", "make that 20"],
  ["a sale that is corrected by name", "sell 3 of item 7", "make that 20 gloss"],
  ["what a refused line was about", put, "rotate the tyres", "no, at nine"],
])("does nothing by %s", async (_why, first, ...lines) => {
  const { tools, calls } = createShop();
  const { agent, say } = createTalkAgent({ tools });
  await (typeof first === "string" ? say(first) : agent.execute(first, { thread: "talk" }));
  expect(calls).toHaveLength(1);
  for (const line of lines) await say(line);
  expect(calls).toHaveLength(1);
});

it.each(["the second is for Mia", "give number two to Mia"])("%s is about a place in the list", async (line) => {
  const { tools, calls } = createShop();
  const { say } = createTalkAgent({ tools });
  await say("show the shifts");
  await say(line);
  expect(calls.slice(1).every(([, input]) => "shift" in input && input.shift === 32)).toBe(true);
});

it("the key 2 is never what a place in a list means", async () => {
  const { tools, calls } = createShop();
  const { say } = createTalkAgent({ tools });
  await say("show the shifts");
  const { error } = await say("give the second to Mia and show the shifts");
  expect(error?.message).toContain('"the second" is a place in the list that was shown');
  expect(calls).toHaveLength(1);
});

it("a day of the month is no place in a list", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add milk and eggs");
  await say("show todo");
  const { steps } = await say("remind me to pay rent on the 1st");
  expect(steps).toMatchObject([{ input: { operation: "add", title: "pay rent", dueDate: "2026-12-01" } }]);
});

it.each(["remind me tomorrow 9 to ping Lin", "remind me tmrw 9 to ping legal abt the nda"])(
  "%s: the number is no title",
  async (line) => {
    const { say } = createTalkAgent({ tools: createBuiltInTools() });
    const { steps } = await say(line);
    expect(steps.filter(({ status }) => status === "completed")).toEqual([]);
  },
);

it.each(["where is the nearest pharmacy", "what is the capital of France"])("%s is no search", async (line) => {
  const { say } = createTalkAgent({ tools: [createSearch()] });
  await say("search for paint");
  expect((await say(line)).error?.code).toBe("cannot-plan");
  expect((await say("is the gloss still there?")).steps).toMatchObject([{ input: { query: "gloss" } }]);
});

it("asks for no value while other words are left out", async () => {
  const booked: object[] = [];
  const spend = defineTool({
    name: "AddExpense",
    description: "Adds an expense",
    inputSchema: z.object({ what: z.string(), euros: z.number(), category: z.enum(["travel", "food"]) }),
    outputSchema: z.object({ expense: z.number().int() }),
    phrases: ["add {what} for {euros} euros as {category}"],
    execute: (input) => ({ expense: booked.push(input) }),
  });
  const { say } = createTalkAgent({ tools: [spend] });
  expect((await say("add parking for 18 euros yesterday")).status).toBe("failed");
  expect((await say("add parking for 18 euros")).status).toBe("suspended");
  expect(booked).toEqual([]);
});

it.each(["and eggs", "same for eggs"])("after a refused line, %s repeats nothing", async (line) => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add milk");
  expect((await say("order a taxi to the station")).error?.code).toBe("cannot-plan");
  expect((await say(line)).steps).toEqual([]);
});

it("would you … is a request, and looks nothing up", async () => {
  const { say } = createTalkAgent({ tools: [createSearch()] });
  await say("search for paint");
  expect((await say("would you keep some gloss for me")).error?.code).toBe("cannot-plan");
});

it("a number may be a key, and then it is no place", async () => {
  const given: object[] = [];
  const people = [2, 1, 3].map((seat) => ({ seat, name: `Guest ${"ABC"[seat - 1]}` }));
  const list = defineTool({
    name: "ListSeats",
    description: "Lists the seats",
    inputSchema: z.object({}),
    outputSchema: z.object({ seats: z.array(z.object({ seat: z.number().int(), name: z.string() })) }),
    effect: "pure",
    phrases: ["show [the] seats"],
    execute: () => ({ seats: people }),
  });
  const free = defineTool({
    name: "FreeSeat",
    description: "Frees a seat",
    inputSchema: z.object({ seat: z.number().int().positive() }),
    outputSchema: z.object({ seat: z.number().int(), name: z.string() }),
    phrases: ["free [seat] {seat}"],
    execute: ({ seat }) => {
      given.push({ seat });
      return { seat, name: "-" };
    },
  });
  const { say } = createTalkAgent({ tools: [list, free] });
  await say("show the seats");
  await say("free number 2");
  expect(given).not.toContainEqual({ seat: 1 });
  const unseen = createTalkAgent({ tools: [list, free] });
  await unseen.say("free Guest C");
  expect(given.at(-1)).toEqual({ seat: 3 });
});

it("a line that begins with plus continues the sum", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("60 * 1.40");
  expect((await say("plus 150 times 0.30")).output).toMatchObject({ value: 129 });
  expect((await say("plus 150 rolls at 0.30")).output).toMatchObject({ value: 174 });
  expect((await say("plus 4.95 postage")).output).toMatchObject({ value: 178.95 });
  expect((await say("times 1.2 for the vat")).output).toMatchObject({ value: 214.74 });
  expect((await say("add milk")).output).toMatchObject({ title: "milk" });
  expect((await say("add 20% vat")).output).toMatchObject({ value: 257.688 });
});

it("a note about nothing in particular is found again by its words", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("take a note that the code of the boiler is 4471");
  await say("save a note: the meter key is under the stairs");
  expect((await say("and what was the code of the boiler?")).text).toContain("4471");
  const { steps } = await say("delete the note about the meter key please");
  expect(steps).toMatchObject([{ tool: "Notes", input: { operation: "delete", id: "n2" } }]);
});

it("a day says which option was meant", async () => {
  const choices = [
    { label: "Lin, 2026-11-26", input: { ride: "a" } },
    { label: "Lin, 2026-11-27", input: { ride: "b" } },
  ];
  const cancelled: unknown[] = [];
  const cancel = defineTool({
    name: "CancelRide",
    description: "Cancels a ride",
    inputSchema: z.object({ ride: z.string() }),
    outputSchema: z.object({ ride: z.string() }),
    phrases: ["cancel [the] ride of {ride}"],
    execute: ({ ride }) => {
      if (ride.length > 1) throw Object.assign(new Error("Two rides fit."), { details: { choices } });
      cancelled.push(ride);
      return { ride };
    },
  });
  const { say } = createTalkAgent({ tools: [cancel] });
  await say("cancel the ride of Lin");
  await say("the one from tomorrow");
  expect(cancelled).toEqual(["b"]);
});

it("what is added has no day of its own", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add collect the glasses tomorrow at 11");
  expect((await say("and iron the tea towels")).steps).toMatchObject([{ input: { title: "iron the tea towels" } }]);
  expect((await say("oh and remind me to pack the swim bag")).steps).toMatchObject([
    { input: { title: "pack the swim bag" } },
  ]);
  const { steps } = await say("and the hats");
  expect(steps.map(({ input }) => input)).toEqual([{ operation: "add", title: "hats" }]);
});

it("an answer to a missing value may be followed by which thing was meant", async () => {
  const { agent, say } = createTalkAgent({ tools: createBuiltInTools() });
  await agent.run("add change to winter tyres, add sell the summer tyres");
  await say("postpone the tyres");
  expect((await say("10 december")).text).toContain("change to winter tyres");
  expect((await say("the winter tyres")).steps).toContainEqual(
    expect.objectContaining({ input: expect.objectContaining({ dueDate: "2026-12-10" }), status: "completed" }),
  );
});

it("a missing value of a thing that the thread knows is that thing's", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add change to winter tyres");
  await say("postpone the tyres");
  const { steps } = await say("10 december");
  expect(steps.at(-1)).toMatchObject({ status: "completed", input: { id: "t1", dueDate: "2026-12-10" } });
});

it("asks what a known thing lacks", async () => {
  const { tools, calls } = createShop();
  const { say } = createTalkAgent({ tools });
  await say("show the shifts");
  expect((await say("give Vera")).status).toBe("suspended");
  expect(calls).toHaveLength(1);
  await say("Mia");
  expect(calls.at(-1)).toEqual(["GiveShift", { shift: 33, person: "Mia" }]);
});

it("undoes a change whose output shows no thing", async () => {
  const undone: unknown[] = [];
  const ring = defineTool({
    name: "RingBell",
    description: "Rings the bell",
    inputSchema: z.object({ times: z.number().int() }),
    outputSchema: z.object({ rung: z.boolean() }),
    phrases: ["ring {times} times"],
    execute: () => ({ rung: true }),
    undo: ({ input }) => {
      undone.push(input);
    },
  });
  const { say } = createTalkAgent({ tools: [ring] });
  await say("ring 3 times");
  await say("undo that");
  expect(undone).toEqual([{ times: 3 }]);
});

it.each<[line: string, title: string]>([
  ["add AAA batteries", "AAA batteries"],
  ["add aaa batteries", "aaa batteries"],
  ["add read Henry VIII", "read Henry VIII"],
  ["pleaseee add milk", "milk"],
])("%s: letters that repeat may belong to a name", async (line, title) => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  expect((await say(line)).steps).toMatchObject([{ input: { operation: "add", title } }]);
});

it("a name is no small word with two letters swapped", async () => {
  const { tools, calls } = createShop();
  const { say } = createTalkAgent({ tools });
  await say("give shift 31 to Rae");
  expect(calls).toEqual([["GiveShift", { shift: 31, person: "Rae" }]]);
});

it("a time of day alone gives no day to another value", async () => {
  const { tools, calls } = createShop();
  const extend = defineTool({
    name: "ExtendShift",
    description: "Extends a shift",
    inputSchema: z.object({ shift: z.number().int(), until: z.iso.datetime() }),
    outputSchema: z.object({ shift: z.number().int() }),
    phrases: ["extend [shift] {shift} to {until}"],
    execute: (input) => {
      calls.push(["ExtendShift", input]);
      return { shift: input.shift };
    },
  });
  const { say } = createTalkAgent({ tools: [...tools, extend] });
  await say("show the shifts");
  await say("extend the second to 4");
  expect(JSON.stringify(calls)).not.toContain("1970");
});

it("a plural behind which asks for a list, not for the thing that is known", async () => {
  const { tools } = createShop();
  const { say } = createTalkAgent({ tools });
  expect((await say("sell 3 of item 7")).status).toBe("completed");
  expect((await say("which glosses do we have?")).status).toBe("failed");
});

it.each([
  ["mark them as done", 2],
  ["rotate the tyres; mark them as done", 0],
  ["rotate the tyres; mark it as done", 0],
  ["rotate the tyres; the milk and the eggs are in the fridge, so mark them as done", 2],
])("them after a line that was not understood: %s", async (lines, done) => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add milk and eggs to the shopping list");
  const runs = [];
  for (const line of lines.split("; ")) runs.push(await say(line));
  expect(runs.flatMap(({ steps = [] }) => steps)).toHaveLength(done);
});
