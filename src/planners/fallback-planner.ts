import { AbortSource, onAbort } from "../async/abort.ts";
import { type Clock, maxTimerMs, monotonicNow, systemClock } from "../async/clock.ts";
import { settleOrAbort } from "../async/promises.ts";
import {
  AgentError,
  type AgentErrorData,
  type AgentErrorDetails,
  isAgentError,
  type Proposal,
  type RefusalReason,
} from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";
import { checkOption, failOption, type OptionTable, readOptions, type SettingsOf } from "../core/option-tables.ts";
import type { PlanFailure } from "../core/plan.ts";
import { type PlanDraft, type Planner, type PlanRequest, plannerTimeout, toPlanningError } from "../core/planner.ts";
import { months, readAnaphor, weekdays } from "../english/word-classes.ts";
import { type CheckedDraft, checkDraft } from "../plan/check-draft.ts";

/** Options of {@link createFallbackPlanner}. @inline */
export interface FallbackPlannerOptions {
  /** @default "fallback" */
  name?: string | undefined;
  /**
   * Time limit of each planner, at least 1. @default what remains of `plannerTimeoutMs`. Planners with a model share
   * it equally: the first of two gets half, and the second whatever is left
   */
  timeoutMs?: number | undefined;
  /**
   * True asks the next planner after `cannot-plan`; false does not. @default a planner without a model is always asked.
   * A planner with a model is asked only after one without, unless the refusal is final or says what is missing
   */
  continueOnCannotPlan?: boolean | undefined;
  /** Clock, for tests. @default the system clock */
  clock?: Clock | undefined;
}

