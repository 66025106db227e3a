import { readFileSync } from "node:fs";
import { defineTool, explainRequest } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { readRange } from "../../src/dates/read-range.ts";

// A Wednesday.
const clock = { nowMs: Date.UTC(2026, 10, 25, 12), timeZone: "UTC" };

it.each([
  ["overdue", { to: "2026-11-25T12:00:00+00:00" }],
  ["today", { from: "2026-11-25", to: "2026-11-25" }],
  ["due tomorrow", { from: "2026-11-26", to: "2026-11-26" }],
  ["this friday", { from: "2026-11-27", to: "2026-11-27" }],
  ["friday next week", { from: "2026-12-04", to: "2026-12-04" }],
  ["this week", { from: "2026-11-23", to: "2026-11-29" }],
  ["in the next week", { from: "2026-11-30", to: "2026-12-06" }],
  ["over the weekend", { from: "2026-11-28", to: "2026-11-29" }],
  ["this month", { from: "2026-11-01", to: "2026-11-30" }],
  ["next year", { from: "2027-01-01", to: "2027-12-31" }],
  ["in november", { from: "2026-11-01", to: "2026-11-30" }],
  ["in october", { from: "2027-10-01", to: "2027-10-31" }],
  ["in december 2027", { from: "2027-12-01", to: "2027-12-31" }],
  ["in the next 3 days", { from: "2026-11-25", to: "2026-11-28" }],
  ["the next two weeks", { from: "2026-11-25", to: "2026-12-09" }],
  ["last 7 days", { from: "2026-11-18", to: "2026-11-25" }],
  ["within 3 days", { from: "2026-11-25", to: "2026-11-28" }],
  ["by friday", { to: "2026-11-27" }],
  ["due no later than friday", { to: "2026-11-27" }],
  ["before friday", { to: "2026-11-26" }],
  ["before next week", { to: "2026-11-29" }],
  ["until the end of next week", { to: "2026-12-06" }],
  ["after friday", { from: "2026-11-28" }],
  ["from friday", { from: "2026-11-27" }],
  ["before 5pm tomorrow", { to: "2026-11-26T17:00:00+00:00" }],
  ["between monday and friday", { from: "2026-11-30", to: "2026-12-04" }],
  ["from 5 to 9 december", { from: "2026-12-05", to: "2026-12-09" }],
  ["since monday", { from: "2026-11-23" }],
  ["since november 1", { from: "2026-11-01" }],
  ["last october", { from: "2026-10-01", to: "2026-10-31" }],
  ["in october last year", { from: "2025-10-01", to: "2025-10-31" }],
  ["in the past 3 months", { from: "2026-08-25", to: "2026-11-25" }],
  ["this quarter", { from: "2026-10-01", to: "2026-12-31" }],
  ["in q3 2026", { from: "2026-07-01", to: "2026-09-30" }],
  ["after monday but before friday", { from: "2026-12-01", to: "2026-12-03" }],
])("reads %s", (text, limits) => {
  const sentence = `show what is ${text}, please`;
  expect(readRange(sentence, clock)).toEqual({ start: 13, end: 13 + text.length, ...limits });
});

it.each([
  ..."milk|5pm tomorrow|tonight|by next month|the week|before 30 february|december sales|next weekly".split("|"),
])("reads no range in %s", (text) => expect(readRange(text, clock)).toBeUndefined());

it("takes the first of several, and the day of the zone", () => {
  const late = { nowMs: Date.UTC(2026, 10, 25, 23, 30), timeZone: "Asia/Kathmandu" };
  expect(readRange("due today or next week", late)).toMatchObject({ from: "2026-11-26", to: "2026-11-26" });
  expect(readRange("add milk", late)).toBeUndefined();
});

it.each([
  ["in october", "2026-10-01", "2026-10-31"],
  ["on monday", "2026-11-23", "2026-11-23"],
  ["from 5 to 9 december", "2025-12-05", "2025-12-09"],
  ["in q4", "2026-10-01", "2026-12-31"],
  ["in december", "2025-12-01", "2025-12-31"],
])("reads %s in the past", (text, from, to) => {
  expect(readRange(`what did we sell ${text}`, clock, { isPast: true })).toMatchObject({ from, to });
});

const sales = defineTool({
  name: "Sales",
  description: "Sales of some days",
  inputSchema: z.object({ when: z.string().meta({ slot: "range" }) }),
  effect: "pure",
  phrases: ["sales {when}"],
  execute: () => null,
});

const page = readFileSync("docs/dates.md", "utf8");
const rows = [...page.slice(page.indexOf("## Ranges")).matchAll(/^\| (`.*) \| (.*) \|$/gm)];
const codesIn = (cell: string | undefined) => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const ranges = rows.flatMap(([, said, texts]) => {
  const expected = codesIn(texts);
  return codesIn(said).map((words, index) => [words, expected[index] ?? ""] as const);
});

describe("docs/dates.md", () => {
  it("has examples of ranges", () => expect(ranges.length).toBeGreaterThanOrEqual(10));

  it.each(ranges)("says how %s is read", async (said, text) => {
    const nowMs = Date.parse("2026-11-24T09:00:00Z");
    const { steps } = await explainRequest({
      request: `sales ${said}`,
      tools: [sales],
      nowMs,
      timeZone: "Europe/Berlin",
    });
    const now = "2026-11-24T10:00:00+01:00";
    expect(steps?.map(({ input }) => input)).toEqual([{ when: text === "../" ? `../${now}` : text }]);
  });
});
