import { toDefinedTool } from "../../core/define-tool.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { isNullable, type PhraseNode, slotNames } from "../../core/phrase-syntax.ts";
import { remembered } from "../../core/remembered.ts";
import { maskPaths, sensitivePaths } from "../../core/sensitive-paths.ts";
import { isInCalendar } from "../../core/step.ts";
import { cutText, textFrom } from "../../core/text.ts";
import type { DefinedTool, SlotValue, Tool } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { dayMs, nextDate, wallTimeAt } from "../../dates/zoned-time.ts";
import { months, opensMessage, weekdays } from "../../english/word-classes.ts";
import { asReference, parseReference, parseTemplate } from "../../plan/references.ts";
import { maxSaid, sayName, sayOwn, sayReference } from "../../plan/say-call.ts";
import { compiledTool, compileTool, inputOfPhrase, type PhraseRule, type ToolRules } from "./phrase-rules.ts";
import { choicesOf, isDate, type SlotType, typeOfSlot } from "./slots.ts";

type Values = ReadonlyMap<string, unknown>;

interface Saying {
  readonly clock: DateClock;
  readonly lacking?: string | undefined;
}

const gap = "…";
const anyTime = { nowMs: 0, timeZone: "UTC" };

function sayInPhrases(rules: readonly PhraseRule[], input: JsonObject, saying: Saying): string | undefined {
  const isMade = ({ fixed }: PhraseRule) =>
    Object.entries(fixed).every(([name, value]) => canonicalJson(value) === canonicalJson(input[name] ?? null));
  for (const rule of rules) {
    const said = isMade(rule) ? sayBy(rule, input, saying) : undefined;
    if (said !== undefined) return cutText(said, maxSaid);
  }
  return undefined;
}

export function sayOpenly(rules: ToolRules, input: JsonObject, saying: Saying): string | undefined {
  const said = sayInPhrases(shortestFirst(rules), maskPaths(input, sensitivePaths(rules.schemas.input)), saying);
  return said ?? (rules.isSensitive ? sayName(rules.tool.name) : undefined);
}

export async function loadPhrases(tools: readonly Tool[]): Promise<void> {
  const load = async (tool: Tool) => void (await compileTool(toDefinedTool("tool", tool)));
  await Promise.allSettled(tools.map(load));
}

export function sayStep(tool: DefinedTool, input: JsonObject): string | undefined {
  const own = sayOwn(tool, input);
  if (own !== undefined) return own;
  return textFrom(() => {
    const rules = compiledTool(tool);
    return rules && sayInPhrases(spokenRules(rules), input, { clock: anyTime });
  });
}

const spokenRules = remembered(({ rules }: ToolRules): readonly PhraseRule[] =>
  rules.filter(({ example }) => /^\p{L}|[^{\p{L}]\p{L}/u.test(example)),
);

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
  const phrase = speaker.say(rule.node);
  const beside = rule.anywhere.map(({ node }) => (speaker.isNew(node) ? speaker.say(node) : undefined));
  if (phrase === undefined || (lacking !== undefined && !speaker.said.has(lacking))) return undefined;
  const slots = Object.fromEntries([...speaker.said].map((name) => [name, values.get(name) as SlotValue]));
  const made = inputOfPhrase(rule, slots, clock);
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
      const found = all.find(fits);
      return found === undefined ? [] : [[name, found[1]] as const];
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

  isNew(node: PhraseNode): boolean {
    return [...slotNames(node)].some((name) => this.values.has(name) && !this.said.has(name));
  }

  say(node: PhraseNode, next = "", before?: PhraseNode): string | undefined {
    if (node.type === "word") return node.word;
    if (node.type === "slot") return this.#sayValue(node.name, next);
    if (node.type === "choice") return this.#sayChoice(node.items, next, before);
    // Goes backwards, because a number omits its unit if the unit follows.
    const parts: string[] = [];
    for (const [index, item] of [...node.items.entries()].toReversed()) {
      const part = this.say(item, parts[0]?.split(" ")[0] ?? next, node.items[index - 1]);
      if (part === undefined) return undefined;
      if (part !== "") parts.unshift(part);
    }
    return parts.map((part, index) => (index === 0 || /^[,:;.?!]/.test(part) ? part : ` ${part}`)).join("");
  }

  #sayChoice(items: readonly PhraseNode[], next: string, before?: PhraseNode): string | undefined {
    for (const item of items.filter((each) => this.isNew(each))) {
      const known = new Set(this.said);
      const part = this.say(item, next);
      if (part !== undefined) return part;
      for (const name of this.said) if (!known.has(name)) this.said.delete(name);
    }
    if (items.some(isNullable)) return "";
    const plain = items.find((item) => slotNames(item).size === 0);
    return this.#wordBehind(items, before) ?? (plain && this.say(plain, next, before));
  }

  #wordBehind(items: readonly PhraseNode[], before?: PhraseNode): string | undefined {
    const name = before?.type === "slot" ? before.name : "";
    const type = typeOfSlot(this.rule, name);
    if (type?.kind !== "number") return undefined;
    const words = items.flatMap((item) => (item.type === "word" ? item.word : []));
    const [first] = [...words.filter((word) => type.units?.[0]?.names.includes(word)), ...words];
    const longer = words.find((word) => first && word !== first && word.startsWith(first));
    return this.values.get(name) === 1 ? first : (longer ?? first);
  }

  #sayValue(name: string, next: string): string | undefined {
    const value = this.values.get(name);
    const type = typeOfSlot(this.rule, name);
    if (value === undefined || type === undefined || this.said.has(name)) return undefined;
    this.said.add(name);
    if (value === gap) return gap;
    if (Array.isArray(value)) return sayList(value, type);
    if (typeof value === "object") return sayResult(value);
    if (typeof value === "number") return sayNumber(value, type.units ?? [], next);
    if (typeof value === "boolean") return value ? "on" : "off";
    if (typeof value !== "string") return undefined;
    if (isDate(type) || type.kind === "range") return sayDates(value, this.clock);
    if (type.kind === "enum") return sayName(value);
    if (type.kind === "sum") return value;
    const leads = this.rule.operation.slots.get(name)?.leads ?? [];
    const isOpened = next === "" && leads.some((lead) => opensMessage.has(lead.at(-1) ?? ""));
    return sayText(value, type, isOpened || type.text === "message");
  }
}

