import { AbortSource } from "../async/abort-source.ts";
import { EventChannel, type EventStream } from "../async/event-channel.ts";
import { EventHub } from "../async/event-hub.ts";
import { onAbort } from "../async/on-abort.ts";
import { notInTime, settleOrAbort, settleWithin } from "../async/timeout.ts";
import { AgentError } from "../core/errors.ts";
import { type AgentEvent, isTransient } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import { type RunResult, type RunSnapshot, toRunSnapshot } from "../core/run-result.ts";
import { foldEvents } from "../core/run-state.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import { completeTarget, conductRun, deliver, type RunBeginning } from "./conduct-run.ts";
import type { EngineSettings } from "./options.ts";
import { planAndTell } from "./plan-request.ts";
import { cancelledBy, Run } from "./run.ts";
import { identityOf, type RunTarget, runConflict, storedResult } from "./run-identity.ts";
import { type RunSettings, resolveRunOptions } from "./run-options.ts";
import { RunRecorder, toStoreError } from "./run-recorder.ts";

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

interface ActiveRun {
  readonly identity: string;
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
  private readonly active = new Map<string, ActiveRun>();

  constructor(readonly settings: EngineSettings) {
    this.hub = new EventHub(settings.onListenerError);
    this.plainOptions = resolveRunOptions({}, settings);
  }

  /** Starts a run, or joins the one of the same id that is going on here. Throws for options and ids that can not be. */
  start(target: RunTarget, options?: AnyRunOptions): EngineHandle {
    const settings = this.optionsOf(options);
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    if (options?.runId === undefined) {
      const run = this.createRun(`run_${this.settings.createId()}`, settings);
      run.addChannel(channel);
      return this.handOut(run, { result: this.conduct(run, target), settings, channel });
    }
    const { runId } = options;
    const identity = identityOf(target, this.settings);
    const active = this.active.get(runId);
    if (active !== undefined) return this.join(active, { target, identity, settings, channel });
    const run = this.createRun(runId, settings);
    run.keepHistory();
    run.addChannel(channel);
    const result = this.conductNamed(run, { target, identity }).finally(() => this.active.delete(runId));
    this.active.set(runId, { identity, run, result });
    return this.handOut(run, { result, settings, channel });
  }

  /** Runs to the end, for whoever wants no handle and so no events kept for it. */
  async run(target: RunTarget, options?: AnyRunOptions): Promise<RunResult> {
    if (options?.runId !== undefined) return this.start(target, options).result;
    const settings = this.optionsOf(options);
    const run = this.createRun(`run_${this.settings.createId()}`, settings);
    return deliver(await this.conduct(run, target), settings);
  }

  private optionsOf(options: AnyRunOptions | undefined): RunSettings {
    return options === undefined ? this.plainOptions : resolveRunOptions(options, this.settings);
  }

  private createRun(runId: string, settings: RunSettings): Run {
    return new Run(runId, this.settings, settings, this.hub);
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
    if (joiner.identity !== identity) throw runConflict(run.runId);
    const checked = completeTarget(this.settings, settings, target).then(() => result);
    run.addChannel(channel);
    return this.handOut(run, { result: checked, settings, channel });
  }

  private async conduct(run: Run, target: RunTarget): Promise<RunResult> {
    run.open();
    try {
      return await conductRun(run, await this.complete(run, target));
    } finally {
      run.close();
    }
  }

  /** Checks what a run is of. Only an async schema can take time for that: when the run aborts, it has the grace of a tool. */
  private async complete(run: Run, target: RunTarget): Promise<RunBeginning> {
    const source = run.openSource();
    const completing = completeTarget(this.settings, run.settings, target);
    try {
      return await settleOrAbort(completing, source);
    } catch (thrown) {
      if (!source.aborted) throw thrown;
      const settled = await settleWithin(completing, this.settings.abortGraceMs, this.settings.clock);
      if (settled === notInTime) throw source.reason;
      return settled;
    } finally {
      run.release(source);
    }
  }

  /** A run whose id the caller gave: there may be one already, here or in the store. */
  private async conductNamed(run: Run, { target, identity }: Pick<Joiner, "target" | "identity">): Promise<RunResult> {
    run.open();
    try {
      const complete = await this.complete(run, target);
      const events = await this.readEvents(run.runId);
      if (events.length > 0) {
        const stored = storedResult(foldEvents(run.runId, events), { identity, settings: this.settings });
        run.replay(events);
        return stored;
      }
      return await conductRun(run, complete);
    } finally {
      run.close();
    }
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
    const events = await this.readEvents(runId);
    return events.length === 0 ? undefined : toRunSnapshot(foldEvents(runId, events));
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

  private async readEvents(runId: string): Promise<readonly AgentEvent[]> {
    try {
      return await this.settings.store.read(runId);
    } catch (thrown) {
      throw toStoreError(thrown, { runId, operation: "read" });
    }
  }
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
