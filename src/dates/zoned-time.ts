export const dayMs = 86_400_000;
const minuteMs = 60_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
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

/** Returns the wall-clock time of a zone as milliseconds since 1970, as if the zone were UTC. */
export function wallTimeAt(ms: number, timeZone: string): number {
  // `formatToParts` is more than twice as slow.
  const shown = formatterOf(timeZone).format(ms);
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (shown.match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function offsetAt(ms: number, timeZone: string): number {
  return wallTimeAt(ms, timeZone) - Math.floor(ms / 1000) * 1000;
}

/** Moves a skipped time forward by the gap, and takes the first of two instants ("compatible" in Temporal). */
export function instantOf(wall: number, timeZone: string): number {
  // Offsets are shorter than a day, so the instant lies at most a day before or after `wall`.
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

export function dayNumber(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  const exists = date.getUTCMonth() === month && date.getUTCDate() === day;
  return exists ? date.getTime() / dayMs : undefined;
}

export function addMonths(day: number, months: number): number {
  const date = new Date(day * dayMs);
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0));
  return lastOfMonth.getTime() / dayMs - Math.max(0, lastOfMonth.getUTCDate() - date.getUTCDate());
}

export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

export type Which = "last" | "this" | "next";

/** "next" means in the week after this one, and "last" the most recent before today. Weeks start on Monday. */
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

export function nextDate(month: number, date: number, today: number): number | undefined {
  const year = new Date(today * dayMs).getUTCFullYear();
  const days = Array.from({ length: 9 }, (_, ahead) => dayNumber(year + ahead, month, date));
  return days.find((day) => day !== undefined && day >= today);
}

export function dayInMonth(date: number, months: number, today: number): number | undefined {
  const there = new Date(addMonths(today, months) * dayMs);
  return dayNumber(there.getUTCFullYear(), there.getUTCMonth(), date);
}

export function nextDayOfMonth(date: number, today: number): number | undefined {
  return [0, 1, 2].map((ahead) => dayInMonth(date, ahead, today)).find((day) => day !== undefined && day >= today);
}

export function daysOfMonth(month: number, year: number | undefined, today: number): readonly [number, number] {
  const first = Date.UTC(year ?? new Date(today * dayMs).getUTCFullYear(), month) / dayMs;
  const begin = year === undefined && addMonths(first, 1) <= today ? addMonths(first, 12) : first;
  return [begin, addMonths(begin, 1) - 1];
}

export function endOfPeriod(period: "week" | "month" | "quarter" | "year", ahead: number, today: number): number {
  if (period === "week") return weekdayInWeek(0, today) + 7 * ahead;
  const now = new Date(today * dayMs);
  const length = { month: 1, quarter: 3, year: 12 }[period];
  const month = Math.floor(now.getUTCMonth() / length) * length;
  return Date.UTC(now.getUTCFullYear(), month + length * (ahead + 1), 0) / dayMs;
}
