import { canonicalJson } from "../../../core/canonical-json.ts";
import { type JsonSchema, jsonTypeOf, typesOf } from "../../../core/json-schema.ts";
import { months, weekdays } from "../../../english/times.ts";
import { numberReadings } from "./number-readings.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, plainName } from "./records.ts";

/** No longer text is read as a list or an object. */
const maxJsonLength = 100_000;

/** Whether a value may fit one of the schemas: its type, its constants and bounds, and whether anything is there at all. */
export function fits(value: unknown, schemas: readonly JsonSchema[]): boolean {
  return schemas.some((schema) => {
    const { const: constant, enum: values, required = [] } = schema;
    if (constant !== undefined) return isSame(value, constant);
    if (values !== undefined) return values.some((one) => isSame(value, one));
    if (typesOf([schema])?.has(jsonTypeOf(value)) === false) return false;
    if (typeof value === "number") return fitsNumber(value, schema);
    if (typeof value === "string") return fitsText(value, schema);
    if (Array.isArray(value)) return fitsList(value, schema);
    return !isRecord(value) || Object.keys(value).length > 0 || required.length === 0;
  });
}

/** A list of choices has only choices; what else its items are is seen item by item. */
function fitsList(value: readonly unknown[], schema: JsonSchema): boolean {
  const { enum: values } = itemsOf(schema);
  return values === undefined || value.every((item) => constantsLike(String(item), [{ enum: values }]).length === 1);
}

/** Whether commas can only separate the items of a list: they are choices, or whole numbers that are not in groups of three. */
function hasPlainItems(schema: JsonSchema, text: string): boolean {
  const { enum: values, type } = itemsOf(schema);
  return values !== undefined || (type === "integer" && !/\d,\d{3}(?!\d)/.test(text));
}

/** Whether a number is the text that was meant: as a number, 1.10 is 1.1, and many digits are rounded. */
function isWritten(value: number, isSaid: (text: string) => boolean): boolean {
  return Number.isSafeInteger(value) || isSaid(String(value));
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return Array.isArray(items) ? {} : ((items ?? {}) as JsonSchema);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && canonicalJson(one) === canonicalJson(other));
}

function fitsNumber(value: number, { type, minimum, maximum }: JsonSchema): boolean {
  const isSmall = typeof minimum === "number" && value < minimum;
  const isLarge = typeof maximum === "number" && value > maximum;
  return !isSmall && !isLarge && (type !== "integer" || Number.isInteger(value));
}

function fitsText(value: string, schema: JsonSchema): boolean {
  if (value === "") return (schema.minLength ?? 0) === 0;
  if (schema.format === "date") return isoDate.test(value);
  return !isTime(schema) || isoTime.test(value) || (value.length <= maxTime && matches(String(schema.pattern), value));
}

/** The longest time that is tried on a pattern. */
const maxTime = 10;

const times = new WeakMap<JsonSchema, boolean>();

/** Whether a schema takes times: zod writes them as a pattern. */
function isTime(schema: JsonSchema): boolean {
  const known = times.get(schema);
  if (known !== undefined) return known;
  const { format, pattern } = schema;
  const takes =
    format === "time" || (typeof pattern === "string" && matches(pattern, "12:30") && !matches(pattern, "a"));
  times.set(schema, takes);
  return takes;
}

/** Tried on nothing but very short texts, no pattern takes long. */
function matches(pattern: string, sample: string): boolean {
  try {
    return new RegExp(pattern, "u").test(sample);
  } catch {
    return false;
  }
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^\d{2}:\d{2}(?:$|:|[Z+-])/;

/** What is known of a field whose value does not fit. */
export interface FieldReading {
  readonly schemas: readonly JsonSchema[];
  readonly name: string;
  /** Whether the user has typed a text, as a word of its own. */
  readonly isSaid: (text: string) => boolean;
}

/** What a value may mean where it does not fit. */
export function readingsOf(value: unknown, { schemas, name, isSaid }: FieldReading): readonly unknown[] {
  const allows = (type: string) => schemas.some((schema) => typesOf([schema])?.has(type) ?? true);
  const readings: unknown[] = [];
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    readings.push(...constantsLike(String(value), schemas));
  }
  if (!Array.isArray(value) && value !== null && allows("array") && !isListed(value)) readings.push([value]);
  if (typeof value === "boolean" || (typeof value === "number" && isWritten(value, isSaid)))
    readings.push(String(value));
  if (value === 0 || value === 1) readings.push(value === 1);
  if (typeof value === "string") {
    readings.push(...readText(value.trim(), { schemas, name, isSaid }));
    if (value.includes(",") && schemas.some((schema) => hasPlainItems(schema, value))) {
      readings.push(value.split(",").map((part) => part.trim()));
    }
  }
  if (Array.isArray(value) && value.length === 1) readings.push(value[0]);
  return readings;
}

/** Whether a text may be several values, or none. */
function isListed(value: unknown): boolean {
  return typeof value === "string" && (value.trim() === "" || /^\s*[[{]|[,;\n]/.test(value));
}

/** The constants that a text may mean: those of the same name in another spelling, or the day or month that it abbreviates. */
export function constantsLike(text: string, schemas: readonly JsonSchema[]): readonly unknown[] {
  const constants = schemas
    .flatMap(({ const: constant, enum: values }) => values ?? (constant === undefined ? [] : [constant]))
    .filter((constant) => constant !== null);
  const plain = plainName(text);
  // Signs are not spelled in another way.
  if (plain === "") return constants.filter((constant) => constant === text.trim());
  const alike = constants.filter((constant) => plainName(String(constant)) === plain);
  if (alike.length > 0 || plain.length < minAbbreviation) return alike;
  return constants.filter((constant) => {
    const name = plainName(String(constant));
    return calendarNames.has(name) && name.startsWith(plain);
  });
}

const minAbbreviation = 3;
const calendarNames: ReadonlySet<string> = new Set([...weekdays, ...months]);

function readText(text: string, field: FieldReading): readonly unknown[] {
  if (/^(?:true|false|yes|no|on|off)$/i.test(text)) return [/^(?:true|yes|on)$/i.test(text)];
  if (/^[[{]/.test(text) && text.length <= maxJsonLength) {
    const value = parseJson(text);
    return value === undefined ? [] : [value];
  }
  return [...numberReadings(text, field), ...timeReadings(text, field.schemas)];
}

/** A day or a time of a field that takes nothing else, in another form of the same. */
function timeReadings(text: string, schemas: readonly JsonSchema[]): readonly string[] {
  const takesDate = schemas.some(({ format }) => format === "date");
  const [, year, month, day] = takesDate ? (otherDate.exec(text) ?? []) : [];
  const [, hour, minute = "00", half] = schemas.some(isTime) ? (twelveHours.exec(text) ?? []) : [];
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
  return [
    ...(year === undefined ? [] : [`${year}-${month}-${day}`]),
    ...(hour === undefined || Number(hour) > 12 ? [] : [`${String(hours).padStart(2, "0")}:${minute}`]),
  ];
}

/** A day with other signs, or as its midnight. */
const otherDate = /^(\d{4})[-/.](\d{2})[-/.](\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?)?$/;
const twelveHours = /^(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\.?$/i;
