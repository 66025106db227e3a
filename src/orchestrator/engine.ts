import { AbortSource } from "../async/abort-source.ts";
import { EventChannel, type EventStream } from "../async/event-channel.ts";
import { EventHub } from "../async/event-hub.ts";
import { AgentError } from "../core/errors.ts";
import { type AgentEvent, isTransient } from "../core/events.ts";
import { canonicalPlan } from "../core/hash-plan.ts";
import { toJson } from "../core/json.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import { type RunResult, type RunSnapshot, toRunResult, toRunSnapshot } from "../core/run-result.ts";
import { foldEvents, type RunState } from "../core/run-state.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import { maxPlanBytes } from "../core/validate-plan.ts";
import { completeGivenPlan, conductRun, deliver } from "./conduct-run.ts";
import type { EngineSettings } from "./options.ts";
import { planRequest } from "./plan-request.ts";
import { cancelledBy, Run } from "./run.ts";
import { type RunSettings, resolveRunOptions } from "./run-options.ts";
import { RunRecorder, toStoreError } from "./run-recorder.ts";

/** The most events that wait in a handle to be read. */
const eventCapacity = 1_000;

/** What a run is of: a request to plan, or a plan as it was given. */
export type RunTarget = { readonly request: string } | { readonly plan: PlanInput };

type AnyRunOptions = Parameters<typeof resolveRunOptions>[0];

/** A run that is going on. */
export interface EngineHandle {
  readonly runId: string;
  readonly events: EventStream<AgentEvent>;
  readonly result: Promise<RunResult>;
  cancel(reason?: string): void;
}

interface ActiveRun {
  readonly target: RunTarget;
  readonly handle: EngineHandle;
}

/**
 * Runs requests and plans, for an agent and an orchestrator alike. It knows no types of tools: those who own it give them.
 */
export class Engine {
  readonly hub: EventHub<AgentEvent>;
  /** Of a run without options, as most are. */
  private readonly plainOptions: RunSettings;
  private readonly active = new Map<string, ActiveRun>();

  constructor(readonly settings: EngineSettings) {
    this.hub = new EventHub(settings.onListenerError);
    this.plainOptions = resolveRunOptions({}, settings);
  }

  /** Starts a run, or joins the one of the same id that is going on here. Throws for options and ids that can not be. */
  start(target: RunTarget, options?: AnyRunOptions): EngineHandle {
    const settings = this.optionsOf(options);
    const runId = options?.runId ?? `run_${this.settings.createId()}`;
    const active = this.active.get(runId);
    if (active !== undefined) {
      if (identityOf(active.target) !== identityOf(target)) throw runConflict(runId);
      return active.handle;
    }
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    const run = new Run(runId, this.settings, settings, this.hub, channel);
    const result = this.conduct(run, { target, isNamed: options?.runId !== undefined, channel });
    const tidied = result.finally(() => {
      this.active.delete(runId);
      channel.close();
    });
    // Whoever does not read the result has not asked for its errors either.
    tidied.catch(() => {});
    const handle = {
      runId,
      events: channel,
      result: tidied,
      cancel: (reason?: string) => run.abort(cancelledBy(reason)),
    };
    this.active.set(runId, { target, handle });
    return handle;
  }

  /** Runs to the end, for whoever wants no handle and so no events kept for it. */
  async run(target: RunTarget, options?: AnyRunOptions): Promise<RunResult> {
    if (options?.runId !== undefined) return this.start(target, options).result;
    const settings = this.optionsOf(options);
    const run = new Run(`run_${this.settings.createId()}`, this.settings, settings, this.hub, undefined);
    return this.conduct(run, { target, isNamed: false });
  }

  private optionsOf(options: AnyRunOptions | undefined): RunSettings {
    return options === undefined ? this.plainOptions : resolveRunOptions(options, this.settings);
  }

