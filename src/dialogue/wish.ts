import { praise } from "../english/clauses.ts";
import { readNumber } from "../english/numbers.ts";
import { auxiliaries, isPastVerb, isVerb, questionWords } from "../english/word-classes.ts";
import { wordSet } from "../english/word-set.ts";
import { findMistyped } from "../language/word-forms.ts";
import { contentEnds, contentStarts, isCourtesy, isSmallTalk } from "../planners/rules/courtesy.ts";
import { cutClauses, statesReason } from "../planners/rules/cut-wishes.ts";
import type { Part } from "../planners/rules/items.ts";
import type { RequestText } from "../planners/rules/request.ts";
import { determiners } from "./references.ts";

/** Token range of a line without courtesies, laughter and reasons. */
export interface Wish extends Part {
  /** `correct`: "no, …", "sorry, …"; `again`: "same for …"; `more`: "and …". */
  readonly opening: "correct" | "again" | "more" | "none";
  readonly isSingle: boolean;
}

const openingWords: Readonly<Record<Wish["opening"], string>> = {
  correct:
    "no|nope|sorry|wait|oops|rather|except|actually|correction|pardon|i beg your pardon|beg your pardon|i am sorry|i apologise|i apologize|my mistake|my bad|i misspoke|i meant|i mean|i meant to say|scratch that|make that|hang on|on second thought|on second thoughts|not her|not him|not it|not that|not this|not them|it was|that was|it should be|instead",
  more: "and|also|plus|too|another|one more|as well",
  again:
    "same|the same|the same goes for|same goes for|the same thing for|same again|ditto|likewise|same for|the same for|same with|the same with|same thing for|same to",
  none: "oh|ah|um|uh|er|hm|hmm|well|ok|okay|so|then|yes|yeah|ya|yep|now|please|but|i am afraid|kindly|right|alright|all right|fine|good|lol|omg|btw|by the way|oh dear|dear me|hey|hi|hello|first|would you kindly|could you|can you",
};

const openings: ReadonlyMap<string, Wish["opening"]> = new Map(
  (["correct", "more", "again", "none"] as const).flatMap((opening) =>
    openingWords[opening].split("|").map((words) => [words, opening] as const),
  ),
);
const longOpenings = new Set([...openings.keys()].filter((said) => /^\w{5,}$/.test(said)));

/** Also finds a mistyped long opening: "actualy". */
function openingAt(words: readonly string[], at: number, length: number): Wish["opening"] | undefined {
  const said = words.slice(at, at + length).join(" ");
  const mayBeMistyped = length === 1 && said.length > 4 && !openings.has(said);
  const [meant = ""] = mayBeMistyped ? findMistyped(said, longOpenings) : [];
  return openings.get(said) ?? openings.get(meant);
}

export function isOpening(word: string): boolean {
  return openings.has(word);
}

/** Words that follow "do" unless it only emphasizes: "do the dishes" and "do you", but not "do tick it off". */
const behindDo = /^(?:not|you|we|i|they|he|she|it|the|an?|my|our|your|that|this|some|any|all)$/;

function readOpening(words: readonly string[], start: number, end: number) {
  let opening: Wish["opening"] = "none";
  let at = start;
  for (;;) {
    while (at < end && isMark(words[at])) at++;
    const length = [5, 4, 3, 2, 1].find((count) => at + count < end && openingAt(words, at, count) !== undefined);
    const isUrging = words[at] === "do" && !behindDo.test(words[at + 1] ?? "not");
    if (length === undefined && isUrging) {
      at++;
      continue;
    }
    if (length === undefined) return { opening, at };
    const kind = openingAt(words, at, length) ?? "none";
    if (kind === "correct" || opening === "none" || (kind === "again" && opening === "more")) opening = kind;
    at += length;
  }
}

interface Known {
  readonly isNaming: (clause: Part) => boolean;
  readonly isPhraseWord: (word: string) => boolean;
  readonly isField: (word: string) => boolean;
}

const nothing: Known = { isNaming: () => false, isPhraseWord: () => false, isField: () => false };

