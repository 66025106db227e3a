import type { ToolPhrase } from "../../core/tool.ts";
import { readNumber } from "../../english/numbers.ts";
import { saysAt } from "../../english/word-set.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import type { Part } from "./items.ts";
import { type RequestDate, readRequest } from "./request.ts";
import { isDate, type SlotType } from "./slots.ts";

interface ExampleSlot extends Part {
  readonly name: string;
}

const slotName = /^[A-Za-z_][\w-]*$/;
const templateSigns = /[()[\]{}|]/;

export function readExample(
  { phrase, input = {}, toInput }: ToolPhrase,
  typeOf: (field: string) => SlotType,
): { readonly template: string; readonly rest: Readonly<Record<string, unknown>> } {
  if (templateSigns.test(phrase) || toInput !== undefined) return { template: phrase, rest: input };
  const tokens = tokenize(phrase);
  const entries = Object.entries(input).filter(([name]) => slotName.test(name));
  const { dates } = readRequest(phrase, { nowMs: 0, timeZone: "UTC" });
  // A date with the value of the field comes first, so that "12" in "for 12 on 2030-12-12" is not part of it.
  const dated = entries.flatMap(([name, value]) => {
    const date = isDate(typeOf(name)) ? dates.find((each) => isSameTime(each, value)) : undefined;
    return date === undefined ? [] : [{ name, start: date.start, end: date.end }];
  });
  const isTaken = (at: number) => dated.some(({ start, end }) => at >= start && at < end);
  const free = tokens.map((token, at): Token => (isTaken(at) ? { ...token, kind: "sign", norm: "" } : token));
  const found = [...dated];
  for (const [name, value] of entries) {
    if (dated.some((each) => each.name === name)) continue;
    const date = isDate(typeOf(name)) ? dates.find(({ start }) => !isTaken(start)) : undefined;
    const place = placeOf(value, free, typeOf(name)) ?? date;
    if (place !== undefined) found.push({ name, start: place.start, end: place.end });
  }
  const slots = withoutOverlaps(found, tokens);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !slots.some((slot) => slot.name === name)));
  return { template: toTemplate(phrase, tokens, slots), rest };
}

function placeOf(value: unknown, tokens: readonly Token[], type: SlotType): Part | undefined {
  if (Array.isArray(value)) return placeOfList(value, tokens, type);
  if (typeof value === "number") return placeOfNumber(value, tokens);
  if (typeof value !== "string" || value === "") return undefined;
  const ways = [...(type.values?.values() ?? [])].flat().filter((way) => way.value === value);
  const norms = tokens.map(({ norm }) => norm);
  // "Tennant" is said by "Tennant's".
  const owners = norms.map((norm) => norm.replace(/['’]s$/, ""));
  for (const words of [tokenize(value).map(({ norm }) => norm), ...ways.map((way) => way.words)]) {
    const places = [norms, owners].map((said) => said.findIndex((_, at) => saysAt(said, at, words)));
    const start = words.length === 0 ? undefined : places.find((at) => at !== -1);
    if (start !== undefined) return { start, end: start + words.length };
  }
  const quote = tokens.findIndex(({ kind, norm }) => kind === "quote" && norm === value);
  return quote === -1 ? undefined : { start: quote, end: quote + 1 };
}

function isSameTime({ date, dateTime = date }: RequestDate, value: unknown): boolean {
  return typeof value === "string" && Date.parse(dateTime) === Date.parse(value);
}

function placeOfNumber(value: number, tokens: readonly Token[]): Part | undefined {
  const words = tokens.map(({ norm }) => norm);
  for (const start of words.keys()) {
    const found = readNumber(words, start);
    if (found !== undefined && Number(found.digits) === value) return { start, end: found.end };
  }
  return undefined;
}

function placeOfList(items: readonly unknown[], tokens: readonly Token[], type: SlotType): Part | undefined {
  let first: number | undefined;
  let end = 0;
  for (const item of items) {
    const place = placeOf(item, tokens.slice(end), type);
    if (place === undefined) return undefined;
    const between = tokens.slice(end, end + place.start);
    if (first !== undefined && !between.every(({ norm }) => /^(?:,|and|&)$/.test(norm))) return undefined;
    first ??= place.start;
    end += place.end;
  }
  return first === undefined ? undefined : { start: first, end };
}

function withoutOverlaps(found: readonly ExampleSlot[], tokens: readonly Token[]): readonly ExampleSlot[] {
  const kept: ExampleSlot[] = [];
  for (const slot of [...found].sort((left, right) => right.end - right.start - (left.end - left.start)))
    if (kept.every(({ start, end }) => slot.end <= start || slot.start >= end)) kept.push(slot);
  const isWord = ({ kind }: Token, at: number) =>
    kind === "word" && !kept.some(({ start, end }) => at >= start && at < end);
  return tokens.some(isWord) ? kept.sort((left, right) => left.start - right.start) : [];
}

function toTemplate(phrase: string, tokens: readonly Token[], slots: readonly ExampleSlot[]): string {
  let template = "";
  let at = 0;
  for (const { name, start, end } of slots) {
    template += `${phrase.slice(at, tokens[start]?.start)}{${name}}`;
    at = tokens[end - 1]?.end ?? at;
  }
  return template + phrase.slice(at);
}
