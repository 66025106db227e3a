import { canonicalJson, type JsonObject, type JsonValue } from "../core/json.ts";
import { schemasAt } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import { parseWith } from "../core/schema.ts";
import { escapeTemplate } from "../core/text.ts";
import type { SlotValue } from "../core/tool.ts";
import { ordinals } from "../english/numbers.ts";
import { emptyWords, lightVerbs, prepositions } from "../english/word-classes.ts";
import { wordSet } from "../english/word-set.ts";
import { stem } from "../language/word-forms.ts";
import { type Call, type CallSlot, callsIn, leadsTo, says } from "../planners/rules/calls.ts";
import { isArticle, isFiller } from "../planners/rules/courtesy.ts";
import { itemsOf, type Part, textOf } from "../planners/rules/items.ts";
import { inputOfPhrase, type ToolRules } from "../planners/rules/phrase-rules.ts";
import { type BoundThing, onceEach, type RequestText, valueOfThing } from "../planners/rules/request.ts";
import { anaphor, isDate, isReadable, slotReadingsAt } from "../planners/rules/slots.ts";
import { issueOf, toStepInput } from "../planners/rules/steps.ts";
import { denials } from "../planners/rules/texts.ts";
import { type DoneStep, isSameValue, type KnownThing } from "./focus.ts";
import { readHalfSaid, saysShift, type TimesOf, timesOf } from "./half-said.ts";

/** Values of a fragment such as "the Contis are five now", by slot. Several texts for a slot make several calls. */
export interface Filled {
  readonly values: Readonly<Record<string, readonly SlotValue[]>>;
  readonly target: string | undefined;
  /** True if a phrase of the call takes all values, and its required words were said, such as "move". */
  readonly isNamed: boolean;
  readonly isHinted: boolean;
  readonly textWords: number;
  readonly skipped: number;
}

export interface FillOptions extends Part {
  readonly request: RequestText;
  readonly baseOf?: TimesOf;
  /** True for a slot that free text may fill, at the token if one is given. */
  readonly takesText?: (slot: CallSlot, at?: number) => boolean;
  /** True if texts must not contain words that may be skipped, such as articles and prepositions. */
  readonly isPlain?: boolean;
  /** Further words to skip as meaningless. */
  readonly passes?: ReadonlySet<string>;
  readonly keySlot?: string | undefined;
}

interface Filling extends FillOptions {
  /** True if a slot of the call reads a value at the token. */
  readonly isValue: (at: number) => boolean;
}

interface State extends Omit<Filled, "isNamed" | "isHinted"> {
  readonly at: number;
  readonly own: readonly string[];
  readonly hasTold: boolean;
  /** True once a skipped word was neither a word of the call nor an article, a filler or a preposition. */
  readonly isLoose: boolean;
}

const maxTokens = 40;
const maxWork = 4_000;
const maxFills = 50;
const maxCalls = 50;
const light = wordSet(
  "but too then so well only instead rather same one ones also again else wants want needs actually now already anyway better " +
    "they he she him her them his their day days",
);

const quantifiers = wordSet("all every each");
/** Prepositions that change the value behind them, unlike "to" and "at". */
const relating = wordSet("after before between since under over within without near");

/**
 * Reads each word of a fragment as a value of the call or skips it as meaningless. Returns up to 50 ways to do so, the
 * best first.
 */
export function fillCall(call: Call, options: FillOptions): readonly Filled[] {
  const { start, end } = options;
  if (end - start > maxTokens) return [];
  const readable = call.slots.filter(({ type }) => isReadable(type));
  const isValue = onceEach((at: number) =>
    readable.some(({ type }) => slotReadingsAt(type, options.request, at).some(({ value }) => value !== anaphor)),
  );
  const filling: Filling = { ...options, isValue };
  const found: Filled[] = [];
  let work = 0;
  const go = (state: State): void => {
    if (++work > maxWork || found.length >= maxFills) return;
    if (state.at < end) {
      for (const next of nextStates(call, filling, state)) go(next);
      return;
    }
    const { own, hasTold, isLoose, values, target, skipped, textWords } = state;
    const names = Object.keys(values).filter((name) => name !== target);
    const isFilled = Object.keys(values).length > 0 || target !== undefined;
    if (!isFilled || (hasTold && (isLoose || !isPhrased(call, own, names, false)))) return;
    const isNamed = isPhrased(call, own, names, true);
    found.push({ values, target, skipped, textWords, isNamed, isHinted: own.length > 0 });
  };
  go({ at: start, values: {}, target: undefined, own: [], hasTold: false, isLoose: false, skipped: 0, textWords: 0 });
  return found.sort(compareFilled);
}

