import type { AgentErrorData } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import { partsOf } from "../core/step-state.ts";
import { type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { continueStored, type ExecutionStart } from "./continue-run.ts";
import { endsOfCutOff } from "./cut-off.ts";
import { waitsInVain } from "./expiry.ts";
import type { ContinueOptions } from "./run-options.ts";

/** A run that is to go on. */
export interface Resuming extends Pick<Opening, "runId" | "startedMs"> {
  readonly options: ContinueOptions;
  /** Whether one that has failed goes on, too. */
  readonly retriesFailed: boolean;
}

/**
 * Goes on with a stored run where it stopped: what is recorded is not run again, what was cut off runs again unless it must
 * run only once. One that has failed goes on with the step that failed. A run that goes on here is joined; one that has
 * ended for good, or waits for somebody, resolves to its result. Rejects with what `continueStored` does.
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
      // One that never began was only looked up in the store.
      if (active.run.state.sequence > 0) return active.result;
    }
  }
}

/**
 * Whether a run goes on, by what is recorded of it: asked when it is looked at, and once more when it is claimed. One that
 * has failed between the two has been tried again by another process.
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
        // What it was asked under a hash of less has to be asked again, and what nobody can decide any more is rejected.
        return state.pending?.length === 0 || waitsInVain(state, clock.now());
      case "completed":
      case "cancelled":
        return false;
      default:
        return state.status satisfies never;
    }
  };
}

/** Not what somebody has refused, and not what was taken back: its steps would be the same once more to their tools. */
function canRetry({ error, steps }: RunState): boolean {
  if (error?.code === "approval-rejected" || error?.code === "approval-expired") return false;
  return ![...partsOf(steps.values())].some(({ status }) => status === "undone");
}

function begin(state: RunState): ExecutionStart {
  return state.status === "failed" ? { retriesFailed: true, events: [] } : beginStopped(state);
}

/** How a run goes on that has stopped on the way. */
export function beginStopped(state: RunState): ExecutionStart {
  return { events: endsOfCutOff(state, interruptedBy("its process has died").toJSON() as AgentErrorData) };
}
