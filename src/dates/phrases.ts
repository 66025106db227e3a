import { isVerb } from "../english/word-classes.ts";
import { countingWord } from "./date-words.ts";
import type { DayPiece, Piece, Place, TimePiece } from "./pieces.ts";
import { addMonths, dayMs, dayNumber, weekdayInWeek, weekdayOf } from "./zoned-time.ts";

export interface Phrase extends Place {
  readonly day?: DayPiece;
  readonly time?: TimePiece;
  readonly part?: Extract<Piece, { kind: "part" }>;
  readonly span?: Extract<Piece, { kind: "span" }>;
  readonly moment?: Extract<Piece, { kind: "elapsed" | "instant" }>;
  readonly false?: Extract<Piece, { kind: "false" }>;
  readonly clashEnd?: number;
}

export function withoutOverlaps(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = [];
  const sorted = [...pieces].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const piece of sorted) if ((kept.at(-1)?.end ?? 0) <= piece.start) kept.push(piece);
  return kept;
}

const maxPieces = 6;
const takesArticle = /^(?:date|ordinal|weekday|short-weekday|slashed)$/;

export function joinFrom(pieces: readonly Piece[], first: number, text: string): { phrase: Phrase; count: number } {
  const [piece, ...others] = pieces.slice(first, first + maxPieces);
  if (piece === undefined) throw new RangeError(`there is no piece ${first}`);
  const key = piece.kind === "elapsed" || piece.kind === "instant" ? "moment" : piece.kind;
  let phrase: Phrase = { start: piece.start, end: piece.end, [key]: piece };
  let count = 1;
  for (const next of others) {
    const joined = join(phrase, next, text);
    phrase = joined ?? phrase;
    if (joined === undefined || joined.clashEnd !== undefined) break;
    count++;
  }
  const isNamedDay = phrase.day !== undefined && piece.kind === "day" && takesArticle.test(piece.said);
  const article = isNamedDay ? /(?<!\w)(?:the|this)\s+(?:coming\s+)?$|(?<!\w)coming\s+$/i : /(?<!\w)the\s+next\s+$/i;
  const hasArticle = isNamedDay || (piece.kind === "time" && piece.said !== "bare");
  const lead = hasArticle ? article.exec(text.slice(Math.max(0, phrase.start - 16), phrase.start)) : null;
  return { phrase: { ...phrase, start: phrase.start - (lead?.[0].length ?? 0) }, count };
}

const beforeTime = /^(?:\s*,)?\s*(?:(?:at|by|from|around|before|until|till?|between)\s+|@\s?)?$|^T$/i;
const beforeBareTime = /^(?:\s*,)?\s*(?:(?:at|by|around|about|before|until|till?)\s+|@\s?)$/i;
const afterShortName = /^[.,]?\s*$/;
const beforeDay = /^(?:\s*,)?\s*(?:(?:on|of)\s+)?(?:the\s+)?$/i;
const ofDay = /^\s*(?:on|of)\s+(?:the\s+)?$/i;
const beforeDate = /^[.,]?\s*(?:the\s+)?$/i;
const beforePart = /^\s*(?:(?:in\s+the|at|by|this)\s+)?$/i;
const maxGap = 12;

function join(phrase: Phrase, next: Piece, text: string): Phrase | undefined {
  const { day, span } = phrase;
  const gap = text.slice(phrase.end, next.start);
  if (phrase.moment !== undefined || phrase.false !== undefined || gap.length > maxGap) return undefined;
  if (span !== undefined && day === undefined && phrase.time === undefined)
    return /^\s*(?:the\s+)?$/i.test(gap) ? joinSpan(phrase, span, next) : undefined;
  const { end } = next;
  if (next.kind === "day" && day !== undefined) return joinDay(phrase, day, next, gap);
  if (next.kind === "day") return takesDay(phrase, gap, text) ? { ...phrase, day: next, end } : undefined;
  if (next.kind === "time") return takesTime(phrase, next, gap, text) ? { ...phrase, time: next, end } : undefined;
  return next.kind === "part" && takesPart(phrase, next, gap, text) ? { ...phrase, part: next, end } : undefined;
}

function joinSpan(phrase: Phrase, span: NonNullable<Phrase["span"]>, next: Piece): Phrase | undefined {
  const { end } = next;
  if (next.kind === "time") return span.elapsedMs === 0 ? undefined : { ...phrase, time: next, end };
  if (next.kind !== "day") return undefined;
  const from = { ...next, said: "span", day: addMonths(next.day, span.months) + span.days } as const;
  return { ...phrase, end, day: from };
}

