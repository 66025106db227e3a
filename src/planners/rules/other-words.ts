import { schemasAt } from "../../core/json-schema.ts";
import { auxiliaries, functionWords, isPastVerb, isVerb, lightVerbs, prepositions, smallWords, verbsLike } from "../../english/word-classes.ts";
import { isNullable, type PhraseNode } from "../../language/phrases.ts";
import { stem } from "../../language/word-forms.ts";
import { tokenize } from "../../language/tokens.ts";
import { opensMessage, type FindMeanings, type Piece, piecesOf, type WorkMeter } from "./match.ts";
import { isContent, type OperationSlot, phraseEnd, wordsIn } from "./operation.ts";
import { type PhraseRule, sayName, type ToolRules } from "./phrase-rules.ts";
import { isCapital, type RequestText } from "./request.ts";
import { anaphor, isDate, isReadable, type SlotReading, type SlotType, slotReadingsAt, slotTypeOf } from "./slots.ts";
import { denials, isPlainText, type TextEdges } from "./texts.ts";

/*
 * Reads what no phrase fits: the words of an operation in any order, its values wherever they stand, and words that it does not know.
 * What is found is proposed, and planned only where it has no effect and leaves nothing over.
 */

/** One kind of call: the phrases that make the same of their slots. */
interface Frame {
  /** One of them, with the slots of all. */
  readonly rule: PhraseRule;
  readonly slots: readonly OperationSlot[];
  readonly rules: readonly PhraseRule[];
  /** By its stem, how much a word says that this is meant. */
  readonly words: ReadonlyMap<string, number>;
  /** The words of other calls, of this and other tools. */
  readonly otherWords: ReadonlySet<string>;
  /** True if it has a value that other calls of its operation say. */
  readonly isFixed: boolean;
  /** The stems of which each phrase has one each. */
  readonly phrases: readonly (readonly ReadonlySet<string>[])[];
  /** The slots that must be filled, one set of them. */
  readonly needs: readonly ReadonlySet<string>[];
}

/** One way to read words as a call. */
export interface OtherFit {
  readonly rule: PhraseRule;
  readonly cost: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
  /** The slot that it lacks. */
  readonly missing?: string;
  /** True if it is a phrase but for small words. */
  readonly isAlike: boolean;
}

/** What one token says by itself. */
const says = { phrase: 1, name: 0.8, like: 0.55, description: 0.5, field: 0.4 } as const;
/** A call is meant only if some word says so. */
const minSaid = 0.5;

const costs = {
  like: 10,
  hint: 15,
  small: 4,
  left: 40,
  other: 80,
  mark: 60,
  markInText: 30,
  value: 2,
  /** For a value or a text that nothing leads to. */
  bare: 12,
  unnamed: 25,
  text: 10,
  /** In a name of several words with capitals. */
  name: 5,
  behindName: 20,
  preposition: 14,
  sign: 20,
  ownWord: 25,
  verb: 30,
  /** For a name that ends before another word with a capital, and for one that is no plain text. */
  broken: 30,
  /** For one that ends before "and" and another. */
  joined: 10,
  unplain: 60,
  optional: 20,
  message: 2,
  /** A token of what may be a message. */
  opened: 6,
  order: 200,
  missing: 70,
  unsaid: 60,
  infinitive: 60,
  goesOn: 15,
} as const;
const maxMessageCost = 100;
const maxText = 12;
/** A colon behind so few words opens a message. */
const maxOpening = 8;
const fitsPerEnd = 2;
const maxFits = 6;
const maxThreads = 16;
const maxReadings = 16;

const framesOf = new WeakMap<ToolRules, readonly Frame[]>();

