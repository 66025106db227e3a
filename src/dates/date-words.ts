import { months, weekdays } from "../english/times.ts";

const shortNames = (names: readonly string[]) => names.map((name) => name.slice(0, 3));
const anyOf = (words: readonly string[]) => words.join("|");

const shortWeekdays = `${anyOf(shortNames(weekdays))}|tues|wedn?e?s|thurs?`;

const alone = [
  "today|tonight|tomorrow|overmorrow|tmrw?|yesterday|weekend|noon|midday|midnight|fortnight|eo[dwmy]|o['’]?clock",
  anyOf(weekdays),
  "this\\s+(?:morning|afternoon|evening|night)|in\\s+the\\s+(?:morning|afternoon|evening)|at\\s+night",
  "(?:half|quarter)\\s+(?:past|to|after)|next\\s+(?:week|month|year)|end\\s+of",
  // "5pm", "9:30", "21st", "2027-03-05".
  "\\d{1,2}\\s*[ap]\\.?m(?!\\w)|\\d{1,2}[:：]\\d\\d|\\d{1,2}(?:st|nd|rd|th)|\\d{4}[-/.]\\d{1,2}[-/.]\\d",
].join("|");
const loneWord = new RegExp(`(?<![\\w])(?:${alone})(?![a-z])`, "i");
const month = new RegExp(`(?<![a-z])(?:${anyOf([...months, ...shortNames(months)])}|sept)(?![a-z])`, "i");
const shortWeekday = new RegExp(`(?<!\\w)(?:${shortWeekdays})(?!\\w)`, "i");
/** One of these stands beside the short name of a weekday. */
const aroundShortName =
  /\d|(?<!\w)(?:next|this|last|past|coming|on|of|by|at|before|until|till|due|since|from|for|after|around|than|week|morning|afternoon|evening|night)(?!\w)/i;
const dayOfMonth = /\d|(?:first|second|third|[fxvnhrt]th|tieth)(?![a-z])/i;
const unit = /(?:minute|min|hour|hr|day|week|month|year)s?(?![a-z])|\d\s?h(?![a-z])/i;
const aroundUnit = /(?<!\w)(?:in|within|ago|from|on|after|before|today|time)(?!\w)/i;
const wordTime = /(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s*[ap]\.?m/i;

/** Marks of writing direction and spaces without width, which stand for nothing. */
const marks = /[\u200B-\u200F\u061C\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/** A text of the same length with spaces for marks that are not seen. */
export function withoutMarks(text: string): string {
  return text.replace(marks, " ");
}

/** The longest text in which dates are looked for, in UTF-16 code units. In a longer one there are none. */
export const maxDateText = 10_000;

/** Whether a text may say a date or a time: cheap, and never wrong where it says no. */
export function mayHoldDate(text: string): boolean {
  if (text.length > maxDateText) return false;
  const seen = withoutMarks(text);
  if (loneWord.test(seen)) return true;
  if (shortWeekday.test(seen) && aroundShortName.test(seen)) return true;
  if (month.test(seen) && dayOfMonth.test(seen)) return true;
  if (unit.test(seen) && aroundUnit.test(seen)) return true;
  return wordTime.test(seen);
}
