import { remembered } from "../../core/remembered.ts";
import {
  auxiliaries,
  isPastVerb,
  isVerb,
  opensMessage,
  prepositions,
  questionWords,
  smallWords,
  titles,
  verbsLike,
} from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { once } from "../../language/phrases.ts";
import { stem } from "../../language/word-forms.ts";
import { sayName } from "../../plan/say-call.ts";
import { type Call, type CallSlot, callsIn, itemsIn, lackingOf, leadsTo, says, saysSomething } from "./calls.ts";
import { quantifiers, textOf } from "./items.ts";
import { byCost, type FindMeanings, type Piece, piecesOf, type WorkMeter } from "./match.ts";
import { wordsIn } from "./operation.ts";
import type { PhraseRule, ToolRules } from "./phrase-rules.ts";
import { isCapital, onceEach, type RequestText } from "./request.ts";
import type { Match } from "./slot-values.ts";
import { anaphor, isDate, isReadable, type SlotReading, slotReadingsAt } from "./slots.ts";
import { denials, isPlainText, type TextEdges } from "./texts.ts";

// Reads the words and values of a call in any order. See docs/decisions/proposals.md.

export interface OtherFit extends Pick<Match, "rule" | "cost" | "end" | "pieces" | "missing"> {
  isAlike(): boolean;
}

export interface OtherRange {
  readonly starts: readonly number[];
  readonly ends: ReadonlySet<number>;
  readonly limit: number;
}

const costs = {
  ...{ like: 10, hint: 15, small: 4, courtesy: 5 },
  /** Unused words. `mark`: a value; `other` and `order`: a word and a verb of another call; `left`: any other word. */
  ...{ left: 40, other: 80, order: 200, mark: 60 },
  ...{ value: 2, pointer: 8, choice: 3 },
  /** Values (`bare`) and texts (`unnamed`) without a leading word. `afterLeft`: texts after an unused word. */
  ...{ bare: 12, unnamed: 25, afterLeft: 50, optional: 20 },
  ...{ text: 10, name: 5, behindName: 20, preposition: 14, sign: 20, markInText: 30, ownWord: 25, verb: 30 },
  ...{ broken: 30, joined: 10, unplain: 60 },
  ...{ message: 2, opened: 6, maxMessage: 100 },
  empty: 60,
  ...{ missing: 45, unsaid: 60, infinitive: 60, goesOn: 15 },
} as const;
const minSaid = 0.5;
const maxText = 12;
const maxOpening = 8;
const fitsPerEnd = 2;
const maxFits = 4;
const maxThreads = 8;
const maxCalls = 5;
const maxCost = 160;

interface Thread {
  readonly cost: number;
  readonly filled: number;
  /** Index of the slot whose text is open, or -1. */
  readonly open: number;
  readonly openAt: number;
  readonly pieces: Piece | undefined;
  readonly said: number;
}

export class OtherWords {
  readonly roots: readonly string[];
  readonly isMark: boolean[];

  constructor(
    private readonly tools: readonly ToolRules[],
    readonly request: RequestText,
    readonly edges: TextEdges,
    private readonly meaningsOf: FindMeanings,
    readonly work: WorkMeter,
  ) {
    const { words, tokens, marks } = request;
    this.roots = words.map((word, at) => (tokens[at]?.kind === "word" && saysSomething(word) ? stem(word) : ""));
    this.isMark = words.map(() => false);
    for (const { kind, start, end, isFirm } of marks) if (kind !== "date" || isFirm) this.isMark.fill(true, start, end);
  }

