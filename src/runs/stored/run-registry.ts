import { AbortSource } from "../../async/abort.ts";
import { callAt } from "../../async/clock.ts";
import type { EventSink } from "../../async/event-channel.ts";
import type { EventHub } from "../../async/event-hub.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { settleWithin } from "../../async/timeout.ts";
import type { AgentError } from "../../core/errors.ts";
import type { AgentEvent, RunStartEvent } from "../../core/events.ts";
import type { RunResult } from "../../core/run-result.ts";
import { instancesOf, type RunState } from "../../core/run-state.ts";
import { runNotFound } from "../../core/run-store.ts";
import { receivePosted } from "../commands/commands.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { Leases } from "../run/leases.ts";
import { shownResult } from "../run/redaction.ts";
import { type CarriedOut, Run, type RunCaller, type RunHost, whenStarted } from "../run/run.ts";
import { agentClosed, interruptedBy } from "../run/run-errors.ts";
import type { RunSettings } from "../run/run-options.ts";
import { closeBroken } from "../steps/end-run.ts";
import { warnOfOverlap } from "../steps/step.ts";
import { listThread, readEvents } from "./stored-runs.ts";

export interface Opening extends RunCaller {
  readonly runId: string;
  readonly startedMs: number;
}

export interface ActiveRun {
  readonly run: Run;
  readonly result: Promise<RunResult>;
  readonly identity: string | undefined;
  readonly resolve: (result: RunResult) => void;
}

interface RunUse {
  readonly whenActive: (active: ActiveRun) => Promise<RunResult | undefined>;
  /** Called if the run is not active here. The run stays inactive until the first `await` of this function. */
  readonly whenStored: () => Promise<RunResult | undefined>;
  readonly onRefused?: (thrown: unknown, other: Pick<ActiveRun, "identity">) => void;
}

interface RegistryOptions {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  readonly hasTimers: () => boolean;
  readonly carryOut: (runs: RunRegistry, run: Run) => Promise<CarriedOut>;
}

export class RunRegistry implements RunHost {
  readonly active = new Map<string, ActiveRun>();
  readonly #restoring = new Map<string, Pick<ActiveRun, "identity"> & { readonly restored: Promise<unknown> }>();
  readonly settings: EngineSettings;
  readonly hub: RunHost["hub"];
  readonly gates: RunHost["gates"] = new Map();
  readonly leases: Leases;
  readonly receive: RunHost["receive"] = receivePosted;
  graceMs: number;
  readonly listThread: RunHost["listThread"];
  readonly carryOut: RunHost["carryOut"];
  readonly #hasTimers: () => boolean;
  readonly #threads = new Map<string, NonNullable<Run["linesBefore"]>>();
  readonly #timers = new Map<string, () => void>();
  /** Maps runs that do not fit here to the time of their last event, as they may fit after a new one. */
  readonly unfit = new RecentMap<string>(10_000);
  readonly stopping = new AbortSource();
  readonly watchers = new Map<string, Set<EventSink<AgentEvent>>>();
  #hasStopped = false;
  readonly #operations = new Set<Promise<unknown>>();
  #stopReason: AgentError<"interrupted"> | undefined;

  constructor({ settings, hub, hasTimers, carryOut }: RegistryOptions) {
    this.settings = settings;
    this.hub = hub;
    this.#hasTimers = hasTimers;
    this.listThread = (place) => listThread(settings, place);
    this.carryOut = (run) => carryOut(this, run);
    this.leases = new Leases(settings);
    this.graceMs = settings.abortGraceMs;
  }

  requireOpen(): void {
    if (this.stopping.aborted) throw agentClosed();
  }

  has(runId: string): boolean {
    return this.#restoring.has(runId) || this.active.has(runId);
  }

  async whenStarted(runId: string): Promise<void> {
    await this.#restoring.get(runId)?.restored.catch(() => {});
    const active = this.active.get(runId);
    if (active !== undefined) await whenStarted(active.run, active.result);
  }

  async requireInThread(runId: string, thread: string): Promise<void> {
    await this.whenStarted(runId);
    const [first] = (await readEvents(this.settings.store, runId, { after: 0, limit: 1 })) as Partial<RunStartEvent>[];
    if (first?.thread !== thread) throw runNotFound(runId);
  }

