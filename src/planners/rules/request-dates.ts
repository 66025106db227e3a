import type { ClauseDate } from "../../core/clause-reader.ts";
import { mayHoldDate } from "../../dates/date-words.ts";
import type { DateClock, DateReading, ReadDates } from "../../dates/read-dates.ts";
import type { Token } from "../../language/tokens.ts";

/** A date in a request; places are tokens. */
export interface RequestDate extends ClauseDate {
  /** The day of a time, where that comes first: "friday" of "friday at 5pm". Read when it is asked for. */
  dayAlone(): DayAlone | undefined;
}

interface DayAlone {
  readonly end: number;
  readonly date: string;
}

/** Reads the dates of requests; undefined for one that has nothing like a date, for which nothing is loaded. */
export async function loadDateReaderFor(text: string): Promise<ReadDates | undefined> {
  if (!mayHoldDate(text)) return undefined;
  const { loadDateReader } = await import("../../dates/read-dates.ts");
  return loadDateReader();
}

/** The dates of a request that begin and end with a token, and are in no quoted text. In their order. */
export function findDates(
  { text, tokens }: { readonly text: string; readonly tokens: readonly Token[] },
  clock: DateClock,
  read: ReadDates,
): readonly RequestDate[] {
  const starts = new Map(tokens.map(({ kind, start }, index) => [kind === "quote" ? -1 : start, index]));
  const ends = new Map(tokens.map(({ end }, index) => [end, index + 1]));
  return read(text, clock)
    .flatMap(bothEnds)
    .flatMap((reading) => {
      const { until, date, dateTime, partOfDay } = reading;
      const start = starts.get(reading.start);
      const end = ends.get(reading.end);
      // Of a range one end would be lost.
      if (start === undefined || end === undefined || until !== undefined) return [];
      let known: { readonly day: DayAlone | undefined } | undefined;
      const dayAlone = () => {
        known ??= { day: findDayAlone(text, reading, { tokens, start, end, clock, read }) };
        return known.day;
      };
      return [
        {
          ...{ start, end, leadStart: starts.get(reading.leadStart) ?? start, date },
          ...(reading.preposition !== undefined && { preposition: reading.preposition }),
          ...(dateTime !== undefined && { dateTime }),
          ...(partOfDay !== undefined && { isPartOfDay: true }),
          ...(reading.isDayAssumed && { isDayAssumed: true }),
          dayAlone,
        },
      ];
    });
}

/** "Between 3pm and 5pm" and "after 3pm but before 5pm" are two dates, which no slot takes. */
function bothEnds(reading: DateReading): readonly DateReading[] {
  const { until, ...from } = reading;
  return until !== undefined && /^(?:between|after)$/.test(reading.preposition ?? "") ? [from, from] : [reading];
}

interface DayAloneContext {
  readonly tokens: readonly Token[];
  readonly start: number;
  readonly end: number;
  readonly clock: DateClock;
  readonly read: ReadDates;
}

function findDayAlone(text: string, reading: DateReading, context: DayAloneContext): DayAlone | undefined {
  const { tokens, start, clock, read } = context;
  for (let end = context.end - 1; end > start; end--) {
    if (tokens[end]?.glued) continue;
    const part = text.slice(reading.start, tokens[end - 1]?.end);
    const [day] = read(part, clock);
    const isWhole = day?.start === 0 && day.end === part.length;
    if (isWhole && day.dateTime === undefined) return { end, date: day.date };
  }
  return undefined;
}
