import type { PhraseNode } from "../../core/phrase-syntax.ts";
import { parseWith } from "../../core/schema.ts";
import { emptyWords, functionWords, opensMessage, readAnaphor } from "../../english/word-classes.ts";
import type { PhrasePlace, PhraseSlot } from "./compiled-phrase.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { splitAt, textOf } from "./items.ts";
import { isCapital, type RequestText, textBetween, valueOfThing } from "./request.ts";
import { anaphor, isDate, isReadable, type SlotReading, type SlotType, slotReadingsAt } from "./slots.ts";
import { closers, type TextEdges } from "./texts.ts";

/** Node of a linked list that starts at the last piece. */
export interface Piece {
  /** `free`: an article, sign or small word. `slot`: a value or part of a text. `left`: an unused date or word. */
  readonly kind: "word" | "free" | "slot" | "left";
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: SlotReading["value"] | undefined;
  readonly isMessage?: boolean;
  readonly isMistyped?: boolean;
  readonly place?: PhrasePlace;
  readonly before: Piece | undefined;
}

export interface Template {
  readonly node: PhraseNode;
  readonly start: PhrasePlace;
  readonly slots: ReadonlyMap<string, SlotType>;
  readonly anywhere: readonly Template[];
}

export interface Fit {
  readonly cost: number;
  readonly start: number;
  readonly end: number;
  readonly pieces: Piece | undefined;
  readonly filled: readonly string[];
  readonly isSpoken: boolean;
}

export interface AsideFit extends Fit {
  readonly taken: readonly string[];
  readonly isName: boolean;
}

interface Thread extends Pick<Fit, "cost" | "pieces" | "filled" | "isSpoken"> {
  readonly place: PhrasePlace;
  readonly text: PhraseSlot | undefined;
  readonly open: number;
}

export const costs = {
  article: 1,
  filler: 0.5,
  value: 1,
  /** Added if a slot takes the name of a known thing: tools that take its key come first. */
  label: 1,
  modifier: 2,
  bareModifier: 1.5,
  mistyped: 4,
  text: 10,
  /** Below `text`, so that a message begins at the first word that opens one. */
  message: 9,
  openText: 3,
  list: 6,
  left: 60,
  named: 20,
} as const;
const maxTextTokens = 200;
const maxModifierTokens = 16;
const noFits: readonly AsideFit[] = [];
const checkCost = 25;
const maxWork = 400_000;

export function byCost(one: { readonly cost: number }, other: { readonly cost: number }): number {
  return one.cost - other.cost;
}

export type FindMeanings = (word: string) => readonly string[];

/** Counts work instead of time, so that the limit is the same on every machine. */
export class WorkMeter {
  done = 0;

  spend(steps: number): void {
    this.done += steps;
    if (this.done > maxWork) throw new TooMuchWork();
  }

  check(value: unknown): void {
    this.spend(checkCost + (typeof value === "string" ? value.length >> 3 : 0));
  }
}

export class TooMuchWork extends Error {}

export interface Range {
  readonly start: number;
  readonly limit: number;
  /** True if the template may end before the token at `position`. `isText`: the token before that is free text. */
  isEnd(position: number, isText: boolean): boolean;
  messageEnds?(open: number): readonly { readonly end: number; readonly cost: number }[];
}

export class Matcher {
  readonly #asides = new Map<readonly Template[], (readonly AsideFit[])[]>();
  readonly #dateEnds = new Map<number, number>();

  constructor(
    private readonly request: RequestText,
    private readonly edges: TextEdges,
    private readonly meaningsOf: FindMeanings,
    private readonly isLead: (word: string) => boolean,
    readonly work: WorkMeter,
  ) {
    for (const { kind, start, leadStart, end, isFirm } of request.marks)
      if (kind === "date" && isFirm)
        for (const at of [start, leadStart]) this.#dateEnds.set(at, Math.max(end, this.#dateEnds.get(at) ?? 0));
  }