  readonly #charts = once((): readonly Chart[] => {
    const all = this.tools.flatMap(callsIn).map((call) => new Chart(call, this));
    const meant = all.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
    return meant.slice(0, maxCalls);
  });

  fitsFrom(range: OtherRange): readonly OtherFit[] {
    const fits = this.#charts().flatMap((chart) => chart.fit(range));
    const counts = new Map<number, number>();
    return fits.sort(byCost).filter(({ end }) => {
      const count = (counts.get(end) ?? 0) + 1;
      counts.set(end, count);
      return count <= maxFits;
    });
  }

  goOnFrom({ rule, pieces }: Pick<Match, "rule" | "pieces">, range: OtherRange): readonly OtherFit[] {
    const isSame = (each: Call) =>
      each.rule.operation === rule.operation &&
      each.rule.source.toInput === rule.source.toInput &&
      JSON.stringify(each.rule.fixed) === JSON.stringify(rule.fixed);
    const call = callsIn(rule.tool).find(isSame);
    if (call === undefined || this.isDeed(Math.max(...range.starts))) return [];
    const chart = this.#charts().find((each) => each.call === call) ?? new Chart(call, this);
    const isOwn = ({ kind, name, isMessage }: Piece) =>
      kind === "slot" && isMessage !== true && call.slots.some((slot) => slot.name === name);
    const before = pieces.filter(isOwn);
    return chart.fit(range, before).flatMap((fit) => {
      const own = new Set(fit.pieces.flatMap(({ kind, name }) => (kind === "slot" ? [name ?? ""] : [])));
      const [least = []] = lackingOf(call, own);
      const shared = before.filter(({ name }) => least.includes(name ?? ""));
      return own.size === 0 ? [] : [{ ...fit, cost: fit.cost + costs.goesOn, pieces: [...shared, ...fit.pieces] }];
    });
  }

  readonly meanings = onceEach((at: number) => this.meaningsOf(this.request.words[at] ?? "").map(stem));

  isDeed(at: number): boolean {
    const word = this.request.words[at] ?? "";
    return (
      isVerb(word) ||
      verbsLike(word).length > 1 ||
      (word === "new" && /^(?:an?|[,.!])?$/.test(this.request.words[at - 1] ?? ""))
    );
  }

  readonly readingsOf = remembered((type: CallSlot["type"]) => onceEach((at: number) => readLoosely(type, this, at)));

  readonly isPlain = onceEach((start: number) => onceEach((end: number) => isPlainText(this.request, start, end)));

  /** Makes it costly to split "Ada Lovelace", "Mrs van der Berg" and "Dombey and Son". */
  breakCost(at: number): number {
    const { words } = this.request;
    const [before = "", word = ""] = [words[at - 1], words[at]];
    if (nameParts.has(word) || titles.has(before)) return costs.broken;
    if (!isCapital(this.request, at - 1)) return 0;
    if (isCapital(this.request, at)) return costs.broken;
    return /^(?:&|and)$/.test(word) && isCapital(this.request, at + 1) ? costs.joined : 0;
  }
}

interface ChartValue extends SlotReading {
  readonly cost: number;
  readonly place: number;
  readonly isTelling: boolean;
  readonly isSure: boolean;
}

interface Reach {
  readonly push: Push;
  readonly limit: number;
}

interface Opening {
  readonly lead: number;
  readonly message: number | undefined;
  readonly text: number | undefined;
  readonly isInfinitive: boolean;
}

const nowhere: Opening = { lead: 0, message: undefined, text: undefined, isInfinitive: false };

type Push = (at: number, thread: Thread) => void;

class Chart {
  readonly rank: number;
  readonly #said: readonly number[];
  readonly #texts: readonly number[];
  readonly #request: RequestText;

