import { isHolder } from "../core/json.ts";
import type { Tool } from "../core/tool.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayDate } from "../dates/say-date.ts";
import { cardinals, readNumber, tens } from "../english/numbers.ts";
import { isPastVerb, isVerb, months, smallWords, verbsLike, weekdays } from "../english/word-classes.ts";
import { wordSet } from "../english/word-set.ts";
import { stem } from "../language/word-forms.ts";
import { sayName } from "../plan/say-call.ts";

const wordPattern = /\p{L}[\p{L}\p{M}'’-]*/gu;
const numberPattern = /\d+(?:,\d{3}(?!\d))*(?:\.\d+)?/g;
const dayWords = new Set(
  [...weekdays, ...months, "today", "tomorrow", "tonight", "yesterday"].flatMap((name) => [name, name.slice(0, 3)]),
);
const numberWords = new Set([...cardinals.slice(2), ...tens, "hundred", "thousand", "million"]);
const openers = wordSet("done no nothing none ok okay yes there here not both each every sorry still also only nobody");

/**
 * True if all numbers, dates and names in the text occur in the values. A name may also be a word from the tool's name
 * or description. The first word of a sentence may also be a common word or a verb.
 */
export function isInValues(
  text: string,
  { values, tool, clock }: { readonly values: readonly unknown[]; readonly tool: Tool; readonly clock: DateClock },
): boolean {
  const known = readValues(values, clock);
  const own = new Set(wordsOf(`${sayName(tool.name)} ${tool.description}`).flatMap((word) => [word, stem(word)]));
  const numbers = [...(text.match(numberPattern) ?? []).map(plainNumber), ...datesIn(text)];
  if (!numbers.every((number) => known.numbers.has(number))) return false;
  return [...text.matchAll(wordPattern)].every(({ 0: said, index }) => {
    const word = plainWord(said);
    if (known.words.has(word)) return true;
    if (numberWords.has(word)) return known.numbers.has(readNumber([word], 0)?.digits ?? "");
    const isName = /^\p{Lu}/u.test(said);
    if (dayWords.has(word) && (isName || word.length > 3)) return false;
    if (!isName || own.has(word)) return true;
    return /(?:^|[.!?]\s+)$/.test(text.slice(0, index)) ? mayOpen(word) || own.has(stem(word)) : word === "i";
  });
}

function readValues(values: readonly unknown[], { timeZone }: DateClock) {
  const numbers = new Set<string>();
  const words = new Set<string>();
  const add = (text: string) => {
    for (const number of text.match(numberPattern) ?? []) numbers.add(plainNumber(number));
    for (const part of datesIn(text)) numbers.add(part).add(part.slice(0, 10));
    for (const word of wordsOf(text)) words.add(word);
  };
  const addDate = (text: string, zone: string | undefined) => {
    // The text omits a year that equals `year`. No date has year 0, so the text always contains the year.
    const date = sayDate(text, { timeZone: zone, year: 0 });
    if (date === undefined) return;
    const at = new Date(date.wall);
    const hours = at.getUTCHours() % 12 || 12;
    const time = at.toISOString().slice(14, 16);
    add(`${date.text} ${weekdays[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${hours} ${hours}:${time}`);
    // "19:00" contains the number 0.
    numbers.add(plainNumber(String(at.getUTCMinutes())));
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) numbers.add(String(value.length));
    if (isHolder(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) add(sayName(key));
        visit(item);
      }
    }
    if (typeof value === "string" || typeof value === "number") add(String(value));
    if (typeof value === "string") for (const zone of [timeZone, undefined]) addDate(value, zone);
  };
  for (const value of values) visit(value);
  return { numbers, words };
}

const month = months.map((name) => name.slice(0, 3)).join("|");
const dayOfMonth = new RegExp(
  `(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${month})|(${month})\\p{L}* (\\d{1,2})(?!\\d)`,
  "giu",
);

/** Finds days and times as wholes, because a single number of "26 Nov" may also occur in another date. */
function datesIn(text: string): readonly string[] {
  const days = [...text.matchAll(dayOfMonth)].map(
    ([, day, of, before, date]) => `${Number(day ?? date)} ${of ?? before}`,
  );
  const times = (text.match(/\d{1,2}:\d\d/g) ?? []).map((time) => time.replace(/^0/, ""));
  return [...days, ...times, ...(text.match(/\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?/g) ?? [])].map((part) =>
    part.toLowerCase(),
  );
}

function wordsOf(text: string): readonly string[] {
  return (text.match(wordPattern) ?? []).flatMap((said) => [plainWord(said), ...said.toLowerCase().split(/['’-]/)]);
}

function plainWord(said: string): string {
  return said.toLowerCase().replace(/['’]s?$/, "");
}

/** Turns "2,424.640" into "2424.64". */
function plainNumber(digits: string): string {
  const plain = digits.replaceAll(",", "").replace(/^0+(?=\d)/, "");
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
}

function mayOpen(word: string): boolean {
  const isCommon = openers.has(word) || smallWords.has(word);
  if (isCommon || isKnownVerb(word) || (isPastVerb(word) && !word.endsWith("ed"))) return true;
  const ending = /(?:ed|ing)$/.exec(word)?.[0].length ?? 0;
  const root = word.slice(0, -ending);
  return ending > 0 && [root, `${root}e`, root.slice(0, -1), root.replace(/i$/, "y")].some(isKnownVerb);
}

function isKnownVerb(word: string): boolean {
  return isVerb(word) || verbsLike(word).length > 1;
}
