import { cardinals } from "../../english/numbers.ts";
import { months, relativeDays, weekdays } from "../../english/times.ts";
/** A date read from words, and where the next word is. */
export interface DateReading {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly end: number;
}

/** The clock for words such as "tomorrow". */
export interface DateClock {
  readonly nowMs: number;
  readonly timeZone: string;
}

const dayMs = 86_400_000;
const shortMonths = new Map(months.map((name, index) => [name.slice(0, 3), index]));
const shortDays = new Map([...weekdays.entries()].map(([index, name]) => [name.slice(0, 3), index]));
const counts = new Map(["a", ...cardinals.slice(1, 11)].map((name, index) => [name, Math.max(1, index)]));
const dayOfMonth = /^([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/;

const days = new WeakMap<DateClock, number>();
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The current day in the time zone, as milliseconds of its midnight in UTC, so that days can be counted. */
function today(clock: DateClock): number {
  const known = days.get(clock);
  if (known !== undefined) return known;
  const { nowMs, timeZone } = clock;
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
    formatters.clear();
    formatters.set(timeZone, formatter);
  }
  const day = Date.parse(`${formatter.format(nowMs)}T00:00:00Z`);
  days.set(clock, day);
  return day;
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Reads a date that starts at a word (lower case): `today`, `tonight`, `tomorrow`, `the day after tomorrow`,
 * `next friday`, `in 3 days`, `next week`, `march 5`, `5th of march 2027`, `2027-03-05`. A weekday is the next one
 * after today, "next friday" that of the week after this one (weeks start on Monday); a day without a year is the next
 * such day.
 */
export function readDate(words: readonly string[], start: number, clock: DateClock): DateReading | undefined {
  return (
    readIso(words, start) ??
    readNamedDay(words, start, clock) ??
    readInDays(words, start, clock) ??
    readMonthDay(words, start, clock)
  );
}

const beginnings = new Set([
  ...["today", "tonight", "tomorrow", "tmrw", "yesterday", "the", "day", "this", "next", "coming", "in"],
  ...[...weekdays, ...months, ...shortMonths.keys(), "sept"],
]);

/** Whether a date may start with a word: cheap to check before {@link readDate}. */
export function mayBeginDate(word: string): boolean {
  return beginnings.has(word) || /^\d/.test(word);
}

function readIso(words: readonly string[], start: number): DateReading | undefined {
  const [year = "", dash, month = "", secondDash, day = ""] = words.slice(start, start + 5);
  if (dash !== "-" || secondDash !== "-" || !/^\d{4}$/.test(year) || !/^\d\d$/.test(month) || !/^\d\d$/.test(day))
    return undefined;
  return exactDay(Number(year), Number(month) - 1, Number(day), start + 5);
}

function exactDay(year: number, month: number, day: number, end: number): DateReading | undefined {
  const ms = Date.UTC(year, month, day);
  const date = new Date(ms);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return { date: isoDay(ms), end };
}

function readNamedDay(words: readonly string[], start: number, clock: DateClock): DateReading | undefined {
  for (const [phrase, days] of relativeDays) {
    if (phrase.every((word, index) => words[start + index] === word)) {
      return { date: isoDay(today(clock) + days * dayMs), end: start + phrase.length };
    }
  }
  const prefix = words[start];
  const hasPrefix = prefix === "next" || prefix === "this" || prefix === "coming";
  const name = words[start + (hasPrefix ? 1 : 0)] ?? "";
  const weekday = weekdays.indexOf(name) !== -1 ? weekdays.indexOf(name) : hasPrefix ? (shortDays.get(name) ?? -1) : -1;
  if (weekday === -1) return undefined;
  const now = today(clock);
  const current = new Date(now).getUTCDay();
  const ahead = (weekday - current + 7) % 7 || 7;
  // Monday is the first day, so Sunday is the last of its own week.
  const isThisWeek = ((current + 6) % 7) + ahead < 7;
  const days = prefix === "next" && isThisWeek ? ahead + 7 : ahead;
  return { date: isoDay(now + days * dayMs), end: start + (hasPrefix ? 2 : 1) };
}

function readInDays(words: readonly string[], start: number, clock: DateClock): DateReading | undefined {
  if (words[start] !== "in") return undefined;
  const amount = words[start + 1] ?? "";
  const count = /^\d{1,4}$/.test(amount) ? Number(amount) : counts.get(amount);
  const unit = words[start + 2] ?? "";
  const size = /^days?$/.test(unit) ? 1 : /^weeks?$/.test(unit) ? 7 : undefined;
  if (count === undefined || size === undefined) return undefined;
  return { date: isoDay(today(clock) + count * size * dayMs), end: start + 3 };
}

function readMonthDay(words: readonly string[], start: number, clock: DateClock): DateReading | undefined {
  const at = words[start] === "the" ? start + 1 : start;
  const first = words[at] ?? "";
  const month = monthOf(first);
  if (month !== undefined) {
    const dayAt = words[at + 1] === "the" ? at + 2 : at + 1;
    const day = dayOfMonth.exec(words[dayAt] ?? "")?.[1];
    return day === undefined ? undefined : withYear(words, { month, day: Number(day), end: dayAt + 1 }, clock);
  }
  const day = dayOfMonth.exec(first)?.[1];
  if (day === undefined) return undefined;
  const monthAt = words[at + 1] === "of" ? at + 2 : at + 1;
  const named = monthOf(words[monthAt] ?? "");
  return named === undefined ? undefined : withYear(words, { month: named, day: Number(day), end: monthAt + 1 }, clock);
}

function monthOf(word: string): number | undefined {
  const index = months.indexOf(word);
  return index !== -1 ? index : word.length === 3 ? shortMonths.get(word) : word === "sept" ? 8 : undefined;
}

function withYear(
  words: readonly string[],
  { month, day, end }: { month: number; day: number; end: number },
  clock: DateClock,
): DateReading | undefined {
  const yearAt = words[end] === "," ? end + 1 : end;
  const year = words[yearAt] ?? "";
  if (/^(?:19|20)\d\d$/.test(year)) return exactDay(Number(year), month, day, yearAt + 1);
  const now = today(clock);
  const thisYear = new Date(now).getUTCFullYear();
  const soon = exactDay(thisYear, month, day, end);
  return soon !== undefined && Date.parse(soon.date) >= now ? soon : exactDay(thisYear + 1, month, day, end);
}
