import { likelyTools } from "./likely-tools.ts";
import { type MatchInput, TooMuchWork } from "./match-input.ts";
import { type PhraseMatch, PhraseMatcher } from "./match-phrases.ts";
import { type ClauseInputs, type EarlierResult, planClause } from "./plan-clause.ts";
import { type ClauseReaders, leftOver, noReaders, readFrom, rivalsFrom } from "./read-clauses.ts";
import { lacking, type Unfit } from "./slot-values.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The best way found to read a request from one clause on. */
interface Reading {
  readonly cost: number;
  readonly match: PhraseMatch;
  /** A phrase of another tool that fits the same words equally well. */
  readonly rival: PhraseMatch | undefined;
}

/** How a request was cut: the phrase for each part, or where that failed. */
export type Segmentation =
  | { readonly type: "cut"; readonly matches: readonly PhraseMatch[] }
  /** A part may mean two things equally well. */
  | { readonly type: "ambiguous"; readonly match: PhraseMatch; readonly rival: PhraseMatch }
  | { readonly type: "not-understood"; explain(): Failure };

/** The first part that no phrase fits, as clauses, and why, where that is known. */
interface Failure {
  readonly first: number;
  readonly last: number;
  readonly unfit: Unfit | undefined;
  /** Two readings of which either may be meant. */
  readonly rivals?: { readonly match: PhraseMatch; readonly rival: PhraseMatch };
}

/** Each part costs a little, so that of two ways that take the same words the one with fewer parts wins. */
const partCost = 4;
/** How many clauses are examined to find where understanding ended. */
const maxExamined = 64;

/** A placeholder for an earlier result until the steps before are settled. */
const someResult: EarlierResult = {
  reference: { $ref: "earlier" },
  tool: undefined,
  before: { input: {}, results: [{ $ref: "earlier" }, { $ref: "earlier" }] },
};

/**
 * Cuts a request into parts that each fit a phrase as a whole, or that a reader understands, at the least cost. Works from the last clause back to
 * the first; each keeps the best reading from there on. Only matches that make a valid input count, and none of the
 * `barred` ones.
 */
export function segmentRequest(
  tools: readonly ToolRules[],
  input: MatchInput,
  barred: readonly PhraseMatch[] = [],
  readers: ClauseReaders = noReaders,
): Segmentation {
  const count = input.clauses.length;
  const matchers = likelyTools(tools, input).map((rules) => new PhraseMatcher(rules, input));
  const readings: (Reading | undefined)[] = [];
  for (let index = count - 1; index >= 0; index--) {
    const fitting = matchers.flatMap((matcher) => matcher.matchFrom(index));
    const laterMatch = (clause: number) => readings[clause]?.match;
    const all = readers === noReaders ? fitting : [...fitting, ...readFrom(index, input, { readers, laterMatch })];
    const candidates = barred.length === 0 ? all : all.filter((match) => !isBarred(match, barred));
    const cost = input.clauses[index]?.startCost ?? 0;
    const found = bestReading(candidates, input, (next) => (next === count ? 0 : readings[next]?.cost));
    readings[index] = found && { ...found, cost: found.cost + cost };
  }
  const matches: PhraseMatch[] = [];
  for (let index = 0; index < count; ) {
    const reading = readings[index];
    if (reading === undefined)
      return { type: "not-understood", explain: () => explainFailure(matchers, input, { readings, readers }) };
    if (reading.rival !== undefined) return { type: "ambiguous", match: reading.match, rival: reading.rival };
    matches.push(reading.match);
    index = reading.match.lastClause + 1;
  }
  return { type: "cut", matches };
}

function isBarred(match: PhraseMatch, barred: readonly PhraseMatch[]): boolean {
  return barred.some(({ rules, phraseIndex, firstClause, lastClause }) => {
    const isSame = match.rules === rules && match.phraseIndex === phraseIndex && match.firstClause === firstClause;
    // All readings have one index: they differ by how far they go.
    return isSame && ((match.reading ?? match.likeness) === undefined || match.lastClause === lastClause);
  });
}

