import type { DateClock, ReadDates } from "../../dates/read-dates.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import { type Clause, splitClauses } from "./clauses.ts";
import { contentEnds, contentStarts, isCourtesy } from "./courtesy.ts";
import { findDates, type RequestDate } from "./request-dates.ts";

/** A request as the matcher reads it. */
export interface MatchInput {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The tokens as they are compared; a quoted text is not a word. */
  readonly words: readonly string[];
  readonly clauses: readonly Clause[];
  /** For each position between tokens, the clause that may end there, plus 1; 0 where none may. */
  readonly endsClause: Int32Array;
  readonly clock: DateClock;
  /** In their order. */
  readonly dates: readonly RequestDate[];
  /** By each token that they may be said from: also from "at" and "on". */
  readonly datesByStart: ReadonlyMap<number, RequestDate>;
  /** The work done for the request so far. */
  readonly work: WorkMeter;
}

/** Represents a quoted text among the words: no phrase contains it. */
const quotedWord = '"';

/** How to read a request. */
interface ReadRequestOptions {
  readonly work?: WorkMeter;
  /** Without it, the request has no dates. */
  readonly readDates?: ReadDates | undefined;
}

/** Reads a request, up to one token beyond the limit. Linear in its length. */
export function readRequest(text: string, clock: DateClock, options: ReadRequestOptions = {}): MatchInput {
  const { work = new WorkMeter(), readDates } = options;
  const tokens = tokenize(text, maxTokens);
  const words = tokens.map(({ kind, norm }) => (kind === "quote" ? quotedWord : norm));
  const dates = readDates === undefined ? [] : findDates({ text, tokens }, clock, readDates);
  const datesByStart = new Map(dates.flatMap((date) => startsOfDate(date).map((start) => [start, date])));
  return cutRequest({ text, tokens, words, clock, dates, datesByStart, work }, splitClauses(tokens));
}

/** The same request in other clauses. */
export function cutRequest(request: Omit<MatchInput, "clauses" | "endsClause">, cut: readonly Clause[]): MatchInput {
  const { tokens, words } = request;
  const clauses = dropCourtesies(cut, words);
  const endsClause = new Int32Array(tokens.length + 1);
  for (const [index, { start, end }] of clauses.entries()) {
    for (const position of contentEnds(words, start, end)) endsClause[position] = index + 1;
  }
  return { ...request, clauses, endsClause };
}

function startsOfDate({ start, leadStart, preposition }: RequestDate): readonly number[] {
  return preposition === "at" || preposition === "on" ? [start, leadStart] : [start];
}

/** Removes the clauses that are only "thanks" or "hello there". */
function dropCourtesies(clauses: readonly Clause[], words: readonly string[]): readonly Clause[] {
  const kept: Clause[] = [];
  for (const clause of clauses) {
    const last = kept.at(-1);
    if (!isCourtesy(words, clause.start, clause.end)) kept.push(clause);
    else if (last !== undefined && clause.endsHard) kept[kept.length - 1] = { ...last, endsHard: true };
  }
  return kept;
}

const knownStarts = new WeakMap<Clause, readonly number[]>();

/** Where the content of a clause may start. */
export function startsOf({ words, clauses }: MatchInput, index: number): readonly number[] {
  const clause = clauses[index];
  if (clause === undefined) return [];
  let starts = knownStarts.get(clause);
  if (starts === undefined) {
    starts = contentStarts(words, clause.start, clause.end);
    knownStarts.set(clause, starts);
  }
  return starts;
}

/** The request's own text from one token to before another. */
export function textBetween({ text, tokens }: MatchInput, start: number, end: number): string {
  const first = tokens[start];
  const last = tokens[end - 1];
  return first === undefined || last === undefined || end <= start ? "" : text.slice(first.start, last.end);
}

/** How much the rules may do for one request, in steps of some 50 ns. Long requests that people write take 20 000. */
export const maxWork = 600_000;
/** How many words and signs a request may have; a quoted text is one. */
export const maxTokens = 4_000;

/** Counts the work done for one request: a measure that depends on no clock and no machine. */
export class WorkMeter {
  done = 0;

  constructor(private readonly limit = maxWork) {}

  /** Adds steps. Throws {@link TooMuchWork} beyond the limit. */
  spend(steps: number): void {
    this.done += steps;
    if (this.done > this.limit) throw new TooMuchWork();
  }
}

/** A request can be read in so many ways that the rules give up. */
export class TooMuchWork extends Error {}
