import { AbortSource } from "../async/abort-source.ts";
import type { EventChannel } from "../async/event-channel.ts";
import type { EventHub } from "../async/event-hub.ts";
import { settleWithin } from "../async/timeout.ts";
import type { AgentError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import { partsOf } from "../core/step-state.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { closeBroken } from "./end-execution.ts";
import { KeptResults } from "./kept-results.ts";
import { Leases } from "./leases.ts";
import { loadRuntime } from "./load-runtime.ts";
import type { EngineSettings } from "./options.ts";
import { Run } from "./run.ts";
import { warnOfOverlap } from "./run-attempt.ts";
import type { RunHost } from "./run-host.ts";
import type { RunSettings } from "./run-options.ts";
import { RunWatchers } from "./run-watchers.ts";
import { shownResult } from "./show.ts";
import { ToolGates } from "./tool-gate.ts";

/** A requested execution of a run. */
export interface Opening {
  readonly runId: string;
  /** When it was requested; its deadline counts from then. */
  readonly startedMs: number;
  /** Also receives its events, if the caller has a handle. */
  readonly channel?: EventChannel<AgentEvent>;
  /** Aborted when the caller cancels the run, which may not exist yet. */
  readonly cancelling?: AbortSource;
}

/** A run that is active in this process. */
export interface ActiveRun {
  readonly run: Run;
  /** Before `throwOnFailure`, which each caller sets for itself. */
  readonly result: Promise<RunResult>;
  /** Set if the caller supplied the run's id. */
  readonly identity: string | undefined;
  /**
   * Resolves when it has recorded its first event, or has ended without one: until then it may be only a store lookup.
   * @default it has started
   */
  readonly started?: Promise<void> | undefined;
  /** Settles the result although the execution has not ended. */
  readonly resolve: (result: RunResult) => void;
}

/** A run that is being read from the store, to be resumed here. */
export interface RestoringRun {
  /** Settles when its next execution has started or cannot start. */
  readonly opening: Promise<unknown>;
  /** Set if the run was started again. */
  readonly identity: string | undefined;
}

/** The owner of runs: an engine. */
export interface RunsOwner {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  /** Its runs in this process; undefined before the first one. */
  runs: ActiveRuns | undefined;
  /** Resumes a run that stopped with work left. */
  goOn(runId: string, resources: unknown): void;
}

/** The active runs of an engine in this process. */
export class ActiveRuns {
  /** By run id. */
  readonly active = new Map<string, ActiveRun>();
  /** The runs that are being read to be resumed, until their next execution has started. */
  readonly restoring = new Map<string, RestoringRun>();

  readonly leases: Leases;
  /** Aborted when no more runs may start. */
  readonly stopping = new AbortSource();
  readonly watchers = new RunWatchers();
  private isStopped = false;
  private readonly host: RunHost;
  /** Operations that may still open a run. */
  private readonly opening = new Set<Promise<unknown>>();
  /** Set once the active runs have used up their time. */
  private stopReason: AgentError<"interrupted"> | undefined;

  constructor(private readonly owner: RunsOwner) {
    const { settings, hub } = owner;
    this.leases = new Leases(settings);
    const { clock, abortGraceMs: graceMs } = settings;
    const receive: RunHost["receive"] = async (...args) => (await loadRuntime()).receivePosted(...args);
    this.host = {
      settings,
      hub,
      gates: new ToolGates(clock),
      results: new KeptResults(clock),
      leases: this.leases,
      receive,
      graceMs,
    };
  }

  /**
   * Interrupts all runs, aborts those that do not end, and abandons the rest: part of the time is reserved for the
   * abort grace and the store. Resolves when nothing runs, or on timeout. Runs opened meanwhile are interrupted, too.
   */
  async stop(timeoutMs: number): Promise<void> {
    const { clock, abortGraceMs } = this.host.settings;
    this.stopping.abort(undefined);
    for (const { run } of this.active.values()) run.interrupt();
    const reason = interruptedBy(`the agent was closed with a timeoutMs of ${timeoutMs}`);
    const restMs = Math.min(2 * abortGraceMs, timeoutMs / 2);
    const timer = clock.setTimeout(() => this.abort(reason, restMs / 2), timeoutMs - restMs);
    await settleWithin(this.allEnded(), timeoutMs, clock);
    clock.clearTimeout(timer);
    this.isStopped = true;
    for (const active of [...this.active.values()]) this.leave(active, reason);
  }

  /** Whether no more runs may start. */
  get isStopping(): boolean {
    return this.stopping.aborted;
  }

  private async allEnded(): Promise<void> {
    while (this.active.size > 0 || this.opening.size > 0) {
      const results = [...this.active.values()].map(({ result }) => result);
      await Promise.allSettled(results.length > 0 ? results : this.opening);
    }
  }

  private abort(reason: AgentError<"interrupted">, graceMs: number): void {
    this.stopReason = reason;
    this.host.graceMs = Math.min(this.host.graceMs, graceMs);
    for (const { run } of this.active.values()) run.abort(reason);
  }

  /** Leaves a run in the store as if its process had died, and gives up its claim. */
  private leave({ run, resolve }: ActiveRun, reason: AgentError<"interrupted">): void {
    const { runId, recorder, state } = run;
    for (const part of partsOf(state.steps.values())) {
      if (part.status === "running" || part.isUndoing) warnOfOverlap(run, part);
    }
    recorder.fail(reason);
    closeBroken(run, reason.toJSON());
    run.close();
    void this.leases.release(run);
    this.active.delete(runId);
    resolve(shownResult(state, run.engine, run));
  }

  /** Tracks an operation that may open a run later, so that {@link ActiveRuns.stop} waits for it. */
  follow<T>(opening: Promise<T>): Promise<T> {
    const followed = opening.finally(() => this.opening.delete(followed));
    this.opening.add(followed);
    return followed;
  }

  /** Creates and opens a run, which resumes from `state` if given. Throws `interrupted` once all runs have stopped. */
  open(settings: RunSettings, { runId, startedMs, channel, cancelling }: Opening, state?: RunState): Run {
    if (this.isStopped) throw interruptedBy("the agent was closed and takes no more runs");
    const run = new Run(runId, this.host, settings, state);
    if (channel !== undefined) run.addChannel(channel);
    this.watchers.follow(run);
    run.open(startedMs);
    if (cancelling !== undefined) followCancel(run, cancelling);
    if (this.isStopping) run.interrupt();
    if (this.stopReason !== undefined) run.abort(this.stopReason);
    return run;
  }

  /** Keeps an open run until its execution has ended. */
  hold(
    run: Run,
    executing: Promise<RunResult>,
    { identity, started }: Partial<Pick<ActiveRun, "identity" | "started">> = {},
  ): Promise<RunResult> {
    const end = (deliver: () => void) => {
      run.close();
      const forget = () => {
        if (this.active.get(run.runId)?.run === run) this.active.delete(run.runId);
        deliver();
        if (run.hasLeft && run.state.status === "suspended") this.owner.goOn(run.runId, run.settings.resources);
      };
      // The next execution gets a claim with the same fence, which must not be released with this one.
      const releasing = this.leases.release(run);
      if (releasing === undefined) forget();
      else releasing.then(forget);
    };
    let resolveResult: ActiveRun["resolve"] = () => {};
    const result = new Promise<RunResult>((resolve, reject) => {
      resolveResult = resolve;
      executing.then(
        (value) => end(() => resolve(value)),
        (thrown) => end(() => reject(thrown)),
      );
    });
    this.active.set(run.runId, { run, result, identity, started, resolve: resolveResult });
    return result;
  }

  /** Settles when a run being restored has started, or an active one has ended; undefined if it is neither. */
  occupied(runId: string): Promise<unknown> | undefined {
    return this.restoring.get(runId)?.opening ?? this.active.get(runId)?.result;
  }
}

/** The active runs of an engine. */
export function runsOf(engine: RunsOwner): ActiveRuns {
  engine.runs ??= new ActiveRuns(engine);
  return engine.runs;
}

/** Cancels a run when its caller cancels. */
export function followCancel(run: Run, cancelling: AbortSource): void {
  const cancel = () => run.abort(cancelling.reason as AgentError<"cancelled">);
  if (cancelling.aborted) cancel();
  else cancelling.addEventListener("abort", cancel);
}
