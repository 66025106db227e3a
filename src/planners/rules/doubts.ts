import { parseWith } from "../../core/schema.ts";
import {
  auxiliaries,
  prepositions,
  readAnaphor,
  resultNouns,
  startsWithVerb,
  truthWords,
} from "../../english/word-classes.ts";
import { saysAt } from "../../english/word-set.ts";
import { findRefusals } from "../../language/refusals.ts";
import { stem } from "../../language/word-forms.ts";
import { itemsOf, type Part, splitAt } from "./items.ts";
import type { Piece } from "./match.ts";
import { isContent, type Operation, type OperationSlot } from "./operation.ts";
import type { PhraseRule } from "./phrase-rules.ts";
import { isCapital, type Mark, type RequestText, textBetween } from "./request.ts";
import { isWhole, type Match } from "./slot-values.ts";
import { anaphor, isDate, isReadable, slotReadingsAt, typeOfSlot } from "./slots.ts";
import { isPlainText } from "./texts.ts";

/** A reason to ask first. `left`: unused words, or a mark used only in part. `hour`: a time that is not exact. */
export interface Doubt extends Part {
  readonly kind: "left" | "name" | "hour" | "spelling" | "words";
}

const maxOtherCost = 75;

export function findDoubts(reading: Match, request: RequestText): readonly Doubt[] {
  const { rule, pieces } = reading;
  const isPure = isPureRule(rule);
  const doubts: Doubt[] = findLeft(reading, request).map(({ start, end }) => ({ kind: "left", start, end }));
  const isPlanned = isPure && !rule.isGrave && reading.cost <= maxOtherCost && reading.missing === undefined;
  const isNear = isPlanned || reading.isAlike?.() === true;
  if (reading.inOtherWords && !isNear) doubts.push({ kind: "words", start: reading.start, end: reading.end });
  const firstWord = pieces.find(({ kind }) => kind === "word");
  for (const piece of pieces) {
    const { kind, start, end, isMistyped = false } = piece;
    if (kind === "left" && !doubts.some((doubt) => doubt.kind === "left" && doubt.start < end && doubt.end > start))
      doubts.push({ kind, start, end });
    // A mistyped word must not start anything irreversible, and a mistyped verb must not change anything.
    if (isMistyped && !isPure && (rule.isGrave || piece === firstWord)) doubts.push({ kind: "spelling", start, end });
    if (isDoubtfulText(piece, reading, request)) doubts.push({ kind: "name", start, end });
  }
  return [...doubts, ...doubtfulDates(reading, request)];
}

function isPureRule({ tool }: PhraseRule): boolean {
  return tool.tool.declaredEffect === "pure";
}

function isDoubtfulText(piece: Piece, reading: Match, request: RequestText): boolean {
  const { rule } = reading;
  const { start, end, name = "" } = piece;
  const isQuoted = piece.isMessage && request.tokens[start]?.kind === "quote" && end > start + 2;
  if (isQuoted && /^(?:and|then|,|;|\.)$/.test(request.words[start + 1] ?? "")) return true;
  // "Bob" in "tell Ada and Bob that I am home" is a name.
  const isBehindName = piece.isMessage && reading.pieces.some((each) => each.kind === "slot" && each.end === start);
  if (isBehindName && joiner.test(request.words[start] ?? "")) return true;
  const isText = piece.kind === "slot" && piece.value === undefined && !piece.isMessage;
  const type = isText ? typeOfSlot(rule, name) : undefined;
  if (type === undefined || isReadable(type) || type.item === "number" || type.text === "message") return false;
  const split = type.kind === "list" ? splitAt(request, [piece]) : itemsOf([piece], request);
  const items = (isWhole(type) ? undefined : split) ?? [[piece]];
  const mayBeMore = type.kind === "text" && items.length > 1 && type.text === undefined && !isPureRule(rule);
  const isSplit = mayBeMore && !isObject(piece, reading, request);
  const isDoubtful = ([item = piece]: readonly Part[]) => isDoubtfulName(item, name, reading, request);
  return isSplit || mayEndElsewhere(piece, reading, request) || items.some(isDoubtful);
}

