import { type FindPieces, loadChronoPieces } from "./chrono-pieces.ts";
import { mayHoldDate, withoutMarks } from "./date-words.ts";
import { findDistances } from "./distance-pieces.ts";
import { joinFrom, withoutOverlaps } from "./join-pieces.ts";
import { isLikely, leadBefore, saysNoDay } from "./likely-date.ts";
import { type DateMoment, momentOf, type Now } from "./moment-of.ts";
import type { PartOfDay } from "./piece.ts";
import { findSpokenPieces } from "./spoken-pieces.ts";
import { wallTimeAt } from "./zoned-time.ts";

/** The clock for words such as "tomorrow". */
export interface DateClock {
  readonly nowMs: number;
  /** An IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A date, or a date and time, that was read from a text. */
export interface DateReading extends DateMoment {
  /** Where it stands in the text, without the preposition before it, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** The preposition directly before it, in lower case, such as `by` or `due on`. */
  readonly preposition?: string;
  /** Where the preposition begins; without one, the same as {@link start}. */
  readonly leadStart: number;
  /** Whether only a time was said, and its next day is taken. */
  readonly isDayAssumed?: boolean;
  /** If no hour was said but a part of the day, from which {@link dateTime} has its hour. */
  readonly partOfDay?: PartOfDay;
  /** The end of a range: the last day, or the time. */
  readonly until?: DateMoment;
}

/** Reads the dates of a text, in its order. */
export type ReadDates = (text: string, clock: DateClock) => readonly DateReading[];

const none: readonly DateReading[] = [];
let reader: ReadDates | undefined;

/**
 * Reads the dates and times of an English text; the library behind it is loaded by the first text that may hold one.
 *
 * A weekday is the next one after today, "next friday" that of the week after this one (weeks start on Monday); a day
 * without a year is the next such day, a time without a day the next such time. Hours are those of a clock with 24,
 * unless "pm" or a part of the day says otherwise. "Midnight" ends the day that it is said with. "In two hours" counts
 * elapsed time, "in two days" days. A time that the zone skips is later by as much as it skips; of two, it is the earlier.
 */
export async function readDates(text: string, clock: DateClock): Promise<readonly DateReading[]> {
  if (!mayHoldDate(text)) return none;
  return (await loadDateReader())(text, clock);
}

/** Loads {@link readDates} as a function that does not wait. */
export async function loadDateReader(): Promise<ReadDates> {
  if (reader !== undefined) return reader;
  const findChronoPieces = await loadChronoPieces();
  reader ??= (text, clock) => (mayHoldDate(text) ? readAll(text, clock, findChronoPieces) : none);
  return reader;
}

const dayMs = 86_400_000;
/** No date has such a gap; some patterns of the library take time that is quadratic in it. */
const longGap = /\s{6,}/g;

function readAll(
  written: string,
  { nowMs, timeZone }: DateClock,
  findChronoPieces: FindPieces,
): readonly DateReading[] {
  const text = withoutMarks(written).replace(longGap, (gap) => "\0".repeat(gap.length));
  const now: Now = { nowMs, timeZone, today: Math.floor(wallTimeAt(nowMs, timeZone) / dayMs) };
  const found = [findDistances, findSpokenPieces, findChronoPieces].flatMap((find) => find(text, now.today));
  const pieces = withoutOverlaps(found);
  const readings: DateReading[] = [];
  for (let index = 0; index < pieces.length; ) {
    const { phrase, count } = joinFrom(pieces, index, text);
    const lead = leadBefore(text, phrase.start);
    const isRead = isLikely(phrase, text, lead);
    index += isRead ? count : 1;
    if (!isRead) continue;
    const { from, until, partOfDay } = momentOf(phrase, now);
    readings.push({
      ...{ start: phrase.start, end: phrase.end, ...from, leadStart: lead?.start ?? phrase.start },
      ...(lead !== undefined && { preposition: lead.preposition }),
      ...(saysNoDay(phrase) && { isDayAssumed: true }),
      ...(partOfDay !== undefined && { partOfDay }),
      ...(until !== undefined && { until }),
    });
  }
  return readings;
}
