import { AbortScope, type AbortSource, onAbort } from "../async/abort.ts";
import { type Clock, monotonicNow } from "../async/clock.ts";
import type { AgentError } from "../core/errors.ts";
import { cancelledBy, runTimeout } from "./run-errors.ts";
import type { RecordingEnd } from "./run-recorder.ts";

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
