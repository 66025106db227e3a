import { isArticle, isFiller } from "./courtesy.ts";
import type { MatchInput } from "./match-input.ts";
import type { Spelling } from "./phrase-index.ts";
import { type ChoiceTable, operation, type PhraseProgram, type SlotSpec } from "./phrase-program.ts";
import { isReadable, readSlot, type SlotReading } from "./slot-reading.ts";

/** A slot and the tokens it took; a linked list, the last slot first. */
export interface Capture {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
  /** The value that was read from the tokens; undefined for a text or a list. */
  readonly value: SlotReading["value"] | undefined;
  readonly before: Capture | undefined;
}

/** One way in which a phrase fits. */
export interface PhraseFit {
  readonly lastClause: number;
  readonly cost: number;
  readonly captures: Capture | undefined;
  readonly start: number;
  readonly end: number;
}

/** One reading of the tokens so far: the position in the program, and what it has taken. */
interface Thread {
  readonly at: number;
  readonly cost: number;
  readonly captures: Capture | undefined;
  /** The first token of a text that is still open, or -1. */
  readonly open: number;
}

const fillerCost = 1;
const articleCost = 3;
const mistypedCost = 15;
const slotOpenCost = 1;
/** A longer text must be in quotes, where it is one token. */
const maxTextTokens = 1_000;
/** Grows with every position of every run, so that no program's `seen` has to be cleared. */
let generation = 0;

/**
 * Runs one phrase over the tokens, from one start on.
 *
 * A Pike machine with costs: at each position only the cheapest thread of an instruction survives, so time is at most
 * the tokens times the size of the program, and no phrase or request can make it backtrack. At a choice, the next word
 * selects the alternatives to try.
 */
export class PhraseRun {
  /** A text that the first clause lacks at its end. */
  missing: string | undefined;
  /** Threads by position: at the next token, or after a value of several tokens. */
  private next: Thread[] = [];
  private readonly later = new Map<number, Thread[]>();
  private readonly fits: PhraseFit[] = [];
  private readonly stack: number[] = [];
  private position = -1;
  private start = 0;
  private firstClause = 0;
  private word: string | undefined;
  private meanings: readonly string[] = [];
  private skipCost = 0;

  constructor(
    private readonly program: PhraseProgram,
    private readonly input: MatchInput,
    private readonly spelling: Spelling,
  ) {}

  /** Every fit that starts at a token of the first clause and ends where a clause ends, up to a position. */
  run(firstClause: number, { start, end }: { start: number; end: number }): readonly PhraseFit[] {
    this.firstClause = firstClause;
    this.start = start;
    this.next = [{ at: 0, cost: 0, captures: undefined, open: -1 }];
    for (let position = start; position <= end && (this.next.length > 0 || this.later.size > 0); position++) {
      for (const thread of this.arrive(position)) this.follow(thread);
    }
    return this.fits;
  }

  /** Moves to a position; returns the threads there, the cheapest first. */
  private arrive(position: number): readonly Thread[] {
    generation++;
    this.input.work.spend(1);
    this.position = position;
    this.word = this.input.words[position];
    const word = this.word ?? "";
    this.meanings = this.spelling.meaningsOf(word);
    this.skipCost = isFiller(word) ? fillerCost : isArticle(word) ? articleCost : 0;
    const threads = this.next;
    this.next = [];
    const others = this.later.get(position);
    if (others !== undefined) {
      this.later.delete(position);
      threads.push(...others);
    }
    // The sort keeps the order of equal costs, which is that of the phrase: first alternatives, earlier slots longer.
    return threads.length > 1 ? threads.sort((left, right) => left.cost - right.cost) : threads;
  }

  /** Follows a thread to every instruction that takes a token. */
  private follow(thread: Thread): void {
    const { seen } = this.program;
    let steps = 0;
    let current = thread;
    this.stack.push(thread.at);
    for (let at = this.stack.pop(); at !== undefined; at = this.stack.pop()) {
      if (seen[at] === generation) continue;
      seen[at] = generation;
      steps++;
      current = this.visit(at, current);
    }
    this.input.work.spend(steps);
  }

