import { expect, it } from "vitest";
import { maxDateText, mayHoldDate } from "../../src/dates/date-words.ts";

it.each([
  ..."today|Tomorrow|by FRIDAY|next fri|on sat|5pm|at 5 p.m.|9:30|the 21st|2027-03-05|2027/3/5|in two hours".split("|"),
  ..."a week from now|3 days ago|in a fortnight|two weeks today|end of march|eod|half past eight|noon".split("|"),
  ..."5 march|march the 5th|the first of january|twenty-first of may|five o'clock|six pm|8 in the morning".split("|"),
  ..."1\nmarch|in\n2 hours|sat 9:30|tues 1 dec|this evening|in 2h|in a year's time".split("|"),
])("%j may hold a date", (text) => expect(mayHoldDate(text)).toBe(true));

it.each("add milk|go and see|buy milk and eggs|todayish|".split("|"))("%j holds none", (text) => {
  expect(mayHoldDate(text)).toBe(false);
});

it("a text that is too long holds none", () => {
  expect(mayHoldDate(`today ${"x".repeat(maxDateText)}`)).toBe(false);
});
