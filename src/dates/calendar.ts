import { addMonths, dayNumber } from "./zoned-time.ts";

const dayMs = 86_400_000;

/** The weekday of a day counted from 1970-01-01, from Sunday, 0. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** Which of a kind: "last friday", "friday" or "this friday", "next friday". */
export type Which = "last" | "this" | "next";

/** Reads {@link Which} from the words of a weekday. */
export function whichOf(text: string): Which {
  return /\b(?:last|past)\b/.test(text) ? "last" : /\bnext\b/.test(text) ? "next" : "this";
}

/**
 * A weekday as it is said on a day: the next one after that day; the next one in the week after, as weeks start on
 * Monday; or the last one before.
 */
export function saidWeekday(weekday: number, which: Which, today: number): number {
  const current = weekdayOf(today);
  const ahead = (weekday - current + 7) % 7 || 7;
  if (which === "last") return today + (ahead === 7 ? 0 : ahead) - 7;
  const isThisWeek = ((current + 6) % 7) + ahead < 7;
  return today + (which === "next" && isThisWeek ? ahead + 7 : ahead);
}

/** A weekday of the week, from Monday, that a day is in. */
export function weekdayInWeek(weekday: number, day: number): number {
  return day - ((weekdayOf(day) + 6) % 7) + ((weekday + 6) % 7);
}

/** The next such day, also today: of February 29 the one of the next leap year. Months count from 0. */
export function nextDate(month: number, date: number, today: number): number | undefined {
  const year = new Date(today * dayMs).getUTCFullYear();
  // Between two leap years there are at most seven others.
  for (let ahead = 0; ahead <= 8; ahead++) {
    const day = dayNumber(year + ahead, month, date);
    if (day !== undefined && day >= today) return day;
  }
  return undefined;
}

/** The next day of any month with this date, also today. */
export function nextDayOfMonth(date: number, today: number): number | undefined {
  const now = new Date(today * dayMs);
  // No two months in a row lack a day of the month.
  for (let ahead = 0; ahead <= 2; ahead++) {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
    const day = dayNumber(first.getUTCFullYear(), first.getUTCMonth(), date);
    if (day !== undefined && day >= today) return day;
  }
  return undefined;
}

/** A day of the month that is some months from now. */
export function dayInMonth(date: number, months: number, today: number): number | undefined {
  const there = new Date(addMonths(today, months) * dayMs);
  return dayNumber(there.getUTCFullYear(), there.getUTCMonth(), date);
}

/** The last day of the week (Sunday), month or year that is some of them from now. */
export function endOfPeriod(period: "week" | "month" | "year", ahead: number, today: number): number {
  if (period === "week") return weekdayInWeek(0, today) + 7 * ahead;
  const now = new Date(today * dayMs);
  const year = now.getUTCFullYear();
  const last = period === "month" ? Date.UTC(year, now.getUTCMonth() + ahead + 1, 0) : Date.UTC(year + ahead, 12, 0);
  return last / dayMs;
}

/** The last day of the next such month, also of this one; or of that of a year. Months count from 0. */
export function endOfMonth(month: number, year: number | undefined, today: number): number {
  const thisYear = new Date(today * dayMs).getUTCFullYear();
  const last = (inYear: number) => Date.UTC(inYear, month + 1, 0) / dayMs;
  if (year !== undefined) return last(year);
  return last(thisYear) >= today ? last(thisYear) : last(thisYear + 1);
}
