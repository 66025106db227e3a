import { expect, it } from "vitest";
import { createRooms } from "./rooms.ts";
import { createTalkAgent } from "./talk-agent.ts";

async function talk(lines: readonly string[]) {
  const { tools, calls } = createRooms();
  const { say } = createTalkAgent({ tools });
  for (const line of lines) await say(line);
  return calls.at(-1);
}

it.each<[lines: readonly string[], tool: string, input: object]>([
  [["move the attic to 8"], "MoveRoom", { room: 12, from: "2026-11-26T20:00:00.000Z" }],
  [["move the garden hall to 8"], "MoveRoom", { room: 13, from: "2026-11-27T08:00:00.000Z" }],
  [["move the attic to Monday"], "MoveRoom", { room: 12, from: "2026-11-30T19:30:00.000Z" }],
  [["move the attic half an hour later"], "MoveRoom", { room: 12, from: "2026-11-26T20:00:00.000Z" }],
  [["move the attic half an hour earlier"], "MoveRoom", { room: 12, from: "2026-11-26T19:00:00.000Z" }],
  [["move the attic to 8", "make it half an hour later"], "MoveRoom", { room: 12, from: "2026-11-26T20:30:00.000Z" }],
  [["move the attic a week back"], "MoveRoom", { room: 12, from: "2026-12-03T19:30:00.000Z" }],
  [
    ["move the attic to Monday at 8pm", "move the cellar to the day after"],
    "MoveRoom",
    { room: 14, from: "2026-12-01T20:00:00.000Z" },
  ],
  [
    ["move the attic to Monday at 8pm", "and the cellar to the same day"],
    "MoveRoom",
    { room: 14, from: "2026-11-30T20:00:00.000Z" },
  ],
  [["clean the cellar 5 december", "clean it a day earlier"], "CleanRoom", { room: 14, cleaned: "2026-12-04" }],
  [["clean the cellar a week later"], "CleanRoom", { room: 14, cleaned: "2026-12-11" }],
])("%j", async (lines, tool, input) => {
  expect(await talk(["list the rooms", ...lines])).toEqual([tool, input]);
});

it.each(["clean it an hour later", "clean the attic half an hour later"])("a day has no hours: %s", async (line) => {
  expect(await talk(["list the rooms", "clean the cellar 5 december", line])).toEqual([
    "CleanRoom",
    { room: 14, cleaned: "2026-12-05" },
  ]);
});
