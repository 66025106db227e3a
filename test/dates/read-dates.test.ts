import { describe, expect, it } from "vitest";
import { maxDateText } from "../../src/dates/date-words.ts";
import { type FalseDate, readDates as read } from "../../src/dates/read-dates.ts";
import { weekdays } from "../../src/english/word-classes.ts";

// A Wednesday; 13:00 in Berlin.
const nowMs = Date.UTC(2026, 10, 25, 12);
const clock = { nowMs, timeZone: "UTC" };
const berlin = { nowMs, timeZone: "Europe/Berlin" };

/** The one thing that is read in a text: its words, and what they say. */
function only(text: string, at = clock) {
  const readings = read(text, at);
  expect(readings, text).toHaveLength(1);
  const [{ start, end, date, dateTime } = { start: 0, end: 0, date: "" }] = readings;
  return { words: text.slice(start, end), said: dateTime?.slice(0, 16) ?? date };
}

describe("days", () => {
  it.each([
    ["today", "2026-11-25"],
    ["tomorrow", "2026-11-26"],
    ["the day after tomorrow", "2026-11-27"],
    ["yesterday", "2026-11-24"],
    ["friday", "2026-11-27"],
    ["wednesday", "2026-12-02"],
    ["this friday", "2026-11-27"],
    ["next friday", "2026-12-04"],
    ["next tuesday", "2026-12-01"],
    ["next fri", "2026-12-04"],
    ["sunday", "2026-11-29"],
    ["next week", "2026-12-02"],
    ["in 3 days", "2026-11-28"],
    ["in a week", "2026-12-02"],
    ["in two weeks", "2026-12-09"],
    ["march 5", "2027-03-05"],
    ["March the 5th", "2027-03-05"],
    ["5 march", "2027-03-05"],
    ["5.3.2027", "2027-03-05"],
    ["the 5th of march 2028", "2028-03-05"],
    ["december 24, 2026", "2026-12-24"],
    ["sept 1", "2027-09-01"],
    ["dec 1st", "2026-12-01"],
    ["november 25", "2026-11-25"],
    ["2027-02-28", "2027-02-28"],
    ["february 29", "2028-02-29"],
  ])("reads %s as the words of a phrase do", (text, date) => {
    expect(only(text)).toEqual({ words: text, said: date });
  });

  it.each([
    ["tmrw", "2026-11-26"],
    ["overmorrow", "2026-11-27"],
    ["the day before yesterday", "2026-11-23"],
    ["last friday", "2026-11-20"],
    ["last wednesday", "2026-11-18"],
    ["the coming friday", "2026-11-27"],
    ["this weekend", "2026-11-28"],
    ["friday next week", "2026-12-04"],
    ["next week friday", "2026-12-04"],
    ["tuesday this week", "2026-11-24"],
    ["next week on tues", "2026-12-01"],
    ["Fri 27 Nov", "2026-11-27"],
    ["tues 1 dec", "2026-12-01"],
    ["monday, 30 november", "2026-11-30"],
    ["30 november, monday", "2026-11-30"],
    ["friday the 4th", "2026-12-04"],
    ["THE DAY AFTER TOMORROW", "2026-11-27"],
    ["the first of january", "2027-01-01"],
    ["the twenty-first of december", "2026-12-21"],
    ["Nov. 30", "2026-11-30"],
    ["may the 4th, 2027", "2027-05-04"],
    ["5 march, 2027", "2027-03-05"],
    ["2027/03/05", "2027-03-05"],
    ["in a fortnight", "2026-12-09"],
    ["in a week's time", "2026-12-02"],
    ["in two weeks' time", "2026-12-09"],
    ["in a couple of days", "2026-11-27"],
    ["within 3 days", "2026-11-28"],
    ["in three months", "2027-02-25"],
    ["in half a year", "2027-05-25"],
    ["in a year and a half", "2028-05-25"],
    ["in ninety days", "2027-02-23"],
    ["in sixty days", "2027-01-24"],
    ["2 days from now", "2026-11-27"],
    ["3 days ago", "2026-11-22"],
    ["a week from friday", "2026-12-04"],
    ["a week on monday", "2026-12-07"],
    ["two weeks today", "2026-12-09"],
    ["3 weeks from tomorrow", "2026-12-17"],
    ["two days before friday", "2026-11-25"],
    ["next month", "2026-12-25"],
    ["next year", "2027-11-25"],
    ["end of the week", "2026-11-29"],
    ["the end of next week", "2026-12-06"],
    ["end of the month", "2026-11-30"],
    ["end of next month", "2026-12-31"],
    ["the end of march", "2027-03-31"],
    ["end of november", "2026-11-30"],
    ["end of february 2028", "2028-02-29"],
    ["end of the year", "2026-12-31"],
    ["eow", "2026-11-29"],
    ["eom", "2026-11-30"],
    ["eoy", "2026-12-31"],
    ["eod", "2026-11-25"],
    ["end of day", "2026-11-25"],
    ["end of day friday", "2026-11-27"],
    ["friday eod", "2026-11-27"],
    ["the 15th of next month", "2026-12-15"],
  ])("reads %s", (text, date) => {
    expect(only(text)).toEqual({ words: text, said: date });
  });

  it.each([
    ["by the 3rd", "the 3rd", "2026-12-03"],
    ["on the 21st", "the 21st", "2026-12-21"],
    ["before the 25th", "the 25th", "2026-11-25"],
    ["due on the 31st", "the 31st", "2026-12-31"],
    ["by 1st", "1st", "2026-12-01"],
    ["on fri", "fri", "2026-11-27"],
    ["by the weekend", "the weekend", "2026-11-28"],
  ])("reads %s, which needs the preposition", (text, words, date) => {
    expect(only(text)).toEqual({ words, said: date });
    expect(read(words, clock)).toEqual([]);
  });

  it("counts the days of a month that has fewer", () => {
    const january = { nowMs: Date.UTC(2027, 0, 31, 12), timeZone: "UTC" };
    expect(only("in a month", january).said).toBe("2027-02-28");
    expect(only("on the 30th", january).said).toBe("2027-03-30");
    expect(read("the 31st of next month", january)).toEqual([]);
  });

  it("takes the day of the zone, not of UTC or of the machine", () => {
    const late = Date.UTC(2026, 10, 25, 23, 30);
    expect(only("tomorrow", { nowMs: late, timeZone: "Asia/Kathmandu" }).said).toBe("2026-11-27");
    expect(only("tomorrow", { nowMs: late, timeZone: "America/New_York" }).said).toBe("2026-11-26");
    expect(only("by the 25th", { nowMs: late, timeZone: "Asia/Kathmandu" }).said).toBe("2026-12-25");
  });
});

