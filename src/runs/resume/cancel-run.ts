import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { leaveMessage } from "../decisions/leave-message.ts";
import { cancelMessage, doOrSend } from "../decisions/send-message.ts";
import { cancelledBy } from "../run-errors.ts";
import type { ResumeOptions } from "../run-options.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { continueStored } from "./continue-run.ts";
import { beginStopped } from "./resume-run.ts";

/** A run that is to be cancelled. */
interface Cancelling extends Opening {
  readonly reason: string;
  readonly options: ResumeOptions;
  /** False if no step may run here: unless the run is active here, its owner is told. */
  readonly resumes: boolean;
}

/**
 * Cancels a run: one that is active here or elsewhere is aborted; one without an owner is restored only to be
 * cancelled, with whatever tools still exist. Resolves to how it ended; does nothing if it already has. Rejects with
 * `run-not-found`, `invalid-options` or `store-failed`.
 */
export function cancelRun(runs: RunRegistry, request: Cancelling): Promise<RunResult> {
  const { reason, ...opening } = request;
  return doOrSend(runs, {
    ...opening,
    isCancel: true,
    here: () => cancelHere(runs, request),
    message: () => cancelMessage(runs, opening.runId, reason),
  });
}

function cancelHere(runs: RunRegistry, { reason, ...opening }: Cancelling): Promise<RunResult> {
  return runs.withRun(opening.runId, {
    whenActive: async ({ run, result }) => {
      run.abort(cancelledBy(reason));
      const ended = await result.catch(() => undefined);
      // A suspended run was already suspending when it was aborted; one that never started was only looked up.
      return run.state.sequence > 0 && ended?.status !== "suspended" ? result : undefined;
    },
    whenStored: () => {
      const mayResume = ({ status }: Pick<RunState, "status">) => !endedStatuses.has(status);
      if (!opening.resumes) {
        const message = () => cancelMessage(runs, opening.runId, reason);
        return leaveMessage(runs, { runId: opening.runId, check: ({ state }) => mayResume(state), message });
      }
      opening.cancelling?.abort(cancelledBy(reason));
      return continueStored(runs, { ...opening, isCancel: true, mayResume, begin: beginStopped });
    },
  });
}
