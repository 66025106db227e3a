import { AbortSource } from "../async/abort-source.ts";
import { type Clock, maxTimerMs, systemClock } from "../async/clock.ts";
import { onAbort } from "../async/on-abort.ts";
import { settleOrAbort } from "../async/timeout.ts";
import { checkPlan } from "../core/check-plan.ts";
import { AgentError, type AgentErrorData } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { checkDuration, checkKeys, failOption } from "../core/options.ts";
import { maxPlanBytes, type PlanFailure, type PlanSource } from "../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { toPlanningError } from "../core/planning-error.ts";

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
  checkPlanners(planners);
  checkKeys("fallbackPlanner", options, ["name", "timeoutMs", "continueOnCannotPlan", "clock"]);
  const { name = "fallback", timeoutMs, continueOnCannotPlan = false, clock = systemClock } = options;
  if (typeof name !== "string" || name === "") failOption("fallbackPlanner.name", name, "a short text");
  if (typeof continueOnCannotPlan !== "boolean")
    failOption("fallbackPlanner.continueOnCannotPlan", continueOnCannotPlan, "true or false");
  checkDuration("fallbackPlanner.timeoutMs", timeoutMs, { min: 1 });
  const chain = { name, timeoutMs, continueOnCannotPlan, clock };
  const replanners = planners.filter((planner) => planner.replan !== undefined);
  return {
    name,
    plan: (request) =>
      askInTurn(planners, { ...chain, request, ask: (planner, own) => planner.plan(own), isWhole: true }),
    ...(replanners.length > 0 && {
      replan: (request) => askInTurn(replanners, { ...chain, request, ask: askToReplan, isWhole: false }),
    }),
  };
}

/** Throws `invalid-options` for what is no list of planners. */
function checkPlanners(planners: unknown): void {
  const isList = Array.isArray(planners) && planners.length > 0;
  if (!isList) failOption("fallbackPlanner", planners, "a list of at least one planner");
  for (const [index, planner] of (planners as readonly Partial<Planner>[]).entries()) {
    if (typeof planner?.plan !== "function" || typeof planner.name !== "string")
      failOption(`fallbackPlanner[${index}]`, planner, "a planner (with name and plan)");
  }
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
  /** Whether the draft is a plan by itself, which can be checked. */
  readonly isWhole: boolean;
}

async function askInTurn<TRequest extends PlanRequest>(
  planners: readonly Planner[],
  chain: Chain<TRequest>,
): Promise<PlanDraft> {
  const { request, clock, continueOnCannotPlan } = chain;
  const startMs = clock.now();
  const failures: PlanFailure[] = [];
  for (const [index, planner] of planners.entries()) {
    try {
      const leftMs = (request.timeoutMs ?? Number.POSITIVE_INFINITY) - (clock.now() - startMs);
      const draft = await askOne(planner, { ...chain, limitMs: chain.timeoutMs ?? leftMs / (planners.length - index) });
      return { ...draft, source: withFailures({ planner: planner.name, ...draft.source }, failures) };
    } catch (thrown) {
      if (request.signal.aborted) throw request.signal.reason;
      const error = toPlanningError(planner, thrown).toJSON() as AgentErrorData;
      const next = planners[index + 1];
      if (error.code === "cannot-plan" && (next === undefined || !continueOnCannotPlan)) {
        throw cannotPlan(error, { failures, cause: thrown });
      }
      failures.push(...failuresOf(planner, error));
      if (next === undefined) throw allFailed(chain.name, { failures, cause: thrown });
      await request.tell?.({ type: "plan-fallback", planner: planner.name, next: next.name, error });
    }
  }
  throw new TypeError("A fallback planner has at least one planner.");
}

/** Asks one planner, at most so long. Whatever a planner does that is left behind counts for nothing. */
async function askOne<TRequest extends PlanRequest>(
  planner: Planner,
  { request, ask, clock, limitMs, isWhole }: Chain<TRequest> & { readonly limitMs: number },
): Promise<PlanDraft> {
  const source = new AbortSource();
  const stopFollowing = onAbort(request.signal, () => source.abort(request.signal.reason));
  const timeout = () => source.abort(plannerTimeout(planner, limitMs));
  const timer = limitMs < maxTimerMs ? clock.setTimeout(timeout, limitMs) : undefined;
  let isAsked = true;
  const own: TRequest = {
    ...request,
    ...(limitMs < maxTimerMs && { timeoutMs: limitMs }),
    signal: source.signal,
    tell: (event) => (isAsked ? request.tell?.(event) : undefined),
  };
  try {
    const draft = await settleOrAbort((async () => ask(planner, own))(), source);
    if (isWhole) await requireValid(planner, draft, request);
    return draft;
  } finally {
    isAsked = false;
    if (timer !== undefined) clock.clearTimeout(timer);
    stopFollowing();
  }
}

async function requireValid({ name }: Planner, draft: unknown, { tools, maxSteps }: PlanRequest): Promise<void> {
  const { steps } = (draft ?? {}) as Partial<PlanDraft>;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { issues } = await checkPlan(toJson({ steps }, { maxBytes: maxPlanBytes }), { tools: byName, maxSteps });
  const [first] = issues;
  if (first === undefined) return;
  const more = issues.length > 1 ? ` And ${issues.length - 1} more.` : "";
  const message = `The planner "${name}" made a plan that does not hold: ${first.code} at ${first.path.join(".")}: ${first.message}${more}`;
  throw new AgentError("invalid-plan", message, { details: { issues } });
}

function withFailures(source: PlanSource, earlier: readonly PlanFailure[]): PlanSource {
  const failures = [...earlier, ...(source.failures ?? [])];
  return failures.length === 0 ? source : { ...source, failures };
}

/** The tries that an error tells of, or itself. */
function failuresOf({ name }: Planner, error: AgentErrorData): readonly PlanFailure[] {
  const told = error.code === "planning-failed" ? error.details.failures : undefined;
  return told !== undefined && told.length > 0 ? told : [{ planner: name, code: error.code, message: error.message }];
}

function cannotPlan(
  { message, details }: AgentErrorData<"cannot-plan">,
  { failures, cause }: { failures: readonly PlanFailure[]; cause: unknown },
): AgentError {
  if (failures.length === 0) return cause as AgentError;
  return new AgentError("cannot-plan", message, { details: { ...details, failures }, cause });
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
