import { AbortSource } from "../async/abort-source.ts";
import { EventChannel, type EventStream } from "../async/event-channel.ts";
import { EventHub } from "../async/event-hub.ts";
import { onAbort } from "../async/on-abort.ts";
import { fromErrorData } from "../core/errors.ts";
import { type AgentEvent, isTransient } from "../core/events.ts";
import { toJson } from "../core/json.ts";
import { checkKeys } from "../core/options.ts";
import { maxPlanBytes, type Plan, type PlanInput } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import { loadConductor, loadedConductor } from "./conductor.ts";
import type { ContinueOptions, Decision } from "./continue-run.ts";
import type { DryRun } from "./dry-run.ts";
import type { EngineSettings } from "./options.ts";
import { cancelledBy, Run } from "./run.ts";
import { identityOf, type RunStart, type RunTarget, runConflict, targetOf } from "./run-identity.ts";
import { type RunSettings, resolveRunOptions } from "./run-options.ts";
import { RunRecorder } from "./run-recorder.ts";

/** The most events that wait in a handle to be read. */
const eventCapacity = 1_000;

type AnyRunOptions = Parameters<typeof resolveRunOptions>[0];

/** A run that is going on. */
export interface EngineHandle {
  readonly runId: string;
  readonly events: EventStream<AgentEvent>;
  readonly result: Promise<RunResult>;
  cancel(reason?: string): void;
}

/** A run that goes on here. */
export interface ActiveRun {
  /** Of one whose id the caller gave. */
  readonly identity: string | undefined;
  readonly run: Run;
  /** Before `throwOnFailure`, which is each caller's own. */
  readonly result: Promise<RunResult>;
}

/**
 * Runs requests and plans, for an agent and an orchestrator alike. It knows no types of tools: those who own it give them.
 */
export class Engine {
  readonly hub: EventHub<AgentEvent>;
  /** Of a run without options, as most are. */
  private readonly plainOptions: RunSettings;
  readonly active = new Map<string, ActiveRun>();
  /** The runs that are being read to go on. */
  readonly restoring = new Map<string, Promise<unknown>>();

  constructor(readonly settings: EngineSettings) {
    this.hub = new EventHub(settings.onListenerError);
    this.plainOptions = resolveRunOptions({}, settings);
  }

  /** Starts a run, or joins the one of the same id that is going on here. Throws for options and ids that can not be. */
  start(given: RunTarget, options?: AnyRunOptions): EngineHandle {
    const settings = this.optionsOf(options);
    const target = holdFast(given);
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    if (options?.runId === undefined) {
      const run = this.createRun(`run_${this.settings.createId()}`, settings);
      run.addChannel(channel);
      return this.handOut(run, { result: this.begin(run, { target }), settings, channel });
    }
    const { runId } = options;
    const identity = identityOf(target, this.settings);
    const active = this.active.get(runId);
    if (active !== undefined) return this.join(active, { target, identity, settings, channel });
    const run = this.createRun(runId, settings);
    run.keepHistory();
    run.addChannel(channel);
    return this.handOut(run, { result: this.begin(run, { target, identity }), settings, channel });
  }

  /** Runs to the end, for whoever wants no handle and so no events kept for it. */
  async run(target: RunTarget, options?: AnyRunOptions): Promise<RunResult> {
    if (options?.runId !== undefined) return this.start(target, options).result;
    const settings = this.optionsOf(options);
    const run = this.createRun(`run_${this.settings.createId()}`, settings);
    return deliver(await this.begin(run, { target: holdFast(target) }), settings);
  }

  /**
   * Decides about what a run waits for, and goes on with it: at once where it is going on here, else from the store once it
   * is read. What goes wrong rejects the handle's result.
   */
  decide(runId: string, decision: Decision, options: ContinueOptions = {}): EngineHandle {
    checkKeys("options", options, ["resources", "signal", "throwOnFailure"]);
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    const cancelling = new AbortSource();
    const loading = loadedConductor() ?? loadConductor();
    const deciding = { runId, decision, options, channel, cancelling };
    const result = (
      loading instanceof Promise
        ? loading.then((parts) => parts.decideRun(this, deciding))
        : loading.decideRun(this, deciding)
    )
      .then((value) => deliver(value, { throwOnFailure: options.throwOnFailure ?? false }))
      .finally(() => channel.close());
    result.catch(() => {});
    return { runId, events: channel, result, cancel: (reason) => cancelling.abort(cancelledBy(reason)) };
  }