describe("times", () => {
  it.each([
    ["tomorrow at 5pm", "2026-11-26T17:00"],
    ["tonight at 8", "2026-11-25T20:00"],
    ["8pm tonight", "2026-11-25T20:00"],
    ["quarter to nine tomorrow", "2026-11-26T08:45"],
    ["twenty past nine tonight", "2026-11-25T21:20"],
    ["tomorrow at twenty-five past six", "2026-11-26T18:25"],
    ["tomorrow at ten to five", "2026-11-26T16:50"],
    ["tomorrow at forty-five", undefined],
    ["tomorrow at eight thirty", "2026-11-26T08:30"],
    ["tomorrow at five", "2026-11-26T17:00"],
    ["monday 9:30", "2026-11-30T09:30"],
    ["5 march at 10", "2027-03-05T10:00"],
    ["2027-03-05 18:00", "2027-03-05T18:00"],
    ["2027-03-05T18:00:30", "2027-03-05T18:00"],
    ["friday, 5 p.m.", "2026-11-27T17:00"],
    ["friday 4 december 2026, 9am", "2026-12-04T09:00"],
    ["6:45 a.m. on monday", "2026-11-30T06:45"],
    ["14.30 tomorrow", undefined],
    ["in 2 days at 5pm", "2026-11-27T17:00"],
    ["friday at half past six pm", "2026-11-27T18:30"],
    ["5 o'clock tomorrow morning", "2026-11-26T05:00"],
    ["this evening at 7", "2026-11-25T19:00"],
    ["tomorrow afternoon at 2", "2026-11-26T14:00"],
    ["tomorrow evening at 19:30", "2026-11-26T19:30"],
    ["tomorrow morning at 12:15", "2026-11-26T00:15"],
    ["friday night at 1", "2026-11-28T01:00"],
    ["friday night at 12", "2026-11-28T00:00"],
    ["mon 9:30", "2026-11-30T09:30"],
    ["tomorrow@5pm", "2026-11-26T17:00"],
    ["tomorrow at noon", "2026-11-26T12:00"],
    ["tomorrow 5pm", "2026-11-26T17:00"],
  ])("reads %s", (text, said) => {
    if (said === undefined) expect(read(text, clock)[0]?.dateTime, text).toBeUndefined();
    else expect(only(text)).toEqual({ words: text, said });
  });

  it.each([
    ["at 5 tomorrow", "5 tomorrow", "2026-11-26T17:00"],
    ["at 14.30 tomorrow", "14.30 tomorrow", "2026-11-26T14:30"],
    ["at 8 in the evening", "8 in the evening", "2026-11-25T20:00"],
    ["at five tomorrow", "five tomorrow", "2026-11-26T17:00"],
    ["at 9 this evening", "9 this evening", "2026-11-25T21:00"],
    ["from 3pm tomorrow", "3pm tomorrow", "2026-11-26T15:00"],
    ["tomorrow 5pm CET", "tomorrow 5pm CET", "2026-11-26T16:00"],
  ])("reads %s", (text, words, said) => expect(only(text)).toEqual({ words, said }));

  it("takes the next such time if no day was said", () => {
    expect(only("half past nine am").said).toBe("2026-11-26T09:30");
    expect(only("13:15").said).toBe("2026-11-25T13:15");
    expect(only("noon").said).toBe("2026-11-26T12:00");
    expect(only("5am").said).toBe("2026-11-26T05:00");
    expect(only("5pm").said).toBe("2026-11-25T17:00");
  });

  it("ends a day with midnight", () => {
    expect(only("midnight").said).toBe("2026-11-26T00:00");
    expect(only("tonight at midnight").said).toBe("2026-11-26T00:00");
    expect(only("midnight on friday").said).toBe("2026-11-28T00:00");
  });

  it.each([
    ["friday morning", "2026-11-27T09:00", "morning"],
    ["tomorrow afternoon", "2026-11-26T15:00", "afternoon"],
    ["this evening", "2026-11-25T19:00", "evening"],
    ["tonight", "2026-11-25T21:00", "night"],
    ["tomorrow night", "2026-11-26T21:00", "night"],
  ])("has an hour for %s, and says that it is ours", (text, said, partOfDay) => {
    expect(only(text)).toEqual({ words: text, said });
    expect(read(text, clock)[0]?.partOfDay).toBe(partOfDay);
  });

  it("has no hour for a part of today that is over", () => {
    expect(only("this morning").said).toBe("2026-11-25");
    expect(only("tonight", { ...clock, nowMs: Date.UTC(2026, 10, 25, 22) }).said).toBe("2026-11-25");
  });

  it("counts hours from now, days by the calendar", () => {
    const at = (text: string) => read(text, { nowMs: nowMs + 34_567, timeZone: "Europe/Berlin" })[0]?.dateTime;
    expect(at("in two hours")).toBe("2026-11-25T15:00:34+01:00");
    expect(at("in half an hour")).toBe("2026-11-25T13:30:34+01:00");
    expect(at("in an hour and a half")).toBe("2026-11-25T14:30:34+01:00");
    expect(at("in one and a half hours")).toBe("2026-11-25T14:30:34+01:00");
    expect(at("in a quarter of an hour")).toBe("2026-11-25T13:15:34+01:00");
    expect(at("in 20 min")).toBe("2026-11-25T13:20:34+01:00");
    expect(at("in 2h")).toBe("2026-11-25T15:00:34+01:00");
    expect(at("in 2 hours, 5 minutes")).toBe("2026-11-25T15:05:34+01:00");
    expect(at("an hour ago")).toBe("2026-11-25T12:00:34+01:00");
    expect(at("in 2 days and 3 hours")).toBe("2026-11-27T16:00:34+01:00");
    // Until the clocks change in the night: a day later is not 24 hours later.
    const before = { nowMs: Date.UTC(2027, 2, 27, 12), timeZone: "Europe/Berlin" };
    expect(read("in 24 hours", before)[0]?.dateTime).toBe("2027-03-28T14:00:00+02:00");
    expect(read("in a day and 1 hour", before)[0]?.dateTime).toBe("2027-03-28T14:00:00+02:00");
  });

  it("writes the offset of the zone at that time", () => {
    expect(read("tomorrow at 5pm", berlin)[0]?.dateTime).toBe("2026-11-26T17:00:00+01:00");
    expect(read("5 july at 5pm", berlin)[0]?.dateTime).toBe("2027-07-05T17:00:00+02:00");
    expect(read("tomorrow at 5pm", { nowMs, timeZone: "Asia/Kathmandu" })[0]?.dateTime).toBe(
      "2026-11-26T17:00:00+05:45",
    );
    expect(read("tomorrow at 5pm", { nowMs, timeZone: "America/New_York" })[0]?.dateTime).toBe(
      "2026-11-26T17:00:00-05:00",
    );
    expect(read("tomorrow at 5pm", clock)[0]?.dateTime).toBe("2026-11-26T17:00:00+00:00");
  });

  it("moves an instant that was written with an offset into the zone", () => {
    expect(read("2027-03-05T23:30:00Z", berlin)).toMatchObject([
      { date: "2027-03-06", dateTime: "2027-03-06T00:30:00+01:00", start: 0, end: 20 },
    ]);
    expect(read("2027-03-05T18:00:00+05:30", berlin)[0]?.dateTime).toBe("2027-03-05T13:30:00+01:00");
  });

  it("moves a time that the clocks skip, and takes the first of two", () => {
    const at = (text: string, timeZone: string) => read(text, { nowMs, timeZone })[0]?.dateTime;
    expect(at("28 march 2027 at 02:30", "Europe/Berlin")).toBe("2027-03-28T03:30:00+02:00");
    expect(at("31 october 2027 at 02:30", "Europe/Berlin")).toBe("2027-10-31T02:30:00+02:00");
    expect(at("14 march 2027 at 02:30", "America/New_York")).toBe("2027-03-14T03:30:00-04:00");
    expect(at("7 november 2027 at 01:30", "America/New_York")).toBe("2027-11-07T01:30:00-04:00");
    expect(at("3 october 2027 at 02:10", "Australia/Lord_Howe")).toBe("2027-10-03T02:40:00+11:00");
  });

  it("reads a day that the zone skipped as the next one", () => {
    const apia = { nowMs: Date.UTC(2011, 11, 29, 22), timeZone: "Pacific/Apia" };
    expect(read("today", apia)[0]?.date).toBe("2011-12-29");
    expect(read("tomorrow", apia)[0]?.date).toBe("2011-12-31");
    expect(read("tomorrow at 5pm", apia)[0]?.dateTime).toBe("2011-12-31T17:00:00+14:00");
    expect(read("in 2 hours", apia)[0]?.dateTime).toBe("2011-12-29T14:00:00-10:00");
    expect(read("in 14 hours", apia)[0]?.dateTime).toBe("2011-12-31T02:00:00+14:00");
  });
});

