import type { WordSource } from "../../core/approval.ts";
import type { JsonPath } from "../../core/json.ts";
import { branchField, schemasAt } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { DefinedTool, SlotValue } from "../../core/tool.ts";
import { callsTool, inputOf } from "../../core/wait-step.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { readAnaphor, resultNouns } from "../../english/references.ts";
import { unitOf } from "../../english/unit-names.ts";
import { functionWords, prepositions, verbsLike } from "../../english/verb-groups.ts";
import { tokenize } from "../../language/tokens.ts";
import { constantsOf, type Leaf, leavesOf, namesIn, textOf, textsOf } from "../../plan/grounding/leaves.ts";
import { findReferences } from "../../plan/reference.ts";
import { readSum } from "../../sums/read-sum.ts";
import { contentEnds, contentStarts, isCourtesy } from "./courtesy.ts";
import { cutClauses, statesReason } from "./cut-wishes.ts";
import type { Template } from "./match.ts";
import { compileTool, inputOfPhrase, type PhraseRule, sayName, type ToolRules } from "./phrase-rules.ts";
import { type RequestText, readRequest, textBetween } from "./request.ts";
import { anaphor, isReadable, type SlotType, slotReadingsAt, slotTypeOf, withUnit } from "./slots.ts";
import { Spelling } from "./spelling.ts";

/** A text that a plan was made from: the request, which speaks for the user, or one that is only shown to a planner. */
export interface AccountText {
  readonly source: { readonly type: "request" } | WordSource;
  readonly value: unknown;
}

/** Where a value of a step stands. */
interface Place {
  readonly stepId: string;
  /** Within the step. */
  readonly path: JsonPath;
}

/** A word of the request: in a value, of an operation, left out, or not explained. */
export interface AccountedWord {
  readonly text: string;
  readonly by: "value" | "operation" | "courtesy" | "left";
  /** With `value`: the first place that has it. */
  readonly place?: Place;
}

/** A value with words or numbers that the request does not say. */
export interface UnsaidValue extends Place {
  readonly words: readonly string[];
  /** The other texts that have one of the words. */
  readonly sources: readonly WordSource[];
  /** True if the schema allows only a choice, such as an operation or a switch. */
  readonly isChoice: boolean;
}

/** What of a request explains a plan, and what of the plan the request does not say. */
export interface Account {
  /** In their order, with the signs between them. */
  readonly words: readonly AccountedWord[];
  readonly left: readonly string[];
  /** Free text that is in more places than the request has it. */
  readonly twice: readonly { readonly text: string; readonly places: readonly Place[] }[];
  readonly unsaid: readonly UnsaidValue[];
}

/**
 * Accounts for the words of a request and the values of a plan, whoever made it. A value is said if the request has its words, if a
 * reader finds it there (a date, a number, a choice), or if a phrase that stands in the request makes it.
 */
export async function accountFor(
  steps: readonly PlanStep[],
  { tools, texts, clock }: { tools: readonly DefinedTool[]; texts: readonly AccountText[]; clock: DateClock },
): Promise<Account> {
  const rules = await Promise.all(tools.map(compileTool));
  const said = texts.filter(({ source }) => source.type === "request").map(({ value }) => String(value));
  const request = await readRequest(said.join("\n"), clock);
  const account = new RequestAccount(request, rules, texts);
  for (const step of steps) account.add(step);
  return account.result();
}

/** Tokens of the request that say a value. */
interface Said {
  readonly start: number;
  readonly end: number;
}

/** Where a value is said, and its words that are not. */
interface Found {
  readonly places?: readonly Said[];
  readonly unsaid?: readonly string[];
}

/** A phrase whose words stand in the request, with the values that it makes, by field. */
interface ReadPhrase {
  readonly rule: PhraseRule;
  readonly values: ReadonlyMap<string, readonly (Said & { readonly json: string })[]>;
}

class RequestAccount {
  private readonly readings = new Map<SlotType, readonly (Said & { readonly value: unknown })[]>();
  private readonly by: (Place | "operation" | undefined)[];
  /** Free text of steps, by the tokens that it was copied from. */
  private readonly copied = new Map<string, { readonly text: string; readonly places: Place[] }>();
  private readonly unsaid: UnsaidValue[] = [];
  /** The words of the request, those of quotes one by one. */
  private readonly said: readonly { readonly norm: string; readonly at: number }[];
  private readonly present: ReadonlySet<string>;
  private readonly shown: readonly { readonly source: WordSource; readonly words: ReadonlySet<string> }[];

