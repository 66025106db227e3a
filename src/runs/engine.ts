import { AbortSource } from "../async/abort-source.ts";
import { monotonicNow } from "../async/clock.ts";
import { EventChannel } from "../async/event-channel.ts";
import { EventHub } from "../async/event-hub.ts";
import { type ErrorData, toErrorData } from "../core/error-data.ts";
import { isTransient } from "../core/event-types.ts";
import type { AgentEvent } from "../core/events.ts";
import { toJson } from "../core/json.ts";
import { maxPlanBytes, type Plan, type PlanInput } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import type { StepRef } from "../core/step-ref.ts";
import { invalidPlan, plainIssues } from "../plan/plain-issues.ts";
import type { Decision } from "./decisions/decision.ts";
import { checkName } from "./decisions/decision-options.ts";
import type { DryRun } from "./dry-run.ts";
import type { EventsWanted } from "./events-options.ts";
import { loadedRuntime, loadRuntime, type Runtime } from "./load-runtime.ts";
import type { EngineSettings } from "./options.ts";
import type { Refusal } from "./refuse-run.ts";
import { reportWarning, warnOfOpenPhrases, warnOfSecrets } from "./report-warning.ts";
import type { NamedEvent, readForkOptions, Settlement } from "./resume/resume-options.ts";
import type { ResumeAllOptions, ResumedRun } from "./resume/resume-run.ts";
import type { PruneOptions } from "./retention.ts";
import { cancelledBy, interruptedBy, returnOrThrow } from "./run-errors.ts";
import type { RunHandle } from "./run-handle.ts";
import { type OptionsUse, type ResumeOptions, type RunSettings, resolveRunOptions } from "./run-options.ts";
import type { Opening, RunRegistry } from "./run-registry.ts";
import type { RunTarget } from "./run-target.ts";

/** The maximum number of unread events in a handle. */
const eventCapacity = 1_000;

type OpenRun = (parts: Runtime, runs: RunRegistry, opening: Opening) => Promise<RunResult>;

type AnyRunOptions = Parameters<typeof resolveRunOptions>[0];

/** How a decision takes effect. */
interface Deciding {
  /** Whether its run may be resumed in this process. */
  readonly resumes: boolean;
  readonly options: ResumeOptions;
}

/**
 * Runs requests and plans, for an agent and an orchestrator alike. It knows no types of tools: its owners add them. It
 * checks options and hands out handles; everything else is loaded for the first run.
 */
export class Engine {
  readonly hub: EventHub<AgentEvent>;
  /** Its runs in this process; undefined before the first one, or the first reader of events. */
  private registry: RunRegistry | undefined;
  /** For a run without options, as most are. */
  private readonly plainOptions: RunSettings;
  /** Whether runs that wait for a time are left for whoever looks for them. */
  leavesWaits = false;
  /** Set once it accepts no more runs. */
  private closing: Promise<void> | undefined;

  constructor(readonly settings: EngineSettings) {
    this.hub = new EventHub(settings.onListenerError);
    for (const observer of settings.observers) {
      if (observer.event !== undefined) this.hub.subscribe((event) => observer.event?.(event));
    }
    warnOfSecrets(settings);
    warnOfOpenPhrases(settings);
    this.plainOptions = resolveRunOptions({}, settings);
  }

  /**
   * Starts a run, or joins the active one with the same id. Throws for invalid options and for plain mistakes in a
   * plan. Errors that are found later are also reported as warnings: nobody may look at the handle.
   */
  start(given: RunTarget, options?: AnyRunOptions): RunHandle {
    const settings = this.optionsOf(options);
    const isNamed = options?.runId !== undefined;
    const target = snapshotOf(given, { waits: isNamed });
    const issues = "plan" in target ? plainIssues(target.plan, settings.tools) : [];
    if (issues.length > 0) throw invalidPlan("The plan is invalid", issues);
    const runId = options?.runId ?? this.createRunId();
    const open: OpenRun = (parts, runs, opening) => parts.startRun(runs, { ...opening, target, settings, isNamed });
    return this.handOut(runId, settings, open, ({ message }) =>
      reportWarning(this.settings, {
        code: "start-refused",
        runId,
        message: `Run "${runId}" was not started: ${message}`,
      }),
    );
  }

  /** Runs to the end, for a caller that needs no handle and so no events kept for it. */
  async run(given: RunTarget, options?: AnyRunOptions): Promise<RunResult> {
    const settings = this.optionsOf(options);
    const isNamed = options?.runId !== undefined;
    const target = snapshotOf(given, { waits: isNamed });
    const runId = options?.runId ?? this.createRunId();
    const startedMs = monotonicNow(this.settings.clock);
    const opening = { runId, startedMs, target, settings, isNamed };
    return returnOrThrow(await this.open((parts, runs) => parts.startRun(runs, opening)), settings);
  }

