import { cardinals, ordinals, readNumber, tens } from "../english/numbers.ts";
import { weekdays } from "../english/word-classes.ts";
import { dayNameOf, eachDayWord, feastWords, hourWords, monthNames, monthOf, wordPattern } from "./date-words.ts";
import {
  addMonths,
  dayInMonth,
  dayMs,
  dayNumber,
  daysOfMonth,
  endOfPeriod,
  nextDate,
  nextDayOfMonth,
  saidWeekday,
  type Which,
  weekdayInWeek,
} from "./zoned-time.ts";

export type PartOfDay = "morning" | "afternoon" | "evening" | "night";

export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface DayPiece extends Place {
  readonly kind: "day";
  readonly day: number;
  readonly said:
    | ("word" | "weekday" | "short-weekday" | "date" | "ordinal" | "next-week" | "next-year" | "span" | "feast")
    | "slashed";
  readonly hasYear?: boolean;
  readonly weekday?: number;
  readonly part?: PartOfDay;
  readonly lastDay?: number;
  readonly otherDay?: number;
}

export interface TimePiece extends Place {
  readonly kind: "time";
  readonly seconds: number;
  readonly isExact: boolean;
  /** `clear`: "5pm". `digits`: "9:30". `led` ("half 2") and `bare` ("5") need a preposition or a day beside them. */
  readonly said: "clear" | "digits" | "led" | "bare";
  readonly named?: "noon" | "midnight";
  readonly lastSeconds?: number;
  readonly zone?: string;
}

type OtherPiece =
  /** "morning". With `isToday`, the part also names a day: "this evening", "end of the day". */
  | { readonly kind: "part"; readonly part: PartOfDay | "end"; readonly isToday: boolean }
  /** Shifts the day or time that follows: "a week from", "2 hours before". */
  | { readonly kind: "span"; readonly months: number; readonly days: number; readonly elapsedMs: number }
  /** "in two hours", "in half a day": `elapsedMs` is added to the current time on `day`. */
  | { readonly kind: "elapsed"; readonly day: number; readonly elapsedMs: number }
  | { readonly kind: "instant"; readonly ms: number }
  | { readonly kind: "false"; readonly reason: "impossible" | "unclear"; readonly needsLead?: boolean };

export type Piece = DayPiece | TimePiece | (OtherPiece & Place);

export function findPieces(text: string, today: number): readonly Piece[] {
  const finders = [findDistances, findDayWords, findSpoken];
  return finders.flatMap((find) => find(text, today)).map((piece) => withZone(piece, text));
}

