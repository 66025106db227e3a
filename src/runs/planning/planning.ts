import type { AbortSource } from "../../async/abort.ts";
import { monotonicNow } from "../../async/clock.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import type { EventInit } from "../../core/events.ts";
import { toJson } from "../../core/json.ts";
import type { ModelUsage } from "../../core/model-usage.ts";
import { describeValue } from "../../core/options.ts";
import type { Plan, PlanInput, PlanSource } from "../../core/plan.ts";
import {
  type Planner,
  type PlanningEvent,
  type PlanRequest,
  plannerTimeout,
  toPlanningError,
} from "../../core/planner.ts";
import { planVersionOf } from "../../core/step.ts";
import { describeInvalid, draftOf } from "../../plan/check-draft.ts";
import { checkOnce, rememberPlan } from "../../plan/check-once.ts";
import { invalidPlan, type PlanScope } from "../../plan/validate-plan.ts";
import type { EngineSettings } from "../options.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";
import { hideInIssues, hideInReasoning, requireSealable } from "../secrets/secrets-of-run.ts";
import { dataOf } from "../steps/step-call.ts";
import { ModelMeter } from "./model-meter.ts";

/** What {@link planRequest} plans. */
export interface PlanTask {
  readonly request: string;
  readonly planner: Planner;
  readonly settings: RunSettings;
  /** Aborted by the caller, with an `AgentError` as reason, or by the planner's time limit. */
  readonly source: AbortSource;
  readonly planning: Planning;
}

/** Plans as {@link planRequest} does, and emits its start and end. */
export async function planAndEmit(
  engine: EngineSettings,
  { reporter, ...task }: Omit<PlanTask, "planning"> & { readonly reporter: PlanReporter },
): Promise<Plan> {
  const { emit, dataOf } = reporter;
  const planning = new Planning(engine, reporter, task.settings);
  await emit({ type: "plan-start", planner: task.planner.name });
  try {
    const plan = await planning.within(task.planner, () => planRequest(engine, { ...task, planning }));
    const recorded = reporter.sealPlan === undefined ? plan : await reporter.sealPlan(plan);
    await emit({ type: "plan-end", ...planning.end(), outcome: { status: "completed", plan: recorded } });
    return plan;
  } catch (thrown) {
    const error = dataOf(thrown as AgentError);
    const status = error.code === "cancelled" ? "cancelled" : "failed";
    await emit({ type: "plan-end", ...planning.end(), outcome: { status, error } });
    throw thrown;
  }
}

/**
 * Lets the planner plan a request and validates its answer. Resolves to a whole plan, frozen. A planner that ignores
 * its signal is abandoned. Rejects with `cannot-plan`, `planning-failed`, `invalid-plan`, `invalid-request`, `timeout`
 * or the reason of the source.
 */
async function planRequest(engine: EngineSettings, task: PlanTask): Promise<Plan> {
  checkRequest(task.request, engine.maxRequestLength);
  return askPlanner(engine, task, () => makePlan(engine, task));
}

/**
 * Waits at most `plannerTimeoutMs` for a planner, and abandons one that ignores its signal. What it throws becomes one
 * of the planning errors.
 */
