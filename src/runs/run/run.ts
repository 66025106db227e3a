import { AbortScope, type AbortSource, onAbort } from "../../async/abort.ts";
import { monotonicNow } from "../../async/clock.ts";
import type { EventChannel, EventSink } from "../../async/event-channel.ts";
import type { EventHub } from "../../async/event-hub.ts";
import { settleOrAbort } from "../../async/promises.ts";
import type { CallGate } from "../../core/call-gate.ts";
import type { ErrorData } from "../../core/error-data.ts";
import type { AgentError } from "../../core/errors.ts";
import { type AgentEvent, type EventInit, isStepFailure, isTransient } from "../../core/events.ts";
import type { EvidenceChain } from "../../core/evidence.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import { type ApprovalState, instanceAt, instancesOf, type RunState } from "../../core/run-state.ts";
import type { PostedMessage, RunStore } from "../../core/run-store.ts";
import type { Hold, RunSummary } from "../../core/run-summary.ts";
import { type StepRef, stepRefOf } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";
import type { AgentWarning, EngineSettings } from "./engine-settings.ts";
import type { Confirmation, Leases } from "./leases.ts";
import { showIn } from "./redaction.ts";
import { cancelledBy, runTimeout } from "./run-errors.ts";
import type { RunSettings } from "./run-options.ts";
import { type RecorderOwner, type RecordingEnd, RunRecorder, type StoreError } from "./run-recorder.ts";
import type { RunSecrets } from "./run-secrets.ts";

export type AbortReason = AgentError<"cancelled" | "timeout"> | RecordingEnd;

const phases = ["open", "closing", "undoing", "ending", "closed"] as const;

/**
 * Only an `open` run accepts commands. From `undoing` on, only a failure to record an event aborts the run. A `closed`
 * run may be abandoned.
 */
type RunPhase = (typeof phases)[number];

interface Inbox {
  early: readonly PostedMessage[] | undefined;
  isOpen: boolean;
  lastNumber: number;
  hasUnread: boolean;
}

interface RunCounters {
  steps: number;
  toolCalls: number;
}

type DecisionListener = (ref: StepRef | undefined) => void;

/** Has methods instead of closures, as thousands of runs may be open at once. */
export class Run implements RecorderOwner {
  readonly engine: EngineSettings;
  readonly store: RunStore;
  readonly recorder: RunRecorder;
  readonly state: RunState;
  readonly isContinued: boolean;
  secrets: RunSecrets | undefined;
  evidence: EvidenceChain | undefined;
  hold: Hold | undefined;
  isUndo = false;
  fence: number | undefined;
  confirmed: Confirmation | undefined;
  readonly inbox: Inbox = { early: undefined, isOpen: false, lastNumber: 0, hasUnread: false };
  linesBefore: { readonly started: Promise<unknown>; readonly ended: Promise<unknown> } | undefined;
  watchers: ReadonlySet<EventSink<AgentEvent>> | undefined;
  thrown: WeakMap<ErrorData, unknown> | undefined;
  #currentPhase: RunPhase = "open";
  #stopped: "step-failed" | "interrupted" | undefined;
  readonly #scope = new AbortScope<AbortReason>();
  #startScope: AbortScope<AbortReason | "stopped"> | undefined;
  #stopWatching: (() => void) | undefined;
  #lastCommand: Promise<void> | undefined;
  #decisionListeners: Set<DecisionListener> | undefined;
  readonly #channels: EventSink<AgentEvent>[] = [];
  /** Kept only if a later caller may join the run and read its events. */
  #history: AgentEvent[] | undefined;
  #counted: RunCounters | undefined;

  constructor(
    readonly runId: string,
    readonly host: RunHost,
    readonly settings: RunSettings,
    state?: RunState,
  ) {
    this.engine = host.settings;
    this.store = this.engine.store;
    this.recorder = new RunRecorder(this, state);
    this.state = this.recorder.state;
    this.isContinued = state?.plan !== undefined;
    if (state !== undefined) this.#counted = { steps: countSteps(state), toolCalls: countToolCalls(state) };
  }

  now(): number {
    return this.engine.clock.now();
  }

  sharedNow(): number {
    return this.host.leases.now();
  }