/** The calls of a tool, made when something is first proposed. */
function framesIn(tool: ToolRules): readonly Frame[] {
  const known = framesOf.get(tool);
  if (known !== undefined) return known;
  const groups = new Map<string, PhraseRule[]>();
  const makers = new Map<unknown, number>();
  for (const rule of tool.rules) {
    if (rule.hasSum || saysText(rule)) continue;
    const maker = makers.get(rule.source.toInput) ?? makers.size;
    makers.set(rule.source.toInput, maker);
    const key = JSON.stringify([maker, rule.fixed]);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  const all = [...groups.values()].map((rules) => ({ rules, own: wordsOfPhrases(rules) }));
  const frames = all.map(({ rules, own }): Frame => {
    const [first] = rules as [PhraseRule];
    const slots = new Map(rules.flatMap((rule) => [rule, ...rule.anywhere].flatMap((each) => [...each.slots])));
    const others = all.flatMap((each) => (each.own === own ? [] : [...each.own]));
    const needs = needsOf(tool, rules);
    const isNeeded = ([name]: readonly [string, SlotType]) => needs.every((names) => names.has(name));
    const beside = new Map([...slots].filter((slot) => !isNeeded(slot)));
    const { node, start } = first;
    return {
      rule: { ...first, slots: new Map([...slots].filter(isNeeded)), anywhere: [{ node, start, slots: beside, anywhere: [] }] },
      rules,
      slots: [...first.operation.slots.values()].filter(({ name }) => slots.has(name)),
      isFixed: all.length > 1 && Object.keys(first.fixed).some((name) => first.operation.slots.has(name)),
      words: lexiconOf(tool, rules, own),
      otherWords: new Set(others.filter((word) => !own.has(word))),
      phrases: rules.map(({ required }) => required.map((group) => new Set([...group].map(rootOf)))),
      needs,
    };
  });
  framesOf.set(tool, frames);
  return frames;
}

/** True for an example with a text that its sentence does not say. */
function saysText({ source, fixed, tool }: PhraseRule): boolean {
  if (source.toInput !== undefined) return false;
  return Object.entries(fixed).some(([name, value]) => {
    const schemas = schemasAt(tool.schemas.input, [name], fixed) ?? [];
    return typeof value === "string" && slotTypeOf(schemas).kind === "text";
  });
}

function wordsOfPhrases(rules: readonly PhraseRule[]): ReadonlySet<string> {
  return new Set(rules.flatMap(({ node }) => wordsIn(node).filter(saysSomething).map(rootOf)));
}

function lexiconOf({ tool }: ToolRules, rules: readonly PhraseRule[], own: ReadonlySet<string>): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (all: Iterable<string>, weight: number) => {
    for (const word of all) if (saysSomething(word)) words.set(rootOf(word), Math.max(weight, words.get(rootOf(word)) ?? 0));
  };
  for (const word of own) words.set(word, says.phrase);
  add([sayName(tool.name), ...Object.values(rules[0]?.fixed ?? {}).map(String)].flatMap((text) => text.split(" ")), says.name);
  const verbs = rules.flatMap(({ firstWords }) => [...firstWords]).filter((word) => !lightVerbs.has(word));
  add(verbs.flatMap(verbsLike).filter((word) => !lightVerbs.has(word)), says.like);
  add(tokenize(tool.description ?? "", 60).map(({ norm }) => norm), says.description);
  add(rules.flatMap(({ slots }) => [...slots.keys()]).flatMap((name) => sayName(name).split(" ")), says.field);
  return words;
}

/** The slots that must be filled: the fields that the schema requires or, where a function makes the input, those of a phrase. */
function needsOf({ schemas }: ToolRules, rules: readonly PhraseRule[]): readonly ReadonlySet<string>[] {
  const [first] = rules as [PhraseRule];
  if (first.source.toInput !== undefined) return rules.map(({ node }) => neededIn(node));
  const branches = schemasAt(schemas.input, [], first.fixed) ?? [];
  return branches.map(({ required }) => {
    const names = Array.isArray(required) ? required.map(String) : [];
    return new Set(names.filter((name) => !Object.hasOwn(first.fixed, name)));
  });
}