describe("an hour of which nothing says more", () => {
  const hourAt = (text: string, hours: number) => only(text, { ...clock, nowMs: Date.UTC(2026, 10, 25, hours) }).said;

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])("is between 7:00 and 18:59 on another day: %i", (hour) => {
    const expected = hour < 7 ? hour + 12 : hour;
    expect(only(`friday at ${hour}`).said).toBe(`2026-11-27T${String(expected).padStart(2, "0")}:00`);
    expect(only(`friday at ${hour}:30`).said).toBe(`2026-11-27T${String(expected).padStart(2, "0")}:30`);
    expect(read(`friday at ${hour}`, clock)[0]?.isBareHour).toBe(true);
  });

  it("is the next one by day, or in the evening", () => {
    expect(hourAt("at 5", 9)).toBe("2026-11-25T17:00");
    expect(hourAt("at 11", 9)).toBe("2026-11-25T11:00");
    expect(hourAt("today at 8", 10)).toBe("2026-11-25T20:00");
    expect(hourAt("at 8", 10)).toBe("2026-11-25T20:00");
    expect(hourAt("at half past two", 16)).toBe("2026-11-26T14:30");
    expect(hourAt("at 3", 16)).toBe("2026-11-26T15:00");
  });

  it("is the next within twelve hours if it is night", () => {
    expect(hourAt("at 2", 23)).toBe("2026-11-26T02:00");
    expect(hourAt("at 7", 22)).toBe("2026-11-26T07:00");
    expect(hourAt("at 7", 6)).toBe("2026-11-25T07:00");
    expect(hourAt("at 2", 6)).toBe("2026-11-25T14:00");
  });

  it.each([
    ["dinner on friday at 8", "2026-11-27T20:00"],
    ["lunch on friday at 1", "2026-11-27T13:00"],
    ["breakfast on friday at 6", "2026-11-27T06:00"],
    ["friday evening at 7", "2026-11-27T19:00"],
    ["friday at 07:00", "2026-11-27T07:00"],
    ["friday at 0530", "2026-11-27T05:30"],
    ["friday 1530", "2026-11-27T15:30"],
    ["friday at 2am", "2026-11-27T02:00"],
    ["friday at 12 at night", "2026-11-27T00:00"],
    ["friday evening at 12", "2026-11-28T00:00"],
    ["friday at 12 midnight", "2026-11-28T00:00"],
    ["friday at 12 noon", "2026-11-27T12:00"],
  ])("is known where something says more: %s", (text, said) => {
    const [reading] = read(text, clock);
    expect(reading?.dateTime?.slice(0, 16)).toBe(said);
    expect(reading?.isBareHour).toBeUndefined();
  });
});