export const chainOptions = {
  name: { type: "short-text", default: "fallback" },
  timeoutMs: { type: "duration", min: 1 },
  continueOnCannotPlan: { type: "boolean" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<FallbackPlannerOptions>;

/**
 * Combines several planners: each is asked once, in order, until one returns a valid plan. `source` of the plan names
 * that planner and says why earlier ones failed. Each failure emits a `plan-fallback` event.
 *
 * Put the rules first, then a model. The model is asked for the wishes that the rules refuse; the other wishes keep the
 * steps of the rules (`PlanRequest.wishes`). The model is not asked after `denied`, `others`, `repeated`, `later`,
 * `condition`, `small-talk`, `too-long` and `ambiguous`. For a request of one wish, it is also not asked after
 * `unbound`, nor after `missing` if everything else was understood and nothing is free text. If every planner fails,
 * planning fails with the `cannot-plan` of the last one, or of the first one if the last one only says
 * `not-understood`. If the last one failed in another way, planning fails with `planning-failed`, which lists every
 * failure. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/12-plan-with-a-model.ts}
 * @group Planners
 */
export function createFallbackPlanner(planners: readonly Planner[], options: FallbackPlannerOptions = {}): Planner {
  const settings = readOptions(chainOptions, options, "fallbackPlanner");
  if (!Array.isArray(planners)) failOption("fallbackPlanner", planners, "a list of planners");
  return chainPlanners("fallbackPlanner", planners, settings);
}

type ChainSettings = SettingsOf<FallbackPlannerOptions, typeof chainOptions>;

export function chainPlanners(option: string, given: readonly Planner[], chain: ChainSettings): Planner {
  const planners = [...given];
  if (planners.length === 0) failOption(option, planners, "a list of at least one planner");
  for (const [index, planner] of planners.entries()) checkPlanner(`${option}[${index}]`, planner);
  const replanners = planners.filter(({ replan }) => replan !== undefined);
  return {
    name: chain.name,
    usesModel: planners.some(({ usesModel }) => usesModel !== false),
    plan: (request) => askInTurn(planners, { ...chain, request, ask: (planner, own) => planner.plan(own) }),
    ...(replanners.length > 0 && {
      replan: (request) => askInTurn(replanners, { ...chain, request, ask: (planner, own) => planner.replan?.(own) }),
    }),
  };
}

export function checkPlanner(option: string, planner: Partial<Planner> | null | undefined): void {
  if (typeof planner?.plan !== "function" || typeof planner.name !== "string")
    failOption(option, planner, "a planner (with name and plan)");
  checkOption({ type: "function" }, planner.replan, `${option}.replan`);
}

interface Chain<TRequest extends PlanRequest> extends ChainSettings {
  readonly request: TRequest;
  ask(planner: Planner, request: TRequest): unknown;
}

async function askInTurn<TRequest extends PlanRequest>(
  planners: readonly Planner[],
  chain: Chain<TRequest>,
): Promise<PlanDraft> {
  const { request, clock } = chain;
  const startMs = monotonicNow(clock);
  const failures: PlanFailure[] = [];
  let waiting = planners;
  let asked = request;
  const refusals: AgentErrorData<"cannot-plan">[] = [];
  for (;;) {
    const [planner, ...others] = waiting;
    if (planner === undefined) throw new TypeError("A fallback planner needs at least one planner.");
    if (request.signal.aborted) throw request.signal.reason;
    const limitMs = limitOf(chain, { spentMs: monotonicNow(clock) - startMs, waiting });
    try {
      const { steps, source } = await askOne(planner, { ...chain, request: asked, limitMs });
      const all = [...failures, ...listOf(source.failures)];
      return { steps, source: all.length === 0 ? source : { ...source, failures: all } };
    } catch (thrown) {
      if (request.signal.aborted) throw request.signal.reason;
      const error = toPlanningError(planner, thrown);
      const data = error.toJSON();
      waiting = others;
      if (isAgentError(data, "cannot-plan")) {
        refusals.push(data);
        waiting = others.filter(isAskedAfter(data.details, planner, chain));
        asked = { ...asked, wishes: data.details.wishes ?? asked.wishes ?? [] };
      }
      const [next] = waiting;
      if (next === undefined) throw lastError(chain.name, { planner, error }, failures, refusals);
      failures.push(...failuresOf(planner, data));
      await request.emit?.({ type: "plan-fallback", planner: planner.name, next: next.name, error: data });
    }
  }
}

function lastError(
  name: string,
  { planner, error }: { readonly planner: Planner; readonly error: AgentError },
  failures: readonly PlanFailure[],
  refusals: readonly AgentErrorData<"cannot-plan">[],
): AgentError {
  const data = error.toJSON();
  const all = [...failures, ...failuresOf(planner, data)];
  if (!isAgentError(data, "cannot-plan")) {
    const reasons = all.map((failure) => `${failure.planner}: ${failure.message}`).join(" ");
    const message = `No planner of "${name}" made a plan. ${reasons}`;
    return new AgentError("planning-failed", message, { details: { planner: name, failures: all }, cause: error });
  }
  if (failures.length === 0) return error;
  const { reason, examples } = data.details;
  const [first] = refusals;
  const proposals = mergeProposals(refusals.map(({ details }) => listOf(details.proposals)));
  const known = proposals.length > 0 ? { proposals } : {};
  // The first planner may know more: what is missing, or what can be planned.
  const isVague = reason === "not-understood" && examples.length === 0 && data.details.proposals === undefined;
  if (isVague && first !== undefined && failures.every(({ code }) => code === "cannot-plan")) {
    const details = { ...first.details, ...known, failures: all };
    return new AgentError("cannot-plan", first.message, { details, cause: error });
  }
  const tried = [...failures, ...triesOf(data)];
  const broken = new Map(
    tried.flatMap((failure) => (failure.code === "cannot-plan" ? [] : [[failure.planner, failure.message]])),
  );
  const said = [...broken, ...(broken.size > 0 ? [[planner.name, data.message]] : [])];
  const message = said.map(([planner, text]) => `${planner}: ${text}`).join(" ") || data.message;
  const details = { ...data.details, ...known, failures: tried };
  return new AgentError("cannot-plan", message, { details, cause: error });
}

const maxProposals = 3;

/** Combines certainties as if planners erred independently. */
function mergeProposals(lists: readonly (readonly Proposal[])[]): readonly Proposal[] {
  const merged = new Map<string, Proposal>();
  for (const proposal of lists.flat()) {
    const meant = proposal.steps.map(({ tool, input, wait }) => ({ tool, input, wait }));
    const key = canonicalJson([meant, proposal.asks?.field ?? null]);
    const known = merged.get(key);
    const certainty = known && Number((1 - (1 - known.certainty) * (1 - proposal.certainty)).toFixed(3));
    merged.set(key, known === undefined ? proposal : { ...known, certainty: certainty ?? known.certainty });
  }
  return [...merged.values()].sort((one, other) => other.certainty - one.certainty).slice(0, maxProposals);
}

const finalReasons: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  ...(["denied", "others", "repeated", "later", "condition"] as const),
  ...(["small-talk", "too-long", "ambiguous"] as const),
]);

