import { parseWith } from "../../core/schema.ts";
import type { Instruction } from "../../core/template.ts";
import { readAnaphor } from "../../english/references.ts";
import { functionWords, prepositions } from "../../english/verb-groups.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { isCapital, type RequestText, textBetween } from "./request.ts";
import { anaphor, isDate, isReadable, readSlot, type SlotReading, type SlotType } from "./slots.ts";
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
  readonly before: Piece | undefined;
}

/** A compiled template with the types of its slots. */
export interface Template {
  readonly program: readonly Instruction[];
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
  /** True if it fills a slot. */
  readonly hasSlot: boolean;
}

/** One reading of the tokens so far. */
interface Thread {
  readonly at: number;
  readonly cost: number;
  readonly pieces: Piece | undefined;
  /** The first token of a text that is open, or -1. */
  readonly open: number;
  /** Slots that are filled. */
  readonly filled: readonly string[];
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
/** The steps of work that a check by a schema counts for. */
const checkCost = 25;

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
}

/**
 * Fits templates into a request. At each token only the cheapest thread of an instruction survives, so time is at most the
 * tokens times the size of the template, and no phrase or request can make it backtrack.
 */
export class Matcher {
  private readonly modifiers = new Map<Template, Map<number, readonly Fit[]>>();

  constructor(
    private readonly request: RequestText,
    private readonly edges: TextEdges,
    private readonly meaningsOf: FindMeanings,
    /** Words with which wishes begin: no text without a verb before it does. */
    private readonly leads: ReadonlySet<string>,
    readonly work: WorkMeter,
  ) {}

  /** Every fit of a template that starts at a token, and at an instruction, and ends where it may. */
  run(template: Template, { start, limit, isEnd }: Range, from = 0): readonly Fit[] {
    const fits: Fit[] = [];
    const arriving: Thread[][] = [];
    const push = (position: number, thread: Thread) => {
      if (position > limit) return;
      const waiting = arriving[position - start];
      if (waiting === undefined) arriving[position - start] = [thread];
      else waiting.push(thread);
    };
    push(start, { at: from, cost: 0, pieces: undefined, open: -1, filled: noNames });
    for (let position = start; position <= limit && position - start < arriving.length; position++) {
      const threads = arriving[position - start];
      if (threads === undefined) continue;
      threads.sort((left, right) => left.cost - right.cost);
      this.advance(template, { threads, position, push, start, isEnd, fits, stack: [], goesOn: from > 0 });
    }
    return fits;
  }

  /** The text that a template lacks where the request ends: of "remind me to" it is what to. */
  findLacking(template: Template, start: number, limit: number): string | undefined {
    this.lacking = undefined;
    this.lackingAt = limit;
    this.run(template, { start, limit, isEnd: () => false });
    this.lackingAt = -1;
    return this.lacking;
  }

  private lacking: string | undefined;
  private lackingAt = -1;

  private advance(template: Template, step: Step): void {
    const seen = new Set<number>();
    for (const first of step.threads) {
      step.stack.push(first);
      for (let thread = step.stack.pop(); thread !== undefined; thread = step.stack.pop()) {
        // A text that is open, and one that has just begun, are two states.
        const key = thread.at * 2 + (thread.open === -1 ? 0 : 1);
        if (seen.has(key)) continue;
        seen.add(key);
        this.work.spend(1);
        this.advanceThread(template, thread, step);
      }
    }
  }

  private advanceThread(template: Template, thread: Thread, step: Step): void {
    const instruction = template.program[thread.at];
    if (instruction === undefined) return;
    if (instruction.op === "split") {
      for (const at of [...instruction.to].reverse()) step.stack.push({ ...thread, at });
    } else if (instruction.op === "jump") {
      step.stack.push({ ...thread, at: instruction.to });
    } else {
      if (thread.open === -1) this.passBy(template, thread, step);
      this.follow(template, instruction, thread, step);
    }
  }

