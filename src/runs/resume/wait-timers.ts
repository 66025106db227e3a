import { callAt } from "../../async/call-at.ts";
import type { Clock } from "../../async/clock.ts";
import { resumeTimeOf } from "../../core/wait-step.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";

/** What is needed to resume a run. */
export interface LeftRun {
  readonly runId: string;
  readonly settings: Pick<RunSettings, "resources">;
}

/** Resumes a run, and resolves to when to try again; undefined if that is not needed. */
type Resume = (left: LeftRun) => Promise<number | undefined>;

/** Resumes the runs that were suspended here: those that wait for a time, and those with a message left for them. */
export class WaitTimers {
  private readonly stops = new Map<string, () => void>();
  private isStopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly resume: Resume,
  ) {}

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

  private async tryToResume(left: LeftRun): Promise<void> {
    if (this.isStopped) return;
    const againMs = await this.resume(left);
    // If it was resumed and suspended again, it has a timer already.
    if (againMs !== undefined && !this.stops.has(left.runId)) this.resumeAt(againMs, left);
  }

  /** The run was resumed. */
  forget(runId: string): void {
    this.stops.get(runId)?.();
    this.stops.delete(runId);
  }

  stop(): void {
    this.isStopped = true;
    for (const stop of this.stops.values()) stop();
    this.stops.clear();
  }

  private resumeAt(atMs: number, left: LeftRun): void {
    if (this.isStopped) return;
    const stop = callAt(this.clock, atMs, () => {
      this.stops.delete(left.runId);
      void this.tryToResume(left);
    });
    this.stops.set(left.runId, stop);
  }
}

function leftBy({ runId, settings: { resources } }: Run): LeftRun {
  return { runId, settings: { resources } };
}
