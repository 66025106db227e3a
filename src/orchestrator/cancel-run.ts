import type { RunResult } from "../core/run-result.ts";
import { endedStatuses } from "../core/run-status.ts";
import { type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { cancelledBy } from "./cancelled-by.ts";
import { continueStored } from "./continue-run.ts";
import { beginStopped } from "./resume-run.ts";
import type { ResumeOptions } from "./run-options.ts";
import { cancelMessage, doOrSend, type Sending } from "./send-message.ts";

/** A run that is to be cancelled. */
export interface Cancelling extends Opening {
  readonly reason: string;
  readonly options: ResumeOptions;
}

/**
 * Cancels a run: one that is active here or elsewhere is aborted; one without an owner is restored only to be
 * cancelled, with whatever tools still exist. Resolves to how it ended; does nothing if it already has. Rejects with
 * `run-not-found`, `invalid-options` or `store-failed`.
 */
export function cancelRun(engine: RunsOwner, request: Cancelling): Promise<RunResult> {
  const { reason, ...opening } = request;
  const sending: Sending = {
    ...opening,
    isCancel: true,
    here: () => cancelHere(engine, request),
    message: () => cancelMessage(engine, opening.runId, reason),
  };
  return runsOf(engine).follow(doOrSend(engine, sending));
}

async function cancelHere(engine: RunsOwner, { reason, ...opening }: Cancelling): Promise<RunResult> {
  const { runId, cancelling } = opening;
  const runs = runsOf(engine);
  for (;;) {
    const active = runs.active.get(runId);
    const restoring = runs.restoring.get(runId);
    if (restoring !== undefined) await restoring.opening.catch(() => {});
    else if (active === undefined) {
      cancelling?.abort(cancelledBy(reason));
      const mayResume = ({ status }: { readonly status: RunResult["status"] | "planning" | "running" }) =>
        !endedStatuses.has(status);
      return continueStored(engine, { ...opening, isCancel: true, mayResume, begin: beginStopped });
    } else {
      active.run.abort(cancelledBy(reason));
      const result = await active.result.catch(() => undefined);
      // A suspended run was already suspending when it was aborted; one that never started was only looked up.
      if (active.run.state.sequence > 0 && result?.status !== "suspended") return active.result;
    }
  }
}
