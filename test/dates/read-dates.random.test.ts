import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { mayHoldDate } from "../../src/dates/date-words.ts";
import { readDates as read } from "../../src/dates/read-dates.ts";
import { months, weekdays } from "../../src/english/word-classes.ts";

const zones = [
  ...["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC"],
  ...["America/Santiago", "America/St_Johns", "Asia/Tokyo"],
];
const clocks = fc.record({
  nowMs: fc.integer({ min: Date.UTC(2008, 0), max: Date.UTC(2035, 0) }),
  timeZone: fc.constantFrom(...zones),
});
const pad = (value: number) => String(value).padStart(2, "0");

/** What the clocks of the zone show, by another formatter than the one under test. */
function shown(ms: number, timeZone: string): string {
  return new Date(ms).toLocaleString("sv-SE", { timeZone }).replace(" ", "T");
}

/** All instants at which the clocks show a time; all the zones are some quarters of an hour from UTC. */
function instantsOf(wall: string, timeZone: string): readonly number[] {
  const quarters = Array.from({ length: 4 * 27 }, (_, index) => Date.parse(`${wall}Z`) - (index - 48) * 900_000);
  return quarters.filter((ms) => shown(ms, timeZone) === wall).sort((one, other) => one - other);
}

const dates = fc.record({
  year: fc.integer({ min: 2008, max: 2037 }),
  month: fc.integer({ min: 0, max: 11 }),
  day: fc.integer({ min: 1, max: 28 }),
});
const dateWays: readonly ((date: { year: number; month: number; day: number }) => string)[] = [
  ({ year, month, day }) => `${day} ${months[month]} ${year}`,
  ({ year, month, day }) => `${months[month]} ${day}, ${year}`,
  ({ year, month, day }) => `the ${day}th of ${months[month]?.slice(0, 3)} ${year}`,
  ({ year, month, day }) => `${months[month]} the ${day}, ${year}`,
  ({ year, month, day }) => `${year}-${pad(month + 1)}-${pad(day)}`,
];
const timeWays: readonly ((hour: number, minute: number) => string)[] = [
  (hour, minute) => `${pad(hour)}:${pad(minute)}`,
  (hour, minute) => `${hour % 12 || 12}:${pad(minute)}${hour < 12 ? "am" : " p.m."}`,
];
const frames = fc.constantFrom(["", ""], ["call mum on ", ""], ["pay the rent (", "), please"], ["Meet ", " and eat."]);

/** Days near those on which the clocks of a zone change, as well as any. */
const anyDate = fc.oneof(
  dates,
  fc.constantFrom(
    ...[
      [2026, 2, 29],
      [2026, 9, 25],
      [2026, 2, 8],
      [2026, 10, 1],
      [2026, 9, 4],
      [2026, 3, 5],
      [2011, 11, 30],
    ].map(([year = 0, month = 0, day = 0]) => ({ year, month, day })),
  ),
);

it("a date and time shows exactly the fields that were said, in the zone", () => {
  fc.assert(
    fc.property(
      ...([clocks, anyDate, fc.constantFrom(...dateWays), fc.constantFrom(...timeWays)] as const),
      ...([fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), frames, fc.boolean()] as const),
      (clock, date, writeDate, writeTime, hour, minute, [before = "", after = ""], isTimeFirst) => {
        const time = writeTime(hour, minute);
        const phrase = isTimeFirst ? `${time} on ${writeDate(date)}` : `${writeDate(date)} at ${time}`;
        const text = before + phrase + after;
        const readings = read(text, clock);
        expect(readings.map(({ start, end }) => text.slice(start, end))).toEqual([phrase]);
        const dateTime = readings[0]?.dateTime ?? "";
        const wall = `${date.year}-${pad(date.month + 1)}-${pad(date.day)}T${pad(hour)}:${pad(minute)}:00`;
        const ms = Date.parse(dateTime);
        const [earliest] = instantsOf(wall, clock.timeZone);
        // The offset that is written is that of the zone.
        expect(shown(ms, clock.timeZone)).toBe(dateTime.slice(0, 19));
        expect(readings[0]?.date).toBe(dateTime.slice(0, 10));
        if (earliest === undefined) {
          // Skipped: as late after the change as it was said to be.
          const gap = Date.parse(`${dateTime.slice(0, 19)}Z`) - Date.parse(`${wall}Z`);
          expect([1_800_000, 3_600_000, 86_400_000]).toContain(gap);
        } else {
          expect(ms).toBe(earliest);
        }
      },
    ),
    { numRuns: 400 },
  );
});

