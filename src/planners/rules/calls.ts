import { schemasAt } from "../../core/json-schema.ts";
import { addTo } from "../../core/lists.ts";
import { isNullable, type PhraseNode } from "../../core/phrase-syntax.ts";
import { remembered } from "../../core/remembered.ts";
import { lightVerbs, opensMessage, verbsLike } from "../../english/word-classes.ts";
import { saysAt, wordSet } from "../../english/word-set.ts";
import { tokenize } from "../../language/tokens.ts";
import { stem } from "../../language/word-forms.ts";
import { sayName } from "../../plan/say-call.ts";
import { isContent, type OperationSlot, phraseEnd, wordsIn } from "./operation.ts";
import type { PhraseRule, ToolRules } from "./phrase-rules.ts";
import { slotTypeOf } from "./slots.ts";

export interface Call {
  readonly rule: PhraseRule;
  readonly phrases: readonly { readonly rule: PhraseRule; readonly required: PhraseRule["required"] }[];
  readonly slots: readonly CallSlot[];
  readonly weights: ReadonlyMap<string, number>;
  readonly otherWords: ReadonlySet<string>;
  readonly isFixed: boolean;
  readonly isDestructive: boolean;
  readonly needs: readonly ReadonlySet<string>[];
  readonly leads: ReadonlySet<string>;
}

export interface CallSlot extends OperationSlot {
  readonly isOptional: boolean;
  /** Takes the rest of the request verbatim: `always`, or only if `opened` by "that", a colon or the like. */
  readonly message: "always" | "opened" | undefined;
}

export const says = { phrase: 1, name: 0.8, like: 0.55, description: 0.5, field: 0.4 } as const;

const maxSlots = 24;

export const callsIn = remembered((tool: ToolRules): readonly Call[] => {
  const groups = new Map<string, PhraseRule[]>();
  const makers = new Map<unknown, number>();
  for (const rule of tool.rules) {
    if (rule.hasSum || fixesText(rule)) continue;
    const maker = makers.get(rule.source.toInput) ?? makers.size;
    makers.set(rule.source.toInput, maker);
    addTo(groups, JSON.stringify([maker, rule.fixed]), rule);
  }
  const all = [...groups.values()].map((rules) => ({ rules, own: new Set(rules.flatMap((rule) => stemsOf(rule))) }));
  return all.map(({ rules, own }): Call => {
    const [first] = rules as [PhraseRule];
    const slots = new Map(rules.flatMap((rule) => [rule, ...rule.anywhere].flatMap((each) => [...each.slots])));
    const needs = needsOf(tool, rules);
    const isNeeded = (name: string) => needs.every((names) => names.has(name));
    const isOptional = (name: string) => needs.every((names) => !names.has(name));
    const [needed, beside] = [true, false].map((is) => new Map([...slots].filter(([name]) => isNeeded(name) === is)));
    const { node, start } = first;
    const anywhere = [{ node, start, slots: beside ?? slots, anywhere: [] }];
    return {
      rule: { ...first, slots: needed ?? slots, anywhere },
      phrases: rules.map((rule) => ({ rule, required: rule.required.map((group) => new Set([...group].map(stem))) })),
      slots: [...first.operation.slots.values()]
        .filter(({ name }) => slots.has(name))
        .slice(0, maxSlots)
        .map((slot) => ({ ...slot, isOptional: isOptional(slot.name), message: messageIn(slot) })),
      weights: weightsOf(tool, rules, own),
      otherWords: new Set(all.flatMap((each) => [...each.own].filter((word) => !own.has(word)))),
      isFixed: all.length > 1 && Object.keys(first.fixed).some((name) => first.operation.slots.has(name)),
      isDestructive: rules.some(({ source }) => source.destructive === true),
      needs,
      leads: leadsOf(rules, tool.rules),
    };
  });
});

function fixesText({ source, fixed, tool }: PhraseRule): boolean {
  if (source.toInput !== undefined) return false;
  const isText = (name: string) => slotTypeOf(schemasAt(tool.schemas.input, [name], fixed)).kind === "text";
  return Object.entries(fixed).some(([name, value]) => typeof value === "string" && isText(name));
}

const stemsOf = remembered(({ node }: PhraseRule) => wordsIn(node).filter(saysSomething).map(stem));

