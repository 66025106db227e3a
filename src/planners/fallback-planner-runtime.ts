import { AbortSource, onAbort } from "../async/abort.ts";
import { type Clock, maxTimerMs, monotonicNow } from "../async/clock.ts";
import { settleOrAbort } from "../async/promises.ts";
import {
  AgentError,
  type AgentErrorData,
  type AgentErrorDetails,
  isAgentError,
  type RefusalReason,
} from "../core/errors.ts";
import type { PlanFailure, PlanSource } from "../core/plan.ts";
import {
  type PlanDraft,
  type Planner,
  type PlanRequest,
  plannerTimeout,
  type ReplanRequest,
  toPlanningError,
} from "../core/planner.ts";
import { readAnaphor } from "../english/references.ts";
import { months, weekdays } from "../english/times.ts";
import { type CheckedDraft, checkDraft } from "../plan/check-draft.ts";

/** The settings of a chain of planners, and its request. */
export interface ChainRequest<TRequest extends PlanRequest> {
  readonly name: string;
  readonly timeoutMs: number | undefined;
  readonly continueOnCannotPlan: boolean | undefined;
  readonly clock: Clock;
  readonly request: TRequest;
}

interface Chain<TRequest extends PlanRequest> extends ChainRequest<TRequest> {
  readonly ask: (planner: Planner, request: TRequest) => PlanDraft | Promise<PlanDraft>;
}

/** Asks planners in turn, and returns the first valid plan; see `createFallbackPlanner`. */
export function planInTurn(planners: readonly Planner[], chain: ChainRequest<PlanRequest>): Promise<PlanDraft> {
  return askInTurn(planners, { ...chain, ask: (planner, request) => planner.plan(request) });
}

/** Like {@link planInTurn}, for planners that can all replan. */
export function replanInTurn(planners: readonly Planner[], chain: ChainRequest<ReplanRequest>): Promise<PlanDraft> {
  return askInTurn(planners, { ...chain, ask: askToReplan });
}

function askToReplan(planner: Planner, request: ReplanRequest): PlanDraft | Promise<PlanDraft> {
  if (planner.replan !== undefined) return planner.replan(request);
  throw new TypeError(`The planner "${planner.name}" has no replan method.`);
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop, whose turns end in different ways
async function askInTurn<TRequest extends PlanRequest>(
  planners: readonly Planner[],
  chain: Chain<TRequest>,
): Promise<PlanDraft> {
  const { request, clock } = chain;
  const startMs = monotonicNow(clock);
  const failures: PlanFailure[] = [];
  let waiting = planners;
  let asked = request;
  let first: AgentErrorData<"cannot-plan"> | undefined;
  for (;;) {
    const [planner, ...others] = waiting;
    if (planner === undefined) throw new TypeError("A fallback planner has at least one planner.");
    // The signal may have been aborted between two planners.
    if (request.signal.aborted) throw request.signal.reason;
    const limitMs = limitOf(
      { timeoutMs: chain.timeoutMs, request },
      { spentMs: monotonicNow(clock) - startMs, waiting },
    );
    try {
      const { steps, source } = await askOne(planner, { ...chain, request: asked, limitMs });
      return { steps, source: withFailures(source, failures) };
    } catch (thrown) {
      if (request.signal.aborted) throw request.signal.reason;
      const error = toPlanningError(planner, thrown);
      const data = error.toJSON();
      const refusal = isAgentError(data, "cannot-plan") ? data.details : undefined;
      if (isAgentError(data, "cannot-plan")) first ??= data;
      waiting = refusal === undefined ? others : others.filter(isAskedAfter(refusal, planner, chain));
      asked = refusal === undefined ? asked : withWishes(asked, refusal);
      const [next] = waiting;
      if (next === undefined) throw lastError(chain, { planner, error, failures, first });
      failures.push(...failuresOf(planner, data));
      await request.emit?.({ type: "plan-fallback", planner: planner.name, next: next.name, error: data });
    }
  }
}

/** The request with what a planner made of its wishes, for the next one. */
function withWishes<TRequest extends PlanRequest>(
  request: TRequest,
  { wishes = request.wishes ?? [] }: AgentErrorDetails["cannot-plan"],
): TRequest {
  return { ...request, wishes };
}

/** The error of a chain whose last planner failed. */
function lastError(
  { name }: Pick<Chain<PlanRequest>, "name">,
  { planner, error, failures, first }: LastFailure,
): AgentError {
  const data = error.toJSON();
  if (!isAgentError(data, "cannot-plan")) {
    return allFailed(name, { failures: [...failures, ...failuresOf(planner, data)], cause: error });
  }
  if (failures.length === 0) return error;
  const { reason, examples, readings } = data.details;
  // The first planner may know more of the request than the last one says: what is missing, or what can be planned.
  const isVague = reason === "not-understood" && examples.length === 0 && readings === undefined;
  if (isVague && first !== undefined && failures.every(({ code }) => code === "cannot-plan")) {
    const details = { ...first.details, failures: [...failures, ...failuresOf(planner, data)] };
    return new AgentError("cannot-plan", first.message, { details, cause: error });
  }
  return cannotPlan(data, { planner, failures: [...failures, ...triesOf(data)], cause: error });
}

interface LastFailure {
  readonly planner: Planner;
  readonly error: AgentError;
  readonly failures: readonly PlanFailure[];
  /** The first refusal of the chain. */
  readonly first: AgentErrorData<"cannot-plan"> | undefined;
}

/** Reasons that no model may overrule: they say that nothing is to be done as it stands, or not by these tools. */
const finalReasons: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  ...(["denied", "others", "repeated", "later", "condition"] as const),
  ...(["small-talk", "too-long"] as const),
]);