describe("lengths of time", () => {
  it.each([
    ["in 1h30", "2026-11-25T13:30"],
    ["in 2h15m", "2026-11-25T14:15"],
    ["in 1h 30m", "2026-11-25T13:30"],
    ["in 1 h 30 min", "2026-11-25T13:30"],
    ["in 90m", "2026-11-25T13:30"],
    ["in 0:45", "2026-11-25T12:45"],
    ["in 1:30", "2026-11-25T13:30"],
    ["in 1½ hours", "2026-11-25T13:30"],
    ["in 2d", "2026-11-27"],
    ["after 5 minutes", "2026-11-25T12:05"],
    ["2 hours later", "2026-11-25T14:00"],
    ["2 hours before 5pm", "2026-11-25T15:00"],
    ["10 minutes after 5pm tomorrow", "2026-11-26T17:10"],
    ["half an hour before midnight", "2026-11-25T23:30"],
    ["two days before christmas eve", "2026-12-22"],
    ["the week after next", "2026-12-07"],
  ])("are read: %s", (text, said) => expect(only(text)).toEqual({ words: text, said }));

  it.each([
    ["5 june next year", "2027-06-05"],
    ["june 5 next year", "2027-06-05"],
    ["next year july 1", "2027-07-01"],
    ["christmas eve next year", "2027-12-24"],
    ["the 5th next month", "2026-12-05"],
    ["end of june next year", "2027-06-30"],
    ["jan 10 this year", "2026-01-10"],
    ["10 jan 28", "2028-01-10"],
    ["5 june '27", "2027-06-05"],
  ])("and years, behind a date: %s", (text, said) => expect(only(`on ${text}`)).toEqual({ words: text, said }));
});