function neededIn(node: PhraseNode): ReadonlySet<string> {
  if (node.type === "slot") return new Set([node.name]);
  if (node.type === "word" || isNullable(node)) return new Set();
  const [first = new Set<string>(), ...others] = node.items.map(neededIn);
  if (node.type === "sequence") return new Set([first, ...others].flatMap((names) => [...names]));
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}

/** Also particles: to turn something on is not to turn it off. */
function saysSomething(word: string): boolean {
  return isContent(word) || particles.has(word);
}

const particles: ReadonlySet<string> = new Set("off out up down back away on".split(" "));

function rootOf(word: string): string {
  return stem(word);
}

/** A reading of the tokens so far. */
interface Thread {
  readonly cost: number;
  /** The slots that are filled, a bit each. */
  readonly filled: number;
  /** The slot whose text is open, and its first token. */
  readonly open: number;
  readonly openAt: number;
  readonly pieces: Piece | undefined;
  /** The most that a word said. */
  readonly said: number;
}

/** What a call makes of each token of a request. */
interface Reading extends Frame {
  readonly said: readonly number[];
}

/** Reads the wishes of a request in other words than those of the phrases. */
export class OtherWords {
  constructor(
    private readonly tools: readonly ToolRules[],
    private readonly request: RequestText,
    private readonly context: {
      readonly edges: TextEdges;
      readonly meaningsOf: FindMeanings;
      readonly work: WorkMeter;
    },
  ) {
    this.roots = request.words.map((word, at) => (request.tokens[at]?.kind === "word" && saysSomething(word) ? rootOf(word) : ""));
  }

  private known: readonly (Reading & { readonly all: number })[] | undefined;
  private readonly roots: readonly string[];

  /** The calls of which the request has a word. */
  private get readings(): readonly Reading[] {
    const all = this.tools.flatMap(framesIn);
    this.known ??= all.flatMap((frame) => {
      const said = this.request.words.map((_, at) => this.saidBy(frame, at));
      const isMeant = said.some((weight) => weight >= minSaid) || frame.slots.some((slot) => slot.isInfinitive || this.saysValue(slot));
      return isMeant ? [{ ...frame, said, all: said.reduce((sum, weight) => sum + weight, 0) }] : [];
    });
    const rank = ({ all, slots }: { readonly all: number } & Frame) => all + (slots.some(({ isInfinitive }) => isInfinitive) ? 1 : 0);
    if (this.known.length > maxReadings) this.known = this.known.toSorted((one, other) => rank(other) - rank(one)).slice(0, maxReadings);
    return this.known;
  }

  /** True if the request holds a value that says by itself which slot it is of. */
  private saysValue({ type }: OperationSlot): boolean {
    const { words, amounts } = this.request;
    if (type.kind === "enum") return words.some((word) => type.values?.has(word));
    return type.units !== undefined && [...amounts.values()].some(({ measures }) => measures.some(({ unit }) => type.units?.some(({ kind }) => kind === unit.kind)));
  }

  /** The same with the call that was said before: "…, and 15 to site 4". */
  goOnFrom(before: PhraseRule, pieces: readonly Piece[], starts: readonly number[], ends: ReadonlySet<number>, limit: number): readonly OtherFit[] {
    const frame = this.tools.flatMap(framesIn).find(({ rule }) => rule.tool === before.tool && rule.source.toInput === before.source.toInput && isSameInput(rule, before));
    if (frame === undefined || isDeed(this.request.words[Math.max(...starts)] ?? "")) return [];
    const said = this.request.words.map((_, at) => this.saidBy(frame, at));
    const filled = pieces.filter(({ kind, name, isMessage }) => kind === "slot" && isMessage !== true && frame.slots.some((slot) => slot.name === name));
    const fits = this.fitAll({ ...frame, said }, starts, ends, limit, filled);
    return fits.flatMap((fit) => {
      const own = fit.pieces.filter(({ kind }) => kind === "slot");
      const names = new Set(own.map(({ name }) => name));
      const lacking = frame.needs.map((needs) => [...needs].filter((name) => !names.has(name)));
      const [least = []] = lacking.sort((one, other) => one.length - other.length);
      const shared = filled.filter(({ name }) => least.includes(name ?? ""));
      return own.length === 0 ? [] : [{ ...fit, cost: fit.cost + costs.goesOn, pieces: [...shared, ...fit.pieces] }];
    });
  }