  run(template: Template, range: Range, from?: PhrasePlace): readonly Fit[] {
    const { start, limit } = range;
    const { slots, anywhere } = template;
    const run: Run = { slots, anywhere, range, fits: [], arriving: [], position: start };
    const place = from ?? template.start;
    const [text, isSpoken] = [undefined, from !== undefined];
    push(run, start, { place, cost: 0, pieces: undefined, text, open: -1, filled: [], isSpoken });
    for (; run.position <= limit && run.position - start < run.arriving.length; run.position++) {
      const threads = run.arriving[run.position - start];
      if (threads === undefined) continue;
      if (threads.length > 1) threads.sort(byCost);
      const seen = threads.length > 1 ? new Set<PhrasePlace | PhraseSlot>() : undefined;
      for (const thread of threads) this.#visit(run, thread, seen);
    }
    return run.fits;
  }

  mayStart(template: Template, position: number): boolean {
    const { words, slots } = template.start.steps;
    if (this.request.things.has(position)) return true;
    const word = this.request.words[position] ?? "";
    if (words.has(word) || this.meaningsOf(word).some((meaning) => words.has(meaning))) return true;
    const takesToken = ({ name }: PhraseSlot) => {
      const type = template.slots.get(name);
      return type !== undefined && (!isReadable(type) || slotReadingsAt(type, this.request, position).length > 0);
    };
    const left = this.#dateEnds.get(position);
    return (
      slots.some(takesToken) ||
      this.modifiersAt(template.anywhere, position).length > 0 ||
      (left !== undefined && left > position && this.mayStart(template, left))
    );
  }

  #visit(run: Run, thread: Thread, seen: Set<PhrasePlace | PhraseSlot> | undefined): void {
    const key = thread.text ?? thread.place;
    if (seen?.has(key)) return;
    seen?.add(key);
    this.work.spend(1);
    if (thread.text === undefined) {
      const { slots } = thread.place.steps;
      const isAtMessage = run.position > run.range.start && slots.some((slot) => this.#isMessage(run, thread, slot));
      if (!isAtMessage) this.#passBy(run, thread);
      this.#follow(run, thread);
    } else {
      const ended = this.#goOnWithText(run, thread, thread.text);
      if (ended !== undefined) this.#visit(run, ended, seen);
    }
  }