export async function askPlanner<T>(
  engine: EngineSettings,
  { planner, source }: Pick<PlanTask, "planner" | "source">,
  ask: () => Promise<T>,
): Promise<T> {
  const { clock, plannerTimeoutMs: timeoutMs } = engine;
  if (source.aborted) throw source.reason;
  const timeout = () => source.abort(plannerTimeout(planner, { timeoutMs, limit: "plannerTimeoutMs," }));
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(timeout, timeoutMs);
  try {
    return await settleOrAbort(ask(), source);
  } catch (thrown) {
    if (source.aborted) throw source.reason;
    throw toPlanningError(planner, thrown);
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}

function checkRequest(request: unknown, maxLength: number): void {
  const length = typeof request === "string" ? request.length : 0;
  if (typeof request === "string" && request.trim() !== "" && length <= maxLength) return;
  const advice = typeof request === "object" && request !== null ? ". To run a plan, call `execute`" : "";
  const described = `received ${describeValue(request)}${advice}`;
  const received = typeof request !== "string" ? described : length > maxLength ? `it has ${length}` : "it is empty";
  const message = `A request is text of 1 to ${maxLength} characters; ${received}.`;
  throw new AgentError("invalid-request", message, { details: { length, maxLength } });
}

/** Async, so that a synchronous throw of a planner is a rejection like any other. */
async function makePlan(engine: EngineSettings, task: PlanTask): Promise<Plan> {
  const startMs = monotonicNow(engine.clock);
  const draft: unknown = await task.planner.plan(toPlanRequest(engine, task));
  const { steps, source } = draftOf(task.planner, draft);
  return completePlan(engine, task, { steps, source: withDuration(source, monotonicNow(engine.clock) - startMs) });
}

/** How long planning took is told of a plan by a model: rules take no time. */
function withDuration(source: unknown, durationMs: number): unknown {
  const isByModel = typeof (source as PlanSource | undefined)?.model === "string";
  return isByModel ? { ...(source as PlanSource), durationMs: Math.round(durationMs) } : source;
}

/** What a planner receives. */
export function toPlanRequest(engine: EngineSettings, { request, settings, source, planning }: PlanTask): PlanRequest {
  const { context, tools, stored } = settings;
  const { plannerTimeoutMs } = engine;
  return {
    request,
    tools: [...tools.values()],
    ...(context !== undefined && { context }),
    maxSteps: stored.maxSteps,
    nowMs: engine.clock.now(),
    timeZone: stored.timeZone,
    ...(plannerTimeoutMs !== Number.POSITIVE_INFINITY && { timeoutMs: plannerTimeoutMs }),
    signal: source.signal,
    generate: (model, modelRequest) => planning.meter.generate(model, modelRequest),
    emit: (event) => planning.emit(event),
  };
}

/** A planner's draft as a whole plan, frozen. Rejects with `invalid-plan`. */
export async function completePlan(
  engine: EngineSettings,
  { request, planner, settings, planning: { meter } }: PlanTask,
  { steps, source }: { steps?: unknown; source?: unknown },
): Promise<Plan> {
  const { usage, calls } = meter;
  const head = {
    version: planVersionOf(steps),
    id: `plan_${engine.createId()}`,
    request,
    source: { planner: planner.name, ...(source as object | undefined), ...(usage && { usage, calls }) },
    createdAt: new Date(engine.clock.now()).toISOString(),
  };
  const plan = { ...head, steps };
  const complaint = describeInvalid(planner);
  const valid = (await requireValid(engine, settings, { plan, complaint })) as Plan;
  if (engine.sealing !== undefined) await requireSealable(engine, settings, valid);
  // A plan from `plan()` is mostly run next.
  return rememberPlan(await hideInReasoning(engine, settings, valid));
}

function scopeOf({ events }: EngineSettings, { tools, stored }: RunSettings): PlanScope {
  return { tools, maxSteps: stored.maxSteps, events: events && new Set(events.keys()) };
}

/**
 * A frozen copy of a valid plan, or the plan itself if it is known to be valid. Throws `invalid-plan` with every issue.
 */
export async function requireValid(
  engine: EngineSettings,
  settings: RunSettings,
  { plan: given, complaint }: { readonly plan: unknown; readonly complaint: string },
): Promise<PlanInput> {
  const { plan, issues, json = null } = await checkOnce(given, scopeOf(engine, settings));
  if (plan !== undefined) return plan;
  throw invalidPlan(complaint, await hideInIssues(engine, settings, { plan: json, issues }));
}

const planningTypes: ReadonlySet<string> = new Set<PlanningEvent["type"]>(["plan-fallback", "plan-delta"]);

/** The run that is planned, and how planning is reported. */
export interface PlanReporter {
  readonly runId: string;
  /** What the run has already used of models. */
  readonly spent: ModelUsage | undefined;
  readonly emit: (event: EventInit) => void | Promise<void>;
  /** Why there is no plan, as it is reported. */
  readonly dataOf: (error: AgentError) => AgentErrorData;
  /** A plan as it is reported. @default unchanged */
  readonly sealPlan?: ((plan: Plan) => Promise<Plan>) | undefined;
}

/**
 * What a planner uses and reports while it plans. After that nothing is emitted: the planner may have been abandoned.
 */
export class Planning {
  readonly meter: ModelMeter;
  private hasEnded = false;

  constructor(
    private readonly engine: EngineSettings,
    private readonly reporter: PlanReporter,
    { stored }: RunSettings,
  ) {
    const { runId } = reporter;
    this.meter = new ModelMeter(stored.budget, reporter.spent, {
      now: () => monotonicNow(engine.clock),
      emit: (event) => (this.hasEnded ? undefined : reporter.emit(event)),
      within: (about, call) => engine.within?.({ type: "model", runId, ...about }, call) ?? call(),
    });
  }

  /** Asks a planner within what observers set; `replan` counts how often it was asked again. */
  within<T extends object>({ name: planner }: Planner, ask: () => T, replan?: number): T {
    const { runId } = this.reporter;
    const call = { type: "plan", runId, planner, ...(replan !== undefined && { replan }) } as const;
    return this.engine.within?.(call, ask) ?? ask();
  }

  /** Emits a frozen copy, which nobody else can change. Throws for anything that is not a planning event. */
  emit(event: PlanningEvent): void | Promise<void> {
    if (this.hasEnded) return undefined;
    const json = toJson(event);
    const copy = (json.ok ? json.value : undefined) as PlanningEvent | null | undefined;
    if (copy && planningTypes.has(copy.type)) return this.reporter.emit({ ...copy });
    const what = json.ok ? `the event "${copy?.type}"` : `a value that is not JSON: ${json.issue.message}`;
    throw new TypeError(`A planner reports ${[...planningTypes].join(" and ")}, not ${what}.`);
  }

  /** Ends planning, and returns what was used, as an event contains it. */
  end(): { usage?: ModelUsage } {
    this.meter.close();
    this.hasEnded = true;
    const { usage } = this.meter;
    if (usage === undefined) return {};
    const overrun = this.meter.describeOverrun();
    if (overrun !== undefined) {
      const message = `${overrun}: a prompt was longer than its estimate, or an answer than its limit.`;
      this.engine.onWarning({ code: "budget-overrun", message, runId: this.reporter.runId });
    }
    return { usage };
  }
}

/** Planning as part of a run. */
export function reporterOf(run: Run): PlanReporter {
  const { runId, state, secrets } = run;
  return {
    runId,
    spent: state.usage,
    emit: (event) => run.emit(event),
    dataOf: (error) => dataOf(run, error),
    sealPlan: secrets && ((plan: Plan) => secrets.sealPlan(plan)),
  };
}
