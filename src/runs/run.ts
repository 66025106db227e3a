import { AbortScope, type AbortSource, onAbort } from "../async/abort.ts";
import { type Clock, monotonicNow } from "../async/clock.ts";
import type { EventChannel, EventSink } from "../async/event-channel.ts";
import type { EventHub } from "../async/event-hub.ts";
import type { CallGate } from "../core/call-gate.ts";
import type { ErrorData } from "../core/error-data.ts";
import type { AgentError } from "../core/errors.ts";
import { type AgentEvent, type EventInit, isStepFailure, isTransient } from "../core/events.ts";
import type { EvidenceChain } from "../core/evidence.ts";
import type { JsonValue } from "../core/json.ts";
import type { RunState } from "../core/run-state.ts";
import type { PostedMessage, RunStore } from "../core/run-store.ts";
import { type StepRef, stepRefOf } from "../core/step.ts";
import { type ApprovalState, instanceAt, instancesOf } from "../core/step-state.ts";
import type { Tool } from "../core/tool.ts";
import type { Confirmation, Leases } from "./leases.ts";
import { type AgentWarning, type EngineSettings, reportWarning } from "./options.ts";
import { cancelledBy, runTimeout } from "./run-errors.ts";
import type { RunSettings } from "./run-options.ts";
import { type RecorderOwner, type RecordingEnd, RunRecorder, type StoreError } from "./run-recorder.ts";
import type { RunSecrets } from "./secrets/run-secrets.ts";
import { showIn } from "./show.ts";

/** Why a run ends before its steps do. */
export type AbortReason = AgentError<"cancelled" | "timeout"> | RecordingEnd;

const phases = ["open", "closing", "undoing", "ending", "closed"] as const;

/**
 * How far an execution is. `open`: somebody may decide in it. `closing`: too late for that. `undoing`: from here on only a
 * failure to record aborts it. `ending`: its last event is being recorded. `closed`: that was emitted, or it was abandoned.
 */
type RunPhase = (typeof phases)[number];

/** What {@link RunLifetime.open} watches. */
interface LifetimeLimits {
  readonly clock: Clock;
  /** When the run was requested. */
  readonly startedMs: number;
  /** Counted from `startedMs`; undefined for no deadline. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** How far an execution of a run is, and all that has to stop when it is aborted. */
export class RunLifetime {
  private reached: RunPhase = "open";
  /**
   * Why no step starts, not even one that only waits for its turn: one has failed, or the process is ending and the rest
   * can be resumed later.
   */
  stopReason: "step-failed" | "interrupted" | undefined;
  /** Of all that stops when the run is aborted. */
  private readonly scope = new AbortScope<AbortReason>();
  /** Of what waits before a step starts, which also stops when no other step may start. */
  private startScope: AbortScope<AbortReason | "stopped"> | undefined;
  private stopWatching: (() => void) | undefined;

  get phase(): RunPhase {
    return this.reached;
  }

  /** Enters a later phase: an abandoned execution stays closed. */
  enter(phase: RunPhase): void {
    if (phases.indexOf(phase) > phases.indexOf(this.reached)) this.reached = phase;
  }

  /** Why the run ends before its steps do: the first reason for which it was aborted. */
  get abortReason(): AbortReason | undefined {
    return this.scope.reason;
  }

  /** Whether a step may start now. */
  canStart(): boolean {
    return this.stopReason === undefined && this.abortReason === undefined;
  }

  /** Whether the execution continues after the steps that are running: it was neither aborted nor interrupted. */
  canContinue(): boolean {
    return this.stopReason !== "interrupted" && this.abortReason === undefined;
  }

  /** A step has failed, so no other one starts. */
  stopSteps(): void {
    this.stopReason ??= "step-failed";
    this.startScope?.abort("stopped");
  }

  /** Steps may start, until one fails. */
  startSteps(): void {
    if (this.stopReason === "interrupted") return;
    this.stopReason = undefined;
    this.startScope = undefined;
  }

  /** No step starts any more, and running ones may end. */
  interrupt(): void {
    this.stopReason = "interrupted";
    this.startScope?.abort("stopped");
  }

