import type { ClauseReading } from "../../core/clause-reader.ts";
import { type MatchInput, startsOf } from "./match-input.ts";
import { type PhraseIndex, Spelling } from "./phrase-index.ts";
import { type Capture, type PhraseFit, PhraseRun } from "./phrase-run.ts";
import type { ToolRules } from "./tool-rules.ts";

/** A phrase that fits the request from one clause to the end of another. */
export interface PhraseMatch {
  readonly rules: ToolRules;
  readonly phraseIndex: number;
  readonly firstClause: number;
  readonly lastClause: number;
  /** The lower, the better the phrase accounts for the words. */
  readonly cost: number;
  readonly captures: Capture | undefined;
  /** How a trained reader understands it, where no phrase fits. */
  readonly reading?: ClauseReading;
  /** How sure it is that this is meant, where the phrase is only the nearest example. */
  readonly likeness?: Likeness;
  /** The next best reading of the same words, where it was understood without a phrase. */
  readonly next?: { readonly tool: string; readonly meaning: string; readonly probability: number };
  /** The tokens without courtesies. */
  readonly start: number;
  readonly end: number;
}

/** How some words are like an example. */
export interface Likeness {
  /** How sure it is that the same is meant, from 0 to 1. */
  readonly probability: number;
  /** The tokens that examples with this meaning have, too. */
  readonly known: ReadonlySet<number>;
}

const courtesyCost = 3;
/** A match of more than one clause is no longer than this in tokens, so that trying from each clause stays linear. */
const maxJoinedTokens = 192;
const minJoinedTokens = 32;
/** How many tokens are tried from all clauses together: the more clauses, the fewer from each. */
const maxTriedTokens = 12_000;

/** Steps of work for looking up which phrases may start in a clause. */
const clauseCost = 100;

/** Finds the phrases of a tool that fit parts of a request. */
export class PhraseMatcher {
  private readonly spelling: Spelling;
  private readonly possible: readonly boolean[];
  private readonly isPossible: boolean;
  private missing: string | undefined;

  constructor(
    private readonly rules: ToolRules,
    private readonly input: MatchInput,
  ) {
    this.spelling = new Spelling(rules.index);
    this.possible = possiblePhrases(rules.index, input, this.spelling);
    this.isPossible = this.possible.includes(true);
  }

  /** Every match that starts with a clause and ends where one ends. */
  matchFrom(firstClause: number): readonly PhraseMatch[] {
    this.missing = undefined;
    const matches: PhraseMatch[] = [];
    const first = this.input.clauses[firstClause];
    // Of many tools most have no phrase whose words are all there.
    if (first === undefined || !this.isPossible) return matches;
    const end = this.reach(firstClause);
    this.input.work.spend(clauseCost);
    for (const [phraseIndex, starts] of this.startsByPhrase(firstClause)) {
      const program = this.rules.rules[phraseIndex]?.program();
      if (program === undefined) continue;
      // Each start by itself: a text without its courtesies is not the same text any more.
      for (const start of starts) {
        const run = new PhraseRun(program, this.input, this.spelling);
        for (const fit of run.run(firstClause, { start, end }))
          matches.push(this.toMatch(phraseIndex, firstClause, fit));
        this.missing ??= run.missing;
      }
    }
    return matches;
  }

  private toMatch(phraseIndex: number, firstClause: number, fit: PhraseFit): PhraseMatch {
    const { clauses } = this.input;
    const { lastClause, captures, start, end } = fit;
    const before = start - (clauses[firstClause]?.start ?? start);
    const behind = (clauses[lastClause]?.end ?? end) - end;
    const cost = fit.cost + (before + behind) * courtesyCost;
    return { rules: this.rules, phraseIndex, firstClause, lastClause, cost, captures, start, end };
  }

  /** The text that the clause of the last `matchFrom` lacks at its end; undefined if none. */
  missingSlot(): string | undefined {
    return this.missing;
  }

  /** The phrases that may start in a clause, each with the positions where it may. */
  private startsByPhrase(firstClause: number): ReadonlyMap<number, readonly number[]> {
    const { byWord, open } = this.rules.index;
    const found = new Map<number, number[]>();
    for (const start of startsOf(this.input, firstClause)) {
      const meanings = this.spelling.meaningsOf(this.input.words[start] ?? "");
      const phrases = new Set([...meanings.flatMap((word) => byWord.get(word) ?? []), ...open]);
      // In the order of the tool: of phrases that fit equally well the first wins.
      for (const phrase of [...phrases].sort((left, right) => left - right)) {
        if (!this.possible[phrase]) continue;
        const starts = found.get(phrase);
        if (starts === undefined) found.set(phrase, [start]);
        else if (starts.at(-1) !== start) starts.push(start);
      }
    }
    return found;
  }

  /** The last position a match from this clause may reach. */
  private reach(firstClause: number): number {
    const { clauses } = this.input;
    const first = clauses[firstClause];
    if (first === undefined) return 0;
    const share = Math.floor(maxTriedTokens / clauses.length);
    const limit = first.start + Math.min(maxJoinedTokens, Math.max(minJoinedTokens, share));
    let { end } = first;
    for (let index = firstClause; clauses[index]?.endsHard === false; index++) {
      const next = clauses[index + 1];
      if (next === undefined || next.end > limit) break;
      end = next.end;
    }
    return end;
  }
}

/** Which phrases have all the words they need somewhere in the request. */
function possiblePhrases(
  { required, groupsOf }: PhraseIndex,
  input: MatchInput,
  spelling: Spelling,
): readonly boolean[] {
  const present = new Set<number>();
  for (const word of new Set(input.words)) {
    for (const meaning of spelling.meaningsOf(word)) {
      for (const group of groupsOf.get(meaning) ?? []) present.add(group);
    }
  }
  return required.map((groups) => groups.every((group) => present.has(group)));
}