  private saidBy({ words }: Frame, at: number): number {
    const root = this.roots[at] ?? "";
    const weight = words.get(root) ?? 0;
    if (root === "" || weight > 0) return weight;
    const word = this.request.words[at] ?? "";
    return Math.max(0, ...this.context.meaningsOf(word).map((meaning) => 0.8 * (words.get(rootOf(meaning)) ?? 0)));
  }

  /** The ways to read the words from one of some tokens to one of some ends. */
  fitsFrom(starts: readonly number[], ends: ReadonlySet<number>, limit: number): readonly OtherFit[] {
    const fits = this.readings.flatMap((reading) => this.fitAll(reading, starts, ends, limit));
    const byEnd = new Map<number, OtherFit[]>();
    for (const fit of fits.sort((one, other) => one.cost - other.cost)) {
      const known = byEnd.get(fit.end) ?? [];
      byEnd.set(fit.end, known);
      if (known.length < maxFits) known.push(fit);
    }
    return [...byEnd.values()].flat();
  }

  private fitAll(reading: Reading, starts: readonly number[], ends: ReadonlySet<number>, limit: number, shared?: readonly Piece[]): readonly OtherFit[] {
    const first = Math.min(...starts);
    const verb = this.leadingVerb(reading, Math.max(...starts));
    const waiting: Map<number, Thread>[] = [];
    const push = (at: number, thread: Thread) => {
      if (at > limit && at < this.request.words.length) return;
      waiting[at - first] ??= new Map();
      const key = (thread.filled * 64 + thread.open + 1) * 8 + Math.round(thread.said * 4);
      const threads = waiting[at - first] as Map<number, Thread>;
      if ((threads.get(key)?.cost ?? Number.POSITIVE_INFINITY) > thread.cost) threads.set(key, thread);
    };
    for (const at of starts)
      push(at, { cost: at === Math.max(...starts) ? 0 : 5 * (Math.max(...starts) - at), filled: 0, open: -1, openAt: -1, pieces: undefined, said: shared === undefined ? 0 : 1 });
    const fits: OtherFit[] = [];
    const last = reading.slots.some(takesMessage) ? this.request.words.length : limit;
    for (let at = first; at <= last; at++) {
      const threads = [...(waiting[at - first]?.values() ?? [])].sort((one, other) => one.cost - other.cost).slice(0, maxThreads);
      this.context.work.spend(threads.length);
      const closed = threads.flatMap((thread) => (thread.open < 0 ? [thread] : (this.close(reading, thread, at) ?? [])));
      const found = ends.has(at) ? closed.flatMap((thread) => this.endOf(reading, thread, at, { verb, shared }) ?? []) : [];
      fits.push(...found.sort((one, other) => one.cost - other.cost).slice(0, fitsPerEnd));
      if (at >= limit) continue;
      for (const thread of threads) if (thread.open >= 0) this.extend(reading, thread, at, push);
      for (const thread of closed) this.goOn(reading, thread, at, { push, limit });
    }
    return fits;
  }

  /** The verb with which a wish begins, if it is of another deed. */
  private leadingVerb({ said, rule }: Reading, start: number): number | undefined {
    const word = this.request.words[start] ?? "";
    const isAsked = rule.tool.tool.declaredEffect === "pure" && asking.has(word);
    return isDeed(word) && !isAsked && (said[start] ?? 0) < minSaid ? start : undefined;
  }

