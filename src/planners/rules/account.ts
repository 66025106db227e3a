import type { AccountOptions, UnsaidValue, WordSource } from "../../core/approval.ts";
import type { JsonPath } from "../../core/json.ts";
import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { addTo } from "../../core/lists.ts";
import type { PlanStep } from "../../core/plan.ts";
import { remembered } from "../../core/remembered.ts";
import { callsTool, inputOf } from "../../core/step.ts";
import type { SlotValue } from "../../core/tool.ts";
import { unitsNamed } from "../../english/units.ts";
import {
  auxiliaries,
  emptyWords,
  isPastVerb,
  lightVerbs,
  opensMessage,
  readAnaphor,
  resultNouns,
  verbsLike,
} from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { tokenize } from "../../language/tokens.ts";
import { Spelling } from "../../language/word-forms.ts";
import { asLiteral, asReference, findReferences, parseTemplate } from "../../plan/references.ts";
import { sayName } from "../../plan/say-call.ts";
import { readSum } from "../../sums/read-sum.ts";
import { contentEnds, contentStarts, isCourtesy } from "./courtesy.ts";
import { cutClauses, opensWish, statesReason } from "./cut-wishes.ts";
import { isSeparatorAt, type Part } from "./items.ts";
import type { Template } from "./match.ts";
import { compileTool, inputOfPhrase, literalsOf, type PhraseRule, type ToolRules } from "./phrase-rules.ts";
import { type Mark, maxTokens, onceEach, type RequestText, readRequest, textBetween } from "./request.ts";
import { anaphor, isDate, isReadable, type SlotType, slotReadingsAt, slotTypeOf, unitsOfName } from "./slots.ts";
import { isPureStep } from "./steps.ts";
import { denials, isPlainText } from "./texts.ts";

interface Place {
  readonly stepId: string;
  readonly path: JsonPath;
}

export interface AccountedWord {
  readonly text: string;
  /** `unused`: a mark, list item, negation or wish that no step uses. `left`: any other unexplained word. */
  readonly by: "value" | "operation" | "courtesy" | "aside" | "unused" | "left";
  readonly place?: Place;
}

export interface Account {
  readonly words: readonly AccountedWord[];
  readonly twice: readonly { readonly text: string; readonly places: readonly Place[] }[];
  readonly unsaid: readonly UnsaidValue[];
}

/**
 * A value counts as said if its words are in the request, if a reader finds it there, or if a matching phrase sets it.
 * Values of `planned` steps count as said; a choice, such as an operation, counts only in the same field.
 */
