import type { AgentEvent } from "./events.ts";

/** The status of a run. @group Runs and results */
export type RunStatus = "planning" | "running" | "completed" | "failed" | "cancelled" | "suspended" | "interrupted";

/** Every {@link RunStatus}. */
export const runStatuses: readonly RunStatus[] = [
  "planning",
  "running",
  "completed",
  "failed",
  "cancelled",
  "suspended",
  "interrupted",
];

/** The statuses of a run that has not ended and waits for nobody. */
export const unendedStatuses: ReadonlySet<RunStatus> = new Set(["planning", "running", "interrupted"]);

/** The statuses of a run that is resumed only if somebody asks for it. */
export const endedStatuses: ReadonlySet<RunStatus> = new Set(["completed", "failed", "cancelled"]);

/** Whether a value from outside is a {@link RunStatus}. */
export function isRunStatus(text: unknown): text is RunStatus {
  return runStatuses.some((status) => status === text);
}

/**
 * The status of a run after an event, for a run store that lists by it; undefined if the event does not change it.
 *
 * {@includeCode ../../examples/24-your-own-store.ts}
 * @group Storage
 */
export function runStatusAfter(event: AgentEvent): RunStatus | undefined {
  switch (event.type) {
    case "run-start":
      return event.plan === undefined ? "planning" : "running";
    case "plan-end":
      return event.outcome.status === "completed" ? "running" : undefined;
    case "run-suspend":
      return "suspended";
    case "run-resume":
      return "running";
    case "run-end":
      return event.outcome.status;
    default:
      return undefined;
  }
}
