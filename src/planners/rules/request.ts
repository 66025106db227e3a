import { feastWords, monthNames } from "../../dates/date-words.ts";
import { type DateClock, type DateReading, type FalseDate, readDates } from "../../dates/read-dates.ts";
import { type DateRange, readRange } from "../../dates/read-range.ts";
import { cardinals } from "../../english/numbers.ts";
import { isPastVerb, isVerb, onePointers, smallWords, weekdays } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import { type Amount, readAmount } from "./amounts.ts";

export const maxTokens = 4_000;

export interface RequestDate extends DateReading {
  readonly isNamed: boolean;
  /** False before a noun, where the date may be part of a name: "friday report". */
  readonly isFirm: boolean;
  dayAlone(): { readonly end: number; readonly date: string } | undefined;
  inPast(): RequestDate;
}

export interface BoundThing {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly keyField: string;
  readonly key: string | number;
  readonly label?: string | undefined;
}

export interface RequestText {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly words: readonly string[];
  readonly clock: DateClock;
  readonly things: ReadonlyMap<number, BoundThing>;
  readonly dates: readonly RequestDate[];
  readonly ranges: readonly RequestRange[];
  readonly amounts: ReadonlyMap<number, Amount>;
  /** In the order of their first tokens. Marks may overlap. */
  readonly marks: readonly Mark[];
  /** Keyed by each token at which a date may start, including "at", "on" and "for". */
  readonly datesByStart: ReadonlyMap<number, RequestDate>;
}

/** Words that are a value for every tool. A plan must use each mark or ask about it. Positions count tokens. */
export interface Mark {
  readonly kind: "date" | "amount" | "number" | "quote" | "tag" | "address";
  readonly start: number;
  readonly end: number;
  readonly leadStart: number;
  readonly isFirm: boolean;
  readonly isFalse?: boolean;
}

export interface RequestRange {
  readonly start: number;
  readonly end: number;
  /** A day, or the first and last day: `2026-11-22`, `2026-11-22/2026-11-30`, `../2026-11-30`. */
  readonly value: string;
  inPast(): string;
}

export const quotedWord = '"';
const thingWord = "\uFFFC";

export function readRequest(text: string, clock: DateClock, bound: readonly BoundThing[] = []): RequestText {
  const tokens = joinBound(tokenize(text, maxTokens), bound);
  const things = new Map(
    bound.map((thing) => [tokens.findIndex(({ kind, start }) => kind === "thing" && start === thing.start), thing]),
  );
  const bullets = findBullets(tokens);
  const words = tokens.map(({ kind, norm }, at) => (bullets.has(at) ? "•" : kind === "quote" ? quotedWord : norm));
  const { dates, marks } = findDates({ text, tokens }, clock);
  const ranges = findRanges({ text, tokens }, clock);
  const datesByStart = new Map(
    dates.flatMap((date) => {
      const isLed = /^(?:at|on|for)$/.test(date.preposition ?? "");
      return (isLed ? [date.start, date.leadStart] : [date.start]).map((start) => [start, date]);
    }),
  );
  const amounts = findAmounts(tokens);
  const addMark = (kind: Mark["kind"], start: number, end: number) =>
    marks.push({ kind, start, end, leadStart: start, isFirm: true });
  for (const { start, end } of ranges) addMark("date", start, end);
  for (const { start, end, measures } of amounts.values())
    addMark(measures.length > 0 ? "amount" : "number", start, end);
  for (const [at, { kind, norm }] of tokens.entries()) {
    const next = tokens[at + 1];
    if (kind === "quote" || kind === "address") addMark(kind, at, at + 1);
    else if (norm === "#" && next?.kind === "word" && next.glued) addMark("tag", at, at + 2);
  }
  marks.sort((one, other) => one.start - other.start);
  return { text, tokens, words, clock, things, dates, ranges, amounts, marks, datesByStart };
}

function joinBound(tokens: readonly Token[], bound: readonly BoundThing[]): readonly Token[] {
  return tokens.flatMap((token): readonly Token[] => {
    const thing = bound.find(({ start, end }) => token.start >= start && token.start < end);
    if (thing === undefined) return [token];
    return token.start === thing.start ? [{ ...token, kind: "thing", norm: thingWord, end: thing.end }] : [];
  });
}

export function valueOfThing({ keyField, key, label }: BoundThing, name: string, isText: boolean) {
  if (name === keyField) return key;
  return isText ? (label ?? (typeof key === "string" ? key : undefined)) : undefined;
}

export function onceEach<K extends string | number, T>(compute: (key: K) => T): (key: K) => T {
  const known = new Map<K, { readonly result: T }>();
  return (key) => {
    const found = known.get(key) ?? { result: compute(key) };
    known.set(key, found);
    return found.result;
  };
}

