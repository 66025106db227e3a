import { canonicalJson, copyJson, hiddenText, type JsonObject } from "../../core/json.ts";
import { sensitiveViewOf } from "../../core/sensitive-paths.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, SlotValue } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { dayMs, nextDate, wallTimeAt } from "../../dates/zoned-time.ts";
import { months, weekdays } from "../../english/word-classes.ts";
import { isNullable, type PhraseNode, remembered, slotNames } from "../../language/phrases.ts";
import { asReference, fillReferences, parseReference, parseTemplate } from "../../plan/references.ts";
import { opensMessage } from "./match.ts";
import { compiledTool, inputOfPhrase, type PhraseRule, sayName, type ToolRules } from "./phrase-rules.ts";
import { typeOfSlot } from "./slot-values.ts";
import { choicesOf, isDate, type SlotType } from "./slots.ts";

type Values = ReadonlyMap<string, unknown>;

interface Saying {
  readonly clock: DateClock;
  readonly lacking?: string | undefined;
}

const maxSaid = 300;
const gap = "…";
/** Dates are said with their year. */
const longAgo = { nowMs: 0, timeZone: "UTC" };

/** In the first phrase that has a place for the whole input; undefined if none has. A field that it lacks is said as "…". */
function sayCall(rules: readonly PhraseRule[], input: JsonObject, saying: Saying): string | undefined {
  const isMade = ({ fixed }: PhraseRule) =>
    Object.entries(fixed).every(([name, value]) => canonicalJson(value) === canonicalJson(input[name] ?? null));
  for (const rule of rules) {
    const said = isMade(rule) ? sayBy(rule, input, saying) : undefined;
    if (said !== undefined) return cutText(said, maxSaid);
  }
  return undefined;
}

export function sayOpenly(rules: ToolRules, input: JsonObject, saying: Saying): string | undefined {
  const said = sayCall(shortestFirst(rules), openFields(rules, input), saying);
  return said ?? (rules.isSensitive ? sayName(rules.tool.name) : undefined);
}

function openFields({ isSensitive, schemas }: ToolRules, input: JsonObject): JsonObject {
  const view = isSensitive ? sensitiveViewOf(schemas.input) : undefined;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, view?.at(name).isSensitive ? hiddenText : value]),
  );
}

/** A call in the words of a phrase or, where none has all of its input, by its names: `refund, invoice: 4`. */
export function describeCall(rules: ToolRules, input: JsonObject, clock: DateClock): string {
  return sayOpenly(rules, input, { clock }) ?? sayNames(rules.tool.name, openFields(rules, input));
}

