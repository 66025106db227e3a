import { callAt } from "../../async/call-at.ts";
import { resumeTimeOf } from "../../core/wait-step.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";

/** What is needed to resume a run. */
export interface LeftRun {
  readonly runId: string;
  readonly settings: Pick<RunSettings, "resources">;
}

/** The timers of the runs that were suspended here and wait for a time. */
export class WaitTimers {
  private readonly stops = new Map<string, () => void>();

  constructor(private readonly resume: (run: LeftRun) => void) {}

  /** Resumes a suspended run when the earliest of its waits is over, with the resources it had. */
  watch({ runId, state, engine, settings: { resources } }: Run): void {
    const atMs = resumeTimeOf(state.pending);
    this.forget(runId);
    if (atMs === undefined) return;
    const stop = callAt(engine.clock, atMs, () => {
      this.stops.delete(runId);
      this.resume({ runId, settings: { resources } });
    });
    this.stops.set(runId, stop);
  }

  /** The run was resumed. */
  forget(runId: string): void {
    this.stops.get(runId)?.();
    this.stops.delete(runId);
  }

  forgetAll(): void {
    for (const stop of this.stops.values()) stop();
    this.stops.clear();
  }
}