const joiner = /^(?:and|or|,)$/;

function mayEndElsewhere({ start, end }: Piece, { rule, pieces }: Match, request: RequestText): boolean {
  const { words } = request;
  const next = pieces.find((piece) => piece.start > end && piece.kind === "slot");
  const type = next && typeOfSlot(rule, next.name ?? "");
  if (next === undefined || next.value !== undefined || type?.kind !== "text" || isReadable(type)) return false;
  const isTask = startsWithVerb(words.slice(next.start, next.end));
  return words.slice(start + 1, next.end - 1).some((word, index) => {
    const at = start + 1 + index;
    if (word !== words[end] || at === end || (at > end && (isTask || next.isMessage))) return false;
    const parsed = type.schema && parseWith(type.schema, textBetween(request, at + 1, next.end));
    return parsed === undefined || parsed instanceof Promise || parsed.ok;
  });
}

function doubtfulDates({ rule, pieces }: Match, { dates }: RequestText): readonly Doubt[] {
  return dates.flatMap(({ start, end, dateTime, partOfDay, isBareHour, isNamed }): readonly Doubt[] => {
    const used = pieces.find((piece) => piece.value !== undefined && piece.start <= start && piece.end >= end);
    if (used === undefined) return [];
    const type = typeOfSlot(rule, used.name ?? "");
    const isVague = dateTime === undefined || partOfDay !== undefined;
    const isDay = isVague && type?.kind === "date-time" && type.takesDay !== true && !isPureRule(rule);
    return [
      ...(isDay || (isBareHour && rule.isGrave) ? [{ kind: "hour", start, end } as const] : []),
      ...(isNamed ? [{ kind: "name", start, end } as const] : []),
    ];
  });
}

function findLeft({ rule, start, end, pieces }: Match, { marks }: RequestText): readonly Mark[] {
  const used = new Map<number, Piece>();
  for (const piece of pieces)
    if (piece.kind !== "free") for (let at = piece.start; at < piece.end; at++) used.set(at, piece);
  const isUsed = (mark: Mark): boolean => {
    const own = new Set<Piece | undefined>();
    for (let at = mark.start; at < mark.end; at++) own.add(used.get(at));
    const [first] = own;
    const isOver = (piece: Piece) => mark.kind === "tag" && piece.end > mark.end && piece.value === undefined;
    const isText = (piece: Piece | undefined) =>
      piece?.kind === "slot" && piece.value === undefined && typeOfSlot(rule, piece.name ?? "")?.kind === "text";
    if (own.size === 1 && isText(first)) return true;
    return [...own].every((piece) => piece !== undefined && piece.kind !== "left" && !isText(piece) && !isOver(piece));
  };
  const lengthOf = (mark: Mark) => mark.end - mark.leadStart;
  return marks.filter((mark, at) => {
    if (mark.start >= end || mark.end <= start || !mark.isFirm || isUsed(mark)) return false;
    // "By 5" is marked as an hour and as a number; using one of them is enough.
    const covering = marks.filter((each) => each !== mark && each.start <= mark.start && each.end >= mark.end);
    const isSame = (other: Mark) => other.isFirm && other.start === mark.start && other.end === mark.end;
    const isBefore = (other: Mark) => isSame(other) && marks.indexOf(other) < at;
    return !covering.some((other) => isUsed(other) || lengthOf(other) > lengthOf(mark) || isBefore(other));
  });
}

function isObject({ start, name }: Piece, { pieces }: Match, { words }: RequestText): boolean {
  const before = pieces.filter((piece) => piece.end <= start && piece.kind !== "free");
  const isFirst = before.every((piece) => piece.kind !== "slot" || piece.name === name || piece.value !== undefined);
  return isFirst && !prepositions.has(words[start - 1] ?? "");
}

const other =
  /^(?:or|but|except|excluding|instead|not|never|without|nor|same|than|called|named|titled|entitled|saying|\+)$/;

