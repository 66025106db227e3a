import type { ToolPhrase } from "../../core/tool.ts";
import { mayHoldDate } from "../../dates/date-words.ts";
import { readNumber } from "../../english/numbers.ts";
import { saysAt } from "../../english/word-set.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import type { Part } from "./items.ts";
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
  const found: ExampleSlot[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (!slotName.test(name)) continue;
    const place = placeOf(value, tokens, typeOf(name));
    if (place !== undefined) found.push({ name, ...place });
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
  for (const words of [tokenize(value).map(({ norm }) => norm), ...ways.map((way) => way.words)]) {
    const start = words.length === 0 ? -1 : norms.findIndex((_, at) => saysAt(norms, at, words));
    if (start !== -1) return { start, end: start + words.length };
  }
  if (isDate(type)) return placeOfDate(tokens);
  const quote = tokens.findIndex(({ kind, norm }) => kind === "quote" && norm === value);
  return quote === -1 ? undefined : { start: quote, end: quote + 1 };
}

function placeOfDate(tokens: readonly Token[]): Part | undefined {
  const start = tokens.findIndex(({ norm }) => mayHoldDate(norm));
  const end = tokens.findLastIndex(({ norm }) => mayHoldDate(norm)) + 1;
  return start === -1 ? undefined : { start, end };
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