type Said = Pick<RequestText, "text" | "tokens">;
type Place = Pick<Mark, "start" | "end">;

function findAmounts(tokens: readonly Token[]): ReadonlyMap<number, Amount> {
  const found = new Map<number, Amount>();
  const isJoint = (at: number) => tokens[at]?.glued === true && /^[-_/.]$/.test(tokens[at]?.norm ?? "");
  const isOfCode = (at: number): boolean => {
    const isJoined = tokens[at]?.glued === true && isJoint(at - 1);
    const before = isJoined ? at - 2 : isJoint(at) ? at - 1 : -1;
    return before >= 0 && (tokens[before]?.kind === "word" || isOfCode(before));
  };
  for (let at = 0; at < tokens.length; ) {
    const isPointed = tokens[at]?.norm === "one" && onePointers.has(tokens[at - 1]?.norm ?? "");
    const amount = tokens[at]?.kind === "quote" || isPointed || isOfCode(at) ? undefined : readAmount(tokens, at);
    if (amount !== undefined) found.set(at, amount);
    at = amount?.end ?? at + 1;
  }
  return found;
}

function findRanges({ text, tokens }: Said, clock: DateClock): readonly RequestRange[] {
  const ranges: RequestRange[] = [];
  for (let from = 0; ranges.length < 4; ) {
    const rest = text.slice(from);
    const found = readRange(rest, clock);
    if (found === undefined) break;
    const start = tokens.findIndex((token) => token.start === from + found.start);
    const end = tokens.findIndex((token) => token.end === from + found.end) + 1;
    const isSame = /^(?:[\s,;]|\b(?:and|but|or)\b)*$/.test(text.slice(from, from + found.start));
    if (start === -1 || end <= start || (from > 0 && isSame)) break;
    const inPast = () => textOfRange(readRange(rest, clock, { isPast: true }) ?? found);
    const isPast = speaksOfPast(tokens, start);
    ranges.push({ start, end, value: isPast ? inPast() : textOfRange(found), inPast });
    from += found.end;
  }
  return ranges;
}

function textOfRange({ from = "..", to = ".." }: DateRange): string {
  return from === to ? from : `${from}/${to}`;
}

const vagueDate = /^(?:mon|tues?|weds?|thurs?|fri|(?:[01]\d|2[0-3])(?:15|30|45))$/;

function findDates(said: Said, clock: DateClock) {
  const { text, tokens } = said;
  const marks: Mark[] = [];
  const starts = new Map(tokens.map(({ kind, start }, index) => [kind === "quote" ? -1 : start, index]));
  const ends = new Map(tokens.map(({ end }, index) => [end, index + 1]));
  const placeOf = (found: FalseDate | DateReading) => {
    const [start, end] = [starts.get(found.start), ends.get(found.end)];
    if (start === undefined || end === undefined) return undefined;
    const place = { start, end, leadStart: starts.get(found.leadStart) ?? start };
    return { ...place, isFirm: standsAlone(tokens, place), isNamed: isNamed(said, start, end) };
  };
  const addMark = (found: FalseDate | DateReading, isFalse: boolean) => {
    const place = placeOf(found);
    if (place !== undefined)
      marks.push({ kind: "date", ...place, isFirm: isFalse || (place.isFirm && !place.isNamed), isFalse });
  };
  const found = readDates(text, clock, { onFalse: (each) => addMark(each, true) });
  for (const reading of found) addMark(reading, false);
  // Without a preposition, a vague date may be part of a name: "gas check weds", "1430 call Ada".
  for (const [at, { norm }] of tokens.entries())
    if (vagueDate.test(norm) && !marks.some(({ start, end }) => start <= at && at < end))
      marks.push({ kind: "date", start: at, end: at + 1, leadStart: at, isFirm: false, isFalse: true });
  const all = found.flatMap((reading) => reading.ends ?? (reading.until === undefined ? [reading] : []));
  const dates = all.flatMap((reading): readonly RequestDate[] => {
    const place = placeOf(reading);
    if (place === undefined || (!place.isFirm && isCapital(said, place.start) && isCapital(said, place.end))) return [];
    const own: RequestDate = {
      ...{ ...reading, ...place },
      dayAlone: () => findDayAlone(said, reading, place, clock),
      inPast: () => {
        const [past] = readDates(text.slice(reading.leadStart, reading.end), clock, { isPast: true });
        return { ...own, ...past, ...place };
      },
    };
    return [speaksOfPast(tokens, place.start) ? own.inPast() : own];
  });
  return { dates, marks };
}

