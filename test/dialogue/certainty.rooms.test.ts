import { defineTool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createBuiltInTools, createTalkAgent } from "./talk-agent.ts";

/** Rooms with numbers, a state that a statement sets, and guests of whom two have one name. */
function createRooms() {
  const Room = z.object({ room: z.number().int(), guest: z.string(), state: z.string() });
  const rooms: z.infer<typeof Room>[] = [
    { room: 11, guest: "Moreau", state: "clean" },
    { room: 12, guest: "Haddad", state: "dirty" },
    { room: 13, guest: "Moreau", state: "dirty" },
  ];
  const changes: string[] = [];
  const change = (room: number, state: string) => {
    const found = rooms.find((each) => each.room === room);
    if (found === undefined) throw new Error(`There is no room ${room}.`);
    changes.push(`${room} ${state}`);
    return Object.assign(found, { state });
  };
  const state = z.enum(["clean", "dirty", "cancelled"]);
  const tools = [
    defineTool({
      name: "ListRooms",
      description: "Lists the rooms, those of a guest or in a state",
      inputSchema: z.object({ guest: z.string().optional(), state: state.optional() }),
      outputSchema: z.object({ rooms: z.array(Room) }),
      effect: "pure",
      phrases: ["show [the] rooms", "which rooms are {state}", "show [the] rooms of {guest}"],
      execute: (wanted) => ({
        rooms: rooms.filter(
          ({ guest, state }) => guest === (wanted.guest ?? guest) && state === (wanted.state ?? state),
        ),
      }),
    }),
    defineTool({
      name: "SetState",
      description: "Sets the state of a room",
      inputSchema: z.object({ room: z.number().int(), state }),
      outputSchema: Room,
      effect: "idempotent",
      phrases: ["room {room} is {state} [now]", "set room {room} to {state}"],
      execute: ({ room, state }) => change(room, state),
    }),
    defineTool({
      name: "CancelRoom",
      description: "Cancels a room",
      inputSchema: z.object({ room: z.number().int() }),
      outputSchema: Room,
      effect: "once",
      phrases: ["cancel room {room}"],
      execute: ({ room }) => change(room, "cancelled"),
    }),
  ];
  return { ...createTalkAgent({ tools }), changes };
}

it.each(["room 11 is dirty?", "room 11 is dirty, right", "room 11 is dirty right?", "the haddad one is clean?"])(
  "%s changes nothing",
  async (line) => {
    const { say, changes } = createRooms();
    await say("show the rooms");
    await say(line);
    expect(changes).toEqual([]);
  },
);

it("room 11 is dirty changes its state", async () => {
  const { say, changes } = createRooms();
  await say("room 11 is dirty");
  await say("could you set room 12 to clean?");
  expect(changes).toEqual(["11 dirty", "12 clean"]);
});

it("looks for others of a name before a named thing is removed", async () => {
  const { say, changes } = createRooms();
  await say("which rooms are clean");
  await say("set room 12 to clean");
  const asked = await say("cancel moreau");
  expect(changes).toEqual(["12 clean"]);
  expect(asked.text).toMatch(/^Which one\?\n1 .*\b11\b.*\n2 .*\b13\b/);
  await say("cancel haddad");
  expect(changes).toEqual(["12 clean", "12 cancelled"]);
});

it.each([
  ["a list that shows it", "show the rooms", "cancel haddad", 1],
  ["a search for its name", "show the rooms of Haddad; set room 12 to clean", "cancel haddad", 1],
  ["no list", "set room 12 to clean", "cancel haddad", 2],
])("after %s, a named thing is removed", async (_, before, line, steps) => {
  const { say, changes } = createRooms();
  for (const each of before.split("; ")) await say(each);
  expect((await say(line)).steps).toHaveLength(steps);
  expect(changes.at(-1)).toBe("12 cancelled");
});

it.each(["same in 13", "same for room 13", "same for 13 please"])(
  "%s: the number is no state of this room",
  async (line) => {
    const { say, changes } = createRooms();
    await say("set room 12 to clean");
    await say(line);
    expect(changes).toEqual(["12 clean"]);
  },
);

it("undo that behind a question only withdraws the question", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add milk to the party list");
  await say("add milk to the work list");
  expect((await say("delete milk")).status).toBe("suspended");
  expect((await say("undo that")).status).toBe("cancelled");
  expect((await say("show todo")).text).toContain("2 open todos");
});

