import { AbortSource, lazySignal, onAbort, sourceKey } from "../../async/abort.ts";
import { monotonicNow, toTimestamp } from "../../async/clock.ts";
import { countPending, settleOrAbort } from "../../async/promises.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import type { AgentEvent, EventInit, TurnOutcome } from "../../core/events.ts";
import { toJson } from "../../core/json.ts";
import type { ModelUsage } from "../../core/model-usage.ts";
import { describeValue } from "../../core/option-tables.ts";
import type { Plan, PlanFailure, PlanSource } from "../../core/plan.ts";
import {
  type PlanDraft,
  type Planner,
  type PlanningEvent,
  type PlanRequest,
  plannerTimeout,
  toPlanningError,
} from "../../core/planner.ts";
import { planVersionOf } from "../../core/step.ts";
import type { Turn, TurnReader, TurnRequest } from "../../core/turn.ts";
import { describeInvalid, draftOf } from "../../plan/check-draft.ts";
import { type Expressions, languageKey } from "../../plan/expressions.ts";
import { rememberPlan } from "../../plan/validate-plan.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { showIn } from "../run/redaction.ts";
import type { ListThread, Run, RunHost, ThreadListing } from "../run/run.ts";
import { cancelledBy } from "../run/run-errors.ts";
import type { RunSettings } from "../run/run-options.ts";
import { RunRecorder } from "../run/run-recorder.ts";
import { secretsOf } from "../run/run-secrets.ts";
import { dataOf } from "../run/step-call.ts";
import { ModelMeter } from "./model-meter.ts";
import { requireApproved, requireValid } from "./run-target.ts";

export async function planInRun(run: Run, request: string): Promise<AgentErrorData | undefined> {
  const { planner, loadTurns } = run.engine;
  if (loadTurns !== undefined) await run.waitForLines();
  if (!run.canContinue() || planner === undefined) return undefined;
  const source = run.openSource();
  try {
    const outcome = await planAndEmit(taskIn(run, { request, planner, source }));
    if (outcome.status === "completed") await requireApproved(outcome.plan, run);
    return undefined;
  } catch (thrown) {
    return dataOf(run, thrown as AgentError);
  } finally {
    run.closeSource(source);
  }
}

export function taskIn(run: Run, task: Pick<PlanTask, "request" | "planner" | "source">): PlanTask {
  const { runId, engine, settings, state, secrets } = run;
  return {
    runId,
    engine,
    settings,
    spent: state.usage,
    listThread: run.host.listThread,
    emit: (event) => run.emit(event),
    dataOf: (error) => dataOf(run, error),
    sealPlan: secrets && ((plan) => secrets.sealPlan(plan)),
    ...task,
  };
}

export async function planAlone(
  { settings: engine, hub, listThread }: Pick<RunHost, "settings" | "hub" | "listThread">,
  { runId, request, settings }: Pick<PlanTask, "runId" | "request" | "settings">,
): Promise<Plan> {
  const { planner, clock } = engine;
  if (planner === undefined) throw new TypeError("This engine has no planner.");
  const secrets = await secretsOf(engine, { runId, tools: settings.tools });
  const onRecorded = (event: AgentEvent) => hub.emit(showIn({ runId, secrets, engine }, event));
  const recorder = new RunRecorder({ runId, now: () => clock.now(), onRecorded });
  const task = {
    runId,
    request,
    planner,
    engine,
    settings,
    listThread,
    spent: undefined,
    emit: (event: EventInit) => recorder.emit(secrets?.hideInEvent(event) ?? event),
    dataOf: (error: AgentError) => error.toJSON(),
    sealPlan: secrets && (async (plan: Plan) => secrets.hidePlan(plan)),
    needsPlan: true,
  };
  const planned = await underSignal(settings.signal, (source) => planAndEmit({ ...task, source }));
  return (planned as Extract<PlanOutcome, { status: "completed" }>).plan;
}

export async function underSignal<T>(
  signal: AbortSignal | undefined,
  work: (source: AbortSource) => Promise<T>,
): Promise<T> {
  const source = new AbortSource();
  const abort = () => source.abort(cancelledBy(signal?.reason));
  if (signal?.aborted) abort();
  const stopListening = signal && onAbort(signal, abort);
  try {
    return await work(source);
  } finally {
    stopListening?.();
  }
}

type PlanOutcome = { readonly status: "completed"; readonly plan: Plan } | TurnOutcome;

interface PlanTask {
  readonly request: string;
  readonly planner: Planner;
  readonly engine: EngineSettings;
  readonly settings: RunSettings;
  readonly source: AbortSource;
  readonly runId: string;
  readonly spent: ModelUsage | undefined;
  readonly emit: (event: EventInit) => void | Promise<void>;
  readonly dataOf: (error: AgentError) => AgentErrorData;
  readonly sealPlan?: ((plan: Plan) => Promise<Plan>) | undefined;
  readonly listThread: ListThread;
  readonly needsPlan?: boolean;
}

