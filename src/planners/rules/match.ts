import { parseWith } from "../../core/schema.ts";
import type { PhrasePlace, PhraseSlot } from "../../core/template.ts";
import { readAnaphor } from "../../english/references.ts";
import { functionWords, prepositions } from "../../english/verb-groups.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { isCapital, type RequestText, textBetween } from "./request.ts";
import { anaphor, isDate, isReadable, type SlotReading, type SlotType, slotReadingsAt } from "./slots.ts";
import type { TextEdges } from "./text-edges.ts";

/** Some tokens of a request and what they are explained by; a linked list, the last piece first. */
export interface Piece {
  /** `word`: of the phrase itself; `free`: an article or a sign; `slot`: the value of a slot, or a part of its text. */
  readonly kind: "word" | "free" | "slot";
  readonly start: number;
  readonly end: number;
  /** With `slot`: its name. */
  readonly name?: string;
  /** With `slot`: the value that was read; undefined for a text or a list. */
  readonly value?: SlotReading["value"] | undefined;
  /** Except with `free`: the place in the phrase before it. */
  readonly place?: PhrasePlace;
  readonly before: Piece | undefined;
}

/** A compiled template with the types of its slots. */
export interface Template {
  readonly start: PhrasePlace;
  readonly slots: ReadonlyMap<string, SlotType>;
  /** Templates of what may stand anywhere beside it. */
  readonly anywhere: readonly Template[];
  /** True if its words must be spelt as they are. */
  readonly isExact?: boolean;
  /** True if words that mean nothing by themselves may stand between its words. */
  readonly isLoose?: boolean;
}

/** One way in which a template fits. */
export interface Fit {
  readonly cost: number;
  readonly start: number;
  readonly end: number;
  readonly pieces: Piece | undefined;
  /** The slots that it fills. */
  readonly filled: readonly string[];
  /** True if it says a word of the phrase. */
  readonly isSpoken: boolean;
}

/** One way in which a template fits beside a phrase. */
interface AsideFit extends Fit {
  /** The slots that no other may fill: a list may be filled more than once. */
  readonly taken: readonly string[];
  /** True for a name, such as that of a list. */
  readonly isName: boolean;
}

/** One reading of the tokens so far. */
interface Thread {
  readonly place: PhrasePlace;
  readonly cost: number;
  readonly pieces: Piece | undefined;
  /** The text that is open, and its first token. */
  readonly text: PhraseSlot | undefined;
  readonly open: number;
  /** Slots that are filled. */
  readonly filled: readonly string[];
  /** True if a word of the phrase was said. */
  readonly isSpoken: boolean;
}

/** What a request's tokens cost, by what explains them: a reading that explains more in the words of a phrase is better. */
export const costs = {
  article: 1,
  filler: 0.5,
  value: 1,
  modifier: 2,
  bareModifier: 1.5,
  mistyped: 4,
  text: 10,
  openText: 3,
} as const;
/** A longer text must be in quotes, where it is one token. */
const maxTextTokens = 200;
const maxModifierTokens = 16;
const noNames: readonly string[] = [];
const noFits: readonly AsideFit[] = [];
/** No text is open. */
const closed = { text: undefined, open: -1 } as const;
/** The steps of work that a check by a schema counts for. */
const checkCost = 25;

/** A text that a template lacks, and what fits before it. */
interface Lacking {
  readonly name: string;
  readonly pieces: Piece | undefined;
}

/** Finds the words of phrases that a word may be a misspelling of. */
export type FindMeanings = (word: string) => readonly string[];

/** Counts the work done for one request: a measure that depends on no clock and no machine. */
export class WorkMeter {
  done = 0;

  constructor(private readonly limit = 400_000) {}

  /** Adds steps. Throws {@link TooMuchWork} beyond the limit. */
  spend(steps: number): void {
    this.done += steps;
    if (this.done > this.limit) throw new TooMuchWork();
  }

  /** Adds a check of a value by a schema, whose time is unknown but grows with a text. */
  check(value: unknown): void {
    this.spend(checkCost + (typeof value === "string" ? value.length >> 3 : 0));
  }
}

/** A request can be read in so many ways that the rules give up. */
export class TooMuchWork extends Error {}

/** Where a run of a template may end, and where it starts. */
export interface Range {
  readonly start: number;
  /** The first token that belongs to something else for certain. */
  readonly limit: number;
  /** True if the template may end before this token; with `isText`, if its last token is of a text. */
  isEnd(position: number, isText: boolean): boolean;
  /** Called for a text that would begin at the limit. */
  onLacking?(found: Lacking): void;
}

