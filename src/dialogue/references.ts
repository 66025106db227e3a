import { ordinals, readNumber } from "../english/numbers.ts";
import { auxiliaries, functionWords, isVerb, smallWords, titles, weekdays } from "../english/word-classes.ts";
import { wordSet } from "../english/word-set.ts";
import { tokenize } from "../language/tokens.ts";
import { toSingular } from "../language/word-forms.ts";
import type { Part } from "../planners/rules/items.ts";
import type { RequestText } from "../planners/rules/request.ts";
import { type Focus, isSameThing, type KnownThing, type Mention } from "./focus.ts";

/** Words of a line that refer to things of the thread. Positions count tokens. */
export interface Reference extends Part {
  readonly how: "name" | "pronoun" | "place" | "others" | "group";
  readonly things: readonly KnownThing[];
  /** True if the words mean one of the things without saying which. */
  readonly isOpen: boolean;
}

interface Line extends Pick<RequestText, "words" | "tokens" | "datesByStart"> {
  /** True for a word of the tools' phrases, which is not a name by itself. */
  readonly isPhraseWord: (word: string) => boolean;
}

/** True for words such as "it" and "them", which name nothing themselves. */
export function isPronoun({ how }: Reference): boolean {
  return how === "pronoun" || how === "group";
}

export function findReferences(line: Line, focus: Focus): readonly Reference[] {
  const found: Reference[] = [];
  for (let at = 0; at < line.words.length; ) {
    const reference = referenceAt(line, at, focus);
    const last = found.at(-1);
    if (reference !== undefined && last !== undefined && saysWhat(line, last, reference))
      found.splice(-1, 1, { ...reference, start: last.start });
    else if (reference !== undefined) found.push(reference);
    at = reference?.end ?? at + 1;
  }
  return found;
}

/** True if a kind and a name belong together: "the note about the meter key". */
function saysWhat({ words }: Line, noun: Reference, { start, how, things: [thing] }: Reference): boolean {
  const isKind = noun.how === "pronoun" && toSingular(words[noun.end - 1] ?? "") === thing?.kind;
  const isName = how === "name" && start === noun.end + 1;
  return isKind && isName && /^(?:about|of|for|called|named|with)$/.test(words[noun.end] ?? "");
}

function referenceAt(line: Line, at: number, focus: Focus): Reference | undefined {
  const all = [containerAt, placeAt, attributeAt, othersAt, nameAt, groupAt, nounAt, pronounAt];
  const found = all.flatMap((read) => read(line, at, focus) ?? []);
  const end = Math.max(...found.map((each) => each.end));
  return found.find((each) => each.end === end);
}

/** Reads "on it" and "that list" as the container of the last things. */
function containerAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const { words } = line;
  const container = focus.container;
  if (container === undefined) return undefined;
  const isIn =
    /^(?:on|in|onto|into|off|from|to)$/.test(words[start - 1] ?? "") && /^(?:it|there|that)$/.test(words[start] ?? "");
  const isNamed =
    /^(?:that|this|the|same)$/.test(words[start] ?? "") && toSingular(words[start + 1] ?? "") === container.kind;
  const isLast = words[start + 1] === undefined || !isNounOf(words[start + 1] ?? "", focus);
  if (!isNamed && !(isIn && isLast)) return undefined;
  return { start, end: start + (isNamed ? 2 : 1), how: "name", things: [container], isOpen: false };
}

export const determiners = wordSet("the that this those these my her his their our your");
const ones = wordSet("one item thing entry");

function withoutDeterminer({ words }: Line, at: number): number {
  return determiners.has(words[at] ?? "") ? at + 1 : at;
}

function isNounOf(word: string, { things }: Focus): boolean {
  const noun = toSingular(word);
  return ones.has(noun) || things.some(({ kind }) => kind === noun);
}

/** "the second one", "the last booking", "the first", "number two". */
function placeAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const from = withoutDeterminer(line, start);
  const { rank, end: rankEnd, isNumber } = rankAt(line, from);
  if (rank === 0) return undefined;
  const several = /^(?:first|last)$/.test(line.words[from] ?? "") ? firstOrLast(line, from, focus) : undefined;
  if (several !== undefined) return { ...several, start };
  const hasNoun = !isNumber && isNounOf(line.words[rankEnd] ?? "", focus);
  const isLast = rank > 0 && line.words[rankEnd] === undefined && !/^(?:an?|one)$/.test(line.words[start - 1] ?? "");
  if (!isNumber && !hasNoun && from === start && !isLast) return undefined;
  const group = listsIn(focus).find(({ length }) => length >= rank);
  const thing = rank < 0 ? group?.at(-1) : group?.[rank - 1];
  // "Number 2" may be the key 2.
  if (thing === undefined || (isNumber && focus.things.some(({ key }) => key === rank))) return undefined;
  return { start, end: rankEnd + Number(hasNoun), how: "place", things: [fresh(thing, focus)], isOpen: false };
}