function bestReading(
  candidates: readonly PhraseMatch[],
  input: MatchInput,
  costFrom: (clause: number) => number | undefined,
): Reading | undefined {
  const ranked: { match: PhraseMatch; cost: number }[] = [];
  for (const match of candidates) {
    const rest = costFrom(match.lastClause + 1);
    if (rest !== undefined) ranked.push({ match, cost: match.cost + partCost + rest });
  }
  ranked.sort((left, right) => left.cost - right.cost);
  let best: { match: PhraseMatch; cost: number } | undefined;
  let unbound: { match: PhraseMatch; cost: number } | undefined;
  for (const { match, cost } of ranked) {
    if (best !== undefined && cost > best.cost) break;
    const isRival =
      best === undefined || (match.rules !== best.match.rules && match.lastClause === best.match.lastClause);
    if (!isRival) continue;
    const tried = tryMatch(match, input);
    if (!tried.ok) {
      if (tried.isUnbound === true) unbound ??= { match, cost };
      continue;
    }
    if (best !== undefined) return { ...best, rival: match };
    best = { match, cost };
  }
  // Words that refer to nothing known do not belong to another text either: makeSteps reports why they are refused.
  const found = best ?? unbound;
  return found && { ...found, rival: undefined };
}

/** Whether a match makes valid inputs. Async schemas are checked when the steps are made. */
function tryMatch(match: PhraseMatch, input: MatchInput): ClauseInputs | Unfit {
  const planned = planClause(match, input, match.firstClause === 0 ? undefined : someResult);
  return planned instanceof Promise ? { ok: true, inputs: [] } : planned;
}

/** Follows the request as far as phrases fit, and returns where that ends and where they fit again. */
function explainFailure(
  matchers: readonly PhraseMatcher[],
  input: MatchInput,
  { readings, readers }: { readings: readonly (Reading | undefined)[]; readers: ClauseReaders },
): Failure {
  const count = input.clauses.length;
  const reached = new Set([0]);
  let first = 0;
  let unfit: Unfit | undefined;
  for (const index of reached) {
    if (index >= count || reached.size > maxExamined) continue;
    const found = tryExamine(matchers, input, index);
    if (found === undefined) break;
    for (const next of found.flatMap(({ ends }) => ends)) reached.add(next);
    if (index < first) continue;
    first = index;
    unfit = found.find((each) => each.unfit !== undefined)?.unfit;
  }
  let last = first;
  while (last + 1 < count && readings[last + 1] === undefined && input.clauses[last]?.endsHard === false) last++;
  const [match, rival] = rivalsFrom(first, input, readers);
  if (match !== undefined && rival !== undefined && unfit === undefined)
    return { first, last, unfit, rivals: { match, rival } };
  return { first, last, unfit: unfit ?? explainReading(first, input, readers) };
}

/** What a reader lacks that understands the request from a clause on. */
function explainReading(index: number, input: MatchInput, readers: ClauseReaders): Unfit | undefined {
  for (const match of readFrom(index, input, { readers, laterMatch: () => undefined })) {
    const tried = tryMatch(match, input);
    if (!tried.ok && tried.code !== undefined) return tried;
  }
  const reason = leftOver(index, input, readers);
  return reason === undefined ? undefined : { ok: false, reason };
}

interface Examined {
  readonly ends: readonly number[];
  readonly unfit: Unfit | undefined;
}

/** How all tools read a clause; undefined once more would be too much work for an explanation. */
function tryExamine(
  matchers: readonly PhraseMatcher[],
  input: MatchInput,
  index: number,
): readonly Examined[] | undefined {
  try {
    return matchers.map((matcher) => examine(matcher, input, index));
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return undefined;
    throw thrown;
  }
}

/** Where the phrases of a tool that fit from a clause on end, and why others do not. */
function examine(matcher: PhraseMatcher, input: MatchInput, index: number): Examined {
  const ends: number[] = [];
  let unfit: Unfit | undefined;
  for (const match of matcher.matchFrom(index)) {
    const tried = tryMatch(match, input);
    if (tried.ok) ends.push(match.lastClause + 1);
    else if (tried.reason !== undefined) unfit ??= tried;
  }
  const slot = matcher.missingSlot();
  return { ends, unfit: unfit ?? (slot === undefined ? undefined : lacking(slot)) };
}
