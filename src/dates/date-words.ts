import { months, weekdays } from "../english/word-classes.ts";
import { isMistypedInside } from "../language/word-forms.ts";

const spellings: Readonly<Record<string, string>> = {
  today: "2day",
  tonight: "tonite 2nite 2night tnite 2nit",
  tomorrow:
    "tmrw tmr tmw tmrow tmoro tomoz tomoro tomorro tommorow tommorro tomorow 2moro 2morro 2morow 2morrow 2mrw 2mro",
  tuesday: "tues",
  wednesday: "weds wedn wednes wensday wendsday",
  thursday: "thur thurs",
};
const counted = ["today", "tonight", "tomorrow", "overmorrow", "yesterday"];
const dayNames = new Map([...counted, ...weekdays].map((name) => [name, name]));
for (const name of weekdays) dayNames.set(name.slice(0, 3), name);
for (const [name, others] of Object.entries(spellings))
  for (const other of others.split(" ")) dayNames.set(other, name);

const tolerant = [...weekdays, "tomorrow", "tonight"];
const ownWords: ReadonlySet<string> = new Set(["sundry", "tonights", "munday"]);

export function dayNameOf(word: string): string | undefined {
  const said = word.toLowerCase();
  const known = dayNames.get(said);
  if (known !== undefined || said.length < 5 || ownWords.has(said)) return known;
  const near = tolerant.filter((name) => isMistypedInside(said, name));
  return near.length === 1 ? near[0] : undefined;
}

/** A space in `source` matches one or two whitespace characters. */
export function wordPattern(source: string, flags: string): RegExp {
  return new RegExp(source.replaceAll(" ", "\\s{1,2}"), flags);
}

export const eachDayWord = /(?<!\w)(?:[fmstwy][a-z]{2,9}|overmorrow|2[a-z]{2,6})(?!\w)/gi;

export const hourWords = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
export const feastWords =
  "(?:christmas|xmas|new year['’]?s?)(?: (?:eve|day))?|boxing day|hallowe['’]?en|valentine['’]?s?(?: day)?|" +
  "(?:st\\.?|saint) patrick['’]?s day|easter(?: (?:sunday|monday))?|thanksgiving|(?:good|black) friday";

export const monthNames = [...months, ...months.map((name) => `${name.slice(0, 3)}\\.?`), "sept\\.?"].join("|");

export function monthOf(name: string): number {
  return months.findIndex((month) => month.startsWith(name.slice(0, 3)));
}

const hint = wordPattern(
  `\\d|(?<![a-z])(?:${[monthNames, hourWords, feastWords].join("|")}|weekend|half|quarter|` +
    "noon|midday|midnight|morning|afternoon|evening|night|fortnight|eo[dwmy]|next|end|last|first|second|third|[a-z]{1,7}(?:th|tieth)|few|several|some|" +
    "early|late|mid|start|beginning|middle|(?:an?|ninety|[a-z]+(?:teen|ty)|couple of)[\\s-]{1,2}(?:min|h|day|w|month|y))",
  "i",
);

export const countingWord =
  /\d\s*$|\b(?:divi|multip|increas|decreas|reduc|rais|lower|cut|scale|split|times|plus|minus)/i;

const marks = /[\u200B-\u200F\u061C\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

export function withoutMarks(text: string): string {
  return text.replace(marks, " ");
}

export const maxDateText = 10_000;

/** Returns false only if the text holds no date or exceeds `maxDateText`. True may be a false alarm. */
export function mayHoldDate(text: string): boolean {
  if (text.length > maxDateText) return false;
  const seen = withoutMarks(text);
  return hint.test(seen) || [...seen.matchAll(eachDayWord)].some(([word]) => dayNameOf(word) !== undefined);
}
