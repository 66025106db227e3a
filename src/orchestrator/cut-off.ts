import type { AgentErrorData } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import type { RunState } from "../core/run-state.ts";
import { placeOf } from "../core/step-place.ts";
import { partsOf, type StepState } from "../core/step-state.ts";
import { outcomeUnknown } from "./step-errors.ts";

/**
 * The events that close what an execution has left open, so that each start has its end: for a process that has died,
 * or whose store has failed. A step in flight is `interrupted`, or `unknown` if it must run only once.
 */
export function endsOfCutOff(state: RunState, error: AgentErrorData): readonly EventInit[] {
  const events: EventInit[] = [];
  if (state.isPlanning) events.push({ type: "plan-end", outcome: { status: "failed", error } });
  for (const part of partsOf(state.steps.values())) {
    if (part.status === "running") events.push(endOf(part, error));
    if (part.isUndoing) {
      const { tool } = part;
      events.push({ type: "undo-end", ...placeOf(part), tool, attempts: 1, outcome: { status: "failed", error } });
    }
  }
  return events;
}

function endOf(part: StepState, error: AgentErrorData): EventInit {
  const { stepId, tool, attempts, effect, iteration } = part;
  const task = { step: { id: stepId, tool }, iteration: iteration === undefined ? undefined : { index: iteration } };
  const outcome =
    effect === "once"
      ? ({ status: "unknown", error: outcomeUnknown(task, error).toJSON() } as const)
      : ({ status: "interrupted", error } as const);
  return { type: "step-end", ...placeOf(part), tool, attempts, outcome };
}
