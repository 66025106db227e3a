import { mayHoldDate, withoutMarks } from "./date-words.ts";
import { joinFrom, judge, leadBefore, type Phrase, withoutOverlaps } from "./phrases.ts";
import { type DayPiece, findPieces, type PartOfDay, type Place, type TimePiece } from "./pieces.ts";
import { addMonths, dayInMonth, dayMs, instantOf, isoDateTime, isoDay, wallTimeAt } from "./zoned-time.ts";

export interface DateClock {
  readonly nowMs: number;
  readonly timeZone: string;
}

export interface DateMoment {
  readonly date: string;
  readonly dateTime?: string;
}

export interface DateReading extends DateMoment, Place {
  readonly preposition?: string;
  readonly leadStart: number;
  readonly partOfDay?: PartOfDay;
  readonly isBareHour?: boolean;
  readonly isTimeOnly?: boolean;
  readonly until?: DateMoment;
  readonly ends?: readonly [DateReading, DateReading];
}

export interface FalseDate extends Place {
  readonly leadStart: number;
  readonly reason: "impossible" | "unclear";
}

export interface DateOptions {
  readonly isPast?: boolean | undefined;
  readonly onFalse?: ((found: FalseDate) => void) | undefined;
}

export interface Now extends DateClock {
  readonly today: number;
  readonly isPast: boolean;
}

export function nowOf(clock: DateClock, isPast: boolean): Now {
  return { ...clock, isPast, today: Math.floor(wallTimeAt(clock.nowMs, clock.timeZone) / dayMs) };
}

interface Read {
  readonly phrase: Phrase;
  readonly reading: DateReading;
}

export function readDates(
  written: string,
  clock: DateClock,
  { isPast = false, onFalse }: DateOptions = {},
): readonly DateReading[] {
  if (!mayHoldDate(written)) return [];
  const text = withoutMarks(written);
  const now = nowOf(clock, isPast);
  const pieces = withoutOverlaps(findPieces(text, now.today));
  const found: Read[] = [];
  for (let index = 0; index < pieces.length; ) {
    const { phrase, count } = joinFrom(pieces, index, text);
    const lead = leadBefore(text, phrase.start);
    const verdict = judge(phrase, text, lead?.preposition);
    const place = { start: phrase.start, end: phrase.end, leadStart: lead?.start ?? phrase.start };
    index += verdict === "none" ? 1 : count;
    if (phrase.clashEnd !== undefined) onFalse?.({ ...place, end: phrase.clashEnd, reason: "impossible" });
    if (verdict === "none") continue;
    const beside = found.at(-1)?.reading;
    if (beside !== undefined && text.slice(beside.end, place.leadStart).trim() === "") {
      const { start, leadStart } = beside;
      found.pop();
      onFalse?.({ ...place, start, leadStart, reason: "unclear" });
      continue;
    }
    const moment = verdict === "date" ? momentOf(withMeal(phrase, text), now) : undefined;
    if (moment === undefined) {
      onFalse?.({ ...place, reason: verdict === "impossible" ? verdict : "unclear" });
      continue;
    }
    const preposition = lead && { preposition: lead.preposition };
    add(found, { phrase, reading: { ...place, ...moment, ...preposition } }, text, now);
  }
  return found.map(({ reading }) => reading);
}

const meals = [
  [/\b(?:dinner|supper|drinks|evening|night)\b/i, "evening"],
  [/\b(?:breakfast|brunch|morning)\b/i, "morning"],
  [/\b(?:lunch|afternoon|tea)\b/i, "afternoon"],
] as const;
const maxMeal = 40;

function withMeal(phrase: Phrase, text: string): Phrase {
  const { time, part, day, start, end } = phrase;
  if (time === undefined || time.isExact || part !== undefined || day?.part !== undefined) return phrase;
  const around = text.slice(Math.max(0, start - maxMeal), end + maxMeal).split(/[.;!?]/)[0] ?? "";
  const meal = meals.find(([name]) => name.test(around))?.[1];
  const hour = time.seconds / 3600;
  if (meal === undefined || (meal === "afternoon" && hour > 6)) return phrase;
  return { ...phrase, part: { kind: "part", start, end, part: meal, isToday: false } };
}

function add(found: Read[], next: Read, text: string, now: Now): void {
  const last = found.at(-1);
  const range = last && joinRange(last, next, text, now);
  if (range !== undefined) found.pop();
  found.push({ ...next, reading: range ?? next.reading });
}

