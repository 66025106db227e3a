import type { ChangedCall, DecisionNote } from "../../core/approval.ts";
import { AgentError, fromErrorData } from "../../core/errors.ts";
import type { ApprovalEndEvent, EventInit, PendingItem } from "../../core/events.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import type { RunState } from "../../core/run-state.ts";
import { describeStepRef, describeSubject, type StepRef, stepRefOf } from "../../core/step.ts";
import { type ApprovalState, instanceAt, instancesOf, type StepState } from "../../core/step-state.ts";
import type { Run } from "../run.ts";
import { notWaiting } from "../run-errors.ts";
import { restoreSealed } from "../secrets/map-sensitive.ts";
import { opened } from "../secrets/secrets-of-run.ts";

/** What was decided about a step or a plan. */
export type ApprovalOutcome = ApprovalEndEvent["outcome"];

/** The event of a decision about a step, an iteration of one, or (without a place) the plan. */
export function approvalEnd(ref: StepRef | undefined, outcome: ApprovalOutcome): EventInit {
  if (ref === undefined) return { type: "approval-end", kind: "plan", outcome };
  return { type: "approval-end", kind: "step", ...ref, outcome };
}

/** The outcome recorded for a decision; `changed` is the call approved in place of the requested one. */
export function decisionOutcome(
  { verdict, ref, reason, by, comment }: Omit<Decision, "hash" | "atMs">,
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
  readonly message?: number | undefined;
}

/** The part of a run that shows what it waits for. */
export type StoredRun = Pick<Run, "state" | "secrets">;

/**
 * True if a run waits for a decision; false if it was taken before. Throws `run-conflict` if it cannot be taken, and
 * `approval-expired` if it is too late for that.
 */
export function requireAsked({ state, secrets }: StoredRun, decision: Decision): boolean {
  const { ref, hash, verdict, atMs } = decision;
  const part = ref && instanceAt(state.steps, ref);
  const approval = ref === undefined ? state.planApproval : part?.approval;
  if (approval?.hash !== hash) throw notPending(state, decision);
  if (approval.error?.code === "approval-expired") throw fromErrorData(approval.error);
  if (approval.status === "requested" && isExpired(approval, atMs)) throw approvalExpired(approval, ref);
  if (approval.status === (verdict === "approve" ? "approved" : "rejected") && isSameInput(decision, part, secrets))
    return false;
  const isWaiting = ref === undefined || part?.status === "waiting";
  if (approval.status !== "requested" || !isWaiting) throw notPending(state, decision);
  return true;
}

function isSameInput({ input }: Decision, part: StepState | undefined, secrets: StoredRun["secrets"]): boolean {
  if (input === undefined) return part?.approval?.changed === undefined;
  if (part === undefined) return false;
  const given = secrets ? restoreSealed(input, part.input) : input;
  return canonicalJson(opened({ secrets }, given)) === canonicalJson(opened({ secrets }, part.input));
}

/** The error of a decision that a run is not waiting for. */
export function notPending(state: RunState, decision: Decision): AgentError<"run-conflict"> {
  return notWaiting(state.runId, reasonOf(state, decision), "this decision");
}

function reasonOf({ status, steps, planApproval, pending = [] }: RunState, { ref, hash }: Decision): string {
  const what = describeSubject(ref);
  const iterations = ref && steps.get(ref.stepId)?.iterations;
  if (ref !== undefined && !steps.has(ref.stepId)) return `it has no ${what}`;
  if (iterations !== undefined && ref?.iteration === undefined)
    return `${what} waits per iteration: give iteration, from 0 to ${iterations.states.length - 1}`;
  const approval = ref === undefined ? planApproval : instanceAt(steps, ref)?.approval;
  if (approval === undefined)
    return `approval of ${what} was not asked for; the run waits for its ${pending.length} pending items`;
  if (approval.status === "withdrawn")
    return `the question about ${what} was withdrawn; resume the run to be asked again`;
  if (approval.hash !== hash) return `the question about ${what} has the hash ${approval.hash}, not ${hash}`;
  return approval.status === "requested" ? `it has ended: ${status}` : `${what} was ${approval.status} before`;
}

/** Records a decision, and notifies those who wait for it. Not while another one is {@link Run.deciding}. */
export function recordDecision(run: Run, { ref, outcome: decided, message }: DecisionToRecord): Promise<void> {
  const record = async () => {
    const outcome = decided instanceof Promise ? await decided : decided;
    if (message !== undefined) run.recorder.acknowledge(message);
    await run.emit(approvalEnd(ref, outcome));
    run.notifyDecision(ref);
  };
  const recording = record().finally(() => {
    if (run.deciding === deciding) run.deciding = undefined;
  });
  const deciding = recording.catch(() => {});
  run.deciding = deciding;
  return recording;
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
