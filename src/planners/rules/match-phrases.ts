import { isFiller } from "./courtesy.ts";
import { startsOf, type MatchInput } from "./match-input.ts";
import { operation, type PhraseProgram } from "./phrase-program.ts";
import { anaphor, readSlot, type SlotReading } from "./slot-reading.ts";
import type { ToolRules } from "./tool-rules.ts";
import { isMistyped } from "./typing-mistake.ts";

/** A slot and the tokens it took; a chain, the last slot first. */
export interface Capture {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
  /** The value that was read from the tokens; undefined for a text or a list. */
  readonly value: SlotReading["value"] | undefined;
  readonly before: Capture | undefined;
}

/** A phrase that fits the request from one clause to the end of another. */
export interface PhraseMatch {
  readonly rules: ToolRules;
  readonly phraseIndex: number;
  readonly firstClause: number;
  readonly lastClause: number;
  /** The less, the better the phrase accounts for the words. */
  readonly cost: number;
  readonly captures: Capture | undefined;
  /** The tokens without courtesies. */
  readonly start: number;
  readonly end: number;
}

const courtesyCost = 3;
const fillerCost = 1;
const articleCost = 3;
const mistypedCost = 15;
const slotOpenCost = 1;
const articles = new Set(["the", "a", "an", "please", "just", "also"]);
/** A match of more than one clause is no longer than this, so that trying from each clause stays linear. */
const maxJoinedTokens = 192;
const maxJoinedClauses = 48;

/** A way to read the tokens so far: where the program stands, and what it has taken. */
interface Thread {
  readonly at: number;
  readonly cost: number;
  readonly captures: Capture | undefined;
  readonly start: number;
}

/**
 * Runs all phrases of a tool at once over the clauses from one on, and gives every match that ends where a clause ends.
 *
 * A Pike machine with costs: for each instruction only the cheapest thread lives on, so time is the tokens times the size
 * of the program at most, and no phrase or request can make it go back.
 */
export class PhraseMatcher {
  private readonly program: PhraseProgram;
  private readonly wordIds: Int32Array;
  private readonly seen: Int32Array;
  private generation = 0;
  private pending: (Thread[] | undefined)[] = [];
  private origin = 0;
  private matches: PhraseMatch[] = [];
  private missing: string | undefined;
  private firstClause = 0;

  constructor(
    private readonly rules: ToolRules,
    private readonly input: MatchInput,
  ) {
    this.program = rules.program;
    this.seen = new Int32Array(rules.program.code.length);
    this.wordIds = Int32Array.from(input.words, (word) => this.program.wordIds.get(word) ?? -1);
  }

  /** Every match that begins with a clause. */
  matchFrom(firstClause: number): readonly PhraseMatch[] {
    const { clauses } = this.input;
    this.firstClause = firstClause;
    this.matches = [];
    this.missing = undefined;
    const first = clauses[firstClause];
    if (first === undefined) return [];
    this.origin = first.start;
    this.pending = [];
    for (const start of startsOf(this.input, firstClause)) this.enter(start, (start - first.start) * courtesyCost);
    for (let position = first.start; position <= this.reach(firstClause); position++) {
      const threads = this.pending[position - this.origin];
      if (threads !== undefined) this.step(threads, position);
      else if (this.pending.length <= position - this.origin) break;
    }
    return this.matches;
  }

  /** The slot that lacks its words where the clause ends, after `matchFrom`; undefined if none does. */
  missingSlot(): string | undefined {
    return this.missing;
  }

  /** The last position a match from this clause may reach. */
  private reach(firstClause: number): number {
    const { clauses } = this.input;
    const first = clauses[firstClause];
    if (first === undefined) return 0;
    let end = first.end;
    for (let index = firstClause; index - firstClause < maxJoinedClauses && clauses[index]?.endsHard === false; index++) {
      const next = clauses[index + 1];
      if (next === undefined || next.end - first.start > maxJoinedTokens) break;
      end = next.end;
    }
    return end;
  }

  private enter(position: number, cost: number): void {
    const { entriesByWord, openEntries, words } = this.program;
    const id = this.wordIds[position] ?? -1;
    const add = (at: number) => this.add(position, { at, cost, captures: undefined, start: position });
    for (const at of entriesByWord.get(id) ?? []) add(at);
    for (const at of openEntries) add(at);
    if (id !== -1) return;
    const typed = this.input.words[position] ?? "";
    for (const [wordId, entries] of entriesByWord) {
      if (isMistyped(typed, words[wordId] ?? "")) for (const at of entries) add(at);
    }
  }

  private add(position: number, thread: Thread): void {
    const index = position - this.origin;
    const threads = this.pending[index];
    if (threads === undefined) this.pending[index] = [thread];
    else threads.push(thread);
  }

