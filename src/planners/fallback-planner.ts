import { AbortSource } from "../async/abort-source.ts";
import { type Clock, maxTimerMs, systemClock } from "../async/clock.ts";
import { onAbort } from "../async/on-abort.ts";
import { settleOrAbort } from "../async/timeout.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../core/errors.ts";
import { checkDuration, checkFunction, checkKeys, failOption } from "../core/options.ts";
import type { PlanFailure, PlanSource } from "../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { toPlanningError } from "../core/planning-error.ts";
import { type CheckedDraft, checkDraft } from "./check-draft.ts";

/** Options of {@link createFallbackPlanner}. */
export interface FallbackPlannerOptions {
  /** @default "fallback" */
  name?: string | undefined;
  /**
   * The longest time for each planner, at least 1. @default an equal share of the time that is left, which is that of
   * `plannerTimeoutMs`: of two planners the first has half of it, and the second whatever remains
   */
  timeoutMs?: number | undefined;
  /** Whether the next planner is asked, too, when one says that the request can not be planned. @default false */
  continueOnCannotPlan?: boolean | undefined;
  /** Time, for tests. @default the machine's */
  clock?: Clock | undefined;
}

/**
 * Makes a planner of several: each is asked once, in turn, until one gives a plan that holds. `source` of the plan says which
 * one did, and why those before it did not; each failure is a `plan-fallback` event.
 *
 * A planner that understands a request and says that it can not be planned (`cannot-plan`) ends it, unless told otherwise.
 * When all have failed, that is the last one's `cannot-plan`, or else `planning-failed`, with every failure. Throws
 * `invalid-options`.
 */
export function createFallbackPlanner(planners: readonly Planner[], options: FallbackPlannerOptions = {}): Planner {
  checkKeys("fallbackPlanner", options, ["name", "timeoutMs", "continueOnCannotPlan", "clock"]);
  checkFallbackOptions("fallbackPlanner", options);
  if (!Array.isArray(planners)) failOption("fallbackPlanner", planners, "a list of planners");
  return chainPlanners("fallbackPlanner", planners, { ...options, name: options.name ?? "fallback" });
}

/** Throws `invalid-options` for options of a chain; `option` is whose they are. */
export function checkFallbackOptions(option: string, options: FallbackPlannerOptions): void {
  const { name, timeoutMs, continueOnCannotPlan, clock } = options;
  if (name !== undefined && (typeof name !== "string" || name === ""))
    failOption(`${option}.name`, name, "a short text");
  if (continueOnCannotPlan !== undefined && typeof continueOnCannotPlan !== "boolean")
    failOption(`${option}.continueOnCannotPlan`, continueOnCannotPlan, "true or false");
  checkDuration(`${option}.timeoutMs`, timeoutMs, { min: 1 });
  if (clock === undefined) return;
  const methods = [clock?.now, clock?.setTimeout, clock?.clearTimeout];
  if (methods.some((method) => typeof method !== "function"))
    failOption(`${option}.clock`, clock, "a clock (with now, setTimeout, clearTimeout)");
}

/** As {@link createFallbackPlanner}, with options that were checked; `option` is where the planners were given. */
export function chainPlanners(
  option: string,
  given: readonly Planner[],
  options: FallbackPlannerOptions & { readonly name: string },
): Planner {
  const planners = [...given];
  if (planners.length === 0) failOption(option, planners, "a list of at least one planner");
  for (const [index, planner] of planners.entries()) checkPlanner(`${option}[${index}]`, planner);
  const { name, timeoutMs, continueOnCannotPlan = false, clock = systemClock } = options;
  const chain = { name, timeoutMs, continueOnCannotPlan, clock };
  const replanners = planners.filter((planner) => planner.replan !== undefined);
  return {
    name,
    plan: (request) => askInTurn(planners, { ...chain, request, ask: (planner, own) => planner.plan(own) }),
    ...(replanners.length > 0 && {
      replan: (request) => askInTurn(replanners, { ...chain, request, ask: askToReplan }),
    }),
  };
}

/** Throws `invalid-options` for what is no planner. */
export function checkPlanner(option: string, planner: Partial<Planner> | null | undefined): void {
  if (typeof planner?.plan !== "function" || typeof planner.name !== "string")
    failOption(option, planner, "a planner (with name and plan)");
  checkFunction(`${option}.replan`, planner.replan);
}

function askToReplan(planner: Planner, request: ReplanRequest): PlanDraft | Promise<PlanDraft> {
  if (planner.replan !== undefined) return planner.replan(request);
  throw new TypeError(`The planner "${planner.name}" has no replan method.`);
}

