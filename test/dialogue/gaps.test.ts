import { defineTool, type RunResult } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createTalkAgent } from "./talk-agent.ts";

function createFerry() {
  const bookings: { booking: number; name: string; cars: number; at: string }[] = [
    { booking: 7, name: "Halvorsen", cars: 2, at: "2026-11-27T08:00:00.000Z" },
  ];
  const booking = z.int().meta({ key: true });
  const output = z.object({ booking, name: z.string(), cars: z.int(), at: z.iso.datetime() });
  const tools = [
    defineTool({
      name: "ListCrossings",
      description: "Lists the crossings.",
      inputSchema: z.object({}),
      outputSchema: z.array(output),
      effect: "pure",
      phrases: ["(show|list) [the] crossings"],
      execute: () => bookings,
    }),
    defineTool({
      name: "BookCrossing",
      description: "Books a crossing.",
      inputSchema: z.object({ name: z.string(), cars: z.int().min(1), at: z.iso.datetime() }),
      outputSchema: output,
      effect: "once",
      phrases: ["book [a] crossing for {name} with {cars} cars {at}"],
      execute: (input) => {
        const made = { booking: 8 + bookings.length, ...input };
        bookings.push(made);
        return made;
      },
    }),
  ];
  return { ...createTalkAgent({ tools }), bookings };
}

const questionsOf = async (said: readonly string[], say: (line: string) => Promise<RunResult>) => {
  const asked: (string | undefined)[] = [];
  for (const line of said)
    asked.push((await say(line)).pending?.map((item) => "message" in item && item.message).join());
  return asked;
};

it.each<[said: readonly string[], asked: readonly (string | undefined)[], made: object]>([
  [
    ["I need a crossing for Dahl", "three", "tomorrow at 9am"],
    ["Which cars?", "When?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-27T09:00:00.000Z" },
  ],
  [
    ["crossing for Dahl please", "tomorrow at 9am", "three"],
    ["Which cars?", "Which cars?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-27T09:00:00.000Z" },
  ],
  [
    ["new crossing for Dahl", "three cars, tomorrow at 9am"],
    ["Which cars?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-27T09:00:00.000Z" },
  ],
  [
    ["crossing for Dahl with 3 cars on saturday", "at 9:30"],
    ["At what time on Sat 28 Nov?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-28T09:30:00.000Z" },
  ],
  [
    ["crossing for Dahl with 3 cars", "on sunday", "noon"],
    ["When?", "At what time on Sun 29 Nov?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-29T12:00:00.000Z" },
  ],
  [
    ["a crossing with 3 cars tomorrow", "and who is on it", "Dahl", "8am"],
    ["Which name?", undefined, "At what time on Fri 27 Nov?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-27T08:00:00.000Z" },
  ],
  [
    ["a crossing on saturday", "for Dahl", "3", "at 9"],
    ["Which name?", "Which cars?", "At what time on Sat 28 Nov?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-28T09:00:00.000Z" },
  ],
  [
    ["a crossing on saturday", "Dahl, three cars", "9"],
    ["Which name?", "At what time on Sat 28 Nov?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-28T09:00:00.000Z" },
  ],
  [
    ["a crossing for Dahl tomorrow evening", "they are three", "half past 7"],
    ["Which cars?", "At what time on Fri 27 Nov in the evening?", undefined],
    { name: "Dahl", cars: 3, at: "2026-11-27T19:30:00.000Z" },
  ],
  [
    ['a crossing for "Dahl ${q1}"', "2", "monday at 10am"],
    ["Which cars?", "When?", undefined],
    { name: "Dahl ${q1}", cars: 2, at: "2026-11-30T10:00:00.000Z" },
  ],
  [
    // No crossing is for 0 cars, and no february has 31 days.
    ["a crossing for Dahl", "0", "2", "31 february at 9am", "28 february at 9am"],
    ["Which cars?", undefined, "When?", undefined, undefined],
    { name: "Dahl", cars: 2, at: "2027-02-28T09:00:00.000Z" },
  ],
  [
    // None of these says the time, and what was said before stays.
    [
      "a crossing for Dahl with 3 cars",
      "8",
      "7 or 8 pm tomorrow",
      "two hours later",
      "any day but sunday at 9",
      "sunday at 9",
    ],
    ["When?", undefined, undefined, undefined, undefined, undefined],
    { name: "Dahl", cars: 3, at: "2026-11-29T09:00:00.000Z" },
  ],
  [
    // Of these only the last one says how many, and "at 7" says the time.
    ["a crossing for Dahl on sunday", "the 5th", "at 7", "four or five", "30 euros", "not three", "4"],
    ["Which cars?", undefined, "Which cars?", undefined, undefined, undefined, undefined],
    { name: "Dahl", cars: 4, at: "2026-11-29T07:00:00.000Z" },
  ],
])("%j asks for what is lacking, one value after the other", async (said, asked, made) => {
  const { say, bookings } = createFerry();
  expect(await questionsOf(said, say)).toEqual(asked);
  expect(bookings.slice(1)).toEqual([{ booking: 9, ...made }]);
});

it.each([
  "the crossing for Dahl is late",
  "we booked a crossing for Dahl",
  "no crossing for Dahl",
  "if Dahl comes, book a crossing",
  "is there a crossing for Dahl?",
  "crossings for Dahl",
  "is there a crossing for Dahl",
  "Dahl has a crossing",
  "take Dahl off the crossing",
  "a crossing for Dahl, maybe",
  "a crossing for Dahl any day but sunday",
  "a crossing for more than four",
  "look at the crossing for Dahl",
])("%j asks for no value", async (line) => {
  const { say, bookings } = createFerry();
  expect((await say(line)).pending ?? []).toEqual([]);
  expect(bookings).toHaveLength(1);
});

it("a question in between is answered, and something else ends the booking", async () => {
  const { say, bookings } = createFerry();
  await say("crossing for Dahl");
  expect((await say("list the crossings")).text).toContain("Halvorsen");
  await say("two");
  expect((await say("never mind")).status).toBe("cancelled");
  expect((await say("tomorrow at 9am")).status).toBe("failed");
  expect(bookings).toHaveLength(1);
});