  private goOn(reading: Reading, thread: Thread, at: number, { push, limit }: { push: (at: number, thread: Thread) => void; limit: number }): void {
    this.skip(reading, thread, at, push);
    for (const [place, slot] of reading.slots.entries()) {
      if ((thread.filled & (1 << place)) !== 0) continue;
      if (!isReadable(slot.type)) {
        this.open(reading, thread, at, { place, push, limit });
        continue;
      }
      for (const { value, end, isMeasured } of this.valuesAt(slot, at)) {
        if (end > limit) continue;
        const isPointer = value === anaphor;
        const cost = costs.value + (isPointer ? 8 : 0) + (isMeasured || isDate(slot.type) ? 0 : this.leadCost(slot, thread, at, end));
        const piece: Piece = { kind: "slot", start: at, end, name: slot.name, value, before: thread.pieces };
        const isSaid = !isPointer && (isMeasured || slot.type.kind === "enum");
        const said = isSaid ? Math.max(minSaid, thread.said) : thread.said;
        const next = { ...thread, cost: thread.cost + cost, filled: thread.filled | (1 << place), pieces: piece, said };
        push(end, next);
        if (!isPointer && !isDate(slot.type)) this.goOnWithValues(slot, next, end, { push, limit });
      }
    }
  }

  /** "Tickets 4, 5 and 6" */
  private goOnWithValues(slot: OperationSlot, thread: Thread, at: number, context: { push: (at: number, thread: Thread) => void; limit: number }): void {
    const { words } = this.request;
    const joint = /^(?:,|and|&)$/.test(words[at] ?? "") ? (words[at] === "," && words[at + 1] === "and" ? at + 2 : at + 1) : at;
    if (joint === at) return;
    for (const { value, end } of this.valuesAt(slot, joint)) {
      if (value === anaphor || end > context.limit) continue;
      const pieces: Piece = { kind: "slot", start: joint, end, name: slot.name, value, before: thread.pieces };
      const next = { ...thread, cost: thread.cost + costs.value, pieces };
      context.push(end, next);
      this.goOnWithValues(slot, next, end, context);
    }
  }

  /** The values of a slot that begin at a token; one of a few also in another form: "squatted". */
  private valuesAt(slot: OperationSlot, at: number): readonly SlotReading[] {
    let known = this.values.get(slot);
    if (known === undefined) this.values.set(slot, (known = []));
    return (known[at] ??= this.readValues(slot, at));
  }

  private readonly values = new Map<OperationSlot, (readonly SlotReading[])[]>();

  private readValues({ type }: OperationSlot, at: number): readonly SlotReading[] {
    const found = slotReadingsAt(type, this.request, at);
    const amount = this.request.amounts.get(at);
    // A field that says no unit takes any.
    if (type.kind === "number" && type.units === undefined && amount?.number !== undefined && amount.end > amount.number.end)
      return [{ value: amount.number.value, end: amount.end }];
    // A number is not read without its unit.
    if (type.kind === "number" && amount?.number !== undefined && amount.end > amount.number.end) return found.filter(({ isMeasured }) => isMeasured);
    const word = this.request.words[at] ?? "";
    if (type.kind !== "enum" || found.length > 0 || word.length < 4 || isVerb(word)) return found;
    return [...(type.values?.values() ?? [])].flat().flatMap(({ words, value }) =>
      words.length === 1 && rootOf(words[0] ?? "") === this.roots[at] ? [{ value, end: at + 1 }] : [],
    ).slice(0, 1);
  }

  /** What it costs that no word of the phrases leads to a value. */
  private leadCost({ leads, behind, type, name }: OperationSlot, { pieces }: Thread, at: number, end: number): number {
    const { words } = this.request;
    const before = pieces?.kind === "free" || pieces?.kind === "word" ? words.slice(Math.max(0, at - 3), at).filter((word) => !/^(?:the|a|an|my|our)$/.test(word)) : [];
    if (leads.some((lead) => lead.every((word, index) => before[before.length - lead.length + index] === word))) return 0;
    if (/^(?:called|named|titled|entitled)$/.test(before.at(-1) ?? "")) return /name|title|label|subject/i.test(name) ? 0 : costs.bare;
    if (behind.has(words[end] ?? "")) return 0;
    if (leads.length === 0 || type.kind === "enum") return 3;
    return costs.bare;
  }