  /** Lets undo calls run though the run was aborted: from now on only a failure to record aborts it. */
  startUndoing(): void {
    this.enter("undoing");
    this.scope.reset();
  }

  /** Stops the run: no step starts any more, and every open source is aborted. */
  abort(reason: AbortReason): void {
    if (this.reached === "open" || this.reached === "closing") this.abortAll(reason);
  }

  /** Stops the run because nothing more can be recorded. */
  protected abortUnrecorded(reason: RecordingEnd): void {
    if (this.reached !== "closed") this.abortAll(reason);
  }

  private abortAll(reason: AbortReason): void {
    this.scope.abort(reason);
    this.startScope?.abort(reason);
  }

  /** A source that is aborted with the run. Give it back with {@link RunLifetime.release}. */
  openSource(): AbortSource {
    return this.scope.open();
  }

  /** A source for what waits before a step starts: also aborted when no other step may start. */
  openWaiting(): AbortSource {
    if (this.startScope === undefined) {
      this.startScope = new AbortScope();
      if (this.abortReason !== undefined) this.startScope.abort(this.abortReason);
      else if (this.stopReason !== undefined) this.startScope.abort("stopped");
    }
    return this.startScope.open();
  }

  /** Whether a source of an attempt has not been given back. */
  isOpen(source: AbortSource): boolean {
    return this.scope.isOpen(source);
  }

  release(source: AbortSource): void {
    this.scope.release(source);
    this.startScope?.release(source);
  }

  /** Aborts the run at its deadline, or when the caller's signal does, until {@link RunLifetime.close}. */
  open({ clock, startedMs, timeoutMs, signal }: LifetimeLimits): void {
    if (timeoutMs === undefined && signal === undefined) return;
    let deadline: unknown;
    if (timeoutMs !== undefined) {
      const leftMs = Math.max(0, startedMs + timeoutMs - monotonicNow(clock));
      deadline = clock.setTimeout(() => this.abort(runTimeout(timeoutMs)), leftMs);
    }
    const cancel = () => this.abort(cancelledBy(signal?.reason));
    if (signal?.aborted) cancel();
    const stopListening = signal === undefined || signal.aborted ? undefined : onAbort(signal, cancel);
    this.stopWatching = () => {
      if (deadline !== undefined) clock.clearTimeout(deadline);
      stopListening?.();
    };
  }

  /** Releases timers and listeners; late results become warnings. */
  close(): void {
    this.enter("closed");
    this.stopWatching?.();
  }
}

/** Called with the ref of a step or iteration, or nothing for the plan. */
type DecisionListener = (ref: StepRef | undefined) => void;

/**
 * One active run: its state, its events, and who receives them. Thousands may be open at once, so it has no function of
 * its own where a method will do.
 */
export class Run extends RunLifetime implements RecorderOwner {
  readonly recorder: RunRecorder;
  private counted: RunCounters | undefined;
  private readonly channels: EventSink<AgentEvent>[] = [];
  /** Who watches the run by its id, and receives recorded events; see {@link RunWatchers}. */
  audience: EventSink<AgentEvent> | undefined;
  private history: AgentEvent[] | undefined;
  /** Of the lease on the run; undefined while there is none. */
  fence: number | undefined;
  /** When the store last confirmed the lease. */
  confirmed: Confirmation | undefined;
  /** A decision that is being recorded: until it is, nobody knows what still waits for one. Never rejects. */
  deciding: Promise<void> | undefined;
  /** The last of the events that are being delivered to it. Never rejects. */
  delivering: Promise<void> | undefined;
  /** Undefined if it can have none. */
  secrets: RunSecrets | undefined;
  /** Undefined unless digests of its events are recorded. */
  evidence: EvidenceChain | undefined;
  /** Whether an earlier execution has had a plan. */
  readonly isContinued: boolean;
  /** What was posted to it before it could receive anything. */
  private early: readonly PostedMessage[] | undefined;
  private isReceiving = false;
  /** The number of the last message that it received. */
  lastReceived = 0;
  /** Whether a message may have been left for the next execution. */
  hasLeft = false;
  private decisionListeners: Set<DecisionListener> | undefined;
  /** The values that tools threw, by the error that reports each, for `throwOnFailure`. Undefined before the first. */
  thrown: WeakMap<ErrorData, unknown> | undefined;

