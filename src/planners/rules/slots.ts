import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { addTo } from "../../core/lists.ts";
import { remembered } from "../../core/remembered.ts";
import { type StandardSchema, toJsonSchema } from "../../core/schema.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { instantOf, isoDateTime } from "../../dates/zoned-time.ts";
import { ordinals } from "../../english/numbers.ts";
import { type Unit, unitsNamed } from "../../english/units.ts";
import { readAnaphor, truthWords } from "../../english/word-classes.ts";
import { saysAt } from "../../english/word-set.ts";
import type { RequestDate, RequestText } from "./request.ts";

export interface SlotReading {
  readonly value: string | number | boolean | typeof anaphor;
  readonly end: number;
  readonly isMeasured?: boolean;
}

/** Placeholder for an earlier result that is not yet known. */
export const anaphor: unique symbol = Symbol("anaphor");
const nth = /^(\d+)(?:st|nd|rd|th)$/;

export function isReadable({ kind }: SlotType): boolean {
  return kind !== "text" && kind !== "list";
}

export function isDate({ kind }: SlotType): boolean {
  return kind === "date" || kind === "date-time" || kind === "time";
}

export function slotReadingsAt(type: SlotType, request: RequestText, start: number): readonly SlotReading[] {
  const { words, datesByStart, clock, ranges } = request;
  switch (type.kind) {
    case "number":
      return readNumberSlot(type, request, start);
    case "boolean": {
      const value = truthWords.get(words[start] ?? "");
      return value === undefined ? none : [{ value, end: start + 1 }];
    }
    case "enum":
      return readEnum(type, words, start);
    case "date":
    case "date-time":
    case "time": {
      const date = datesByStart.get(start);
      // "Tonight" fits a day slot; "tomorrow evening" says more than a day.
      const isTonight = type.kind === "date" && words[start] === "tonight" && date?.end === start + 1;
      if (isTonight) return [{ value: date.date, end: date.end }];
      return date === undefined ? none : readDateSlot(type, date, clock);
    }
    case "range":
      return ranges
        .filter((range) => range.start === start)
        .map((range) => ({ value: type.when === "past" ? range.inPast() : range.value, end: range.end }));
    case "sum":
    case "text":
    case "list":
      return none;
  }
}

const none: readonly SlotReading[] = [];

/** Reads a day without a time as its first instant, unless the slot takes days. */
function readDateSlot(type: SlotType, found: RequestDate, clock: DateClock): readonly SlotReading[] {
  const { end, date, dateTime, isTimeOnly, partOfDay, dayAlone } = type.when === "past" ? found.inPast() : found;
  const { nowMs, timeZone } = clock;
  const isOver = () =>
    dateTime === undefined ? date < isoDateTime(nowMs, timeZone).slice(0, 10) : Date.parse(dateTime) <= nowMs;
  if (type.when === "future" && isOver()) return none;
  if (isTimeOnly && (type.takesTime || type.kind === "time")) return [{ value: dateTime?.slice(11, 16) ?? "", end }];
  if (type.kind === "time") return none;
  if (type.kind === "date") {
    const day = dateTime === undefined ? { date, end } : dayAlone();
    return day === undefined ? none : [{ value: day.date, end: day.end }];
  }
  if (type.takesDay && (dateTime === undefined || partOfDay)) return [{ value: date, end }];
  const ms = dateTime === undefined ? instantOf(Date.parse(`${date}T00:00:00Z`), timeZone) : Date.parse(dateTime);
  return [{ value: timeForms[type.form ?? "utc"](ms, timeZone), end }];
}

function readEnum({ values }: SlotType, words: readonly string[], start: number): readonly SlotReading[] {
  const likely = values?.get(words[start] ?? "");
  const end = likely === undefined ? readAnaphor(words, start) : undefined;
  if (likely === undefined) return end === undefined ? none : [{ value: anaphor, end }];
  return likely
    .filter(({ words: said }) => saysAt(words, start, said))
    .map(({ words: said, value }) => ({ value, end: start + said.length }));
}

