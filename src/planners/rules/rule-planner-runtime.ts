import { type ClauseReader, loadReader } from "../../core/clause-reader.ts";
import { AgentError } from "../../core/errors.ts";
import type { PlanRequest } from "../../core/planner.ts";
import { explainMatch, quoteClauses, type RequestExplanation, refuse } from "./explain.ts";
import { type CutModel, cutWhereWishesBegin } from "./learned-cuts.ts";
import { loadCuts } from "./load-cuts.ts";
import { makeSteps, reasoningOf, type UnmadeSteps } from "./make-steps.ts";
import { type MatchInput, maxTokens, maxWork, readRequest, TooMuchWork } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ClauseReaders } from "./read-clauses.ts";
import { type Segmentation, segmentRequest } from "./segment-request.ts";
import { compileTool, type ToolRules } from "./tool-rules.ts";

/** Rules should not plan a request with more parts than this. */
const maxClauses = 1_000;

/** Plans a request, with a trace of the phrases that matched it. */
export async function explainByRules(request: PlanRequest): Promise<RequestExplanation> {
  const { steps, matches, stepIds, input } = await planByRules(request, { explain: false });
  const parts = matches.map((match, index) => explainMatch(match, input, stepIds[index] ?? []));
  return { steps, parts };
}

/**
 * Plans a request with the phrases of the tools, or throws `cannot-plan`. `explain` adds the phrases to the reasoning.
 */
export async function planByRules(request: PlanRequest, { explain }: { explain: boolean }) {
  const { tools, nowMs, timeZone, maxSteps, signal } = request;
  throwIfCancelled(signal);
  const compiled = tools.map(compileTool);
  const rules: readonly ToolRules[] = compiled.some((tool) => tool instanceof Promise)
    ? await Promise.all(compiled)
    : (compiled as readonly ToolRules[]);
  const input = readRequest(request.request, { nowMs, timeZone });
  const last = input.clauses.length - 1;
  if (input.tokens.length > maxTokens) {
    throw refuse({ reason: `it has more than ${maxTokens} words and signs`, first: 0, last }, input, rules);
  }
  if (last < 0) throw refuse({ reason: "it has no words", first: 0, last: 0 }, input, rules);
  if (last >= maxClauses) {
    throw refuse({ reason: `it has more than ${maxClauses} parts`, first: 0, last }, input, rules);
  }
  const describe = (match: PhraseMatch) => {
    const text = reasoningOf(match, input);
    return explain ? `${text} (${explainMatch(match, input, []).summary})` : text;
  };
  const { matches, made, cut } = await makePlan(rules, input, describe).catch((thrown: unknown) => {
    if (!(thrown instanceof TooMuchWork)) throw thrown;
    const reason = `it can be read in too many ways: more than ${maxWork} steps; ask for less at once, or put texts in quotes`;
    throw refuse({ reason, first: 0, last }, input, rules);
  });
  throwIfCancelled(signal);
  if (made.steps.length > maxSteps) {
    throw refuse(
      { reason: `it needs ${made.steps.length} steps, and only ${maxSteps} are allowed`, first: 0, last },
      input,
      rules,
    );
  }
  return { steps: made.steps, stepIds: made.stepIds, matches, input: cut };
}

/** How many other readings are tried if a result that a phrase needs turns out not to come before it. */
const maxReadings = 6;

/** Cuts the request and makes its steps; a phrase that does not fit in its place gives way to the next best. */
async function makePlan(rules: readonly ToolRules[], input: MatchInput, describe: (match: PhraseMatch) => string) {
  const barred: PhraseMatch[] = [];
  let first: AgentError | undefined;
  // What phrases understand needs no reader; loading them takes some milliseconds.
  let readers: ClauseReaders | undefined;
  let cut = input;
  for (;;) {
    let found = segmentRequest(rules, cut, barred, readers);
    if (found.type === "not-understood" && readers === undefined) {
      readers = await loadReaders(rules);
      const read = readers.size === 0 ? undefined : trySegment(rules, { input, readers, cuts: await loadCuts() });
      if (read !== undefined) {
        ({ found, cut } = read);
        // They were clauses of the request as it was cut before.
        barred.length = 0;
      }
    }
    if (first !== undefined && (found.type !== "cut" || barred.length >= maxReadings)) throw first;
    const matches = requireCut(found, cut, rules);
    const made = await makeSteps(matches, cut, describe);
    if (made.ok) return { matches, made, cut };
    if (made.isUnbound) throw refuseSteps(made, cut, rules);
    first ??= refuseSteps(made, cut, rules);
    barred.push(made.match);
  }
}

/**
 * Asks the readers, too, with the request cut where wishes probably begin; undefined if they do not understand it either, or
 * if that would be too much work: then it is said what no phrase fits.
 */
function trySegment(
  rules: readonly ToolRules[],
  { input, readers, cuts }: { input: MatchInput; readers: ClauseReaders; cuts: CutModel },
): { readonly found: Segmentation; readonly cut: MatchInput } | undefined {
  try {
    const cut = cutWhereWishesBegin(input, cuts);
    const found = segmentRequest(rules, cut, [], readers);
    return found.type === "cut" ? { found, cut } : undefined;
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return undefined;
    throw thrown;
  }
}

async function loadReaders(rules: readonly ToolRules[]): Promise<ClauseReaders> {
  const readers = new Map<ToolRules, ClauseReader>();
  for (const each of rules) {
    const reader = await loadReader(each.tool);
    if (reader !== undefined) readers.set(each, reader);
  }
  return readers;
}

function refuseSteps({ match, reason }: UnmadeSteps, input: MatchInput, rules: readonly ToolRules[]) {
  const { firstClause: first, lastClause: last } = match;
  const words = quoteClauses(input, first, last);
  const why = reason === undefined ? `nothing fits ${words}` : `${words} does not fit: ${reason}`;
  return refuse({ reason: why, first, last }, input, rules);
}

function requireCut(found: Segmentation, input: MatchInput, rules: readonly ToolRules[]): readonly PhraseMatch[] {
  switch (found.type) {
    case "cut":
      return found.matches;
    case "ambiguous": {
      const { firstClause: first, lastClause: last } = found.match;
      const readings = [found.match, found.rival].map(nameMatch).join(" and ");
      throw refuse(
        { reason: `${quoteClauses(input, first, last)} fits ${readings} equally well`, first, last },
        input,
        rules,
      );
    }
    case "not-understood": {
      const { first, last, reason } = found.explain();
      const words = quoteClauses(input, first, last);
      const why =
        reason === undefined ? `no phrase of the tools fits ${words}` : `${words} cannot be planned: ${reason}`;
      throw refuse({ reason: why, first, last }, input, rules);
    }
  }
}

function nameMatch({ rules, phraseIndex, reading }: PhraseMatch): string {
  if (reading !== undefined) return `${rules.tool.name} (${reading.meaning})`;
  return `${rules.tool.name} ("${rules.rules[phraseIndex]?.example}")`;
}

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}