function takesTime({ day, part, time: known }: Phrase, time: TimePiece, gap: string, text: string): boolean {
  if (known !== undefined || part?.part === "end" || (day === undefined && part?.isToday !== true)) return false;
  const isShort = day?.said === "short-weekday" && part === undefined;
  const isDotted = /^\d\d?\.\d\d$/.test(text.slice(time.start, time.end));
  if (time.said === "bare" && !isDotted) return !isShort && beforeBareTime.test(gap);
  return (isShort ? afterShortName : beforeTime).test(gap);
}

function takesPart(phrase: Phrase, part: NonNullable<Phrase["part"]>, gap: string, text: string): boolean {
  const { day, time } = phrase;
  const isClear = day === undefined ? time?.isExact === false : part.part !== "end" || time === undefined;
  if (phrase.part !== undefined || !isClear || !beforePart.test(gap) || (/at/i.test(gap) && part.part !== "night"))
    return false;
  const isBare = day === undefined && time?.said === "bare";
  return !isBare || (followsAt(phrase, text) && (part.isToday || /\S/.test(gap)));
}

function followsAt({ start }: Place, text: string): boolean {
  return /(?<!\w)(?:at|by|around|until|till?|before)\s+$|@\s?$/i.test(text.slice(Math.max(0, start - 10), start));
}

function takesDay(phrase: Phrase, gap: string, text: string): boolean {
  const { start, time, part } = phrase;
  if (time?.said === "bare" && part === undefined && !followsAt(phrase, text)) return false;
  if (time !== undefined || part?.isToday !== false) return beforeDay.test(gap);
  const isName = /on/i.test(gap) && !/(?<!\w)(?:the|at)\s+$/i.test(text.slice(Math.max(0, start - 8), start));
  return !isName && ofDay.test(gap);
}