  /** Passes what may stand beside a phrase, and a word that means nothing. */
  private passBy(
    { anywhere, isLoose, program, slots }: Template,
    thread: Thread,
    { position, push, start }: Step,
  ): void {
    const next = program[thread.at];
    const beginsText = next?.op === "slot" && !isReadable(slots.get(next.name) ?? { kind: "text" });
    const word = this.request.words[position];
    if (word === undefined) return;
    const { cost, pieces, filled } = thread;
    for (const fit of this.modifiersAt(anywhere, position)) {
      const taken = namesIn(fit, anywhere);
      if (taken.some((name) => filled.includes(name))) continue;
      push(fit.end, {
        ...thread,
        cost: cost + costs.modifier + fit.cost + (fit.hasSlot ? 0 : costs.bareModifier),
        pieces: joinPieces(pieces, fit.pieces),
        filled: [...filled, ...taken],
      });
    }
    const skipCost = position === start ? 0 : this.skipCost(position, word, isLoose === true);
    // "watch The List", "pack a tent", "text Ada: the gate is open"
    const isOfText =
      skipCost === costs.article &&
      (isText(pieces) || (beginsText && (/^an?$/.test(word) || this.request.words[position - 1] === ":")));
    if (skipCost === 0 || isOfText) return;
    push(position + 1, {
      ...thread,
      cost: cost + skipCost,
      pieces: { kind: "free", start: position, end: position + 1, before: pieces },
    });
  }

  /** Follows an instruction with the next token, or ends there. */
  private follow(template: Template, instruction: Instruction, thread: Thread, step: Step): void {
    const { at, cost, pieces, open, filled } = thread;
    const { position, push } = step;
    if (instruction.op === "accept") {
      if (step.isEnd(position, isText(pieces)))
        step.fits.push({
          ...{ cost, start: step.start, end: position, pieces },
          hasSlot: filled.length > 0 || pieces?.kind === "slot",
        });
    } else if (instruction.op === "word") {
      // Of "post parcel 4" the noun in "post it".
      const isNounOfIt =
        template.program[at + 1]?.op === "slot" &&
        !prepositions.has(instruction.word) &&
        readAnaphor(this.request.words, position) !== undefined;
      if (isNounOfIt && template.isLoose !== true && pieces !== undefined && open === -1)
        step.stack.push({ ...thread, at: at + 1 });
      const next = template.program[at + 1];
      // "close tickets 3 and 4"
      const isBeforeNumber = next?.op === "slot" && template.slots.get(next.name)?.kind === "number";
      const isPlural = isBeforeNumber && this.request.words[position] === `${instruction.word}s`;
      const spelling = isPlural ? 0 : this.spellingCost(template, instruction.word, position);
      if (spelling === undefined) return;
      push(position + 1, {
        ...thread,
        at: at + 1,
        cost: cost + spelling,
        pieces: { kind: "word", start: position, end: position + 1, before: pieces },
      });
    } else if (instruction.op === "slot") {
      this.fill(template, instruction.name, thread, step);
    }
  }

  /** Fills a slot with each value that starts here. */
  private fill(template: Template, name: string, thread: Thread, step: Step): void {
    const { at, cost, pieces, open, filled } = thread;
    const { position, push } = step;
    const type = template.slots.get(name);
    if (type === undefined || (open === -1 && filled.includes(name))) return;
    if (!isReadable(type)) this.takeText(template, name, thread, step);
    for (const { value, end } of readSlot(type, this.request, position)) {
      // Beside a phrase "it" is no choice.
      if (type.kind === "enum" && value === anaphor && pieces === undefined) continue;
      push(end, {
        ...thread,
        at: at + 1,
        cost: cost + costs.value * (end - position),
        pieces: { kind: "slot", start: position, end, name, value, before: pieces },
        filled: [...filled, name],
      });
    }
  }

  /** What it costs to take a token for a word of a phrase; undefined if it is another word. */
  private spellingCost({ isExact }: Template, wanted: string, position: number): number | undefined {
    const word = this.request.words[position];
    if (word === wanted) return 0;
    if (word === undefined || isExact === true || !this.meaningsOf(word).includes(wanted)) return undefined;
    return costs.mistyped;
  }