  constructor(
    private readonly request: RequestText,
    private readonly tools: readonly ToolRules[],
    texts: readonly AccountText[],
  ) {
    this.by = request.tokens.map(() => undefined);
    this.said = request.tokens.flatMap(({ kind, norm }, at) =>
      kind === "quote" ? normsOf(norm).map((word) => ({ norm: word, at })) : isSaid(norm) ? [{ norm, at }] : [],
    );
    const spelling = new Spelling(tools.map(({ vocabulary }) => vocabulary));
    this.present = new Set(
      request.words.flatMap((word) => [word, ...spelling.meaningsOf(word), ...verbsLike(word), `${word}s`]),
    );
    this.shown = texts.flatMap(({ source, value }) =>
      source.type === "request" ? [] : [{ source, words: new Set(normsOf(textsOf(value).join("\n"))) }],
    );
  }

  add(step: PlanStep): void {
    const rules = this.tools.find(({ tool }) => tool.name === step.tool);
    if (!callsTool(step) || rules === undefined) return;
    const phrases = rules.candidates(this.present).flatMap((rule) => this.readPhrase(rule, step.input ?? {}) ?? []);
    // A tool without phrases is named by its name.
    const own = rules.rules.length === 0 ? sayName(step.tool).split(" ") : [];
    const spoken = new Set([...own, ...phrases.flatMap(({ rule }) => [rule, ...rule.anywhere].flatMap(literals))]);
    for (const [at, word] of this.request.words.entries())
      if (verbsLike(word).some((each) => spoken.has(each))) this.by[at] ??= "operation";
    if (findReferences(step.input).length > 0) this.explainResults({ stepId: step.id, path: ["input"] });
    for (const leaf of leavesOf(inputOf(step), [])) this.addLeaf(leaf, { step, rules, phrases });
    for (const constant of constantsOf(step.forEach))
      this.report({ stepId: step.id, path: ["forEach"] }, this.missing(normsOf(String(constant))), { kind: "text" });
  }

  private addLeaf(
    leaf: Leaf,
    { step, rules, phrases }: { step: PlanStep; rules: ToolRules; phrases: readonly ReadPhrase[] },
  ): void {
    const schemasOf = (path: JsonPath) => schemasAt(rules.schemas.input, path, step.input);
    const schemas = schemasOf(leaf.path);
    const hasDefault = schemas?.some((one) => "default" in one && one.default === leaf.value) ?? false;
    if (leaf.value === null || hasDefault) return;
    const place: Place = { stepId: step.id, path: ["input", ...leaf.path] };
    const type = slotTypeOf(schemas);
    const field = String(leaf.path[0]);
    const made = phrases.flatMap(({ values }) => values.get(field) ?? []).find(({ json }) => json === keyOf(leaf));
    // An example has the whole of a sum, and so none of its words.
    const sum = typeof leaf.value === "string" && !isoDate.test(leaf.value) && rules.rules.some(({ hasSum }) => hasSum);
    const own = (sum ? this.findSum(String(leaf.value)) : undefined) ?? (made && [made]);
    const { places = [], unsaid = [] } = own ? { places: own } : this.find(leaf, { type, field, rules, place });
    for (const { start, end } of places) this.explain(start, end, place);
    // A name that the input gives to a value, as in a record.
    const names = namesIn(leaf.path, schemasOf).flatMap(normsOf);
    this.report(place, [...this.missing(names), ...unsaid], type);
  }

  /** "It" and "the result" are said for a reference. */
  private explainResults(place: Place): void {
    const { words } = this.request;
    for (const [at, word] of words.entries()) {
      const end = readAnaphor(words, at) ?? (resultNouns.has(word) ? at + 1 : at);
      if (this.by.slice(at, end).every((by) => by === undefined)) this.explain(at, end, place);
    }
  }