export function readWish(request: RequestText, known: Known = nothing): Wish | undefined {
  const { words } = request;
  const clauses = cutClauses(request)
    .flatMap((clause) => cutAtDashes(words, clause).map((part) => ({ ...clause, ...part })))
    .map((clause) => ({ ...clause, start: causeEnd(request, clause) }));
  const first = readOpening(words, 0, words.length);
  const isThanks = ({ start, end }: Part) => isCourtesy(words, start, end) || isLaughter(words, start, end);
  const isIdle = ({ start, end }: Part) =>
    isSmallTalk(words, start, end) || readOpening(words, start, end + 1).at >= end;
  const content = clauses.filter((clause) => !isThanks(clause));
  // A "never mind" behind the wish takes it back.
  const opener = content.find((clause) => !isIdle(clause));
  const busy = opener === undefined ? [] : content.slice(content.indexOf(opener));
  const wishes = busy.length > 1 ? busy.filter((_, at) => !isReason(request, busy.slice(at), known)) : busy;
  const [wish] = wishes;
  const last = wishes.at(-1);
  if (wish === undefined || last === undefined) return undefined;
  // Wishes on both sides of a reason cannot be one wish.
  if (busy.indexOf(last) - busy.indexOf(wish) !== wishes.length - 1) return undefined;
  const own = readOpening(words, Math.max(wish.start, first.at), last.end);
  const opening = first.opening === "correct" || own.opening === "none" ? first.opening : own.opening;
  const place = trim(request, { start: own.at, end: withoutContrast(request, { start: own.at, end: last.end }) });
  const isSingle = wishes.slice(0, -1).every(({ endsSentence }) => !endsSentence);
  return place.start < place.end ? { ...place, opening, isSingle } : undefined;
}

/** True if the first clause only states why. It may name things: "the roof and the door are done, tick them off". */
function isReason(request: RequestText, [clause, ...others]: readonly Part[], known: Known): boolean {
  const { words } = request;
  if (clause === undefined || saysValue(request, clause) || saysWhich(words, clause)) return false;
  const { start, end } = clause;
  if (restricting.test(words.slice(start, start + 2).join(" "))) return false;
  // "Name is Walsh" gives a value.
  const field = determiners.has(words[start] ?? "") ? start + 1 : start;
  if (known.isField(words[field] ?? "") && /^(?:is|are|was|should|:)$/.test(words[field + 1] ?? "")) return false;
  if (!known.isNaming(clause)) return isStatement(words, clause) || statesReason(words, start, end);
  const isAbout = (other: Part) => subjects.test(words[other.start] ?? "") && saysValue(request, other);
  if (!others.some((other) => isAbout(other) || ordersIt(words, other, known.isPhraseWord))) return false;
  const isListed = end - start <= 3 && words[end] === "and" && !isVerb(words[start] ?? "");
  return isStatement(words, clause) || (isListed && isReason(request, others, known));
}

/** Begins a clause that says when, if or how surely something is wanted. */
const restricting =
  /^(?:(?:but|when|once|if|unless|until|till|after|before|while|provided|only|just|not|maybe|perhaps)\b|as (?:soon|long)\b)/;

function ordersIt(words: readonly string[], { start, end }: Part, isPhraseWord: Known["isPhraseWord"]): boolean {
  const { at } = readOpening(words, start, end);
  return (
    (isVerb(words[at] ?? "") || isPhraseWord(words[at] ?? "")) &&
    words.slice(at + 1, end).some((word) => itWords.has(word))
  );
}

export const itWords = wordSet("it that them those these him her");

/** Drops a value that is denied: "five, not three". */
function withoutContrast(request: RequestText, { start, end }: Part): number {
  const { words, marks } = request;
  const at = words.lastIndexOf("not", end - 1);
  if (at <= start) return end;
  const to = isMark(words[end - 1]) ? end - 1 : end;
  const denied = marks.find((mark) => mark.leadStart === at + 1 && mark.end === to);
  const isDenied = readNumber(words, at + 1)?.end === to || denied !== undefined;
  const hasDate = marks.some((mark) => mark.kind === "date" && mark.start >= start && mark.end <= at);
  // "Scrap wig 44, not today" has no other day.
  if (denied?.kind === "date" && !hasDate) return end;
  const hasNumber = words.slice(start, at).some((_, index) => readNumber(words, start + index) !== undefined);
  const isSaid = hasNumber || saysValue(request, { start, end: at });
  return isDenied && isSaid ? at : end;
}

