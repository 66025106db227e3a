import { weekdayInWeek, weekdayOf } from "./calendar.ts";
import type { DayPiece, ElapsedPiece, InstantPiece, PartPiece, Piece, SpanPiece, TimePiece } from "./piece.ts";
import { addMonths } from "./zoned-time.ts";

/** Pieces that say one moment together: at least one of them is there. */
export interface Phrase {
  readonly start: number;
  readonly end: number;
  readonly day?: DayPiece;
  readonly time?: TimePiece;
  readonly part?: PartPiece;
  readonly span?: SpanPiece;
  readonly moment?: ElapsedPiece | InstantPiece;
}

/** Of pieces that overlap, the first and longest; a bare number gives way to whatever else it is a part of. */
export function withoutOverlaps(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = [];
  const sorted = [...pieces].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const piece of sorted) {
    const last = kept.at(-1);
    if (last === undefined || last.end <= piece.start) kept.push(piece);
    else if (isBare(last) && !isBare(piece)) kept[kept.length - 1] = piece;
  }
  return kept;
}

/** The longest phrase that begins with a piece, and how many pieces it has. */
export function joinFrom(pieces: readonly Piece[], first: number, text: string): { phrase: Phrase; count: number } {
  const [piece, ...others] = pieces.slice(first, first + maxPieces);
  if (piece === undefined) throw new RangeError(`there is no piece ${first}`);
  let phrase = phraseOf(piece);
  let count = 1;
  for (const next of others) {
    const joined = join(phrase, next, text);
    if (joined === undefined) break;
    phrase = joined;
    count++;
  }
  const before = /(?<!\w)(?:the\s+)?(?:coming\s+)?$/i.exec(text.slice(Math.max(0, phrase.start - 16), phrase.start));
  const hasArticle = phrase.day !== undefined && piece.kind === "day" && takesArticle.has(piece.said);
  return { phrase: hasArticle && before ? { ...phrase, start: phrase.start - before[0].length } : phrase, count };
}

/** What may follow "the" or "the coming". */
const takesArticle: ReadonlySet<DayPiece["said"]> = new Set(["date", "ordinal", "weekday", "short-weekday"]);

/** "A week from next week friday evening at 8". */
const maxPieces = 6;

function isBare(piece: Piece): boolean {
  return piece.kind === "time" && piece.said === "bare";
}

function phraseOf(piece: Piece): Phrase {
  const { start, end } = piece;
  switch (piece.kind) {
    case "day":
      return { start, end, day: piece };
    case "time":
      return { start, end, time: piece };
    case "part":
      return { start, end, part: piece };
    case "span":
      return { start, end, span: piece };
    default:
      return { start, end, moment: piece };
  }
}

const beforeTime = /^(?:\s*,)?\s*(?:(?:at|by|from|around|before|until)\s+|@\s?)?$|^T$/i;
const beforeBareTime = /^(?:\s*,)?\s*(?:at\s+|@\s?)$/i;
const afterShortName = /^[.,]?\s*$/;
const beforeDay = /^(?:\s*,)?\s*(?:(?:on|of)\s+)?(?:the\s+)?$/i;
const ofDay = /^\s*(?:on|of)\s+(?:the\s+)?$/i;
const beforeDate = /^[.,]?\s*(?:the\s+)?$/i;
const beforePart = /^\s*(?:(?:in\s+the|at|by|this)\s+)?$/i;

/** The phrase with one more piece, if that belongs to it. */
function join(phrase: Phrase, next: Piece, text: string): Phrase | undefined {
  const gap = text.slice(phrase.end, next.start);
  // Nothing that may stand between is longer.
  if (phrase.moment !== undefined || gap.length > 12) return undefined;
  switch (next.kind) {
    case "day":
      return joinDay(phrase, next, gap, text);
    case "time":
      return joinTime(phrase, next, gap);
    case "part":
      return joinPart(phrase, next, gap, text);
    default:
      return undefined;
  }
}

function joinTime(phrase: Phrase, time: TimePiece, gap: string): Phrase | undefined {
  if (phrase.time !== undefined || phrase.span !== undefined || phrase.part?.part === "end") return undefined;
  if (phrase.day === undefined && phrase.part?.isToday !== true) return undefined;
  // "the cat sat at 5pm"
  const isShort = phrase.day?.said === "short-weekday" && phrase.part === undefined;
  const pattern = time.said === "bare" ? beforeBareTime : isShort ? afterShortName : beforeTime;
  return pattern.test(gap) && !(isShort && time.said === "bare") ? { ...phrase, time, end: time.end } : undefined;
}

function joinPart(phrase: Phrase, part: PartPiece, gap: string, text: string): Phrase | undefined {
  if (phrase.part !== undefined || phrase.span !== undefined || !beforePart.test(gap)) return undefined;
  if (/at/i.test(gap) && part.part !== "night") return undefined;
  if (part.part === "end" && phrase.time !== undefined) return undefined;
  if (phrase.day === undefined && (phrase.time === undefined || phrase.time.isExact)) return undefined;
  // "At 5 in the evening", "at 5 this evening"; "buy 5 evening dresses".
  const isBare = phrase.day === undefined && phrase.time?.said === "bare";
  if (isBare && (!followsAt(phrase, text) || !(part.isToday || /\S/.test(gap)))) return undefined;
  return { ...phrase, part, end: part.end };
}

/** "Buy 8 tonight" says no hour. */
function followsAt({ start }: Phrase, text: string): boolean {
  return /(?<!\w)(?:at|by|around|until|before)\s+$|@\s?$/i.test(text.slice(Math.max(0, start - 10), start));
}

function joinFirstDay(phrase: Phrase, day: DayPiece, gap: string, text: string): Phrase | undefined {
  const { time, part } = phrase;
  if (time?.said === "bare" && part === undefined && !followsAt(phrase, text)) return undefined;
  // "The evening of friday"; "good morning, sat".
  const isPartAlone = time === undefined && part?.isToday === false;
  return (isPartAlone ? ofDay : beforeDay).test(gap) ? { ...phrase, day, end: day.end } : undefined;
}

function joinDay(phrase: Phrase, day: DayPiece, gap: string, text: string): Phrase | undefined {
  const { span, time, day: known } = phrase;
  const { end } = day;
  if (span !== undefined) {
    if (known !== undefined || !/^\s*(?:the\s+)?$/i.test(gap)) return undefined;
    const moved: DayPiece = { ...day, said: "span", day: addMonths(day.day, span.months) + span.days };
    return { start: phrase.start, end, day: moved };
  }
  if (known === undefined) return joinFirstDay(phrase, day, gap, text);
  if (time !== undefined || phrase.part !== undefined) return undefined;
  // "30 november, monday"
  if (known.said === "date" && day.weekday === weekdayOf(known.day) && /^\s*[,(]?\s*$/.test(gap))
    return { ...phrase, end };
  if (known.weekday !== undefined && (day.said === "date" || day.said === "ordinal") && beforeDate.test(gap)) {
    // "Friday the 13th", which is another day: nobody knows which of both is meant.
    return known.weekday === weekdayOf(day.day) ? { ...phrase, day: { ...day, said: "date" }, end } : undefined;
  }
  const isOfNextWeek = known.said === "next-week" && day.weekday !== undefined && beforeDay.test(gap);
  if (!isOfNextWeek) return undefined;
  return { ...phrase, day: { ...day, said: "weekday", day: weekdayInWeek(day.weekday, known.day) }, end };
}