  /** What a phrase makes of the request, if its words stand there and it is of the step's operation. */
  private readPhrase(rule: PhraseRule, input: Readonly<Record<string, unknown>>): ReadPhrase | undefined {
    const types = new Map([rule, ...rule.anywhere].flatMap(({ slots }) => [...slots]));
    // What readers find is asked of them; texts are as the step has them.
    const given = Object.fromEntries(
      [...types].flatMap(([name, type]) => (!isReadable(type) && name in input ? [[name, input[name]]] : [])),
    );
    const values = new Map<string, (Said & { readonly json: string })[]>();
    let isOfOperation = false;
    const note = (slots: Readonly<Record<string, unknown>>, { start, end }: Said) => {
      const made = inputOfPhrase(rule, slots as Readonly<Record<string, SlotValue>>, this.request.clock);
      if (made === undefined) return;
      const own = Object.entries(made).filter(([name, value]) => !(name in given) || value !== given[name]);
      // Values of a closed kind must be those of the step, or it is another operation.
      if (!own.every(([name, value]) => !(name in rule.fixed) || JSON.stringify(input[name]) === JSON.stringify(value)))
        return;
      const operation = branchField(schemasAt(rule.tool.schemas.input, []) ?? []);
      if (operation !== undefined && made[operation] !== input[operation]) return;
      isOfOperation = true;
      for (const [name, value] of own)
        for (const leaf of leavesOf(value, [name]))
          values.set(name, [...(values.get(name) ?? []), { start, end, json: keyOf(leaf) }]);
    };
    note(given, { start: 0, end: 0 });
    for (const [name, type] of types)
      for (const { value, ...said } of this.readingsOf(type)) note({ ...given, [name]: value }, said);
    return isOfOperation ? { rule, values } : undefined;
  }

  /** All values of a type that the request says. */
  private readingsOf(type: SlotType): readonly (Said & { readonly value: unknown })[] {
    const known = this.readings.get(type);
    if (known !== undefined) return known;
    const found = [...this.request.words.keys()].flatMap((start) =>
      slotReadingsAt(type, this.request, start).flatMap(({ value, end }) =>
        value === anaphor ? [] : [{ value, start, end }],
      ),
    );
    this.readings.set(type, found);
    return found;
  }

  /** Where the request says a value, or what of it is not said. */
  private find(
    leaf: Leaf,
    { type, field, rules, place }: { type: SlotType; field: string; rules: ToolRules; place: Place },
  ): Found {
    const { value } = leaf;
    const isTime = typeof value === "string" && isoDate.test(value);
    if (typeof value !== "string" || isTime || isReadable(type)) return this.findReadable(value, { type, field });
    const isFree = !rules.rules.some(({ anywhere }) => anywhere.some(({ slots }) => slots.has(field)));
    return this.findText(normsOf(String(textOf(leaf))), isFree && leaf.path.length === 1 ? place : undefined);
  }

  private findReadable(value: unknown, { type, field }: { type: SlotType; field: string }): Found {
    const { ranges, words } = this.request;
    const isTime = typeof value === "string" && isoDate.test(value);
    const isNumber = typeof value === "number" && type.kind !== "enum";
    const ownType = isNumber ? withUnit(numberType, field) : isTime ? (value.length > 10 ? timeType : dayType) : type;
    const found = this.readingsOf(ownType).find(
      (each) => isSameValue(each.value, value) || isConverted(each.value, value, words[each.end]),
    );
    if (found !== undefined) return { places: [found] };
    const range = ranges.find((each) => each.value.split("/").includes(String(value)));
    if (range !== undefined) return { places: [range] };
    // "With gift wrap": the name of what is switched on.
    if (value === true && this.missing(normsOf(sayName(field))).length === 0) return {};
    return { unsaid: [typeof value === "boolean" ? field : String(value)] };
  }

  /** The part of the request that asks for a sum; of one that a planner wrote itself, where its numbers are. */
  private findSum(expression: string): readonly Said[] | undefined {
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
    // Each is said once for each time that it is used.
    const places: Said[] = [];
    for (const number of own) {
      const place = this.readingsOf(numberType).find((each) => each.value === number && !places.includes(each));
      if (place === undefined) return undefined;
      places.push(place);
    }
    return places;
  }