const zoneName =
  /^\s?(utc|gmt|bst|est|edt|pst|pdt|mst|mdt|cst|cdt|cet|cest|ist|jst|aest|aedt|msk|[ep]t(?<=[EP]T))(?![\w'’])/i;

function withZone(piece: Piece, text: string): Piece {
  if (piece.kind !== "time" || piece.said === "bare") return piece;
  const [whole, zone] = zoneName.exec(text.slice(piece.end, piece.end + 8)) ?? [];
  return zone === undefined ? piece : { ...piece, zone: zone.toLowerCase(), end: piece.end + (whole?.length ?? 0) };
}

const lookAround = 24;
const before = (text: string, place: number) => text.slice(Math.max(0, place - lookAround), place);
const after = (text: string, place: number) => text.slice(place, place + lookAround);

function findDayWords(text: string, today: number): readonly Piece[] {
  return [...text.matchAll(eachDayWord)].flatMap((match): readonly Piece[] => {
    const name = dayNameOf(match[0]);
    const place = { start: match.index, end: match.index + match[0].length };
    if (name === undefined) return [];
    const weekday = weekdays.indexOf(name);
    if (weekday === -1) return [countedDay(name, place, text, today)];
    const [which = "", said] = /(?<!\w)(this|next|last|past)\s{1,2}$/i.exec(before(text, place.start)) ?? [];
    const [inWeek = "", week] =
      /^\s{1,2}(?:of\s)?(this|next|last)\s{1,2}week(?!\w)/i.exec(after(text, place.end)) ?? [];
    const isFull = said !== undefined || week !== undefined || match[0].toLowerCase().endsWith("day");
    const day =
      week === undefined
        ? saidWeekday(weekday, whichOf(said), today)
        : weekdayInWeek(weekday, today + 7 * { last: -1, this: 0, next: 1 }[whichOf(week)]);
    const start = place.start - which.length;
    const end = place.end + inWeek.length;
    return [{ kind: "day", said: isFull ? "weekday" : "short-weekday", start, end, weekday, day }];
  });
}

function whichOf(said = "this"): Which {
  const which = said.toLowerCase();
  return which === "next" ? "next" : which === "this" ? "this" : "last";
}

function countedDay(name: string, { start, end }: Place, text: string, today: number): Piece {
  const away = { yesterday: -1, tomorrow: 1, overmorrow: 2 }[name] ?? 0;
  const said = "word";
  const side = /(?<!\w)(?:the\s{1,2})?day\s{1,2}(?:(after)|before)\s{1,2}$/i.exec(before(text, start));
  if (side !== null && away !== 0)
    return { kind: "day", said, start: start - side[0].length, end, day: today + away + (side[1] ? 1 : -1) };
  return { kind: "day", said, start, end, day: today + away, ...(name === "tonight" && { part: "night" as const }) };
}

const ordinalWords = [
  ...ordinals,
  "twentieth",
  ...ordinals.slice(0, 9).map((name) => `twenty-${name}`),
  ...["thirtieth", "thirty-first"],
];

function numberOf(said: string): number {
  if (/half$|quarter$/.test(said)) return said === "half" ? 30 : 15;
  const rank = ordinalWords.indexOf(said.replace(/\s/, "-")) + 1;
  return rank || Number(readNumber(said.split(/[\s-]/), 0)?.digits);
}

const minuteMs = 60_000;

type Distance = Omit<Extract<Piece, { readonly kind: "span" }>, "kind">;

const amounts = `half an?|(?:a )?couple of|${[...cardinals.slice(1), ...tens].join("|")}|an?`;
const extras = "and a half |quarters? of an? ";
const units = "(?:min(?:ute)?|hr|hour|day|wk|week|fortnight|month|yr|year)s?";
const eachLength = wordPattern(
  `(?<!\\w|\\d[.:])(?:(\\d{1,4}(?:\\.\\d{1,2}|[½¼¾])?|[½¼¾])(?:\\s{0,2}|-)|(${amounts})[\\s-]{1,2})(${extras})?(${units}|h(?:(\\d\\d?)m?)?|(?<=\\d)[mdw])(?!\\w)( and a half(?!\\w))?`,
  "gi",
);
const parts: Readonly<Record<string, number>> = { "½": 0.5, "¼": 0.25, "¾": 0.75 };
const between = /^(?:(?:,|,?\s{1,2}and)?\s{1,2})?$/i;
const prefix = /(?<!\w)(?:in|within|after)\s{1,2}$/i;
const ownTime = /^['’]s?\s{1,2}time(?!\w)/i;
const fromNow = /^\s{1,2}(?:from\s{1,2}(?:now|today)|later|(ago))(?!\w)/i;
const fromDay = /^\s{1,2}(?:from|after|past|(before))(?!\w)/i;
const weeksOn = /^(?:\s{1,2}on(?!\w)|(?=\s{1,2}to(?:day|morrow)(?!\w)))/i;

function findDistances(text: string, today: number): readonly Piece[] {
  const sums: Distance[] = [];
  let parts = 1;
  for (const match of text.matchAll(eachLength)) {
    const [length, last] = [toDistance(match), sums.at(-1)];
    const isMore = last !== undefined && parts < 3 && between.test(text.slice(last.end, length.start));
    parts = isMore ? parts + 1 : 1;
    if (isMore) sums[sums.length - 1] = sum(last, length);
    else sums.push(length);
  }
  return sums.flatMap((total) => distancePiece(total, text, today) ?? []);
}

function toDistance(match: RegExpMatchArray): Distance {
  const [whole, digits = "", word = "", extra = "", unit = "", minutes = "0", half] = match;
  const start = match.index ?? 0;
  const part = parts[digits.at(-1) ?? ""];
  const amount =
    digits === "" ? amountOf(word.toLowerCase()) : Number(part ? digits.slice(0, -1) : digits) + (part ?? 0);
  const count =
    (/^q/i.test(extra) ? amount / 4 : extra === "" ? amount : amount + 0.5) + (half === undefined ? 0 : 0.5);
  const none = { start, end: start + whole.length, months: 0, days: 0, elapsedMs: 0 };
  if (/^(?:y|mo)/i.test(unit)) return { ...none, months: /^y/i.test(unit) ? 12 * count : count };
  if (/^[mh]/i.test(unit))
    return { ...none, elapsedMs: (/^h/i.test(unit) ? count * 60 + Number(minutes) : count) * minuteMs };
  const days = count * (/^w/i.test(unit) ? 7 : /^f/i.test(unit) ? 14 : 1);
  return { ...none, days: Math.trunc(days), elapsedMs: (days - Math.trunc(days)) * dayMs };
}

function amountOf(word: string): number {
  if (word.startsWith("half")) return 0.5;
  return word.includes("couple") ? 2 : /^an?$/.test(word) ? 1 : numberOf(word);
}

function sum({ start, months, days, elapsedMs }: Distance, { end, ...more }: Distance): Distance {
  return { start, end, months: months + more.months, days: days + more.days, elapsedMs: elapsedMs + more.elapsedMs };
}

function distancePiece({ start, end, months, days, elapsedMs }: Distance, text: string, today: number) {
  if (!Number.isInteger(months)) return undefined;
  const rest = after(text, end);
  const lead = prefix.exec(before(text, start))?.[0].length;
  const close = (lead === undefined ? fromNow : ownTime).exec(rest);
  if (lead !== undefined || close !== null) {
    const sign = close?.[1] === undefined ? 1 : -1;
    const place = { start: start - (lead ?? 0), end: end + (close?.[0].length ?? 0) };
    const day = addMonths(today, sign * months) + sign * days;
    if (elapsedMs === 0) return { kind: "day", said: "span", ...place, day } as const;
    return { kind: "elapsed", ...place, day, elapsedMs: sign * Math.round(elapsedMs) } as const;
  }
  const day = fromDay.exec(rest) ?? (days % 7 === 0 && days > 0 ? weeksOn.exec(rest) : null);
  if (day === null) return undefined;
  const sign = day[1] === undefined ? 1 : -1;
  const length = { months: sign * months, days: sign * days, elapsedMs: sign * elapsedMs };
  return { kind: "span", start, end: end + day[0].length, ...length } as const;
}

export type Groups = Readonly<Record<string, string | undefined>>;

type Content<TPiece = Piece> = TPiece extends Piece ? Omit<TPiece, keyof Place> : never;

function findSpoken(text: string, today: number): readonly Piece[] {
  return readers.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const groups = Object.entries(match.groups ?? {}).map(([name, said]) => [name, said?.toLowerCase()]);
      const place = { start: match.index, end: match.index + match[0].length };
      const piece = read(Object.fromEntries(groups), today);
      return piece === undefined ? [] : [{ ...piece, ...place }];
    }),
  );
}

