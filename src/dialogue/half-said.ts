import type { JsonObject, JsonValue } from "../core/json.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { dayMs, instantOf, isoDateTime, isoDay, wallTimeAt, weekdayInWeek } from "../dates/zoned-time.ts";
import { weekdays } from "../english/word-classes.ts";
import type { RequestText } from "../planners/rules/request.ts";
import { type SlotType, timeForms } from "../planners/rules/slots.ts";
import type { Focus, KnownThing } from "./focus.ts";

export interface TimeBase {
  /** Present value of the thing, such as the time of a booking. */
  readonly own: string | undefined;
  /** Value of the previous step, for phrases such as "on the same day". */
  readonly last: string | undefined;
  /** True if the line corrects the last value. A weekday then means the one in the same week. */
  readonly corrects: boolean;
}

export type TimesOf = (slot: string) => TimeBase;

type TimeIn = (slot: string) => string | undefined;

export function timesOf(thing?: KnownThing, last?: TimeIn, corrects = false): TimesOf {
  const own = timesIn(thing?.fields ?? {});
  return (slot) => ({ own: own(slot), last: last?.(slot), corrects });
}

/** Finds the time in a field whose name is that of the slot or begins with it: `due` also finds `dueAt`. */
export function timesIn(fields: JsonObject): TimeIn {
  return (slot) => {
    const names = [slot, ...Object.keys(fields).filter((name) => name.startsWith(slot))];
    return names.map((name) => fields[name]).find(isTime);
  };
}

export function lastTimes({ last: [step] }: Focus): TimeIn {
  return timesIn(step?.input ?? {});
}

export function hasTime(fields: JsonObject = {}): boolean {
  return Object.values(fields).some(isTime);
}

export function isTime(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(value);
}

/** In each value with the former thing's time of day, replaces that time with the new thing's. */
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

export function readHalfSaid(
  type: SlotType,
  request: RequestText,
  start: number,
  given: TimeBase,
): readonly { readonly value: string; readonly end: number }[] {
  const base = type.kind === "time" ? given : withDays(given);
  const said = saidAt(request, start, base);
  if (said === undefined) return [];
  const whole = complete(said, base, request.clock);
  const today = Math.floor(wallTimeAt(request.clock.nowMs, request.clock.timeZone) / dayMs);
  if (type.when === "future" && whole !== undefined && whole.day < today) return [];
  // A date slot would drop the time.
  const isLost = type.kind === "date" && said.time !== undefined;
  const value = whole && !isLost ? format(type, whole, request.clock) : undefined;
  return value === undefined ? [] : [{ value, end: said.end }];
}

/** Drops values without a day, because a time of day alone cannot complete another value. */
function withDays({ own, last, corrects }: TimeBase): TimeBase {
  const hasDay = (value: string | undefined) => value !== undefined && /^\d{4}/.test(value);
  return { own: hasDay(own) ? own : undefined, last: hasDay(last) ? last : undefined, corrects };
}

interface Said {
  readonly day?: number;
  readonly time?: number;
  /** True for an hour that may be before or after noon. */
  readonly isBare?: boolean;
  readonly end: number;
}

function saidAt(request: RequestText, start: number, base: TimeBase): Said | undefined {
  if (durationAt(request.words, start) !== undefined) return shiftAt(request, start, base);
  const first = partAt(request, start, base);
  if (first === undefined) return undefined;
  const second = partAt(request, request.words[first.end] === "," ? first.end + 1 : first.end, base);
  const isOther = second !== undefined && (first.day === undefined) !== (second.day === undefined);
  return isOther && (first.time === undefined) !== (second.time === undefined) ? { ...first, ...second } : first;
}

function partAt(request: RequestText, start: number, base: TimeBase): Said | undefined {
  const { words } = request;
  const from = /^(?:to|at|on|by|for|until|till|from)$/.test(words[start] ?? "") ? start + 1 : start;
  const at = words[from] === "the" ? from + 1 : from;
  // Without "at" or "to", a number may be a count.
  const mayBeHour = from > start || base.corrects;
  return (
    sameAt(request, at, base) ??
    dateAt(request, [start, from, at], base) ??
    (mayBeHour ? hourAt(request, at, base) : undefined)
  );
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: dayMs, week: 7 * dayMs };
const counts: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, half: 0.5 };
const forward = /^(?:later|longer|more|back)$/;
const backward = /^(?:earlier|sooner|forward|less)$/;

/** Reads "half an hour later", "back a week" and "two days earlier" from the thing's value or else the last one. */
function shiftAt(request: RequestText, start: number, base: TimeBase): Said | undefined {
  const { words, clock } = request;
  const from = toWall(base.own, clock) ?? toWall(base.last, clock);
  const said = durationAt(words, start);
  if (said === undefined || from === undefined || (from.time === undefined && said.ms % dayMs !== 0)) return undefined;
  const ms = from.day * dayMs + (from.time ?? 0) + said.ms;
  const day = Math.floor(ms / dayMs);
  return { day, ...(from.time !== undefined && { time: ms - day * dayMs }), end: said.end };
}

export function saysShift(words: readonly string[]): boolean {
  return words.some((_, at) => durationAt(words, at) !== undefined);
}

