import type { PendingItem } from "./events.ts";
import type { JsonObject } from "./json.ts";
import type { PlanStep, StepWait } from "./plan.ts";
import type { StepState } from "./step-state.ts";

/** What stands for the tool of a step that waits, in events and records. */
export const waitToolName = "wait";

/** The name of a step's tool, as events and records show it. */
export function toolOf({ tool }: Pick<PlanStep, "tool">): string {
  return tool ?? waitToolName;
}

/** What may have references in a step: its input or, of one that waits, what it waits for. */
export function inputOf({ input, wait }: Pick<PlanStep, "input" | "wait">): JsonObject {
  return input ?? (wait as StepWait & JsonObject);
}

/** Whether a step calls a tool. A malformed one counts as one that does. */
export function callsTool<TStep extends { readonly wait?: unknown }>(
  step: TStep,
): step is Extract<TStep, { readonly wait?: undefined }> {
  return step.wait === undefined;
}

/** The version of a plan with these steps, which may be malformed: 2 if one of them waits. */
export function planVersionOf(steps: unknown): 1 | 2 {
  if (!Array.isArray(steps)) return 1;
  return steps.some((step) => (step as { wait?: unknown } | null | undefined)?.wait !== undefined) ? 2 : 1;
}

/** The time of an ISO 8601 instant with a zone; undefined for anything else. */
export function timeOfInstant(value: unknown): number | undefined {
  const isWritten =
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value);
  const ms = isWritten ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether a step waits for a time or an event, and that is over. */
export function isWaitOver({ status, wait }: Pick<StepState, "status" | "wait">, nowMs: number): boolean {
  if (wait === undefined || (status !== "waiting" && status !== "interrupted")) return false;
  return wait.received !== undefined || (wait.until !== undefined && Date.parse(wait.until) <= nowMs);
}

/** Whether a step waits for a time or an event. */
export function isAwaited({ status, wait }: Pick<StepState, "status" | "wait">): boolean {
  return status === "waiting" && wait !== undefined;
}

/** When the earliest of the waits that suspended a run is over by itself; undefined if none is. */
export function resumeTimeOf(pending: readonly PendingItem[] | undefined): number | undefined {
  let earliest: number | undefined;
  for (const item of pending ?? []) {
    if (item.kind !== "wait" || item.until === undefined) continue;
    const atMs = Date.parse(item.until);
    if (earliest === undefined || atMs < earliest) earliest = atMs;
  }
  return earliest;
}