/**
 * Fits templates into a request. At each token only the cheapest thread at a place survives, so time is at most the tokens
 * times the size of the template, and no phrase or request can make it backtrack.
 */
export class Matcher {
  private readonly asides = new Map<readonly Template[], AsideFits>();
  /** Where each word comes last, and each that a misspelt one may mean. */
  private readonly lastPlaces = new Map<string, number>();
  private readonly modifiers = new Map<Template, Map<number, readonly AsideFit[]>>();

  constructor(
    private readonly request: RequestText,
    private readonly edges: TextEdges,
    private readonly meaningsOf: FindMeanings,
    /** True for a word with which wishes begin: no text without a verb before it does. */
    private readonly isLead: (word: string) => boolean,
    readonly work: WorkMeter,
  ) {
    for (const [at, word] of request.words.entries())
      for (const meaning of [word, ...meaningsOf(word)]) this.lastPlaces.set(meaning, at);
  }

  /** Every fit of a template that starts at a token, at its start or at another place, and ends where it may. */
  run(template: Template, range: Range, from?: PhrasePlace): readonly Fit[] {
    const { start, limit } = range;
    const fits: Fit[] = [];
    const arriving: (Thread[] | undefined)[] = [];
    const push = (position: number, thread: Thread) => {
      if (position > limit) return;
      const waiting = arriving[position - start];
      if (waiting === undefined) arriving[position - start] = [thread];
      else waiting.push(thread);
    };
    const place = from ?? template.start;
    push(start, { place, cost: 0, pieces: undefined, ...closed, filled: noNames, isSpoken: from !== undefined });
    for (let position = start; position <= limit && position - start < arriving.length; position++) {
      const threads = arriving[position - start];
      arriving[position - start] = undefined;
      if (threads === undefined) continue;
      if (threads.length > 1) threads.sort((left, right) => left.cost - right.cost);
      this.advance(template, { threads, position, push, range, fits });
    }
    return fits;
  }

  /** True if a template may start with a token, or with what may stand beside it. */
  mayStart(template: Template, position: number): boolean {
    const { words, slots } = template.start.steps;
    const word = this.request.words[position] ?? "";
    if (words.has(word) || this.meaningsOf(word).some((meaning) => words.has(meaning))) return true;
    const takesToken = ({ name }: PhraseSlot) => {
      const type = template.slots.get(name);
      return type !== undefined && (!isReadable(type) || slotReadingsAt(type, this.request, position).length > 0);
    };
    return slots.some(takesToken) || this.modifiersAt(template.anywhere, position).length > 0;
  }

  /** The text that a template lacks where the request ends: of "remind me to" it is what to. */
  findLacking(template: Template, start: number, limit: number): Lacking | undefined {
    let lacking: Lacking | undefined;
    const onLacking = (found: Lacking) => {
      lacking ??= found;
    };
    this.run(template, { start, limit, isEnd: () => false, onLacking });
    return lacking;
  }

  private advance(template: Template, step: Step): void {
    const seen = new Set<PhrasePlace | PhraseSlot>();
    const visit = (thread: Thread): void => {
      const key = thread.text ?? thread.place;
      if (seen.has(key)) return;
      seen.add(key);
      this.work.spend(1);
      if (thread.text !== undefined) {
        const ended = this.goOnWithText(template, thread.text, thread, step);
        if (ended !== undefined) visit(ended);
      } else {
        this.passBy(template, thread, step);
        this.follow(template, thread, step);
      }
    };
    for (const thread of step.threads) visit(thread);
  }

