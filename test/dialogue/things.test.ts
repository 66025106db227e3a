import { createCalculator, createNotes, createTodoStore, createWebSearch, defineTool, sensitive } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { thingsIn } from "../../src/dialogue/things.ts";

const at = z.iso.datetime();
const booking = z.number().int();
const people = z.number().int();
const Booking = z.object({ booking, name: z.string(), people, at: z.string() });

interface Shape {
  readonly input?: z.ZodType;
  readonly output?: z.ZodType;
  readonly effect?: "pure" | "idempotent" | "once";
  readonly description?: string;
}

const tool = (name: string, { input = z.object({}), output, effect = "idempotent", description = name }: Shape) =>
  defineTool({
    name,
    description,
    inputSchema: input,
    ...(output && { outputSchema: output }),
    effect,
    execute: () => ({}) as never,
  });

const bistro = [
  tool("ShowBookings", { output: z.object({ bookings: z.array(Booking) }), effect: "pure" }),
  tool("BookTable", {
    input: z.object({ name: z.string(), people, at }),
    output: z.object({ booking }),
    effect: "once",
  }),
  tool("MoveBooking", { input: z.object({ booking, at }), output: Booking }),
  tool("ChangeParty", { input: z.object({ booking, people }), output: Booking }),
  tool("CancelBooking", { input: z.object({ booking }), output: Booking }),
];
const patel = { booking: 31, name: "Patel", people: 4, at: "2026-11-26T18:30:00Z" };
const okafor = { booking: 32, name: "Okafor", people: 2, at: "2026-11-26T19:00:00Z" };

const keys = (things: ReturnType<typeof thingsIn>) => things.map(({ kind, keyField, key }) => [kind, keyField, key]);
const short = (things: ReturnType<typeof thingsIn>) =>
  things.map(({ kind, keyField, key, labelField, label }) => [kind, keyField, key, labelField, label]);

