import { timeWords, weekdays } from "../../english/times.ts";
import { monthOf } from "./implied-numbers.ts";
import { numbersAt, ranks } from "./numerals.ts";
import { SaidClock } from "./said-clock.ts";

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const isoTime = /^\d{2}:\d{2}(:\d{2})?$/;
const dayMs = 86_400_000;

/** Whether a value is a date or a time as ISO 8601 writes it. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && (isoDate.test(value) || isoTime.test(value));
}

/** Days from another day that words name. */
const shifts: Readonly<Record<string, number>> = { today: 0, tonight: 0, tomorrow: 1, yesterday: -1 };
/** The days that a unit of time has at most; those that are counted are exact up to a week. */
const unitDays: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, fortnight: 14, month: 31, year: 366 };
/** Without a number, nearly any day of them may be meant. */
const vague = /^(?:weeks?|weekends?|months?|years?|half|quarter|season|spring|summer|autumn|winter|decade|century)$/;

/** What a text says of days and times. `nowMs` is the time of the request, if that is known. */
export class SaidTimes {
  private readonly numbers: ReadonlySet<string>;
  /** The numbers of the months that are named. */
  private readonly months: ReadonlySet<number>;
  private readonly years: ReadonlySet<string>;
  private readonly hasTime: boolean;
  /** Whether a day is named by its number and its month. */
  private readonly hasDay: boolean;
  /** How many days from one that is named another one may be. */
  private readonly distances: readonly number[];
  private readonly weekdays: readonly number[];
  /** The days that a vague word may reach; undefined without one. */
  private readonly reach: number | undefined;
  private readonly clock: SaidClock;

  constructor(
    tokens: readonly string[],
    text: string,
    private readonly nowMs: number | undefined,
  ) {
    const named = tokens.map((_token, index) => monthAt(tokens, index));
    this.numbers = new Set(tokens.flatMap((_token, index) => numbersAt(tokens, index)));
    this.months = new Set(named.filter((month) => month > 0));
    this.years = new Set([...this.numbers].filter((number) => /^(?:19|20)\d\d$/.test(number)));
    this.hasTime = this.months.size > 0 || tokens.some((token) => timeWords.has(token));
    this.hasDay = numericDay.test(text) || named.some((month, index) => month > 0 && isByNumber(tokens, index));
    const counted = tokens.map((_token, index) => countedDays(tokens, index));
    const distances = new Set([...tokens.flatMap((token) => shifts[token] ?? []), ...counted.flat()]);
    this.distances = [...distances].slice(0, maxDistances);
    this.weekdays = tokens.map((token) => weekdays.indexOf(token.replace(/s$/, ""))).filter((day) => day >= 0);
    const reached = tokens.filter((token, index) => vague.test(token) && numbersAt(tokens, index - 1).length === 0);
    this.reach = reached.length === 0 ? undefined : Math.max(...new Set(reached.map(reachOf)), ...this.distances);
    this.clock = new SaidClock(text);
  }

  /** Whether a date or time may follow from the text. */
  allow(value: string): boolean {
    const [, year = "", month = "", day = ""] = isoDate.exec(value) ?? [];
    if (year === "") return this.clock.allow(value) ?? (this.hasTime || this.hasPartOf(value));
    const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
    if (this.isSaid(ms)) return true;
    if (this.hasDay) return this.reach !== undefined || this.followsSaid(ms);
    if (this.nowMs === undefined) return this.hasTime || this.hasPartOf(value);
    const distance = Math.abs(ms - this.nowMs) / dayMs;
    if (this.months.size > 0 || this.years.size > 0 || !this.hasTime) {
      return this.hasPartOf(`${year}-${month}-${day}`) || distance <= 2;
    }
    // Where it is another day for the user, all days are one more or less.
    return distance <= (this.reach ?? 0) + 2 || this.follows(ms, this.nowMs, 2);
  }

  /** Whether a number of the text is the day, month, year or hour of a date or time. */
  hasPartOf(time: string): boolean {
    const parts = time
      .split(/[-T:.Z+]/)
      .slice(0, 4)
      .map(Number);
    const hours = isoTime.test(time) ? [(parts[0] ?? 0) % 12] : [(parts[3] ?? 0) % 12];
    return [...parts, ...hours].some((part) => part > 0 && this.numbers.has(String(part)));
  }