function readNumberSlot(type: SlotType, request: RequestText, start: number): readonly SlotReading[] {
  const { words } = request;
  const first = words[start] ?? "";
  if (/^(?:number|nr|no|#)$/.test(first)) {
    const from = words[start + 1] === "." ? start + 2 : start + 1;
    return /^\d/.test(words[from] ?? "") ? readNumberSlot(type, request, from) : none;
  }
  const { number, measures, end: last } = request.amounts.get(start) ?? { end: start, measures: [] };
  const { units } = type;
  const own = measures.find(({ unit }) => units?.some(({ kind }) => kind === unit.kind));
  const unit = units?.find(({ kind }) => kind === own?.unit.kind);
  const readings: SlotReading[] = [];
  const isOther = units !== undefined && measures.length > 0 && (own === undefined || own.unit.size !== unit?.size);
  if (number !== undefined && !isOther && !(measures.length === 0 && last > number.end)) readings.push(number);
  if (own !== undefined && unit !== undefined) {
    const value = Number(((own.value * own.unit.size) / unit.size).toPrecision(12));
    readings.push({ value, end: last, isMeasured: true });
  }
  const rank = ordinals.indexOf(first) + 1 || Number(nth.exec(first)?.[1] ?? 0);
  if (rank > 0) readings.push({ value: rank, end: start + 1 });
  const end = readAnaphor(words, start);
  if (end !== undefined) readings.push({ value: anaphor, end });
  return readings;
}

/** Reads the units in names such as `durationMinutes` and `amountUsd`. */
export function unitsOfName(name: string): readonly Unit[] {
  const words = name.split(/(?=\p{Lu})|[\s_-]+/u);
  const named = words.map((word) => (word.length > 1 ? unitsNamed(word.toLowerCase()) : []));
  return named.find(({ length }) => length > 0) ?? [];
}

interface SaidValue {
  readonly words: readonly string[];
  readonly value: string | number;
}

export interface SlotType {
  readonly kind: "text" | "number" | "boolean" | "enum" | "date" | "date-time" | "time" | "range" | "sum" | "list";
  readonly values?: ReadonlyMap<string, readonly SaidValue[]>;
  readonly takesDay?: boolean;
  readonly takesTime?: boolean;
  readonly form?: keyof typeof timeForms;
  readonly units?: readonly Unit[];
  readonly item?: "text" | "number";
  readonly schema?: StandardSchema;
  /** See docs/planners.md#slots. */
  readonly text?: "message" | "name" | "whole" | "word";
  readonly when?: "past" | "future";
  /** True if a list fills a field that takes one value, so that each item becomes a step. */
  readonly isSpread?: boolean;
}

export const choicesOf = remembered(({ values }: SlotType): readonly (string | number)[] => {
  const said = [...(values?.values() ?? [])].flat();
  return [...new Set(said.map(({ value }) => value))];
});

export function slotTypeOf(schemas: readonly JsonSchema[] | undefined): SlotType {
  const said = (schemas ?? []).flatMap(valuesOf);
  const values = new Map<string, SaidValue[]>();
  for (const each of said) addTo(values, each.words[0] ?? "", each);
  if (values.size > 0) return { kind: "enum", values };
  const types = (schemas ?? []).flatMap((schema) => typeOf(schema) ?? []);
  const [first = { kind: "text" }] = types;
  const time = types.find(({ kind }) => kind === "date-time");
  const takesDay = types.some(({ kind }) => kind === "date");
  const takesTime = types.some(({ kind }) => kind === "time");
  if (first.kind === "time" || !isDate(first)) return first;
  return { ...(time === undefined ? first : { ...time, takesDay }), ...(takesTime && { takesTime }) };
}

function typeOf(schema: JsonSchema): SlotType | undefined {
  const { type, items } = schema;
  const types = [type ?? []].flat();
  if (types.includes("string")) return typeOfString(schema);
  if (types.includes("number") || types.includes("integer")) return { kind: "number" };
  if (types.includes("boolean")) return { kind: "boolean" };
  if (!types.includes("array")) return undefined;
  const itemType = [items ?? []].flat().flatMap((item) => (item as JsonSchema).type ?? []);
  const isNumeric = itemType.includes("number") || itemType.includes("integer");
  return { kind: "list", item: isNumeric ? "number" : "text" };
}

function typeOfString(schema: JsonSchema): SlotType {
  const { format, slot, pattern } = schema;
  const when = schema.when === "past" || schema.when === "future" ? ({ when: schema.when } as const) : {};
  if (slot === "range") return { kind: "range", ...when };
  if (slot === "sum") return { kind: "sum" };
  const form = formOf(pattern);
  if (format === "date-time" || form !== undefined) return { kind: "date-time", ...(form && { form }), ...when };
  if (format === "date") return { kind: "date", ...when };
  if (format === "time" || isTimePattern(pattern)) return { kind: "time" };
  const isText = slot === "message" || slot === "name" || slot === "whole" || slot === "word";
  return { kind: "text", ...(isText && { text: slot }) };
}

/** For a time, zod 4 writes a pattern instead of a format. */
function isTimePattern(pattern: unknown): boolean {
  if (typeof pattern !== "string" || !pattern.includes("[0-5]")) return false;
  const time = new RegExp(pattern);
  return time.test("17:00") && !time.test("25:00") && !time.test("1700");
}

export const timeForms = {
  offset: isoDateTime,
  local: (ms: number, timeZone: string) => isoDateTime(ms, timeZone).slice(0, 19),
  utc: (ms: number, _timeZone: string) => new Date(ms).toISOString(),
  seconds: (ms: number, _timeZone: string) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
  minutes: (ms: number, _timeZone: string) => `${new Date(ms).toISOString().slice(0, 16)}Z`,
} as const;
const anInstant = Date.UTC(2026, 10, 22, 18);

/** For a time without an offset, zod writes a pattern instead of a format. */
function formOf(pattern: unknown): keyof typeof timeForms | undefined {
  if (typeof pattern !== "string" || !pattern.includes("T")) return undefined;
  const expression = new RegExp(pattern);
  const isTaken = (form: keyof typeof timeForms) => expression.test(timeForms[form](anInstant, "Europe/Berlin"));
  if (expression.test("T")) return undefined;
  return (Object.keys(timeForms) as (keyof typeof timeForms)[]).find(isTaken);
}

function valuesOf(schema: JsonSchema): readonly SaidValue[] {
  const constants = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  const synonyms = (schema.synonyms ?? {}) as Readonly<Record<string, unknown>>;
  return constants.flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "number") return [];
    const own = Object.hasOwn(synonyms, value) ? [synonyms[value]].flat() : [];
    const said = [String(value), ...own.filter((word) => typeof word === "string")].flatMap(waysToSay);
    return said.map((words) => ({ words, value }));
  });
}

