import { AgentError, type RefusalReason } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanRequest } from "../../core/planner.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { hasCondition, onlyIf, readConditional } from "./conditions.ts";
import { isSmallTalk } from "./courtesy.ts";
import { afterWait, hasNoDate, readDelayed } from "./delays.ts";
import { explainMatch, type RequestExplanation } from "./explain.ts";
import { makeSteps, reasoningOf } from "./make-steps.ts";
import { type MatchInput, maxTokens, maxWork, readRequest, TooMuchWork } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { type PlannedRequest, planClauses } from "./plan-clauses.ts";
import { Refused, refusalError, spanOf } from "./refuse.ts";
import { loadDateReaderFor } from "./request-dates.ts";
import { examplesFor } from "./sample-requests.ts";
import { segmentRequest } from "./segment-request.ts";
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
  const clock = { nowMs, timeZone };
  const input = await readWithDates(rules, request.request, clock);
  try {
    const planned = await planWithCondition(rules, { request, input, clock }, { explain, maxSteps });
    throwIfCancelled(signal);
    return planned;
  } catch (thrown) {
    throwIfCancelled(signal);
    if (!(thrown instanceof Refused)) throw thrown;
    const delayed = await planDelayed(rules, request.request, clock, { explain, maxSteps });
    if (delayed !== undefined) return delayed;
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

/**
 * Plans a request that says when it is to be done, to tools that have no date of their own; undefined for any other. Only
 * for one that could not be planned as it is.
 */
async function planDelayed(rules: readonly ToolRules[], request: string, clock: DateClock, options: PlanOptions) {
  if (hasCondition(request) || !rules.some(hasNoDate)) return undefined;
  const readDates = await loadDateReaderFor(request);
  const delayed = readDates && readDelayed(request, clock, readDates);
  if (delayed === undefined) return undefined;
  try {
    const input = readRequest(delayed.wish, clock, { readDates: undefined });
    const {
      matches,
      made,
      input: cut,
    } = await planInput(rules, input, {
      ...options,
      maxSteps: options.maxSteps - 1,
    });
    // Of several wishes, a time at the end may be that of the last one alone.
    if (matches.length > 1 && !delayed.isFirst) return undefined;
    const steps = matches.every((match) => hasNoDate(match.rules))
      ? afterWait(made.steps, delayed, (name) => rules.find(({ tool }) => tool.name === name))
      : undefined;
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
  const planned = await planClauses(rules, input, describe).catch((thrown: unknown) => {
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

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}
