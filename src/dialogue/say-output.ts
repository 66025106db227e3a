import { hiddenText, isRecord, isSealed, type JsonPath } from "../core/json.ts";
import { cutText, printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import { toSingular } from "../language/word-forms.ts";
import { parseReference } from "../plan/references.ts";
import { sayName } from "../plan/say-call.ts";
import { labelNames, type Thing, thingsIn, toolNamed } from "./things.ts";

export interface DoneCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output?: unknown;
}

const maxItems = 10;
const maxText = 200;
const maxKey = 20;

export function sayOutput(tools: readonly Tool[], call: DoneCall, clock: DateClock): string {
  return new Speaker(tools, call, clock).say();
}

export function onOneLine(text: string, max = maxText): string {
  return cutText(printable(text.replace(/\s+/gu, " ").trim()), max);
}

class Speaker {
  readonly #things: ReadonlyMap<string, Thing>;
  readonly #when: { readonly timeZone: string; readonly year: number };

  constructor(
    private readonly tools: readonly Tool[],
    private readonly call: DoneCall,
    { nowMs, timeZone }: DateClock,
  ) {
    const { tool, input, output } = call;
    this.#things = new Map(thingsIn(tools, tool, input, output).map((thing) => [JSON.stringify(thing.path), thing]));
    this.#when = { timeZone, year: yearAt(nowMs, timeZone) };
  }

  say(): string {
    const { tool, output } = this.call;
    const result = toolNamed(this.tools, tool)?.result;
    const path = result === undefined ? undefined : parseReference(`output.${result}`)?.path;
    const isThing = this.#things.has(JSON.stringify([]));
    const chosen = isThing || path === undefined ? undefined : valueAt(output, path);
    return (chosen === undefined ? this.#sayWhole(output, []) : this.#sayWhole(chosen, path ?? [])) || "Done.";
  }

  #sayWhole(value: unknown, path: JsonPath): string {
    if (Array.isArray(value)) return this.#sayList(value, path, String(path.at(-1) ?? "results"));
    if (!isRecord(value) || isSealed(value)) return this.#sayScalar(value) ?? "";
    if (this.#things.has(JSON.stringify(path))) return this.#sayRecord(value, path, true);
    const [list, ...others] = Object.entries(value).filter(([, item]) => isRecords(item));
    if (list === undefined || others.length > 0) return this.#sayRecord(value, path, true);
    const [name, items] = list as [string, readonly unknown[]];
    const rest = Object.entries(value).filter(([key, item]) => key !== name && item !== items.length);
    // An empty list does not show whether its items are things.
    const isOnlyCounted = rest.every(([, item]) => typeof item === "number");
    if (items.length === 0 && !isOnlyCounted) return this.#sayRecord(value, path, true);
    const more = this.#sayFields(Object.fromEntries(rest));
    return this.#sayList(items, [...path, name], name) + (more.length === 0 ? "" : ` (${more.join(", ")})`);
  }

  #sayList(items: readonly unknown[], path: JsonPath, name: string): string {
    const said = sayName(name);
    if (items.length === 0) return `No ${onOneLine(said)}.`;
    const shown = items
      .slice(0, maxItems)
      .map((item, index) => (isRecord(item) ? this.#sayRecord(item, [...path, index], false) : this.#sayScalar(item)));
    const rest = items.length > maxItems ? ["…"] : [];
    const noun = items.length === 1 ? toSingular(said) : said;
    const names = [...shown.filter(Boolean), ...rest].join("; ");
    return `${items.length} ${onOneLine(noun)}${names === "" ? "" : `: ${names}`}`;
  }

  #sayRecord(record: Readonly<Record<string, unknown>>, path: JsonPath, isAlone: boolean): string {
    const thing = this.#things.get(JSON.stringify(path));
    const fields = thing?.fields ?? record;
    const labelField = thing?.labelField ?? labelNames.find((name) => typeof fields[name] === "string");
    const label =
      labelField === undefined || labelField === thing?.keyField ? undefined : this.#sayScalar(fields[labelField]);
    const isTold = ([name, value]: readonly [string, unknown]) =>
      name === labelField || name === thing?.keyField || (label !== undefined && isStamp(name, value));
    const rest = this.#sayFields(Object.fromEntries(Object.entries(fields).filter((field) => !isTold(field))));
    const about = [label, ...rest].filter((text) => text !== undefined).join(", ");
    if (thing === undefined) return about;
    const isShort = typeof thing.key === "number" || thing.key.length <= maxKey;
    const key = label === undefined || isShort ? ` ${onOneLine(String(thing.key))}` : "";
    const head = isAlone ? `${onOneLine(thing.kind)}${key}` : key.trim();
    return about === "" ? head : [head, about].filter(Boolean).join(isAlone ? ": " : " ");
  }

  /** Dates come first: they matter most. */
  #sayFields(fields: Readonly<Record<string, unknown>>): readonly string[] {
    const said = Object.entries(fields).map(([key, value]) => {
      const name = onOneLine(sayName(key));
      const date = typeof value === "string" ? sayDate(value, this.#when)?.text : undefined;
      return { name, date, text: date === undefined ? this.#sayField(name, value) : undefined };
    });
    const dates = said.filter(({ date }) => date !== undefined);
    const saidDates = dates.map(({ name, date }) => (dates.length === 1 ? date : `${name} ${date}`));
    return [...saidDates, ...said.map(({ text }) => text)].filter((text) => text !== undefined);
  }

  #sayField(name: string, value: unknown): string | undefined {
    if (value === true) return name;
    if (typeof value === "number") return sayNumber(name, value);
    if (isRecords(value)) return value.length === 0 ? undefined : sayNumber(name, value.length);
    const parts = Array.isArray(value) ? value.slice(0, maxItems).map((item) => this.#sayScalar(item)) : [];
    const inner = isRecord(value) && !isSealed(value) ? this.#sayInner(value) : (this.#sayScalar(value) ?? parts);
    const text = typeof inner === "string" ? inner : inner.filter(Boolean).join(", ");
    return text === "" || value === false ? undefined : `${name}: ${text}`;
  }

  #sayInner(record: Readonly<Record<string, unknown>>): string {
    const label = labelNames.map((name) => record[name]).find((value) => typeof value === "string");
    if (label !== undefined) return this.#sayScalar(label) ?? "";
    const isFlat = ([, value]: readonly [string, unknown]) => typeof value !== "object";
    return this.#sayFields(Object.fromEntries(Object.entries(record).filter(isFlat))).join(", ");
  }

  #sayScalar(value: unknown): string | undefined {
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (typeof value !== "string" || value === hiddenText || value.trim() === "") return undefined;
    return sayDate(value, this.#when)?.text ?? onOneLine(value);
  }
}

function valueAt(value: unknown, path: JsonPath): unknown {
  let current = value;
  for (const key of path) {
    const isThere = typeof current === "object" && current !== null && Object.hasOwn(current, key);
    current = isThere ? (current as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return current ?? undefined;
}

function isRecords(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => isRecord(item));
}

/** True for a bookkeeping timestamp, such as `createdAt`. */
function isStamp(name: string, value: unknown): boolean {
  return typeof value === "string" && /[a-z]edAt$|_ed_at$/.test(name);
}

/** "4 people", "1 seat", "price 12.5". */
function sayNumber(name: string, value: number): string {
  const one = toSingular(name);
  return one === name ? `${name} ${value}` : `${value} ${value === 1 ? one : name}`;
}
