import type { ParsedResult } from "chrono-node/en";
import { countPending } from "../async/pending-work.ts";
import { nextDate, saidWeekday, weekdayInWeek, whichOf } from "./calendar.ts";
import type { PartOfDay, Piece } from "./piece.ts";
import { dayNumber } from "./zoned-time.ts";

/** Finds in a text what says a day or a time, or a part of one. */
export type FindPieces = (text: string, today: number) => readonly Piece[];

/**
 * Loads the library that knows the many ways to write dates and times. Only fields are taken from it: days and hours it
 * would count with the clock of the machine.
 */
export async function loadChronoPieces(): Promise<FindPieces> {
  const { casual, Chrono } = await countPending(import("chrono-node/en"));
  // Its refiners join, move and drop what its parsers find, as we do by other rules.
  const library = new Chrono({ parsers: casual.parsers, refiners: [] });
  return (text, today) => library.parse(text, reference).flatMap((result) => toPieces(result, today));
}

/** "Tomorrow" is taken as the distance from this day, near which no machine's clock changes. */
const reference = new Date(2001, 0, 15, 12);

/** Where something stands without the preposition that the library counts as a part of it, and signs after it. */
interface Found {
  readonly start: number;
  readonly end: number;
  /** In lower case. */
  readonly text: string;
  readonly from: ParsedResult["start"];
  readonly to: ParsedResult["end"];
}

function toPieces(result: ParsedResult, today: number): readonly Piece[] {
  const before = /^[\s,(（]*(?:(?:on|at|from|in)(?=[\s\d])\s*)?/i.exec(result.text)?.[0].length ?? 0;
  const text = result.text.slice(before).replace(/[\s,)）?]+$/, "");
  const start = result.index + before;
  const place = { start, end: start + text.length };
  const found: Found = { ...place, text: text.toLowerCase(), from: result.start, to: result.end ?? undefined };
  if (found.from.isCertain("day")) return dayPieces(found, today);
  // A month alone is not a day.
  if (found.from.isCertain("month")) return [];
  if (found.from.isCertain("weekday")) return weekdayPiece(found, today);
  return found.from.isCertain("hour") ? timePiece(found) : partPiece(found);
}