interface Chain<TRequest extends PlanRequest> {
  readonly name: string;
  readonly timeoutMs: number | undefined;
  readonly continueOnCannotPlan: boolean;
  readonly clock: Clock;
  readonly request: TRequest;
  readonly ask: (planner: Planner, request: TRequest) => PlanDraft | Promise<PlanDraft>;
}

async function askInTurn<TRequest extends PlanRequest>(
  planners: readonly Planner[],
  chain: Chain<TRequest>,
): Promise<PlanDraft> {
  const { request, clock, continueOnCannotPlan } = chain;
  const startMs = clock.now();
  const failures: PlanFailure[] = [];
  for (const [index, planner] of planners.entries()) {
    // It may have been aborted while nobody was asked.
    if (request.signal.aborted) throw request.signal.reason;
    const leftMs = Math.max(0, (request.timeoutMs ?? Number.POSITIVE_INFINITY) - (clock.now() - startMs));
    const limitMs = Math.min(leftMs, chain.timeoutMs ?? leftMs / (planners.length - index));
    try {
      const { steps, source } = await askOne(planner, { ...chain, limitMs });
      return { steps, source: withFailures(source, failures) };
    } catch (thrown) {
      if (request.signal.aborted) throw request.signal.reason;
      const error = toPlanningError(planner, thrown);
      const data = error.toJSON();
      const next = planners[index + 1];
      if (isAgentError(data, "cannot-plan") && (next === undefined || !continueOnCannotPlan)) {
        throw failures.length === 0 ? error : cannotPlan(data, { failures, cause: error });
      }
      failures.push(...failuresOf(planner, data));
      if (next === undefined) throw allFailed(chain.name, { failures, cause: error });
      await request.tell?.({ type: "plan-fallback", planner: planner.name, next: next.name, error: data });
    }
  }
  throw new TypeError("A fallback planner has at least one planner.");
}

/** Asks one planner, at most so long. Whatever a planner does that is left behind counts for nothing. */
async function askOne<TRequest extends PlanRequest>(
  planner: Planner,
  { request, ask, clock, limitMs }: Chain<TRequest> & { readonly limitMs: number },
): Promise<CheckedDraft> {
  const source = new AbortSource();
  const stopFollowing = onAbort(request.signal, () => source.abort(request.signal.reason));
  const timeout = () => source.abort(plannerTimeout(planner, limitMs));
  const timer = limitMs < maxTimerMs ? clock.setTimeout(timeout, limitMs) : undefined;
  const { generate = (model, asked) => model.generate(asked), tell } = request;
  let isAsked = true;
  const own: TRequest = {
    ...request,
    ...(limitMs < maxTimerMs && { timeoutMs: limitMs }),
    signal: source.signal,
    generate: async (model, asked) => {
      if (!isAsked) throw hasEnded(planner);
      return generate(model, asked);
    },
    tell: (event) => (isAsked ? tell?.(event) : undefined),
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

/** The tries that an error tells of, and itself unless it is only their sum. */
function failuresOf({ name }: Planner, error: AgentErrorData): readonly PlanFailure[] {
  const told = triesOf(error);
  if (error.code === "planning-failed" && told.length > 0) return told;
  return [...told, { planner: name, code: error.code, message: error.message }];
}

/** What was thrown may come from anywhere, so its details may be missing, too. */
function triesOf({ details }: AgentErrorData): readonly PlanFailure[] {
  return listOf((details as { readonly failures?: readonly PlanFailure[] } | undefined)?.failures);
}

function listOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

function cannotPlan(
  data: AgentErrorData<"cannot-plan">,
  { failures, cause }: { failures: readonly PlanFailure[]; cause: AgentError },
): AgentError {
  const details = { ...data.details, failures: [...failures, ...triesOf(data)] };
  return new AgentError("cannot-plan", data.message, { details, cause });
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

function plannerTimeout({ name }: Planner, timeoutMs: number): AgentError<"timeout"> {
  const ms = Math.round(timeoutMs);
  return new AgentError("timeout", `The planner "${name}" took longer than its ${ms} ms.`, {
    details: { scope: "planner", timeoutMs: ms },
  });
}

function hasEnded({ name }: Planner): AgentError<"cancelled"> {
  const reason = `the planner "${name}" has ended`;
  return new AgentError("cancelled", `No model is called: ${reason}.`, { details: { reason } });
}
