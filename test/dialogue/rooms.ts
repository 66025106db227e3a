import { type DefinedTool, defineTool, sensitive } from "planwright";
import * as z from "zod/v4";

const room = z.number().int().positive().meta({ description: "number of the room" });
const seats = z.number().int().positive();
const price = z.number().positive();
const from = z.iso.datetime();

/** Rooms that are let by the hour. */
export interface Room {
  readonly room: number;
  readonly name: string;
  readonly seats: number;
  readonly price: number;
  readonly from: string;
  readonly cleaned: string;
  readonly code: string;
}

export const roomShape = z.object({
  room,
  name: z.string(),
  seats,
  price,
  from: z.string(),
  cleaned: z.iso.date(),
  code: sensitive(z.string()),
});

type Calls = (readonly [string, object])[];

/** The code of each door is sealed. */
export const firstRooms: readonly Room[] = [
  ["Garden", 8, 40, "2026-11-26T18:00:00Z"],
  ["Attic", 4, 25, "2026-11-26T19:30:00Z"],
  ["Garden hall", 60, 200, "2026-11-27T09:00:00Z"],
  ["Cellar", 12, 30, "2026-11-27T20:00:00Z"],
].map(([name, seats, price, from], at) => ({
  room: 11 + at,
  name: name as string,
  seats: seats as number,
  price: price as number,
  from: from as string,
  cleaned: `2026-12-0${at + 1}`,
  code: `key-${at}-Zanzibar`,
}));

/** An app of rooms, each time with the same rooms. `SetSeats` can be taken back by its `undo`, nothing else can. */
export function createRooms() {
  const rooms = new Map<number, Room>();
  const calls: Calls = [];
  /** The first rooms again, perhaps with other names. */
  const reset = (names: readonly string[] = []) => {
    rooms.clear();
    calls.length = 0;
    for (const [at, each] of firstRooms.entries()) rooms.set(each.room, { ...each, name: names[at] ?? each.name });
  };
  reset();
  const find = (number: number): Room => {
    const found = rooms.get(number);
    // A second attempt would wait for the clock of the test.
    if (found === undefined) throw Object.assign(new Error(`There is no room ${number}.`), { retryable: false });
    return found;
  };
  const change = (number: number, fields: Partial<Room>): Room => {
    const changed = { ...find(number), ...fields };
    rooms.set(number, changed);
    return changed;
  };
  const tools = [
    defineTool({
      name: "ListRooms",
      description: "Lists the rooms",
      inputSchema: z.object({ name: z.string().optional().describe("name of a room") }),
      outputSchema: z.object({ rooms: z.array(roomShape) }),
      effect: "pure",
      phrases: ["list [the] rooms", "show [me] [the] rooms", "which rooms are there", "is there a room called {name}"],
      execute: ({ name }) => ({
        rooms: [...rooms.values()].filter(
          (each) => name === undefined || each.name.toLowerCase().includes(name.toLowerCase()),
        ),
      }),
    }),
    defineTool({
      name: "LetRoom",
      description: "Lets another room",
      inputSchema: z.object({ name: z.string(), seats, from }),
      outputSchema: z.object({ room }),
      effect: "once",
      phrases: ["let {name} for {seats} [people] {from}"],
      execute: ({ name, seats, from }) => {
        const number = 11 + rooms.size;
        rooms.set(number, { room: number, name, seats, price: 10, from, cleaned: "2026-12-09", code: "new" });
        calls.push(["LetRoom", { name, seats, from }]);
        return { room: number };
      },
    }),
    ...changing(change, calls),
    defineTool({
      name: "CloseRoom",
      description: "Closes a room",
      inputSchema: z.object({ room }),
      outputSchema: roomShape,
      effect: "idempotent",
      phrases: ["close room {room}", "cancel room {room}"],
      execute: ({ room }) => {
        const closed = find(room);
        rooms.delete(room);
        calls.push(["CloseRoom", { room }]);
        return closed;
      },
    }),
  ] as readonly DefinedTool[];
  return { tools, calls, rooms, reset };
}

function changing(change: (number: number, fields: Partial<Room>) => Room, calls: Calls): readonly DefinedTool[] {
  const common = { outputSchema: roomShape, effect: "idempotent" } as const;
  const before: Room[] = [];
  return [
    defineTool({
      ...common,
      name: "MoveRoom",
      description: "Lets a room from another time on",
      inputSchema: z.object({ room, from }),
      phrases: ["move room {room} to {from}", "room {room} is let from {from}"],
      execute: ({ room, from }) => {
        calls.push(["MoveRoom", { room, from }]);
        return change(room, { from });
      },
    }),
    defineTool({
      ...common,
      name: "SetSeats",
      description: "Changes how many seats a room has",
      inputSchema: z.object({ room, seats }),
      phrases: [
        "set room {room} to {seats} seats",
        "room {room} has {seats} seats",
        "put {seats} seats in room {room}",
      ],
      execute: ({ room, seats }) => {
        before.push(change(room, {}));
        calls.push(["SetSeats", { room, seats }]);
        return change(room, { seats });
      },
      undo: async ({ input }) => {
        const { seats = 0 } = before.findLast((each) => each.room === input.room) ?? {};
        calls.push(["undo", { room: input.room, seats }]);
        change(input.room, { seats });
      },
    }),
    defineTool({
      ...common,
      name: "SetPrice",
      description: "Changes the price of a room",
      inputSchema: z.object({ room, price }),
      phrases: ["set [the] price of room {room} to {price} [euros]", "room {room} costs {price} [euros]"],
      execute: ({ room, price }) => {
        calls.push(["SetPrice", { room, price }]);
        return change(room, { price });
      },
    }),
    defineTool({
      ...common,
      name: "NameRoom",
      description: "Gives a room another name",
      inputSchema: z.object({ room, name: z.string() }),
      phrases: ["name room {room} {name}"],
      execute: ({ room, name }) => {
        calls.push(["NameRoom", { room, name }]);
        return change(room, { name });
      },
    }),
    defineTool({
      ...common,
      name: "CleanRoom",
      description: "Has a room cleaned on a day",
      inputSchema: z.object({ room, cleaned: z.iso.date() }),
      phrases: ["clean room {room} {cleaned}"],
      execute: ({ room, cleaned }) => {
        calls.push(["CleanRoom", { room, cleaned }]);
        return change(room, { cleaned });
      },
    }),
  ] as readonly DefinedTool[];
}
