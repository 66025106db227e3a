/** A part of the day; each stands for an hour of ours. */
export type PartOfDay = "morning" | "afternoon" | "evening" | "night";

interface Place {
  /** Where it stands in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** A day, counted from 1970-01-01. */
export interface DayPiece extends Place {
  readonly kind: "day";
  readonly day: number;
  /** How it was said, which decides what it may stand beside, and whether it needs a preposition. */
  readonly said: "word" | "weekday" | "short-weekday" | "date" | "ordinal" | "next-week" | "span";
  /** Whether the year of a date was said. */
  readonly hasYear?: boolean;
  /** For a weekday: 0 is Sunday. */
  readonly weekday?: number;
  /** Of "tonight". */
  readonly part?: PartOfDay;
  /** The last day, of "5 to 7 march". */
  readonly lastDay?: number;
}

/** A time on the clock. */
export interface TimePiece extends Place {
  readonly kind: "time";
  /** Since midnight. */
  readonly seconds: number;
  /** Whether it is known which half of the day it is in. */
  readonly isExact: boolean;
  /** `clear`: "5pm", "half past six"; `digits`: "9:30"; `bare`: "at 5", which is a time only beside a day. */
  readonly said: "clear" | "digits" | "bare";
  readonly named?: "noon" | "midnight";
  /** When it ends, of "3pm to 5pm". */
  readonly lastSeconds?: number;
}

/** "morning", "this evening", "end of the day". */
export interface PartPiece extends Place {
  readonly kind: "part";
  readonly part: PartOfDay | "end";
  /** Whether it names a day, too, which "morning" alone does not. */
  readonly isToday: boolean;
}

/** "a week from", which moves the day that follows. */
export interface SpanPiece extends Place {
  readonly kind: "span";
  readonly months: number;
  readonly days: number;
}

/** "in two hours", "in half a day": counted on from now. */
export interface ElapsedPiece extends Place {
  readonly kind: "elapsed";
  /** The day from which the time is counted. */
  readonly day: number;
  readonly elapsedMs: number;
}

/** An instant that was written with its offset from UTC. */
export interface InstantPiece extends Place {
  readonly kind: "instant";
  readonly ms: number;
}

/** Something in a text that says a day or a time, or a part of one. */
export type Piece = DayPiece | TimePiece | PartPiece | SpanPiece | ElapsedPiece | InstantPiece;
