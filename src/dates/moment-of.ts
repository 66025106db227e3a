import type { Phrase } from "./join-pieces.ts";
import type { PartOfDay, TimePiece } from "./piece.ts";
import { instantOf, isoDateTime, isoDay, wallTimeAt } from "./zoned-time.ts";

const daySeconds = 86_400;
const dayMs = 1000 * daySeconds;

/** A day, or a time on it, in the time zone. */
export interface DateMoment {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** If a time was said: ISO 8601 with the zone's offset at that time, such as `2026-11-24T17:00:00+01:00`. */
  readonly dateTime?: string;
}

/** When and where dates are read. */
export interface Now {
  readonly nowMs: number;
  readonly timeZone: string;
  /** The day it is there, counted from 1970-01-01. */
  readonly today: number;
}

/** The hours that we take for parts of the day. */
const hours: Readonly<Record<PartOfDay, number>> = { morning: 9, afternoon: 15, evening: 19, night: 21 };

/** What a phrase says: its moment, when that ends, and the part of the day that its hour was taken from. */
export interface Said {
  readonly from: DateMoment;
  readonly until?: DateMoment;
  readonly partOfDay?: PartOfDay;
}

/** The moment that a phrase says. */
export function momentOf(phrase: Phrase, now: Now): Said {
  const { moment, time, day } = phrase;
  if (moment !== undefined) {
    const ms = moment.kind === "instant" ? moment.ms : startOf(moment.day, now) + moment.elapsedMs;
    return { from: at(ms, now) };
  }
  const part = phrase.part?.part ?? day?.part;
  const named = part === "end" ? undefined : part;
  if (time !== undefined) return timeOf(time, named, phrase, now);
  const said = day?.day ?? now.today;
  if (named !== undefined) {
    const ms = instantOf(said * dayMs + hours[named] * 3_600_000, now.timeZone);
    // "Tonight" at eleven: the day is meant, and no hour that is over.
    if (said !== now.today || ms > now.nowMs) return { from: at(ms, now), partOfDay: named };
  }
  const until = day?.lastDay === undefined ? undefined : wholeDay(day.lastDay, now);
  return { from: wholeDay(said, now), ...(until !== undefined && { until }) };
}

/** The instant at which the time of day is what it is now. */
function startOf(day: number, { nowMs, timeZone, today }: Now): number {
  return day === today ? nowMs : instantOf(wallTimeAt(nowMs, timeZone) + (day - today) * dayMs, timeZone);
}

function at(ms: number, { timeZone }: Now): DateMoment {
  const dateTime = isoDateTime(ms, timeZone);
  return { date: dateTime.slice(0, 10), dateTime };
}

/** A day without a time. If the zone skipped it, it is the next one. */
function wholeDay(day: number, { timeZone }: Now): DateMoment {
  const noon = day * dayMs + dayMs / 2;
  return { date: isoDay(Math.floor(wallTimeAt(instantOf(noon, timeZone), timeZone) / dayMs)) };
}

/** The day of a time that was said without one: today, or tomorrow if it is over. */
function nextDayOf(seconds: number, { part }: Phrase, { nowMs, timeZone, today }: Now): number {
  if (part?.isToday === true) return today;
  return instantOf(today * dayMs + seconds * 1000, timeZone) > nowMs ? today : today + 1;
}

function timeOf(time: TimePiece, part: PartOfDay | undefined, phrase: Phrase, now: Now): Said {
  const seconds = secondsOf(time, part);
  const start = (phrase.day?.day ?? nextDayOf(seconds, phrase, now)) * dayMs + seconds * 1000;
  const from = at(instantOf(start, now.timeZone), now);
  if (time.lastSeconds === undefined) return { from };
  const length = (time.lastSeconds - time.seconds + daySeconds) % daySeconds;
  return { from, until: at(instantOf(start + length * 1000, now.timeZone), now) };
}

/**
 * Seconds from the start of the day that was said: "8" is 20 in the evening; "1" at night and midnight are after the
 * day has ended.
 */
function secondsOf({ seconds, isExact, named }: TimePiece, part: PartOfDay | undefined): number {
  if (named === "midnight") return daySeconds;
  const hour = seconds / 3600;
  if (isExact || part === undefined || hour >= 13) return seconds;
  if (part === "morning") return hour < 12 ? seconds : seconds - daySeconds / 2;
  if (part === "night" && hour < 5) return seconds + daySeconds;
  return hour < 12 || part === "night" ? seconds + daySeconds / 2 : seconds;
}