function isDoubtfulName(part: Part, name: string, reading: Match, request: RequestText): boolean {
  const { start, end } = part;
  const { words, tokens, marks } = request;
  const first = tokens[start];
  if (readAnaphor(words, start) === end || (end === start + 1 && resultNouns.has(words[start] ?? ""))) return false;
  if (end === start + 1 && (first?.kind === "quote" || first?.kind === "address")) return false;
  if (first?.kind === "quote") return true;
  const { operation } = reading.rule;
  const takesTags = () => [...operation.slots.values()].some(({ type }) => type.kind === "list");
  const within = marks.filter((mark) => mark.start >= start && mark.end <= end && (mark.kind !== "tag" || takesTags()));
  const isMarked = (at: number) => within.some((mark) => mark.start <= at && mark.end > at && mark.kind !== "quote");
  const said = words.slice(start, end);
  const isSign = (word: string, at: number) => tokens[start + at]?.kind !== "quote" && !/[\p{L}\p{N}]/u.test(word);
  const isCalled = /^(?:called|named|titled|entitled)$/.test(words[start - 1] ?? "");
  if (!isCalled && said.every((word, at) => isMarked(start + at) || isSign(word, at))) return true;
  const isOther = (word: string, at: number) => other.test(word) && !isCapital(request, at) && !tokens[at]?.glued;
  if (said.some((word, at) => isOther(word, start + at))) return true;
  if (findRefusals(words, start, end).some(({ reason }) => reason === "others" || reason === "repeated")) return true;
  const isSentence = said.slice(1, -1).some((word, at) => auxiliaries.has(word) && !isCapital(request, start + 1 + at));
  if (isSentence || said[0] === "that" || !isPlainText(request, start, end)) return true;
  if (end === start + 1 && within.length === 0 && !truthWords.has(said[0] ?? "")) return false;
  const filled = new Set(reading.pieces.flatMap(({ name }) => name ?? []));
  const empty = operation.slotsBeside(name).filter((slot) => !filled.has(slot.name));
  return empty.some((slot) => couldFill(slot, part, request)) || saysOther(operation, part, request);
}

function saysOther({ words: own }: Operation, { start, end }: Part, { words }: RequestText): boolean {
  for (let at = start + 1; at < end - 1; at++) {
    if (!prepositions.has(words[at] ?? "")) continue;
    const word = at + 2 < end && /^(?:the|my|our|your)$/.test(words[at + 1] ?? "") ? (words[at + 2] ?? "") : "";
    if (isContent(word) && own.has(stem(word))) return true;
  }
  return false;
}

function couldFill({ type, behind, leads }: OperationSlot, { start, end }: Part, request: RequestText): boolean {
  const { words, marks } = request;
  const isWhen = isDate(type) || type.kind === "range";
  if (isWhen && marks.some((mark) => mark.kind === "date" && mark.start >= start && mark.end <= end)) return true;
  const holdsValue = (at: number) =>
    slotReadingsAt(type, request, at).some(({ value, end: last, isMeasured }) => {
      if (value === anaphor || last > end) return false;
      const isLed = leads.some((each) => at - each.length >= start && saysAt(words, at - each.length, each));
      return isMeasured || isLed || (behind.has(words[last] ?? "") && last < end) || type.kind === "boolean";
    });
  const holdsText = (at: number) => {
    const lead = leads.find((each) => saysAt(words, at, each));
    const from = at + (lead?.length ?? 0);
    if (lead === undefined || from >= end) return false;
    if (type.schema === undefined) return true;
    const last = words[from - 1] ?? "";
    const isPreposition = prepositions.has(last) && leads.some((each) => each.join(" ") === last);
    const text = textBetween(request, from, end);
    const parsed = parseWith(type.schema, type.kind === "list" ? [text] : text);
    return (parsed instanceof Promise || parsed.ok) && !(isPreposition && startsWithVerb(words.slice(start, from)));
  };
  for (let at = start; at < end; at++) if (isReadable(type) ? holdsValue(at) : at > start && holdsText(at)) return true;
  return false;
}