const the = "(?:the )?";
const year = `(?:,? (?:of )?(?<year>(?:19|20)\\d\\d|(?:this|next|last) year|['’]?\\d\\d(?=\\s*(?:$|[,.;!?)])))(?![:.]\\d))?`;
const halves = "(?:\\s{0,2}(?<half>[ap]\\.?m\\b\\.?)|(?<clock>\\s{0,2}o['’]?\\s{0,2}clock))";
const minutesAfter = "fifteen|twenty|thirty|forty[\\s-]five";
const ordinalName = ordinalWords.toReversed().join("|").replaceAll("-", "[\\s-]");

/** `\w` matches no letters but those of ASCII. `judge` checks the others, because `\p{L}` is slow to compile. */
function reader(source: string | RegExp, read: (groups: Groups, today: number) => Content | undefined) {
  const pattern = typeof source === "string" ? wordPattern(`(?<!\\w)(?:${source})(?!\\w)`, "gi") : source;
  return { pattern, read };
}

function dayOr(day: number | undefined, rest: Partial<DayPiece> = {}): Content {
  if (day !== undefined) return { kind: "day", said: "date", ...rest, day };
  return { kind: "false", reason: "impossible", ...(rest.said === "ordinal" && { needsLead: true }) };
}

const led = "(?:(?<=(?<led>at|from) )|)";
const to = "\\s{0,2}(?:[-–]|to|until|through|till?)\\s{0,2}";
const inHalf = "(?: (?:in the (?<part>morning|afternoon)|at (?<night>night)))?";
const clock = (name: string) =>
  `(?<hour${name}>\\d{1,2})(?:(?<sign${name}>[.:：]|)(?<minute${name}>\\d\\d)(?:[:：](?<second${name}>\\d\\d))?)?` +
  `(?:\\s{0,2}(?:(?<half${name}>[ap])(?:m|\\.m\\.?)|(?<clock${name}>o['’]?\\s?clock)))?`;

