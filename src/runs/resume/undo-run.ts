import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { endedStatuses, unendedStatuses } from "../../core/run-summary.ts";
import { notWaiting } from "../run/run-errors.ts";
import type { CommandOptions } from "../run/run-options.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { continueStored } from "./resume-run.ts";

type Undoing = Opening & Pick<CommandOptions, "thread" | "options">;

export async function undoRun(runs: RunRegistry, undoing: Undoing): Promise<RunResult> {
  const { runId, thread } = undoing;
  if (thread !== undefined) await runs.requireInThread(runId, thread);
  return runs.withRun(runId, {
    whenActive: async ({ run, result }) => {
      const { status, isUndone } = run.state;
      if (run.state.sequence > 0 && !endedStatuses.has(status) && isUndone !== true) throw notEnded(run.state);
      const ended = await result;
      return isUndone === true ? ended : undefined;
    },
    whenStored: () => continueStored(runs, { ...undoing, isUndo: true, mayResume: mayUndo }),
  });
}

function mayUndo(state: RunState): boolean {
  const { status, isUndone } = state;
  if (isUndone === true && status !== "suspended") return unendedStatuses.has(status);
  if (status === "completed" || status === "failed") return true;
  throw notEnded(state);
}

function notEnded({ runId, status }: RunState) {
  return notWaiting(runId, `its status is ${status}, not completed or failed`, "cannot be undone");
}