  /** Passes a token that is in no slot. */
  private skip({ said, otherWords }: Reading, thread: Thread, at: number, push: (at: number, thread: Thread) => void): void {
    const { tokens, words, marks } = this.request;
    const word = words[at] ?? "";
    const weight = said[at] ?? 0;
    const pass = (kind: Piece["kind"], cost: number) =>
      push(at + 1, {
        ...thread,
        cost: thread.cost + cost,
        pieces: { kind, start: at, end: at + 1, before: thread.pieces },
        said: Math.max(thread.said, weight),
      });
    if (weight >= minSaid) pass("word", weight >= says.name ? 0 : costs.like);
    // What is denied is not proposed.
    else if (denials.has(word) && word !== "no") return;
    else if (marks.some(({ start, end, kind, isFirm }) => start <= at && at < end && (kind !== "date" || isFirm))) pass("left", costs.mark);
    else if (weight > 0) pass("word", costs.hint);
    else if (isSmall(word) || tokens[at]?.kind === "sign") pass("free", costs.small);
    else if (otherWords.has(this.roots[at] ?? "")) pass("left", isVerb(word) ? costs.order : costs.other);
    else pass("left", costs.left);
  }

  private open(reading: Reading, thread: Thread, at: number, { place, push, limit }: { place: number; push: (at: number, thread: Thread) => void; limit: number }): void {
    const slot = reading.slots[place] as OperationSlot;
    const { words } = this.request;
    const isInfinitive = thread.said < minSaid && thread.pieces === undefined && slot.isInfinitive && isVerb(words[at] ?? "");
    const isOptional = reading.needs.every((needs) => !needs.has(slot.name));
    const led = this.leadCost(slot, thread, at, at);
    const unnamed = isCapital(this.request, at) || this.request.tokens[at]?.kind === "quote" ? costs.bare : costs.unnamed;
    const lead = thread.pieces?.kind === "left" ? costs.unnamed * 2 : led === 0 ? 0 : unnamed + (isOptional ? costs.optional : 0);
    const filled = thread.filled | (1 << place);
    const isOpened = opensMessage.has(words[at - 1] ?? "") || this.request.tokens[at]?.kind === "quote";
    const takes = takesMessage(slot);
    // What may be left out is not guessed.
    if (isOptional && led > 0 && takes !== "always" && this.request.tokens[at]?.kind !== "quote") return;
    if ((takes === "always" || (takes === "opened" && isOpened)) && at < words.length) {
      const opener = isOpened ? -1 : words.slice(at, at + maxOpening).findIndex((word) => opensMessage.has(word));
      const isLater = opener >= 0 && (opener < 3 || words[at + opener] === ":");
      const begins = opensMessage.has(words[at] ?? "") || polite.has(words[at] ?? "") || this.request.tokens[at]?.kind === "sign" ? costs.broken : 0;
      const cost = thread.cost + lead + this.breakCost(at) + begins + (isLater ? costs.broken : 0) + Math.min(maxMessageCost, (takes === "always" ? costs.message : costs.opened) * (words.length - at));
      const piece: Piece = { kind: "slot", start: at, end: words.length, name: slot.name, isMessage: true, before: thread.pieces };
      push(words.length, { ...thread, cost, filled, pieces: piece });
    }
    if (takes === "always" || at >= limit || !this.context.edges.mayBegin(at)) return;
    const cost = thread.cost + lead + this.textCost(reading, at, at, slot) + (isInfinitive ? costs.infinitive : 0);
    push(at + 1, { ...thread, cost, filled, open: place, openAt: at, said: isInfinitive ? minSaid : thread.said });
  }

