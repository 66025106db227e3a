import { ordinals, readNumber } from "../../english/numbers.ts";
import { truthWords } from "../../english/small-words.ts";
import { currencySigns } from "../../english/units.ts";
import { readAnaphor } from "./anaphora.ts";
import { type DateClock, mayBeginDate, readDate } from "./dates.ts";
import type { SlotType } from "./slot-type.ts";

/** A value of a slot that was found in the words, and where the next word is. */
export interface SlotReading {
  readonly value: string | number | boolean | typeof anaphor;
  readonly end: number;
}

/** Stands for an earlier result, until it is known which. */
export const anaphor: unique symbol = Symbol("anaphor");
const nth = /^(\d+)(?:st|nd|rd|th)$/;

/** Whether values of the type are recognized by their words, so that they are looked up, not spanned. */
export function isReadable({ kind }: SlotType): boolean {
  return kind !== "text" && kind !== "list";
}

/** Every value of a type that starts at a word (lower case). Few and short, so that matching stays linear. */
export function readSlot(
  type: SlotType,
  words: readonly string[],
  start: number,
  clock: DateClock,
): readonly SlotReading[] {
  switch (type.kind) {
    case "number":
      return readNumberSlot(words, start);
    case "boolean": {
      const word = words[start] ?? "";
      const value = Object.hasOwn(truthWords, word) ? truthWords[word] : undefined;
      return value === undefined ? none : [{ value, end: start + 1 }];
    }
    case "enum":
      return readEnum(type, words, start);
    case "date":
    case "date-time": {
      if (!mayBeginDate(words[start] ?? "")) return none;
      const found = readDate(words, start, clock);
      if (found === undefined) return none;
      return [{ value: type.kind === "date" ? found.date : startOfDay(found.date, clock.timeZone), end: found.end }];
    }
    case "text":
    case "list":
      return none;
  }
}

const none: readonly SlotReading[] = [];

function readEnum({ values = [] }: SlotType, words: readonly string[], start: number): readonly SlotReading[] {
  let readings: SlotReading[] | undefined;
  for (const { words: said, value } of values) {
    if (said[0] !== words[start] || !said.every((word, index) => words[start + index] === word)) continue;
    readings ??= [];
    readings.push({ value, end: start + said.length });
  }
  return readings ?? none;
}

function readNumberSlot(words: readonly string[], start: number): readonly SlotReading[] {
  const readings: SlotReading[] = [];
  const first = words[start] ?? "";
  const isNegative = first === "-" || first === "minus" || first === "negative";
  const found = readNumber(words, isNegative || currencySigns.has(first) ? start + 1 : start);
  if (found !== undefined) {
    const value = Number(found.digits);
    readings.push({ value: isNegative ? -value : value, end: found.end });
  }
  const rank = ordinals.indexOf(first) + 1 || Number(nth.exec(first)?.[1] ?? 0);
  if (rank > 0) readings.push({ value: rank, end: start + 1 });
  const end = readAnaphor(words, start);
  if (end !== undefined) readings.push({ value: anaphor, end });
  return readings;
}

/** The instant a day starts in a time zone, as ISO text in UTC. */
function startOfDay(date: string, timeZone: string): string {
  const guess = Date.parse(`${date}T00:00:00Z`);
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const offset = (ms: number) => {
    const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):?(\d\d)?/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  // The offset at the start of a day is not that of the same hour in UTC if clocks change in between: ask again.
  const first = guess - offset(guess);
  return new Date(guess - offset(first)).toISOString();
}