  /** Passes what may stand beside a phrase, and a word that means nothing. */
  private passBy(template: Template, thread: Thread, { position, push, range }: Step): void {
    const { anywhere, isLoose, slots } = template;
    const word = this.request.words[position];
    if (word === undefined) return;
    const { place, cost, pieces, filled, isSpoken } = thread;
    for (const fit of this.modifiersAt(anywhere, position)) {
      if (fit.taken.some((name) => filled.includes(name)) || mayBeText(template, fit, thread)) continue;
      push(fit.end, {
        place,
        cost: cost + costs.modifier + fit.cost + (fit.filled.length > 0 ? 0 : costs.bareModifier),
        pieces: joinPieces(pieces, fit.pieces),
        ...closed,
        filled: [...filled, ...fit.taken],
        isSpoken: isSpoken || fit.isSpoken,
      });
    }
    const skipCost = position === range.start ? 0 : this.skipCost(position, word, isLoose === true);
    // "watch The List", "pack a tent", "text Ada: the gate is open"
    const beginsText = () => place.steps.slots.some(({ name }) => !isReadable(slots.get(name) ?? { kind: "text" }));
    const isKept = /^an?$/.test(word) || this.request.words[position - 1] === ":";
    const isOfText = skipCost === costs.article && (isText(pieces) || (isKept && beginsText()));
    if (skipCost === 0 || isOfText) return;
    const piece: Piece = { kind: "free", start: position, end: position + 1, before: pieces };
    push(position + 1, { place, cost: cost + skipCost, pieces: piece, ...closed, filled, isSpoken });
  }

  /** Follows a phrase with the next token, or ends it there. */
  private follow(template: Template, thread: Thread, step: Step): void {
    const { place, cost, pieces, filled, isSpoken } = thread;
    const { position, push } = step;
    const { words, isEnd } = place.steps;
    if (isEnd && step.range.isEnd(position, isText(pieces)))
      step.fits.push({ cost, start: step.range.start, end: position, pieces, filled, isSpoken: thread.isSpoken });
    const word = this.request.words[position];
    const take = (places: readonly PhrasePlace[], spelling: number) => {
      this.work.spend(places.length);
      const piece: Piece = { kind: "word", start: position, end: position + 1, place, before: pieces };
      for (const next of places)
        push(position + 1, {
          place: next,
          cost: cost + spelling,
          pieces: piece,
          ...closed,
          filled,
          isSpoken: isSpoken || word !== "•",
        });
    };
    if (word !== undefined) {
      const exact = words.get(word);
      if (exact !== undefined) take(exact, 0);
      if (template.isExact !== true)
        for (const meaning of this.meaningsOf(word)) take(words.get(meaning) ?? [], costs.mistyped);
    }
    this.takePlural(template, thread, step);
    this.takeIt(template, thread, step);
    this.fill(template, thread, step);
  }

  /** Takes "tickets 3" for "ticket 3". */
  private takePlural(template: Template, thread: Thread, { position, push }: Step): void {
    const word = this.request.words[position] ?? "";
    const { place, cost, pieces, filled } = thread;
    const singular = word.endsWith("s") ? place.steps.words.get(word.slice(0, -1)) : undefined;
    if (singular === undefined) return;
    const isNumber = ({ name }: PhraseSlot) => template.slots.get(name)?.kind === "number";
    for (const next of singular) {
      const piece: Piece = { kind: "word", start: position, end: position + 1, place, before: pieces };
      if (next.steps.slots.some(isNumber))
        push(position + 1, { place: next, cost, pieces: piece, ...closed, filled, isSpoken: true });
    }
  }

  /** Takes "post it" for "post parcel 4". */
  private takeIt(template: Template, thread: Thread, { position, push }: Step): void {
    const { place, cost, pieces, filled } = thread;
    const { words } = place.steps;
    // Of several words the one that is said makes a difference.
    if (template.isLoose === true || pieces === undefined || words.size !== 1) return;
    const end = readAnaphor(this.request.words, position);
    const [[noun, places] = ["", []]] = words;
    if (end === undefined || prepositions.has(noun) || functionWords.has(noun)) return;
    for (const { name, next } of places.flatMap(({ steps }) => steps.slots)) {
      const type = template.slots.get(name);
      if (type === undefined || filled.includes(name) || isDate(type) || type.kind === "boolean") continue;
      const value = isReadable(type) ? anaphor : undefined;
      const piece: Piece = { kind: "slot", start: position, end, name, value, place, before: pieces };
      push(end, { ...thread, place: next, cost: cost + costs.text, pieces: piece, filled: [...filled, name] });
    }
  }

  /** Fills the slots that may follow with each value that starts here. */
  private fill(template: Template, thread: Thread, step: Step): void {
    const { place, cost, pieces, filled } = thread;
    const { position, push } = step;
    for (const slot of place.steps.slots) {
      const { name, next } = slot;
      const type = template.slots.get(name);
      if (type === undefined || filled.includes(name)) continue;
      if (!isReadable(type)) this.beginText(template, slot, thread, step);
      for (const { value, end, isMeasured } of slotReadingsAt(type, this.request, position)) {
        // "An hour" for "{minutes} minutes".
        const named =
          isMeasured === true ? [...next.steps.words].filter(([word]) => type.unit?.names.includes(word)) : [];
        // Beside a phrase "it" names none of the choices.
        if (type.kind === "enum" && value === anaphor && pieces === undefined) continue;
        for (const after of [next, ...named.flatMap(([, places]) => places)])
          push(end, {
            place: after,
            cost: cost + costs.value * (end - position),
            pieces: { kind: "slot", start: position, end, name, value, place, before: pieces },
            ...closed,
            filled: [...filled, name],
            isSpoken: thread.isSpoken,
          });
      }
    }
  }

