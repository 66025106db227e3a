import { defineTool, type RunResult, type Tool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createRooms } from "./rooms.ts";
import { createBuiltInTools, createTalkAgent } from "./talk-agent.ts";

const app = createRooms();
const list = "list the rooms";

/** Says the lines in a new thread; the calls are those of the last line. */
async function talk(...lines: readonly string[]) {
  app.reset();
  const { agent, say } = createTalkAgent({ tools: app.tools });
  let last: RunResult | undefined;
  for (const line of lines) {
    app.calls.length = 0;
    last = await say(line);
  }
  return { ...(last as RunResult), agent, calls: [...app.calls] };
}

type Calls = readonly (readonly [string, object])[];
const seats = (room: number, count: number) => ["SetSeats", { room, seats: count }] as const;
const price = (room: number, euros: number) => ["SetPrice", { room, price: euros }] as const;
const move = (room: number, from: string) => ["MoveRoom", { room, from: `2026-11-${from}:00.000Z` }] as const;
const letLoft = (from: string) => ["LetRoom", { name: "Loft", seats: 6, from: `2026-11-${from}:00.000Z` }] as const;
const loft = "let Loft for 6 people tomorrow at 6pm";
const close = (room: number) => ["CloseRoom", { room }] as const;

it.each<[how: string, lines: readonly string[], calls: Calls]>([
  ["a name", [list, "set the attic to 5 seats"], [seats(12, 5)]],
  ["words of a name", [list, "set the hall to 5 seats"], [seats(13, 5)]],
  ["a whole name that another one begins with", [list, "set the garden to 5 seats"], [seats(11, 5)]],
  ["a pronoun", [list, "set the attic to 5 seats", "close it"], [close(12)]],
  ["what was created", ["let Loft for 6 people tomorrow at 6pm", "set it to 7 seats"], [seats(15, 7)]],
  ["a place", [list, "set the second one to 5 seats"], [seats(12, 5)]],
  ["the last place", [list, "close the last one"], [close(14)]],
  ["a place and the kind", [list, "close the third room"], [close(13)]],
  ["both", ["is there a room called garden", "set both to 6 seats"], [seats(11, 6), seats(13, 6)]],
  ["both of them", ["is there a room called garden", "close both of them"], [close(11), close(13)]],
  ["the others", [list, "close the attic", "close the others"], [close(11), close(13), close(14)]],
  ["the same again", [list, "set the price of the attic to 45", "same for the cellar"], [price(14, 45)]],
  ["the same but", [list, "move the attic to 8pm", "same for the garden, but at nine"], [move(11, "26T21:00")]],
  ["another value", [list, "set the price of the attic to 45", "no, 50"], [price(12, 50)]],
  ["another value, and no place", [list, "set the attic to 3 seats", "no 4"], [seats(12, 4)]],
  ["another time", [list, "move the attic to 8pm", "no, 6pm"], [move(12, "26T18:00")]],
  ["a value that should be", [list, "set the attic to 5 seats", "it should be 7"], [seats(12, 7)]],
  ["another time of what was created", ["let Loft for 6 people tomorrow at 6pm", "no, 8pm"], [move(15, "27T20:00")]],
  ["an hour", [loft, "at 7"], [move(15, "27T19:00")]],
  ["an unknown name, looked up first", ["close Cellar"], [close(14)]],
  ["an unknown name that is told, and a pronoun", ["the cellar is flooded, close it"], [close(14)]],
  [
    "a name that is told, and a pronoun",
    [list, "set the hall to 5 seats", "the cellar is wet, so close it"],
    [close(14)],
  ],
  [
    "the others of two changes",
    [list, "close the attic", "close the cellar", "close the others"],
    [close(11), close(13)],
  ],
  ["a value, and one that is denied", [list, "set the attic to 5 seats, not 4"], [seats(12, 5)]],
  ["a mistyped opening", [list, "set the attic to 3 seats", "actualy 6"], [seats(12, 6)]],
  ["long letters", [list, "set the attic to 3 seats", "nooo, 6"], [seats(12, 6)]],
  ["letters in the wrong order", [list, "close teh attic"], [close(12)]],
  ["the creation again", [loft, "same for saturday"], [letLoft("28T18:00")]],
  ["the creation again, as it was corrected", [loft, "no, 8pm", "same for saturday"], [letLoft("28T20:00")]],
  ["where it was", [list, "set the price of the attic to 9", "put the attic back to where it was"], [price(12, 25)]],
  ["another thing than meant", [list, "set the hall to 5 seats", "no, the cellar"], [seats(13, 60), seats(14, 5)]],
  ["a place by its number", [list, "set number two to 5 seats"], [seats(12, 5)]],
  ["a place that a line begins with", [list, "the second has 5 seats"], [seats(12, 5)]],
  ["a tool's own undo", [list, "set the attic to 5 seats", "undo that"], [["undo", { room: 12, seats: 4 }]]],
  ["what was before, without one", [list, "set the price of the attic to 9", "undo that"], [price(12, 25)]],
  [
    "one of several",
    [list, "set the attic to 5 seats", "set the cellar to 6 seats", "undo the attic"],
    [["undo", { room: 12, seats: 4 }]],
  ],
])("refers by %s", async (_, lines, calls) => {
  expect((await talk(...lines)).calls).toEqual(calls);
});

