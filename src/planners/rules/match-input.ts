import { type Token, tokenize } from "../../language/tokens.ts";
import { type Clause, splitClauses } from "./clauses.ts";
import { contentEnds, contentStarts, isCourtesy } from "./courtesy.ts";
import type { DateClock } from "./dates.ts";

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
  /** The work done for the request so far. */
  readonly work: WorkMeter;
}

/** Represents a quoted text among the words: no phrase contains it. */
const quotedWord = '"';

/** Reads a request, up to one token beyond the limit. Linear in its length. */
export function readRequest(text: string, clock: DateClock, work = new WorkMeter()): MatchInput {
  const tokens = tokenize(text, maxTokens);
  const words = tokens.map(({ kind, norm }) => (kind === "quote" ? quotedWord : norm));
  return cutRequest({ text, tokens, words, clock, work }, splitClauses(tokens));
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

/** Where the content of a clause may start. */
export function startsOf({ words, clauses }: MatchInput, index: number): readonly number[] {
  const clause = clauses[index];
  return clause === undefined ? [] : contentStarts(words, clause.start, clause.end);
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