/** More words than "could you please" that are left out are a reason. */
const maxCourtesy = 3;

/** The planners that may know more than one that says that a request cannot be planned. */
function isAskedAfter(
  { reason, missing, readings = [], words = [], wishes = [] }: AgentErrorDetails["cannot-plan"],
  asked: Planner,
  { continueOnCannotPlan }: Pick<Chain<PlanRequest>, "continueOnCannotPlan">,
): (next: Planner) => boolean {
  if (continueOnCannotPlan !== undefined) return () => continueOnCannotPlan;
  const isOne = wishes.length < 2;
  // "We are out of milk, get some": a reason may say what is missing.
  const isOpen = words.some(
    ({ by, text }) => by === "left" || (by === "courtesy" && text.split(" ").length > maxCourtesy),
  );
  // What is free text may as well be what is missing: "car wash is sorted, cross it off" has no list.
  const hasText = words.some(({ by, text }) => by === "slot" && isFreeText(text));
  const isLacking = isOne && (reason === "unbound" || (missing !== undefined && !isOpen && !hasText));
  const isGrave = reason === "ambiguous" && readings.some(({ destructive }) => destructive === true);
  const isFinal =
    finalReasons.has(reason) ||
    isLacking ||
    isGrave ||
    wishes.some((wish) => wish.reason !== undefined && finalReasons.has(wish.reason));
  return ({ usesModel }) => usesModel === false || (asked.usesModel === false && !isFinal);
}

/** True for words that are no number, no time and no "it". */
function isFreeText(text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const isTime = words.some(
    (word) => weekdays.includes(word) || months.includes(word) || /^to(?:day|night|morrow)$/.test(word),
  );
  return /\p{L}{2}/u.test(text) && readAnaphor(words, 0) !== words.length && !isTime;
}

/** The longest time that is kept for planners without a model. */
const quickPlanMs = 1_000;

