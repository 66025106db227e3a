import { once } from "../language/phrases.ts";
import { hourWords, maxDateText, mayHoldDate, monthNames, monthOf, withoutMarks, wordPattern } from "./date-words.ts";
import { type Groups, type Place, yearOf } from "./pieces.ts";
import { type DateClock, type DateOptions, type DateReading, type Now, nowOf, readDates } from "./read-dates.ts";
import { addMonths, dayMs, daysOfMonth, endOfPeriod, isoDateTime, isoDay } from "./zoned-time.ts";

export interface DateRange extends Place {
  readonly from?: string;
  readonly to?: string;
}

/** Weeks start on Monday. "By", "until" and "since" include the named day; "before" and "after" exclude it. */
export function readRange(text: string, clock: DateClock, options: DateOptions = {}): DateRange | undefined {
  if (text.length > maxDateText || (text.search(eachPeriod) === -1 && !mayHoldDate(text))) return undefined;
  return findRange(withoutMarks(text), clock, options);
}

const year = "(?<year>(?:19|20)\\d\\d|(?:this|last|next) year)";
const eachPeriod = wordPattern(
  "(?<![\\w'’-])(?:(?<overdue>over\\s?due|past due)|(?<which>this|next|last|past) (?:(?<unit>week|weekend|month|quarter|year)|" +
    `(?<count>\\d{1,3}|${hourWords}) (?<long>day|week|month|year)s|(?<near>${monthNames}))|(?<unsaid>weekend)|` +
    `q(?<quarter>[1-4])(?: ${year.replace("year>", "yearOfQuarter>")})?|` +
    `(?<=(?:in|of|during|for|before|after|since|until) )(?<month>${monthNames})(?: (?:of )?${year})?)(?![\\w'’-]| \\d)`,
  "gi",
);
const leading = wordPattern(
  "(?<![\\w'’-])(?:(?:due )?(?:(by|until|till?|before|after|since|from|no later than)|in|on|for|over|during|within|of) |due )(?:the )?$|(?<![\\w'’-])the $",
  "i",
);

type Limits = Pick<DateRange, "from" | "to">;

function findRange(text: string, clock: DateClock, { isPast = false }: DateOptions): DateRange | undefined {
  const now = nowOf(clock, isPast);
  const periods = [...text.matchAll(eachPeriod)].map((match) => {
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    const [whole = "", word] = leading.exec(before) ?? [];
    const place = { leadStart: match.index - whole.length, end: match.index + match[0].length };
    return { ...place, limits: limitsOfPeriod(match.groups ?? {}, word, now) };
  });
  const past = once(() => readDates(text, clock, { isPast: true }));
  const readings = readDates(text, clock, { isPast }).map((each) => {
    const isSince = each.preposition === "since" && Date.parse(each.date) > now.today * dayMs;
    const own = isSince ? past().find(({ start }) => start === each.start) : each;
    return { ...each, limits: own && limitsOf(own, text, now.today) };
  });
  const sorted = [...periods, ...readings].sort((one, other) => one.leadStart - other.leadStart || other.end - one.end);
  let free = 0;
  for (const { leadStart, end, limits } of sorted) {
    if (leadStart >= free && limits !== undefined) return { start: leadStart, end, ...limits };
    free = Math.max(free, end);
  }
  return undefined;
}

function limitsOfPeriod(groups: Groups, word: string | undefined, now: Now): Limits | undefined {
  const { overdue, which = "this", count, long = "", near, month = near, quarter, ...named } = groups;
  const { nowMs, timeZone, today, isPast } = now;
  if (overdue !== undefined) return { to: isoDateTime(nowMs, timeZone) };
  const ahead = { this: 0, next: 1, last: -1, past: -1 }[which.toLowerCase()] ?? 0;
  const said = named.year ?? named.yearOfQuarter;
  const inYear = said === undefined ? undefined : yearOf(said.toLowerCase(), today);
  if (count !== undefined) {
    const amount = ahead * (hourWords.split("|").indexOf(count.toLowerCase()) + 1 || Number(count));
    const [months = 0, length = 0] = { d: [0, 1], w: [0, 7], m: [1], y: [12] }[long.charAt(0).toLowerCase()] ?? [];
    const day = addMonths(today, amount * months) + amount * length;
    return daysAfter(word, Math.min(today, day), Math.max(today, day));
  }
  if (month !== undefined) {
    const [first, last] = daysOfMonth(monthOf(month.toLowerCase()), inYear, today);
    const isLast = inYear === undefined && first > today && (isPast || ahead < 0 || word?.toLowerCase() === "since");
    const [from, to] = isLast ? [addMonths(first, -12), addMonths(last + 1, -12) - 1] : [first, last];
    return daysAfter(word, from, to);
  }
  if (quarter !== undefined) return daysAfter(word, ...limitsOfQuarter(Number(quarter), inYear, now));
  const name = (named.unit ?? "weekend").toLowerCase();
  const period = name === "weekend" ? "week" : (name as "week" | "month" | "quarter" | "year");
  const last = endOfPeriod(period, ahead, today);
  const first = name === "weekend" ? last - 1 : endOfPeriod(period, ahead - 1, today) + 1;
  // "By next month" may mean its beginning or its end.
  const isUnclear = ahead !== 0 && /^(?:by|until|till?|no)/i.test(word ?? "");
  return isUnclear ? undefined : daysAfter(word, first, last);
}

function limitsOfQuarter(quarter: number, inYear: number | undefined, { today, isPast }: Now) {
  const own = inYear ?? new Date(today * dayMs).getUTCFullYear();
  const [first] = daysOfMonth(3 * (quarter - 1), own, today);
  const from = isPast && inYear === undefined && first > today ? addMonths(first, -12) : first;
  return [from, addMonths(from, 3) - 1] as const;
}

function daysAfter(word: string | undefined, first: number, last: number): Limits {
  const preposition = word?.toLowerCase().replace(/^due\s/, "") ?? "on";
  if (/^(?:by|until|till?|no|not)/.test(preposition)) return { to: isoDay(last) };
  if (preposition === "before") return { to: isoDay(first - 1) };
  if (preposition === "after") return { from: isoDay(last + 1) };
  if (preposition === "since" || preposition === "from") return { from: isoDay(first) };
  return { from: isoDay(first), to: isoDay(last) };
}

function limitsOf(reading: DateReading, text: string, today: number): Limits | undefined {
  const { date, dateTime, until, preposition = "on" } = reading;
  const [day, lastDay] = [date, until?.date ?? date].map((one) => Date.parse(one) / dayMs);
  if (day === undefined || lastDay === undefined) return undefined;
  const isOpen = /^within/i.test(text.slice(reading.start, reading.end));
  if (isOpen) return { ...(dateTime === undefined && { from: isoDay(today) }), to: dateTime ?? isoDay(day) };
  if (until !== undefined) {
    const inner = preposition === "after" ? 1 : 0;
    return { from: dateTime ?? isoDay(day + inner), to: until.dateTime ?? isoDay(lastDay - inner) };
  }
  if (dateTime === undefined) return daysAfter(preposition, day, day);
  if (/^(?:due )?(?:by|until|till?|before|no|not)/.test(preposition)) return { to: dateTime };
  return /^(?:due )?(?:after|since|from)/.test(preposition) ? { from: dateTime } : undefined;
}