export function sayNames(name: string, input: JsonObject): string {
  const fields = Object.entries(input).map(
    ([field, value]) => `${sayName(field)}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return cutText([sayName(name), ...fields].join(", "), maxSaid);
}

/** In the words of the tool itself, or of its phrases; undefined if neither has any, or the phrases have yet to be loaded. */
export function sayStep(tool: DefinedTool, input: JsonObject): string | undefined {
  const own: unknown = unlessThrown(() => tool.describeCall?.(copyJson(fillReferences(input, sayReference))));
  if (typeof own === "string" && own.trim() !== "") return cutText(own, maxSaid);
  // Unread, a promise that rejects would end the process.
  Promise.resolve(own).catch(() => {});
  // A phrase that cannot be read is reported by whoever plans.
  const rules = unlessThrown(() => compiledTool(tool));
  return rules && unlessThrown(() => sayCall(spokenRules(rules), openFields(rules, input), { clock: longAgo }));
}

function unlessThrown<T>(say: () => T): T | undefined {
  try {
    return say();
  } catch {
    return undefined;
  }
}

const spokenRules = remembered(({ rules }: ToolRules): readonly PhraseRule[] =>
  rules.filter(({ example }) => /^\p{L}|[^{\p{L}]\p{L}/u.test(example)),
);

/** The shortest leaves least in doubt when it is typed. */
const shortestFirst = remembered((tool: ToolRules) =>
  spokenRules(tool).toSorted((one, other) => one.example.length - other.example.length),
);

export function sayPhrase(rule: PhraseRule, values: Values, clock: DateClock): string | undefined {
  return new Speaker(rule, values, clock).say(rule.node);
}

function sayBy(rule: PhraseRule, input: JsonObject, { clock, lacking }: Saying): string | undefined {
  const values = new Map(valuesOf(rule, input));
  if (lacking !== undefined) values.set(lacking, gap);
  const speaker = new Speaker(rule, values, clock);
  const [phrase, ...beside] = [speaker.say(rule.node), ...rule.anywhere.map((template) => speaker.sayBeside(template))];
  if (phrase === undefined || (lacking !== undefined && !speaker.said.has(lacking))) return undefined;
  const slots = Object.fromEntries([...speaker.said].map((name) => [name, values.get(name) as SlotValue]));
  const made = inputOfPhrase(rule, slots, clock);
  // What stands for a value is not compared.
  const { [lacking ?? ""]: _, ...rest } = made ?? {};
  return made !== undefined && isSame(rest, input) ? [phrase, ...beside.filter(Boolean)].join(" ") : undefined;
}

function isSame(made: Readonly<Record<string, unknown>>, input: JsonObject): boolean {
  const plain = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
  return canonicalJson(plain) === canonicalJson(input);
}

function valuesOf(rule: PhraseRule, input: JsonObject): Values {
  const types = new Map([rule, ...rule.anywhere].flatMap(({ slots }) => [...slots]));
  const all = Object.entries(input).filter(([name]) => !Object.hasOwn(rule.fixed, name));
  return new Map(
    [...types].flatMap(([name, type]) => {
      if (Object.hasOwn(input, name)) return [[name, input[name]] as const];
      if (rule.source.toInput === undefined) return [];
      const fits = ([field, value]: readonly [string, unknown]) => !types.has(field) && mayBe(type, value);
      return all
        .filter(fits)
        .map(([, value]) => [name, value] as const)
        .slice(0, 1);
    }),
  );
}

function mayBe(type: SlotType, value: unknown): boolean {
  if (isDate(type)) return typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value);
  return type.kind === "enum" && choicesOf(type).some((choice) => choice === value);
}

class Speaker {
  readonly said = new Set<string>();

  constructor(
    private readonly rule: PhraseRule,
    private readonly values: Values,
    private readonly clock: DateClock,
  ) {}

  sayBeside({ node }: PhraseRule["anywhere"][number]): string | undefined {
    return this.isNew(node) ? this.say(node) : undefined;
  }

  private isNew(node: PhraseNode): boolean {
    return [...slotNames(node)].some((name) => this.values.has(name) && !this.said.has(name));
  }

  /** A part of a phrase, with the word that is said behind it; undefined if a value is missing. */
  say(node: PhraseNode, next = ""): string | undefined {
    if (node.type === "word") return node.word;
    if (node.type === "slot") return this.sayValue(node.name, next);
    if (node.type === "choice") return this.sayChoice(node.items, next, isNullable(node));
    // From its end, as a number is said without its unit where that follows.
    const parts: string[] = [];
    for (const item of node.items.toReversed()) {
      const part = this.say(item, parts[0]?.split(" ")[0] ?? next);
      if (part === undefined) return undefined;
      if (part !== "") parts.unshift(part);
    }
    return parts.join(" ").replace(/ ([,:;.?!])/g, "$1");
  }

  private sayChoice(items: readonly PhraseNode[], next: string, isOptional: boolean): string | undefined {
    for (const item of items.filter((each) => this.isNew(each))) {
      const before = [...this.said];
      const part = this.say(item, next);
      if (part !== undefined) return part;
      for (const name of this.said) if (!before.includes(name)) this.said.delete(name);
    }
    if (isOptional) return "";
    const plain = items.find((item) => slotNames(item).size === 0);
    return plain && this.say(plain, next);
  }

  private sayValue(name: string, next: string): string | undefined {
    const value = this.values.get(name);
    const type = typeOfSlot(this.rule, name);
    if (value === undefined || type === undefined || this.said.has(name)) return undefined;
    this.said.add(name);
    if (value === gap) return gap;
    const reference = typeof value === "object" && value !== null ? asReference(value) : undefined;
    if (reference !== undefined) return sayReference(parseReference(String(reference.$ref)));
    if (Array.isArray(value)) return sayList(value.map(String));
    if (typeof value === "number") return sayNumber(value, type.units ?? [], next);
    if (typeof value === "boolean") return value ? "on" : "off";
    if (typeof value !== "string") return undefined;
    const sayDay = (day: string) => sayDate(day, this.clock);
    if (isDate(type) || type.kind === "range") return value.split("/").map(sayDay).join(" to ");
    if (type.kind === "enum") return sayName(value);
    if (type.kind === "sum") return value;
    const leads = this.rule.operation.slots.get(name)?.leads ?? [];
    const isOpened = next === "" && leads.some((lead) => opensMessage.has(lead.at(-1) ?? ""));
    return sayText(value, type, isOpened || type.text === "message");
  }
}

function sayList(items: readonly string[]): string {
  return [items.slice(0, -1).join(", "), items.at(-1)].filter(Boolean).join(" and ");
}

function sayNumber(value: number, units: NonNullable<SlotType["units"]>, next: string): string {
  const [unit] = units;
  const isCounted = unit === undefined || units.some(({ names }) => names.includes(next));
  return isCounted ? String(value) : `${value} ${unit.names[1] ?? unit.names[0]}`;
}

/** A text; a name that may be read as something else is in quotes. */
function sayText(value: string, type: SlotType, isMessage: boolean): string {
  const parts = parseTemplate(value).map((part) =>
    part.type === "reference" ? sayReference(part.reference) : part.text,
  );
  const text = parts.join("");
  const isResult = parts.length === 1 && value.startsWith("${");
  const isSplit = needsQuotes.test(text) || (type.text === "word" && text.includes(" "));
  const isPlain = isMessage || isResult || !isSplit || text.includes('"');
  return isPlain ? text : `"${text}"`;
}

const needsQuotes =
  /^(?:the|an?) |[,;:.!?#&()]|\d|(?:^| )(?:and|or|but|not|then|to|from|for|with|at|on|in|by|that)(?: |$)/i;

/** "the id of step 1" */
function sayReference(reference: ReturnType<typeof parseReference>): string {
  if (reference === undefined) return "the result";
  const step = `step ${/^s(\d+)$/.exec(reference.stepId)?.[1] ?? reference.stepId}`;
  const key = reference.path.findLast((part) => typeof part === "string");
  return `the ${key === undefined ? "whole result" : sayName(String(key))} of ${step}`;
}

/** "friday 4 december at 17:00"; with the year, if it is not the next such day. */
function sayDate(value: string, { nowMs, timeZone }: DateClock): string {
  if (value === "..") return "any day";
  // As it is written, whatever its time zone: that of the request.
  const wall = Date.parse(value.length > 10 ? `${value.slice(0, 19)}Z` : value);
  const date = new Date(wall);
  if (Number.isNaN(wall)) return value;
  const today = Math.floor(wallTimeAt(nowMs, timeZone) / dayMs);
  const isNext = nextDate(date.getUTCMonth(), date.getUTCDate(), today) === Math.floor(wall / dayMs);
  const day = `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]}${isNext ? "" : ` ${date.getUTCFullYear()}`}`;
  return value.length > 10 ? `${day} at ${date.toISOString().slice(11, 16)}` : day;
}
