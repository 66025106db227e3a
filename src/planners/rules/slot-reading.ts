import type { JsonSchema } from "../../core/json-schema.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { ordinals, readNumber } from "../../english/numbers.ts";
import { onePointers, readAnaphor } from "../../english/references.ts";
import { truthWords } from "../../english/small-words.ts";
import { currencySigns } from "../../english/units.ts";
import { type DateClock, mayBeginDate, readDate } from "./dates.ts";
import { PhraseError } from "./phrase-template.ts";

/** A value of a slot that was found in the words, and where the next word is. */
export interface SlotReading {
  readonly value: string | number | boolean | typeof anaphor;
  readonly end: number;
}

/** Stands for an earlier result, until it is known which. */
export const anaphor: unique symbol = Symbol("anaphor");
const nth = /^(\d+)(?:st|nd|rd|th)$/;

/** Whether values of the type are recognized by their words, so that they are looked up, not spanned. */
export function isReadable({ kind }: SlotType): boolean {
  return kind !== "text" && kind !== "list";
}

/** Every value of a type that starts at a word (lower case). Few and short, so that matching stays linear. */
export function readSlot(
  type: SlotType,
  words: readonly string[],
  start: number,
  clock: DateClock,
): readonly SlotReading[] {
  switch (type.kind) {
    case "number":
      return readNumberSlot(words, start);
    case "boolean": {
      const word = words[start] ?? "";
      const value = Object.hasOwn(truthWords, word) ? truthWords[word] : undefined;
      return value === undefined ? none : [{ value, end: start + 1 }];
    }
    case "enum":
      return readEnum(type, words, start);
    case "date":
    case "date-time": {
      if (!mayBeginDate(words[start] ?? "")) return none;
      const found = readDate(words, start, clock);
      if (found === undefined) return none;
      return [{ value: type.kind === "date" ? found.date : startOfDay(found.date, clock.timeZone), end: found.end }];
    }
    case "text":
    case "list":
      return none;
  }
}

const none: readonly SlotReading[] = [];

function readEnum({ values = [] }: SlotType, words: readonly string[], start: number): readonly SlotReading[] {
  let readings: SlotReading[] | undefined;
  for (const { words: said, value } of values) {
    if (said[0] !== words[start] || !said.every((word, index) => words[start + index] === word)) continue;
    readings ??= [];
    readings.push({ value, end: start + said.length });
  }
  return readings ?? none;
}

function readNumberSlot(words: readonly string[], start: number): readonly SlotReading[] {
  const readings: SlotReading[] = [];
  const first = words[start] ?? "";
  const isNegative = first === "-" || first === "minus" || first === "negative";
  // "That one" is something that was spoken of.
  const isOne = first === "one" && onePointers.has(words[start - 1] ?? "");
  const found = isOne ? undefined : readNumber(words, isNegative || currencySigns.has(first) ? start + 1 : start);
  if (found !== undefined) {
    const value = Number(found.digits);
    readings.push({ value: isNegative ? -value : value, end: found.end });
  }
  const rank = ordinals.indexOf(first) + 1 || Number(nth.exec(first)?.[1] ?? 0);
  if (rank > 0) readings.push({ value: rank, end: start + 1 });
  const end = readAnaphor(words, start);
  if (end !== undefined) readings.push({ value: anaphor, end });
  return readings;
}

/** The instant a day starts in a time zone, as ISO text in UTC. */
function startOfDay(date: string, timeZone: string): string {
  const guess = Date.parse(`${date}T00:00:00Z`);
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const offset = (ms: number) => {
    const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):?(\d\d)?/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  // The offset at the start of a day is not that of the same hour in UTC if clocks change in between: ask again.
  const first = guess - offset(guess);
  return new Date(guess - offset(first)).toISOString();
}

/** What a slot may be filled with. */
export interface SlotType {
  readonly kind: "text" | "number" | "boolean" | "enum" | "date" | "date-time" | "list";
  /** For `enum`: the ways to say each value, as words in lower case. */
  readonly values?: readonly { readonly words: readonly string[]; readonly value: string | number }[];
  /** For `list`: what each item is. */
  readonly item?: "text" | "number";
  /** The phrase's own schema for the slot: a value that does not fit it is not a match. */
  readonly schema?: StandardSchema;
  /** A list where the input wants one value: there is one step for each item. */
  readonly isSpread?: boolean;
}

/** The type of a slot that any of the schemas allows; the first that defines one wins. `null` defines none. */
export function slotTypeOf(schemas: readonly JsonSchema[] | undefined): SlotType {
  const values = (schemas ?? []).flatMap(valuesOf);
  if (values.length > 0) return { kind: "enum", values };
  for (const schema of schemas ?? []) {
    const type = typeOf(schema);
    if (type !== undefined) return type;
  }
  return { kind: "text" };
}

function typeOf({ type, format, items }: JsonSchema): SlotType | undefined {
  const types = [type ?? []].flat();
  if (types.includes("string")) {
    return { kind: format === "date" ? "date" : format === "date-time" ? "date-time" : "text" };
  }
  if (types.includes("number") || types.includes("integer")) return { kind: "number" };
  if (types.includes("boolean")) return { kind: "boolean" };
  if (!types.includes("array")) return undefined;
  const itemType = [items ?? []].flat().flatMap((item) => (item as JsonSchema).type ?? []);
  const isNumeric = itemType.includes("number") || itemType.includes("integer");
  return { kind: "list", item: isNumeric ? "number" : "text" };
}

/** The ways to say the constants of a schema: as words, in the plural, and as its `synonyms` (a metadata key). */
function valuesOf(schema: JsonSchema): { words: readonly string[]; value: string | number }[] {
  const constants = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  const synonyms = (schema.synonyms ?? {}) as Readonly<Record<string, unknown>>;
  return constants.flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "number") return [];
    const own = Object.hasOwn(synonyms, value) ? [synonyms[value]].flat() : [];
    const said = [String(value), ...own.filter((word) => typeof word === "string")].flatMap(waysToSay);
    return said.map((words) => ({ words, value }));
  });
}

/** `inProgress`, `in-progress` and `in_progress` are "in progress"; "lists" also matches "list", and the reverse. */
function waysToSay(value: string): readonly (readonly string[])[] {
  const spaced = value.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[\s_-]+/g, " ");
  const words = spaced.trim().toLowerCase().split(" ");
  const last = words.at(-1) ?? "";
  if (last === "" || !/\p{L}$/u.test(last)) return last === "" ? [] : [words];
  const other = last.endsWith("s") ? last.slice(0, -1) : `${last}s`;
  return other === "" ? [words] : [words, [...words.slice(0, -1), other]];
}

/** The type of a slot that has a schema of its own in the phrase. */
export function ownSlotType(own: { type: SlotType; schema: StandardSchema }, field: SlotType | undefined): SlotType {
  const { type, schema } = own;
  return {
    ...type,
    schema,
    ...(type.kind === "list" && field !== undefined && field.kind !== "list" && { isSpread: true }),
  };
}

/** Throws for a slot that the tool's input has no field for, where nothing else defines what to do with it. */
export function checkSlotField(name: string, schemas: readonly JsonSchema[] | undefined): void {
  if (schemas?.length === 0) {
    throw new PhraseError(
      `the input has no field "${name}"; name the slot like a field, or give the phrase a \`toInput\``,
    );
  }
}
