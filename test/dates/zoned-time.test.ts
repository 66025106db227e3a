import { describe, expect, it } from "vitest";
import { addMonths, dayNumber, instantOf, isoDateTime, isoDay, wallTimeAt } from "../../src/dates/zoned-time.ts";

const at = (wall: string, timeZone: string) => isoDateTime(instantOf(Date.parse(`${wall}Z`), timeZone), timeZone);

describe("instantOf", () => {
  it.each([
    ["2026-11-24T17:00:00", "Europe/Berlin", "2026-11-24T17:00:00+01:00"],
    ["2026-07-24T17:00:00", "Europe/Berlin", "2026-07-24T17:00:00+02:00"],
    ["2026-11-24T17:00:00", "America/New_York", "2026-11-24T17:00:00-05:00"],
    ["2026-11-24T17:00:00", "Asia/Kathmandu", "2026-11-24T17:00:00+05:45"],
    ["2026-11-24T17:00:00", "UTC", "2026-11-24T17:00:00+00:00"],
    ["2026-11-24T17:00:00", "America/St_Johns", "2026-11-24T17:00:00-03:30"],
  ])("is when the clocks show %s in %s", (wall, zone, iso) => expect(at(wall, zone)).toBe(iso));

  it.each([
    ["2026-03-29T02:00:00", "Europe/Berlin", "2026-03-29T03:00:00+02:00"],
    ["2026-03-29T02:59:59", "Europe/Berlin", "2026-03-29T03:59:59+02:00"],
    ["2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T01:59:59+01:00"],
    ["2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T03:00:00+02:00"],
    ["2026-03-08T02:30:00", "America/New_York", "2026-03-08T03:30:00-04:00"],
    ["2026-10-04T02:10:00", "Australia/Lord_Howe", "2026-10-04T02:40:00+11:00"],
    ["2026-10-04T01:59:00", "Australia/Lord_Howe", "2026-10-04T01:59:00+10:30"],
    ["2011-12-30T12:00:00", "Pacific/Apia", "2011-12-31T12:00:00+14:00"],
    ["2011-12-30T00:00:00", "Pacific/Apia", "2011-12-31T00:00:00+14:00"],
    ["2026-09-06T00:30:00", "America/Santiago", "2026-09-06T01:30:00-03:00"],
  ])("moves %s, which %s skips near a change", (wall, zone, iso) => expect(at(wall, zone)).toBe(iso));

  it.each([
    ["2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T02:30:00+02:00"],
    ["2026-10-25T03:00:00", "Europe/Berlin", "2026-10-25T03:00:00+01:00"],
    ["2026-11-01T01:30:00", "America/New_York", "2026-11-01T01:30:00-04:00"],
    ["2026-04-05T01:45:00", "Australia/Lord_Howe", "2026-04-05T01:45:00+11:00"],
    ["2026-04-05T02:00:00", "Australia/Lord_Howe", "2026-04-05T02:00:00+10:30"],
  ])("is the earlier of the instants that show %s in %s", (wall, zone, iso) => expect(at(wall, zone)).toBe(iso));
});

it("wallTimeAt shows the clocks of many zones, also midnight and years before 1970", () => {
  expect(new Date(wallTimeAt(0, "UTC")).toISOString()).toBe("1970-01-01T00:00:00.000Z");
  expect(new Date(wallTimeAt(-1, "UTC")).toISOString()).toBe("1969-12-31T23:59:59.000Z");
  const offsets = Array.from({ length: 15 }, (_, index) => `Etc/GMT${index === 0 ? "" : `-${index}`}`);
  for (const [index, zone] of [...offsets, ...offsets].entries()) {
    expect(wallTimeAt(0, zone), zone).toBe((index % 15) * 3_600_000);
  }
  for (const zone of Intl.supportedValuesOf("timeZone").slice(0, 60))
    expect(Math.abs(wallTimeAt(0, zone) % 1000)).toBe(0);
  expect(() => wallTimeAt(0, "Nowhere/Town")).toThrow(RangeError);
});

it("days are those of the calendar", () => {
  const day = dayNumber(2028, 1, 29) ?? 0;
  expect(isoDay(day)).toBe("2028-02-29");
  expect(dayNumber(2027, 1, 29)).toBeUndefined();
  expect(isoDay(addMonths(day, 12))).toBe("2029-02-28");
  expect(isoDay(addMonths(day, -2))).toBe("2027-12-29");
  expect(isoDay(addMonths(dayNumber(2026, 11, 31) ?? 0, 2))).toBe("2027-02-28");
});
