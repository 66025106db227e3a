import { exactNumber, type JsonObject } from "../../core/json.ts";
import { parseWith } from "../../core/schema.ts";
import type { PhraseReference, SlotValue } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { readNumber } from "../../english/numbers.ts";
import { prepositions, readAnaphor, resultNouns } from "../../english/word-classes.ts";
import { readSum } from "../../sums/read-sum.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { isQuote, itemsOf, type Part, splitAt, textOf } from "./items.ts";
import { type Piece, WorkMeter } from "./match.ts";
import { isContent } from "./operation.ts";
import type { PhraseRule, ToolRules } from "./phrase-rules.ts";
import { maxTokens, type RequestText, readRequest, textBetween } from "./request.ts";
import {
  anaphor,
  choicesOf,
  isDate,
  isReadable,
  type SlotReading,
  type SlotType,
  slotReadingsAt,
  typeOfSlot,
} from "./slots.ts";

export interface Match extends Part {
  readonly rules: ToolRules;
  readonly rule: PhraseRule;
  readonly firstClause: number;
  readonly lastClause: number;
  readonly cost: number;
  readonly pieces: readonly Piece[];
  readonly goesOn?: boolean;
  readonly inOtherWords?: boolean;
  isAlike?(): boolean;
  readonly missing?: string;
}

export type SlotRule = Pick<PhraseRule, "slots" | "anywhere" | "source" | "fixed" | "tool">;

export interface Unfit {
  readonly ok: false;
  readonly why?: string;
  readonly reason?: "unbound";
  readonly isTooLong?: boolean;
}

interface SlotValues {
  readonly ok: true;
  readonly records: readonly Readonly<Record<string, SlotValue>>[];
  readonly hasPointer: boolean;
}

interface SlotContext {
  readonly request: RequestText;
  readonly previous: PhraseReference | undefined;
  readonly input?: JsonObject | undefined;
  readonly work: WorkMeter;
}

const pointer: unique symbol = Symbol("pointer");

/** `input` is the input of the `previous` step, such as the ticket in "assign ticket 10 to Eva and make it urgent". */
export function readSlotValues(
  { pieces, rule }: Pick<Match, "pieces"> & { readonly rule: SlotRule },
  { request, previous, input = {}, work }: SlotContext,
): SlotValues | Unfit {
  let hasPointer = false;
  let records: Record<string, SlotValue>[] = [{}];
  for (const name of new Set(pieces.flatMap((piece) => piece.name ?? []))) {
    const own = pieces.filter((piece) => piece.name === name);
    const type = typeOfSlot(rule, name);
    if (type === undefined) continue;
    for (const { start, end } of own) work.spend(1 + end - start);
    const found = isFieldName(rule, own, request) ? undefined : valuesOf(type, own, request);
    if (found === undefined) return { ok: false };
    const values: readonly SlotValue[] | undefined =
      found === pointer ? earlierValues(rule, name, previous, input) : found;
    if (values === undefined) return isUnbound(own, request);
    if (found === pointer) hasPointer = true;
    else if (!isTakenAsIs(own, request) && !fitsOwnSchema(type, found, work)) return { ok: false };
    work.spend(values.length * records.length);
    records = values.flatMap((value) => records.map((record) => ({ ...record, [name]: value })));
  }
  if (records.length > 1 && saysIt({ pieces }, request.words)) return { ok: false };
  return { ok: true, records, hasPointer };
}

function isTakenAsIs(own: readonly Piece[], request: RequestText): boolean {
  return isQuote(own, request) || request.things.has(own[0]?.start ?? -1);
}

export function saysIt({ pieces }: Pick<Match, "pieces">, words: readonly string[]): boolean {
  return pieces.some(({ kind, start }) => kind === "word" && words[start] === "it");
}

function earlierValues(rule: SlotRule, name: string, previous: PhraseReference | undefined, input: JsonObject) {
  const same = rule.source.toInput === undefined && Object.hasOwn(input, name) ? input[name] : undefined;
  if (typeof same === "string" || typeof same === "number") return [same];
  return previous === undefined || typeOfSlot(rule, name)?.kind === "enum" ? undefined : [previous];
}

function isUnbound(own: readonly Piece[], request: RequestText): Unfit {
  const words = own.map(({ start, end }) => textBetween(request, start, end)).join(" ");
  const why = `"${words}" refers to a result, but no earlier step has one; say what is meant`;
  return { ok: false, reason: "unbound", why };
}

/** True if the words are only the name of a slot, as in "publish the novel edition". */
function isFieldName({ slots, source }: SlotRule, pieces: readonly Piece[], { words }: RequestText): boolean {
  const [{ start = 0, end = 0, value } = {}, second] = pieces;
  const isWord = second === undefined && end === start + 1 && value === undefined;
  return isWord && source.toInput === undefined && slots.has(words[start] ?? "");
}

type Found = readonly SlotValue[] | typeof pointer | undefined;

