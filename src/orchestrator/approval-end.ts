import type { ApprovalEndEvent, EventInit } from "../core/events.ts";
import type { StepPlace } from "../core/step-place.ts";

/** What was decided about a step or a plan. */
export type ApprovalOutcome = ApprovalEndEvent["outcome"];

/** The event of a decision about a step, an iteration of one, or (without a place) the plan. */
export function approvalEnd(place: StepPlace | undefined, outcome: ApprovalOutcome): EventInit {
  if (place === undefined) return { type: "approval-end", kind: "plan", outcome };
  return { type: "approval-end", kind: "step", ...place, outcome };
}
