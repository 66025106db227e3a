import { expect, it } from "vitest";
import { sayDate } from "../../src/dates/say-date.ts";

it.each([
  ["2026-11-26", "UTC", "Thu 26 Nov"],
  ["2027-01-02", "UTC", "Sat 2 Jan 2027"],
  ["2026-11-26T18:30:00Z", "UTC", "Thu 26 Nov 18:30"],
  ["2026-11-26T18:30:00Z", "Europe/Berlin", "Thu 26 Nov 19:30"],
  ["2026-11-26T23:30:00.123Z", "Europe/Berlin", "Fri 27 Nov 00:30"],
  ["2026-12-31T23:30:00Z", "Europe/Berlin", "Fri 1 Jan 2027 00:30"],
  ["2026-11-26T19:00+01:00", "UTC", "Thu 26 Nov 18:00"],
  ["2026-11-26T19:00+01:00", undefined, "Thu 26 Nov 19:00"],
  ["2026-11-26T19:00", "Asia/Tokyo", "Thu 26 Nov 19:00"],
])("%s in %s is said as %s", (value, timeZone, text) => {
  expect(sayDate(value, { timeZone, year: 2026 })?.text).toBe(text);
});

it.each([
  "",
  "milk",
  "2026-02-30",
  "2026-13-01",
  "0026-01-01",
  "2026-11",
  "19:00",
  "2026-11-26T99:00:00Z",
  "2026-11-26 x",
])("%j is no date", (value) => {
  expect(sayDate(value, { timeZone: "UTC", year: 2026 })).toBeUndefined();
});