function waysToSay(value: string): readonly (readonly string[])[] {
  const spaced = value.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[\s_-]+/g, " ");
  const words = spaced.trim().toLowerCase().split(" ");
  const last = words.at(-1) ?? "";
  if (last === "" || !/\p{L}$/u.test(last)) return last === "" ? [] : [words];
  const other = last.endsWith("s") ? last.slice(0, -1) : `${last}s`;
  return other === "" ? [words] : [words, [...words.slice(0, -1), other]];
}

const ownType = remembered((schema: StandardSchema): SlotType => {
  const type = slotTypeOf(schemasAt(toJsonSchema(schema, "input") as JsonSchema, []));
  return { ...type, schema };
});
const spreadType = remembered((type: SlotType): SlotType => ({ ...type, isSpread: true }));

export function ownSlotType(schema: StandardSchema, field: SlotType | undefined): SlotType {
  const type = ownType(schema);
  return type.kind === "list" && field !== undefined && field.kind !== "list" ? spreadType(type) : type;
}

interface Slotted {
  readonly slots: ReadonlyMap<string, SlotType>;
}

export function typeOfSlot(rule: Slotted & { anywhere: readonly Slotted[] }, name: string): SlotType | undefined {
  return rule.slots.get(name) ?? rule.anywhere.find(({ slots }) => slots.has(name))?.slots.get(name);
}