const readers = [
  reader("(?:(?<which>this|next) )?weekend", ({ which }, today) => {
    const day = Math.max(today, weekdayInWeek(6, today)) + (which === "next" ? 7 : 0);
    return dayOr(day, { said: which === undefined ? "short-weekday" : "weekday" });
  }),
  reader("next (?<unit>week|month|year)", ({ unit }, today) =>
    unit === "week"
      ? { kind: "day", said: "next-week", day: today + 7 }
      : dayOr(addMonths(today, unit === "month" ? 1 : 12), { said: unit === "year" ? "next-year" : "word" }),
  ),
  reader("the week after next", (_, today) => dayOr(weekdayInWeek(1, today) + 14, { said: "word" })),
  reader(
    `${the}(?:end|(?<edge>last day)) of (?:${the}(?:(?<next>next )|this )?(?<period>day|week|month|year)|(?<month>${monthNames})${year})|eo(?<letter>[dwmy])`,
    readEdge,
  ),
  reader(
    `(?:(?<date>\\d{1,2})(?:st|nd|rd|th)|(?<=the )(?<word>${ordinalName}))(?<month> (?:of (?:(?<next>next)|this|the)|(?:(?<coming>next)|this)) month)?`,
    ({ word = "", date = word, month, coming, next = coming }, today) => {
      const number = numberOf(date);
      const said = month === undefined ? "ordinal" : "date";
      const day = month ? dayInMonth(number, next ? 1 : 0, today) : nextDayOfMonth(number, today);
      return dayOr(day, { said });
    },
  ),
  reader(
    `(?<month>${monthNames}) ${the}(?<date>\\d{1,2})(?<th>st|nd|rd|th)?(?:\\s{0,2}(?:[-–]|to)\\s{0,2}(?<last>\\d{1,2})(?:st|nd|rd|th)?)?(?![\\d:.h]\\w|\\s{0,2}[ap]\\.?m)${year}`,
    readDate,
  ),
  // "Move 24 to 23 december" names two days; "from 7 to 5 march" is impossible.
  reader(
    `(?:(?<from>(?<=^|from ))|)(?<first>\\d{1,2})(?:st|nd|rd|th)?\\s{0,2}(?:[-–]|to)\\s{0,2}(?<date>\\d{1,2})(?<th>st|nd|rd|th)? (?:of )?(?<month>${monthNames})${year}`,
    ({ from, ...groups }, today) =>
      from === undefined && Number(groups.first) >= Number(groups.date) ? undefined : readDate(groups, today),
  ),
  reader(`(?<date>\\d{1,2}|${ordinalName})(?<th>st|nd|rd|th)? (?:of )?(?<month>${monthNames})${year}`, readDate),
  reader("(?<date>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>(?:19|20)\\d\\d)(?![\\d.])", ({ date, month, year }) =>
    dayOr(dayNumber(Number(year), Number(month) - 1, Number(date)), { hasYear: true }),
  ),
  reader(
    new RegExp(
      "(?<!\\w)(?<year>\\d{4})(?<sign>[-/.])(?<month>\\d{1,2})\\k<sign>(?<date>\\d{1,2})" +
        "(?:T(?<time>\\d\\d:\\d\\d(?::\\d\\d)?)(?:\\.\\d{1,6})?(?<offset>Z|[-+]\\d\\d:?\\d\\d)(?!\\w)|(?=T\\d\\d:)|(?!\\w))",
      "gi",
    ),
    readWritten,
  ),
  reader("(?<one>\\d{1,2})/(?<two>\\d{1,2})(?:/(?<year>(?:19|20)\\d\\d|\\d\\d))?", readSlashed),
  reader(`(?<feast>${feastWords})${year}`, readFeast),
  reader(
    `(?<minutes>half|(?:a )?quarter|five|ten|twenty(?:[\\s-]five)?|[1-5]?\\d(?= past)) (?:(?<to>to)|past|after) (?<hour>${hourWords}|1[0-2]|[1-9])${halves}?`,
    readSpokenTime,
  ),
  reader(
    `(?<hour>${hourWords})(?:[\\s-](?<after>${minutesAfter}))?${halves}|(?<=(?:at|by|before|until|till?) )(?<bare>${hourWords}|1[0-2]|[1-9])(?![.:,/%]\\d|%)(?:[\\s-](?<minutes>${minutesAfter}))?`,
    readSpokenTime,
  ),
  reader(`half (?<british>${hourWords}|1[0-2]|[1-9])${halves}?(?![.,:/%]\\d|%)`, readSpokenTime),
  reader(
    "(?<=at )(?<led>[01]?\\d|2[0-3])h|(?<hour>[01]?\\d|2[0-3])h(?<minute>[0-5]\\d)?",
    ({ led, hour = led, minute = "0" }) => {
      const said = minute !== "0" ? "clear" : led !== undefined || Number(hour) > 12 ? "led" : "bare";
      const seconds = Number(hour) * 3600 + Number(minute) * 60;
      return { kind: "time", seconds, said, isExact: Number(hour) > 12 };
    },
  ),
  reader(
    wordPattern(`(?:(?<=\\dT)|(?<!\\w|\\d[.,:]))${led}${clock("")}${inHalf}(?:${to}${clock("Last")})?(?!\\w|/)`, "gi"),
    readClock,
  ),
  reader("(?:(?:12|twelve)(?::00)? )?(?:noon|midday|(?<midnight>midnight))", ({ midnight }) => ({
    ...{ kind: "time", said: "clear", isExact: true },
    ...(midnight ? { named: "midnight", seconds: 0 } : { named: "noon", seconds: 43_200 }),
  })),
  reader("(?<now>this )?(?<part>morning|afternoon|evening|night)", ({ now, part }) => ({
    kind: "part",
    part: part as PartOfDay,
    isToday: now !== undefined,
  })),
  reader("in (?<hours>\\d{1,2}):(?<rest>[0-5]\\d)(?! [ap]\\.?m)", ({ hours, rest }, today) => ({
    ...{ kind: "elapsed", day: today, elapsedMs: (Number(hours) * 60 + Number(rest)) * minuteMs },
  })),
  reader(
    `(?:in|within) (?:(?:an? )?(?:few|several|some) |\\d+\\s?[-–]\\s?\\d+\\s?)${units}|(?:${monthNames}) (?:of )?(?:this|next|last) year|(?:early|late|later|mid|sometime|(?:middle|beginning|start) of)[\\s-](?:in |on )?${the}(?:(?:next |this )?(?:week|month|year)|${monthNames})|${the}(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th)) (?:${weekdays.join("|")}) (?:of|in) (?:(?:next|this|the) month|${monthNames})`,
    () => ({ kind: "false", reason: "unclear" }),
  ),
];

