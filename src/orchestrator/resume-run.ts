import type { AgentErrorData } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import { partsOf } from "../core/step-state.ts";
import { type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { continueStored, type ExecutionStart } from "./continue-run.ts";
import { endsOfCutOff } from "./cut-off.ts";
import { waitsInVain } from "./expiry.ts";
import type { ResumeOptions } from "./run-options.ts";

/** A run to resume. */
export interface Resuming extends Pick<Opening, "runId" | "startedMs"> {
  readonly options: ResumeOptions;
  /** Whether a failed run is resumed, too. */
  readonly retriesFailed: boolean;
}

/**
 * Resumes a stored run where it stopped: recorded work is not run again; a step that was cut off runs again unless it
 * must run only once. A failed run resumes with the step that failed. A run that is active in this process is joined;
 * one that has ended for good, or waits for somebody, resolves to its result. Rejects as `continueStored` does.
 */
export function resumeRun(engine: RunsOwner, resuming: Resuming): Promise<RunResult> {
  return runsOf(engine).follow(resume(engine, resuming));
}

async function resume(engine: RunsOwner, resuming: Resuming): Promise<RunResult> {
  const { runId } = resuming;
  const runs = runsOf(engine);
  for (;;) {
    const restoring = runs.restoring.get(runId);
    const active = runs.active.get(runId);
    if (restoring !== undefined) await restoring.opening.catch(() => {});
    else if (active === undefined)
      return continueStored(engine, {
        ...resuming,
        looksForPosted: true,
        mayResume: mayResume(engine, resuming),
        begin,
      });
    else {
      await active.result.catch(() => {});
      // A run that never started was only looked up in the store.
      if (active.run.state.sequence > 0) return active.result;
    }
  }
}

/**
 * Whether a run is resumed, by its record: checked when it is read, and again when it is claimed. A run that failed
 * between the two was retried by another process.
 */
function mayResume(
  { settings: { clock } }: Pick<RunsOwner, "settings">,
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