const moves = /\b(?:mov|reschedul|shift|push|postpon|delay|bring|chang|switch)\w*\b/i;
const to = /^(?:\s*[-–—]\s*|\s+(?:to|through|thru|until|till?)\s+)$/i;
const gaps: Readonly<Record<string, RegExp>> = {
  ...{ from: to, on: to, for: to, between: /^\s+and\s+$/i },
  after: /^\s*,?\s*(?:but|and)\s+(?:due\s+)?before\s+$/i,
};

function joinRange({ phrase, reading }: Read, next: Read, text: string, now: Now): DateReading | undefined {
  const { day } = next.phrase;
  const inner = /(between|from)\s+$/i.exec(text.slice(reading.start, phrase.time?.start ?? reading.start))?.[1];
  const lead = inner?.toLowerCase() ?? reading.preposition?.replace(/^due\s+/, "") ?? "on";
  const isRange = gaps[lead]?.test(text.slice(reading.end, next.reading.start)) && (phrase.time ?? day) !== undefined;
  if (!isRange || (lead === "from" && moves.test(text.slice(0, reading.leadStart)))) return undefined;
  if (reading.until !== undefined || next.reading.until !== undefined) return undefined;
  const from = momentOf(phrase.day === undefined && day !== undefined ? onDay(phrase, day.day) : phrase, now);
  const until = from && endAfter(from, next.phrase, now);
  if (until === undefined) return undefined;
  const { partOfDay: _, ...rest } = reading;
  const second: DateReading = { ...next.reading, ...until };
  const ends = phrase.time === undefined && day !== undefined ? { ends: [reading, second] as const } : {};
  return { ...rest, ...from, end: next.reading.end, until, ...ends, ...(lead !== "on" && { preposition: lead }) };
}

function endAfter(from: DateMoment, phrase: Phrase, now: Now): DateMoment | undefined {
  const { day } = phrase;
  const first = day?.day ?? Date.parse(from.date) / dayMs;
  const isYearless = day?.said === "date" && day.hasYear !== true;
  const days = day?.weekday === undefined ? 0 : 7;
  const moved = (sign: number) =>
    isYearless ? addMonths(first, 12 * sign) : first + sign * (day === undefined ? 1 : days);
  for (const one of [...(now.isPast ? [moved(-1)] : []), first, moved(1)]) {
    const { date, dateTime } = momentOf(onDay(phrase, one), { ...now, isPast: false }) ?? from;
    const isTime = dateTime !== undefined && from.dateTime !== undefined;
    const isAfter = isTime ? Date.parse(dateTime) > Date.parse(from.dateTime) : date > from.date;
    if (isAfter) return { date, ...(dateTime !== undefined && { dateTime }) };
  }
  return undefined;
}

function onDay(phrase: Phrase, day: number): Phrase {
  return { ...phrase, day: { kind: "day", said: "word", start: 0, end: 0, ...phrase.day, day } };
}

const hours: Readonly<Record<PartOfDay, number>> = { morning: 9, afternoon: 15, evening: 19, night: 21 };

type Moment = DateMoment & Pick<DateReading, "partOfDay" | "until" | "isBareHour" | "isTimeOnly">;

function momentOf(phrase: Phrase, now: Now): Moment | undefined {
  const { moment, time, part: said, span } = phrase;
  const { nowMs, timeZone, today } = now;
  const day = phrase.day && (now.isPast ? inPast(phrase.day, today) : phrase.day);
  if (moment !== undefined) return at(instantAt(moment, now), timeZone);
  const anyPart = said?.part ?? day?.part;
  const part = anyPart === "end" ? undefined : anyPart;
  const onDay = day?.day ?? today;
  if (time !== undefined) {
    const read = timeOf(time, part, day?.day ?? (said?.isToday ? today : undefined), now);
    return read && span && span.elapsedMs !== 0 && read.dateTime !== undefined
      ? { ...read, ...at(Date.parse(read.dateTime) + span.elapsedMs, timeZone) }
      : read;
  }
  if (span !== undefined && span.elapsedMs !== 0) return undefined;
  if (part !== undefined) {
    const ms = instantOf(onDay * dayMs + hours[part] * 3_600_000, timeZone);
    if (onDay !== today || ms > nowMs) return { ...at(ms, timeZone), partOfDay: part };
  }
  const until = day?.lastDay === undefined ? {} : { until: wholeDay(day.lastDay, timeZone) };
  return { ...wholeDay(onDay, timeZone), ...until };
}

function instantAt(moment: NonNullable<Phrase["moment"]>, { nowMs, timeZone, today }: Now): number {
  if (moment.kind === "instant") return moment.ms;
  const sameTime = instantOf(wallTimeAt(nowMs, timeZone) + (moment.day - today) * dayMs, timeZone);
  return (moment.day === today ? nowMs : sameTime) + moment.elapsedMs;
}