it.each<[how: string, lines: readonly string[]]>([
  ["a name that nothing has", ["close Pool"]],
  ["both of four", [list, "set both to 5 seats"]],
  ["a place behind the last one", [list, "close the fifth one"]],
  ["what is gone", [list, "close the attic", "bring it back"]],
  ["two things at once", [list, "set the price of the attic to the cellar"]],
  ["a condition", [list, "close the attic unless it rains"]],
  ["a name that nothing has, and a pronoun", [list, "set the attic to 5 seats", "Pool it was, kindly close it"]],
  ["a pronoun that is a name that nothing has", [list, "set the attic to 5 seats", "it was Pool, close it"]],
  ["somebody who is called, or a name that nothing has", [list, "set the attic to 5 seats", "Pool, close it"]],
  ["thanks", [list, "set the attic to 5 seats", "thanks, that is great"]],
  ["a past", [list, "did you close the attic?"]],
  ["all that there is for today", [loft, "that will be all for today"]],
  ["what is told of something unknown", [list, "set the hall to 5 seats", "the pool is flooded, close it"]],
  ["what somebody did to something unknown", [list, "set the hall to 5 seats", "I paid the invoice, close it"]],
  ["another one of a number", [list, "set the attic to 3 seats", "and a 5 for her as well"]],
  ["a request within a name", [loft, "and cancel the boat"]],
  ["a name that may be two", [loft, "same for her sister, Mrs Mori, but on saturday"]],
  ["a field that is named", [loft, "same for saturday, name is Walsh"]],
])("changes nothing by %s", async (_, lines) => {
  expect((await talk(...lines)).calls).toEqual([]);
});

it("says that nothing fits an unknown name, and asks if several do", async () => {
  const none = await talk("set Pool to 9 seats");
  expect([none.status, none.text?.split("\n")[0]]).toEqual(["completed", "Nothing fits what you named."]);
  app.reset(["Blue", "Blue", "Red", "Green"]);
  const { say } = createTalkAgent({ tools: app.tools });
  const several = await say("close Blue");
  expect(several.pending).toMatchObject([{ kind: "question", options: [{ id: "11" }, { id: "12" }] }]);
  expect(app.calls).toEqual([]);
  const [first, second] = several.pending?.[0]?.kind === "question" ? (several.pending[0].options ?? []) : [];
  expect(first?.description).not.toBe(second?.description);
  await say("the second one");
  expect(app.calls).toEqual([close(12)]);
});