  constructor(
    readonly call: Call,
    private readonly text: OtherWords,
  ) {
    this.#request = text.request;
    const { words } = text.request;
    this.#said = text.roots.map((_, at) => this.#saidBy(at));
    this.#texts = call.slots.flatMap(({ type }, place) => (isReadable(type) ? [] : [place]));
    const most = new Map(text.roots.map((root, at) => [root, this.#said[at] ?? 0]));
    const all = [...most.values()].reduce((sum, weight) => sum + (weight < minSaid ? 0 : weight), 0);
    const telling = call.slots.filter(({ type }) => saysValue(type, text.request)).length;
    const isTodo = call.slots.some(({ isInfinitive }) => isInfinitive) && words.some(isVerb);
    const isMeant = isTodo || all + telling > 0;
    const unsaid = isMeant ? Math.min(...call.phrases.map(({ required }) => shareUnsaid(required, most))) : 0;
    this.rank = isMeant ? 2 + all + telling / 2 - unsaid + (isTodo ? 1 : 0) : 0;
  }

  #saidBy(at: number): number {
    const { weights } = this.call;
    const root = this.text.roots[at] ?? "";
    const weight = weights.get(root) ?? 0;
    if (root === "" || weight > 0) return weight;
    return Math.max(0, ...this.text.meanings(at).map((meaning) => 0.8 * (weights.get(meaning) ?? 0)));
  }

  /** `before`: the values of an earlier call, if the words continue that call. */
  fit({ starts, ends, limit }: OtherRange, before?: readonly Piece[]): readonly OtherFit[] {
    const { words } = this.#request;
    const [first, content] = [Math.min(...starts), Math.max(...starts)];
    const verb = this.#otherDeed(content);
    const waiting: Map<number, Thread>[] = [];
    const push: Push = (at, thread) => {
      if ((at > limit && at < words.length) || thread.cost > maxCost) return;
      const key = (thread.filled * 32 + thread.open + 1) * 8 + Math.round(thread.said * 4);
      const threads = waiting[at - first] ?? new Map();
      waiting[at - first] = threads;
      if ((threads.get(key)?.cost ?? Number.POSITIVE_INFINITY) > thread.cost) threads.set(key, thread);
    };
    for (const at of starts) {
      const cost = costs.courtesy * (content - at);
      push(at, { cost, filled: 0, open: -1, openAt: -1, pieces: undefined, said: before === undefined ? 0 : 1 });
    }
    const fits: OtherFit[] = [];
    const last = this.call.slots.some(({ message }) => message !== undefined) ? words.length : limit;
    for (let at = first; at <= last; at++) {
      const arrived = waiting[at - first];
      if (arrived === undefined) continue;
      const threads = [...arrived.values()].sort(byCost).slice(0, maxThreads);
      this.text.work.spend(threads.length);
      const closed = threads.flatMap((thread) => (thread.open < 0 ? [thread] : (this.#close(thread, at) ?? [])));
      if (ends.has(at)) {
        const cheapest = closed.filter(({ said }) => said >= minSaid).sort(byCost);
        const likely = cheapest.slice(0, 2 * fitsPerEnd);
        const found = likely.flatMap((thread) => this.#endOf(thread, at, { verb, before }) ?? []);
        fits.push(...found.sort(byCost).slice(0, fitsPerEnd));
      }
      if (at >= limit) continue;
      for (const thread of threads) if (thread.open >= 0) this.#extend(thread, at, push);
      for (const thread of closed) this.#goOn(thread, at, { push, limit });
    }
    return fits;
  }

  #otherDeed(start: number): number | undefined {
    const isAsked = this.call.rule.tool.tool.declaredEffect === "pure" && asking.has(this.#request.words[start] ?? "");
    const roots = [this.text.roots[start] ?? "", ...this.text.meanings(start)];
    const isOwn = roots.some((root) => this.call.leads.has(root));
    return this.text.isDeed(start) && !isAsked && !isOwn ? start : undefined;
  }

  #goOn(thread: Thread, at: number, range: Reach): void {
    this.#pass(thread, at, range.push);
    for (const found of this.#valuesAt(at))
      if ((thread.filled & (1 << found.place)) === 0) this.#fill(thread, at, found, range);
    for (const place of this.#texts) if ((thread.filled & (1 << place)) === 0) this.#open(thread, at, place, range);
  }

  #pass(thread: Thread, at: number, push: Push): void {
    const { tokens, words } = this.#request;
    const word = words[at] ?? "";
    const weight = this.#said[at] ?? 0;
    const take = (kind: Piece["kind"], cost: number) => {
      const pieces: Piece = { kind, start: at, end: at + 1, before: thread.pieces };
      push(at + 1, { ...thread, cost: thread.cost + cost, pieces, said: Math.max(thread.said, weight) });
    };
    if (weight >= minSaid) take("word", weight >= says.name ? 0 : costs.like);
    else if (denials.has(word) && word !== "no") return;
    else if (this.text.isMark[at]) take("left", costs.mark);
    else if (weight > 0) take("word", costs.hint);
    else if (isSmall(word) || tokens[at]?.kind === "sign" || quantifiers.has(word)) take("free", costs.small);
    else if (this.call.otherWords.has(this.text.roots[at] ?? ""))
      take("left", isVerb(word) ? costs.order : costs.other);
    else take("left", costs.left);
  }

  readonly #valuesAt = onceEach((at: number): readonly ChartValue[] =>
    this.call.slots.flatMap((slot, place) => this.#readValues(slot, place, at)),
  );

  #readValues(slot: CallSlot, place: number, at: number): readonly ChartValue[] {
    const { type } = slot;
    if (!isReadable(type)) return [];
    const all = this.text.readingsOf(type)(at);
    const amount = type.units === undefined && takesMoney.test(slot.name) ? this.#request.amounts.get(at) : undefined;
    // A money slot without a currency takes any currency.
    const isMoney = amount?.number !== undefined && amount.measures.some(({ unit }) => unit.isMoney);
    const money = isMoney ? [{ value: amount.number?.value ?? 0, end: amount.end }] : [];
    return [...all, ...money].map((reading: SlotReading) => {
      const isPointer = reading.value === anaphor;
      const isLed = reading.isMeasured === true || isDate(type) || leadsTo(slot, this.#request.words, at);
      const isFollowed = slot.behind.has(this.#request.words[reading.end] ?? "");
      const unled = slot.leads.length === 0 || type.kind === "enum" ? costs.choice : costs.bare;
      const lead = isLed || isFollowed ? 0 : unled;
      const isTelling = !isPointer && (reading.isMeasured === true || type.kind === "enum");
      const isSure =
        (lead === 0 || lead === costs.choice || this.#isOnlyNumber(type, at)) && this.#isOwnForm(slot, reading, at);
      return { ...reading, place, isTelling, isSure, cost: costs.value + lead + (isPointer ? costs.pointer : 0) };
    });
  }

  #isOnlyNumber({ kind }: CallSlot["type"], at: number): boolean {
    const isDigits = kind === "number" && /^\d/.test(this.#request.words[at] ?? "");
    return isDigits && this.call.slots.filter(({ type }) => type.kind === "number").length === 1;
  }

  #isOwnForm({ type, behind }: CallSlot, { isMeasured = false }: SlotReading, at: number): boolean {
    if (type.kind === "enum") return slotReadingsAt(type, this.#request, at).length > 0;
    if (type.kind !== "number") return true;
    const isUnit = (word: string) =>
      word !== "percent" && word !== "%" && type.units?.some(({ names }) => names.includes(word));
    return (isMeasured || ![...behind].some(isUnit)) && this.#request.words[at] !== "one";
  }

  #fill(thread: Thread, at: number, found: ChartValue, { push, limit }: Reach): void {
    const { value, end, cost, place, isTelling } = found;
    if (end > limit) return;
    const name = this.call.slots[place]?.name ?? "";
    const pieces: Piece = { kind: "slot", start: at, end, name, value, before: thread.pieces };
    const said = isTelling ? Math.max(minSaid, thread.said) : thread.said;
    const next = { ...thread, cost: thread.cost + cost, filled: thread.filled | (1 << place), pieces, said };
    push(end, next);
    const joint = this.#jointEnd(end);
    if (value === anaphor || joint === end) return;
    for (const another of this.#valuesAt(joint))
      if (another.place === place && another.value !== anaphor) this.#fill(next, joint, another, { push, limit });
  }

  #jointEnd(at: number): number {
    const { words } = this.#request;
    if (!/^(?:,|and|&)$/.test(words[at] ?? "")) return at;
    return words[at] === "," && words[at + 1] === "and" ? at + 2 : at + 1;
  }

  #open(thread: Thread, at: number, place: number, { push, limit }: Reach): void {
    const slot = this.call.slots[place];
    if (slot === undefined) return;
    const opening = this.#openingOf(slot)(at);
    const { lead, message, text } = opening;
    if (message === undefined && text === undefined) return;
    const filled = thread.filled | (1 << place);
    const cost = thread.cost + (thread.pieces?.kind === "left" ? costs.afterLeft : lead);
    if (message !== undefined) {
      const end = this.#request.words.length;
      const pieces: Piece = { kind: "slot", start: at, end, name: slot.name, isMessage: true, before: thread.pieces };
      push(end, { ...thread, cost: cost + message, filled, pieces });
    }
    if (text === undefined || at >= limit) return;
    const isInfinitive = opening.isInfinitive && thread.said < minSaid && thread.pieces === undefined;
    const said = isInfinitive ? minSaid : thread.said;
    const opened = { filled, open: place, openAt: at, said };
    push(at + 1, { ...thread, ...opened, cost: cost + text + (isInfinitive ? costs.infinitive : 0) });
  }

  readonly #openingOf = remembered((slot: CallSlot) => onceEach((at: number) => this.#openingAt(slot, at)));

  #openingAt(slot: CallSlot, at: number): Opening {
    const { request, edges } = this.text;
    const { words, tokens } = request;
    const isQuote = tokens[at]?.kind === "quote";
    const isLed = leadsTo(slot, this.#request.words, at);
    if (slot.isOptional && !isLed && !isQuote && slot.message !== "always") return nowhere;
    const unnamed = isCapital(request, at) || isQuote ? costs.bare : costs.unnamed;
    const lead = isLed ? 0 : unnamed + (slot.isOptional ? costs.optional : 0);
    const isOpened = isQuote || opensMessage.has(words[at - 1] ?? "");
    const isMessage = slot.message === "always" || (slot.message === "opened" && isOpened);
    const each = slot.message === "always" ? costs.message : costs.opened;
    const length = Math.min(costs.maxMessage, each * (words.length - at));
    const message = length + this.text.breakCost(at) + this.#openCost(at, isOpened);
    const text = slot.message !== "always" && edges.mayBegin(at) ? this.#textCost(at, at, slot) : undefined;
    const isInfinitive = slot.isInfinitive && isVerb(words[at] ?? "");
    return { lead, message: isMessage ? message : undefined, text, isInfinitive };
  }

  #openCost(at: number, isOpened: boolean): number {
    const { words, tokens } = this.#request;
    const word = words[at] ?? "";
    const isBad = opensMessage.has(word) || polite.has(word) || tokens[at]?.kind === "sign";
    const opener = isOpened ? -1 : words.slice(at, at + maxOpening).findIndex((each) => opensMessage.has(each));
    const isLater = opener >= 0 && (opener < 3 || words[at + opener] === ":");
    return (isBad ? costs.broken : 0) + (isLater ? costs.broken : 0);
  }

  #textCost(at: number, from: number, { leads }: CallSlot): number {
    const { request, isMark } = this.text;
    const { words, tokens } = request;
    const word = words[at] ?? "";
    if (tokens[at]?.kind === "quote" || isCapital(request, at)) return costs.name;
    if (asksOrDenies.has(word)) return costs.order;
    if ((this.#said[at] ?? 0) >= says.name) return costs.ownWord;
    if (ofClauses.has(word) || (at > from && isPastVerb(word))) return costs.verb;
    if (isMark[at]) return costs.markInText;
    const isBehindName = at > from && isCapital(request, at - 1);
    if (isBehindName && isCapital(request, at + 1)) return costs.name;
    if (tokens[at]?.kind === "sign") return costs.sign;
    if (!prepositions.has(word)) return isBehindName ? costs.behindName : costs.text;
    const isLead = leads.some((lead) => lead.at(-1) === word);
    return isLead || at === from ? costs.broken : costs.preposition;
  }

  #extend(thread: Thread, at: number, push: Push): void {
    const { openAt, open } = thread;
    const { request, edges } = this.text;
    const slot = this.call.slots[open];
    const isFull = at - openAt >= maxText || request.tokens[openAt]?.kind === "quote";
    if (slot === undefined || isFull || !edges.mayHold(at)) return;
    push(at + 1, { ...thread, cost: thread.cost + this.#textCost(at, openAt, slot) });
  }

  #close(thread: Thread, at: number): Thread | undefined {
    const { openAt, open } = thread;
    const isLetter = at === openAt + 1 && /^[a-z]$/.test(this.#request.words[openAt] ?? "");
    const part = [{ start: openAt, end: at }];
    if (isLetter || !this.text.edges.mayEnd(at) || textOf(part, this.#request) === undefined) return undefined;
    const { name = "", type } = this.call.slots[open] ?? {};
    const pieces: Piece = { kind: "slot", start: openAt, end: at, name, before: thread.pieces };
    const isLong = type?.text === "word" && at > openAt + 1 && !isCapital(this.#request, at - 1);
    const isPlain = this.text.isPlain(openAt)(at) && !isLong;
    const cost = thread.cost + this.text.breakCost(at) + (isPlain ? 0 : costs.unplain);
    return { ...thread, cost, open: -1, openAt: -1, pieces };
  }

  #endOf(
    { cost, pieces: last, filled }: Thread,
    end: number,
    { verb, before }: { readonly verb: number | undefined; readonly before: readonly Piece[] | undefined },
  ): OtherFit | undefined {
    const { call } = this;
    const names = new Set(call.slots.flatMap(({ name }, place) => ((filled & (1 << place)) === 0 ? [] : [name])));
    for (const { name } of before ?? []) names.add(name ?? "");
    const [lacking = []] = lackingOf(call, names);
    const [missing] = lacking;
    if (lacking.length > 1) return undefined;
    const pieces = piecesOf(last);
    if (verb !== undefined && !pieces.some((piece) => this.#holdsDeed(piece, verb))) return undefined;
    const spoken = pieces.filter(({ kind }) => kind === "word" || kind === "free");
    const roots = new Set(spoken.flatMap(({ start }) => this.#meaningsAt(start)));
    const unsaid = before ? 0 : Math.min(...call.phrases.map(({ required }) => shareUnsaid(required, roots)));
    const lackCost = missing !== undefined ? costs.missing : filled === 0 && call.isDestructive ? costs.empty : 0;
    return {
      ...{ rule: call.rule, end, pieces, ...(missing !== undefined && { missing }) },
      cost: cost + (call.isFixed ? 2 : 1) * costs.unsaid * unsaid + lackCost,
      isAlike: () => missing === undefined && unsaid === 0 && this.#isAlike(pieces),
    };
  }

  #meaningsAt(at: number): readonly string[] {
    return [stem(this.#request.words[at] ?? ""), ...this.text.meanings(at)];
  }

  #holdsDeed({ kind, start, end, name, value, isMessage = false }: Piece, verb: number): boolean {
    if (kind !== "slot" || start > verb || end <= verb) return false;
    if (isMessage || value !== undefined || this.#request.tokens[start]?.kind === "quote") return true;
    return this.call.slots.some((slot) => slot.name === name && slot.isInfinitive);
  }

  #isAlike(pieces: readonly Piece[]): boolean {
    const { words } = this.#request;
    const isSure = ({ kind, start, end, name, value, isMessage = false }: Piece) => {
      if (kind !== "slot" || isMessage) return true;
      const slot = this.call.slots.find((each) => each.name === name);
      const isLed = slot !== undefined && leadsTo(slot, words, start);
      // "By 3 degrees" is not "to 3 degrees".
      if (!isLed && directing.test(words[start - 1] ?? "")) return false;
      if (value === undefined) return isLed && this.#isName(start, end);
      return this.#valuesAt(start).some(
        (each) => each.isSure && each.value === value && each.end === end && this.call.slots[each.place] === slot,
      );
    };
    const isSmallest = ({ kind, start }: Piece) => kind !== "free" || smallest.test(words[start] ?? "");
    const verb = pieces.findIndex(({ kind }) => kind === "word");
    const wordOf = (piece?: Piece) => words[piece?.start ?? -1] ?? "";
    // "I booked a table" and "my booking of a table" report one.
    const [before, deed] = [wordOf(pieces[verb - 1]), wordOf(pieces[verb])];
    const isForm = isPastVerb(deed) || deed.endsWith("ing");
    const isTyped = this.call.phrases.some(({ rule }) => wordsIn(rule.node).includes(deed));
    const isTold = reporting.test(before) || (isForm && !isTyped);
    const hasValue = pieces.some(({ value }) => value !== undefined);
    return (
      // "Clean the list" is not "clean out the list".
      !this.call.isDestructive &&
      hasValue &&
      !(isTold && this.call.rule.tool.tool.declaredEffect !== "pure") &&
      pieces.every((piece) => isSure(piece) && isSmallest(piece)) &&
      this.call.phrases.some(({ rule }) => this.#isInOrder(rule, pieces))
    );
  }

  #isName(start: number, end: number): boolean {
    const { text, tokens } = this.#request;
    if (tokens[start]?.kind === "quote") return end === start + 1;
    return (
      text !== text.toUpperCase() &&
      tokens.slice(start, end).every((_, index) => isCapital(this.#request, start + index))
    );
  }

  #isInOrder({ node, anywhere }: PhraseRule, pieces: readonly Piece[]): boolean {
    const items = itemsIn(node);
    const isBeside = (name = "") => anywhere.some(({ slots }) => slots.has(name) && slots.get(name)?.kind !== "number");
    const isFilled = (slot: CallSlot) => pieces.some(({ name }) => name === slot.name);
    const namesOf = (slots: readonly CallSlot[]) =>
      new Set(slots.flatMap(({ name }) => sayName(name).split(" ").map(stem)));
    const [filled, empty] = [true, false].map((is) => namesOf(this.call.slots.filter((slot) => isFilled(slot) === is)));
    let from = 0;
    for (const { kind, name, start } of pieces) {
      const roots = kind === "word" ? this.#meaningsAt(start) : [];
      const isName = roots.some((root) => filled?.has(root)) && !roots.some((root) => items.includes(root));
      const isHint = kind === "word" && ((this.#said[start] ?? 0) < minSaid || isName);
      if (isHint && roots.some((root) => empty?.has(root))) return false;
      if (kind === "free" || isHint || isBeside(name)) continue;
      const said = name === undefined ? this.#meaningsAt(start) : [`{${name}}`];
      from = items.findIndex((item, index) => index >= from && said.includes(item));
      if (from < 0) return false;
    }
    return true;
  }
}

function shareUnsaid(groups: readonly ReadonlySet<string>[], said: Pick<ReadonlyMap<string, unknown>, "has">): number {
  let unsaid = 0;
  for (const group of groups) {
    let isSaid = false;
    for (const word of group) isSaid ||= said.has(word);
    if (!isSaid) unsaid++;
  }
  return unsaid / Math.max(1, groups.length);
}

function saysValue({ kind, values, units }: CallSlot["type"], { words, amounts }: RequestText): boolean {
  if (kind === "enum") return words.some((word) => values?.has(word));
  if (units === undefined) return false;
  const kinds = new Set(units.map((unit) => unit.kind));
  return [...amounts.values()].some(({ measures }) => measures.some(({ unit }) => kinds.has(unit.kind)));
}

function readLoosely(type: CallSlot["type"], { request, roots }: OtherWords, at: number): readonly SlotReading[] {
  const found = slotReadingsAt(type, request, at);
  const { number, end = 0, measures = [] } = request.amounts.get(at) ?? {};
  if (type.kind === "number" && number !== undefined && (end > number.end || measures.length > 0))
    return found.filter(({ isMeasured }) => isMeasured);
  const word = request.words[at] ?? "";
  if (type.kind !== "enum" || found.length > 0 || word.length < 4 || isVerb(word)) return found;
  const choices = [...(type.values?.values() ?? [])].flat();
  const choice = choices.find(({ words: [only = "", ...more] }) => more.length === 0 && stem(only) === roots[at]);
  return choice === undefined ? [] : [{ value: choice.value, end: at + 1 }];
}

const smallest =
  /^(?:[^\p{L}\p{N}]|the|an?|my|our|your|me|us|i|we|is|are|be|please|just|of|to|for|on|in|at|by|with|from|into|you|now)$/u;
const reporting = /^(?:i|we|you|my|our|your|is|are|am|be)$/;
const directing = /^(?:by|to|from|until|till|since|before|after|than)$/;
const takesMoney = /amount|price|cost|fee|budget|total|sum|fine|pay/i;
const asking = wordSet("show list display see view get give find tell check read fetch pull bring look search");
const asksOrDenies = new Set([...questionWords, ...denials].filter((word) => word !== "no"));
const ofClauses = new Set([...auxiliaries, ...wordSet("i we you he she they")]);
const nameParts = wordSet("van von der den de di da del la le el al bin");
const polite = wordSet(
  "please hi hey hello thanks thank ok okay so well would could want need like really quick quickly kindly also then too actually maybe right sure cheers much many",
);

function isSmall(word: string): boolean {
  return smallWords.has(word) || questionWords.has(word) || polite.has(word);
}
