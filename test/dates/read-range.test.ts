import { expect, it } from "vitest";
import { readRange } from "../../src/dates/read-range.ts";

// A Wednesday.
const clock = { nowMs: Date.UTC(2026, 10, 25, 12), timeZone: "UTC" };

it.each([
  ["overdue", { before: "2026-11-25T12:00:00+00:00" }],
  ["today", { on: "2026-11-25" }],
  ["due tomorrow", { on: "2026-11-26" }],
  ["this friday", { on: "2026-11-27" }],
  ["friday next week", { on: "2026-12-04" }],
  ["this week", { after: "2026-11-22", before: "2026-11-30" }],
  ["in the next week", { after: "2026-11-29", before: "2026-12-07" }],
  ["over the weekend", { after: "2026-11-27", before: "2026-11-30" }],
  ["this month", { after: "2026-10-31", before: "2026-12-01" }],
  ["next year", { after: "2026-12-31", before: "2028-01-01" }],
  ["in november", { after: "2026-10-31", before: "2026-12-01" }],
  ["in october", { after: "2027-09-30", before: "2027-11-01" }],
  ["in december 2027", { after: "2027-11-30", before: "2028-01-01" }],
  ["in the next 3 days", { after: "2026-11-24", before: "2026-11-29" }],
  ["the next two weeks", { after: "2026-11-24", before: "2026-12-10" }],
  ["last 7 days", { after: "2026-11-17", before: "2026-11-26" }],
  ["within 3 days", { after: "2026-11-24", before: "2026-11-29" }],
  ["by friday", { before: "2026-11-28" }],
  ["due no later than friday", { before: "2026-11-28" }],
  ["before friday", { before: "2026-11-27" }],
  ["before next week", { before: "2026-11-30" }],
  ["until the end of next week", { before: "2026-12-07" }],
  ["after friday", { after: "2026-11-27" }],
  ["from friday", { after: "2026-11-26" }],
  ["before 5pm tomorrow", { before: "2026-11-26T17:00:00+00:00" }],
  ["between monday and friday", { after: "2026-11-29", before: "2026-12-05" }],
  ["from 5 to 9 december", { after: "2026-12-04", before: "2026-12-10" }],
  ["after monday but before friday", { after: "2026-11-30", before: "2026-12-04" }],
])("reads %s", (text, limits) => {
  const sentence = `show what is ${text}, please`;
  expect(readRange(sentence, clock)).toEqual({ start: 13, end: 13 + text.length, ...limits });
});

it.each([
  ..."milk|5pm tomorrow|tonight|by next month|since monday|the week|before 30 february|december sales|next weekly".split(
    "|",
  ),
])("reads no range in %s", (text) => expect(readRange(text, clock)).toBeUndefined());

it("takes the first of several, and the day of the zone", () => {
  const late = { nowMs: Date.UTC(2026, 10, 25, 23, 30), timeZone: "Asia/Kathmandu" };
  expect(readRange("due today or next week", late)).toMatchObject({ on: "2026-11-26" });
  expect(readRange("add milk", late)).toBeUndefined();
});