  /** Continues a text with the next token, or behind a date within it; returns the thread that ends it here. */
  private goOnWithText(template: Template, { name, next }: PhraseSlot, thread: Thread, step: Step): Thread | undefined {
    const { place, cost, pieces, open, filled } = thread;
    const { position, push } = step;
    const hasWord = position < this.request.words.length;
    if (hasWord && position - open < maxTextTokens && this.edges.mayHold(position))
      push(position + 1, { ...thread, cost: cost + costs.text });
    const piece: Piece = { kind: "slot", start: open, end: position, name, place, before: pieces };
    if (hasWord && this.edges.hasDate(position)) this.passDate(template, piece, thread, step);
    if (!this.edges.mayEnd(position)) return undefined;
    return { place: next, cost, pieces: piece, ...closed, filled: [...filled, name], isSpoken: thread.isSpoken };
  }

  private beginText(template: Template, slot: PhraseSlot, thread: Thread, { position, push, range }: Step): void {
    const { cost, pieces, isSpoken } = thread;
    const word = this.request.words[position];
    if (this.followsBareValue(template, pieces, position)) return;
    if (!isSpoken && this.isLead(word ?? "")) return;
    if (position === range.limit) range.onLacking?.({ name: slot.name, pieces });
    if (word !== undefined && this.edges.mayBegin(position) && this.mayFollow(slot.next, position))
      push(position + 1, { ...thread, cost: cost + costs.text + costs.openText, text: slot, open: position });
  }

  /** True unless a phrase needs a word behind a text that begins at a token, and no such word comes. */
  private mayFollow({ steps: { words, slots, isEnd } }: PhrasePlace, position: number): boolean {
    if (isEnd || slots.length > 0) return true;
    for (const word of words.keys()) if ((this.lastPlaces.get(word) ?? -1) > position) return true;
    return false;
  }

  /** Continues a text behind a date within it. */
  private passDate({ anywhere }: Template, piece: Piece, thread: Thread, { position, push }: Step): void {
    const { cost, filled } = thread;
    for (const fit of this.modifiersAt(anywhere, position)) {
      if (fit.taken.some((each) => filled.includes(each)) || !this.edges.mayHold(fit.end)) continue;
      push(fit.end + 1, {
        ...thread,
        cost: cost + costs.modifier + fit.cost + costs.text,
        pieces: joinPieces(piece, fit.pieces),
        open: fit.end,
        filled: [...filled, ...fit.taken],
      });
    }
  }

  /** "add midnight in Paris", "add urgent care card": a value between a verb and a text may be a part of the text. */
  private followsBareValue({ slots }: Template, pieces: Piece | undefined, position: number): boolean {
    // The phrase itself says that a text follows.
    if (pieces?.name !== undefined && slots.has(pieces.name)) return false;
    if (pieces?.kind !== "slot" || pieces.end !== position || typeof pieces.value !== "string") return false;
    const date = this.request.datesByStart.get(pieces.start);
    const isLed = date !== undefined && date.leadStart !== date.start;
    return (
      !isLed &&
      pieces.before?.kind === "word" &&
      pieces.before.end === pieces.start &&
      !/^(?:me|us)$/.test(this.request.words[pieces.start - 1] ?? "")
    );
  }

  /** What fits at a token beside the phrase. */
  private modifiersAt(anywhere: readonly Template[], position: number): readonly AsideFit[] {
    if (anywhere.length === 0) return noFits;
    let byPosition = this.asides.get(anywhere);
    if (byPosition === undefined) {
      byPosition = [];
      this.asides.set(anywhere, byPosition);
    }
    let fits = byPosition[position];
    if (fits === undefined) {
      const word = this.request.words[position] ?? "";
      const starting = this.meaningsOf(word).length > 0 ? anywhere : startingWith(anywhere, word);
      fits = starting.flatMap((template) => this.modifierAt(template, position));
      byPosition[position] = fits;
    }
    return fits;
  }

