import type { AbortSource } from "../async/abort.ts";
import type { EventChannel, EventSink } from "../async/event-channel.ts";
import type { EventHub } from "../async/event-hub.ts";
import type { ErrorData } from "../core/error-data.ts";
import type { AgentError } from "../core/errors.ts";
import { type AgentEvent, type EventInit, isStepFailure, isTransient } from "../core/events.ts";
import type { EvidenceChain } from "../core/evidence.ts";
import type { JsonValue } from "../core/json.ts";
import type { RunState } from "../core/run-state.ts";
import type { PostedMessage, RunStore } from "../core/run-store.ts";
import { type StepRef, stepRefOf } from "../core/step.ts";
import { type ApprovalState, instanceAt } from "../core/step-state.ts";
import type { Confirmation, Leases } from "./leases.ts";
import type { AgentWarning, EngineSettings } from "./options.ts";
import { reportWarning } from "./report-warning.ts";
import { countToolCalls, RunCounters } from "./run-counters.ts";
import { RunLifetime } from "./run-lifetime.ts";
import type { RunSettings } from "./run-options.ts";
import { type RecorderOwner, type RecordingEnd, RunRecorder, type StoreError } from "./run-recorder.ts";
import type { RunSecrets } from "./secrets/run-secrets.ts";
import { showIn } from "./show.ts";
import type { ToolGates } from "./steps/tool-gate.ts";

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
  readonly gates: ToolGates;
  readonly leases: Leases;
  /** Acts on what was posted to a run. Never rejects. */
  receive(run: Run, posted: readonly PostedMessage[], options?: { readonly isOpening?: boolean }): Promise<void>;
  /** How long an aborted tool may keep running: shorter than `abortGraceMs` once there is little time left. */
  graceMs: number;
}