/** Time that the next of the remaining planners may take. */
function limitOf(
  { request, timeoutMs }: Pick<Chain<PlanRequest>, "request" | "timeoutMs">,
  { spentMs, waiting }: { readonly spentMs: number; readonly waiting: readonly Planner[] },
): number {
  const leftMs = Math.max(0, (request.timeoutMs ?? Number.POSITIVE_INFINITY) - spentMs);
  const [planner, ...others] = waiting;
  if (timeoutMs !== undefined || planner?.usesModel === false) return Math.min(leftMs, timeoutMs ?? leftMs);
  // A planner without a model is done soon: it needs no share, only a moment.
  const slow = others.filter(({ usesModel }) => usesModel !== false).length;
  const keptMs = slow < others.length ? Math.min(quickPlanMs, leftMs / 2) : 0;
  return (leftMs - keptMs) / (slow + 1);
}

/** Asks one planner, for at most `limitMs`. Whatever a planner does after that is ignored. */
async function askOne<TRequest extends PlanRequest>(
  planner: Planner,
  { request, ask, clock, limitMs }: Chain<TRequest> & { readonly limitMs: number },
): Promise<CheckedDraft> {
  const source = new AbortSource();
  const stopFollowing = onAbort(request.signal, () => source.abort(request.signal.reason));
  const timeout = () => source.abort(plannerTimeout(planner, { timeoutMs: Math.round(limitMs), limit: "its" }));
  const timer = limitMs < maxTimerMs ? clock.setTimeout(timeout, limitMs) : undefined;
  const { generate = (model, asked) => model.generate(asked), emit } = request;
  let isAsked = true;
  const own: TRequest = {
    ...request,
    ...(limitMs < maxTimerMs && { timeoutMs: limitMs }),
    signal: source.signal,
    generate: async (model, asked) => {
      if (!isAsked) throw hasEnded(planner);
      return generate(model, asked);
    },
    emit: (event) => (isAsked ? emit?.(event) : undefined),
  };
  try {
    const asking = async () => checkDraft(planner, await ask(planner, own), request);
    return await settleOrAbort(asking(), source);
  } finally {
    isAsked = false;
    if (timer !== undefined) clock.clearTimeout(timer);
    stopFollowing();
  }
}

function withFailures(source: PlanSource, earlier: readonly PlanFailure[]): PlanSource {
  const failures = [...earlier, ...listOf(source.failures)];
  return failures.length === 0 ? source : { ...source, failures };
}

/** The failures that an error lists, and the error itself unless it only sums them up. */
function failuresOf({ name }: Planner, error: AgentErrorData): readonly PlanFailure[] {
  const tries = triesOf(error);
  if (error.code === "planning-failed" && tries.length > 0) return tries;
  return [...tries, { planner: name, code: error.code, message: error.message }];
}

/** The error may come from anywhere, so its details may be missing, too. */
function triesOf({ details }: AgentErrorData): readonly PlanFailure[] {
  return listOf((details as { readonly failures?: readonly PlanFailure[] } | undefined)?.failures);
}

function listOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

/** Planners that did not work come first in the message, each with its last error: those can be fixed. */
function cannotPlan(
  data: AgentErrorData<"cannot-plan">,
  { planner, failures, cause }: { planner: Planner; failures: readonly PlanFailure[]; cause: AgentError },
): AgentError {
  const details = { ...data.details, failures };
  const broken = new Map(
    failures.flatMap((failure) => (failure.code === "cannot-plan" ? [] : [[failure.planner, failure.message]])),
  );
  const said = [...broken, ...(broken.size > 0 ? [[planner.name, data.message]] : [])];
  const message = said.map(([name, text]) => `${name}: ${text}`).join(" ") || data.message;
  return new AgentError("cannot-plan", message, { details, cause });
}

function allFailed(
  name: string,
  { failures, cause }: { failures: readonly PlanFailure[]; cause: unknown },
): AgentError {
  const reasons = failures.map(({ planner, message }) => `${planner}: ${message}`).join(" ");
  return new AgentError("planning-failed", `No planner of "${name}" made a plan. ${reasons}`, {
    details: { planner: name, failures },
    cause,
  });
}

function hasEnded({ name }: Planner): AgentError<"cancelled"> {
  const reason = `the planner "${name}" has ended`;
  return new AgentError("cancelled", `No model is called: ${reason}.`, { details: { reason } });
}
