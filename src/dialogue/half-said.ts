import type { JsonObject, JsonValue } from "../core/json.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { dayMs, instantOf, isoDateTime, isoDay, wallTimeAt, weekdayInWeek } from "../dates/zoned-time.ts";
import { weekdays } from "../english/word-classes.ts";
import type { RequestText } from "../planners/rules/request.ts";
import type { SlotType } from "../planners/rules/slots.ts";
import type { Focus, KnownThing } from "./focus.ts";

/** What a half-said time is completed from. */
export interface TimeBase {
  /** The value that changes, such as the present time of a booking. */
  readonly own: string | undefined;
  /** The value that was said last: of "on the same day". */
  readonly last: string | undefined;
  /** True if the line corrects the last value, so that a weekday lies in the same week. */
  readonly corrects: boolean;
}

/** The times that complete what is said for a slot. */
export type TimesOf = (slot: string) => TimeBase;

type TimeIn = (slot: string) => string | undefined;

export function timesOf(
  thing: KnownThing | undefined,
  { last, corrects = false }: { readonly last?: TimeIn; readonly corrects?: boolean },
): TimesOf {
  const own = timesIn(thing?.fields ?? {});
  return (slot) => ({ own: own(slot), last: last?.(slot), corrects });
}

/** The value of a field for times: of `due` also that of `dueAt` or `dueDate`. */
export function timesIn(fields: JsonObject): TimeIn {
  return (slot) => {
    const names = [slot, ...Object.keys(fields).filter((name) => name.startsWith(slot))];
    return names.map((name) => fields[name]).find(isTime);
  };
}

export function lastTimes({ last: [step] }: Focus): TimeIn {
  return timesIn(step?.input ?? {});
}

function isTime(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value);
}

/** The day of each value, with the time of day of the thing's own where the value kept the former one. */
export function withTimesOf(
  input: JsonObject,
  { former, own }: { readonly former: JsonObject; readonly own: JsonObject },
): JsonObject {
  const entries = Object.entries(input).map(([name, value]) => {
    const [before, mine] = [former[name], own[name]];
    const isKept = isTime(value) && isTime(before) && isTime(mine) && timeOfDay(value) === timeOfDay(before);
    return [name, isKept ? `${value.slice(0, 10)}${mine.slice(10)}` : value] as const;
  });
  return Object.fromEntries(entries);
}

function timeOfDay(value: string): string {
  return value.slice(10).replace(/:00(?:\.000)?(?=Z)/, "");
}

interface Wall {
  /** Days since 1970. */
  readonly day: number;
  /** Milliseconds into the day; undefined for a day alone. */
  readonly time: number | undefined;
}

/** Reads a day, a time or both at a token, with what the base adds; undefined if none begins there. */
export function readHalfSaid(
  type: SlotType,
  request: RequestText,
  start: number,
  base: TimeBase,
): readonly { readonly value: string; readonly end: number }[] {
  const said = saidAt(request, start, base);
  if (said === undefined) return [];
  const whole = complete(said, base, request.clock);
  const value = whole && format(type, whole, request.clock);
  return value === undefined ? [] : [{ value, end: said.end }];
}

interface Said {
  readonly day?: number;
  readonly time?: number;
  /** True for an hour that may be before or after noon. */
  readonly isBare?: boolean;
  readonly end: number;
}

function saidAt(request: RequestText, start: number, base: TimeBase): Said | undefined {
  const first = partAt(request, start, base);
  if (first === undefined) return undefined;
  const second = partAt(request, first.end, base);
  const isOther = second !== undefined && (first.day === undefined) !== (second.day === undefined);
  return isOther && (first.time === undefined) !== (second.time === undefined) ? { ...first, ...second } : first;
}