  /** What it costs to begin or end a text within a name: "Ada Lovelace", "Mrs van der Berg", "Dombey and Son". */
  private breakCost(at: number): number {
    const { words } = this.request;
    const [before = "", word = ""] = [words[at - 1], words[at]];
    if (nameParts.has(word) || titles.has(before)) return costs.broken;
    if (!isCapital(this.request, at - 1)) return 0;
    if (isCapital(this.request, at)) return costs.broken;
    return /^(?:&|and)$/.test(word) && isCapital(this.request, at + 1) ? costs.joined : 0;
  }

  private textCost({ said }: Reading, at: number, from: number, { leads }: OperationSlot): number {
    const { words, marks, tokens } = this.request;
    const word = words[at] ?? "";
    if (tokens[at]?.kind === "quote" || isCapital(this.request, at)) return costs.name;
    if (denials.has(word) && word !== "no") return costs.order;
    if ((said[at] ?? 0) >= says.name) return costs.ownWord;
    if (questionWords.has(word)) return costs.order;
    if (auxiliaries.has(word) || subjects.has(word) || (at > from && isPastVerb(word))) return costs.verb;
    if (marks.some(({ start, end }) => start <= at && end > at)) return costs.markInText;
    const isWithinName = at > from && isCapital(this.request, at - 1) && isCapital(this.request, at + 1);
    if (isWithinName) return costs.name;
    if (tokens[at]?.kind === "sign") return costs.sign;
    // "Ellie Brandt back": a name with capitals has none behind it.
    const isBehindName = at > from && isCapital(this.request, at - 1);
    if (!prepositions.has(word)) return isBehindName ? costs.behindName : costs.text;
    // What a preposition leads in would begin behind it.
    return at === from || leads.some((lead) => lead.at(-1) === word) ? costs.broken : costs.preposition;
  }

  private extend(reading: Reading, thread: Thread, at: number, push: (at: number, thread: Thread) => void): void {
    const { tokens } = this.request;
    if (at - thread.openAt >= maxText || !this.context.edges.mayHold(at)) return;
    if (tokens[thread.openAt]?.kind === "quote") return;
    const slot = reading.slots[thread.open] as OperationSlot;
    push(at + 1, { ...thread, cost: thread.cost + this.textCost(reading, at, thread.openAt, slot) });
  }

  private close(reading: Reading, thread: Thread, at: number): Thread | undefined {
    const { words } = this.request;
    const { openAt } = thread;
    if (!this.context.edges.mayEnd(at) || (at === openAt + 1 && /^[a-z]$/.test(words[openAt] ?? ""))) return undefined;
    const { name } = reading.slots[thread.open] as OperationSlot;
    const piece: Piece = { kind: "slot", start: openAt, end: at, name, before: thread.pieces };
    const cost = thread.cost + this.breakCost(at) + (isPlainText(this.request, openAt, at) ? 0 : costs.unplain);
    return { ...thread, cost, open: -1, openAt: -1, pieces: piece };
  }

  private endOf(
    reading: Reading,
    { cost, pieces, said }: Thread,
    end: number,
    { verb, shared = [] }: { readonly verb: number | undefined; readonly shared: readonly Piece[] | undefined },
  ): OtherFit | undefined {
    if (said < minSaid) return undefined;
    const all = piecesOf(pieces);
    // What is to be done is said by the call, or is what the call takes.
    const holds = ({ start, end, name: slot, value, isMessage = false }: Piece) =>
      verb !== undefined && start <= verb && end > verb && slot !== undefined &&
      (isMessage || value !== undefined || this.request.tokens[start]?.kind === "quote" || reading.slots.some((each) => each.name === slot && each.isInfinitive));
    if (verb !== undefined && !all.some(holds)) return undefined;
    const names = new Set([...shared, ...all].flatMap(({ kind, name }) => (kind === "slot" && name !== undefined ? [name] : [])));
    const lacking = reading.needs.map((needs) => [...needs].filter((name) => !names.has(name)));
    const [least = []] = lacking.sort((one, other) => one.length - other.length);
    if (least.length > 1) return undefined;
    const [missing] = least;
    const unsaid = shared.length > 0 ? 0 : this.unsaidShare(reading, all);
    return {
      rule: reading.rule,
      cost: cost + (reading.isFixed ? 2 : 1) * costs.unsaid * unsaid + (missing === undefined ? 0 : costs.missing),
      end,
      isAlike: missing === undefined && unsaid === 0 && reading.rules.some((rule) => this.isInOrder(rule, all)),
      pieces: all,
      ...(missing !== undefined && { missing }),
    };
  }