function weightsOf({ tool }: ToolRules, rules: readonly PhraseRule[], own: ReadonlySet<string>) {
  const weights = new Map<string, number>();
  const add = (words: readonly string[], weight: number) => {
    for (const word of words)
      if (saysSomething(word)) weights.set(stem(word), Math.max(weight, weights.get(stem(word)) ?? 0));
  };
  for (const word of own) weights.set(word, says.phrase);
  const isHeavy = (verb: string) => !lightVerbs.has(verb);
  const verbs = new Set(rules.flatMap(({ firstWords }) => [...firstWords]).filter(isHeavy));
  const wordsOf = (name: string) => sayName(name).split(" ");
  add([tool.name, ...Object.values(rules[0]?.fixed ?? {}).map(String)].flatMap(wordsOf), says.name);
  add([...verbs].flatMap(verbsLike).filter(isHeavy), says.like);
  for (const { norm } of tokenize(tool.description ?? "", 60)) add([norm], says.description);
  for (const { slots } of rules) add([...slots.keys()].flatMap(wordsOf), says.field);
  return weights;
}

function leadsOf(own: readonly PhraseRule[], all: readonly PhraseRule[]): ReadonlySet<string> {
  const verbsOf = (rules: readonly PhraseRule[]) => new Set(rules.flatMap(({ firstWords }) => [...firstWords]));
  const [first, others] = [verbsOf(own), verbsOf(all.filter((rule) => !own.includes(rule)))];
  const like = [...first].flatMap(verbsLike).filter((verb) => first.has(verb) || !others.has(verb));
  return new Set(like.map(stem));
}

function needsOf({ schemas }: ToolRules, rules: readonly PhraseRule[]): readonly ReadonlySet<string>[] {
  const [{ source, fixed }] = rules as [PhraseRule];
  if (source.toInput !== undefined) {
    const all = rules.flatMap(({ node }) => neededIn(node));
    const ways = [...new Map(all.map((names) => [[...names].sort().join(), names])).values()];
    const holds = (way: ReadonlySet<string>, other: ReadonlySet<string>) =>
      way !== other && [...other].every((name) => way.has(name));
    return ways.filter((way) => !ways.some((other) => holds(way, other)));
  }
  return (schemasAt(schemas.input, [], fixed) ?? []).map(({ required }) => {
    const names = Array.isArray(required) ? required.map(String) : [];
    return new Set(names.filter((name) => !Object.hasOwn(fixed, name)));
  });
}

/** Returns the slots without a value for each way to make the call, the shortest list first. */
export function lackingOf({ needs }: Call, filled: ReadonlySet<string>): readonly (readonly string[])[] {
  const lacking = needs.map((names) => [...names].filter((name) => !filled.has(name)));
  return lacking.sort((one, other) => one.length - other.length);
}

const articles = /^(?:the|an?|my|our)$/;
const naming = /^(?:called|named|titled|entitled)$/;

/** True if the words before the place announce the slot, such as "for" in "a table for Mori". */
export function leadsTo({ leads, name }: CallSlot, words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - 3), at).filter((word) => !articles.test(word));
  const isNaming = naming.test(before.at(-1) ?? "") && /name|title|label|subject/i.test(name);
  return isNaming || leads.some((lead) => saysAt(before, before.length - lead.length, lead));
}

const maxWays = 12;

const neededIn = remembered((node: PhraseNode): readonly ReadonlySet<string>[] => {
  if (node.type === "slot") return [new Set([node.name])];
  if (node.type === "word" || isNullable(node)) return [new Set()];
  const parts = node.items.map(neededIn);
  if (node.type === "choice") return parts.flat().slice(0, maxWays);
  return parts.reduce<readonly ReadonlySet<string>[]>(
    (ways, part) => ways.flatMap((way) => part.map((names) => new Set([...way, ...names]))).slice(0, maxWays),
    [new Set()],
  );
});

export const itemsIn = remembered((node: PhraseNode): readonly string[] => {
  if (node.type === "word") return [stem(node.word)];
  return node.type === "slot" ? [`{${node.name}}`] : node.items.flatMap(itemsIn);
});

function messageIn({ type, leads, behind }: OperationSlot): CallSlot["message"] {
  if (type.kind !== "text" || type.text === "name" || type.text === "word" || !behind.has(phraseEnd)) return undefined;
  const isOpened = leads.some((lead) => opensMessage.has(lead.at(-1) ?? ""));
  return type.text === "message" || (isOpened && behind.size === 1) ? "always" : "opened";
}

const particles = wordSet("off out up down back away on");

/** Counts particles, because "turn on" is not "turn off". */
export function saysSomething(word: string): boolean {
  return isContent(word) || particles.has(word);
}