export async function accountFor(steps: readonly PlanStep[], options: AccountOptions): Promise<Account> {
  const { tools, texts, clock, planned = [], read: taken = [] } = options;
  const rules = await Promise.all(tools.map(compileTool));
  const read = onceEach((text: string) => {
    const account = new RequestAccount(readRequest(text, clock), rules, { planned, taken });
    for (const step of steps) account.add(step);
    return account.result();
  });
  const said = texts.flatMap(({ source, value }) => (source.type === "request" ? String(value) : [])).join("\n");
  const request = /^\s*(["'“‘])([^"“”]*)["'”’]\s*$/.exec(said)?.[2] ?? said;
  const account = read(request);
  if (account.unsaid.length === 0) return { ...account, unsaid: [] };
  const shown = texts.flatMap(({ source, value }) =>
    source.type === "request" ? [] : [new ShownText(source, textsOf(value).join("\n"))],
  );
  const isSaidWith = ({ key }: Unsaid, all: readonly ShownText[]): boolean | undefined => {
    const text = [request, ...all.map((one) => one.text)].join("\n");
    if (tokenize(text, maxTokens).length > maxTokens) return undefined;
    return !read(text).unsaid.some((other) => other.key === key);
  };
  const findSaying = (unsaid: Unsaid, all: readonly ShownText[]): readonly ShownText[] => {
    const isSaid = all.length > 0 && isSaidWith(unsaid, all);
    if (isSaid === false) return [];
    if (all.length === 1) return isSaid === true || unsaid.isReadable ? all : [];
    const half = Math.ceil(all.length / 2);
    const found = [...findSaying(unsaid, all.slice(0, half)), ...findSaying(unsaid, all.slice(half))];
    return found.length === 0 && isSaid === true ? all : found;
  };
  const unsaid: UnsaidValue[] = [];
  for (const value of account.unsaid) {
    const { stepId, path, words, isChoice, isLikely } = value;
    const having = shown.filter((text) => text.has(value));
    const found = having.length > 0 ? having : findSaying(value, shown);
    if (found.length > 0 || !isLikely)
      unsaid.push({ stepId, path, words, isChoice, sources: found.map(({ source }) => source) });
  }
  return { ...account, unsaid };
}

interface Found {
  readonly places?: readonly Part[];
  readonly unsaid?: readonly string[];
  readonly isLikely?: boolean;
}

interface ReadPhrase {
  readonly rule: PhraseRule;
  readonly values: Map<string, (Part & { readonly json: string })[]>;
}

interface Unsaid extends Omit<UnsaidValue, "sources"> {
  readonly value: unknown;
  readonly key: string;
  readonly isReadable: boolean;
  readonly isLikely: boolean;
}

type Slots = Readonly<Record<string, unknown>>;

function slotsOf(templates: readonly Template[]): ReadonlyMap<string, SlotType> {
  return new Map(templates.flatMap(({ slots }) => [...slots]));
}

function tokensOf({ start, end }: Part): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

class RequestAccount {
  readonly #by: (Place | "operation" | undefined)[];
  readonly #copied = new Map<string, { readonly text: string; readonly places: Place[] }>();
  readonly #unsaid: Unsaid[] = [];
  #answers = false;
  readonly #said: readonly { readonly norm: string; readonly at: number }[];
  readonly #present: readonly string[];
  readonly #planned = new Set<string>();
  readonly #taken: ReadonlyMap<string, string>;
  readonly #plannedWords: ReadonlySet<string>;
  readonly #saidText: string;
  readonly #verbs: ReadonlySet<string>;
  readonly #held = new Set<number>();
  #count = 0;
  readonly #marked: Set<number>;

  constructor(
    private readonly request: RequestText,
    private readonly tools: readonly ToolRules[],
    { planned, taken }: { planned: readonly PlanStep[]; taken: NonNullable<AccountOptions["read"]> },
  ) {
    this.#taken = new Map(taken.map(({ stepId, path, said }) => [JSON.stringify([stepId, path]), said]));
    this.#by = request.tokens.map(() => undefined);
    this.#verbs = new Set(tools.flatMap(({ rules }) => rules.flatMap(({ firstWords }) => [...firstWords])));
    this.#marked = new Set(request.marks.flatMap(tokensOf));
    this.#said = request.tokens.flatMap(({ kind, norm }, at) =>
      kind === "quote" ? normsOf(norm).map((word) => ({ norm: word, at })) : isSaid(norm) ? [{ norm, at }] : [],
    );
    const spelling = new Spelling(tools.map(({ vocabulary }) => vocabulary));
    const { words } = request;
    this.#present = words.flatMap((word) => [word, ...spelling.meaningsOf(word), ...verbsLike(word), `${word}s`]);
    const texts = planned.flatMap((step) => {
      const leaves = leavesOf(inputOf(step), []);
      for (const { path, value } of leaves) {
        this.#planned.add(JSON.stringify(value)).add(placeKey(step, path, value));
        for (const at of path.keys()) this.#planned.add(placeKey(step, path.slice(0, at + 1)));
      }
      return [...leaves.map(textOf), ...constantsOf(step.forEach)].flatMap(textsOf);
    });
    this.#plannedWords = new Set(texts.flatMap(normsOf));
    this.#saidText = [request.text, ...texts].join("\n").toLowerCase();
  }

  add(step: PlanStep): void {
    const rules = this.tools.find(({ tool }) => tool.name === step.tool);
    if (!callsTool(step) || rules === undefined) return;
    this.#count++;
    const input = step.input ?? {};
    // An irreversible call needs the words of its own phrases.
    const exact = new Set(rules.candidates(this.request.words));
    const said = rules.candidates(this.#present).filter((rule) => !rule.isGrave || exact.has(rule));
    const phrases = said.flatMap(
      (rule) => this.#readValues(rule, input, slotsOf([rule, ...rule.anywhere]), true) ?? [],
    );
    const read = [...phrases, ...this.#readBeside(rules, input)];
    const own = rules.branch === undefined ? sayName(step.tool).split(/ |(?<=\D)(?=\d)/) : [];
    const spoken = new Set([...own, ...phrases.flatMap(({ rule }) => literalsOf([rule, ...rule.anywhere]))]);
    const { words: typed } = this.request;
    const isSpoken = (word: string) =>
      isSaid(word) && !emptyWords.has(word) && verbsLike(word).some((each) => spoken.has(each));
    for (const [at, word] of typed.entries())
      if (isSpoken(word) && (!denials.has(word) || isSpoken(typed[at + 1] ?? ""))) this.#by[at] ??= "operation";
    if (findReferences(step.input).length > 0) this.#explainResults({ stepId: step.id, path: ["input"] });
    for (const leaf of leavesOf(inputOf(step), []))
      if (!this.#addTaken(leaf, step)) this.#addLeaf(leaf, step, rules, read);
    this.#explainNames(step);
    this.#answers ||= isPureStep(rules.tool, input);
    this.#explainExpressions(step);
    const words = constantsOf(step.forEach).flatMap((value) => this.#missing(normsOf(String(value))));
    const place = { stepId: step.id, path: ["forEach"] };
    this.#report({ ...place, words, value: step.forEach, isLikely: false }, { kind: "text" });
  }

  #explainExpressions({ id, when = "", forEach = "" }: PlanStep): void {
    for (const [field, expression] of Object.entries({ when, forEach })) {
      const said = new Set(normsOf(spaced(expression)));
      for (const [at, word] of this.request.words.entries())
        if (said.has(word)) this.#explain(at, at + 1, { stepId: id, path: [field] });
    }
  }

  #addTaken({ path }: Leaf, { id: stepId }: PlanStep): boolean {
    if (this.#taken.size === 0) return false;
    const said = this.#taken.get(JSON.stringify([stepId, path]));
    if (said === undefined) return false;
    const place: Place = { stepId, path: ["input", ...path] };
    for (const { start, end } of this.#findText(normsOf(said), undefined).places ?? [])
      this.#explain(start, end, place);
    return true;
  }

  #addLeaf(leaf: Leaf, step: PlanStep, rules: ToolRules, phrases: readonly ReadPhrase[]): void {
    const schemasOf = (path: JsonPath) => schemasAt(rules.schemas.input, path, step.input);
    const schemas = schemasOf(leaf.path);
    const hasDefault = schemas?.some((one) => "default" in one && one.default === leaf.value) ?? false;
    if (leaf.value === null || hasDefault || this.#planned.has(placeKey(step, leaf.path, leaf.value))) return;
    const place: Place = { stepId: step.id, path: ["input", ...leaf.path] };
    const type = slotTypeOf(schemas);
    const field = String(leaf.path[0]);
    const made = phrases.flatMap(({ values }) => values.get(field) ?? []).find(({ json }) => json === keyOf(leaf));
    const sum = typeof leaf.value === "string" && !isTime(leaf.value) && rules.rules.some(({ hasSum }) => hasSum);
    const own = (sum ? this.#findSum(String(leaf.value)) : undefined) ?? (made && [made]);
    const found: Found = own ? { places: own } : this.#find(leaf, { type, field, rules, place });
    const { places = [], isLikely = false } = found;
    const isUnsaidSum = own === undefined && sum && signedSum.test(String(leaf.value)) && !found.unsaid?.length;
    const unsaid = isUnsaidSum ? [String(leaf.value)] : (found.unsaid ?? []);
    for (const { start, end } of places) {
      const isCounted = typeof leaf.value === "number" && unitsNamed(this.request.words[end] ?? "").length > 0;
      this.#explain(start, isCounted ? end + 1 : end, place);
    }
    if (own === undefined && type.kind === "text" && type.text !== "message" && leaf.path.length === 1)
      for (const part of places) this.#findHeld(part, step, rules);
    const names = namesIn(leaf.path, schemasOf).filter(
      (name) => !this.#planned.has(placeKey(step, leaf.path.slice(0, leaf.path.indexOf(name) + 1))),
    );
    const words = [...this.#missing(names.flatMap(normsOf)), ...unsaid];
    this.#report({ ...place, words, value: leaf.value, isLikely }, type);
  }

  #findHeld({ start, end }: Part, { input = {} }: PlanStep, { rules }: ToolRules): void {
    const { words, tokens, marks } = this.request;
    if (tokens[start]?.kind === "quote" || opensMessage.has(words[start - 1] ?? "")) return;
    const isMeant = ({ fixed }: PhraseRule) => Object.entries(fixed).every(([name, value]) => input[name] === value);
    const slots = rules.filter(isMeant).flatMap(({ operation }) => [...operation.slots.values()]);
    const values = leavesOf(input, []).map(({ value }) => value);
    const isEmpty: Partial<Record<Mark["kind"], boolean>> = {
      date: slots.some(({ type }) => isDate(type) || type.kind === "range") && !values.some(isTime),
      amount: slots.some(({ type }) => type.units?.length) && !values.some((value) => typeof value === "number"),
      tag: slots.some(({ type }) => type.kind === "list") && !Object.values(input).some(Array.isArray),
    };
    const held = marks.filter((mark) => mark.start >= start && mark.end <= end && isEmpty[mark.kind]);
    for (const at of held.flatMap(tokensOf)) this.#held.add(at);
    for (let at = start + 1; at < end && this.#count > 1; at++) if (readAnaphor(words, at) === end) this.#held.add(at);
  }

  #explainNames({ id, input = {} }: PlanStep): void {
    for (const field of Object.keys(input)) {
      const names = new Set(sayName(field).split(" "));
      for (const [at, word] of this.request.words.entries())
        if ((names.has(word) || names.has(word.replace(/s$/, ""))) && this.#by[at] === undefined)
          this.#explain(at, at + 1, { stepId: id, path: ["input", field] });
    }
  }

  #explainResults(place: Place): void {
    const { words } = this.request;
    for (const [at, word] of words.entries()) {
      const end = readAnaphor(words, at) ?? (resultNouns.has(word) ? at + 1 : at);
      if (this.#by.slice(at, end).every((by) => by === undefined)) this.#explain(at, end, place);
    }
  }

  #readBeside({ rules, branch }: ToolRules, input: Slots): readonly ReadPhrase[] {
    const beside = slotsOf(rules.flatMap(({ anywhere }) => anywhere));
    for (const rule of beside.size === 0 ? [] : rules) {
      if (Object.keys(rule.fixed).some((name) => name !== branch)) continue;
      const read = this.#readValues(rule, input, new Map([...rule.slots, ...beside]), false);
      if (branch !== undefined) read?.values.delete(branch);
      if (read !== undefined) return [read];
    }
    return [];
  }

  #readValues(rule: PhraseRule, input: Slots, types: ReadonlyMap<string, SlotType>, isWhole: boolean) {
    const values: ReadPhrase["values"] = new Map();
    const { branch } = rule.tool;
    const open = [...types].filter(([name, type]) => !isReadable(type) && name in input);
    const given: Slots = Object.fromEntries(open.map(([name]) => [name, input[name]]));
    const each = [...types].flatMap(([name, type]) =>
      this.#readingsOf(type).map(({ value, ...said }) => ({ ...said, slots: { ...given, [name]: value } })),
    );
    const texts = isWhole ? [{ slots: given, start: 0, end: 0 }] : [];
    let isOfOperation = false;
    for (const { slots, start, end } of [...texts, ...each]) {
      const made = inputOfPhrase(rule, slots as Readonly<Record<string, SlotValue>>, this.request.clock);
      if (made === undefined || (branch !== undefined && made[branch] !== input[branch])) continue;
      const own = Object.entries(made).filter(([name, value]) => !(name in given) || value !== given[name]);
      // A different fixed value belongs to another operation.
      if (!own.every(([name, value]) => !(name in rule.fixed) || JSON.stringify(input[name]) === JSON.stringify(value)))
        continue;
      isOfOperation = true;
      for (const [name, value] of own)
        for (const leaf of leavesOf(value, [name])) addTo(values, name, { start, end, json: keyOf(leaf) });
    }
    return isOfOperation ? { rule, values } : undefined;
  }

  readonly #readingsOf = remembered((type: SlotType): readonly (Part & { readonly value: unknown })[] => {
    const readingsAt = (start: number) =>
      slotReadingsAt(type, this.request, start).map(({ value, end }) => ({ value, start, end }));
    return [...this.request.words.keys()].flatMap(readingsAt).filter(({ value }) => value !== anaphor);
  });

  #find(
    leaf: Leaf,
    { type, field, rules, place }: { type: SlotType; field: string; rules: ToolRules; place: Place },
  ): Found {
    const { value } = leaf;
    if (typeof value !== "string" || isTime(value) || isReadable(type))
      return this.#findReadable(value, { type, field });
    const isFree = !rules.rules.some(({ anywhere }) => anywhere.some(({ slots }) => slots.has(field)));
    const text = String(textOf(leaf));
    // Addresses, and texts that consist of signs, must occur literally: parts of two addresses do not make a third.
    const exact = isSaid(text) ? (text.match(emailAddress) ?? []) : [text.trim()];
    const inexact = exact.filter((part) => !this.#saidText.includes(part.toLowerCase()));
    const found = this.#findText(normsOf(text), isFree && leaf.path.length === 1 ? place : undefined);
    if (inexact.length === 0) return found;
    const rest = inexact.reduce((left, part) => left.replace(part, " "), text);
    return { ...found, unsaid: [...inexact, ...this.#missing(normsOf(rest))] };
  }

  #findReadable(value: unknown, { type, field }: { type: SlotType; field: string }): Found {
    const { words } = this.request;
    const isNumber = typeof value === "number" && type.kind !== "enum";
    const timeOrType = isTime(value) ? (value.length > 10 ? timeType : dayType) : type;
    const units = unitsOfName(field);
    const ownType = isNumber ? { ...numberType, ...(units.length > 0 && { units }) } : timeOrType;
    const isFound = (each: { readonly value: unknown; readonly end: number }) =>
      isSameValue(each.value, value) ||
      isConverted(each.value, value, words[each.end]) ||
      // "298K" may be a temperature.
      (words[each.end - 1] === "k" && Number(each.value) / 1000 === value) ||
      (/^(?:%|percent)$/.test(words[each.end] ?? "") && Number(each.value) / 100 === value);
    const all = this.#readingsOf(ownType).filter(isFound);
    const found = all.find(({ start }) => typeof this.#by[start] !== "object") ?? all[0];
    const isNamed = typeof value === "boolean" && normsOf(sayName(field)).every((norm) => this.#isTyped(norm));
    if (found !== undefined && typeof value === "boolean" && !isNamed)
      return { places: [found], unsaid: [field], isLikely: true };
    if (found !== undefined) return { places: [found] };
    if (!isChoice(type) && this.#planned.has(JSON.stringify(value))) return {};
    if (value === true && isNamed) return {};
    return { unsaid: [typeof value === "boolean" ? field : String(value)] };
  }

  #findSum(expression: string): readonly Part[] | undefined {
    const { tokens, words } = this.request;
    const clauses = cutClauses(this.request);
    for (const [first, { start: from }] of clauses.entries())
      for (const { end } of clauses.slice(first, first + 4)) {
        const start = words[from] === "•" ? from + 1 : from;
        for (const results of [0, 1, 2])
          if (readSum(tokens.slice(start, end), { results })?.expression === expression) return [{ start, end }];
      }
    const numbers = expression.match(/\d+(?:\.\d+)?/g);
    if (numbers === null || !/^[\d\s.()+*/%^,a-z-]+$/i.test(expression)) return undefined;
    const own = numbers.filter((digits) => digits !== "1" && digits !== "100").map(Number);
    const places: Part[] = [];
    for (const number of own) {
      const isFree = ({ start }: Part) => !places.some((each) => each.start === start);
      const place = this.#readingsOf(numberType).find((each) => each.value === number && isFree(each));
      if (place === undefined) return undefined;
      places.push(place);
    }
    return places;
  }

  #findText(norms: readonly string[], free: Place | undefined): Found {
    if (norms.length === 0) return {};
    const all = this.#said.flatMap(({ at: start }, at): readonly Part[] => {
      const last = this.#said[at + norms.length - 1];
      const isHere = norms.every((norm, index) => this.#said[at + index]?.norm === norm);
      return isHere && last !== undefined ? [{ start, end: last.at + 1 }] : [];
    });
    const found = all.find(({ start }) => typeof this.#by[start] !== "object") ?? all[0];
    if (found === undefined) {
      const places = this.#said
        .filter(({ norm }) => norms.includes(norm))
        .map(({ at }) => ({ start: at, end: at + 1 }));
      return { places, unsaid: this.#missing(norms) };
    }
    if (free !== undefined) {
      const key = `${found.start}-${found.end}`;
      const text = textBetween(this.request, found.start, found.end);
      const known = this.#copied.get(key);
      if (known === undefined) this.#copied.set(key, { text, places: [free] });
      else known.places.push(free);
    }
    return { places: [found] };
  }

  #missing(norms: readonly string[]): readonly string[] {
    const isSaid = (norm: string) => this.#isTyped(norm) || (unspaced.test(norm) && this.#saidText.includes(norm));
    return norms.filter((norm) => !isSaid(norm) && !this.#plannedWords.has(norm));
  }

  #isTyped(norm: string): boolean {
    return this.#said.some((word) => word.norm === norm);
  }

  #explain(start: number, end: number, place: Place): void {
    for (let at = start; at < end; at++) if (typeof this.#by[at] !== "object") this.#by[at] = place;
  }

  #report(unsaid: Place & Pick<Unsaid, "words" | "value" | "isLikely">, type: SlotType): void {
    const { stepId, path, words, value } = unsaid;
    const isReadable = isChoice(type) || typeof value === "number" || isTime(value);
    const key = JSON.stringify([stepId, path]);
    if (words.length > 0) this.#unsaid.push({ ...unsaid, key, isReadable, isChoice: isChoice(type) });
  }

  #mustBeExplained(at: number): boolean {
    const { words, tokens } = this.request;
    const word = words[at] ?? "";
    if (denials.has(word) || tokens[at]?.kind === "quote") return true;
    return isSaid(word) && !emptyWords.has(word) && !(this.#answers && asking.has(word));
  }

  #isLost(at: number, listed: ReadonlySet<number>): boolean {
    const word = this.request.words[at] ?? "";
    return this.#marked.has(at) || listed.has(at) || (denials.has(word) && word !== "no");
  }

  /** Finds unused items beside an item that a step uses, but no clauses, as in "milk, the repair man came". */
  #findListed(): ReadonlySet<number> {
    const { request } = this;
    const ends = [...request.words.keys()].filter((at) => isSeparatorAt(request, at));
    const items = [...ends, request.words.length]
      .map((end, index) => ({ start: (ends[index - 1] ?? -1) + 1, end }))
      .filter(({ start, end }) => start < end);
    const hasThing = (item: Part | undefined) =>
      item !== undefined && tokensOf(item).some((at) => typeof this.#by[at] === "object" && !this.#marked.has(at));
    const isOfSentence = (word: string) => denials.has(word) || auxiliaries.has(word) || isPastVerb(word);
    const isThing = (item: Part) =>
      tokensOf(item).every((at) => this.#by[at] === undefined && !isOfSentence(request.words[at] ?? "")) &&
      isPlainText(request, item.start, item.end);
    const isBesideThing = (at: number) => hasThing(items[at - 1]) || hasThing(items[at + 1]);
    return new Set(items.filter((item, at) => isBesideThing(at) && isThing(item)).flatMap(tokensOf));
  }

  #asksFor(start: number, end: number): boolean {
    const { words } = this.request;
    const isVerb = (word: string) => !emptyWords.has(word) && verbsLike(word).some((each) => this.#verbs.has(each));
    const asks = (word: string, at: number) => this.#marked.has(start + at) || (!lightVerbs.has(word) && isVerb(word));
    return opensWish(words, start, end) || words.slice(start, end).some(asks);
  }

  result(): Omit<Account, "unsaid"> & { readonly unsaid: readonly Unsaid[] } {
    const { words, tokens } = this.request;
    const isAside = new Set<number>(words.keys());
    const beside = new Set<number>();
    const listed = this.#findListed();
    for (const { start, end } of cutClauses(this.request)) {
      if (isCourtesy(words, start, end) || statesReason(words, start, end)) continue;
      const all = words.slice(start, end);
      const isFree = this.#by.slice(start, end).every((by) => by === undefined);
      const isWish = isFree && this.#asksFor(start, end);
      const isBeside = isFree && !isWish && !all.some((word, at) => denials.has(word) || listed.has(start + at));
      for (const at of isWish ? tokensOf({ start, end }) : []) this.#marked.add(at);
      const isValue = (_: string, at: number) => typeof this.#by[start + at] === "object";
      const first = start + Math.max(0, all.findIndex(isValue));
      const last = start + all.findLastIndex(isValue);
      const from = Math.max(...contentStarts(words, start, end).filter((at) => first === start || at <= first));
      const to = Math.min(...contentEnds(words, start, end).filter((at) => at > Math.max(from, last)));
      for (let at = from; at < to; at++) if (this.#mustBeExplained(at)) isBeside ? beside.add(at) : isAside.delete(at);
    }
    const accounted = tokens.map((_, at): AccountedWord => {
      const by = this.#by[at];
      const text = textBetween(this.request, at, at + 1);
      if (this.#held.has(at)) return { text, by: "unused" };
      if (typeof by === "object") return { text, by: "value", place: by };
      if (by !== undefined || beside.has(at)) return { text, by: by ?? "aside" };
      return { text, by: isAside.has(at) ? "courtesy" : this.#isLost(at, listed) ? "unused" : "left" };
    });
    const twice = [...this.#copied.values()].filter(({ places }) => places.length > 1);
    return { words: accounted, twice, unsaid: this.#unsaid };
  }
}

/** Text that the user did not write. Its words may be disguised, so comparisons err towards a match. */
class ShownText {
  readonly #words: ReadonlySet<string>;
  readonly #letters: string;

  constructor(
    readonly source: WordSource,
    readonly text: string,
  ) {
    this.#letters = lettersOf(text);
    this.#words = new Set(normsOf(text).map(lettersOf));
  }

  has({ words, value }: Unsaid): boolean {
    const [year = "", , day = ""] = isTime(value) ? value.split(/\D+/) : [];
    return words.some((word) => this.#hasWord(word)) || (this.#words.has(year) && this.#words.has(String(Number(day))));
  }

  #hasWord(word: string): boolean {
    const own = lettersOf(word);
    if (own === "") return this.text.includes(word);
    return /^[a-z\d]{1,3}$/.test(own) ? this.#words.has(own) : this.#letters.includes(own);
  }
}

function lettersOf(text: string): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return plain.replace(/[\u0370-\u04ff]/g, (letter) => latin[lookalikes.indexOf(letter)] ?? letter);
}

const lookalikes = "аеорсухіјѕһαονρτικ";
const latin = "aeopcyxijshaovptik";
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const emailAddress = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]*[\p{L}\p{N}]/gu;

const asking = wordSet("what which how much many when where");
const isoDate = /^\d{4}-\d\d-\d\d(?:T|$)/;
const signedSum = /^[\d\s.()%]*\d\)?%?\s*[+*/^-]\s*[\d\s.()%+*/^-]*$/;
const numberType: SlotType = { kind: "number" };
const timeType: SlotType = { kind: "date-time", form: "offset" };
const dayType: SlotType = { kind: "date" };

function isTime(value: unknown): value is string {
  return typeof value === "string" && isoDate.test(value);
}

function isSameValue(found: unknown, value: unknown): boolean {
  if (found === value) return true;
  if (!isTime(found) || typeof value !== "string" || value.length <= 10) return false;
  return Date.parse(found) === Date.parse(value) || found.startsWith(value);
}

function isChoice({ kind }: SlotType): boolean {
  return kind === "enum" || kind === "boolean";
}

function isConverted(found: unknown, value: unknown, word = ""): boolean {
  const units = typeof value === "number" && typeof found === "number" ? unitsNamed(word) : [];
  return units.some((unit) => [...unit.kind.values()].some((size) => (Number(found) * unit.size) / size === value));
}

function placeKey({ tool }: PlanStep, path: JsonPath, ...value: readonly unknown[]): string {
  return JSON.stringify([tool, path.map((key) => (typeof key === "number" ? 0 : key)), ...value]);
}

function keyOf({ value, path }: Leaf): string {
  return JSON.stringify([path.slice(1), value]);
}

function isSaid(norm: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(norm);
}

function normsOf(text: string): readonly string[] {
  return tokenize(text).flatMap(({ kind, norm }) => (kind === "quote" ? normsOf(norm) : isSaid(norm) ? [norm] : []));
}

interface Leaf {
  readonly value: unknown;
  readonly path: JsonPath;
  readonly isLiteral: boolean;
}

function leavesOf(value: unknown, path: JsonPath, isLiteral = false): readonly Leaf[] {
  if (typeof value !== "object" || value === null) return [{ value, path, isLiteral }];
  const literal = isLiteral ? undefined : asLiteral(value);
  if (literal !== undefined) return leavesOf(literal.$literal, path, true);
  if (!isLiteral && asReference(value) !== undefined) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, [...path, Array.isArray(value) ? Number(key) : key], isLiteral),
  );
}

function textOf({ value, isLiteral }: Leaf): unknown {
  if (typeof value !== "string" || isLiteral || !value.includes("${")) return value;
  return parseTemplate(value)
    .map((part) => (part.type === "text" ? part.text : " "))
    .join("");
}

function namesIn(path: JsonPath, schemasOf: (path: JsonPath) => readonly JsonSchema[] | undefined): readonly string[] {
  const isKnown = (key: string, index: number) =>
    schemasOf(path.slice(0, index))?.some(({ properties = {} }) => Object.hasOwn(properties, key)) ?? false;
  return path.filter((key, index): key is string => typeof key === "string" && !isKnown(key, index));
}

export function spaced(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, "$1 $2");
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, item]) => [spaced(key), ...textsOf(item)]);
  if (typeof value === "number") return [String(value), value.toLocaleString("en", plainDigits)];
  return value === undefined || value === null ? [] : [String(value)];
}

const plainDigits = { useGrouping: false, maximumSignificantDigits: 21 } as const;

function constantsOf(expression: string | undefined): readonly (string | number)[] {
  const found = expression?.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w.]|[\w\])]\[)\d+(?:\.\d+)?/g) ?? [];
  return found.map((text) => (/^["']/.test(text) ? text.slice(1, -1) : Number(text)));
}