  private modifierAt(template: Template, position: number): readonly AsideFit[] {
    if (!this.mayStart(template, position)) return noFits;
    let byPosition = this.modifiers.get(template);
    if (byPosition === undefined) {
      byPosition = new Map();
      this.modifiers.set(template, byPosition);
    }
    let fits = byPosition.get(position);
    if (fits === undefined) {
      const limit = Math.min(this.request.words.length, position + maxModifierTokens);
      const range = { start: position, limit, isEnd: (end: number) => end > position };
      const hasText = [...template.slots.values()].some(({ kind }) => kind === "text");
      fits = this.run(template, range)
        .filter((fit) => this.fitsOwnSchemas(template, fit))
        .map((fit) => ({
          ...fit,
          taken: fit.filled.filter((name) => template.slots.get(name)?.kind !== "list"),
          isName: hasText && piecesOf(fit.pieces).every((piece) => piece.kind !== "slot" || isText(piece)),
        }));
      byPosition.set(position, fits);
    }
    return fits;
  }

  /** True if the texts beside a phrase are what they may be: a list's name is a few words. */
  private fitsOwnSchemas({ slots }: Template, { pieces }: Fit): boolean {
    return piecesOf(pieces).every(({ name, value, start, end }) => {
      const type = name === undefined ? undefined : slots.get(name);
      if (type !== undefined && isDate(type)) return this.request.datesByStart.get(start)?.isFirm === true;
      if (type?.schema === undefined || value !== undefined) return true;
      const text = textBetween(this.request, start, end);
      this.work.check(text);
      const parsed = parseWith(type.schema, type.kind === "list" ? [text] : text);
      return parsed instanceof Promise || parsed.ok;
    });
  }

  private skipCost(position: number, word: string, isLoose: boolean): number {
    if (isFiller(word)) return costs.filler;
    if (isLoose && functionWords.has(word)) return costs.article;
    if (!isArticle(word) || this.request.tokens[position]?.kind !== "word") return 0;
    // "The 1975" is a name.
    const isName =
      isCapital(this.request, position) &&
      !/^\p{Ll}/u.test(this.request.text.charAt(this.request.tokens[position + 1]?.start ?? 0));
    return isName ? 0 : costs.article;
  }
}

/** What fits beside phrases, by the token at which it starts. */
type AsideFits = (readonly AsideFit[])[];

/** Of templates in their order, those that may start with a word; under no word, those that may start with a slot. */
type Starts = ReadonlyMap<string | undefined, readonly Template[]>;

const startsOf = new WeakMap<readonly Template[], Starts>();

function startingWith(templates: readonly Template[], word: string): readonly Template[] {
  let starts = startsOf.get(templates);
  if (starts === undefined) {
    const isOpen = ({ start }: Template) => start.steps.slots.length > 0;
    const words = new Set(templates.flatMap(({ start }) => [...start.steps.words.keys()]));
    const withWord = (each: string) => templates.filter((one) => isOpen(one) || one.start.steps.words.has(each));
    starts = new Map([[undefined, templates.filter(isOpen)], ...[...words].map((each) => [each, withWord(each)] as const)]);
    startsOf.set(templates, starts);
  }
  return starts.get(word) ?? starts.get(undefined) ?? [];
}

interface Step {
  readonly threads: Thread[];
  readonly position: number;
  readonly range: Range;
  readonly fits: Fit[];
  push(position: number, thread: Thread): void;
}

/** "remind me to shopping list pad with magnet": a name between a verb and the text may be a part of the text. */
function mayBeText({ slots }: Template, { isName }: AsideFit, { isSpoken, filled }: Thread): boolean {
  const hasText = [...slots.values()].some(({ kind }) => kind === "text");
  return isName && isSpoken && hasText && !filled.some((name) => slots.has(name));
}

/** True if the last piece is a text. */
function isText(piece: Piece | undefined): boolean {
  return piece?.kind === "slot" && piece.value === undefined;
}

/** The pieces of a fit behind others. */
function joinPieces(before: Piece | undefined, pieces: Piece | undefined): Piece | undefined {
  return pieces === undefined ? before : { ...pieces, before: joinPieces(before, pieces.before) };
}

/** The pieces of a fit in their order. */
export function piecesOf(last: Piece | undefined): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let piece = last; piece !== undefined; piece = piece.before) pieces.push(piece);
  return pieces.reverse();
}