function joinDay(phrase: Phrase, day: DayPiece, next: DayPiece, gap: string): Phrase | undefined {
  const { end } = next;
  if (phrase.time !== undefined || phrase.part !== undefined) return undefined;
  if (day.said === "next-week" && next.weekday !== undefined && beforeDay.test(gap))
    return { ...phrase, day: { ...next, said: "weekday", day: weekdayInWeek(next.weekday, day.day) }, end };
  if (day.said === "next-year" && isYearless(next) && beforeDay.test(gap)) {
    const own = new Date(next.day * dayMs);
    const there = dayNumber(new Date(day.day * dayMs).getUTCFullYear(), own.getUTCMonth(), own.getUTCDate());
    return there === undefined ? undefined : { ...phrase, day: { ...next, hasYear: true, day: there }, end };
  }
  const [date, weekday] = day.weekday === undefined ? [day, next.weekday] : [next, day.weekday];
  const isDate = /^(?:date|slashed)$/.test(date.said) || (date === next && date.said === "ordinal");
  if (!isDate || weekday === undefined || !(date === next ? beforeDate : /^\s*[,(]?\s*$/).test(gap)) return undefined;
  const [only, other] = [date.day, date.otherDay].filter((one) => one !== undefined && weekdayOf(one) === weekday);
  if (only === undefined || other !== undefined) return { ...phrase, clashEnd: end };
  const { otherDay: _, ...rest } = date;
  return { ...phrase, day: { ...rest, said: "date", day: only }, end };
}

const followers =
  "a|about|after|again|also|an|and|are|as|at|because|before|but|by|can|could|due|each|every|for|from|high|i|if|in|into|is|it|" +
  "list|low|my|not|of|off|on|onto|or|otherwise|our|please|so|tag|tagged|that|the|then|this|to|todo|until|was|we|when|while|" +
  "with|without|would|you|your";
const otherWord = new RegExp(`^\\s+(?!(?:${followers})(?!\\w))\\p{L}`, "u");
const measured =
  /^\s+(?:km|kg|g|m|cm|mm|l|ml|miles?|met(?:er|re)s?|feet|steps?|times|percent|degrees?|people)(?![a-z])/;
const other =
  /(?<!\w)(?:(?:every|each|per|any|all|good|black|cyber|easter|ash|palm|super)\s+(?:other\s+)?|\d{1,2}(?:st|nd|rd|th)\s+of\s+)$/;
const further = /^\s+(?:after\s+next|before\s+last|week|fortnight|(?:of\s+)?(?:next|this)\s+(?:month|year))(?![a-z])/;
const howMany = /how\s+many\s.*(?:second|minute|hour|day|week|month|year)s?(?:\s+(?:are|is))?(?:\s+there)?\s+$/;
const leading =
  /(?<![\w'’-])((?:due\s+|no\s+later\s+than\s+|not\s+later\s+than\s+)?(?:by|on|at|before|until|till?|after|since|from|for|around|between)|due|(?:due\s+)?no\s+later\s+than)\s+$|(@)\s?$/i;
const maxLead = 40;
const wordBefore = /[\p{L}\p{N}_$€£#\\]$|[\p{L}\p{N}_][-./:–'’]$|\d[,+]$/u;
const wordAfter = /^(?:[\p{L}\p{N}_%°]|['’]\p{L}|[-–/+][\p{L}\p{N}]|[.:,]\d)/u;

export function leadBefore(text: string, place: number) {
  const before = text.slice(Math.max(0, place - maxLead), place);
  const found = leading.exec(before);
  if (found === null) return undefined;
  const preposition = (found[1] ?? "at").toLowerCase().replace(/\s+/g, " ");
  return { start: place - before.length + found.index, preposition };
}

export type Verdict = "date" | "none" | "impossible" | "unclear";

interface Standing extends Phrase {
  readonly before: string;
  readonly after: string;
  readonly lead: string;
  readonly isFollowed: boolean;
}

export function judge(phrase: Phrase, text: string, lead = ""): Verdict {
  const before = text.slice(Math.max(0, phrase.start - maxLead), phrase.start).toLowerCase();
  const after = text.slice(phrase.end, phrase.end + maxLead).toLowerCase();
  const isFollowed = otherWord.test(after) && !(phrase.time?.isExact && isVerb(/\p{L}+/u.exec(after)?.[0] ?? ""));
  const standing = { ...phrase, before, after, lead, isFollowed };
  const isPartOfWord = wordBefore.test(before) || wordAfter.test(after);
  const isName = phrase.start > 0 && /\bDay\b/.test(text.slice(phrase.start, phrase.end));
  const isOpen = phrase.span !== undefined && phrase.day === undefined && phrase.time === undefined;
  if (isPartOfWord || isName || isOpen || other.test(before)) return "none";
  return rules.map((rule) => rule(standing)).find((verdict) => verdict) || "date";
}

const rules: readonly ((phrase: Standing) => Verdict | false | undefined)[] = [
  ({ false: found, ...at }) =>
    found && (found.needsLead && (at.lead === "" || at.isFollowed || isSum(at)) ? "none" : found.reason),
  ({ day, after }) => further.test(after) && (day?.weekday === undefined ? "none" : "unclear"),
  ({ day, time, after }) => (isYearless(day) || (!day && time)) && /^,?\s+(?:19|20)\d\d(?!\w)/.test(after) && "none",
  ({ day, moment, before }) => (day?.said === "span" || moment?.kind === "elapsed") && howMany.test(before) && "none",
  ({ day, time, part, ...at }) => day && !time && !part && judgeDay(day, at),
  // "The 3rd" may be the third of anything.
  ({ day, ...at }) => day?.said === "ordinal" && judgeDay(day, at),
  ({ day }) => day?.otherDay !== undefined && "unclear",
  // "Morning" alone names no day.
  ({ day, moment, time, part }) => !day && !moment && !time && part?.isToday !== true && "none",
  ({ day, time, part, ...at }) => !day && !part && time && judgeTime(time, at),
];

function isYearless(day: DayPiece | undefined): boolean {
  return day?.said === "date" && day.hasYear !== true;
}

function isSum({ lead, before }: Standing): boolean {
  return lead === "by" && countingWord.test(before.slice(0, -3));
}

function judgeDay(day: DayPiece, at: Standing): Verdict | undefined {
  const { said } = day;
  const { before, after, lead, isFollowed } = at;
  const isOn = !/^(?:at|for|from|around|)$/.test(lead);
  const isInBrackets = said === "short-weekday" && /\(\s*$/.test(before) && /^\s*\)/.test(after);
  // "Move it to the 30th" is a date; "2 to the 3rd" and "to the 3rd list" are not.
  const isTo = /\p{L}\s+to\s+(?:the\s+)?$/u.test(before) && !/^\s+list/.test(after);
  const isLed = lead === "" ? isTo : lead !== "at";
  if (said === "ordinal" || said === "short-weekday") return isInBrackets || (isLed && !isFollowed) ? "date" : "none";
  if (said === "feast") return (before + after).trim() === "" || (isOn && !isFollowed) ? "date" : "none";
  if (said === "slashed" && !day.hasYear && (!isOn || isFollowed || isSum(at))) return "none";
  return isYearless(day) ? judgeNumber(at) : undefined;
}

function judgeTime({ said, named, seconds }: TimePiece, at: Standing): Verdict | undefined {
  const isAt = /^(?:at|by|before|after|until|till?|around)$/.test(at.lead);
  if (said === "led") return isAt && (at.lead === "at" || !at.isFollowed) ? "date" : "none";
  if (said === "bare") return isAt && seconds <= 43_200 && !at.isFollowed && !isSum(at) ? "date" : "none";
  return said === "digits" || named !== undefined ? judgeNumber(at) : undefined;
}

function judgeNumber({ before, after, lead, isFollowed }: Standing): Verdict {
  return !measured.test(after) && (lead !== "" || before.trim() === "" || !isFollowed) ? "date" : "none";
}