it("distances are elapsed time for hours, and days of the calendar for days", () => {
  fc.assert(
    fc.property(clocks, fc.integer({ min: 1, max: 400 }), fc.boolean(), (clock, count, isAgo) => {
      const say = (unit: string) => (isAgo ? `${count} ${unit} ago` : `in ${count} ${unit}`);
      const sign = isAgo ? -1 : 1;
      const inHours = read(say("hours"), clock)[0]?.dateTime ?? "";
      expect(Date.parse(inHours)).toBe(Math.floor(clock.nowMs / 1000) * 1000 + sign * count * 3_600_000);
      const today = Date.parse(shown(clock.nowMs, clock.timeZone).slice(0, 10));
      const day = new Date(today + sign * count * 86_400_000).toISOString().slice(0, 10);
      const wasSkipped = clock.timeZone === "Pacific/Apia" && day === "2011-12-30";
      expect(read(say("days"), clock)[0]?.date).toBe(wasSkipped ? "2011-12-31" : day);
    }),
  );
});

it("a weekday is the next one after today, next of it that of the week after this one", () => {
  fc.assert(
    fc.property(clocks, fc.integer({ min: 0, max: 6 }), (clock, weekday) => {
      fc.pre(clock.timeZone !== "Pacific/Apia");
      const today = Date.parse(shown(clock.nowMs, clock.timeZone).slice(0, 10)) / 86_400_000;
      const monday = today - ((new Date(today * 86_400_000).getUTCDay() + 6) % 7);
      const dayOf = (text: string) => Date.parse(read(text, clock)[0]?.date ?? "") / 86_400_000;
      const name = weekdays[weekday] ?? "";
      const plain = dayOf(name);
      expect(new Date(plain * 86_400_000).getUTCDay()).toBe(weekday);
      expect(plain - today).toBeGreaterThan(0);
      expect(plain - today).toBeLessThan(8);
      expect(dayOf(`next ${name}`)).toBe(monday + 7 + ((weekday + 6) % 7));
      expect(dayOf(`${name} this week`)).toBe(monday + ((weekday + 6) % 7));
    }),
  );
});

const piecesOfText = [
  ..."today|tomorrow|friday|sat|next|week|month|5|10|31|2027|march|may|the|3rd|at|on|by|pm|am|9:30|in|two|hours|days".split(
    "|",
  ),
  ..."tmrw|wensday|4/12|half 2|17h|christmas eve|between|after|but|before|fifteenth|EST|31|february".split("|"),
  ..."half|past|noon|midnight|tonight|morning|evening|end|of|eod|a|from|ago|and|,|-|:|/|to|buy|eggs|’s|\u200F|é|(|.".split(
    "|",
  ),
];

it("any text is read without an error, in order, without overlaps, and never where the cheap test says no", () => {
  fc.assert(
    fc.property(
      clocks,
      fc.array(fc.constantFrom(...piecesOfText), { maxLength: 14 }),
      fc.boolean(),
      (clock, words, isGlued) => {
        const text = words.join(isGlued ? "" : " ");
        const readings = read(text, clock);
        let last = 0;
        for (const { start, end, leadStart, date, dateTime } of readings) {
          expect(leadStart).toBeGreaterThanOrEqual(last);
          expect(start).toBeGreaterThanOrEqual(leadStart);
          expect(end).toBeGreaterThan(start);
          expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
          if (dateTime !== undefined) expect(dateTime.slice(0, 10)).toBe(date);
          // What was read is a date on its own, too, with what is before it.
          expect(mayHoldDate(text.slice(leadStart, end)), text).toBe(true);
          last = end;
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

const ownZone = process.env.TZ;
afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
});

it("what is read does not depend on the zone of the machine", () => {
  const phrases = ["tomorrow", "in two hours", "in 36 hours", "next friday", "today at 2:30", "end of the month"];
  const readAt = (zone: string) => {
    process.env.TZ = zone;
    const hours = Array.from({ length: 200 }, (_, index) => Date.UTC(2026, 2, 1) + index * 5 * 3_600_000);
    return hours.map((nowMs) => phrases.map((phrase) => read(phrase, { nowMs, timeZone: "Asia/Kathmandu" })));
  };
  const expected = readAt("UTC");
  for (const zone of ["Europe/Berlin", "America/New_York", "Pacific/Apia"]) {
    expect(readAt(zone)).toEqual(expected);
    expect(new Date(0).getTimezoneOffset()).not.toBe(0);
  }
});
