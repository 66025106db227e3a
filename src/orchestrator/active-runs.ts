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

/** An execution of a run that is asked for. */
export interface Opening {
  readonly runId: string;
  /** When it was asked for: its deadline counts from then. */
  readonly startedMs: number;
  /** Where its events go besides, if somebody has a handle. */
  readonly channel?: EventChannel<AgentEvent>;
  /** Aborted by whoever cancels the run, which may not be there yet. */
  readonly cancelling?: AbortSource;
}

/** A run that goes on here. */
export interface ActiveRun {
  readonly run: Run;
  /** Before `throwOnFailure`, which is each caller's own. */
  readonly result: Promise<RunResult>;
  /** Of one whose id the caller gave. */
  readonly identity: string | undefined;
  /**
   * Resolves when it has recorded its first event, or has ended without one: until then it may only be looked for in the store.
   * @default it has started
   */
  readonly started?: Promise<void> | undefined;
  /** Settles the result though what executes the run has not ended. */
  readonly resolve: (result: RunResult) => void;
}

/** A run that is being read to go on here. */
export interface RestoringRun {
  /** Settles when its next execution has started, or cannot begin. */
  readonly opening: Promise<unknown>;
  /** Of one that was started again. */
  readonly identity: string | undefined;
}

/** What has runs: an engine. */
export interface RunsOwner {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  /** The runs that are going on here, once there was one. */
  runs: ActiveRuns | undefined;
  /** Goes on with a run that was left with something to do. */
  goOn(runId: string, resources: unknown): void;
}

/** The runs of an engine that go on in this process. */
export class ActiveRuns {
  /** By run id. */
  readonly active = new Map<string, ActiveRun>();
  /** The runs that are being read to go on, until their next execution has started. */
  readonly restoring = new Map<string, RestoringRun>();

  readonly leases: Leases;
  /** Aborted when no run begins any more. */
  readonly stopping = new AbortSource();
  readonly watchers = new RunWatchers();
  private isStopped = false;
  private readonly host: RunHost;
  /** What may yet open a run. */
  private readonly opening = new Set<Promise<unknown>>();
  /** Set once those that run have had their time. */
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
   * Interrupts all runs, aborts those that do not end, and leaves behind what then still goes on: for grace and store a part
   * of the time is kept. Resolves when nothing goes on any more, or the time is up; what is opened meanwhile is interrupted, too.
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

  /** Whether no run begins any more. */
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

  /** Leaves a run in the store as if its process had died, and gives its claim back. */
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

  /** Follows what may open a run later, so that who stops them waits for it. */
  follow<T>(opening: Promise<T>): Promise<T> {
    const followed = opening.finally(() => this.opening.delete(followed));
    this.opening.add(followed);
    return followed;
  }

  /** Makes a run, which goes on from `state` if that is given, and opens it. Throws `interrupted` once all has stopped. */
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

  /** Holds an open run until what executes it has ended. */
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
      // Whoever opens the next execution gets a claim of the same fence: it must not be given back with this one.
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

  /** Settles when what goes on of a run does, or what is to go on; undefined if nothing is. */
  occupied(runId: string): Promise<unknown> | undefined {
    return this.restoring.get(runId)?.opening ?? this.active.get(runId)?.result;
  }
}

/** The active runs of an engine. */
export function runsOf(engine: RunsOwner): ActiveRuns {
  engine.runs ??= new ActiveRuns(engine);
  return engine.runs;
}

/** Cancels a run when its caller does. */
export function followCancel(run: Run, cancelling: AbortSource): void {
  const cancel = () => run.abort(cancelling.reason as AgentError<"cancelled">);
  if (cancelling.aborted) cancel();
  else cancelling.addEventListener("abort", cancel);
}