async function planAndEmit(task: PlanTask): Promise<PlanOutcome> {
  const { planner, emit, sealPlan } = task;
  const planning = new Planning(task);
  await emit({ type: "plan-start", planner: planner.name });
  try {
    const outcome = await planning.ask(() => planning.plan());
    const sealed =
      outcome.status === "completed" && sealPlan ? { ...outcome, plan: await sealPlan(outcome.plan) } : outcome;
    await emit({ type: "plan-end", ...planning.end(), outcome: sealed });
    return outcome;
  } catch (thrown) {
    await emit({ type: "plan-end", ...planning.end(), outcome: planning.failureOf(thrown) });
    throw thrown;
  }
}

function checkRequest(request: unknown, maxLength: number): void {
  const length = typeof request === "string" ? request.length : 0;
  if (typeof request === "string" && request.trim() !== "" && length <= maxLength) return;
  const advice = typeof request === "object" && request !== null ? ". To run a plan, call `execute`" : "";
  const text = length > maxLength ? `${length} characters` : "blank text";
  const received = typeof request === "string" ? text : `${describeValue(request)}${advice}`;
  const message = `A request must be text of 1 to ${maxLength} characters; received ${received}.`;
  throw new AgentError("invalid-request", message, { details: { length, maxLength } });
}

interface GivenByAgent {
  readonly [sourceKey]: AbortSource;
  readonly [languageKey]: Expressions | undefined;
}

const planningTypes: ReadonlySet<string> = new Set<PlanningEvent["type"]>(["plan-fallback", "plan-delta"]);

/** Emits nothing after `end`, as an abandoned planner may still be working. */
export class Planning {
  readonly #meter: ModelMeter;
  #hasEnded = false;