function readWritten({ year: said, month, date, time, offset = "" }: Groups): Content {
  const day = dayNumber(Number(said), Number(month) - 1, Number(date));
  const hours = Number(/\d\d/.exec(offset)?.[0] ?? 0);
  const ms = time === undefined ? undefined : Date.parse(`1970-01-01T${time}${offset.toUpperCase()}`);
  if (day === undefined || Number.isNaN(ms) || hours > 14 || time?.startsWith("24")) return dayOr(undefined);
  if (ms !== undefined) return { kind: "instant", ms: day * dayMs + ms };
  return dayOr(day, { hasYear: true });
}

function secondsAt(groups: Groups, name: "" | "Last", half = groups[`half${name}`]): number | undefined {
  const [hour, minute = "0", second = "0"] = ["hour", "minute", "second"].map((field) => groups[`${field}${name}`]);
  const said = Number(hour);
  if (hour === undefined || Number(minute) > 59 || Number(second) > 59 || said > 23) return undefined;
  if (half !== undefined && (said === 0 || said > 12)) return undefined;
  const hours = half === undefined ? said : (said % 12) + (half === "p" ? 12 : 0);
  return hours * 3600 + Number(minute) * 60 + Number(second);
}

function halfOf({ hour, half, part, night }: Groups): string | undefined {
  if (half !== undefined || (part === undefined && night === undefined)) return half;
  return part === "morning" || (night !== undefined && (Number(hour) < 6 || Number(hour) === 12)) ? "a" : "p";
}