function at(ms: number, timeZone: string): DateMoment {
  const dateTime = isoDateTime(ms, timeZone);
  return { date: dateTime.slice(0, 10), dateTime };
}

function wholeDay(day: number, timeZone: string): DateMoment {
  const noon = day * dayMs + dayMs / 2;
  return { date: isoDay(Math.floor(wallTimeAt(instantOf(noon, timeZone), timeZone) / dayMs)) };
}

const zones: Readonly<Record<string, readonly [zone: string, hours?: number]>> = {
  ...{ utc: ["UTC"], gmt: ["UTC"], cet: ["Europe/Berlin", 1], cest: ["Europe/Berlin", 2], bst: ["Europe/London", 1] },
  ...{ est: ["America/New_York", -5], edt: ["America/New_York", -4], et: ["America/New_York"] },
  ...{ pst: ["America/Los_Angeles", -8], pdt: ["America/Los_Angeles", -7], pt: ["America/Los_Angeles"] },
};

function inPast(day: DayPiece, today: number): DayPiece {
  if (day.day <= today || day.hasYear === true) return day;
  if (day.said === "weekday" || day.said === "short-weekday")
    return { ...day, day: day.day - 7 < today ? day.day - 7 : day.day - 14 };
  if (day.said === "date" || day.said === "slashed" || day.said === "feast") {
    const lastDay = day.lastDay === undefined ? {} : { lastDay: addMonths(day.lastDay, -12) };
    return { ...day, day: addMonths(day.day, -12), ...lastDay };
  }
  if (day.said !== "ordinal") return day;
  const date = new Date(day.day * dayMs).getUTCDate();
  return { ...day, day: dayInMonth(date, -1, day.day) ?? dayInMonth(date, -2, day.day) ?? day.day };
}

function timeOf(time: TimePiece, part: PartOfDay | undefined, said: number | undefined, now: Now): Moment | undefined {
  const [zone, offset] = time.zone === undefined ? [now.timeZone] : (zones[time.zone] ?? []);
  if (zone === undefined) return undefined;
  const isBareHour = !time.isExact && part === undefined;
  const wallOf = (day: number, seconds = secondsOf(time, part)) => day * dayMs + 1000 * seconds;
  const isAhead = (wall: number) => instantOf(wall, zone) > now.nowMs;
  // In a zone west of ours, the next such time may fall on yesterday's date.
  const days = [now.today - 1, now.today, now.today + 1];
  const next = now.isPast ? days.findLast((day) => !isAhead(wallOf(day))) : days.find((day) => isAhead(wallOf(day)));
  let wall = wallOf(said ?? next ?? now.today + 2);
  if (isBareHour && !now.isPast && (said ?? now.today) === now.today) {
    // At night, or if the next 8 o'clock comes before 22:00 today, "at 8" means the next 8 o'clock.
    const clock = new Date(wallTimeAt(now.nowMs, zone)).getUTCHours();
    const isNight = clock >= 22 || clock < 7;
    const other = [0, 43_200, 86_400, 129_600]
      .map((more) => wallOf(now.today, (time.seconds % 43_200) + more))
      .find(isAhead);
    const isEvening = other !== undefined && other < wallOf(now.today, 22 * 3600);
    if (other !== undefined && (isNight || isEvening)) wall = other;
  }
  const start = instantOf(wall, zone);
  if (offset !== undefined && wall - start !== offset * 3_600_000) return undefined;
  const known = { ...at(start, now.timeZone), ...(said === undefined && { isTimeOnly: true }) };
  if (time.lastSeconds === undefined) return { ...known, ...(isBareHour && { isBareHour }) };
  const length = ((time.lastSeconds - time.seconds + 86_400) % 86_400) * 1000;
  return { ...known, until: at(instantOf(wall + length, zone), now.timeZone) };
}

/** Moves an ambiguous hour to 7:00–18:59. With "evening", 8 is 20:00; with "night", 1 is on the next day. */
function secondsOf({ seconds, isExact, named }: TimePiece, part: PartOfDay | undefined): number {
  if (named === "midnight") return 86_400;
  const hour = seconds / 3600;
  if (part === "night" && hour < 5) return seconds + 86_400;
  if (part === "morning" && hour >= 12 && hour < 13) return seconds - 43_200;
  if (isExact || hour >= 13 || part === "morning") return seconds;
  if (part === undefined) return hour < 7 ? seconds + 43_200 : seconds;
  return hour < 12 || part !== "afternoon" ? seconds + 43_200 : seconds;
}
