import type { Phrase } from "./join-pieces.ts";

/** Words that may follow a date in a sentence: after any other word it may be a part of a name. */
const followers =
  "a|about|after|again|also|an|and|are|as|at|because|before|but|by|can|could|due|each|every|for|from|high|i|if|in|into|is|it|" +
  "list|low|my|not|of|off|on|onto|or|otherwise|our|please|so|tag|tagged|that|the|then|this|to|todo|until|was|we|when|while|" +
  "with|without|would|you|your";
const otherWord = new RegExp(`^\\s+(?!(?:${followers})(?!\\w))\\p{L}`, "u");
/** "march 5 miles" */
const measured =
  /^\s+(?:km|kg|g|m|cm|mm|l|ml|miles?|met(?:er|re)s?|feet|steps?|times|percent|degrees?|people)(?![a-z])/;
/** "Every friday", "black friday", and "the 31st of next month", if that has no such day. */
const other =
  /(?<!\w)(?:(?:every|each|per|any|all|good|black|cyber|easter|ash|palm|super)\s+(?:other\s+)?|\d{1,2}(?:st|nd|rd|th)\s+of\s+)$/;
/** "The friday after next", and "friday week", which is a week later in Britain. */
const further = /^\s+(?:after\s+next|before\s+last|week|fortnight)(?![a-z])/;

const howMany = /how\s+many\s.*(?:second|minute|hour|day|week|month|year)s?(?:\s+(?:are|is))?(?:\s+there)?\s+$/;

/** A preposition directly before a date. */
const leading =
  /(?<![\w'’-])((?:due\s+|no\s+later\s+than\s+|not\s+later\s+than\s+)?(?:by|on|at|before|until|till|after|since|from|for|around)|due|no\s+later\s+than)\s+$|(@)\s?$/i;
const maxLead = 40;

/** A preposition before a place in a text, in lower case with single spaces; for the sign @ it is `at`. */
export interface Lead {
  readonly start: number;
  readonly preposition: string;
}

/** The preposition directly before a place, if there is one. */
export function leadBefore(text: string, place: number): Lead | undefined {
  const before = text.slice(Math.max(0, place - maxLead), place);
  const found = leading.exec(before);
  if (found === null) return undefined;
  const preposition = (found[1] ?? "at").toLowerCase().replace(/\s+/g, " ");
  return { start: place - before.length + found.index, preposition };
}

/** Whether a phrase is a date or a time where it stands, and not a part of a word, a number or a name. */
export function isLikely(phrase: Phrase, text: string, lead: Lead | undefined): boolean {
  const before = text.slice(Math.max(0, phrase.start - maxLead), phrase.start).toLowerCase();
  const after = text.slice(phrase.end, phrase.end + maxLead).toLowerCase();
  if (phrase.span !== undefined || isPartOfWord(before, after)) return false;
  if (other.test(before) || further.test(after) || isName(phrase, text)) return false;
  if (isYearless(phrase) && /^,?\s+(?:19|20)\d\d(?!\w)/.test(after)) return false;
  if (isCount(phrase) && howMany.test(before)) return false;
  if (needsPreposition(phrase)) return lead !== undefined && lead.preposition !== "at" && !otherWord.test(after);
  if (phrase.day === undefined && !saysMoment(phrase)) return false;
  if (!isAmbiguous(phrase)) return true;
  if (measured.test(after)) return false;
  return lead !== undefined || before.trim() === "" || !otherWord.test(after);
}

/** "The Day After Tomorrow" */
function isName({ start, end }: Phrase, text: string): boolean {
  return start > 0 && /\bDay\b/.test(text.slice(start, end));
}

function isPartOfWord(before: string, after: string): boolean {
  return (
    /[\p{L}\p{N}_$€£#\\]$|[\p{L}\p{N}_][-./:–'’]$|\d[,+]$/u.test(before) ||
    /^(?:[\p{L}\p{N}_%°]|['’]\p{L}|[-–/+][\p{L}\p{N}]|[.:,]\d)/u.test(after)
  );
}

/** "Jan 15 12:00 2027": the year is not where it is looked for. */
function isYearless({ day, time }: Phrase): boolean {
  return day === undefined ? time !== undefined : day.said === "date" && day.hasYear !== true;
}

/** "How many hours are in a week" */
function isCount({ day, moment }: Phrase): boolean {
  return day?.said === "span" || moment?.kind === "elapsed";
}

/** "The 3rd" may be the third of anything, and "sat" and "sun" are words. */
function needsPreposition({ day, time, part }: Phrase): boolean {
  return day?.said === "ordinal" || (day?.said === "short-weekday" && time === undefined && part === undefined);
}

/** Without a day: a bare number is not a time, and "morning" is not one of today. */
function saysMoment({ moment, time, part }: Phrase): boolean {
  return (
    moment !== undefined || (time !== undefined ? time.said !== "bare" || part !== undefined : part?.isToday === true)
  );
}

/** "At 5pm", without a day. */
export function saysNoDay({ day, moment, part }: Phrase): boolean {
  return day === undefined && moment === undefined && part?.isToday !== true;
}

/** "2 march magazines", "a midnight snack", "16:10 screens" */
function isAmbiguous({ day, time, part }: Phrase): boolean {
  if (part !== undefined || (day !== undefined && time !== undefined)) return false;
  if (day !== undefined) return day.said === "date" && day.hasYear !== true;
  return time !== undefined && (time.said === "digits" || time.named !== undefined);
}