it.each([
  ["delete the party one", ["party hats", "party food"]],
  ["tick off the flower thing", ["buy flowers"]],
])("%s asks for the todos most like it", async (line, titles) => {
  const { agent, say } = createTalkAgent({ tools: createBuiltInTools() });
  for (const title of ["party hats", "party food", "buy flowers"])
    await agent.run(`add "${title}"`, { thread: "before" });
  const { text = "", status } = await say(line);
  expect(status).toBe("suspended");
  for (const title of titles) expect(text).toContain(title);
});

it("and … one adds nothing", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("add eggs to the shopping list");
  const { steps } = await say("and wipes on the party one");
  expect(steps.filter(({ status }) => status === "completed")).toEqual([]);
});

it.each([
  "cancel room 12, never mind",
  "cancel room 12, no",
  "cancel room 12 just not today",
  "cancel room 12, when Bob is back",
  "when Bob is back, cancel room 12",
  "cancel room 12 but later",
  "cancel room 12, I hope",
])("%s is not done unasked", async (line) => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  await say(line);
  expect(changes).toEqual([]);
});

it.each(["cancel room 12, thanks", "cancel room 12, the guest has left"])("%s is done", async (line) => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  await say(line);
  expect(changes).toEqual(["12 cancelled"]);
});

it.each([
  "the one by the haddad one",
  "the one after the haddad one",
  "before the haddad one",
  "it must not be haddad",
  "not haddad",
])("%s does not say which room to cancel", async (line) => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  expect((await say("cancel a room")).status).toBe("suspended");
  await say(line);
  expect(changes).toEqual([]);
});

it("a room of that name is the answer", async () => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  await say("cancel a room");
  await say("the haddad one, please");
  expect(changes).toEqual(["12 cancelled"]);
});

it.each(["cancel it", "cancel that room", "cancel the first one"])(
  "%s means nothing after a look-up that found nothing",
  async (line) => {
    const { say, changes } = createRooms();
    await say("show the rooms of Haddad");
    expect((await say("show the rooms of Zoe")).status).toBe("completed");
    await say(line);
    expect(changes).toEqual([]);
  },
);

it.each(["one of them is clean", "some of them are clean"])("%s asks which", async (line) => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  expect((await say(line)).status).toBe("suspended");
  await say("all but the first");
  expect(changes).toEqual([]);
});

it("undo twice does not make the change again", async () => {
  const { say, changes } = createRooms();
  await say("show the rooms");
  await say("room 12 is clean");
  await say("undo that");
  await say("undo that");
  expect(changes).toEqual(["12 clean", "12 dirty"]);
});

/** Messages to rooms, of which the text is asked for. */
function createMessages() {
  const sent: string[] = [];
  const message = defineTool({
    name: "MessageRoom",
    description: "Sends a message to a room",
    inputSchema: z.object({ room: z.number().int(), message: z.string().meta({ slot: "message" }) }),
    outputSchema: z.object({ room: z.number().int() }),
    effect: "once",
    phrases: ["message room {room}", "message room {room} : {message}"],
    execute: ({ room, message }) => {
      sent.push(message);
      return { room };
    },
  });
  return { ...createTalkAgent({ tools: [message] }), sent };
}

it.each(["the lift is off", "the lift is off, please take the stairs"])(
  "%s is a message as it stands",
  async (text) => {
    const { say, sent } = createMessages();
    expect((await say("message room 12")).status).toBe("suspended");
    await say(text);
    expect(sent).toEqual([text]);
  },
);

it.each(["no lift tomorrow", "wait", "let me see", "oh wrong one", "hm", "don't send anything", "sorry wrong room"])(
  "%s is no message",
  async (text) => {
    const { say, sent } = createMessages();
    expect((await say("message room 12")).status).toBe("suspended");
    await say(text);
    expect(sent).toEqual([]);
  },
);

it("same for Mia sends no other text", async () => {
  const { say, sent } = createMessages();
  await say("message room 12: the lift is off");
  await say("same for Mia");
  expect(sent.filter((text) => text !== "the lift is off")).toEqual([]);
});

it.each(["and whats 20 percent of it", "and how about the garage"])("%s repeats no change", async (line) => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  await say("take a note that the code of the boiler is 4471");
  const { steps } = await say(line);
  expect(steps.filter(({ tool, status }) => tool === "Notes" && status === "completed")).toEqual([]);
});