  /** Records a run of which nothing is executed. Rejects as `refuseRun` does. */
  refuse(refusal: Refusal): Promise<RunResult> {
    return this.open((parts, runs) => runs.track(parts.refuseRun(runs, refusal)));
  }

  /**
   * Decides about something a run waits for, and resumes the run: at once if it is active here, else from the store
   * once it is read. Its options have been checked. Errors reject the handle's result.
   */
  decide(runId: string, { decision: given, ...how }: Deciding & { decision: Omit<Decision, "atMs"> }): RunHandle {
    checkName("runId", runId);
    const decision = { ...given, atMs: this.settings.clock.now() };
    return this.handOut(runId, how.options, (parts, runs, opening) =>
      parts.decideRun(runs, { ...opening, ...how, decision }),
    );
  }

  /** Delivers an event to a run, and resumes it; the id and the options have been checked. Errors reject the result. */
  deliver(runId: string, given: NamedEvent, how: Deciding): RunHandle {
    return this.handOut(runId, how.options, (parts, runs, opening) =>
      parts.deliverEvent(runs, { ...opening, ...how, given }),
    );
  }

  /** Leaves an event for a run that has yet to start. Rejects as `deliverEarly` of `deliver.ts` does. */
  deliverEarly(runId: string, given: NamedEvent): Promise<boolean> {
    return this.open((parts, runs) => runs.track(parts.deliverEarly(runs, runId, given)));
  }

  /** Cancels a run, wherever it is active. Its options have been checked. */
  cancel(runId: string, reason: string, how: Deciding): Promise<RunResult> {
    checkName("runId", runId);
    const opening = { runId, startedMs: monotonicNow(this.settings.clock), cancelling: new AbortSource() };
    return this.open(async (parts, runs) =>
      returnOrThrow(await parts.cancelRun(runs, { ...opening, ...how, reason }), how.options),
    );
  }

  /** Resumes a stored run, until it ends or waits for somebody; its options have been checked. */
  resume(runId: string, resuming: ResumeOptions, { retriesFailed = true } = {}): Promise<RunResult> {
    checkName("runId", runId);
    const options = { ...resuming };
    const opening = { runId, startedMs: monotonicNow(this.settings.clock), options, retriesFailed };
    return this.open(async (parts, runs) => returnOrThrow(await parts.resumeRun(runs, opening), options));
  }

  /** Resumes all runs that have no owner, `concurrency` at a time; one that has ended meanwhile stays unchanged. */
  resumeAll(options: ResumeAllOptions): Promise<readonly ResumedRun[]> {
    const resume = (runId: string, own: ResumeOptions) => this.resume(runId, own, { retriesFailed: false });
    return this.open((parts, runs) => parts.resumeAll(runs, options, resume));
  }

  /** Runs a new run from a prefix of the events of another one. Errors reject the handle's result. */
  fork(from: string, { after, runId = this.createRunId(), options }: ReturnType<typeof readForkOptions>): RunHandle {
    checkName("runId", from);
    return this.handOut(runId, options, (parts, runs, opening) =>
      parts.forkRun(runs, { ...opening, from: { runId: from, after }, options }),
    );
  }

  /** Settles the outcome of a step in doubt, and resumes its run. Errors reject the handle's result. */
  settle(runId: string, settling: Deciding & { readonly ref: StepRef; readonly settlement: Settlement }): RunHandle {
    checkName("runId", runId);
    return this.handOut(runId, settling.options, (parts, runs, opening) =>
      parts.settleRun(runs, { ...opening, ...settling }),
    );
  }

  /**
   * Accepts no more runs, lets running steps end within the time, and leaves the rest to whoever resumes it. Resolves
   * when nothing is running here. Closing again waits for the same.
   */
  close(timeoutMs: number): Promise<void> {
    this.closing ??= this.registry?.stop(timeoutMs) ?? Promise.resolve();
    return this.closing;
  }

  /** Throws if the engine was closed. */
  private requireOpen(): void {
    if (this.closing !== undefined) throw interruptedBy("the agent was closed and takes no more runs");
  }

  private runsOf(parts: Runtime): RunRegistry {
    this.registry ??= parts.createRegistry(this);
    return this.registry;
  }