describe("the past", () => {
  it.each([
    ["on monday", "2026-11-23"],
    ["on wednesday", "2026-11-18"],
    ["on friday", "2026-11-20"],
    ["on 23 november", "2026-11-23"],
    ["on 3 december", "2025-12-03"],
    ["on the 20th", "2026-11-20"],
    ["on the 30th", "2026-10-30"],
    ["on christmas eve", "2025-12-24"],
    ["yesterday", "2026-11-24"],
    ["on 5 march 2028", "2028-03-05"],
    ["at 9am", "2026-11-25T09:00"],
    ["at 5pm", "2026-11-24T17:00"],
  ])("has the last such day: %s", (text, said) => {
    const [reading] = read(text, clock, { isPast: true });
    expect(reading?.dateTime?.slice(0, 16) ?? reading?.date).toBe(said);
  });
});

describe("ranges", () => {
  it.each([
    ["tomorrow 9:30-11:00", "2026-11-26T09:30:00+00:00", "2026-11-26T11:00:00+00:00"],
    ["3pm to 5pm tomorrow", "2026-11-26T15:00:00+00:00", "2026-11-26T17:00:00+00:00"],
    ["tomorrow from 10pm to 2am", "2026-11-26T22:00:00+00:00", "2026-11-27T02:00:00+00:00"],
    ["5 to 7 march", "2027-03-05", "2027-03-07"],
    ["march 5 - 7, 2028", "2028-03-05", "2028-03-07"],
    ["monday to friday", "2026-11-30", "2026-12-04"],
    ["20 december to 5 january", "2026-12-20", "2027-01-05"],
    ["tomorrow between 3pm and 5pm", "2026-11-26T15:00:00+00:00", "2026-11-26T17:00:00+00:00"],
  ])("reads both ends of %s", (text, from, until) => {
    const [reading] = read(text, clock);
    expect(text.slice(reading?.start, reading?.end)).toBe(text);
    expect(reading?.dateTime ?? reading?.date).toBe(from);
    expect(reading?.until?.dateTime ?? reading?.until?.date).toBe(until);
  });

  it.each([
    ["between monday and friday", "between", "2026-11-30", "2026-12-04"],
    ["after monday but before friday", "after", "2026-11-30", "2026-12-04"],
    ["after 3pm but before 5pm tomorrow", "after", "2026-11-26T15:00:00+00:00", "2026-11-26T17:00:00+00:00"],
    ["from 10pm until 2am", "from", "2026-11-25T22:00:00+00:00", "2026-11-26T02:00:00+00:00"],
  ])("reads %s as one range", (text, preposition, from, until) => {
    const readings = read(text, clock);
    expect(readings).toMatchObject([{ preposition, leadStart: 0, end: text.length }]);
    const [{ date, dateTime, until: end } = { date: "", dateTime: "", until: undefined }] = readings;
    expect([dateTime ?? date, end?.dateTime ?? end?.date]).toEqual([from, until]);
  });

  it("does not read what is moved from one day to another as a range", () => {
    expect(read("move it from monday to friday", clock).map(({ until }) => until)).toEqual([undefined, undefined]);
  });

  it("reads no range that ends before it begins", () => expect(read("7 to 5 march", clock)).toEqual([]));

  it("reads the second day alone where something is moved to it", () => {
    expect(read("move 24 to 23 december", clock).map(({ date, until }) => ({ date, until }))).toEqual([
      { date: "2026-12-23", until: undefined },
    ]);
  });
});