  /** Whether a day is named by its parts; without a year, it is not far from now. */
  private isSaid(ms: number): boolean {
    const date = new Date(ms);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const isMonth = this.months.has(month) || this.numbers.has(String(month));
    const isNear = this.nowMs === undefined || Math.abs(ms - this.nowMs) <= maxDistanceWithoutYear * dayMs;
    const isYear = this.years.size === 0 ? isNear : this.years.has(String(year));
    return this.hasDay && isMonth && isYear && this.numbers.has(String(day));
  }

  /** Whether a day is as far from one that is named as was said, or a weekday that was named, soon before or after it. */
  private followsSaid(ms: number): boolean {
    const isSaidAt = (days: number) => this.isSaid(ms + days * dayMs);
    const counted = this.distances.flatMap((distance) => {
      const slack = Math.min(Math.ceil(slackOf(distance)), maxSlack);
      return around(distance, slack).flatMap((days) => [days, -days]);
    });
    if (counted.some(isSaidAt)) return true;
    return this.weekdays.includes(new Date(ms).getUTCDay()) && around(0, 14).some(isSaidAt);
  }

  /** Whether a day is as far from another as was said, or the weekday that was named, soon before or after it. */
  private follows(ms: number, base: number, tolerance: number): boolean {
    const days = (ms - base) / dayMs;
    const isNear = (distance: number) => Math.abs(Math.abs(days) - Math.abs(distance)) <= tolerance + slackOf(distance);
    if (this.distances.some(isNear)) return true;
    return Math.abs(days) <= 14 && this.weekdays.includes(new Date(ms).getUTCDay());
  }
}

/** No request names more distances between days. */
const maxDistances = 100;
/** A month or a year may be a few days longer than another. */
const maxSlack = 20;
const maxDistanceWithoutYear = 400;

/** The days around one, up to a distance. */
function around(day: number, distance: number): readonly number[] {
  return Array.from({ length: 2 * distance + 1 }, (_, index) => Math.round(day) - distance + index);
}

const numericDay = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/;
const between = /^(?:st|nd|rd|th|of|the)$/;

/** Whether a number stands beside a month: "15 May", "May 15th", "the 15th of May". */
function isByNumber(tokens: readonly string[], index: number): boolean {
  return [-1, 1].some((step) => {
    let at = index + step;
    while (Math.abs(at - index) < 4 && between.test(tokens[at] ?? "")) at += step;
    const [number = ""] = tokens[at] === undefined ? [] : numbersAt(tokens, at);
    return /^\d{1,2}$/.test(number) && Number(number) >= 1 && Number(number) <= 31;
  });
}

/** The month that a word names; "I may march there" names none, "march 5" and "the 5th of may" do. */
function monthAt(tokens: readonly string[], index: number): number {
  const word = tokens[index] ?? "";
  if (word !== "may" && word !== "march") return monthOf(word);
  const isNamed = [index - 2, index - 1, index + 1].some(
    (near) => /^\d/.test(tokens[near] ?? "") || ranks.has(tokens[near] ?? ""),
  );
  return isNamed ? monthOf(word) : 0;
}

/** How many days are counted with a number at a place: "3 nights", "a week". */
function countedDays(tokens: readonly string[], index: number): readonly number[] {
  const days = unitDays[(tokens[index + 1] ?? "").replace(/s$/, "")];
  if (days === undefined) return [];
  const isOne = /^an?$/.test(tokens[index] ?? "");
  return (isOne ? ["1"] : numbersAt(tokens, index)).map((number) => Number(number) * days);
}

/** A stay of three days may end on the third; months and years have different numbers of days. */
function slackOf(distance: number): number {
  return distance === 0 ? 0 : distance < 28 ? 1 : distance / 20;
}

function reachOf(word: string): number {
  if (word.startsWith("week")) return 21;
  return word.startsWith("month") ? 400 : 4_000;
}
