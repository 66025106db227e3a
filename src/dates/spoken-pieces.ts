import { cardinals } from "../english/numbers.ts";
import { months } from "../english/times.ts";
import { dayInMonth, endOfMonth, endOfPeriod, nextDate, nextDayOfMonth, saidWeekday, whichOf } from "./calendar.ts";
import type { Piece } from "./piece.ts";
import { addMonths, dayNumber } from "./zoned-time.ts";

type Groups = Readonly<Record<string, string | undefined>>;
interface Place {
  readonly start: number;
  readonly end: number;
}

/** What the library does not read, or would count by the machine's clock. No pattern can look far, so all are linear. */
export function findSpokenPieces(text: string, today: number): readonly Piece[] {
  return readers.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const piece = read(match.groups ?? {}, { start: match.index, end: match.index + match[0].length }, today);
      return piece === undefined ? [] : [piece];
    }),
  );
}

const space = "\\s{1,2}";
const hourWords = cardinals.slice(1, 13).join("|");
const monthNames = [...months, ...months.map((name) => `${name.slice(0, 3)}\\.?`), "sept\\.?"].join("|");
const halves = "(?:\\s{0,2}(?<half>[ap]\\.?m\\b\\.?)|(?<clock>\\s{0,2}o['’]?\\s{0,2}clock))";

/** A pattern of whole words. Letters of other alphabets beside it are found later: `\p{L}` takes long to compile. */
function words(source: string): RegExp {
  return new RegExp(`(?<!\\w)(?:${source})(?!\\w)`, "gi");
}

interface Reader {
  readonly pattern: RegExp;
  readonly read: (groups: Groups, place: Place, today: number) => Piece | undefined;
}

const readers: readonly Reader[] = [
  {
    pattern: words(`next${space}(?<unit>week|month|year)`),
    read: ({ unit: said }, place, today) => {
      if (said?.toLowerCase() === "week") return { kind: "day", said: "next-week", ...place, day: today + 7 };
      const day = addMonths(today, said?.toLowerCase() === "month" ? 1 : 12);
      return { kind: "day", said: "word", ...place, day };
    },
  },
  {
    pattern: words(`(?:the${space})?(?:day${space}(?:(?<after>after)${space}tomorrow|before${space}yesterday))`),
    read: ({ after }, place, today) => ({ kind: "day", said: "word", ...place, day: today + (after ? 2 : -2) }),
  },
  {
    pattern: words(
      `(?:the${space})?end${space}of${space}(?:the${space})?(?:(?<next>next${space})|this${space})?(?<period>day|week|month|year)|eo(?<letter>[dwmy])`,
    ),
    read: readEndOfPeriod,
  },
  {
    pattern: words(
      `(?:the${space})?end${space}of${space}(?<month>${monthNames})(?:,?${space}(?<year>(?:19|20)\\d\\d))?`,
    ),
    read: ({ month, year }, place, today) => {
      const day = endOfMonth(monthOf(month ?? ""), year === undefined ? undefined : Number(year), today);
      return { kind: "day", said: "word", ...place, day };
    },
  },
  {
    pattern: words(
      `(?<date>\\d{1,2})(?:st|nd|rd|th)(?<month>${space}of${space}(?:(?<next>next)|this|the)${space}month)?`,
    ),
    read: ({ date, month, next }, place, today) => {
      const inMonth = month !== undefined;
      const day = inMonth ? dayInMonth(Number(date), next ? 1 : 0, today) : nextDayOfMonth(Number(date), today);
      return day === undefined ? undefined : { kind: "day", said: inMonth ? "date" : "ordinal", ...place, day };
    },
  },
  {
    pattern: words(
      `(?<month>${monthNames})${space}the${space}(?<date>\\d{1,2})(?:st|nd|rd|th)?(?:,?${space}(?<year>(?:19|20)\\d\\d))?`,
    ),
    read: ({ month = "", date, year }, place, today) => {
      const at = monthOf(month);
      const day = year ? dayNumber(Number(year), at, Number(date)) : nextDate(at, Number(date), today);
      return day === undefined ? undefined : { kind: "day", said: "date", hasYear: year !== undefined, ...place, day };
    },
  },
  {
    pattern: words(
      `(?<minutes>half|(?:a${space})?quarter|five|ten|twenty(?:[\\s-]five)?)${space}(?:(?<to>to)|past|after)${space}(?<hour>${hourWords}|1[0-2]|[1-9])${halves}?`,
    ),
    read: readSpokenTime,
  },
  {
    pattern: words(
      `(?<hour>${hourWords})${halves}|(?<=at${space})(?<bare>${hourWords})(?:[\\s-](?<after>fifteen|twenty|thirty|forty[\\s-]five))?`,
    ),
    read: readSpokenTime,
  },
  {
    // The library knows the other short names.
    pattern: words(`(?:(?<which>this|next|last|past)${space})?(?<name>tues|weds)\\b`),
    read: ({ which = "this", name }, place, today) => {
      const weekday = name?.toLowerCase() === "tues" ? 2 : 3;
      const day = saidWeekday(weekday, whichOf(which), today);
      return { kind: "day", said: "short-weekday", weekday, ...place, day };
    },
  },
];

function readEndOfPeriod({ next, period, letter }: Groups, place: Place, today: number): Piece | undefined {
  const name = period?.toLowerCase() ?? { d: "day", w: "week", m: "month", y: "year" }[letter?.toLowerCase() ?? ""];
  if (name === "day") return next ? undefined : { kind: "part", part: "end", isToday: true, ...place };
  if (name !== "week" && name !== "month" && name !== "year") return undefined;
  return { kind: "day", said: "word", ...place, day: endOfPeriod(name, next ? 1 : 0, today) };
}

function readSpokenTime({ minutes, after, to, hour, bare, half, clock }: Groups, place: Place): Piece | undefined {
  const named = hour ?? bare ?? "";
  const said = /^\d/.test(named) ? Number(named) : cardinals.indexOf(named.toLowerCase());
  const away = minutesOf((minutes ?? after)?.toLowerCase());
  const hours = half === undefined ? said : (said % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0);
  const total = (24 * 60 + hours * 60 + (to === undefined ? away : -away)) % (24 * 60);
  // "Five to ten" are also numbers.
  const isClear = half !== undefined || clock !== undefined || away >= 15 || (away > 0 && to === undefined);
  return {
    ...{ kind: "time", ...place, seconds: total * 60 },
    said: isClear ? "clear" : "bare",
    isExact: half !== undefined,
  };
}

function minutesOf(said: string | undefined): number {
  if (said === undefined) return 0;
  if (said.endsWith("quarter")) return 15;
  if (/.[\s-]five$/.test(said)) return said.startsWith("twenty") ? 25 : 45;
  return { five: 5, ten: 10, fifteen: 15, twenty: 20, half: 30, thirty: 30 }[said] ?? 0;
}

function monthOf(name: string): number {
  return months.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase()));
}