describe("sentences", () => {
  it.each([
    ["pay rent by friday", "by", "friday"],
    ["pay rent on the 1st of december", "on", "the 1st of december"],
    ["call at 5pm on friday", "at", "5pm on friday"],
    ["finish before next tuesday", "before", "next tuesday"],
    ["stay until the end of next week", "until", "the end of next week"],
    ["a report, due  by friday, 5pm, please", "due by", "friday, 5pm"],
    ["it is due Nov. 30", "due", "Nov. 30"],
    ["send it no later than midnight.", "no later than", "midnight"],
    ["meet @ 5pm", "at", "5pm"],
  ])("tells the preposition apart in %s", (text, preposition, words) => {
    const [reading] = read(text, clock);
    expect(reading?.preposition).toBe(preposition);
    expect(text.slice(reading?.start, reading?.end)).toBe(words);
    const lead = text.slice(reading?.leadStart, reading?.start);
    expect(lead.trim().replace(/\s+/g, " ").replace("@", "at")).toBe(preposition);
  });

  it("has no preposition where there is none", () => {
    const [reading] = read("buy milk tomorrow", clock);
    expect(reading).toEqual({ start: 9, end: 17, leadStart: 9, date: "2026-11-26" });
  });

  it("reads several, in order", () => {
    const text = "dinner 7pm saturday, then call mum by friday or monday; in two hours leave";
    expect(read(text, clock).map(({ start, end }) => text.slice(start, end))).toEqual([
      ...["7pm saturday", "friday", "monday", "in two hours"],
    ]);
  });

  it("takes marks of writing direction and narrow spaces for spaces", () => {
    expect(only("\u200Ftomorrow\u200F at\u00A05pm\u202C")).toMatchObject({ said: "2026-11-26T17:00" });
    expect(read("\u2067by friday\u2069", clock)).toMatchObject([{ start: 4, end: 10, preposition: "by" }]);
  });
});

describe("what is no date", () => {
  it.each([
    ..."2/3 of 90|5.30 kg|1/2 cup|march to the sea|march on|may I ask|you may go|may|second|wait a second".split("|"),
    ..."the second item|sun cream|sat down|the cat sat|mon ami|a wed cake|fri|sun|version 2.10.3|v1.2|$5.30".split("|"),
    ..."7 pm2 clusters|ISBN 978-3-16-148410-0|PROP-2025-001|PROP-2025-001-05|call +49 30 1234567|555-1234".split("|"),
    ..."buy 2 march magazines|room 12|add 5 and 7|5 minutes of fame|ratio 3:2|score 2-1|chapter 3.14|3 a|5 p".split(
      "|",
    ),
    ..."at 5 degrees|from 3 to 5|4 days of rain|january sales|friday's child|tomorrow's party|1.5 hours".split("|"),
    ..."192.168.1.10|2025 budget|in march|a second opinion|a day in the life|half the price|take 2 h nap".split("|"),
    ..."24/7 support|9/11 memorial|5/3/2027|5.3.27|2027-13-05|2027-28-02|2027-02-30|31 june".split("|"),
    ..."february 30 2027|29 february 2027|at 25:00|at 24:00|at 9:75|the 5th|the 5th todo|on the 3rd floor".split("|"),
    ..."read The Day After Tomorrow|every friday|each monday|black friday|mid-march|non-friday|éfriday|fridayé|größmarch 5|today/tomorrow".split(
      "|",
    ),
    ..."2026-11-22T18:00+24:00|2026-11-22 18:00+01:00|2026-11-22T18:00:00.123456789+05:30|pastfriday".split("|"),
    ..."how many hours are there in a week|how many days in 3 weeks|Thu Jan 15 12:00:00 2026".split("|"),
    ..."march 5 miles|buy a midnight snack|buy 9 evening dresses|good morning|movie night|last week|this week".split(
      "|",
    ),
    ..."order mar 10 cartridge|the friday after next|friday week|now|in 5 seconds|1800|10,30 pm2".split("|"),
    ..."in 1.5 months|a weekday|12,5 march|the month of sundays|5 to 6 eggs|ten to five people|on sun deck".split("|"),
    ..."read christmas eve|buy christmas cards|2026-11-22T24:00Z|2026-11-22T18:60Z|5 march 27th street|end of story".split(
      "|",
    ),
  ])("finds none in %s", (text) => {
    if (/^5 march 27th/.test(text)) expect(text.slice(0, read(text, clock)[0]?.end)).toBe("5 march");
    else expect(read(text, clock)).toEqual([]);
  });

  it("does not join a weekday and a date that is another", () => {
    expect(only("friday the 13th").words).toBe("friday");
    expect(read("friday 28 november", clock)).toEqual([]);
  });

  it("leaves a number after a date alone", () => {
    expect(only("on 5 march 10 eggs").words).toBe("5 march");
    expect(only("5 march 2 eggs").words).toBe("5 march");
    expect(only("buy tomorrow 5 eggs").words).toBe("tomorrow");
    expect(only("buy 8 tonight").words).toBe("tonight");
    expect(only("the cat sat at 5pm").words).toBe("5pm");
  });
});