  /** Executes an instruction; returns the thread after it, which differs only where a text was closed. */
  private visit(at: number, thread: Thread): Thread {
    const { code, a, choices } = this.program;
    const target = a[at] ?? 0;
    switch (code[at]) {
      case operation.jump:
        this.stack.push(target);
        return thread;
      case operation.choice: {
        const choice = choices[target];
        if (choice === undefined) return thread;
        const { table, entries } = choice;
        const alternatives = this.alternatives(table);
        for (let index = alternatives.length - 1; index >= 0; index--) {
          this.stack.push(entries[alternatives[index] ?? 0] ?? 0);
        }
        return thread;
      }
      case operation.word:
        this.takeWord(at, thread, this.program.words[target] ?? "");
        return thread;
      case operation.textMore:
        return this.closeText(at, thread, target);
      case operation.accept:
        this.accept(thread);
        return thread;
      default:
        this.takeSlot(at, thread, target);
        return thread;
    }
  }

  /** The alternatives that the token may start; all, if it may be skipped before any of their words. */
  private alternatives({ byWord, open, all }: ChoiceTable): readonly number[] {
    if (this.skipCost > 0) return all;
    const [first] = this.meanings;
    if (first === undefined) return open;
    if (this.meanings.length === 1) return byWord.get(first) ?? open;
    return [...new Set(this.meanings.flatMap((word) => byWord.get(word) ?? open))];
  }

  /** Skips a token without meaning, once the phrase has started. */
  private skip(at: number, { cost, captures, open }: Thread): void {
    if (this.skipCost === 0 || this.position === this.start) return;
    this.next.push({ at, cost: cost + this.skipCost, captures, open });
  }

  private takeWord(at: number, thread: Thread, wanted: string): void {
    const { cost, captures, open } = thread;
    if (this.word === wanted) {
      this.next.push({ at: at + 1, cost, captures, open });
      return;
    }
    if (this.meanings.includes(wanted)) this.next.push({ at: at + 1, cost: cost + mistypedCost, captures, open });
    this.skip(at, thread);
  }

  /** Takes one more token of a text, and also continues after it. */
  private closeText(at: number, { cost, captures, open }: Thread, slot: number): Thread {
    const perToken = this.program.slots[slot]?.cost ?? 0;
    if (this.word !== undefined && this.position - open < maxTextTokens) {
      this.next.push({ at, cost: cost + perToken, captures, open });
    }
    this.stack.push(at + 1);
    const closed: Capture = { slot, start: open, end: this.position, value: undefined, before: captures };
    return { at, cost, captures: closed, open: -1 };
  }

  private takeSlot(at: number, thread: Thread, slot: number): void {
    const spec = this.program.slots[slot];
    if (spec === undefined) return;
    const { cost, captures } = thread;
    const isValue = isReadable(spec.type);
    // Other values of a phrase are mostly optional: only a text that comes first counts as missing.
    const isEnd = this.input.endsClause[this.position] === this.firstClause + 1;
    if (isEnd && !isValue && captures === undefined) this.missing ??= spec.name;
    if (this.word === undefined) return;
    const isSkipped = isFiller(this.word);
    if (isValue || isSkipped) this.skip(at, thread);
    if (isValue) this.takeValue(at, thread, { slot, spec });
    else if (!isSkipped) {
      this.next.push({ at: at + 1, cost: cost + spec.cost + slotOpenCost, captures, open: this.position });
    }
  }

  private takeValue(at: number, { cost, captures }: Thread, { slot, spec }: { slot: number; spec: SlotSpec }): void {
    for (const { value, end } of readSlot(spec.type, this.input, this.position)) {
      const captured: Capture = { slot, start: this.position, end, value, before: captures };
      const total = cost + spec.cost * (end - this.position) + slotOpenCost;
      const behind: Thread = { at: at + 1, cost: total, captures: captured, open: -1 };
      const waiting = this.later.get(end);
      if (end === this.position + 1) this.next.push(behind);
      else if (waiting === undefined) this.later.set(end, [behind]);
      else waiting.push(behind);
    }
  }

  private accept({ cost, captures }: Thread): void {
    const lastClause = (this.input.endsClause[this.position] ?? 0) - 1;
    if (lastClause < this.firstClause) return;
    this.fits.push({ lastClause, cost: this.rank(cost, captures), captures, start: this.start, end: this.position });
  }

  /** The cost with the slots at the rank by which phrases are compared. */
  private rank(cost: number, captures: Capture | undefined): number {
    let rank = cost;
    for (let capture = captures; capture !== undefined; capture = capture.before) {
      const spec = this.program.slots[capture.slot];
      if (spec !== undefined) rank -= (spec.cost - spec.rank) * (capture.end - capture.start);
    }
    return rank;
  }
}