  readonly engine: EngineSettings;

  /** `state` is that of a resumed run. */
  constructor(
    readonly runId: string,
    readonly host: RunHost,
    readonly settings: RunSettings,
    state?: RunState,
  ) {
    super();
    this.engine = host.settings;
    this.recorder = new RunRecorder(this, state);
    this.isContinued = state?.plan !== undefined;
    if (state !== undefined) this.counted = new RunCounters(state, countToolCalls(state));
  }

  /** Whether this process still owns the run; check before a call that follows a wait. See {@link Leases.confirm}. */
  confirmLease(): boolean | Promise<boolean> {
    return this.host.leases.confirm(this);
  }

  get store(): RunStore {
    return this.engine.store;
  }

  now(): number {
    return this.engine.clock.now();
  }

  /** The time by which waits and questions end, wherever the run is resumed. See {@link Leases.now}. */
  sharedNow(): number {
    return this.host.leases.now();
  }

  /** Sends a recorded event to all listeners. */
  onRecorded(recorded: AgentEvent): void {
    // What the store still records after the run was abandoned is for whoever reads it there.
    if (this.phase === "closed") return;
    if (isLast(recorded)) this.enter("closed");
    const event = showIn(this, recorded);
    this.host.hub.emit(event);
    this.show(event);
    this.audience?.push(recorded);
  }

  onStoreFailure(error: RecordingEnd): void {
    this.abortUnrecorded(error);
  }

  /** Another process has the run now: nothing is recorded here any more. */
  onLeaseLost(error: StoreError): void {
    this.recorder.fail(error);
  }

  /** Somebody has posted to it, perhaps before it started or resumed. */
  onPosted(posted: readonly PostedMessage[]): void {
    if (this.isReceiving) void this.host.receive(this, posted);
    else this.early = posted;
  }

  /**
   * From now on it receives what is posted to it: its start, or that it resumes, is recorded. Returns what was posted
   * before.
   */
  startReceiving(): readonly PostedMessage[] | undefined {
    this.isReceiving = true;
    return this.early;
  }

  /** Keeps what is recorded, for those who join later. */
  keepHistory(): void {
    this.history = [];
  }

  /** Sends a channel what was kept, then all that is emitted from now on. */
  addChannel(channel: EventSink<AgentEvent>): void {
    for (const event of this.history ?? []) channel.push(event);
    this.channels.push(channel);
  }

  /** A caller receives its events from now on, and cancels it by cancelling. */
  join({ channel, cancelling }: RunCaller): void {
    if (channel !== undefined) this.addChannel(channel);
    if (cancelling === undefined) return;
    const cancel = () => this.abort(cancelling.reason as AgentError<"cancelled">);
    if (cancelling.aborted) cancel();
    else cancelling.addEventListener("abort", cancel);
  }

  /** Shows a stored run's events to readers of this run's handles; listeners received them when they were recorded. */
  replay(events: readonly AgentEvent[]): void {
    for (const event of events) this.show(showIn(this, event));
  }

  private show(event: AgentEvent): void {
    if (!isTransient(event)) this.history?.push(event);
    for (const channel of this.channels) channel.push(event);
  }

  get state(): RunState {
    return this.recorder.state;
  }

  /** Records and emits an event; see {@link RunRecorder.emit}. */
  emit(init: EventInit): void | Promise<void> {
    // At once: a step that ends at the same moment must not let another one start.
    if (isStepFailure(init)) this.stopSteps();
    if (isLast(init)) this.enter("ending");
    return this.recorder.emit(this.secrets?.hideInEvent(init) ?? init);
  }

  /** As {@link Run.emit}, for events of steps that are recorded together or not at all. */
  emitTogether(first: EventInit, second: EventInit): void | Promise<void> {
    const { secrets } = this;
    if (isStepFailure(second)) this.stopSteps();
    return this.recorder.emitTogether([secrets?.hideInEvent(first) ?? first, secrets?.hideInEvent(second) ?? second]);
  }

