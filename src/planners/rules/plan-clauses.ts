import { type ClauseReader, hasReader, loadReader } from "../../core/clause-reader.ts";
import type { JsonObject } from "../../core/json.ts";
import { loadExamples } from "./examples/load-examples.ts";
import { type CutModel, cutWhereWishesBegin } from "./learned-cuts.ts";
import { loadCuts } from "./load-cuts.ts";
import { type MadeSteps, makeSteps, type UnmadeSteps } from "./make-steps.ts";
import { type MatchInput, TooMuchWork } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ClauseReaders } from "./read-clauses.ts";
import { quoteClauses, type Refusal, Refused } from "./refuse.ts";
import { type Segmentation, segmentRequest } from "./segment-request.ts";
import type { Unfit } from "./slot-values.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What a request became. */
export interface PlannedRequest {
  readonly matches: readonly PhraseMatch[];
  readonly made: MadeSteps;
  /** The request, in the clauses that were understood. */
  readonly input: MatchInput;
}

/** How many other readings are tried if a result that a phrase needs turns out not to come before it. */
const maxReadings = 6;

/** Cuts the request and makes its steps, or throws {@link Refused}; a phrase that does not fit in its place gives way to the next best. */
export async function planClauses(
  rules: readonly ToolRules[],
  input: MatchInput,
  describe: (match: PhraseMatch, stepInput: JsonObject) => string,
): Promise<PlannedRequest> {
  const barred: PhraseMatch[] = [];
  let first: { readonly made: UnmadeSteps; readonly cut: MatchInput; readonly refused: Refused } | undefined;
  // What phrases understand needs no reader; loading them takes some milliseconds.
  let readers: ClauseReaders | undefined;
  let cut = input;
  for (;;) {
    let found = segmentRequest(rules, cut, barred, readers);
    if (found.type === "not-understood" && readers === undefined) {
      readers = await loadReaders(rules);
      const read = trySegment(rules, { input, readers, cuts: await loadCuts() });
      if (read !== undefined) {
        ({ found, cut } = read);
        // They were clauses of the request as it was cut before.
        barred.length = 0;
      }
    }
    if (first !== undefined && (found.type !== "cut" || barred.length >= maxReadings)) throw first.refused;
    const matches = requireCut(found, cut);
    // Words that were understood as a wish of their own do not become part of a text.
    if (first?.made.unfit.reason !== undefined && first.cut === cut && matches.some(takesIn(first.made.match)))
      throw first.refused;
    const made = await makeSteps(matches, cut, describe);
    if (made.ok) return { matches, made, input: cut };
    if (made.unfit.isUnbound === true) throw refuseSteps(made, cut);
    first ??= { made, cut, refused: refuseSteps(made, cut) };
    barred.push(made.match);
  }
}

function takesIn({ firstClause: inner }: PhraseMatch): (match: PhraseMatch) => boolean {
  return ({ firstClause, lastClause }) => firstClause < inner && inner <= lastClause;
}

/**
 * Asks the readers, too, with the request cut where wishes probably begin; undefined if that would be too much work: then it is
 * said what no phrase fits.
 */
function trySegment(
  rules: readonly ToolRules[],
  { input, readers, cuts }: { input: MatchInput; readers: ClauseReaders; cuts: CutModel },
): { readonly found: Segmentation; readonly cut: MatchInput } | undefined {
  try {
    const cut = cutWhereWishesBegin(input, cuts);
    const found = segmentRequest(rules, cut, [], readers);
    return { found, cut };
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return undefined;
    throw thrown;
  }
}

async function loadReaders(rules: readonly ToolRules[]): Promise<ClauseReaders> {
  const trained = new Map<ToolRules, ClauseReader>();
  for (const each of rules.filter(({ tool }) => hasReader(tool))) {
    const reader = await loadReader(each.tool);
    if (reader !== undefined) trained.set(each, reader);
  }
  return { trained, examples: await loadExamples(rules) };
}

function refuseSteps({ match, unfit }: UnmadeSteps, input: MatchInput): Refused {
  const { firstClause: first, lastClause: last } = match;
  const words = quoteClauses(input, first, last);
  const why = unfit.reason === undefined ? `nothing fits ${words}` : `${words} does not fit: ${unfit.reason}`;
  return refuseUnfit(unfit, { why, first, last });
}

function refuseUnfit(unfit: Unfit | undefined, refusal: Pick<Refusal, "why" | "first" | "last">): Refused {
  const { code: reason = "not-understood", missing } = unfit ?? {};
  return new Refused({ reason, ...(missing !== undefined && { missing }), ...refusal });
}

function requireCut(found: Segmentation, input: MatchInput): readonly PhraseMatch[] {
  switch (found.type) {
    case "cut":
      return found.matches;
    case "ambiguous": {
      const { firstClause: first, lastClause: last } = found.match;
      const readings = [found.match, found.rival].map(nameMatch);
      const names = readings.map(({ tool, meaning }) => `${tool} ("${meaning}")`).join(" and ");
      const why = `${quoteClauses(input, first, last)} fits ${names} equally well`;
      throw new Refused({ reason: "ambiguous", readings, why, first, last });
    }
    case "not-understood": {
      const { first, last, unfit, rivals } = found.explain();
      if (rivals !== undefined) return requireCut({ type: "ambiguous", ...rivals }, input);
      const words = quoteClauses(input, first, last);
      const why =
        unfit?.reason === undefined
          ? `no phrase of the tools fits ${words}`
          : `${words} cannot be planned: ${unfit.reason}`;
      throw refuseUnfit(unfit, { why, first, last });
    }
  }
}

function nameMatch({ rules, phraseIndex, reading }: PhraseMatch) {
  const meaning = reading?.meaning ?? rules.rules[phraseIndex]?.example ?? "";
  return { tool: rules.tool.name, meaning };
}