/** `ms` is negative for "earlier", "sooner", "forward" and "less", but not for "back". */
function durationAt(words: readonly string[], start: number): { ms: number; end: number } | undefined {
  const isLed = /^(?:later|longer|back|earlier|sooner|forward)$/.test(words[start] ?? "");
  const first = isLed ? start + 1 : start;
  const at = words[first] === "by" ? first + 1 : first;
  const amount = counts[words[at] ?? ""] ?? Number(words[at] ?? "");
  const unit = words[at] === "half" && /^an?$/.test(words[at + 1] ?? "") ? at + 2 : at + 1;
  const size = unitMs[(words[unit] ?? "").replace(/s$/, "")];
  const direction = words[isLed ? start : unit + 1] ?? "";
  if (size === undefined || !(amount > 0) || !(forward.test(direction) || backward.test(direction))) return undefined;
  return { ms: amount * size * (backward.test(direction) ? -1 : 1), end: isLed ? unit + 1 : unit + 2 };
}

function sameAt({ words, clock }: RequestText, at: number, base: TimeBase): Said | undefined {
  const said = words.slice(at, at + 2).join(" ");
  const last = toWall(base.last, clock);
  const time = (toWall(base.own, clock) ?? last)?.time;
  const end = at + 2;
  if (/^same (?:time|hour)$/.test(said) && time !== undefined) return { time, end };
  if (last === undefined) return undefined;
  if (/^same (?:day|date)$/.test(said)) return { day: last.day, end };
  if (!/^day (?:after|before)$/.test(said)) return undefined;
  return { day: last.day + (said === "day after" ? 1 : -1), end };
}

function dateAt(request: RequestText, places: readonly number[], base: TimeBase): Said | undefined {
  const { words, datesByStart, clock } = request;
  const [date] = places.flatMap((place) => datesByStart.get(place) ?? []);
  if (date === undefined) return undefined;
  const { end, dateTime, isTimeOnly, isBareHour = false } = date;
  const day = Date.parse(`${date.date}T00:00:00Z`) / dayMs;
  const wall = dateTime === undefined ? undefined : wallTimeAt(Date.parse(dateTime), clock.timeZone);
  const time = wall === undefined ? {} : { time: wall - Math.floor(wall / dayMs) * dayMs, isBare: isBareHour };
  if (isTimeOnly === true) return { ...time, end };
  const weekday = weekdays.indexOf(words[end - 1] ?? "");
  const last = toWall(base.last, clock);
  const isWeekday = base.corrects && weekday >= 0 && end - (places.at(-1) ?? end) <= 1 && wall === undefined;
  const near = isWeekday && last !== undefined ? weekdayInWeek(weekday, last.day) : day;
  const today = Math.floor(wallTimeAt(clock.nowMs, clock.timeZone) / dayMs);
  return { day: near < today ? day : near, ...time, end };
}

function hourAt({ text, tokens, clock }: RequestText, at: number, { own, last, corrects }: TimeBase): Said | undefined {
  const token = tokens[at];
  const digits = token?.kind === "number" ? text.slice(token.start, token.end) : "";
  const [, hours, minutes] = /^(\d\d?)(?:\.([0-5]\d))?$/.exec(digits) ?? [];
  // "Make that 3" may not mean a time.
  const base = own ?? (corrects && minutes !== undefined ? last : undefined);
  if (hours === undefined || Number(hours) > 24 || toWall(base, clock)?.time === undefined) return undefined;
  return { time: (Number(hours) * 60 + Number(minutes ?? 0)) * 60_000, isBare: Number(hours) <= 12, end: at + 1 };
}

function toWall(value: string | undefined, { timeZone }: DateClock): Wall | undefined {
  if (!isTime(value)) return undefined;
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(value) ?? [];
  if (hours !== undefined) return { day: 0, time: (Number(hours) * 60 + Number(minutes)) * 60_000 };
  const hasZone = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const zoneless = value.length > 10 ? `${value}Z` : value;
  const wall = hasZone ? wallTimeAt(Date.parse(value), timeZone) : Date.parse(zoneless);
  if (Number.isNaN(wall)) return undefined;
  const day = Math.floor(wall / dayMs);
  return { day, time: value.length > 10 ? wall - day * dayMs : undefined };
}

function complete(said: Said, base: TimeBase, clock: DateClock): Wall | undefined {
  const known = toWall(base.own, clock) ?? toWall(base.last, clock);
  const day = said.day ?? known?.day;
  if (day === undefined) return undefined;
  const time = said.time ?? known?.time;
  if (said.time === undefined || said.isBare !== true || known === undefined) return { day, time };
  // "8" means 8:00 or 20:00, whichever is nearer to the known time of day; without one, "1" to "12" are 1:00 to 12:00.
  const half = dayMs / 2;
  const hours = [said.time % half, (said.time % half) + half];
  const near = (ms: number) => Math.abs(ms - (known.time ?? 6.5 * 3_600_000));
  return { day, time: hours.reduce((best, each) => (near(each) < near(best) ? each : best)) };
}

function format(type: SlotType, { day, time }: Wall, { timeZone }: DateClock): string | undefined {
  if (type.kind === "date" || (time === undefined && type.takesDay)) return isoDay(day);
  const ms = instantOf(day * dayMs + (time ?? 0), timeZone);
  if (type.kind === "time") return time === undefined ? undefined : isoDateTime(ms, timeZone).slice(11, 16);
  if (type.kind !== "date-time" || time === undefined) return undefined;
  return timeForms[type.form ?? "utc"](ms, timeZone);
}