  private async open<T>(use: (parts: Runtime, runs: RunRegistry) => Promise<T>): Promise<T> {
    this.requireOpen();
    const parts = loadedRuntime() ?? (await loadRuntime());
    // It may have been closed meanwhile.
    this.requireOpen();
    return use(parts, this.runsOf(parts));
  }

  /** Its deadline and its cancellation apply from now on, even while the runtime is being loaded. */
  private handOut(
    runId: string,
    settings: Pick<ResumeOptions, "throwOnFailure">,
    open: OpenRun,
    onRefused?: (error: ErrorData) => void,
  ): RunHandle {
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    const cancelling = new AbortSource();
    const opening = { runId, channel, cancelling, startedMs: monotonicNow(this.settings.clock) };
    const loaded = loadedRuntime();
    const opened =
      loaded === undefined || this.closing !== undefined
        ? this.open((parts, runs) => open(parts, runs, opening))
        : open(loaded, this.runsOf(loaded), opening);
    const result = opened.then(
      (value) => {
        channel.close();
        return returnOrThrow(value, settings);
      },
      (thrown) => {
        channel.fail(thrown);
        onRefused?.(toErrorData(thrown));
        throw thrown;
      },
    );
    // A caller that does not read the result must not get an unhandled rejection.
    result.catch(() => {});
    return { runId, events: channel, result, cancel: (reason) => cancelling.abort(cancelledBy(reason)) };
  }

  /** Makes a plan without a run: its events carry a fresh run id, and nothing is stored. */
  async plan(request: string, options?: AnyRunOptions): Promise<Plan> {
    const settings = this.optionsOf(options, "plan");
    this.requireOpen();
    const parts = loadedRuntime() ?? (await loadRuntime());
    return parts.planAlone(this, { runId: this.createRunId(), request, settings });
  }

  /** What a target would do. Rejects as planning does, with `invalid-plan`, `plan-not-approved` or `cancelled`. */
  async dryRun(given: RunTarget, options?: AnyRunOptions): Promise<DryRun> {
    const settings = this.optionsOf(options, "dryRun");
    const target = snapshotOf(given, { waits: false });
    const parts = loadedRuntime() ?? (await loadRuntime());
    if ("plan" in target) return parts.dryRun(this.settings, settings, target.plan);
    const plan = await parts.planAlone(this, { runId: this.createRunId(), request: target.request, settings });
    return parts.dryRun(this.settings, settings, plan);
  }

  /** The current state of a stored run; undefined if there is none with this id. Rejects with `store-failed`. */
  async getRun(runId: string): Promise<RunSnapshot | undefined> {
    const parts = loadedRuntime() ?? (await loadRuntime());
    return parts.readRun(this.settings, runId);
  }

  /** The events of a run. Rejects as `readEventsOf` does. */
  async *events(wanted: EventsWanted, leaving: AbortSource): AsyncGenerator<AgentEvent, undefined> {
    const parts = loadedRuntime() ?? (await loadRuntime());
    yield* parts.readEventsOf(this.runsOf(parts), wanted, leaving);
  }

  /** Deletes a stored run. Rejects as `deleteRun` of `retention.ts` does. */
  async deleteRun(runId: string): Promise<void> {
    checkName("runId", runId);
    const parts = loadedRuntime() ?? (await loadRuntime());
    return parts.deleteRun(this.settings.store, runId);
  }

  /** Deletes stored runs. Rejects as `prune` of `retention.ts` does. */
  async prune(options: PruneOptions): Promise<{ readonly deleted: number }> {
    const parts = loadedRuntime() ?? (await loadRuntime());
    return parts.prune(this.settings.store, options);
  }

  /** A page of the stored runs. Rejects with `store-failed`. */
  async listRuns(options: ListRunsOptions = {}): Promise<RunPage> {
    const parts = loadedRuntime() ?? (await loadRuntime());
    return parts.showPage(await parts.listRuns(this.settings.store, options), this.settings);
  }

  private optionsOf(options: AnyRunOptions | undefined, use: OptionsUse = "run"): RunSettings {
    return options === undefined ? this.plainOptions : resolveRunOptions(options, this.settings, use);
  }

  private createRunId(): string {
    return `run_${this.settings.createId()}`;
  }
}

/**
 * Copies a run's plan when the run starts: the caller may change it while the runtime loads, or looks for a run with
 * the same id. Otherwise the runtime copies it at once.
 */
function snapshotOf(target: RunTarget, { waits }: { readonly waits: boolean }): RunTarget {
  if ("request" in target || (loadedRuntime() !== undefined && !waits)) return target;
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  // Validation refuses anything that is not JSON, and says why.
  return json.ok ? { plan: json.value as unknown as PlanInput } : target;
}
