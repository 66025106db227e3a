import type { RunStatus } from "../core/run-summary.ts";

/** The exit codes of the command. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130, terminated: 143 } as const;

/** The exit code for how a run ended; `errorCode` is that of its error. */
export function exitCodeOf(status: RunStatus, errorCode?: string): number {
  if (status === "completed") return exitCodes.completed;
  if (status === "cancelled") return exitCodes.cancelled;
  if (status === "interrupted") return exitCodes.terminated;
  return usageErrors.includes(errorCode ?? "") ? exitCodes.usage : exitCodes.failed;
}

const usageErrors = ["cannot-plan", "invalid-request", "invalid-options"];