  /** What a request or a plan would do. Rejects with what planning does, `invalid-plan` or `plan-not-approved`. */
  async dryRun(target: RunTarget, options?: AnyRunOptions): Promise<DryRun> {
    const settings = this.optionsOf(options);
    const { completeTarget, dryRun } = loadedConductor() ?? (await loadConductor());
    const given = "request" in target ? { plan: await this.plan(target.request, options) } : target;
    const { plan } = (await completeTarget(this.settings, settings, given)) as { plan: Plan };
    return dryRun(this.settings, settings, plan);
  }

  /** Opens a run and holds it among the active ones until its leg is closed. */
  hold(run: Run, conduct: () => Promise<RunResult>, identity?: string): Promise<RunResult> {
    const { runId } = run;
    run.open();
    const result = conduct().finally(() => {
      run.close();
      this.active.delete(runId);
    });
    this.active.set(runId, { identity, run, result });
    return result;
  }

  /** From now to the end of the run: its time and its signal count while the conductor is loaded, too. */
  private begin(run: Run, start: RunStart): Promise<RunResult> {
    return this.hold(
      run,
      async () => {
        const { conductRun } = loadedConductor() ?? (await loadConductor());
        return conductRun(run, start);
      },
      start.identity,
    );
  }

  private optionsOf(options: AnyRunOptions | undefined): RunSettings {
    return options === undefined ? this.plainOptions : resolveRunOptions(options, this.settings);
  }

  /** `state` is that of a run that goes on. */
  createRun(runId: string, settings: RunSettings, state?: RunState): Run {
    return new Run(runId, this.settings, settings, this.hub, state);
  }

  private handOut(run: Run, { result, settings, channel }: HandedOut): EngineHandle {
    const delivered = result.then((value) => deliver(value, settings)).finally(() => channel.close());
    // Whoever does not read the result has not asked for its errors either.
    delivered.catch(() => {});
    const cancel = (reason?: string) => run.abort(cancelledBy(reason));
    return { runId: run.runId, events: channel, result: delivered, cancel };
  }

  /** A second caller's handle: its own events from the first on, and its own way to be told of failure. */
  private join({ run, identity, result }: ActiveRun, joiner: Joiner): EngineHandle {
    const { target, settings, channel } = joiner;
    if (joiner.identity !== (identity ?? identityOf(targetOf(run.state), this.settings))) throw runConflict(run.runId);
    const checked = this.check(target, settings).then(() => result);
    run.addChannel(channel);
    return this.handOut(run, { result: checked, settings, channel });
  }

  private async check(target: RunTarget, settings: RunSettings): Promise<void> {
    const { completeTarget } = loadedConductor() ?? (await loadConductor());
    await completeTarget(this.settings, settings, target);
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
    const abort = () => source.abort(cancelledBy(settings.signal?.reason));
    if (settings.signal?.aborted) abort();
    const stopListening = settings.signal && onAbort(settings.signal, abort);
    try {
      const { planAndTell } = loadedConductor() ?? (await loadConductor());
      return await planAndTell(this.settings, {
        request,
        planner,
        settings,
        source,
        emit: (event) => recorder.emit(event),
      });
    } finally {
      stopListening?.();
    }
  }

  /** A stored run as it stands; undefined if there is none of this id. Rejects with `store-failed`. */
  async getRun(runId: string): Promise<RunSnapshot | undefined> {
    const { readRun } = loadedConductor() ?? (await loadConductor());
    return readRun(this.settings.store, runId);
  }

  /** A page of the stored runs. Rejects with `store-failed`. */
  async listRuns(options: ListRunsOptions = {}): Promise<RunPage> {
    const { listRuns } = loadedConductor() ?? (await loadConductor());
    return listRuns(this.settings.store, options);
  }
}

/**
 * What a run is of, as it stands when the run starts: the caller may change the plan while the conductor is loaded, which else
 * takes its copy at once.
 */
function holdFast(target: RunTarget): RunTarget {
  if ("request" in target || loadedConductor() !== undefined) return target;
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  // What is not JSON is refused by validation, which says why.
  return json.ok ? { plan: json.value as unknown as PlanInput } : target;
}

/** A result as the caller wants it: thrown where it failed and that was asked for. */
function deliver(result: RunResult, { throwOnFailure }: Pick<RunSettings, "throwOnFailure">): RunResult {
  const { status, error } = result;
  if (throwOnFailure && (status === "failed" || status === "cancelled")) throw fromErrorData(error);
  return result;
}

interface HandedOut {
  readonly result: Promise<RunResult>;
  readonly settings: RunSettings;
  readonly channel: EventChannel<AgentEvent>;
}

interface Joiner {
  readonly target: RunTarget;
  readonly identity: string;
  readonly settings: RunSettings;
  readonly channel: EventChannel<AgentEvent>;
}