const dayWord = /^(?:today|tonight|tomorrow|tmrw?|overmorrow|yesterday)$/;
const monthName = /(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;

/** Days that are named, not counted: "in 3 days" and "end of the month" are ours. */
function dayPieces(found: Found, today: number): readonly Piece[] {
  const { start, end, text } = found;
  if (dayWord.test(text)) {
    const day = today + field(found, "day") - reference.getDate();
    return [{ kind: "day", said: "word", start, end, day, ...(text === "tonight" && { part: "night" as const }) }];
  }
  if (/^\d{4}/.test(text)) return writtenDate(found);
  // Neither 5/3/2027, which is in March or in May, nor the end of a month.
  return monthName.test(text) && !text.includes("month") ? namedDate(found, today) : [];
}

/** The largest offset of a zone from UTC, in minutes. */
const maxOffset = 14 * 60;

/** "2027-03-05", also with a time and an offset from UTC. */
function writtenDate(found: Found): readonly Piece[] {
  const { start, end, from } = found;
  const [written = "", , month] = /^\d{4}([-/.])(\d\d?)\1\d\d?(?!\d)/.exec(found.text) ?? [];
  const day = dayNumber(field(found, "year"), field(found, "month") - 1, field(found, "day"));
  // It reads 2027-28-02 as the 28th of February.
  if (day === undefined || Number(month) !== field(found, "month")) return [];
  // It would turn 18:60 into 19:00.
  const isTime = field(found, "hour") < 24 && field(found, "minute") < 60 && field(found, "second") < 60;
  if (!isTime || Math.abs(field(found, "timezoneOffset")) > maxOffset) return [];
  if (from.isCertain("timezoneOffset")) return [{ kind: "instant", start, end, ms: from.date().getTime() }];
  const date: Piece = { kind: "day", said: "date", hasYear: true, start, end: start + written.length, day };
  return from.isCertain("hour") ? [date, ...timePiece({ ...found, start: date.end + 1 })] : [date];
}

/** "5 march", "Mar. 5th, 2027"; of days that no month has, none. */
function namedDate(found: Found, today: number): readonly Piece[] {
  const { start, from, to } = found;
  // What follows may be a year, or count something else: "5 march 10 eggs".
  const cut = /[\s,/-]+(?!(?:19|20)\d\d$)\d{2,4}$/.exec(found.text);
  const isOtherNumber = from.isCertain("year") && cut !== null;
  const hasYear = from.isCertain("year") && !isOtherNumber;
  if (hasYear && !/(?:19|20)\d\d$/.test(found.text)) return [];
  const month = field(found, "month") - 1;
  const toDay = (date: number) =>
    hasYear ? dayNumber(field(found, "year"), month, date) : nextDate(month, date, today);
  const day = toDay(field(found, "day"));
  const last = to?.get("day") ?? undefined;
  const lastDay = last === undefined ? undefined : toDay(last);
  if (day === undefined || (last !== undefined && (lastDay === undefined || lastDay < day))) return [];
  const end = isOtherNumber ? found.end - cut[0].length : found.end;
  return [{ kind: "day", said: "date", hasYear, start, end, day, ...(lastDay !== undefined && { lastDay }) }];
}

function weekdayPiece(found: Found, today: number): readonly Piece[] {
  const { start, end, text } = found;
  const which = whichOf(text);
  const hasModifier = /\b(?:last|past|next|this)\b/.test(text);
  if (text.includes("weekday") || /^(?:last|past|next|this)(?!\s)/.test(text)) return [];
  const weekday = field(found, "weekday");
  const said = hasModifier || text.includes("day") ? "weekday" : "short-weekday";
  // "Tuesday this week" may be over.
  const weeks = { last: -1, this: 0, next: 1 }[which];
  const isOfWeek = /week$/.test(text);
  const day = isOfWeek ? weekdayInWeek(weekday, today + 7 * weeks) : saidWeekday(weekday, which, today);
  return [{ kind: "day", said, start, end, weekday, day }];
}

function timePiece(found: Found): readonly Piece[] {
  const { start, end, text, from, to } = found;
  const hour = field(found, "hour");
  // "3 a" and "7 p" are no times.
  if (hour > 23 || /\d\s*[ap]$/.test(text)) return [];
  const isNamed = /^(?:noon|midday|midnight)$/.test(text);
  const isClear = isNamed || /[ap]\.?m|clock|night|morning|afternoon/.test(text);
  const said = isClear ? "clear" : /[:：]/.test(text) ? "digits" : "bare";
  const isExact = isNamed || from.isCertain("meridiem") || text.startsWith("0");
  const seconds = hour * 3600 + field(found, "minute") * 60 + field(found, "second");
  const last = to === undefined ? undefined : (to.get("hour") ?? 0) * 3600 + (to.get("minute") ?? 0) * 60;
  return [
    {
      ...{ kind: "time", said, start, end, seconds, isExact },
      ...(isNamed && { named: hour === 0 ? ("midnight" as const) : ("noon" as const) }),
      ...(last !== undefined && { lastSeconds: last }),
    },
  ];
}

function partPiece({ start, end, text }: Found): readonly Piece[] {
  const part = parts.find((name) => text.endsWith(name));
  return part === undefined ? [] : [{ kind: "part", start, end, part, isToday: text.startsWith("this") }];
}

const parts: readonly PartOfDay[] = ["morning", "afternoon", "evening", "night"];

function field({ from }: Found, name: Parameters<ParsedResult["start"]["get"]>[0]): number {
  return from.get(name) ?? 0;
}