function noTime(hour: string, half: string | undefined): Content {
  const needsLead = half === undefined && (Number(hour) < 24 || Number(hour) > 29);
  return { kind: "false", reason: "impossible", needsLead };
}

function readClock(groups: Groups): Content | undefined {
  const { hour = "", minute, sign, led: lead, hourLast, signLast, halfLast } = groups;
  const half = halfOf(groups);
  const isRange = hourLast !== undefined;
  const unclear = /[:：]/.test(sign ?? "") ? "digits" : "bare";
  const said = [half, halfLast, groups.clock].some((word) => word !== undefined) ? "clear" : unclear;
  // "900" is a number and, without a preposition, so are "5" and "3-4". "0700" may be a time.
  const isPlain = minute !== undefined && sign === "" && half === undefined;
  if (isPlain && hour.length === 2 && !isRange && groups.second === undefined) return readFourDigits(hour, minute);
  if (isPlain || signLast === "" || (said === "bare" && lead === undefined && (isRange || hour.length === 1)))
    return undefined;
  const seconds = secondsAt(groups, "", half ?? halfLast);
  const last = isRange ? secondsAt(groups, "Last") : seconds;
  if (seconds === undefined || last === undefined) return said === "bare" ? undefined : noTime(hour, half);
  const isExact = half !== undefined || isOfDay(hour, said);
  const isLater = isExact && halfLast === undefined && last < 43_200 && seconds > 43_200 && last + 43_200 >= seconds;
  const lastSeconds = isLater ? last + 43_200 : last;
  return { kind: "time", said, seconds, isExact, ...(isRange && { lastSeconds }) };
}

function isOfDay(hour: string, said: string): boolean {
  return Number(hour) > 12 || hour.startsWith("0") || (said === "digits" && hour.length === 2);
}

function readFourDigits(hour: string, minute: string): Content | undefined {
  const seconds = secondsAt({ hour, minute }, "");
  return seconds === undefined ? undefined : { kind: "time", said: "led", seconds, isExact: true };
}

