import { type ClauseReader, hasReader, loadReader } from "../../core/clause-reader.ts";
import { AgentError, type RefusalReason } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanRequest } from "../../core/planner.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { hasCondition, onlyIf, readConditional } from "./conditions.ts";
import { isSmallTalk } from "./courtesy.ts";
import { loadExamples } from "./examples/load-examples.ts";
import { explainMatch, type RequestExplanation } from "./explain.ts";
import { type CutModel, cutWhereWishesBegin } from "./learned-cuts.ts";
import { loadCuts } from "./load-cuts.ts";
import { type MadeSteps, makeSteps, reasoningOf, type UnmadeSteps } from "./make-steps.ts";
import { type MatchInput, maxTokens, maxWork, readRequest, TooMuchWork } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ClauseReaders } from "./read-clauses.ts";
import { quoteClauses, type Refusal, Refused, refusalError, spanOf } from "./refuse.ts";
import { loadDateReaderFor } from "./request-dates.ts";
import { examplesFor } from "./sample-requests.ts";
import { type Segmentation, segmentRequest } from "./segment-request.ts";
import type { Unfit } from "./slot-values.ts";
import { compileTool, type ToolRules } from "./tool-rules.ts";

/** Rules should not plan a request with more parts than this. */
const maxClauses = 1_000;

/** Plans a request, with a trace of the phrases that matched it. */
export async function explainByRules(request: PlanRequest): Promise<RequestExplanation> {
  const { steps, matches, stepIds, input } = await planByRules(request, { explain: false });
  const parts = matches.map((match, index) => explainMatch(match, input, stepIds[index] ?? []));
  return { steps, parts };
}

/** What a request became. */
interface PlannedRequest {
  readonly matches: readonly PhraseMatch[];
  readonly made: MadeSteps;
  /** The request, in the clauses that were understood. */
  readonly input: MatchInput;
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
  const clock = { nowMs, timeZone };
  const input = await readWithDates(rules, request.request, clock);
  try {
    const planned = await planWithCondition(rules, { request, input, clock }, { explain, maxSteps });
    throwIfCancelled(signal);
    return planned;
  } catch (thrown) {
    throwIfCancelled(signal);
    if (!(thrown instanceof Refused)) throw thrown;
    const { reason, first, last } = thrown.refusal;
    const words = reason === "small-talk" ? [] : input.words.slice(...spanOf(input, first, last));
    const isPlanned = (sentence: string) => isPlannedByPhrases(rules, sentence, clock);
    const examples = await examplesFor(rules, words, isPlanned);
    throwIfCancelled(signal);
    throw refusalError(thrown.refusal, input, examples);
  }
}

interface RequestInput {
  readonly request: PlanRequest;
  readonly input: MatchInput;
  readonly clock: DateClock;
}

interface PlanOptions {
  readonly explain: boolean;
  readonly maxSteps: number;
}

/** Plans a request; what is to be done only if something else is so gets a condition, or the request is refused. */
async function planWithCondition(
  rules: readonly ToolRules[],
  { request: { request }, input, clock }: RequestInput,
  options: PlanOptions,
) {
  const pending = planInput(rules, input, options).then(({ matches, made, input: cut }) => {
    return { steps: made.steps, stepIds: made.stepIds, matches, input: cut };
  });
  if (!hasCondition(request)) return pending;
  const planned = await pending.catch((thrown: unknown) => {
    if (thrown instanceof Refused) return thrown;
    throw thrown;
  });
  // A single wish says "if" itself: "tell me if milk is on my list".
  if (!(planned instanceof Refused) && planned.matches.length === 1) return planned;
  const conditional = await planConditional(rules, request, clock, options);
  if (conditional !== undefined) return conditional;
  if (planned instanceof Refused) throw planned;
  const why = "what is to be done depends on something that no step can tell";
  throw new Refused({ reason: "not-understood", why, first: 0, last: input.clauses.length - 1 });
}

/** Plans a request with a condition that comes first; undefined if it has none, or one whose answer cannot be tested. */
async function planConditional(rules: readonly ToolRules[], request: string, clock: DateClock, options: PlanOptions) {
  const conditional = readConditional(request);
  if (conditional === undefined) return undefined;
  const { question, wish } = conditional;
  const input = await readWithDates(rules, `${question}; ${wish}`, clock);
  try {
    const { matches, made, input: cut } = await planInput(rules, input, options);
    const [match, next] = matches;
    const isApart = next !== undefined && (cut.tokens[next.start]?.start ?? 0) > question.length;
    const steps =
      match && isApart && made.stepIds[0]?.length === 1 ? onlyIf(made.steps, match, conditional) : undefined;
    return steps && { steps, stepIds: made.stepIds, matches, input: cut };
  } catch (thrown) {
    if (thrown instanceof Refused) return undefined;
    throw thrown;
  }
}

/** Reads a request, with its dates if a tool can take one. */
async function readWithDates(rules: readonly ToolRules[], text: string, clock: DateClock): Promise<MatchInput> {
  const readDates = rules.some(({ hasDates }) => hasDates) ? await loadDateReaderFor(text) : undefined;
  return readRequest(text, clock, { readDates });
}

/** Plans a request, or throws {@link Refused}. */
async function planInput(
  rules: readonly ToolRules[],
  input: MatchInput,
  { explain, maxSteps }: PlanOptions,
): Promise<PlannedRequest> {
  const last = input.clauses.length - 1;
  const refuse = (reason: RefusalReason, why: string) => new Refused({ reason, why, first: 0, last });
  if (input.tokens.length > maxTokens) throw refuse("too-long", `it has more than ${maxTokens} words and signs`);
  if (last >= maxClauses) throw refuse("too-long", `it has more than ${maxClauses} parts`);
  if (last < 0) {
    const isTalk = input.tokens.some(({ kind }) => kind === "word");
    throw isTalk ? refuse("small-talk", "it asks for nothing") : refuse("not-understood", "it has no words");
  }
  const describe = (match: PhraseMatch, stepInput: JsonObject) => {
    const text = reasoningOf(match, input, stepInput);
    return explain ? `${text} (${explainMatch(match, input, []).summary})` : text;
  };
  const planned = await makePlan(rules, input, describe).catch((thrown: unknown) => {
    const isTalk = input.clauses.every(({ start, end }) => isSmallTalk(input.words, start, end));
    if (thrown instanceof Refused && isTalk) throw refuse("small-talk", "it asks for nothing");
    if (!(thrown instanceof TooMuchWork)) throw thrown;
    throw refuse(
      "too-long",
      `it can be read in too many ways: more than ${maxWork} steps; ask for less at once, or put texts in quotes`,
    );
  });
  const { length } = planned.made.steps;
  if (length > maxSteps) throw refuse("too-long", `it needs ${length} steps, and only ${maxSteps} are allowed`);
  return planned;
}

/** Whether phrases make one step of a request. A tool whose code throws for it does not plan it. */
async function isPlannedByPhrases(rules: readonly ToolRules[], sentence: string, clock: DateClock): Promise<boolean> {
  const input = await readWithDates(rules, sentence, clock);
  try {
    const found = segmentRequest(rules, input);
    if (found.type !== "cut") return false;
    const made = await makeSteps(found.matches, input, () => "");
    return made.ok && made.steps.length === 1;
  } catch {
    return false;
  }
}

/** How many other readings are tried if a result that a phrase needs turns out not to come before it. */
const maxReadings = 6;

/** Cuts the request and makes its steps; a phrase that does not fit in its place gives way to the next best. */
async function makePlan(
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

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}
