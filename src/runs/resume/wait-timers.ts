import { type Clock, callAt } from "../../async/clock.ts";
import { resumeTimeOf } from "../../core/run-summary.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";

/** A suspended run, with what resuming it needs. */
export interface LeftRun {
  readonly runId: string;
  readonly settings: Pick<RunSettings, "resources">;
}

/** The time to resume a run again; undefined if that is not needed. */
export type ResumedAgain = { readonly atMs: number } | "after a failure" | undefined;

/** The parts of an engine that {@link WaitTimers} needs. */
interface TimerOptions {
  readonly clock: Clock;
  /** Returns true if all runs that wait are left to somebody else. */
  readonly isLeft: () => boolean;
  readonly resume: (left: LeftRun) => Promise<ResumedAgain>;
}

/** The time after which a run is resumed again if the store has failed: at first, and at most. It doubles each time. */
const [firstRetryMs, maxRetryMs] = [5_000, 3_600_000];

/** Resumes the runs that were suspended here: those that wait for a time, and those with a message left for them. */
export class WaitTimers {
  private readonly stops = new Map<string, () => void>();
  private isStopped = false;

  constructor(private readonly options: TimerOptions) {}

  /** Resumes a suspended run when the earliest of its waits is over, with the resources it had. */
  watch(run: Run): void {
    const atMs = resumeTimeOf(run.state.pending);
    this.forget(run.runId);
    if (atMs !== undefined) this.resumeAt(atMs, leftBy(run));
  }

  /** Resumes a run at once, and again later if need be. */
  resumeNow(run: Run): Promise<void> {
    return this.tryToResume(leftBy(run));
  }

  private async tryToResume(left: LeftRun, retryMs = firstRetryMs): Promise<void> {
    if (this.isStopped) return;
    const again = await this.options.resume(left);
    // If it was resumed and suspended again, it has a timer already.
    if (again === undefined || this.stops.has(left.runId)) return;
    if (again !== "after a failure") this.resumeAt(again.atMs, left);
    else this.resumeAt(this.options.clock.now() + retryMs, left, Math.min(2 * retryMs, maxRetryMs));
  }

  /** Stops the timer of a run, as it was resumed. */
  forget(runId: string): void {
    this.stops.get(runId)?.();
    this.stops.delete(runId);
  }

  stop(): void {
    this.isStopped = true;
    for (const stop of this.stops.values()) stop();
    this.stops.clear();
  }

  private resumeAt(atMs: number, left: LeftRun, retryMs?: number): void {
    const { clock, isLeft } = this.options;
    if (this.isStopped || isLeft()) return;
    const stop = callAt(clock, atMs, () => {
      this.stops.delete(left.runId);
      void this.tryToResume(left, retryMs);
    });
    this.stops.set(left.runId, stop);
  }
}

function leftBy({ runId, settings: { resources } }: Run): LeftRun {
  return { runId, settings: { resources } };
}
