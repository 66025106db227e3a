import type { ChangedCall, DecisionNote } from "../core/approval.ts";
import { AgentError } from "../core/errors.ts";
import type { ApprovalEndEvent, EventInit } from "../core/events.ts";
import { describePlace, type StepPlace } from "../core/step-place.ts";

/** What was decided about a step or a plan. */
export type ApprovalOutcome = ApprovalEndEvent["outcome"];

/** The event of a decision about a step, an iteration of one, or (without a place) the plan. */
export function approvalEnd(place: StepPlace | undefined, outcome: ApprovalOutcome): EventInit {
  if (place === undefined) return { type: "approval-end", kind: "plan", outcome };
  return { type: "approval-end", kind: "step", ...place, outcome };
}

/** An approval or a rejection, with its note. */
export interface Verdict extends DecisionNote {
  readonly verdict: "approve" | "reject";
  /** Undefined for the plan. */
  readonly place: StepPlace | undefined;
  /** Used by a rejection. */
  readonly reason: string;
}

/** The outcome recorded for a decision; `changed` is the call approved in place of the requested one. */
export function decisionOutcome(
  { verdict, place, reason, by, comment }: Verdict,
  changed?: ChangedCall,
): ApprovalOutcome {
  const note = { ...(by !== undefined && { by }), ...(comment !== undefined && { comment }) };
  if (verdict === "approve") return { status: "approved", ...note, ...(changed && { changed }) };
  const error = new AgentError("approval-rejected", `${describeAsked(place)} was not approved: ${reason}`, {
    details: { ...place, reason },
  });
  return { status: "rejected", error: error.toJSON(), ...note };
}

/** The subject of an approval, at the start of an error message. */
export function describeAsked(place: StepPlace | undefined): string {
  return place === undefined ? "The plan" : `Step "${describePlace(place)}"`;
}