  private step(threads: Thread[], position: number): void {
    this.pending[position - this.origin] = undefined;
    this.generation++;
    // The sort keeps the order of equal costs, which is that of the phrase: optional parts first, earlier slots longer.
    if (threads.length > 1) threads.sort((left, right) => left.cost - right.cost);
    for (const thread of threads) this.follow(thread, position);
  }

  /** Follows a thread to every instruction that takes a token. */
  private follow(thread: Thread, position: number): void {
    const { code, a, b } = this.program;
    const stack = [thread];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { at } = next;
      if (this.seen[at] === this.generation) continue;
      this.seen[at] = this.generation;
      this.input.work++;
      const target = a[at] ?? 0;
      switch (code[at]) {
        case operation.jump:
          stack.push({ ...next, at: target });
          break;
        case operation.split:
          stack.push({ ...next, at: b[at] ?? 0 }, { ...next, at: target });
          break;
        case operation.textEnd:
          stack.push({ ...next, at: at + 1, captures: closeCapture(next.captures, position) });
          break;
        case operation.accept:
          this.accept(next, target, position);
          break;
        default:
          this.take(next, position);
      }
    }
  }

  private take(thread: Thread, position: number): void {
    const { code, a, slots } = this.program;
    const slot = a[thread.at] ?? 0;
    const word = this.input.words[position];
    const kind = code[thread.at];
    if (kind === operation.word) {
      if (word !== undefined) this.takeWord(thread, position, slot, word);
      return;
    }
    const spec = slots[slot];
    if (spec === undefined) return;
    if (word === undefined || this.input.endsClause[position] !== 0) {
      if (kind !== operation.textMore && this.isEndOfFirst(position)) this.missing ??= spec.name;
      if (word === undefined) return;
    }
    if (kind === operation.textMore) {
      this.add(position + 1, { ...thread, at: thread.at + 1, cost: thread.cost + spec.cost });
      return;
    }
    if (isFiller(word)) {
      this.add(position + 1, { ...thread, cost: thread.cost + fillerCost });
      return;
    }
    const before = thread.captures;
    if (kind === operation.textFirst) {
      const captures = { slot, start: position, end: -1, value: undefined, before };
      this.add(position + 1, { ...thread, at: thread.at + 1, cost: thread.cost + spec.cost + slotOpenCost, captures });
      return;
    }
    for (const { value, end } of readSlot(spec.type, this.input.words, position, this.input.clock)) {
      const captures: Capture = { slot, start: position, end, value, before };
      const cost = thread.cost + spec.cost * (end - position) + slotOpenCost;
      this.add(end, { ...thread, at: thread.at + 1, cost, captures });
    }
    if (articles.has(word)) this.add(position + 1, { ...thread, cost: thread.cost + articleCost });
  }

  private takeWord(thread: Thread, position: number, wordId: number, word: string): void {
    const forward = (cost: number, at: number) => this.add(position + 1, { ...thread, at, cost: thread.cost + cost });
    if (this.wordIds[position] === wordId) {
      forward(0, thread.at + 1);
      return;
    }
    if (isMistyped(word, this.program.words[wordId] ?? "")) forward(mistypedCost, thread.at + 1);
    if (thread.start === position) return;
    if (isFiller(word)) forward(fillerCost, thread.at);
    else if (articles.has(word)) forward(articleCost, thread.at);
  }

  private isEndOfFirst(position: number): boolean {
    return this.input.endsClause[position] === this.firstClause + 1;
  }

  private accept(thread: Thread, phraseIndex: number, position: number): void {
    const lastClause = (this.input.endsClause[position] ?? 0) - 1;
    if (lastClause < this.firstClause) return;
    const end = this.input.clauses[lastClause]?.end ?? position;
    const trailing = (end - position) * courtesyCost;
    this.matches.push({
      rules: this.rules,
      phraseIndex,
      firstClause: this.firstClause,
      lastClause,
      cost: this.rank(thread) + trailing,
      captures: thread.captures,
      start: thread.start,
      end: position,
    });
  }

  /** The cost of the thread with its slots as phrases are compared. */
  private rank({ cost, captures }: Thread): number {
    let rank = cost;
    for (let capture = captures; capture !== undefined; capture = capture.before) {
      const spec = this.program.slots[capture.slot];
      if (spec !== undefined) rank -= (spec.cost - spec.rank) * (capture.end - capture.start);
    }
    return rank;
  }
}

function closeCapture(open: Capture | undefined, end: number): Capture | undefined {
  return open && { ...open, end };
}

/** Whether the slot stands for an earlier result. */
export function isAnaphor(value: Capture["value"]): boolean {
  return value === anaphor;
}