  #passBy(run: Run, thread: Thread): void {
    const { position, slots } = run;
    const word = this.request.words[position];
    if (word === undefined) return;
    const { place, cost, pieces, filled, isSpoken } = thread;
    this.#leaveDate(run, thread);
    for (const fit of this.modifiersAt(run.anywhere, position)) {
      if (fit.taken.some((name) => filled.includes(name)) || mayBeText(slots, fit, thread)) continue;
      push(run, fit.end, {
        ...thread,
        cost:
          cost + costs.modifier + fit.cost + (fit.filled.length > 0 ? 0 : costs.bareModifier) + this.#namedCost(fit),
        pieces: joinPieces(pieces, fit.pieces),
        filled: fit.taken.length > 0 ? [...filled, ...fit.taken] : filled,
        isSpoken: isSpoken || fit.isSpoken,
      });
    }
    const skipCost = position === run.range.start ? 0 : this.#skipCost(position, word);
    if (skipCost === 0) return;
    if (skipCost === costs.article) {
      const isKept = word === "a" || word === "an" || opensMessage.has(this.request.words[position - 1] ?? "");
      const beginsText = () => place.steps.slots.some(({ name }) => !isReadable(slots.get(name) ?? { kind: "text" }));
      if (isText(pieces) || (isKept && beginsText())) return;
    }
    const piece: Piece = { kind: "free", start: position, end: position + 1, before: pieces };
    push(run, position + 1, { ...thread, cost: cost + skipCost, pieces: piece });
  }

  #leaveDate(run: Run, thread: Thread): void {
    const { position: start, range } = run;
    const end = range.messageEnds === undefined ? undefined : this.#dateEnds.get(start);
    if (end === undefined) return;
    const pieces: Piece = { kind: "left", start, end, before: thread.pieces };
    push(run, end, { ...thread, cost: thread.cost + costs.left, pieces });
  }

  #namedCost({ start, end }: AsideFit): number {
    return this.request.dates.some((date) => date.isNamed && date.start >= start && date.end <= end) ? costs.named : 0;
  }

  #follow(run: Run, thread: Thread): void {
    const { place, cost, pieces, filled, isSpoken } = thread;
    const { position, range } = run;
    const { words, slots, isEnd } = place.steps;
    if (isEnd && range.isEnd(position, isText(pieces)))
      run.fits.push({ cost, start: range.start, end: position, pieces, filled, isSpoken });
    const word = this.request.words[position];
    if (word !== undefined && words.size > 0) this.#takeWord(run, thread, word);
    if (this.request.things.has(position)) for (const slot of slots) this.#fillWithThing(run, thread, slot);
    else if (slots.length > 0) this.#fill(run, thread);
  }

  #takeWord(run: Run, thread: Thread, word: string): void {
    const { words } = thread.place.steps;
    this.#take(run, thread, words.get(word), 0);
    // "That" and the colon of a phrase are interchangeable.
    if (opensMessage.has(word) && word !== "because")
      for (const opener of opensMessage)
        if (opener !== word && opener !== "because") this.#take(run, thread, words.get(opener), 0);
    for (const meaning of this.meaningsOf(word)) this.#take(run, thread, words.get(meaning), costs.mistyped);
    const isNumber = ({ name }: PhraseSlot) => run.slots.get(name)?.kind === "number";
    const plural = word.endsWith("s") ? words.get(word.slice(0, -1)) : undefined;
    const counted = plural?.filter(({ steps }) => steps.slots.some(isNumber));
    this.#take(run, thread, counted, 0);
    if (this.request.things.has(run.position)) {
      for (const { steps } of [...words.values()].flat())
        for (const slot of steps.slots) this.#fillWithThing(run, thread, slot, false);
    } else if (words.size === 1) this.#takeIt(run, thread);
  }

  #fillSlot(run: Run, thread: Thread, { name, next }: PhraseSlot, { end, cost, value, after = [next] }: Filled) {
    const { place, pieces: before } = thread;
    const pieces: Piece = { kind: "slot", start: run.position, end, name, value, place, before };
    const filled = { ...thread, cost: thread.cost + cost, pieces, filled: [...thread.filled, name] };
    for (const each of after) push(run, end, { ...filled, place: each });
  }

  #take(run: Run, thread: Thread, places: readonly PhrasePlace[] | undefined, spelling: number): void {
    if (places === undefined) return;
    const { position } = run;
    const { place, pieces: before } = thread;
    this.work.spend(places.length);
    const isMistyped = spelling > 0 ? { isMistyped: true } : {};
    const pieces: Piece = { kind: "word", start: position, end: position + 1, place, before, ...isMistyped };
    const isSpoken = thread.isSpoken || this.request.words[position] !== "•";
    const cost = thread.cost + spelling;
    for (const next of places) push(run, position + 1, { ...thread, place: next, cost, pieces, isSpoken });
  }

  /** Reads "it" as a noun with its slot: "post it" as "post parcel 4". */
  #takeIt(run: Run, thread: Thread): void {
    if (thread.pieces === undefined) return;
    const end = readAnaphor(this.request.words, run.position);
    const [[noun, places] = ["", []]] = thread.place.steps.words;
    if (end === undefined || emptyWords.has(noun)) return;
    for (const slot of places.flatMap(({ steps }) => steps.slots)) {
      const type = run.slots.get(slot.name);
      if (type === undefined || thread.filled.includes(slot.name) || isDate(type) || type.kind === "boolean") continue;
      const value = isReadable(type) ? anaphor : undefined;
      this.#fillSlot(run, thread, slot, { end, cost: costs.text, value });
    }
  }

  #fillWithThing(run: Run, thread: Thread, { name, next }: PhraseSlot, mayBeLabel = true): void {
    const { position } = run;
    const thing = this.request.things.get(position);
    const type = run.slots.get(name);
    if (thing === undefined || type === undefined || thread.filled.includes(name)) return;
    const value = valueOfThing(thing, name, mayBeLabel && type.kind === "text");
    if (value === undefined) return;
    const { place, cost, pieces: before, filled } = thread;
    const pieces: Piece = { kind: "slot", start: position, end: position + 1, name, value, place, before };
    // The noun of the phrase after the slot may be missing: "the shopping list".
    const spent = costs.value + (name === thing.keyField ? 0 : costs.label);
    const ended = { cost: cost + spent, pieces, filled: [...filled, name] };
    for (const after of [next, ...(next.steps.words.get(thing.kind) ?? [])])
      push(run, position + 1, { ...thread, place: after, ...ended });
    // The kind may follow the name of a thing: "Bergman's job".
    if (this.request.words[position + 1] === thing.kind) push(run, position + 2, { ...thread, place: next, ...ended });
  }

  #fill(run: Run, thread: Thread): void {
    const { position } = run;
    for (const slot of thread.place.steps.slots) {
      const { name, next } = slot;
      const type = run.slots.get(name);
      if (type === undefined || thread.filled.includes(name)) continue;
      if (!isReadable(type)) {
        this.#beginText(run, thread, slot);
        continue;
      }
      for (const { value, end, isMeasured } of slotReadingsAt(type, this.request, position)) {
        const named = isMeasured === true ? unitsBehind(next, type) : [];
        if (type.kind === "enum" && value === anaphor && thread.pieces === undefined) continue;
        const cost = costs.value * (end - position);
        this.#fillSlot(run, thread, slot, { end, cost, value, after: [next, ...named] });
      }
    }
  }

  #goOnWithText(run: Run, thread: Thread, text: PhraseSlot): Thread | undefined {
    const { place, cost, pieces, open, filled } = thread;
    const { name, next } = text;
    const { position } = run;
    const word = this.request.words[position];
    const hasWord = word !== undefined;
    const isOpener = opensMessage.has(word ?? "") && [...next.steps.words.keys()].some((one) => opensMessage.has(one));
    if (hasWord && !isOpener && position - open < maxTextTokens && this.edges.mayHold(position))
      push(run, position + 1, { ...thread, cost: cost + this.#textCost(run, text) });
    const hasDate = hasWord && this.edges.hasDate(position);
    if (!hasDate && !this.edges.mayEnd(position)) return undefined;
    const piece: Piece = { kind: "slot", start: open, end: position, name, place, before: pieces };
    if (hasDate) this.#passDate(run, thread, piece);
    if (!this.edges.mayEnd(position)) return undefined;
    return { ...thread, place: next, pieces: piece, text: undefined, open: -1, filled: [...filled, name] };
  }

  #textCost({ slots }: Run, { name }: PhraseSlot): number {
    return slots.get(name)?.kind === "list" ? costs.list : costs.text;
  }

  #beginText(run: Run, thread: Thread, slot: PhraseSlot): void {
    const { cost, pieces, isSpoken } = thread;
    const { position } = run;
    const word = this.request.words[position] ?? "";
    if (this.#isMessage(run, thread, slot)) {
      this.#takeMessage(run, thread, slot);
      return;
    }
    if (run.slots.get(slot.name)?.text === "word") {
      const end = this.#wordEnd(position);
      const spent = costs.openText + costs.text * (end - position);
      if (end > position) this.#fillSlot(run, thread, slot, { end, cost: spent });
      return;
    }
    if (this.#followsBareValue(run, pieces)) return;
    if ((!isSpoken && this.isLead(word)) || !this.edges.mayBegin(position)) return;
    const more = costs.openText + this.#textCost(run, slot);
    push(run, position + 1, { ...thread, cost: cost + more, text: slot, open: position });
  }

  #isMessage({ slots, position, range }: Run, { pieces }: Thread, { name, next }: PhraseSlot): boolean {
    const { words, slots: others, isEnd } = next.steps;
    if (!isEnd || words.size + others.length > 0 || range.messageEnds === undefined) return false;
    const type = slots.get(name);
    if (type?.kind !== "text" || type.text === "name" || type.text === "word") return false;
    const isOpened = pieces?.kind === "word" && opensMessage.has(this.request.words[position - 1] ?? "");
    const isBehindWord = pieces?.kind === "slot" && slots.get(pieces.name ?? "")?.text === "word";
    return type.text === "message" || (pieces?.end === position && (isOpened || isBehindWord));
  }

  #wordEnd(start: number): number {
    const { tokens, words } = this.request;
    const { kind } = tokens[start] ?? {};
    if (/^[@#]$/.test(words[start] ?? "") && tokens[start + 1]?.glued === true) return start + 2;
    const isOurs = /^(?:my|our|your|his|her|their)$/.test(words[start] ?? "");
    if (isOurs) return tokens[start + 1]?.kind === "word" ? start + 2 : start;
    if (kind === undefined || kind === "sign" || functionWords.has(words[start] ?? "")) return start;
    let end = start + 1;
    if (isCapital(this.request, start)) while (isCapital(this.request, end)) end++;
    return end;
  }

  #takeMessage(run: Run, { place, cost, pieces: before, filled }: Thread, { name }: PhraseSlot): void {
    const { position, range } = run;
    const isOf = this.request.words[position] === "of" && this.request.words[position - 1] === "because";
    const start = isOf ? position + 1 : position;
    for (const message of range.messageEnds?.(start) ?? []) {
      const pieces: Piece = { kind: "slot", start, end: message.end, name, place, before, isMessage: true };
      const length = Math.min(maxTextTokens, message.end - start);
      const all = { cost: cost + costs.openText + costs.message * length + message.cost, isSpoken: true };
      run.fits.push({ ...all, start: range.start, end: message.end, pieces, filled: [...filled, name] });
    }
  }

  #passDate(run: Run, thread: Thread, piece: Piece): void {
    for (const fit of this.modifiersAt(run.anywhere, run.position)) {
      if (fit.taken.some((each) => thread.filled.includes(each)) || !this.edges.mayHold(fit.end)) continue;
      const pieces = joinPieces(piece, fit.pieces);
      const filled = [...thread.filled, ...fit.taken];
      const cost = thread.cost + costs.modifier + fit.cost + costs.text;
      push(run, fit.end + 1, { ...thread, cost, pieces, open: fit.end, filled });
    }
  }

  /** True if the value before the text may be part of that text: "add midnight in Paris", "add urgent care card". */
  #followsBareValue({ slots, position }: Run, pieces: Piece | undefined): boolean {
    if (pieces?.name !== undefined && slots.has(pieces.name)) return false;
    if (pieces?.kind !== "slot" || pieces.end !== position || typeof pieces.value !== "string") return false;
    const date = this.request.datesByStart.get(pieces.start);
    const isLed = date !== undefined && date.leadStart !== date.start;
    const isBehindWord = pieces.before?.kind === "word" && pieces.before.end === pieces.start;
    return !isLed && isBehindWord && !/^(?:me|us)$/.test(this.request.words[pieces.start - 1] ?? "");
  }

  modifiersAt(anywhere: readonly Template[], position: number): readonly AsideFit[] {
    if (anywhere.length === 0) return noFits;
    const byPosition = this.#asides.get(anywhere) ?? [];
    this.#asides.set(anywhere, byPosition);
    byPosition[position] ??= this.#findModifiers(anywhere, position);
    return byPosition[position];
  }

  #findModifiers(anywhere: readonly Template[], position: number): readonly AsideFit[] {
    const { words } = this.request;
    const closer = closers.get(words[position] ?? "");
    if (closer === undefined) return anywhere.flatMap((template) => this.#modifierAt(template, position));
    if (closers.has(words[position + 1] ?? "")) return noFits;
    const inside = this.modifiersAt(anywhere, position + 1).filter(({ end }) => words[end] === closer);
    return inside.map((fit) => ({ ...fit, end: fit.end + 1 }));
  }

  #modifierAt(template: Template, position: number): readonly AsideFit[] {
    if (!this.mayStart(template, position)) return noFits;
    const limit = Math.min(this.request.words.length, position + maxModifierTokens);
    const range = { start: position, limit, isEnd: (end: number) => end > position };
    const hasText = [...template.slots.values()].some(({ kind }) => kind === "text");
    return this.run(template, range)
      .filter((fit) => this.#fitsOwnSchemas(template, fit))
      .map((fit) => ({
        ...fit,
        taken: fit.filled.filter((name) => template.slots.get(name)?.kind !== "list"),
        isName: hasText && piecesOf(fit.pieces).every((piece) => piece.kind !== "slot" || isText(piece)),
      }));
  }

  #fitsOwnSchemas({ slots }: Template, { pieces }: Fit): boolean {
    return piecesOf(pieces).every(({ name, value, start, end }) => {
      const type = name === undefined ? undefined : slots.get(name);
      if (type !== undefined && isDate(type)) return this.request.datesByStart.get(start)?.isFirm === true;
      if (type?.schema === undefined || value !== undefined || this.request.things.has(start)) return true;
      const text = textBetween(this.request, start, end);
      this.work.check(text);
      const itemsIn = () => splitAt(this.request, [{ start, end }]).map((item) => textOf(item, this.request));
      const parsed = parseWith(type.schema, type.kind === "list" ? itemsIn() : text);
      return parsed instanceof Promise || parsed.ok;
    });
  }

  #skipCost(position: number, word: string): number {
    if (isFiller(word)) return costs.filler;
    const { text, tokens } = this.request;
    if (!isArticle(word) || tokens[position]?.kind !== "word") return 0;
    const isName = isCapital(this.request, position) && !/^\p{Ll}/u.test(text.charAt(tokens[position + 1]?.start ?? 0));
    return isName ? 0 : costs.article;
  }
}