  async whenAllStarted(): Promise<void> {
    const runIds = new Set([...this.#restoring.keys(), ...this.active.keys()]);
    await Promise.all([...runIds].map((runId) => this.whenStarted(runId)));
  }

  isEmitting(runId: string): boolean {
    const active = this.active.get(runId);
    return this.#restoring.has(runId) || (active !== undefined && active.run.phase !== "closed");
  }

  watch(runId: string, sink: EventSink<AgentEvent>): () => void {
    const sinks = this.watchers.get(runId) ?? new Set();
    this.watchers.set(runId, sinks.add(sink));
    const run = this.active.get(runId)?.run;
    if (run !== undefined) run.watchers = sinks;
    return () => {
      sinks.delete(sink);
      if (sinks.size === 0 && this.watchers.get(runId) === sinks) this.watchers.delete(runId);
    };
  }

  withRun(runId: string, use: RunUse): Promise<RunResult> {
    return this.track(this.#useRun(runId, use));
  }

  async #useRun(runId: string, { whenActive, whenStored, onRefused }: RunUse): Promise<RunResult> {
    for (;;) {
      const restoring = this.#restoring.get(runId);
      if (restoring !== undefined) {
        await restoring.restored.catch((thrown) => onRefused?.(thrown, restoring));
        continue;
      }
      const active = this.active.get(runId);
      const result = await (active === undefined ? whenStored() : whenActive(active));
      if (result !== undefined) return result;
      // A failure of the active run concerns only its own callers.
      await active?.result.catch(() => {});
    }
  }

  track<T>(operation: Promise<T>): Promise<T> {
    const tracked = operation.finally(() => this.#operations.delete(tracked));
    this.#operations.add(tracked);
    return tracked;
  }

  /** Must be called only if {@link RunRegistry.has} is false, without an `await` in between. */
  restore<T>(runId: string, identity: string | undefined, restoring: Promise<T>): Promise<T> {
    const restored = restoring.finally(() => this.#restoring.delete(runId));
    this.#restoring.set(runId, { restored, identity });
    return restored;
  }

  open(settings: RunSettings, opening: Opening, state?: RunState): Run {
    const { runId, startedMs } = opening;
    if (this.#hasStopped) throw agentClosed();
    const run = new Run(runId, this, settings, state);
    run.watchers = this.watchers.get(runId);
    run.open(startedMs);
    run.join(opening);
    if (this.stopping.aborted) run.stop("interrupted");
    if (this.#stopReason !== undefined) run.abort(this.#stopReason);
    return run;
  }

  activate(run: Run, executing: Promise<RunResult>, identity?: string): Promise<RunResult> {
    let resolveResult: ActiveRun["resolve"] = () => {};
    const result = new Promise<RunResult>((resolve, reject) => {
      resolveResult = resolve;
      executing.then(
        (value) => this.#end(run, () => resolve(value)),
        (thrown) => this.#end(run, () => reject(thrown)),
      );
    });
    this.active.set(run.runId, { run, result, identity, resolve: resolveResult });
    this.#lineUp(run, result);
    return result;
  }

  #lineUp(run: Run, result: Promise<RunResult>): void {
    const { thread } = run.settings;
    if (thread === undefined) return;
    const before = this.#threads.get(thread);
    run.linesBefore = before;
    const ended = Promise.allSettled([before?.ended, result]);
    const last = { started: whenStarted(run, result), ended };
    this.#threads.set(thread, last);
    ended.then(() => this.#threads.get(thread) === last && this.#threads.delete(thread));
  }

  #end(run: Run, deliver: () => void): void {
    run.close();
    const forget = () => {
      if (this.active.get(run.runId)?.run === run) this.active.delete(run.runId);
      deliver();
    };
    // Waits, as the next execution gets a lease with the same fence, which this release must not end.
    const releasing = this.leases.release(run);
    if (releasing === undefined) forget();
    else releasing.then(forget);
  }

  setTimer(runId: string, atMs: number, callback: () => void): void {
    if (this.stopping.aborted || !this.#hasTimers()) return;
    this.clearTimer(runId);
    const stop = callAt(this.leases.sharedClock, atMs, () => {
      this.#timers.delete(runId);
      callback();
    });
    this.#timers.set(runId, stop);
  }

  hasTimer(runId: string): boolean {
    return this.#timers.has(runId);
  }

  clearTimer(runId: string): void {
    this.#timers.get(runId)?.();
    this.#timers.delete(runId);
  }

  /** Reserves part of the time for the abort grace and the store. Resolves on timeout, too. */
  async stop(timeoutMs: number): Promise<void> {
    const { clock, abortGraceMs } = this.settings;
    this.stopping.abort(undefined);
    for (const runId of this.#timers.keys()) this.clearTimer(runId);
    for (const { run } of this.active.values()) run.stop("interrupted");
    const reason = interruptedBy(`the agent was closed with a timeoutMs of ${timeoutMs}`);
    const restMs = Math.min(2 * abortGraceMs, timeoutMs / 2);
    const timer = clock.setTimeout(() => this.#abortAll(reason, restMs / 2), timeoutMs - restMs);
    await settleWithin(this.#allEnded(), timeoutMs, clock);
    clock.clearTimeout(timer);
    this.#hasStopped = true;
    for (const active of [...this.active.values()]) this.#abandon(active, reason);
    this.leases.close();
  }

  async #allEnded(): Promise<void> {
    while (this.active.size > 0 || this.#operations.size > 0) {
      const results = [...this.active.values()].map(({ result }) => result);
      await Promise.allSettled(results.length > 0 ? results : this.#operations);
    }
  }

  #abortAll(reason: AgentError<"interrupted">, graceMs: number): void {
    this.#stopReason = reason;
    this.graceMs = Math.min(this.graceMs, graceMs);
    for (const { run } of this.active.values()) run.abort(reason);
  }

  #abandon({ run, resolve }: ActiveRun, reason: AgentError<"interrupted">): void {
    const { runId, recorder, state } = run;
    for (const part of instancesOf(state.steps.values())) {
      if (part.status === "running" || part.isUndoing) warnOfOverlap(run, part);
    }
    recorder.fail(reason);
    closeBroken(run, reason.toJSON());
    run.close();
    void this.leases.release(run);
    this.active.delete(runId);
    resolve(shownResult(state, run.engine, run));
  }
}