const maxCourtesy = 3;

function isAskedAfter(
  { reason, words = [], wishes = [] }: AgentErrorDetails["cannot-plan"],
  asked: Planner,
  { continueOnCannotPlan }: Pick<ChainSettings, "continueOnCannotPlan">,
): (next: Planner) => boolean {
  if (continueOnCannotPlan !== undefined) return () => continueOnCannotPlan;
  const isOne = wishes.length < 2;
  // Unexplained words may name what is missing: "We are out of milk, get some".
  const isOpen = words.some(
    ({ by, text }) => by === "left" || (by === "courtesy" && text.split(" ").length > maxCourtesy),
  );
  // Free text may name what is missing, too: "car wash is sorted, cross it off".
  const hasText = words.some(({ by, text }) => by === "slot" && isFreeText(text));
  const isLacking = isOne && (reason === "unbound" || (reason === "missing" && !isOpen && !hasText));
  const isFinal =
    finalReasons.has(reason) ||
    isLacking ||
    wishes.some((wish) => wish.reason !== undefined && finalReasons.has(wish.reason));
  return ({ usesModel }) => usesModel === false || (asked.usesModel === false && !isFinal);
}

function isFreeText(text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const isTime = words.some(
    (word) => weekdays.includes(word) || months.includes(word) || /^to(?:day|night|morrow)$/.test(word),
  );
  return /\p{L}{2}/u.test(text) && readAnaphor(words, 0) !== words.length && !isTime;
}

const quickPlanMs = 1_000;

function limitOf(
  { request, timeoutMs }: Pick<Chain<PlanRequest>, "request" | "timeoutMs">,
  { spentMs, waiting }: { readonly spentMs: number; readonly waiting: readonly Planner[] },
): number {
  const leftMs = Math.max(0, (request.timeoutMs ?? Number.POSITIVE_INFINITY) - spentMs);
  const [planner, ...others] = waiting;
  if (timeoutMs !== undefined || planner?.usesModel === false) return Math.min(leftMs, timeoutMs ?? leftMs);
  // Planners without a model need only a moment.
  const slow = others.filter(({ usesModel }) => usesModel !== false).length;
  const keptMs = slow < others.length ? Math.min(quickPlanMs, leftMs / 2) : 0;
  return (leftMs - keptMs) / (slow + 1);
}

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
      if (isAsked) return generate(model, asked);
      const reason = `the planner "${planner.name}" has ended`;
      throw new AgentError("cancelled", `The model was not called: ${reason}.`, { details: { reason } });
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

function failuresOf({ name }: Planner, error: AgentErrorData): readonly PlanFailure[] {
  const tries = triesOf(error);
  if (error.code === "planning-failed" && tries.length > 0) return tries;
  return [...tries, { planner: name, code: error.code, message: error.message }];
}

function triesOf({ details }: AgentErrorData): readonly PlanFailure[] {
  return listOf((details as { readonly failures?: readonly PlanFailure[] } | undefined)?.failures);
}

function listOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}