it.each<[lines: readonly string[], text: string | RegExp]>([
  [[list, "set the attic to 5 seats", "did you change the attic?"], /^Yes: room 12: Attic, seats 5/],
  [[list, "set the attic to 5 seats", "did you change the cellar?"], /^No: room 14: Cellar, seats 12/],
  [[list, "what is the price of the attic?"], /^Room 12: Attic, seats 4, price 25/],
  [["let Loft for 6 people", "why did you ask?"], "Because the request did not say."],
  [
    ["is there a room called garden", "close it", "why did you ask"],
    "Because more than one fits: Garden; Garden hall.",
  ],
  [["why did you ask?"], "I have not asked anything."],
  [["thank you so much"], "You’re welcome."],
  [["never mind"], "All right."],
  [["undo that"], "There is nothing to undo."],
  [[list, "close the attic", "undo that"], "That cannot be undone."],
  [["let Loft for 6 people", "never mind"], "All right, leaving it as it is."],
])("answers %j", async (lines, text) => {
  const { text: said, calls } = await talk(...lines);
  expect(said).toMatch(text);
  expect(calls).toEqual([]);
});

it("shows where a value comes from", async () => {
  const { plan, agent } = await talk(list, "close the second one");
  const { runs } = await agent.listRuns({ thread: "talk" });
  expect(plan?.source.read).toEqual([
    {
      stepId: "s1",
      path: ["room"],
      said: "the second one",
      text: "room 12: Attic",
      from: { runId: runs[1]?.runId, stepId: "s1", path: ["rooms", 1, "room"] },
    },
  ]);
});

it("never has a sealed value in a text, a question or a thing", async () => {
  const lines = [list, "what is the code of the attic?", "set Zanzibar to 5 seats", "close it", "why did you ask?"];
  for (let count = 1; count <= lines.length; count++) {
    const { text, pending, plan, calls } = await talk(...lines.slice(0, count));
    expect(JSON.stringify([text, pending, plan?.source.read])).not.toMatch(/key-\d|sealed/);
    expect(calls).toEqual([]);
  }
});

const sums: readonly (readonly [line: string, value: number])[] = [
  ["12 * 3", 36],
  ["times 2", 72],
  ["plus 10", 82],
  ["divided by 4", 20.5],
  ["round it", 21],
];
it("goes on with the last result", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  for (const [line, value] of sums) expect([line, (await say(line)).output]).toMatchObject([line, { value }]);
});

it("asks before it empties a list that is only pointed to", async () => {
  const { say } = createTalkAgent({ tools: createBuiltInTools() });
  const left = async () =>
    ((await say("show the camping list")).output as { readonly todos: readonly unknown[] }).todos;
  await say("add gas to the camping list");
  await say("add pegs to the camping list");
  await say("add milk");
  expect(await left()).toHaveLength(2);
  const asked = await say("empty that list");
  expect(asked.pending).toMatchObject([
    { kind: "question", display: "confirm", message: expect.stringMatching(/^Really .*camping/) },
  ]);
  await say("no");
  expect(await left()).toHaveLength(2);
  await say("empty that list");
  await say("yes");
  expect(await left()).toHaveLength(0);
  // An empty list is not the list of everything.
  await say("empty that list");
  expect((await say("show my list")).text).toContain("milk");
});

it("knows a thing by the key that its schema marks", async () => {
  const done: unknown[] = [];
  const plot = z.string();
  const tools: readonly Tool[] = [
    defineTool({
      name: "ShowPlots",
      description: "Shows the plots",
      inputSchema: z.object({}),
      outputSchema: z.object({
        plots: z.array(z.object({ id: z.number(), mark: plot.meta({ key: true }), crop: z.string() })),
      }),
      effect: "pure",
      phrases: ["show [the] plots"],
      execute: () => ({
        plots: [
          { id: 1, mark: "${s1.id}", crop: "beans" },
          { id: 2, mark: "B-7", crop: "leeks" },
        ],
      }),
    }),
    defineTool({
      name: "WaterPlot",
      description: "Waters a plot",
      inputSchema: z.object({ mark: plot }),
      effect: "idempotent",
      phrases: ["water {mark}"],
      execute: ({ mark }) => {
        done.push(mark);
        return null;
      },
    }),
  ];
  const { say } = createTalkAgent({ tools });
  await say("show the plots");
  await say("water the second one");
  await say("water the first one");
  expect(done).toEqual(["B-7", "${s1.id}"]);
});