describe("what people type", () => {
  it.each([
    ["call at 9 a.m.", "9 a.m.", "2026-11-26T09:00"],
    ["meet Lee at 10 a.m. tomorrow", "10 a.m. tomorrow", "2026-11-26T10:00"],
    ["tomorrow 14h30", "tomorrow 14h30", "2026-11-26T14:30"],
    ["call at 17h tomorrow", "17h tomorrow", "2026-11-26T17:00"],
    ["tomorrow at half 2", "tomorrow at half 2", "2026-11-26T14:30"],
    ["at half two this afternoon", "half two this afternoon", "2026-11-25T14:30"],
    ["tomorrow morning at half 9", "tomorrow morning at half 9", "2026-11-26T09:30"],
    ["move it to Fri 4/12 11:30", "Fri 4/12 11:30", "2026-12-04T11:30"],
    ["pay by 25/12", "25/12", "2026-12-25"],
    ["25/12/2026", "25/12/2026", "2026-12-25"],
    ["12/25/2026", "12/25/2026", "2026-12-25"],
    ["pay rent tomorow", "tomorow", "2026-11-26"],
    ["2moro morning", "2moro morning", "2026-11-26T09:00"],
    ["wensday 5pm", "wensday 5pm", "2026-12-02T17:00"],
    ["next firday", "next firday", "2026-12-04"],
    ["on thurs", "thurs", "2026-11-26"],
    ["weds 5pm", "weds 5pm", "2026-12-02T17:00"],
    ["tonite at 8", "tonite at 8", "2026-11-25T20:00"],
    ["buy a sundae on tusday", "tusday", "2026-12-01"],
    ["at five thirty pm", "five thirty pm", "2026-11-25T17:30"],
    ["on the fifteenth", "the fifteenth", "2026-12-15"],
    ["the last day of the month", "the last day of the month", "2026-11-30"],
    ["last day of february", "last day of february", "2027-02-28"],
    ["defrost it on Christmas Eve", "Christmas Eve", "2026-12-24"],
    ["christmas eve at 6pm", "christmas eve at 6pm", "2026-12-24T18:00"],
    ["before halloween", "halloween", "2027-10-31"],
    ["by new year's eve", "new year's eve", "2026-12-31"],
    ["on valentine's day 2028", "valentine's day 2028", "2028-02-14"],
    ["3 days before christmas", "3 days before christmas", "2026-12-22"],
    ["the next 3am", "the next 3am", "2026-11-26T03:00"],
    ["tonight at 3am", "tonight at 3am", "2026-11-26T03:00"],
    ["retro notes (Fri), please", "Fri", "2026-11-27"],
    ["tomorrow 5pm EST", "tomorrow 5pm EST", "2026-11-26T22:00"],
  ])("reads %s", (text, words, said) => expect(only(text)).toEqual({ words, said }));

  it.each([
    ..."buy sundaes|sundry items|mundane|monkey|tuesdays|saturate|a tomato|the fifteenth|half 2 pizzas|work 17h".split(
      "|",
    ),
    ..."split 80:20|read 1/2 of it|divide it by 1/2|cut 90 by 5|then split that by 2|ring 24/7|new year resolutions|for christmas".split(
      "|",
    ),
  ])("reads nothing in %s", (text) => {
    const found: unknown[] = [];
    expect(read(text, clock, { onFalse: (one) => found.push(one) })).toEqual([]);
    expect(found).toEqual([]);
  });

  it("takes one letter too few, too many, wrong or swapped in a long name of a day as that day or as none", () => {
    let unread = 0;
    for (const name of ["tomorrow", ...weekdays]) {
      const { said } = only(name);
      for (let at = 1; at < name.length - 2; at++) {
        const [before, letter = "", after] = [name.slice(0, at), name[at], name.slice(at + 1)];
        const swapped = before + after[0] + letter + after.slice(1);
        for (const wrong of [before + after, `${before}q${letter}${after}`, `${before}q${after}`, swapped]) {
          const readings = read(`on ${wrong}`, clock);
          if (readings.length === 0) unread++;
          else expect(readings, wrong).toMatchObject([{ start: 3, end: 3 + wrong.length, date: said }]);
        }
        expect(read(`on ${before}qq${letter}${after}`, clock)).toEqual([]);
      }
    }
    // "Tursday" is nearly a tuesday, too.
    expect(unread).toBe(1);
  });
});