/** Returns the lists that were shown or changed; a list may have one item. */
function listsIn({ mentions }: Focus): readonly (readonly KnownThing[])[] {
  const isList = ({ kind, things: [first, second] }: Mention) =>
    second !== undefined || (kind === "shown" && (first?.path.length ?? 0) > 0);
  return mentions.filter(isList).map(({ things }) => things);
}

/** "the first two", "the last three bookings". */
function firstOrLast({ words }: Line, start: number, focus: Focus): Reference | undefined {
  const count = readNumber(words, start + 1);
  const wanted = Number(count?.digits ?? 0);
  const [group = []] = listsIn(focus);
  if (count === undefined || !(wanted > 1) || wanted > group.length) return undefined;
  const things = words[start] === "first" ? group.slice(0, wanted) : group.slice(-wanted);
  const end = count.end + Number(isNounOf(words[count.end] ?? "", focus));
  return { start, end, how: "place", things: things.map((thing) => fresh(thing, focus)), isOpen: false };
}

function rankAt({ words }: Line, at: number) {
  const word = words[at] ?? "";
  if (/^(?:number|nr)$/.test(word)) {
    const read = readNumber(words, at + 1);
    const digits = read?.digits ?? /^\d+$/.exec(words[at + 1] ?? "")?.[0];
    return { rank: Number(digits ?? 0), end: read?.end ?? at + 2, isNumber: true };
  }
  const digits = /^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1];
  const rank = word === "last" ? -1 : ordinals.indexOf(word) + 1 || Number(digits ?? 0);
  return { rank, end: at + 1, isNumber: false };
}

/** "the work one", "Friday one", "the one from today". */
function attributeAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const { words } = line;
  const from = withoutDeterminer(line, start);
  const word = words[from] ?? "";
  const isBehind = restricts(line, from);
  const at = isBehind ? from + 2 : from;
  if (!isBehind && (words[from + 1] !== "one" || functionWords.has(word))) return undefined;
  const date = isBehind ? line.datesByStart.get(at) : undefined;
  for (const { things } of focus.mentions) {
    const fits = things
      .map((thing) => fresh(thing, focus))
      .filter((thing) => !thing.isGone && (date ? isOnDay(thing, date.date) : hasValue(thing, words[at] ?? "")));
    const [thing] = fits;
    if (thing !== undefined && fits.length === 1)
      return { start, end: date?.end ?? (isBehind ? at + 1 : from + 2), how: "place", things: [thing], isOpen: false };
  }
  return undefined;
}

/** True at "the one from …" and "the one tomorrow", where the following words select a thing and are not a new value. */
function restricts({ words, datesByStart }: Line, at: number): boolean {
  if (words[at - 1] !== "the" || words[at] !== "one") return false;
  return datesByStart.has(at + 1) || /^(?:from|of|with|for|at|on|in|about|by)$/.test(words[at + 1] ?? "");
}

function isOnDay({ fields }: KnownThing, day: string): boolean {
  return Object.values(fields).some((value) => typeof value === "string" && value.slice(0, 10) === day);
}

function hasValue({ fields }: KnownThing, word: string): boolean {
  const weekday = weekdays.findIndex((day) => day === word || (word.length > 2 && day.slice(0, word.length) === word));
  return Object.values(fields).some((value) => {
    if (typeof value !== "string") return false;
    const [date] = (weekday >= 0 && /^\d{4}-\d\d-\d\d/.exec(value)) || [];
    return (date !== undefined && new Date(date).getUTCDay() === weekday) || value.toLowerCase() === word;
  });
}

/** "the others", "the other one", "the rest": things of a list that were not changed since it was shown. */
function othersAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const from = withoutDeterminer(line, start);
  const word = line.words[from] ?? "";
  if (!/^(?:other|others|rest)$/.test(word)) return undefined;
  const changed: KnownThing[] = [];
  const isChanged = (thing: KnownThing) => changed.some((each) => isSameThing(each, thing));
  const before = focus.mentions.find(({ kind, things }) => {
    const isAround = things.some(isChanged) && !things.every(isChanged);
    if (kind === "changed" && !isAround) changed.push(...things);
    return isAround;
  });
  const others = before?.things.filter((thing) => !isChanged(thing)) ?? [];
  const things = others.map((thing) => fresh(thing, focus)).filter(({ isGone }) => !isGone);
  const count = readNumber(line.words, from + 1);
  const said = word === "rest" ? things.length : Number(count?.digits ?? (word === "other" ? 1 : things.length));
  if (things.length === 0 || things.length !== said) return undefined;
  const end = count?.end ?? from + 1;
  const noun = isNounOf(line.words[end] ?? "", focus) ? 1 : 0;
  return { start, end: end + noun, how: "others", things, isOpen: false };
}