export function yearOf(said: string, today: number): number {
  const digits = /\d+/.exec(said)?.[0];
  const now = new Date(today * dayMs).getUTCFullYear();
  if (digits === undefined) return now + (/^next/i.test(said) ? 1 : /^last/i.test(said) ? -1 : 0);
  return digits.length === 2 ? 2000 + Number(digits) : Number(digits);
}

function dayOfYear(year: string | undefined, month: number, date: number, today: number): number | undefined {
  return year === undefined ? nextDate(month - 1, date, today) : dayNumber(yearOf(year, today), month - 1, date);
}

function readDate({ month = "", date = "", first = date, last = date, th, year: said }: Groups, today: number) {
  const [day, lastDay] = [first, last].map((one) => dayOfYear(said, monthOf(month) + 1, numberOf(one), today));
  if (Number(date) > 31 && !th) return undefined;
  const isRange = first !== last;
  if (lastDay === undefined || (isRange && (day ?? lastDay) >= lastDay)) return dayOr(undefined);
  return dayOr(day, { hasYear: said !== undefined, ...(isRange && { lastDay }) });
}

function readEdge({ edge, next, period, month, year: said, letter = "" }: Groups, today: number) {
  const name = period ?? { d: "day", w: "week", m: "month", y: "year" }[letter];
  const inYear = said === undefined ? undefined : yearOf(said, today);
  if (month !== undefined) return dayOr(daysOfMonth(monthOf(month), inYear, today)[1], { said: "word" });
  if (name === "week" || name === "month" || name === "year")
    return dayOr(endOfPeriod(name, next ? 1 : 0, today), { said: "word" });
  return next || edge ? undefined : ({ kind: "part", part: "end", isToday: true } as const);
}

function readSlashed({ one, two, year: said }: Groups, today: number): Content | undefined {
  const toDay = (month = "", date = "") => dayOfYear(said, Number(month), Number(date), today);
  const [day, otherDay] = [toDay(two, one), toDay(one, two)].filter((found) => found !== undefined);
  if (day === undefined) return { kind: "false", reason: "impossible", needsLead: said?.length !== 4 };
  return dayOr(day, { said: "slashed", hasYear: said !== undefined, ...(otherDay !== day && { otherDay }) });
}

const feasts = [
  [/^(?:christmas|xmas)\s+eve/, 12, 24],
  [/^christmas|^xmas/, 12, 25],
  [/^boxing/, 12, 26],
  [/^new.*eve/, 12, 31],
  [/^new.*day/, 1, 1],
  [/^hallow/, 10, 31],
  [/^valentine/, 2, 14],
  [/^s(?:ain)?t.*patrick/, 3, 17],
] as const;

function readFeast({ feast = "", year: said }: Groups, today: number): Content {
  const [, month, date] = feasts.find(([name]) => name.test(feast)) ?? [];
  if (month === undefined) return { kind: "false", reason: "unclear", needsLead: true };
  return dayOr(dayOfYear(said, month, date, today), { said: "feast", hasYear: said !== undefined });
}

function readSpokenTime(groups: Groups): Content {
  const { minutes, after: later, to, bare, british, hour = bare ?? british ?? "", half, clock } = groups;
  const said = numberOf(hour);
  const away = numberOf(british === undefined ? (minutes ?? later ?? "0") : "30");
  const hours = half === undefined ? said : (said % 12) + (half.startsWith("p") ? 12 : 0);
  const total = (24 * 60 + hours * 60 + (to === undefined ? away : -away)) % (24 * 60);
  const isClear = half !== undefined || clock !== undefined || away >= 15 || (away > 0 && to === undefined);
  const isExact = half !== undefined;
  const kind = british !== undefined && !isExact ? "led" : isClear ? "clear" : "bare";
  return { kind: "time", seconds: total * 60, said: kind, isExact };
}