  get phase(): RunPhase {
    return this.#currentPhase;
  }

  get stopReason(): "step-failed" | "interrupted" | undefined {
    return this.#stopped;
  }

  get abortReason(): AbortReason | undefined {
    return this.#scope.reason;
  }

  canStart(): boolean {
    return this.stopReason === undefined && this.abortReason === undefined;
  }

  canContinue(): boolean {
    return this.stopReason !== "interrupted" && this.abortReason === undefined;
  }

  open(startedMs: number): void {
    const { signal, stored } = this.settings;
    const { timeoutMs } = stored;
    if (timeoutMs === undefined && signal === undefined) return;
    const { clock } = this.engine;
    let deadline: unknown;
    if (timeoutMs !== undefined) {
      const leftMs = Math.max(0, startedMs + timeoutMs - monotonicNow(clock));
      deadline = clock.setTimeout(() => this.abort(runTimeout(timeoutMs)), leftMs);
    }
    const cancel = () => this.abort(cancelledBy(signal?.reason));
    if (signal?.aborted) cancel();
    const stopListening = signal && onAbort(signal, cancel);
    this.#stopWatching = () => {
      if (deadline !== undefined) clock.clearTimeout(deadline);
      stopListening?.();
    };
  }

  enter(phase: RunPhase): void {
    if (phases.indexOf(phase) > phases.indexOf(this.phase)) this.#currentPhase = phase;
  }

  stopSteps(): void {
    if (this.settings.stored.onStepFailure !== "continue") this.stop("step-failed");
  }

  startSteps(): void {
    if (this.stopReason === "interrupted") return;
    this.#stopped = undefined;
    this.#startScope = undefined;
  }

  stop(reason: "step-failed" | "interrupted"): void {
    if (this.stopReason !== "interrupted") this.#stopped = reason;
    this.#startScope?.abort("stopped");
  }

  startUndoing(): void {
    this.enter("undoing");
    this.#scope.reset();
  }

  abort(reason: AbortReason): void {
    if (this.phase === "open" || this.phase === "closing") this.#abortAll(reason);
  }

  onStoreFailure(error: RecordingEnd): void {
    if (this.phase !== "closed") this.#abortAll(error);
  }

  onLeaseLost(error: StoreError): void {
    this.recorder.fail(error);
  }

  #abortAll(reason: AbortReason): void {
    this.#scope.abort(reason);
    this.#startScope?.abort(reason);
  }

  openSource(): AbortSource {
    return this.#scope.open();
  }

  openWaiting(): AbortSource {
    if (this.#startScope === undefined) {
      this.#startScope = new AbortScope();
      if (this.abortReason !== undefined) this.#startScope.abort(this.abortReason);
      else if (this.stopReason !== undefined) this.#startScope.abort("stopped");
    }
    return this.#startScope.open();
  }

  isOpen(source: AbortSource): boolean {
    return this.#scope.isOpen(source);
  }

  closeSource(source: AbortSource): void {
    this.#scope.close(source);
    this.#startScope?.close(source);
  }

  close(): void {
    this.enter("closed");
    this.#stopWatching?.();
  }

  /** `act` must not wait for a tool, a policy or a listener. */
  async inTurn<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#lastCommand;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#lastCommand = ended;
    try {
      if (before !== undefined) await before;
      return await act();
    } finally {
      if (this.#lastCommand === ended) this.#lastCommand = undefined;
      end();
    }
  }

  async commandsRecorded(): Promise<void> {
    while (this.#lastCommand !== undefined) await this.#lastCommand;
  }

  async waitForLines(): Promise<void> {
    if (this.linesBefore === undefined) return;
    const source = this.openWaiting();
    await settleOrAbort(this.linesBefore.ended, source).catch(() => {});
    this.closeSource(source);
  }

  onPosted(posted: readonly PostedMessage[]): void {
    if (this.inbox.isOpen) void this.host.receive(this, posted);
    else this.inbox.early = posted;
  }

  openInbox(): readonly PostedMessage[] | undefined {
    this.inbox.isOpen = true;
    return this.inbox.early;
  }

  onDecision(listener: DecisionListener): () => void {
    this.#decisionListeners ??= new Set();
    this.#decisionListeners.add(listener);
    return () => this.#decisionListeners?.delete(listener);
  }

  notifyDecision(ref: StepRef | undefined): void {
    for (const listener of this.#decisionListeners ?? []) listener(ref);
  }

  emit(init: EventInit): void | Promise<void> {
    // A step that ends at the same moment must not start another one.
    if (isStepFailure(init)) this.stopSteps();
    if (isLast(init)) this.enter("ending");
    return this.recorder.emit(this.secrets?.hideInEvent(init) ?? init);
  }

  emitTogether(first: EventInit, second: EventInit): void | Promise<void> {
    const { secrets } = this;
    if (isStepFailure(second)) this.stopSteps();
    return this.recorder.emitTogether([secrets?.hideInEvent(first) ?? first, secrets?.hideInEvent(second) ?? second]);
  }

  onRecorded(recorded: AgentEvent): void {
    // The store may still record events of an abandoned run.
    if (this.phase === "closed") return;
    if (isLast(recorded)) this.enter("closed");
    const event = showIn(this, recorded);
    this.host.hub.emit(event);
    this.#show(event);
    if (this.watchers !== undefined) for (const sink of this.watchers) sink.push(recorded);
  }

  keepHistory(): void {
    this.#history = [];
  }

  addChannel(channel: EventSink<AgentEvent>): void {
    for (const event of this.#history ?? []) channel.push(event);
    this.#channels.push(channel);
  }

  join({ channel, cancelling }: RunCaller): void {
    if (channel !== undefined) this.addChannel(channel);
    if (cancelling === undefined) return;
    const cancel = () => this.abort(cancelling.reason as AgentError<"cancelled">);
    if (cancelling.aborted) cancel();
    else cancelling.addEventListener("abort", cancel);
  }

  replay(events: readonly AgentEvent[]): void {
    for (const event of events) this.#show(showIn(this, event));
  }

  #show(event: AgentEvent): void {
    if (!isTransient(event)) this.#history?.push(event);
    for (const channel of this.#channels) channel.push(event);
  }

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
    this.engine.onWarning({ ...(this.secrets?.hideIn(warning) ?? warning), runId: this.runId });
  }

  approvalOf(ref: StepRef | undefined): ApprovalState | undefined {
    return ref === undefined ? this.state.planApproval : instanceAt(this.state.steps, ref)?.approval;
  }

  get counters(): RunCounters {
    this.#counted ??= { steps: countSteps(this.state), toolCalls: 0 };
    return this.#counted;
  }

  recountSteps(): void {
    this.counters.steps = countSteps(this.state);
  }
}

/** A run without events may be only a lookup in the store. */
export async function whenStarted(run: Run, result: Promise<RunResult>): Promise<void> {
  if (run.state.sequence > 0) return;
  const recorded = new Promise<void>((resolve) => {
    run.addChannel({ push: () => resolve() });
  });
  await Promise.race([recorded, result.catch(() => {})]);
}

function isLast({ type }: Pick<AgentEvent, "type">): boolean {
  return type === "run-end" || type === "run-suspend";
}

function countSteps({ steps }: RunState): number {
  return [...steps.values()].reduce((total, { iterations }) => total + 1 + (iterations?.states.length ?? 0), 0);
}

function countToolCalls({ steps }: RunState): number {
  return instancesOf(steps.values()).reduce((total, { attempts }) => total + attempts, 0);
}

export interface RunCaller {
  readonly channel?: EventChannel<AgentEvent>;
  readonly cancelling?: AbortSource;
  readonly onRecorded?: () => void;
}

export interface ThreadListing {
  readonly listed: readonly RunSummary[];
  readonly earlier: readonly RunSummary[];
  read(): Promise<readonly RunSnapshot[]>;
}

export type ListThread = (place: { readonly thread: string; readonly runId: string }) => Promise<ThreadListing>;

export interface CarriedOut {
  readonly result?: RunResult;
  readonly text?: string;
}

export interface RunHost {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  readonly gates: Map<Tool, CallGate>;
  readonly leases: Leases;
  readonly listThread: ListThread;
  carryOut(run: Run): Promise<CarriedOut>;
  receive(run: Run, posted: readonly PostedMessage[], options?: { readonly isResuming?: boolean }): Promise<void>;
  graceMs: number;
}