  /** True if the words and values stand in the order of a phrase. */
  private isInOrder({ node, anywhere }: PhraseRule, pieces: readonly Piece[]): boolean {
    const items = itemsOf(node);
    const beside = new Set(anywhere.flatMap(({ slots }) => [...slots.keys()]));
    let from = 0;
    for (const { kind, name, start } of pieces) {
      if (kind === "free" && questionWords.has(this.request.words[start] ?? "")) return false;
      if (kind === "free" || (name !== undefined && beside.has(name))) continue;
      const said = name ?? this.roots[start] ?? "";
      const meanings = kind === "word" ? this.context.meaningsOf(this.request.words[start] ?? "").map(rootOf) : [];
      const at = items.findIndex((item, index) => index >= from && (item === (name === undefined ? said : `{${name}}`) || meanings.includes(item)));
      if (at < 0) return false;
      from = at;
    }
    return true;
  }

  /** The share of the words of the nearest phrase that are not said. */
  private unsaidShare({ phrases }: Reading, pieces: readonly Piece[]): number {
    const said = new Set(
      pieces.flatMap(({ kind, start }) => {
        const word = this.request.words[start] ?? "";
        return kind === "word" || kind === "free" ? [word, ...this.context.meaningsOf(word)].map(rootOf) : [];
      }),
    );
    const shares = phrases.map((groups) => groups.filter((group) => ![...group].some((word) => said.has(word))).length / Math.max(1, groups.length));
    return Math.min(1, ...shares);
  }
}

/** True for a word that says what to do. */
function isDeed(word: string): boolean {
  return isVerb(word) || verbsLike(word).length > 1;
}

function isSameInput({ fixed }: PhraseRule, before: PhraseRule): boolean {
  return JSON.stringify(fixed) === JSON.stringify(before.fixed);
}

/** The stems of words, and the slots, of a phrase as they are written. */
function itemsOf(node: PhraseNode): readonly string[] {
  if (node.type === "word") return [rootOf(node.word)];
  return node.type === "slot" ? [`{${node.name}}`] : node.items.flatMap(itemsOf);
}

/** Verbs with which anything is asked for. */
const asking: ReadonlySet<string> = new Set("show list display see view get give find tell check read fetch pull bring look search".split(" "));

function isSmall(word: string): boolean {
  return functionWords.has(word) || prepositions.has(word) || smallWords.has(word) || polite.has(word);
}

const questionWords: ReadonlySet<string> = new Set("what when where who how why which".split(" "));
const subjects: ReadonlySet<string> = new Set("i we you he she they".split(" "));

const nameParts: ReadonlySet<string> = new Set("van von der den de di da del la le el al bin".split(" "));
const titles: ReadonlySet<string> = new Set("mr mrs ms miss dr prof sir madam lady lord frau herr monsieur madame st coach uncle aunt".split(" "));
const polite: ReadonlySet<string> = new Set("please hi hey hello thanks thank ok okay so well would could want need like really quick quickly kindly also then too actually maybe right sure cheers how what when where who why much many".split(" "));

/** True for a slot whose words may be taken as they are, to the end; `always` if they are. */
function takesMessage({ type, leads, behind }: OperationSlot): "always" | "opened" | undefined {
  if (type.kind !== "text" || type.text === "name" || type.text === "word" || !behind.has(phraseEnd)) return undefined;
  const isOpened = leads.some((lead) => opensMessage.has(lead.at(-1) ?? ""));
  return type.text === "message" || (isOpened && behind.size === 1) ? "always" : "opened";
}
