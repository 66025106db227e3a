import type { RunStatus } from "../core/run-status.ts";

/** What the command's exit codes mean. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130 } as const;

/** The exit code for how a run ended; `errorCode` is that of its error. */
export function exitCodeOf(status: RunStatus, errorCode?: string): number {
  if (status === "completed") return exitCodes.completed;
  if (status === "cancelled") return exitCodes.cancelled;
  return errorCode === "cannot-plan" || errorCode === "invalid-request" ? exitCodes.usage : exitCodes.failed;
}
