import { AgentError } from "../core/errors.ts";
import type { PendingItem } from "../core/events.ts";
import { placeOf, type StepPlace } from "../core/step-place.ts";
import { type ApprovalState, partsOf } from "../core/step-state.ts";
import { type ApprovalOutcome, describeAsked } from "./approval-end.ts";
import { recordDecision } from "./record-decision.ts";
import type { Run } from "./run.ts";

/** Whether it is too late to decide about a question. */
export function isExpired({ expiresAt }: { readonly expiresAt?: string }, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/** Whether a run waits for a decision that nobody can take any more. */
export function waitsInVain({ pending = [] }: { readonly pending?: readonly PendingItem[] }, nowMs: number): boolean {
  return pending.some((item) => item.kind !== "outcome" && isExpired(item, nowMs));
}

/** Rejects the approval requests of a resumed run that have expired. */
export async function rejectExpired(run: Run): Promise<void> {
  const { steps, planApproval } = run.state;
  const nowMs = run.now();
  const reject = async (asked: ApprovalState | undefined, place: StepPlace | undefined) => {
    if (asked?.status !== "requested" || !isExpired(asked, nowMs)) return;
    // A listener may be deciding about something else.
    while (run.deciding !== undefined) await run.deciding;
    await recordDecision(run, { place, outcome: expiredOutcome(asked, place) });
  };
  await reject(planApproval, undefined);
  for (const part of partsOf(steps.values())) if (part.status === "waiting") await reject(part.approval, placeOf(part));
}

/** The outcome recorded if nobody has decided in time. */
export function expiredOutcome(asked: Pick<ApprovalState, "expiresAt">, place: StepPlace | undefined): ApprovalOutcome {
  return { status: "rejected", error: approvalExpired(asked, place).toJSON() };
}

/** The error of a request that nobody has decided in time. */
export function approvalExpired(
  { expiresAt = "" }: Pick<ApprovalState, "expiresAt">,
  place: StepPlace | undefined,
): AgentError<"approval-expired"> {
  const message = `${describeAsked(place)} was not approved: nobody decided before ${expiresAt}.`;
  return new AgentError("approval-expired", message, { details: { ...place, expiresAt } });
}