describe("what looks like a date and is none", () => {
  it.each([
    ["renew it on 30 february", "impossible", "on 30 february"],
    ["7 to 5 march", "impossible", "7 to 5 march"],
    ["31 november", "impossible", "31 november"],
    ["on november 31st", "impossible", "on november 31st"],
    ["29 february 2027", "impossible", "29 february 2027"],
    ["on 2027-02-29", "impossible", "on 2027-02-29"],
    ["2027-13-05", "impossible", "2027-13-05"],
    ["call at 25:00", "impossible", "at 25:00"],
    ["at 9:75", "impossible", "at 9:75"],
    ["13pm", "impossible", "13pm"],
    ["call on friday the 13th", "impossible", "on friday the 13th"],
    ["fri 4/11", "impossible", "fri 4/11"],
    ["the 31st of next month, said in january", "impossible", "31st of next month"],
    ["pay by 4/12", "unclear", "by 4/12"],
    ["4/12/2027", "unclear", "4/12/2027"],
    ["friday next month", "unclear", "friday"],
    ["pay it in june next year", "unclear", "june next year"],
    ["call in 10-15 minutes", "unclear", "in 10-15 minutes"],
    ["tomorrow friday", "unclear", "tomorrow friday"],
    ["call in a few days", "unclear", "in a few days"],
    ["dentist first monday of january", "unclear", "first monday of january"],
    ["mid-december", "unclear", "mid-december"],
    ["early next week", "unclear", "early next week"],
    ["friday week", "unclear", "friday"],
    ["by easter", "unclear", "by easter"],
    ["5pm IST", "unclear", "5pm IST"],
    ["15 july at 5pm EST", "unclear", "15 july at 5pm EST"],
  ])("tells that %s is %s", (text, reason, words) => {
    const found: FalseDate[] = [];
    read(text, { nowMs: Date.UTC(2027, 0, 27, 12), timeZone: "UTC" }, { onFalse: (one) => found.push(one) });
    expect(found.map((one) => [one.reason, text.slice(one.leadStart, one.end)])).toEqual([[reason, words]]);
  });
});

/** Counts how often a regular expression is asked, and the characters that it is given. */
function countLooks(run: () => void): number {
  const { exec } = RegExp.prototype;
  let looks = 0;
  RegExp.prototype.exec = function count(text) {
    looks += 1 + Math.min(text.length, 64);
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return looks;
}

describe("long texts", () => {
  it("are not read beyond the limit", () => {
    const text = "add 5 and 7 on friday ".repeat(50_000);
    expect(read(text, clock)).toEqual([]);
    expect(read(`${"x".repeat(maxDateText - 9)} tomorrow`, clock)).toHaveLength(1);
  });

  it.each([
    ..."1|12 |1,|1:|12:30 |a |half a |in a |in 2 days and |a couple of |5 march |march the |by the 5th |end of the ".split(
      "|",
    ),
    ..."half past |one |at five |a week from |5pm |2027-03-05 |evening |@|no later than |every |9:30-11:00 ".split("|"),
    ..." |\t\n|\u200F|5 \u00A0 pm|march      |1 hour, ".split("|"),
  ])("are looked at a number of times that grows with their length: %j %j", (unit) => {
    const look = (length: number) => {
      const text = `today ${unit.repeat(length)}`.slice(0, length - 9);
      return countLooks(() => read(`${text} tomorrow`, clock));
    };
    expect(look(maxDateText)).toBeLessThan(12 * look(maxDateText / 10) + 1_000);
  });
});