/** Prefers more values, then fewer words in texts, then fewer skipped words. */
export function compareFilled(one: Filled, other: Filled): number {
  const count = ({ values }: Filled) => Object.keys(values).length;
  return count(other) - count(one) || one.textWords - other.textWords || one.skipped - other.skipped;
}

function isPhrased(call: Call, own: readonly string[], names: readonly string[], mayBeBeside: boolean): boolean {
  return call.phrases.some(({ rule, required }) => {
    const slots = mayBeBeside ? [rule, ...rule.anywhere] : [rule];
    const isAll = names.every((name) => slots.some((each) => each.slots.has(name)));
    return isAll && own.length > 0 && required.every((group) => own.some((word) => group.has(word)));
  });
}

function* nextStates(call: Call, options: Filling, state: State): Generator<State> {
  const { request } = options;
  const { at } = state;
  const word = request.words[at] ?? "";
  const thing = request.things.get(at);
  if (thing !== undefined) yield* withThing(call, thing, state);
  // "For her" means somebody and must not be skipped, unlike the subject of "they are five".
  const isWho = /^(?:him|her|them)$/.test(word) && /^(?:for|to|with|from|by)$/.test(request.words[at - 1] ?? "");
  if (thing !== undefined || denials.has(word) || quantifiers.has(word) || isWho) return;
  yield* withValue(call, options, state);
  // If a slot takes free text, a word of the call may belong to that text: "glue sticks".
  const mayBeText = call.slots.some((slot) => options.takesText?.(slot));
  const isOwn = !mayBeText && (call.weights.get(stem(word)) ?? 0) >= says.like;
  const isFree = isPassed(word, options) && !relating.has(word);
  const isLoose = state.isLoose || !(isOwn || isArticle(word) || isFiller(word) || prepositions.has(word));
  const own = isOwn ? [...state.own, stem(word)] : state.own;
  if (isFree || isOwn) yield { ...state, at: at + 1, own, skipped: state.skipped + 1, isLoose };
  if (!isFree) yield* withText(call, options, state);
}

function* withThing(call: Call, thing: BoundThing, state: State): Generator<State> {
  const { at, values, target } = state;
  for (const { name, type } of target === undefined ? call.slots : []) {
    const value = valueOfThing(thing, name, type.kind === "text");
    if (value !== undefined && values[name] === undefined)
      yield { ...state, at: at + 1, values: { ...values, [name]: [value] }, target: name };
  }
}

function* withValue(call: Call, options: FillOptions, state: State): Generator<State> {
  const { at, values } = state;
  // A value ends before the next thing, which may be named "Friday".
  const until = Math.min(options.end, ...[...options.request.things.keys()].filter((place) => place >= at));
  for (const slot of call.slots) {
    if (values[slot.name] !== undefined || slot.name === options.keySlot) continue;
    if (slot.type.kind === "number" && mayBeOther(slot, options.request.words, at)) continue;
    for (const { value, end } of readingsAt(slot, options, at))
      if (end <= until) yield { ...state, at: end, values: { ...values, [slot.name]: [value] } };
  }
}

/** True for "by 3 degrees", "another 20 cm" and "two more", which add to the value from before, and for "at 8". */
function mayBeOther(slot: CallSlot, words: readonly string[], at: number): boolean {
  if (words[at - 1] === "at") return !leadsTo(slot, words, at);
  return /^(?:by|another)$/.test(words[at - 1] ?? "") || words[at + 1] === "more";
}