describe("things of an output", () => {
  it("have the key that changing calls take, their label, fields and place", () => {
    const things = thingsIn(bistro, "ShowBookings", {}, { bookings: [patel, okafor] });
    expect(short(things)).toEqual([
      ["booking", "booking", 31, "name", "Patel"],
      ["booking", "booking", 32, "name", "Okafor"],
    ]);
    expect(things[1]).toMatchObject({ fields: okafor, path: ["bookings", 1] });
    expect([...(things[0]?.keyInputs ?? [])]).toEqual([
      ["MoveBooking", "booking"],
      ["ChangeParty", "booking"],
      ["CancelBooking", "booking"],
    ]);
  });

  it("are completed by the input of the call that created them", () => {
    const input = { name: "Ricci", people: 4, at: "2026-11-27T20:00:00Z" };
    expect(thingsIn(bistro, "BookTable", input, { booking: 36 })).toMatchObject([
      { kind: "booking", key: 36, label: "Ricci", fields: { booking: 36, ...input }, path: [] },
    ]);
  });

  it("are not completed by a call that shows them", () => {
    const [thing] = thingsIn(bistro, "MoveBooking", { booking: 32, at: "2026-11-26T20:00:00Z" }, okafor);
    expect(thing?.fields).toEqual(okafor);
  });

  it("of the built-in tools are todos and notes, but neither sums nor pages", () => {
    const tools = [createTodoStore(), createNotes(), createCalculator(), createWebSearch({ search: () => [] })];
    const todo = { id: "t1", title: "milk", completed: false, list: "shopping", createdAt: "2026-11-26", tags: [] };
    const note = { id: "n1", item: "gate", text: "code 4471", createdAt: "2026-11-26T10:00:00Z" };
    const page = { todos: [todo], count: 1, completed: 0, pending: 1 };
    expect(short(thingsIn(tools, "TodoStore", { operation: "list" }, page))).toEqual([
      ["todo", "id", "t1", "title", "milk"],
    ]);
    expect(short(thingsIn(tools, "TodoStore", { operation: "add", title: "milk" }, todo))).toEqual([
      ["todo", "id", "t1", "title", "milk"],
    ]);
    expect(short(thingsIn(tools, "Notes", { operation: "get" }, note))).toEqual([
      ["note", "id", "n1", "text", "code 4471"],
    ]);
    expect(thingsIn(tools, "Calculator", { expression: "2" }, { value: 2, expression: "2" })).toEqual([]);
    const hit = { title: "Milk", url: "https://milk.example", snippet: "" };
    expect(thingsIn(tools, "WebSearch", { query: "milk" }, { query: "milk", results: [hit] })).toEqual([]);
  });

  it("of which only an id is known are those of the calls that name them", () => {
    const tools = [
      tool("ListTickets", {
        output: z.object({
          tickets: z.array(z.object({ id: z.string(), subject: z.string(), customerId: z.string() })),
        }),
        effect: "pure",
      }),
      tool("CloseTicket", { input: z.object({ ticketId: z.string() }), output: z.object({ ok: z.boolean() }) }),
      tool("Station", { output: z.object({ id: z.string(), celsius: z.number() }), effect: "pure" }),
    ];
    const tickets = [{ id: "A-1", subject: "It hangs", customerId: "c9" }];
    const [thing] = thingsIn(tools, "ListTickets", {}, { tickets });
    expect(thing).toMatchObject({ kind: "ticket", keyField: "id", key: "A-1", label: "It hangs" });
    expect([...(thing?.keyInputs ?? [])]).toEqual([["CloseTicket", "ticketId"]]);
    expect(thingsIn(tools, "Station", {}, { id: "A-1", celsius: 4 })).toEqual([]);
  });

  it.each<[string, Record<string, z.ZodType>, string, Record<string, z.ZodType>, object, readonly unknown[]]>([
    [
      "Items",
      { sku: z.string(), name: z.string() },
      "Adjust",
      { sku: z.string(), by: z.number() },
      { sku: "s1", name: "nut" },
      ["item", "sku", "s1"],
    ],
    [
      "Boxes",
      { id: z.number(), label: z.string() },
      "Discard",
      { id: z.number() },
      { id: 4, label: "cups" },
      ["box", "id", 4],
    ],
    [
      "Orders",
      { orderNo: z.string(), customerId: z.string() },
      "Refund",
      { order_no: z.string(), customerId: z.string() },
      { orderNo: "A-17", customerId: "c1" },
      ["order", "orderNo", "A-17"],
    ],
    [
      "Issues",
      { key: z.string(), summary: z.string() },
      "MoveIssue",
      { issue: z.string() },
      { key: "OPS-1", summary: "down" },
      ["issue", "key", "OPS-1"],
    ],
    [
      "Lights",
      { name: z.string(), on: z.boolean() },
      "SwitchLight",
      { name: z.string(), on: z.boolean() },
      { name: "desk", on: true },
      ["light", "name", "desk"],
    ],
    [
      "Books",
      { isbn: z.string(), title: z.string(), phoneNumber: z.string() },
      "Borrow",
      { isbn: z.string(), phoneNumber: z.string() },
      { isbn: "978", title: "Emma", phoneNumber: "1" },
      ["book", "isbn", "978"],
    ],
  ])("of %s have the key that %j takes", (name, shape, other, input, item, expected) => {
    const list = name.toLowerCase();
    const output = z.object({ [list]: z.array(z.object(shape)) });
    const tools = [
      tool(name, { output, effect: "pure" }),
      tool(other, { input: z.object(input), description: "Acts" }),
    ];
    expect(keys(thingsIn(tools, name, {}, { [list]: [item] }))).toEqual([expected]);
  });

  it("may have a name as their key, but no measure and no date", () => {
    const room = z.enum(["kitchen", "hall"]);
    const state = z.object({ temperature: z.number().int(), room, day: z.iso.date() });
    const input = z.object({ temperature: z.number().int(), room, day: z.iso.date() });
    const tools = [
      tool("SetTemperature", { input, output: state }),
      tool("Heating", { output: z.object({ rooms: z.array(state) }), effect: "pure" }),
    ];
    const kitchen = { temperature: 20, room: "kitchen", day: "2026-11-26" };
    expect(keys(thingsIn(tools.slice(0, 1), "SetTemperature", kitchen, kitchen))).toEqual([
      ["room", "room", "kitchen"],
    ]);
    expect(keys(thingsIn(tools, "Heating", {}, { rooms: [kitchen] }))).toEqual([["room", "room", "kitchen"]]);
  });

  it("take the field that is marked as their key", () => {
    const plant = z.object({ id: z.number(), latin: z.string().meta({ key: true }), place: z.string() });
    const tools = [
      tool("Plants", { output: z.object({ plants: z.array(plant) }), effect: "pure" }),
      tool("Water", { input: z.object({ id: z.number() }), description: "Waters a plant" }),
    ];
    const fern = { id: 4, latin: "Pteridium", place: "hall" };
    expect(short(thingsIn(tools, "Plants", {}, { plants: [fern] }))).toEqual([
      ["plant", "latin", "Pteridium", "place", "hall"],
    ]);
  });

  it("show no sensitive value, and are none if their key is one", () => {
    const account = z.object({ id: z.string(), name: z.string(), pin: sensitive(z.string()) });
    const tools = [
      tool("Accounts", { output: z.object({ accounts: z.array(account) }), effect: "pure" }),
      tool("CloseAccount", { input: z.object({ id: z.string() }) }),
    ];
    const shown = (fields: object) => thingsIn(tools, "Accounts", {}, { accounts: [fields] });
    expect(shown({ id: "a1", name: "Kim", pin: "1234" })[0]?.fields).toEqual({ id: "a1", name: "Kim" });
    expect(shown({ id: { $sealed: "x" }, name: "Kim" })).toEqual([]);
    expect(shown({ id: "[sensitive]", name: "Kim" })).toEqual([]);
    expect(shown({ id: "a1", name: { $sealed: "x" } })[0]?.label).toBeUndefined();
  });

  it("are none without an output schema, of an unknown tool, or of an odd output", () => {
    const tools = [tool("Open", { input: z.object({ id: z.string() }) })];
    expect(thingsIn(tools, "Open", { id: "1" }, { id: "1" })).toEqual([]);
    expect(thingsIn(bistro, "Nothing", {}, { booking: 1 })).toEqual([]);
    for (const output of [null, 1, "32", [], [[]], { bookings: null }, { bookings: [null, 1, "x"] }])
      expect(thingsIn(bistro, "ShowBookings", {}, output)).toEqual([]);
  });

  it("of a long or deep output are read in time that grows with it", () => {
    const bookings = Array.from({ length: 5_000 }, (_, index) => ({ ...patel, booking: index }));
    expect(thingsIn(bistro, "ShowBookings", {}, { bookings })).toHaveLength(1_000);
  });
});