function valuesOf(type: SlotType, pieces: readonly Piece[], request: RequestText): Found {
  const [first] = pieces;
  if (first === undefined) return undefined;
  if (first.value === anaphor) return pointer;
  if (first.value !== undefined)
    return pieces.flatMap(({ value }) => (value === undefined || typeof value === "symbol" ? [] : [value]));
  if (type.kind === "sum") return [textBetween(request, first.start, first.end)];
  const { words, tokens } = request;
  if (pieces.length === 1 && refersBack(first, words)) return pointer;
  if (type.kind === "list" && !first.isMessage) return listOf(type, pieces, request);
  if (isQuote(pieces, request)) return [tokens[first.start]?.norm ?? ""];
  if (first.isMessage) return [textBetween(request, first.start, first.end)];
  const items = isWhole(type) ? [pieces] : itemsOf(pieces, request);
  if (items === undefined) return undefined;
  const values = items.map((item) => {
    const text = textOf(item, request);
    const end = item.at(-1)?.end ?? 0;
    const isOwner = type.text === undefined && type.schema === undefined && /['’]s$/.test(words[end - 1] ?? "");
    return isOwner && isContent(words[end] ?? "") ? text?.slice(0, -2) : text;
  });
  return values.every((value) => value !== undefined) ? values : undefined;
}

function refersBack({ start, end, isMessage }: Piece, words: readonly string[]): boolean {
  const isAnaphor = readAnaphor(words, start) === end;
  const isNoun = resultNouns.has(words[end - 1] ?? "");
  if (isMessage) return isAnaphor && isNoun && end > start + 1;
  return isAnaphor || (isNoun && end === start + 1 && !/^(?:called|named|titled)$/.test(words[start - 1] ?? ""));
}

export function isWhole({ text }: SlotType): boolean {
  return text === "whole" || text === "word" || text === "message";
}

function listOf(type: SlotType, pieces: readonly Part[], request: RequestText): readonly SlotValue[] | undefined {
  const items = pieces.flatMap((piece) => splitAt(request, [piece])).map((item) => itemOf(type, item, request));
  if (items.length === 0 || items.some((item) => item === undefined)) return undefined;
  return type.isSpread ? (items as SlotValue[]) : [items as (string | number)[]];
}

function itemOf(type: SlotType, item: readonly Part[], request: RequestText): string | number | undefined {
  if (type.item !== "number") return textOf(item, request);
  const said = item.flatMap(({ start, end }) => request.words.slice(start, end));
  const found = readNumber(said, 0);
  return found?.end === said.length ? exactNumber(found.digits) : undefined;
}

function fitsOwnSchema({ schema }: SlotType, values: readonly SlotValue[], work: WorkMeter): boolean {
  if (schema === undefined) return true;
  return values.every((value) => {
    if (typeof value === "object" && "$ref" in value) return true;
    work.check(value);
    const parsed = parseWith(schema, value);
    return parsed instanceof Promise || parsed.ok;
  });
}

export function readSlot(
  type: SlotType,
  words: string,
  clock: DateClock,
): { readonly ok: true; readonly value: SlotValue } | { readonly ok: false; readonly why: string } {
  const request = readRequest(words, clock);
  const said = JSON.stringify(words.slice(0, 80));
  if (request.tokens.length === 0) return { ok: false, why: "expected words; received none" };
  if (request.tokens.length > maxTokens) return { ok: false, why: `expected at most ${maxTokens} words` };
  const value = findValue(type, request);
  if (value !== undefined) return { ok: true, value };
  const known = choicesOf(type).slice(0, 20).join(", ");
  const wanted = known === "" ? names[type.kind] : `one of ${known}`;
  const isFalse = isDate(type) && request.marks.some((mark) => mark.isFalse);
  const received = `received ${said}${isFalse ? ", which does not exist or has several meanings" : ""}`;
  return { ok: false, why: `expected ${wanted}; ${received}` };
}

const names: Readonly<Record<SlotType["kind"], string>> = {
  text: "the name of something",
  number: "a number",
  boolean: "yes or no",
  enum: "a known value",
  date: "a day",
  "date-time": "a time",
  time: "a time of day",
  range: "a range of days",
  sum: "a sum",
  list: "a list",
};

function findValue(type: SlotType, request: RequestText): SlotValue | undefined {
  const { words, tokens } = request;
  let end = words.length;
  while (end > 0 && /^[.!?]$/.test(words[end - 1] ?? "")) end--;
  if (type.kind === "sum") return readSum(tokens) && request.text.trim();
  if (!isReadable(type)) {
    const all: readonly Part[] = [{ start: 0, end }];
    const value = type.kind === "list" ? listOf({ ...type, isSpread: false }, all, request)?.[0] : textOf(all, request);
    return value !== undefined && fitsOwnSchema(type, [value], new WorkMeter()) ? value : undefined;
  }

  for (let start = 0; start < end; start++) {
    const found = slotReadingsAt(type, request, start).find((each) => each.end === end && each.value !== anaphor);
    if (found !== undefined) return found.value as Exclude<SlotReading["value"], typeof anaphor>;
    const word = words[start] ?? "";
    if (!isFiller(word) && !isArticle(word) && !prepositions.has(word)) return undefined;
  }
  return undefined;
}