function* withText(call: Call, options: Filling, state: State): Generator<State> {
  const { request, end } = options;
  const { at, values } = state;
  // Only one text is read, because the border between two would be a guess.
  if (state.textWords > 0) return;
  const isQuote = request.tokens[at]?.kind === "quote";
  for (const slot of call.slots) {
    if (isReadable(slot.type) || values[slot.name] !== undefined) continue;
    const isList = slot.type.kind === "list";
    const isTold = options.takesText?.(slot, at) !== true;
    if (isTold && !isList && !isQuote) continue;
    const hasTold = state.hasTold || isTold;
    const isPart = (place: number) =>
      mayHold(request, place, isQuote) &&
      // In "Conti on the oven", a choice such as "oven" ends the name.
      (isQuote || !options.isValue(place)) &&
      !(options.isPlain && isPassed(request.words[place] ?? "", options));
    for (let next = at + 1; next <= end && isPart(next - 1); next++) {
      const said = textsIn(request, { start: at, end: next }, slot);
      const filled = isList && said !== undefined ? [said] : said;
      if (filled === undefined || !fitsSlot(slot, filled)) continue;
      yield { ...state, at: next, hasTold, textWords: next - at, values: { ...values, [slot.name]: filled } };
    }
  }
}

function fitsSlot({ type: { schema } }: CallSlot, values: readonly SlotValue[]): boolean {
  if (schema === undefined) return true;
  return values.every((value) => {
    const parsed = parseWith(schema, value);
    return parsed instanceof Promise || parsed.ok;
  });
}

function mayHold({ words, things, marks }: RequestText, at: number, isQuote: boolean): boolean {
  const isMarked = marks.some(({ kind, start, end }) => kind === "date" && start <= at && at < end);
  return !things.has(at) && !denials.has(words[at] ?? "") && (isQuote || !isMarked);
}

/** Fields whose texts may be sentences. */
export const sentenceNames = wordSet("title text subject summary message note content description query");

/** "Name is Walsh", "someone called Mori" and "Iris in the same firing" are not names. */
const notInNames = /(?:^| )(?:is|are|was|were|called|named|(?:in|on|at|by|with|from|until) (?:the|this|that))(?: |$)/;

function textsIn(request: RequestText, part: Part, { name, type }: CallSlot): readonly string[] | undefined {
  // "The shopping one" refers to something.
  if (/\bthe (?:\S+ )?ones?\b/.test(request.words.slice(part.start, part.end + 1).join(" "))) return undefined;
  const items = type.kind === "list" ? [[part]] : itemsOf([part], request);
  const wordsOf = (item: readonly Part[]) => item.flatMap(({ start, end }) => request.words.slice(start, end));
  // "Her sister, Mrs Mori" may be one person, and "but" is not a name.
  const isJoined = items?.length === 1 || wordsOf([part]).some((word) => word === "and" || word === "&");
  const isName = (item: readonly Part[]) =>
    !wordsOf(item).every(isSkipped) && (sentenceNames.has(name) || !notInNames.test(wordsOf(item).join(" ")));
  const texts = items?.map((item) => (isName(item) ? textOf(item, request) : undefined));
  return isJoined && texts?.every((text) => text !== undefined) ? texts : undefined;
}

function isPassed(word: string, { passes }: FillOptions): boolean {
  return isSkipped(word) || passes?.has(word) === true;
}

function isSkipped(word: string): boolean {
  return isArticle(word) || isFiller(word) || [emptyWords, lightVerbs, light].some((words) => words.has(word));
}

/** True for "another one" and "one with oarweed", where "one" is a pronoun. */
function isOne({ words }: RequestText, at: number, end: number): boolean {
  return words[at] === "one" && at > 0 && (at + 1 >= end || prepositions.has(words[at + 1] ?? ""));
}

function isPlaceWord(word: string): boolean {
  return ordinals.includes(word) || /^\d+(?:st|nd|rd|th)$/.test(word);
}

function readingsAt({ type, name }: CallSlot, options: FillOptions, at: number) {
  const { request, baseOf = timesOf(), start, end } = options;
  if (!isReadable(type)) return [];
  // "The third" is a place in a list, not the number 3.
  const isPlace = type.kind === "number" && (isPlaceWord(request.words[at] ?? "") || isOne(request, at, end));
  const plain = slotReadingsAt(type, request, at).flatMap((reading) =>
    reading.value === anaphor || isPlace ? [] : [{ value: reading.value as SlotValue, end: reading.end }],
  );
  const half = isDate(type) ? readHalfSaid(type, request, at, baseOf(name)) : [];
  // "An hour later" counts from the known time, never from now.
  const isShift = isDate(type) && saysShift(request.words.slice(start, end));
  const others = isShift ? [] : plain.filter((reading) => half.every((each) => each.end !== reading.end));
  return [...half, ...others].sort((one, other) => other.end - one.end);
}