/** Skips the reason before "so": "the trip is off, so just empty that list". */
function causeEnd(request: RequestText, { start, end }: Part): number {
  const at = request.words.indexOf("so", start);
  // "Would you be so kind as to …"
  const isCourteous = /^(?:kind|good|nice)$/.test(request.words[at + 1] ?? "");
  const isCause = at > start && at + 1 < end && !isCourteous && !saysValue(request, { start, end: at });
  return isCause ? at + 1 : start;
}

function cutAtDashes(words: readonly string[], { start, end }: Part): readonly Part[] {
  const places = words.slice(start, end).flatMap((word, index) => (/^[—–]$/.test(word) ? [start + index] : []));
  const starts = [start, ...places.map((at) => at + 1)];
  const parts = starts.map((from, index) => ({ start: from, end: places[index] ?? end }));
  return parts.filter((part) => part.start < part.end);
}

function saysValue({ marks, words }: RequestText, { start, end }: Part): boolean {
  // "One" is not a number in "the gym one".
  const isOne = ({ start: at }: Part) => words[at] === "one" && at > start;
  return marks.some((mark) => mark.start < end && mark.end > start && !isOne(mark));
}

export const subjects = /^(?:i|we|he|she|they|it|there|this|that|nobody|everybody|everyone|somebody|someone)$/;

/** True for a subject with a finite verb: "we merely brushed against it", "the lock is being changed". */
function isStatement(words: readonly string[], { start, end }: Part): boolean {
  const said = words.slice(start, end).filter((word) => word !== "and" && word !== "so");
  const isVerbal = (word = "") =>
    (auxiliaries.has(word) && !/^(?:do|can|could|will|would)$/.test(word)) || isPastVerb(word);
  if (said[0] === "you") return false;
  if (subjects.test(said[0] ?? "")) return said.slice(1, 4).some(isVerbal);
  const isBehind = (at: number) => /['’]s$/.test(said[at] ?? "") && said.length > at + 1;
  return said.slice(1, 5).some(isVerbal) || isBehind(0) || isBehind(1);
}

/** True if the clause may name the thing: "Rossi it was", "it was Rossi", but not "it was cancelled". */
function saysWhich(words: readonly string[], { start, end }: Part): boolean {
  const said = words.slice(start, end).join(" ");
  const [, told] = /^(?:it|that|this)(?:['’]s| is| was) (\S+)$/.exec(said) ?? [];
  return (
    /\b(?:(?:it|that|this) (?:is|was)|(?:is|was) (?:it|that|this))$/.test(said) ||
    (told !== undefined && !/ing$/.test(told) && !isPastVerb(told))
  );
}

const praiseWords = wordSet(praise.replaceAll("|", " "));
const laughter =
  /^(?:(?:ha|he|hi)+h?|lol|haha\w*|hehe\w*|fair|enough|sure|thank|you|very|much|ever|so|thanks|ok|okay|yes|yeah|yep|ah|oh|indeed|well|then|cheers|cool|perfectly|alright|right|ta|a|lot|for|that|is|all|kind|of|your|help|patience|time|are|were|really|appreciate|it|i|we|helpful|appreciated|my|dear)$/;

export function isLaughter(words: readonly string[], start: number, end: number): boolean {
  return (
    end > start && words.slice(start, end).every((word) => isMark(word) || laughter.test(word) || praiseWords.has(word))
  );
}

export function isMark(word = ""): boolean {
  return /^[.,!?;:–—-]$/.test(word);
}

function trim({ words }: RequestText, { start, end }: Part): Part {
  // "Check" is a courtesy in "check what is due", but not in "check it off".
  const check = words.findIndex(
    (word, at) => at >= start && word === "check" && !questionWords.has(words[at + 1] ?? ""),
  );
  const last = check < 0 ? end - 1 : check;
  const from = Math.max(...contentStarts(words, start, end).filter((at) => at <= last));
  const to = Math.min(...contentEnds(words, from, end).filter((at) => at > from), end);
  const isArticle = /^(?:the|a|an)$/.test(words[from - 1] ?? "") && from > start;
  return { start: isArticle ? from - 1 : from, end: to };
}
