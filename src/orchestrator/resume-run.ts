import { monotonicNow } from "../async/clock.ts";
import type { AgentErrorData } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import { partsOf } from "../core/step-state.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { continueStored, type ExecutionStart } from "./continue-run.ts";
import { endsOfCutOff } from "./cut-off.ts";
import { waitsInVain } from "./expiry.ts";
import type { Run } from "./run.ts";
import type { ContinueOptions } from "./run-options.ts";
import type { Opening, RunRegistry } from "./run-registry.ts";

/** A run to resume. */
export interface Resuming extends Pick<Opening, "runId" | "startedMs"> {
  readonly options: ContinueOptions;
  /** Whether a failed run is resumed, too. */
  readonly retriesFailed: boolean;
}

/**
 * Resumes a stored run where it stopped: recorded work is not run again; a step that was cut off runs again unless it
 * must run only once. A failed run resumes with the step that failed. A run that is active in this process is joined;
 * one that has ended for good, or waits for somebody, resolves to its result. Rejects as `continueStored` does.
 */
export function resumeRun(runs: RunRegistry, resuming: Resuming): Promise<RunResult> {
  return runs.withRun(resuming.runId, {
    whenActive: async ({ run, result }) => {
      await result.catch(() => {});
      // A run that never started was only looked up in the store.
      return run.state.sequence > 0 ? result : undefined;
    },
    whenStored: () =>
      continueStored(runs, { ...resuming, looksForPosted: true, mayResume: mayResume(runs, resuming), begin }),
  });
}

/**
 * Resumes a run that was suspended although a message was left for its next execution. If that fails, the run is in the
 * store, for whoever resumes it.
 */
export function resumeLeft(runs: RunRegistry, { runId, settings: { resources } }: Run): void {
  if (runs.stopping.aborted) return;
  const startedMs = monotonicNow(runs.settings.clock);
  resumeRun(runs, { runId, startedMs, options: { resources }, retriesFailed: false }).catch(() => {});
}

/**
 * Whether a run is resumed, by its record: checked when it is read, and again when it is claimed. A run that failed
 * between the two was retried by another process.
 */
function mayResume(
  { settings: { clock } }: RunRegistry,
  { retriesFailed }: Pick<Resuming, "retriesFailed">,
): (state: RunState) => boolean {
  let seen: number | undefined;
  return (state) => {
    seen ??= state.sequence;
    switch (state.status) {
      case "planning":
      case "running":
      case "interrupted":
        return true;
      case "failed":
        return retriesFailed && state.sequence === seen && canRetry(state);
      case "suspended":
        // A question whose hash covered less has to be asked again, and one that nobody can decide any more is
        // rejected.
        return state.pending?.length === 0 || waitsInVain(state, clock.now());
      case "completed":
      case "cancelled":
        return false;
      default:
        return state.status satisfies never;
    }
  };
}

/** Not a run that somebody rejected, and not one that was undone: to their tools, its steps would be the same again. */
function canRetry({ error, steps }: RunState): boolean {
  if (error?.code === "approval-rejected" || error?.code === "approval-expired") return false;
  return ![...partsOf(steps.values())].some(({ status }) => status === "undone");
}

function begin(state: RunState): ExecutionStart {
  return state.status === "failed" ? { retriesFailed: true, events: [] } : beginStopped(state);
}

/** How a run that stopped before its end is resumed. */
export function beginStopped(state: RunState): ExecutionStart {
  return { events: endsOfCutOff(state, interruptedBy("its process has died").toJSON() as AgentErrorData) };
}