export function spreadValues(values: Filled["values"]): readonly Readonly<Record<string, SlotValue>>[] {
  let all: Readonly<Record<string, SlotValue>>[] = [{}];
  for (const [name, each] of Object.entries(values))
    all = all.flatMap((record) => each.map((value) => ({ ...record, [name]: value }))).slice(0, maxCalls);
  return all;
}

export function withTarget(
  { slots, rule }: Call,
  { values: all, target }: Pick<Filled, "values" | "target">,
  { keyField, labelField, key, label, keyInputs }: KnownThing,
): Readonly<Record<string, SlotValue>> | undefined {
  const values = only(spreadValues(all));
  if (values === undefined || target !== undefined) return values;
  const keyed = slots.find(({ name }) => name === keyField || name === keyInputs.get(rule.tool.tool.name));
  if (keyed !== undefined) return { ...values, [keyed.name]: key };
  const labelled = slots.find(({ name, type }) => name === labelField && type.kind === "text" && !(name in values));
  return labelled === undefined || label === undefined ? undefined : { ...values, [labelled.name]: label };
}

export async function inputOf(
  rules: ToolRules,
  call: Call,
  values: Readonly<Record<string, SlotValue>>,
  context: { readonly request: RequestText; readonly thing?: KnownThing | undefined; readonly before?: JsonObject },
): Promise<JsonObject | undefined> {
  const { request, thing, before = {} } = context;
  const made = inputOfPhrase(call.rule, values, request.clock);
  const own = made && toStepInput(made, { schema: rules.schemas.input, known: [] });
  if (own === undefined) return undefined;
  const whole = { ...before, ...own };
  const input = thing === undefined ? whole : bindKey(rules, whole, thing);
  if (input === undefined) return undefined;
  if ((await issueOf(input, rules.tool, undefined)) === undefined) return input;
  // A new value may replace an old one in another field, as when a time replaces a day.
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(own, name)) continue;
    const { [name]: _, ...fewer } = input;
    if ((await issueOf(fewer, rules.tool, undefined)) === undefined) return fewer;
  }
  return undefined;
}

/** Escapes text from an output, so that a plan does not read it as a template. */
export function inPlan<T extends JsonValue | undefined>(value: T): T {
  return typeof value === "string" ? (escapeTemplate(value) as T) : value;
}

/** True if the thing shows every value to be replaced. If not, a second call, such as a sale, would add to the first. */
export function mayCorrect(step: DoneStep, { fields }: KnownThing, input: JsonObject): boolean {
  const changed = Object.keys(step.input).filter((name) => !isSameValue(inPlan(step.input[name]), input[name]));
  return changed.every((name) =>
    Object.entries(fields).some(
      ([own, value]) => isSameValue(value, step.input[name]) && (typeof value === "string" || own === name),
    ),
  );
}

export function bindKey(rules: ToolRules, input: JsonObject, thing: KnownThing): JsonObject | undefined {
  const field = thing.keyInputs.get(rules.tool.name);
  if (field === undefined) return undefined;
  const entries = Object.entries(input).filter(
    ([name, value]) => name === field || value !== inPlan(thing.label ?? thing.key),
  );
  const bound = { ...Object.fromEntries(entries), [field]: inPlan(thing.key) };
  const taken = schemasAt(rules.schemas.input, [field], bound) ?? [];
  return taken.length === 0 ? undefined : bound;
}

export function callsOf(rules: ToolRules, input: JsonObject): readonly Call[] {
  const isSame = ([name, value]: readonly [string, unknown]) =>
    canonicalJson(value) === canonicalJson(input[name] ?? null);
  return callsIn(rules).filter(({ rule }) => Object.entries(rule.fixed).every(isSame));
}