const group =
  /^(?:both of (?:them|those|these)|(?:them|they|those|these) both|both|all of (?:them|those|these)|(?:them|those|these) all|them|those|these|they)(?= |$)/;

const partOfGroup = /^(?:one|some|any|half|most|a few) of (?:them|those|these)(?= |$)/;

function groupAt({ words }: Line, start: number, focus: Focus): Reference | undefined {
  const said = words.slice(start, start + 4).join(" ");
  const [part] = partOfGroup.exec(said) ?? [];
  const [phrase = part] = group.exec(said) ?? [];
  if (phrase === undefined) return undefined;
  const isPair = phrase.includes("both");
  const groups = focus.mentions.map(({ things }) =>
    things.map((thing) => fresh(thing, focus)).filter(({ isGone }) => !isGone),
  );
  const things = groups.find(({ length }) => (isPair ? length === 2 : length > 0));
  if (things === undefined) return undefined;
  return { start, end: start + phrase.split(" ").length, how: "group", things, isOpen: part !== undefined };
}

/** "the booking", "that note". */
function nounAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const from = withoutDeterminer(line, start);
  const noun = line.words[from] ?? "";
  if (from === start || !isNounOf(noun, focus) || restricts(line, from)) return undefined;
  return single({ start, end: from + 1 }, focus, (thing) => ones.has(noun) || thing.kind === noun);
}

const pronouns = wordSet("it that this him her he she");

function pronounAt(line: Line, start: number, focus: Focus): Reference | undefined {
  return pronouns.has(line.words[start] ?? "") ? single({ start, end: start + 1 }, focus, () => true) : undefined;
}

function single(place: Part, focus: Focus, fits: (thing: KnownThing) => boolean): Reference | undefined {
  const things = focus.mentions
    .map((mention) => mention.things.filter((thing) => !thing.isGone && fits(thing)))
    .find(({ length }) => length > 0)
    ?.map((thing) => fresh(thing, focus));
  return things && { ...place, how: "pronoun", things, isOpen: things.length > 1 };
}

/** Reads a name or words of a name, which several things may share: "the tent pegs", "gutters", "the patels". */
function nameAt(line: Line, start: number, focus: Focus): Reference | undefined {
  const from = withoutDeterminer(line, start);
  const isTitle = titles.has(line.words[from] ?? "");
  const first =
    isTitle && !focus.things.some(({ label }) => wordsOfLabel(label)[0] === line.words[from]) ? from + 1 : from;
  const ends = focus.things
    .map((thing) => ({ thing, end: nameEnd(line, first, thing) }))
    .filter(({ end }) => end > first);
  const end = Math.max(first, ...ends.map((each) => each.end));
  if (end === first) return undefined;
  const fits = ends.filter((each) => each.end === end).map(({ thing }) => thing);
  const here = fits.filter(({ isGone }) => !isGone);
  const things = here.length > 0 ? here : fits;
  const whole = things.filter(({ label }) => wordsOfLabel(label).length === end - first);
  const meant = whole.length > 0 ? whole : things;
  const isGroup = from > start && groupNouns.has(line.words[end] ?? "");
  return { start, end: isGroup ? end + 1 : end, how: "name", things: meant, isOpen: meant.length > 1 };
}

/** Nouns behind a person's name: "the Haddad party". */
export const groupNouns = wordSet("party group family couple");

function wordsOfLabel(label = ""): readonly string[] {
  return tokenize(label, 40).flatMap(({ kind, norm }) => (kind === "sign" ? [] : [norm]));
}

function nameEnd({ words, tokens, isPhraseWord }: Line, start: number, { label }: KnownThing): number {
  const labelWords = wordsOfLabel(label);
  const own = new Set(labelWords.flatMap((word) => [word, toSingular(word)]));
  const isOwn = (word: string) => own.has(word) || own.has(toSingular(word)) || own.has(word.replace(/['’]s$/, ""));
  let end = start;
  let hasContent = false;
  for (let at = start; at < words.length && tokens[at]?.kind !== "sign"; at++) {
    const word = words[at] ?? "";
    if (!isOwn(word)) break;
    const isSmall = smallWords.has(word) && !auxiliaries.has(word);
    if (isSmall && at === start) break;
    if (!isSmall) {
      end = at + 1;
      const isPlace = ordinals.includes(word) || ones.has(word);
      hasContent ||= (!isPlace && !isVerb(word) && !isPhraseWord(word)) || own.size === 1;
    }
  }
  const isWhole = words.slice(start, end).join(" ") === labelWords.join(" ");
  return hasContent || isWhole ? end : start;
}

function fresh(thing: KnownThing, { things }: Focus): KnownThing {
  return things.find((each) => isSameThing(each, thing)) ?? thing;
}