interface Filled extends Pick<Piece, "end" | "value"> {
  readonly cost: number;
  readonly after?: readonly PhrasePlace[];
}

interface Run extends Pick<Template, "slots" | "anywhere"> {
  readonly range: Range;
  readonly fits: Fit[];
  readonly arriving: Thread[][];
  position: number;
}

function push({ range, arriving }: Run, position: number, thread: Thread): void {
  if (position > range.limit) return;
  const waiting = arriving[position - range.start];
  if (waiting === undefined) arriving[position - range.start] = [thread];
  else waiting.push(thread);
}

function unitsBehind({ steps }: PhrasePlace, { units = [] }: SlotType): readonly PhrasePlace[] {
  const isUnit = ([word]: readonly [string, unknown]) => units.some(({ names }) => names.includes(word));
  return [...steps.words].filter(isUnit).flatMap(([, places]) => places);
}

/** True if a name may be part of the text: "remind me to shopping list pad with magnet". */
function mayBeText(slots: Template["slots"], { isName }: AsideFit, { isSpoken, filled }: Thread): boolean {
  if (!isName || !isSpoken) return false;
  const hasText = [...slots.values()].some(({ kind }) => kind === "text");
  return hasText && !filled.some((name) => slots.has(name));
}

function isText(piece: Piece | undefined): boolean {
  return piece?.kind === "slot" && piece.value === undefined;
}

function joinPieces(before: Piece | undefined, pieces: Piece | undefined): Piece | undefined {
  if (pieces === undefined || before === undefined) return pieces ?? before;
  return { ...pieces, before: joinPieces(before, pieces.before) };
}

export function piecesOf(last: Piece | undefined): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let piece = last; piece !== undefined; piece = piece.before) pieces.push(piece);
  return pieces.reverse();
}
