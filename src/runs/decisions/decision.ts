import type { ChangedCall, DecisionNote } from "../../core/approval.ts";
import { AgentError } from "../../core/errors.ts";
import type { ApprovalEndEvent, EventInit, PendingItem } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step-ref.ts";
import { type ApprovalState, instancesOf } from "../../core/step-state.ts";
import type { Run } from "../run.ts";

/** What was decided about a step or a plan. */
export type ApprovalOutcome = ApprovalEndEvent["outcome"];

/** The event of a decision about a step, an iteration of one, or (without a place) the plan. */
export function approvalEnd(ref: StepRef | undefined, outcome: ApprovalOutcome): EventInit {
  if (ref === undefined) return { type: "approval-end", kind: "plan", outcome };
  return { type: "approval-end", kind: "step", ...ref, outcome };
}

/** An approval or a rejection, with its note. */
interface Verdict extends DecisionNote {
  readonly verdict: "approve" | "reject";
  /** Undefined for the plan. */
  readonly ref: StepRef | undefined;
  /** Used by a rejection. */
  readonly reason: string;
}

/** The outcome recorded for a decision; `changed` is the call approved in place of the requested one. */
export function decisionOutcome(
  { verdict, ref, reason, by, comment }: Verdict,
  changed?: ChangedCall,
): ApprovalOutcome {
  const note = { ...(by !== undefined && { by }), ...(comment !== undefined && { comment }) };
  if (verdict === "approve") return { status: "approved", ...note, ...(changed && { changed }) };
  const error = new AgentError("approval-rejected", `${describeAsked(ref)} was not approved: ${reason}`, {
    details: { ...ref, reason },
  });
  return { status: "rejected", error: error.toJSON(), ...note };
}

/** The subject of an approval, at the start of an error message. */
function describeAsked(ref: StepRef | undefined): string {
  return ref === undefined ? "The plan" : `Step "${describeStepRef(ref)}"`;
}

/** A decision about a step, an iteration of one, or the plan: JSON. */
export interface Decision extends DecisionNote {
  /** Undefined for the plan. */
  readonly ref: StepRef | undefined;
  /** The hash of the call or plan that was decided about. */
  readonly hash: string;
  readonly verdict: "approve" | "reject";
  readonly reason: string;
  /** When it was taken, in milliseconds since 1970 UTC: it may be received when it would be too late to decide. */
  readonly atMs: number;
  /** The input that a step is approved with in place of its own. */
  readonly input?: JsonObject;
}

/** A decision to record. */
interface DecisionToRecord {
  /** Undefined for the plan. */
  readonly ref: StepRef | undefined;
  readonly outcome: ApprovalOutcome | Promise<ApprovalOutcome>;
  /** The number of the message that contained it. */
  readonly message?: number;
}

/** Records a decision, and notifies those who wait for it. Not while another one is {@link Run.deciding}. */
export function recordDecision(run: Run, decision: DecisionToRecord): Promise<void> {
  const recording = record(run, decision).finally(() => {
    if (run.deciding === deciding) run.deciding = undefined;
  });
  const deciding = recording.catch(() => {});
  run.deciding = deciding;
  return recording;
}

async function record(run: Run, { ref, outcome: decided, message }: DecisionToRecord): Promise<void> {
  const outcome = decided instanceof Promise ? await decided : decided;
  if (message !== undefined) run.recorder.acknowledge(message);
  await run.emit(approvalEnd(ref, outcome));
  run.notifyDecision(ref);
}

/** Whether it is too late to decide about a question. */
export function isExpired({ expiresAt }: { readonly expiresAt?: string }, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/** Whether a run waits for a decision that nobody can take any more. */
export function waitsInVain({ pending = [] }: { readonly pending?: readonly PendingItem[] }, nowMs: number): boolean {
  return pending.some((item) => item.kind !== "outcome" && item.kind !== "wait" && isExpired(item, nowMs));
}

/** Rejects the approval requests of a resumed run that have expired. */
export async function rejectExpired(run: Run): Promise<void> {
  const { steps, planApproval } = run.state;
  const nowMs = run.sharedNow();
  const reject = async (asked: ApprovalState | undefined, ref: StepRef | undefined) => {
    if (asked?.status !== "requested" || !isExpired(asked, nowMs)) return;
    // A listener may be deciding about something else.
    while (run.deciding !== undefined) await run.deciding;
    await recordDecision(run, { ref, outcome: expiredOutcome(asked, ref) });
  };
  await reject(planApproval, undefined);
  for (const part of instancesOf(steps.values()))
    if (part.status === "waiting") await reject(part.approval, stepRefOf(part));
}

/** The outcome recorded if nobody has decided in time. */
export function expiredOutcome(asked: Pick<ApprovalState, "expiresAt">, ref: StepRef | undefined): ApprovalOutcome {
  return { status: "rejected", error: approvalExpired(asked, ref).toJSON() };
}

/** The error of a request that nobody has decided in time. */
export function approvalExpired(
  { expiresAt = "" }: Pick<ApprovalState, "expiresAt">,
  ref: StepRef | undefined,
): AgentError<"approval-expired"> {
  const message = `${describeAsked(ref)} was not approved: nobody decided before ${expiresAt}.`;
  return new AgentError("approval-expired", message, { details: { ...ref, expiresAt } });
}