function sayList(list: readonly unknown[], type: SlotType): string | undefined {
  const items = list.map((item) => (typeof item === "string" ? sayText(item, type, false) : sayResult(item)));
  if (items.length === 0 || items.includes(undefined)) return undefined;
  return [items.slice(0, -1).join(", "), items.at(-1)].filter(Boolean).join(" and ");
}

function sayResult(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  const reference = typeof value === "object" && value !== null ? asReference(value) : undefined;
  return reference && sayReference(parseReference(String(reference.$ref)));
}

function sayNumber(value: number, units: NonNullable<SlotType["units"]>, next: string): string {
  const [unit] = units;
  const isCounted = unit === undefined || units.some(({ names }) => names.includes(next));
  return isCounted ? String(value) : `${value} ${unit.names[1] ?? unit.names[0]}`;
}

function sayText(value: string, type: SlotType, isMessage: boolean): string {
  const parts = parseTemplate(value).map((part) =>
    part.type === "reference" ? sayReference(part.reference) : part.text,
  );
  const text = parts.join("");
  const isResult = parts.length === 1 && value.startsWith("${");
  const isSplit = needsQuotes.test(text) || (type.text === "word" && text.includes(" "));
  const isQuoted = /^"[^"]+"$/.test(text);
  if (text.trim() !== "" && (isMessage || isResult || isQuoted || !isSplit)) return text;
  if (!text.includes('"')) return `"${text}"`;
  return /[“”]/.test(text) ? JSON.stringify(text) : `“${text}”`;
}

const needsQuotes =
  /^(?:the|an?|each|its)\s|[,;:.!?#&()"“”]|\d|(?:^|\s)(?:and|or|but|not|then|to|from|for|with|at|on|in|by|that)(?:\s|$)/i;

const dateForm = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Says a date or a range of dates, either end of which may be open: "../2026-12-03". */
function sayDates(value: string, clock: DateClock): string {
  const [first = "", last = first] = value.split("/");
  if (first === "..") return last === ".." ? "any day" : `until ${sayDate(last, clock)}`;
  if (last === "..") return `from ${sayDate(first, clock)}`;
  return first === last ? sayDate(first, clock) : `${sayDate(first, clock)} to ${sayDate(last, clock)}`;
}

function sayDate(value: string, clock: DateClock): string {
  const [, written, time, seconds = "", zone = ""] = dateForm.exec(value) ?? [];
  if (written === undefined || !isInCalendar(written)) return value;
  const date = new Date(written);
  const today = Math.floor(wallTimeAt(clock.nowMs, clock.timeZone) / dayMs);
  const isNext = nextDate(date.getUTCMonth(), date.getUTCDate(), today) === date.getTime() / dayMs;
  const day = `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]}${isNext ? "" : ` ${date.getUTCFullYear()}`}`;
  if (time === undefined) return day;
  const place = clock === anyTime && zone !== "" ? ` ${zone === "Z" ? "UTC" : zone}` : "";
  return `${day} at ${time}${/[1-9]/.test(seconds) ? seconds : ""}${place}`;
}