  /** Begins or continues a text with the next token, ends it, or lets a date stand within it. */
  private takeText(template: Template, name: string, thread: Thread, step: Step): void {
    const { at, cost, pieces, open, filled } = thread;
    const { position, push, stack } = step;
    if (open === -1) {
      this.beginText(template, name, thread, step);
      return;
    }
    const hasWord = position < this.request.words.length;
    if (hasWord && position - open < maxTextTokens && this.edges.mayHold(position))
      push(position + 1, { ...thread, cost: cost + costs.text });
    if (position === open) return;
    const piece: Piece = { kind: "slot", start: open, end: position, name, before: pieces };
    if (this.edges.mayEnd(position))
      stack.push({ at: at + 1, cost, pieces: piece, open: -1, filled: [...filled, name] });
    if (hasWord && this.edges.hasDate(position)) this.passDate(template, piece, thread, step);
  }

  private beginText(template: Template, name: string, thread: Thread, { position, push, goesOn }: Step): void {
    const { cost, pieces } = thread;
    const word = this.request.words[position];
    if (this.followsBareValue(template, pieces, position)) return;
    const hasVerb = goesOn || piecesOf(pieces).some(({ kind }) => kind === "word");
    if (!hasVerb && this.leads.has(word ?? "")) return;
    if (word !== undefined && this.edges.mayBegin(position))
      push(position + 1, { ...thread, cost: cost + costs.text + costs.openText, open: position });
    if (position === this.lackingAt) this.lacking ??= name;
  }

  /** Continues a text behind a date within it. */
  private passDate({ anywhere }: Template, piece: Piece, { at, cost, filled }: Thread, { position, push }: Step): void {
    for (const fit of this.modifiersAt(anywhere, position)) {
      const taken = namesIn(fit, anywhere);
      if (taken.some((each) => filled.includes(each)) || !this.edges.mayHold(fit.end)) continue;
      push(fit.end + 1, {
        at,
        cost: cost + costs.modifier + fit.cost + costs.text,
        pieces: joinPieces(piece, fit.pieces),
        open: fit.end,
        filled: [...filled, ...taken],
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

  /** The templates that fit at a token, beside the phrase. */
  private modifiersAt(anywhere: readonly Template[], position: number): readonly Fit[] {
    return anywhere.flatMap((template) => {
      let known = this.modifiers.get(template);
      if (known === undefined) {
        known = new Map();
        this.modifiers.set(template, known);
      }
      let fits = known.get(position);
      if (fits === undefined) {
        const limit = Math.min(this.request.words.length, position + maxModifierTokens);
        fits = this.run(template, { start: position, limit, isEnd: (end) => end > position }).filter((fit) =>
          this.fitsOwnSchemas(template, fit),
        );
        known.set(position, fits);
      }
      return fits;
    });
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

interface Step {
  readonly threads: Thread[];
  readonly position: number;
  readonly start: number;
  readonly fits: Fit[];
  /** Threads that are followed next, at the same token. */
  readonly stack: Thread[];
  /** True if a verb was said before the run. */
  readonly goesOn: boolean;
  push(position: number, thread: Thread): void;
  isEnd(position: number, isText: boolean): boolean;
}

/** True if the last piece is a text. */
function isText(piece: Piece | undefined): boolean {
  return piece?.kind === "slot" && piece.value === undefined;
}

/** The pieces of a fit behind others. */
function joinPieces(before: Piece | undefined, pieces: Piece | undefined): Piece | undefined {
  return pieces === undefined ? before : { ...pieces, before: joinPieces(before, pieces.before) };
}

/** The slots that a fit beside the phrase fills; a list may be filled more than once. */
function namesIn({ pieces }: Fit, template: readonly Template[]): readonly string[] {
  return piecesOf(pieces).flatMap(({ name }) => {
    const isList = template.some(({ slots }) => name !== undefined && slots.get(name)?.kind === "list");
    return name === undefined || isList ? [] : [name];
  });
}

/** The pieces of a fit in their order. */
export function piecesOf(last: Piece | undefined): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let piece = last; piece !== undefined; piece = piece.before) pieces.push(piece);
  return pieces.reverse();
}