function speaksOfPast(tokens: readonly Token[], end: number): boolean {
  const isSeparator = ({ norm }: Token) => /^(?:[,;.!?]|and|then|but)$/.test(norm);
  const start = tokens.slice(0, end).findLastIndex(isSeparator) + 1;
  const words = tokens.slice(start, end).map(({ norm }) => norm);
  if (words.at(-1) === "since") return true;
  if (words.includes("got") && words.some((word) => /^(?:have|has|ive)$/.test(word))) return false;
  const first = words.findIndex((word) => !/^(?:i|we|he|she|they|just|hey|ok|so)$/.test(word));
  const isPerfect = (at: number) => words.slice(Math.max(0, at - 3), at).some((each) => /^(?:have|has)$/.test(each));
  const isPast = (word: string, at: number) => isPastVerb(word) && (at === first || isPerfect(at));
  return words.some((word, at) => /^(?:did|was|were|had)$/.test(word) || isPast(word, at));
}

const alwaysCapital = new RegExp(
  `^(?:${weekdays.join("|")}|(?:mon|tues?|weds?|thurs?|fri|sat|sun)|${monthNames}|(?:${feastWords}).*|eve|day|[ap]m|\\d.*)$`,
  "i",
);

function isNamed(said: Said, start: number, end: number): boolean {
  if (said.text === said.text.toUpperCase()) return false;
  for (let at = Math.max(1, start); at < end; at++)
    if (isCapital(said, at) && !alwaysCapital.test(said.tokens[at]?.norm ?? "")) return true;
  return false;
}

const followers = new Set([
  ...smallWords,
  ...wordSet(
    "again also because due every high low onto otherwise tag tagged then while without instead too thanks asap urgent",
  ),
]);

function standsAlone(tokens: readonly Token[], { start, end }: Place): boolean {
  const next = tokens[end];
  const isOpening = start < 2 && next !== undefined && isVerb(next.norm);
  return next === undefined || next.kind !== "word" || followers.has(next.norm) || next.newLine || isOpening;
}

export function isCapital({ text, tokens }: Said, at: number): boolean {
  return tokens[at]?.kind === "word" && /\p{Lu}/u.test(text.charAt(tokens[at]?.start ?? 0));
}

function findDayAlone({ text, tokens }: Said, reading: DateReading, place: Place, clock: DateClock) {
  for (let end = place.end - 1; end > place.start; end--) {
    if (tokens[end]?.glued) continue;
    const part = text.slice(reading.start, tokens[end - 1]?.end);
    const [day] = readDates(part, clock);
    const isWhole = day?.start === 0 && day.end === part.length;
    if (isWhole && day.dateTime === undefined) return { end, date: day.date };
  }
  return undefined;
}

export function textBetween({ text, tokens }: Said, start: number, end: number): string {
  const first = tokens[start];
  const last = tokens[end - 1];
  return first === undefined || last === undefined || end <= start ? "" : text.slice(first.start, last.end);
}

export function findBullets(tokens: readonly Token[]): ReadonlySet<number> {
  const signs = tokens.flatMap(({ norm, newLine }, at) => {
    const isSign = (at === 0 || newLine === true) && /^[-*•·–—]$/.test(norm) && tokens[at + 1]?.glued !== true;
    return isSign ? [at] : [];
  });
  return new Set([...(signs.length > 1 ? signs : []), ...[...itemMarks(tokens).values()].map((end) => end - 1)]);
}

const numberWords = cardinals.slice(1, 11);
const noMarks: ReadonlyMap<number, number> = new Map();

/** Maps the start of each item number to its end. Items count from one: "1. …", "1) …", "step 1: …, step two: …". */
export function itemMarks(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const first = readMark(tokens, 0, 1);
  if (first === undefined) return noMarks;
  const marks = new Map([[0, first]]);
  for (let at = first; at < tokens.length; at++) {
    const end = readMark(tokens, at, marks.size + 1);
    if (end !== undefined) marks.set(at, end);
  }
  // A single "1. 5" may be arithmetic.
  return marks.size > 1 || isStep(tokens[0]) ? marks : noMarks;
}

function isStep(token: Token | undefined): boolean {
  return token?.norm === "step" || token?.norm === "task";
}

function readMark(tokens: readonly Token[], start: number, count: number): number | undefined {
  const hasName = isStep(tokens[start]);
  const at = hasName ? start + 1 : start;
  const { norm } = tokens[at] ?? {};
  const isCount = norm === String(count) || (hasName && norm === numberWords[count - 1]);
  if (!isCount) return undefined;
  const sign = tokens[at + 1];
  const signs = hasName ? ":.,)-–" : ".):";
  const isMark = sign?.kind === "sign" && signs.includes(sign.norm) && tokens[at + 2]?.glued !== true;
  return isMark ? at + 2 : hasName ? at + 1 : undefined;
}
