import { parseWith } from "../../core/schema.ts";
import { functionWords } from "../../english/verb-groups.ts";
import { isArticle, isFiller } from "./courtesy.ts";
import { isCapital, type RequestText, textBetween } from "./request.ts";
import { isDate, isReadable, readSlot, type SlotReading, type SlotType } from "./slots.ts";
import type { Instruction } from "./template.ts";
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
      this.advance(template, { threads, position, push, start, isEnd, fits, goesOn: from > 0 });
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

  private advance(template: Template, { threads, position, push, start, isEnd, fits, goesOn }: Step): void {
    const { program, slots, anywhere } = template;
    const seen = new Set<number>();
    const stack: Thread[] = [];
    const word = this.request.words[position];
    const skipCost =
      word === undefined || position === start ? 0 : this.skipCost(position, word, template.isLoose === true);
    const isSkippedArticle = skipCost === costs.article;
    for (const first of threads) {
      stack.push(first);
      for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
        const { at, cost, pieces, open, filled } = thread;
        // A text that is open, and one that has just begun, are two states.
        const key = at * 2 + (open === -1 ? 0 : 1);
        if (seen.has(key)) continue;
        seen.add(key);
        this.work.spend(1);
        const instruction = program[at];
        if (instruction === undefined) continue;
        if (instruction.op === "split") {
          for (let index = instruction.to.length - 1; index >= 0; index--)
            stack.push({ ...thread, at: instruction.to[index] ?? 0 });
          continue;
        }
        if (instruction.op === "jump") {
          stack.push({ ...thread, at: instruction.to });
          continue;
        }
        if (open === -1) {
          for (const fit of anywhere.length === 0 || word === undefined ? [] : this.modifiersAt(anywhere, position)) {
            const taken = namesIn(fit, anywhere);
            if (taken.some((name) => filled.includes(name))) continue;
            const joined = joinPieces(pieces, fit.pieces);
            push(fit.end, {
              ...thread,
              cost: cost + costs.modifier + fit.cost + (fit.hasSlot ? 0 : costs.bareModifier),
              pieces: joined,
              filled: [...filled, ...taken],
            });
          }
          // "watch The List"
          if (skipCost > 0 && !(isSkippedArticle && pieces?.kind === "slot" && pieces.value === undefined))
            push(position + 1, {
              ...thread,
              cost: cost + skipCost,
              pieces: { kind: "free", start: position, end: position + 1, before: pieces },
            });
        }
        if (instruction.op === "accept") {
          const last = pieces?.kind === "slot" && pieces.value === undefined;
          if (isEnd(position, last))
            fits.push({ cost, start, end: position, pieces, hasSlot: filled.length > 0 || pieces?.kind === "slot" });
        } else if (instruction.op === "word") {
          if (word === undefined) continue;
          const isSame = word === instruction.word;
          if (!isSame && (template.isExact === true || !this.meaningsOf(word).includes(instruction.word))) continue;
          push(position + 1, {
            ...thread,
            at: at + 1,
            cost: cost + (isSame ? 0 : costs.mistyped),
            pieces: { kind: "word", start: position, end: position + 1, before: pieces },
          });
        } else {
          const { name } = instruction;
          const type = slots.get(name);
          if (type === undefined || (open === -1 && filled.includes(name))) continue;
          if (isReadable(type)) {
            for (const { value, end } of readSlot(type, this.request, position))
              push(end, {
                ...thread,
                at: at + 1,
                cost: cost + costs.value * (end - position),
                pieces: { kind: "slot", start: position, end, name, value, before: pieces },
                filled: [...filled, name],
              });
            continue;
          }
          this.takeText(thread, { name, position, anywhere, push, stack, goesOn });
        }
      }
    }
  }

  /** Begins or continues a text with the next token, ends it, or lets a date stand within it. */
  private takeText(
    { at, cost, pieces, open, filled }: Thread,
    { name, position, anywhere, push, stack, goesOn }: TextStep,
  ): void {
    const word = this.request.words[position];
    const isNew = open === -1;
    const isLong = !isNew && position - open >= maxTextTokens;
    if (isNew && this.followsBareValue(pieces, position)) return;
    if (isNew && !piecesOf(pieces).some(({ kind }) => kind === "word") && this.leads.has(word ?? "") && !goesOn) return;
    if (word !== undefined && !isLong && (isNew ? this.edges.mayBegin(position) : this.edges.mayHold(position))) {
      const more = costs.text + (isNew ? costs.openText : 0);
      push(position + 1, { at, cost: cost + more, pieces, open: isNew ? position : open, filled });
    }
    if (isNew && position === this.lackingAt) this.lacking ??= name;
    if (isNew || position === open) return;
    const piece: Piece = { kind: "slot", start: open, end: position, name, before: pieces };
    if (this.edges.mayEnd(position))
      stack.push({ at: at + 1, cost, pieces: piece, open: -1, filled: [...filled, name] });
    if (word === undefined || !this.edges.hasDate(position)) return;
    for (const fit of this.modifiersAt(anywhere, position)) {
      const taken = namesIn(fit, anywhere);
      if (taken.some((each) => filled.includes(each)) || !this.edges.mayHold(fit.end)) continue;
      // The text continues behind the date.
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
  private followsBareValue(pieces: Piece | undefined, position: number): boolean {
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
  readonly goesOn: boolean;
  push(position: number, thread: Thread): void;
  isEnd(position: number, isText: boolean): boolean;
}

interface TextStep {
  readonly name: string;
  readonly position: number;
  readonly anywhere: readonly Template[];
  readonly stack: Thread[];
  /** True if a verb was said before the run. */
  readonly goesOn: boolean;
  push(position: number, thread: Thread): void;
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