  constructor(private readonly task: PlanTask) {
    const { engine, settings, runId, spent, emit } = task;
    this.#meter = new ModelMeter(settings.stored.budget, spent, {
      now: () => monotonicNow(engine.clock),
      emit: (event) => (this.#hasEnded ? undefined : emit(event)),
      within: (about, call) => engine.within?.({ type: "model", runId, ...about }, call) ?? call(),
    });
  }

  ask<T>(call: () => Promise<T>, replan?: number): Promise<T> {
    const { engine, planner, request, runId } = this.task;
    const about = { type: "plan", runId, planner: planner.name, ...(replan !== undefined && { replan }) } as const;
    const asking = async () => {
      if (replan === undefined) checkRequest(request, engine.maxRequestLength);
      return this.#askInTime(call);
    };
    return engine.within?.(about, asking) ?? asking();
  }

  async #askInTime<T>(call: () => Promise<T>): Promise<T> {
    const { engine, planner, source } = this.task;
    const { clock, plannerTimeoutMs: timeoutMs } = engine;
    if (source.aborted) throw source.reason;
    const timeout = () => source.abort(plannerTimeout(planner, { timeoutMs, limit: "plannerTimeoutMs," }));
    const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(timeout, timeoutMs);
    try {
      return await settleOrAbort(call(), source);
    } catch (thrown) {
      if (source.aborted) throw source.reason;
      throw toPlanningError(planner, thrown);
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  async plan(): Promise<PlanOutcome> {
    const { thread } = this.task.settings;
    const { loadTurns } = this.task.engine;
    if (thread === undefined || loadTurns === undefined)
      return { status: "completed", plan: await this.#planRequest() };
    return this.#planLine(thread, await countPending(loadTurns()));
  }

  /** Plans the line again if an earlier line became known meanwhile. */
  async #planLine(thread: string, reader: TurnReader): Promise<PlanOutcome> {
    const { runId, listThread } = this.task;
    const before = await listThread({ thread, runId });
    const [planned] = await Promise.allSettled([this.#planTurn(reader, before)]);
    const now = await listThread({ thread, runId });
    const known = new Set(before.listed.map((run) => run.runId));
    if (now.earlier.some((run) => !known.has(run.runId))) return this.#planTurn(reader, now);
    if (planned.status === "rejected") throw planned.reason;
    return planned.value;
  }

  async #planTurn(reader: TurnReader, thread: ThreadListing): Promise<PlanOutcome> {
    const { settings, needsPlan = settings.stored.approvedHash !== undefined } = this.task;
    const { request, tools, maxSteps, nowMs, timeZone, signal } = this.toRequest();
    const asked: TurnRequest = { request, tools, maxSteps, nowMs, timeZone, signal, runs: await thread.read() };
    const turn = await reader.readTurn(asked);
    if (turn.status === "plan") return { status: "completed", plan: await this.#completeDraft(turn.draft) };
    if (turn.status !== "request") {
      if (needsPlan) throw noRequest(turn);
      return turn;
    }
    try {
      return { status: "completed", plan: await this.#planRequest(turn.thread) };
    } catch (thrown) {
      const { planner } = this.task;
      const refusal = toPlanningError(planner, thrown);
      if (!isAgentError(refusal, "cannot-plan")) throw thrown;
      const draft = await reader.askAfter(asked, refusal);
      if (draft === undefined) throw thrown;
      const { code, message, details } = refusal;
      const failures = [...(details.failures ?? []), { planner: planner.name, code, message }];
      return { status: "completed", plan: await this.#completeDraft(draft, failures) };
    }
  }

  #completeDraft({ steps, source }: PlanDraft, failures?: readonly PlanFailure[]): Promise<Plan> {
    return this.complete({
      steps,
      source: { ...source, planner: source?.planner ?? "dialogue", ...(failures && { failures }) },
    });
  }

  async #planRequest(thread?: PlanRequest["thread"]): Promise<Plan> {
    const { engine, planner } = this.task;
    const startMs = monotonicNow(engine.clock);
    const { steps, source } = draftOf(planner, await planner.plan(this.toRequest(thread)));
    const durationMs = Math.round(monotonicNow(engine.clock) - startMs);
    const isByModel = typeof (source as PlanSource | undefined)?.model === "string";
    return this.complete({ steps, source: isByModel ? { ...(source as PlanSource), durationMs } : source });
  }

  toRequest(thread?: PlanRequest["thread"]): PlanRequest {
    const { engine, settings, request, source } = this.task;
    const { context, tools, stored } = settings;
    const { plannerTimeoutMs } = engine;
    const given: Omit<PlanRequest, "signal"> & GivenByAgent = {
      request,
      tools: [...tools.values()],
      ...(context !== undefined && { context }),
      ...(thread !== undefined && { thread }),
      maxSteps: stored.maxSteps,
      nowMs: engine.clock.now(),
      timeZone: stored.timeZone,
      ...(plannerTimeoutMs !== Number.POSITIVE_INFINITY && { timeoutMs: plannerTimeoutMs }),
      [sourceKey]: source,
      [languageKey]: engine.expressions,
      generate: (model, modelRequest) => this.#meter.generate(model, modelRequest),
      emit: (event) => this.#emit(event),
    };
    return Object.defineProperty(given, "signal", lazySignal) as typeof given & Pick<PlanRequest, "signal">;
  }

  /** Emits a frozen copy, which the planner cannot change afterwards. */
  #emit(event: PlanningEvent): void | Promise<void> {
    if (this.#hasEnded) return undefined;
    const json = toJson(event);
    const copy = (json.ok ? json.value : undefined) as PlanningEvent | null | undefined;
    if (copy && planningTypes.has(copy.type)) return this.task.emit({ ...copy });
    const what = json.ok ? `the event "${copy?.type}"` : `a value that is not JSON: ${json.issue.message}`;
    throw new TypeError(`A planner may emit only ${[...planningTypes].join(" and ")}; received ${what}.`);
  }

  async complete({ steps, source }: { readonly steps?: unknown; readonly source?: unknown }): Promise<Plan> {
    const { engine, settings, planner, request } = this.task;
    const { usage, calls } = this.#meter;
    const plan = {
      version: planVersionOf(steps),
      id: `plan_${engine.createId()}`,
      request,
      source: { planner: planner.name, ...(source as object | undefined), ...(usage && { usage, calls }) },
      createdAt: toTimestamp(engine.clock.now()),
      steps,
    };
    const complaint = describeInvalid({ name: plan.source.planner });
    const valid = (await requireValid(engine, settings, { plan, complaint })) as Plan;
    const secrets = await secretsOf(engine, settings);
    secrets?.requireSealable(valid);
    return rememberPlan(secrets?.hideInReasoning(valid) ?? valid);
  }

  failureOf(thrown: unknown): { readonly status: "cancelled" | "failed"; readonly error: AgentErrorData } {
    const error = this.task.dataOf(thrown as AgentError);
    return { status: error.code === "cancelled" ? "cancelled" : "failed", error };
  }

  end(): { usage?: ModelUsage } {
    this.#meter.close();
    this.#hasEnded = true;
    const { engine, runId } = this.task;
    const { usage } = this.#meter;
    if (usage === undefined) return {};
    const overrun = this.#meter.describeOverrun();
    if (overrun !== undefined) {
      const message = `${overrun}: a prompt was longer than estimated, or an answer was longer than allowed.`;
      engine.onWarning({ code: "budget-overrun", message, runId });
    }
    return { usage };
  }
}

function noRequest(read: Exclude<Turn, { readonly status: "request" | "plan" }>): AgentError<"cannot-plan"> {
  const base = { reason: "no-request", examples: [] } as const;
  switch (read.status) {
    case "words":
      return new AgentError("cannot-plan", "The line needs no plan: it is answered in words.", {
        details: { ...base, text: read.text },
      });
    case "answer":
    case "decline": {
      const { status, ...answers } = read;
      const does = status === "answer" ? "answers" : "declines to answer";
      const message = `The line ${does} the question "${read.stepId}" of run "${read.runId}": it needs no plan.`;
      return new AgentError("cannot-plan", message, { details: { ...base, answers } });
    }
    case "undo": {
      const { runId } = read;
      const message = `The line undoes run "${runId}": it needs no plan.`;
      return new AgentError("cannot-plan", message, { details: { ...base, undoes: { runId } } });
    }
    default:
      return read satisfies never;
  }
}
