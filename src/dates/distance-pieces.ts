import { cardinals } from "../english/numbers.ts";
import type { Piece } from "./piece.ts";
import { addMonths } from "./zoned-time.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Parts of a day are elapsed time, parts of a month are no distance. */
interface Distance {
  readonly months: number;
  readonly days: number;
  readonly elapsedMs: number;
}

interface Length extends Distance {
  readonly start: number;
  readonly end: number;
  readonly unit: string;
}

const tens = ["thirty", "forty", "fifty", "sixty"];
const amounts = `half\\s{1,2}an?|(?:a\\s{1,2})?couple\\s{1,2}of|${[...cardinals.slice(1), ...tens].join("|")}|ninety|an?`;
const extras = "and\\s{1,2}a\\s{1,2}half\\s{1,2}|quarters?\\s{1,2}of\\s{1,2}an?\\s{1,2}";
const units = "(?:min(?:ute)?|hr|hour|day|week|fortnight|month|year)s?|h";
// Once only: each further copy in one pattern takes milliseconds to compile.
const eachLength = new RegExp(
  `(?<!\\w)(?:(\\d{1,4}(?:\\.\\d{1,2})?)(?:\\s{0,2}|-)|(${amounts})[\\s-]{1,2})(${extras})?(${units})(?!\\w)`,
  "gi",
);
const between = /^(?:,|\s{1,2}and)?\s{1,2}$/i;
const andHalf = /^\s{1,2}and\s{1,2}a\s{1,2}half(?!\w)/i;
const prefix = /(?<!\w)(?:in|within)\s{1,2}$/i;
const ownTime = /^['’]s?\s{1,2}time(?!\w)/i;
const fromNow = /^\s{1,2}(?:from\s{1,2}(?:now|today)|(ago))(?!\w)/i;
const fromDay = /^\s{1,2}(?:from|after|(before))(?!\w)/i;
/** "A week on monday", and "two weeks today". */
const weeksOn = /^(?:\s{1,2}on(?!\w)|(?=\s{1,2}(?:today|tomorrow)(?!\w)))/i;
const lookAround = 24;

/** Distances: "in two hours", "3 days ago", and "a week from", which moves the day that follows. */
export function findDistances(text: string, today: number): readonly Piece[] {
  const lengths = [...text.matchAll(eachLength)].map(toLength);
  const pieces: Piece[] = [];
  for (let index = 0; index < lengths.length; ) {
    const { total, count } = sumFrom(lengths, index, text);
    const piece = toPiece(total, text, today);
    if (piece !== undefined) pieces.push(piece);
    index += count;
  }
  return pieces;
}

function toLength(match: RegExpMatchArray): Length {
  const [whole, digits, word = "", extra = "", said = ""] = match;
  const start = match.index ?? 0;
  const amount = digits === undefined ? amountOf(word.toLowerCase()) : Number(digits);
  const count = /^q/i.test(extra) ? amount / 4 : extra === "" ? amount : amount + 0.5;
  const unit = said.toLowerCase();
  return { start, end: start + whole.length, unit, ...distanceOf(count, unit) };
}

function amountOf(word: string): number {
  if (word.startsWith("half")) return 0.5;
  if (word.includes("couple")) return 2;
  if (word === "ninety") return 90;
  const ten = tens.indexOf(word);
  return ten === -1 ? Math.max(1, cardinals.indexOf(word)) : 30 + 10 * ten;
}

function distanceOf(count: number, unit: string): Distance {
  if (unit.startsWith("y")) return { months: 12 * count, days: 0, elapsedMs: 0 };
  if (unit.startsWith("mo")) return { months: count, days: 0, elapsedMs: 0 };
  if (unit.startsWith("m")) return { months: 0, days: 0, elapsedMs: (count * hourMs) / 60 };
  if (unit.startsWith("h")) return { months: 0, days: 0, elapsedMs: count * hourMs };
  const days = count * (unit.startsWith("w") ? 7 : unit.startsWith("f") ? 14 : 1);
  return { months: 0, days: Math.trunc(days), elapsedMs: (days - Math.trunc(days)) * dayMs };
}

function sum<T extends Distance>(one: T, other: Distance): T {
  return {
    ...one,
    months: one.months + other.months,
    days: one.days + other.days,
    elapsedMs: one.elapsedMs + other.elapsedMs,
  };
}

/** "2 hours and 5 minutes", "an hour and a half". */
function sumFrom(lengths: readonly Length[], first: number, text: string): { total: Length; count: number } {
  let [total, ...others] = lengths.slice(first, first + 3);
  if (total === undefined) throw new RangeError(`there is no length ${first}`);
  let count = 1;
  for (const next of others) {
    if (!between.test(text.slice(total.end, next.start))) break;
    total = { ...sum(total, next), unit: next.unit, end: next.end };
    count++;
  }
  const half = andHalf.exec(text.slice(total.end, total.end + lookAround))?.[0].length;
  if (half !== undefined) total = { ...sum(total, distanceOf(0.5, total.unit)), end: total.end + half };
  return { total, count };
}

function toPiece(total: Length, text: string, today: number): Piece | undefined {
  if (!Number.isInteger(total.months)) return undefined;
  const { start, months, days, unit } = total;
  const after = text.slice(total.end, total.end + lookAround);
  const before = prefix.exec(text.slice(Math.max(0, start - lookAround), start))?.[0].length;
  if (before !== undefined) {
    const time = ownTime.exec(after)?.[0].length;
    return counted({ ...total, start: start - before, end: total.end + (time ?? 0) }, 1, today);
  }
  const now = fromNow.exec(after);
  if (now !== null) return counted({ ...total, end: total.end + now[0].length }, now[1] === undefined ? 1 : -1, today);
  const day = fromDay.exec(after) ?? (unit.startsWith("week") ? weeksOn.exec(after) : null);
  if (day === null || total.elapsedMs !== 0) return undefined;
  const sign = day[1] === undefined ? 1 : -1;
  return { kind: "span", start, end: total.end + day[0].length, months: sign * months, days: sign * days };
}

function counted({ start, end, months, days, elapsedMs }: Length, sign: 1 | -1, today: number): Piece {
  const day = addMonths(today, sign * months) + sign * days;
  if (elapsedMs === 0) return { kind: "day", said: "span", start, end, day };
  return { kind: "elapsed", start, end, day, elapsedMs: sign * Math.round(elapsedMs) };
}