function partAt(request: RequestText, start: number, base: TimeBase): Said | undefined {
  const { words, tokens, clock } = request;
  const from = /^(?:to|at|on|by|for|until|till|from)$/.test(words[start] ?? "") ? start + 1 : start;
  const at = words[from] === "the" ? from + 1 : from;
  const last = toWall(base.last, clock);
  const [word = "", next = ""] = words.slice(at, at + 2);
  const own = toWall(base.own, clock) ?? last;
  if (word === "same" && own !== undefined) {
    if (next === "day" || next === "date") return last === undefined ? undefined : { day: last.day, end: at + 2 };
    if (next === "time" || next === "hour") return own.time === undefined ? undefined : { time: own.time, end: at + 2 };
  }
  if (word === "day" && last !== undefined && /^(?:after|before)$/.test(next))
    return { day: last.day + (next === "after" ? 1 : -1), end: at + 2 };
  const date = request.datesByStart.get(start) ?? request.datesByStart.get(from) ?? request.datesByStart.get(at);
  if (date !== undefined) {
    const { end, dateTime, isTimeOnly, isBareHour = false } = date;
    const day = Date.parse(`${date.date}T00:00:00Z`) / dayMs;
    const wall = dateTime === undefined ? undefined : wallTimeAt(Date.parse(dateTime), clock.timeZone);
    const time = wall === undefined ? undefined : wall - Math.floor(wall / dayMs) * dayMs;
    const weekday = weekdays.indexOf(words[end - 1] ?? "");
    const isWeekday = weekday >= 0 && end - at <= 1 && time === undefined;
    const meant = isWeekday && base.corrects && last !== undefined ? weekdayInWeek(weekday, last.day) : day;
    const today = wallTimeAt(clock.nowMs, clock.timeZone) / dayMs;
    return {
      ...(isTimeOnly !== true && { day: meant < Math.floor(today) ? day : meant }),
      ...(time !== undefined && { time, isBare: isBareHour }),
      end,
    };
  }
  const hour = /^(\d\d?)(?:\.([0-5]\d))?$/.exec(
    tokens[at]?.kind === "number" ? request.text.slice(tokens[at]?.start, tokens[at]?.end) : "",
  );
  // Without "at" or "to", a number may count something.
  const isLed = from > start || base.corrects;
  const isHour = hour !== null && isLed && Number(hour[1]) <= 24 && toWall(base.own, clock)?.time !== undefined;
  if (!isHour) return undefined;
  return { time: (Number(hour[1]) * 60 + Number(hour[2] ?? 0)) * 60_000, isBare: Number(hour[1]) <= 12, end: at + 1 };
}

function toWall(value: string | undefined, { timeZone }: DateClock): Wall | undefined {
  if (value === undefined || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const hasZone = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const wall = hasZone
    ? wallTimeAt(Date.parse(value), timeZone)
    : Date.parse(value.length > 10 ? `${value}Z` : `${value}T00:00:00Z`);
  if (Number.isNaN(wall)) return undefined;
  const day = Math.floor(wall / dayMs);
  return { day, time: value.length > 10 ? wall - day * dayMs : undefined };
}

function complete(said: Said, base: TimeBase, clock: DateClock): Wall | undefined {
  const known = toWall(base.own, clock) ?? toWall(base.last, clock);
  const day = said.day ?? known?.day;
  if (day === undefined) return undefined;
  const time = said.time ?? known?.time;
  if (said.time === undefined || said.isBare !== true || known?.time === undefined) return { day, time };
  // "8" is the one nearer to the present time.
  const half = dayMs / 2;
  const hours = [said.time % half, (said.time % half) + half];
  const near = (ms: number) => Math.abs(ms - (known.time ?? 0));
  return { day, time: hours.reduce((best, each) => (near(each) < near(best) ? each : best)) };
}

function format(type: SlotType, { day, time }: Wall, { timeZone }: DateClock): string | undefined {
  if (type.kind === "date" || (time === undefined && type.takesDay)) return isoDay(day);
  const ms = instantOf(day * dayMs + (time ?? 0), timeZone);
  if (type.kind === "time") return time === undefined ? undefined : isoDateTime(ms, timeZone).slice(11, 16);
  if (type.kind !== "date-time" || time === undefined) return undefined;
  switch (type.form) {
    case "offset":
      return isoDateTime(ms, timeZone);
    case "local":
      return isoDateTime(ms, timeZone).slice(0, 19);
    case "seconds":
      return `${new Date(ms).toISOString().slice(0, 19)}Z`;
    case "minutes":
      return `${new Date(ms).toISOString().slice(0, 16)}Z`;
    default:
      return new Date(ms).toISOString();
  }
}