  /** A step has failed: unless the run continues after failures, no other one starts. */
  override stopSteps(): void {
    if (this.settings.stored.onStepFailure !== "continue") super.stopSteps();
  }

  /** What was asked and decided about a step, an iteration of one, or the plan. */
  approvalOf(ref: StepRef | undefined): ApprovalState | undefined {
    return ref === undefined ? this.state.planApproval : instanceAt(this.state.steps, ref)?.approval;
  }

  /** Listens to decisions from outside. Returns what stops it. */
  onDecision(listener: DecisionListener): () => void {
    this.decisionListeners ??= new Set();
    this.decisionListeners.add(listener);
    return () => this.decisionListeners?.delete(listener);
  }

  /** Notifies those who wait for a decision. */
  notifyDecision(ref: StepRef | undefined): void {
    for (const listener of this.decisionListeners ?? []) listener(ref);
  }

  /** The counts that are limited. */
  get counters(): RunCounters {
    this.counted ??= new RunCounters(this.state, 0);
    return this.counted;
  }

  /** The recorded output of a step that has completed. */
  outputOf(stepId: string): JsonValue | undefined {
    return this.state.steps.get(stepId)?.output;
  }

  /** Reports an attempt that settled after it had been given up: an event, or a warning once the run has ended. */
  reportLate(init: Extract<EventInit, { type: "step-late" }>): void {
    const { stepId, attempt } = init;
    if (this.phase !== "ending" && this.phase !== "closed") this.emit(init);
    else
      this.warn({
        code: "late-result",
        ...stepRefOf(init),
        message: `Attempt ${attempt} of step "${stepId}" settled after run ${this.runId} had ended.`,
      });
  }

  warn(warning: Omit<AgentWarning, "runId">): void {
    reportWarning(this.engine, { ...(this.secrets?.hideIn(warning) ?? warning), runId: this.runId });
  }
}

function isLast({ type }: Pick<AgentEvent, "type">): boolean {
  return type === "run-end" || type === "run-suspend";
}

/** A caller of a run, who may have a handle. */
export interface RunCaller {
  /** Also receives the events of the run. */
  readonly channel?: EventChannel<AgentEvent>;
  /** Aborted when the caller cancels the run, which may not exist yet. */
  readonly cancelling?: AbortSource;
}

/** What the runs of an agent have in common. */
export interface RunHost {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  /** The limits of tools, over all runs. */
  readonly gates: { of(tool: Tool): CallGate | undefined };
  readonly leases: Leases;
  /** Acts on what was posted to a run. Never rejects. */
  receive(run: Run, posted: readonly PostedMessage[], options?: { readonly isOpening?: boolean }): Promise<void>;
  /** How long an aborted tool may keep running: shorter than `abortGraceMs` once there is little time left. */
  graceMs: number;
}

/**
 * The limited counts of a run, over all its executions. This execution counts what is requested, not what is recorded:
 * a step may start and never call its tool.
 */
export class RunCounters {
  private steps: number;

  /** `toolCalls` is how many calls earlier executions made. */
  constructor(
    private readonly state: RunState,
    private toolCalls: number,
  ) {
    this.steps = countSteps(state);
  }

  /** How many tool calls there are. */
  get toolCallCount(): number {
    return this.toolCalls;
  }

  /** Counts one more call of a tool. */
  addToolCall(): void {
    this.toolCalls++;
  }

  /** Takes back one call that was counted and not made. */
  removeToolCall(): void {
    this.toolCalls--;
  }

  /** How many steps and iterations there are. */
  get stepCount(): number {
    return this.steps;
  }

  /** Counts more iterations. */
  addIterations(count: number): void {
    this.steps += count;
  }

  /** Counts the steps again, after the plan has changed. */
  recountSteps(): void {
    this.steps = countSteps(this.state);
  }
}

function countSteps({ steps }: RunState): number {
  let total = 0;
  for (const { iterations } of steps.values()) total += 1 + (iterations?.states.length ?? 0);
  return total;
}

/** How many tool calls a state contains. */
export function countToolCalls({ steps }: RunState): number {
  let total = 0;
  for (const { attempts } of instancesOf(steps.values())) total += attempts;
  return total;
}