  /** Words that stand together, where no other text was copied from if there is such a place; else each of them somewhere. */
  private findText(norms: readonly string[], free: Place | undefined): Found {
    if (norms.length === 0) return {};
    let found: Said | undefined;
    for (let at = 0; at + norms.length <= this.said.length; at++) {
      if (!norms.every((norm, index) => this.said[at + index]?.norm === norm)) continue;
      const place = { start: this.said[at]?.at ?? 0, end: (this.said[at + norms.length - 1]?.at ?? 0) + 1 };
      found ??= place;
      if (typeof this.by[place.start] !== "object") {
        found = place;
        break;
      }
    }
    if (found === undefined) {
      const places = this.said.filter(({ norm }) => norms.includes(norm)).map(({ at }) => ({ start: at, end: at + 1 }));
      return { places, unsaid: this.missing(norms) };
    }
    if (free !== undefined) {
      const key = `${found.start}-${found.end}`;
      const text = textBetween(this.request, found.start, found.end);
      const known = this.copied.get(key);
      if (known === undefined) this.copied.set(key, { text, places: [free] });
      else known.places.push(free);
    }
    return { places: [found] };
  }

  private missing(norms: readonly string[]): readonly string[] {
    return norms.filter((norm) => !this.said.some((word) => word.norm === norm));
  }

  private explain(start: number, end: number, place: Place): void {
    for (let at = start; at < end; at++) if (typeof this.by[at] !== "object") this.by[at] = place;
  }

  private report(place: Place, words: readonly string[], { kind }: SlotType): void {
    if (words.length === 0) return;
    const norms = words.flatMap(normsOf);
    const sources = this.shown.filter((text) => norms.some((norm) => text.words.has(norm))).map(({ source }) => source);
    this.unsaid.push({ ...place, words, sources, isChoice: kind === "enum" || kind === "boolean" });
  }

  result(): Account {
    const { words, tokens } = this.request;
    const isAside = new Set<number>(words.keys());
    for (const { start, end } of cutClauses(this.request)) {
      if (isCourtesy(words, start, end) || statesReason(words, start, end)) continue;
      const all = words.slice(start, end);
      const isValue = (_: string, at: number) => typeof this.by[start + at] === "object";
      const first = start + Math.max(0, all.findIndex(isValue));
      const last = start + all.findLastIndex(isValue);
      const from = Math.max(...contentStarts(words, start, end).filter((at) => first === start || at <= first));
      const to = Math.min(...contentEnds(words, start, end).filter((at) => at > Math.max(from, last)));
      for (let at = from; at < to; at++)
        if (isSaid(words[at] ?? "") && !functionWords.has(words[at] ?? "") && !prepositions.has(words[at] ?? ""))
          isAside.delete(at);
    }
    const accounted = tokens.map((_, at): AccountedWord => {
      const by = this.by[at];
      const text = textBetween(this.request, at, at + 1);
      if (typeof by === "object") return { text, by: "value", place: by };
      return { text, by: by ?? (isAside.has(at) ? "courtesy" : "left") };
    });
    return {
      words: accounted,
      left: accounted.filter(({ by }) => by === "left").map(({ text }) => text),
      twice: [...this.copied.values()].filter(({ places }) => places.length > 1),
      unsaid: this.unsaid,
    };
  }
}

const isoDate = /^\d{4}-\d\d-\d\d(?:T|$)/;
const numberType: SlotType = { kind: "number" };
const timeType: SlotType = { kind: "date-time", takesOffset: true };
const dayType: SlotType = { kind: "date" };

function isSameValue(found: unknown, value: unknown): boolean {
  if (found === value) return true;
  const isTime = typeof found === "string" && typeof value === "string" && isoDate.test(found) && value.length > 10;
  return isTime && Date.parse(found) === Date.parse(value);
}

/** "An hour" for 60 minutes. */
function isConverted(found: unknown, value: unknown, word = ""): boolean {
  const unit = typeof value === "number" && typeof found === "number" ? unitOf(word) : undefined;
  return [...(unit?.kind.values() ?? [])].some((size) => (Number(found) * (unit?.size ?? 0)) / size === value);
}

/** The words of a template. */
function literals({ start }: Template): readonly string[] {
  const places = new Set([start]);
  for (const { steps } of places)
    for (const next of [...steps.words.values()].flat().concat(steps.slots.map((slot) => slot.next))) places.add(next);
  return [...places].flatMap(({ steps }) => [...steps.words.keys()]);
}

function keyOf({ value, path }: Leaf): string {
  return JSON.stringify([path.slice(1), value]);
}

function isSaid(norm: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(norm);
}

/** The words and numbers of a text. */
function normsOf(text: string): readonly string[] {
  return tokenize(text).flatMap(({ kind, norm }) => (kind === "quote" ? normsOf(norm) : isSaid(norm) ? [norm] : []));
}