  private async conduct(run: Run, { target, isNamed, channel }: Conducted): Promise<RunResult> {
    const { settings } = run;
    if (isNamed) {
      const stored = await this.readState(run.runId, channel);
      if (stored !== undefined) return deliver(storedResult(stored, target), settings);
    }
    const begun =
      "request" in target ? target : { plan: await completeGivenPlan(this.settings, settings, target.plan) };
    return deliver(await conductRun(run, begun), settings);
  }

  /** Makes a plan without a run: its events carry a fresh run id, and nothing is stored. */
  async plan(request: string, options?: AnyRunOptions): Promise<Plan> {
    const { planner, createId, clock } = this.settings;
    if (planner === undefined) throw new TypeError("This engine has no planner.");
    const settings = this.optionsOf(options);
    const recorder = new RunRecorder({
      runId: `run_${createId()}`,
      now: () => clock.now(),
      tell: (event) => this.hub.emit(event),
    });
    const source = new AbortSource();
    const onAbort = () => source.abort(cancelledBy(settings.signal?.reason));
    if (settings.signal?.aborted) onAbort();
    settings.signal?.addEventListener("abort", onAbort, { once: true });
    recorder.emit({ type: "plan-start", planner: planner.name });
    try {
      const plan = await planRequest(this.settings, { request, planner, settings, source });
      recorder.emit({ type: "plan-end", outcome: { status: "completed", plan } });
      return plan;
    } catch (thrown) {
      const error = (thrown as AgentError).toJSON();
      recorder.emit({
        type: "plan-end",
        outcome: { status: error.code === "cancelled" ? "cancelled" : "failed", error },
      });
      throw thrown;
    } finally {
      settings.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** A stored run as it stands; undefined if there is none of this id. Rejects with `store-failed`. */
  async getRun(runId: string): Promise<RunSnapshot | undefined> {
    const state = await this.readState(runId);
    return state && toRunSnapshot(state);
  }

  /** A page of the stored runs. Rejects with `store-failed`. */
  async listRuns(options: ListRunsOptions = {}): Promise<RunPage> {
    try {
      return await this.settings.store.list(options);
    } catch (thrown) {
      if (thrown instanceof AgentError && thrown.code === "invalid-options") throw thrown;
      throw toStoreError(thrown, { runId: "", operation: "list" });
    }
  }

  private async readState(runId: string, channel?: EventChannel<AgentEvent>): Promise<RunState | undefined> {
    let events: readonly AgentEvent[];
    try {
      events = await this.settings.store.read(runId);
    } catch (thrown) {
      throw toStoreError(thrown, { runId, operation: "read" });
    }
    if (events.length === 0) return undefined;
    for (const event of events) channel?.push(event);
    return foldEvents(runId, events);
  }
}

interface Conducted {
  readonly target: RunTarget;
  /** The caller gave the run's id, so that there may be one already. */
  readonly isNamed: boolean;
  readonly channel?: EventChannel<AgentEvent>;
}

/** What makes two runs of one id the same: the request's text, or what the plan's hash is made of. */
function identityOf(target: RunTarget): string {
  if ("request" in target) return `request ${target.request}`;
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  // What is not JSON is no plan, and validation will say why.
  if (!json.ok || typeof json.value !== "object" || json.value === null) return "not a plan";
  return `plan ${canonicalPlan(json.value as unknown as PlanInput)}`;
}

function storedResult(state: RunState, target: RunTarget): RunResult {
  const { request, plan, runId, status } = state;
  const stored: RunTarget = request === undefined ? { plan: plan as PlanInput } : { request };
  if (identityOf(stored) !== identityOf(target)) throw runConflict(runId);
  if (status === "planning" || status === "running") throw runElsewhere(runId);
  return toRunResult(state);
}

function runConflict(runId: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" was started with another request or plan. Use a new runId, or the same request.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}

function runElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  const message = `Run "${runId}" has begun elsewhere and has not ended; its result is not known here.`;
  return new AgentError("run-owned-elsewhere", message, { details: { runId } });
}
