import { maxDateText, mayHoldDate, monthNames, monthOf, withoutMarks } from "./date-words.ts";
import { type DateClock, type DateReading, readDates } from "./read-dates.ts";
import { dayMs, daysOfMonth, endOfPeriod, isoDateTime, isoDay, wallTimeAt } from "./zoned-time.ts";

/** A range of days or times in a text, as filters that leave out their own day: `after` 7 March begins on the 8th. */
export interface DateRange {
  /** Its position in the text, with the preposition before it, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** ISO 8601: a date, or a date and time with the offset of the zone. */
  readonly after?: string;
  readonly before?: string;
  /** A single day, in place of both. */
  readonly on?: string;
}

/**
 * Reads the first range that a text asks for: "overdue", "today", "this week", "next month", "in december", "the next 3
 * days", "by friday", "after friday", "between monday and friday", "after monday but before friday". Weeks start on
 * Monday. "By", "until" and "since" include their day, "before" and "after" do not; overdue is what was due before now.
 */
export function readRange(text: string, clock: DateClock): DateRange | undefined {
  return mayHoldRange(text) ? findRange(withoutMarks(text), clock) : undefined;
}

const numbers = "one two three four five six seven eight nine ten".split(" ");
const eachPeriod = new RegExp(
  "(?<![\\w'’-])(?:(?<overdue>over\\s?due|past\\s{1,2}due)|(?<which>this|next|last)\\s{1,2}(?:(?<unit>week|weekend|month|year)|" +
    `(?<count>\\d{1,3}|${numbers.join("|")})\\s{1,2}(?<long>day|week)s)|(?<unsaid>weekend)|` +
    `(?<=(?:in|during|for|before|after)\\s{1,2})(?<month>${monthNames})(?:\\s{1,2}(?<year>(?:19|20)\\d\\d))?)(?![\\w'’-]|\\s{1,2}\\d)`,
  "gi",
);
const leading =
  /(?<![\w'’-])(?:(?:due\s{1,2})?(?:(by|until|till|before|after|since|from|no later than)|in|on|for|over|during|within)\s{1,2}|due\s{1,2})(?:the\s{1,2})?$|(?<![\w'’-])the\s{1,2}$/i;

/** True if a text may say a range: what may be a date, or one of the names that no date has. */
function mayHoldRange(text: string): boolean {
  return text.length <= maxDateText && (text.search(eachPeriod) !== -1 || mayHoldDate(text));
}

interface Found {
  readonly end: number;
  readonly leadStart: number;
  readonly limits: Pick<DateRange, "after" | "before" | "on"> | undefined;
}

function findRange(text: string, clock: DateClock): DateRange | undefined {
  const today = Math.floor(wallTimeAt(clock.nowMs, clock.timeZone) / dayMs);
  const periods = [...text.matchAll(eachPeriod)].map((match) => periodOf(match, text, clock, today));
  const readings = readDates(text, clock).map((reading) => ({ ...reading, limits: limitsOf(reading, text, today) }));
  const found: readonly Found[] = [...periods, ...readings];
  const sorted = found.toSorted((one, other) => one.leadStart - other.leadStart || other.end - one.end);
  // "Friday next week" is a day of that week; "next week" alone is a week, also where only "by" makes it unclear.
  let free = 0;
  for (const { leadStart, end, limits } of sorted) {
    if (leadStart >= free && limits !== undefined) return { start: leadStart, end, ...limits };
    free = Math.max(free, end);
  }
  return undefined;
}

function periodOf(match: RegExpExecArray, text: string, { nowMs, timeZone }: DateClock, today: number): Found {
  const { overdue, which = "this", count, long, month, year, ...unit } = match.groups ?? {};
  const before = text.slice(Math.max(0, match.index - 24), match.index);
  const [whole = "", word] = leading.exec(before) ?? [];
  const place = { leadStart: match.index - whole.length, end: match.index + match[0].length };
  if (overdue !== undefined) return { ...place, limits: { before: isoDateTime(nowMs, timeZone) } };
  const ahead = { this: 0, next: 1, last: -1 }[which.toLowerCase()] ?? 0;
  if (count !== undefined) {
    const days = ahead * (/^w/i.test(long ?? "") ? 7 : 1) * (numbers.indexOf(count.toLowerCase()) + 1 || Number(count));
    return { ...place, limits: daysAfter(word, today + Math.min(0, days), today + Math.max(0, days)) };
  }
  if (month !== undefined)
    return { ...place, limits: daysAfter(word, ...daysOfMonth(monthOf(month.toLowerCase()), year, today)) };
  const name = (unit.unit ?? "weekend").toLowerCase();
  const period = name === "month" || name === "year" ? name : "week";
  const last = endOfPeriod(period, ahead, today);
  const first = name === "weekend" ? last - 1 : endOfPeriod(period, ahead - 1, today) + 1;
  // "By next month" may be its beginning or its end.
  const isUnclear = ahead !== 0 && /^(?:by|until|till|no)/i.test(word ?? "");
  return { ...place, limits: isUnclear ? undefined : daysAfter(word, first, last) };
}

/** The limits of days, by the preposition before them. */
function daysAfter(word: string | undefined, first: number, last: number): Found["limits"] {
  const preposition = word?.toLowerCase().replace(/^due\s/, "") ?? "on";
  if (/^(?:by|until|till|no|not)/.test(preposition)) return { before: isoDay(last + 1) };
  if (preposition === "before") return { before: isoDay(first) };
  if (preposition === "after") return { after: isoDay(last) };
  if (preposition === "since" || preposition === "from") return { after: isoDay(first - 1) };
  return first === last ? { on: isoDay(first) } : { after: isoDay(first - 1), before: isoDay(last + 1) };
}

function limitsOf(reading: DateReading, text: string, today: number): Found["limits"] {
  const { date, dateTime, until, preposition = "on" } = reading;
  const [day, lastDay] = [date, until?.date ?? date].map((one) => Date.parse(one) / dayMs);
  if (day === undefined || lastDay === undefined) return undefined;
  // Nobody means a monday to come by "since monday".
  if (preposition === "since" && day > today) return undefined;
  const isOpen = /^within/i.test(text.slice(reading.start, reading.end));
  if (isOpen)
    return { after: dateTime === undefined ? isoDay(today - 1) : undefined, before: dateTime ?? isoDay(day + 1) };
  if (until !== undefined) {
    const isWithout = preposition === "after" ? 0 : 1;
    return { after: dateTime ?? isoDay(day - isWithout), before: until.dateTime ?? isoDay(lastDay + isWithout) };
  }
  if (dateTime === undefined) return daysAfter(preposition, day, day);
  if (/^(?:due )?(?:by|until|till|before|no|not)/.test(preposition)) return { before: dateTime };
  return /^(?:due )?(?:after|since|from)/.test(preposition) ? { after: dateTime } : undefined;
}
