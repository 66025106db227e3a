export const dayMs = 86_400_000;
const minuteMs = 60_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
/** More zones than one process speaks of; beyond, the oldest is made again. */
const maxFormatters = 50;

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  for (const oldest of formatters.keys()) if (formatters.size >= maxFormatters) formatters.delete(oldest);
  formatters.set(timeZone, formatter);
  return formatter;
}

/** The time that the clocks of a zone show at an instant, to the second: as the milliseconds at which UTC shows the same. */
export function wallTimeAt(ms: number, timeZone: string): number {
  // "12/24/2026, 17:00:00": less than half the time that formatToParts takes.
  const shown = formatterOf(timeZone).format(ms);
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (shown.match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function offsetAt(ms: number, timeZone: string): number {
  return wallTimeAt(ms, timeZone) - Math.floor(ms / 1000) * 1000;
}

/**
 * The instant at which the clocks of a zone show a time. A time that they skip is later by as much as they skip, also
 * if that is a day; of two instants at which they show it, it is the earlier one: "compatible", as Temporal says.
 */
export function instantOf(wall: number, timeZone: string): number {
  // No zone is a day from UTC, so these are the offsets before and after any change near the time.
  const before = offsetAt(wall - dayMs, timeZone);
  const after = offsetAt(wall + dayMs, timeZone);
  if (before === after) return wall - before;
  const earlier = wall - Math.max(before, after);
  if (wallTimeAt(earlier, timeZone) === wall) return earlier;
  const later = wall - Math.min(before, after);
  return wallTimeAt(later, timeZone) === wall ? later : wall - before;
}

export function isoDateTime(ms: number, timeZone: string): string {
  const wall = wallTimeAt(ms, timeZone);
  const offset = Math.round((wall - Math.floor(ms / 1000) * 1000) / minuteMs);
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, "0");
  const minutes = String(Math.abs(offset) % 60).padStart(2, "0");
  return `${new Date(wall).toISOString().slice(0, 19)}${offset < 0 ? "-" : "+"}${hours}:${minutes}`;
}

export function isoDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** A day of the calendar, counted from 1970-01-01; undefined if no month has it. Months count from 0. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  const exists = date.getUTCMonth() === month && date.getUTCDate() === day;
  return exists ? date.getTime() / dayMs : undefined;
}

/** The same day some months later, or the last of that month if it is shorter. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * dayMs);
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0));
  return (
    lastOfMonth.getTime() / dayMs - lastOfMonth.getUTCDate() + Math.min(date.getUTCDate(), lastOfMonth.getUTCDate())
  );
}

export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

export type Which = "last" | "this" | "next";

/** Returns the first such day after today; with "next", the one in next week, which starts on Monday; with "last", the latest one before today. */
export function saidWeekday(weekday: number, which: Which, today: number): number {
  const current = weekdayOf(today);
  const ahead = (weekday - current + 7) % 7 || 7;
  if (which === "last") return today + (ahead === 7 ? 0 : ahead) - 7;
  const isThisWeek = ((current + 6) % 7) + ahead < 7;
  return today + (which === "next" && isThisWeek ? ahead + 7 : ahead);
}

export function weekdayInWeek(weekday: number, day: number): number {
  return day - ((weekdayOf(day) + 6) % 7) + ((weekday + 6) % 7);
}

/** The next such day, also today: of February 29 the one of the next leap year. Months count from 0. */
export function nextDate(month: number, date: number, today: number): number | undefined {
  const year = new Date(today * dayMs).getUTCFullYear();
  // Between two leap years there are at most seven others.
  const days = Array.from({ length: 9 }, (_, ahead) => dayNumber(year + ahead, month, date));
  return days.find((day) => day !== undefined && day >= today);
}

export function dayInMonth(date: number, months: number, today: number): number | undefined {
  const there = new Date(addMonths(today, months) * dayMs);
  return dayNumber(there.getUTCFullYear(), there.getUTCMonth(), date);
}

/** The next day of any month with this date, also today. No two months in a row lack a day of the month. */
export function nextDayOfMonth(date: number, today: number): number | undefined {
  return [0, 1, 2].map((ahead) => dayInMonth(date, ahead, today)).find((day) => day !== undefined && day >= today);
}

/** The first and last day of a month (from 0): of the next such one, also this one, or of that of a year. */
export function daysOfMonth(
  month: number,
  year: number | undefined,
  today: number,
): readonly [first: number, last: number] {
  const first = Date.UTC(year ?? new Date(today * dayMs).getUTCFullYear(), month) / dayMs;
  const begin = year === undefined && addMonths(first, 1) <= today ? addMonths(first, 12) : first;
  return [begin, addMonths(begin, 1) - 1];
}

/** The last day of the week (Sunday), month, quarter or year that is some of them from now. */
export function endOfPeriod(period: "week" | "month" | "quarter" | "year", ahead: number, today: number): number {
  if (period === "week") return weekdayInWeek(0, today) + 7 * ahead;
  const now = new Date(today * dayMs);
  const length = { month: 1, quarter: 3, year: 12 }[period];
  const month = Math.floor(now.getUTCMonth() / length) * length;
  return Date.UTC(now.getUTCFullYear(), month + length * (ahead + 1), 0) / dayMs;
}
