import { maxTimerMs } from "../../async/clock.ts";
import { isThenable, settleOrAbort } from "../../async/promises.ts";
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalQuestion,
  type ApprovalReason,
  type ApprovalRequest,
  type ApprovalSubject,
  type ApprovedCall,
  hashCall,
} from "../../core/approval.ts";
import { toErrorData } from "../../core/error-data.ts";
import { canonicalJson } from "../../core/json.ts";
import { checkKeys, checkOption } from "../../core/options.ts";
import type { Plan } from "../../core/plan.ts";
import { describeSubject, type StepRef } from "../../core/step.ts";
import { type ApprovalState, instanceAt } from "../../core/step-state.ts";
import { hashPlan } from "../../plan/hash-plan.ts";
import type { Run } from "../run.ts";
import { showIn } from "../show.ts";
import { countOf, refOfTask, type StepCall } from "../steps/step-call.ts";
import { changeCall } from "./change-input.ts";
import { type ApprovalOutcome, decisionOutcome, expiredOutcome, isExpired, recordDecision } from "./decision.ts";
import { readInput, readNote } from "./decision-options.ts";

/** Whether a step or a plan may run; `waiting` if that is still to be decided. */
type ApprovalStatus = "approved" | "rejected" | "waiting";

/** Whether a step may need approval, so that {@link askAboutStep} has to be called. */
export function mayNeedApproval(run: Run, call: StepCall): boolean {
  if (call.tool.needsApproval !== undefined || run.engine.needsApproval !== undefined) return true;
  if (reasonsFor(run, call) !== undefined) return true;
  return run.isContinued && run.approvalOf(refOfTask(call)) !== undefined;
}

/** Why a step needs approval whatever its tool and the policy say: it is part of a replan and has an effect. */
function reasonsFor({ state }: Run, { step, effect }: StepCall): readonly ApprovalReason[] | undefined {
  if (state.firstPlan === undefined || effect === "pure") return undefined;
  return state.steps.get(step.id)?.approvalReasons;
}

/** Requests approval of a step that is ready to be called, if it needs it. Never rejects. */
export async function askAboutStep(run: Run, call: StepCall, parsed: unknown): Promise<ApprovalStatus> {
  const { step, tool, input, effect } = call;
  const { reasoning } = step;
  const ref = refOfTask(call);
  const known = run.approvalOf(ref);
  if (known?.status === "rejected") return "rejected";
  const reasons = reasonsFor(run, call);
  const base = {
    kind: "step",
    ...ref,
    ...countOf(call.iteration),
    tool: tool.name,
    input,
    effect,
    ...(reasoning && { reasoning }),
  } as const;
  // A request is not dropped because a policy no longer exists or now answers differently.
  const needsIt =
    known !== undefined ||
    reasons !== undefined ||
    (await asks(run, ref, () => tool.needsApproval?.(parsed) ?? false)) ||
    (await asks(run, ref, () => isAskedFor(run, { runId: run.runId, ...base })));
  if (!needsIt) return "approved";
  const hash = await hashOf(run, { ...ref, tool: tool.name, effect, input });
  if (!run.canStart()) return "waiting";
  const request = { ...base, hash, ...(reasons && { reasons }) };
  return recallOrAsk(run, { ref, hash, subject: request, request: { runId: run.runId, ...request } });
}

/** Whether a plan may need approval, so that {@link askAboutPlan} has to be called. An `approvedHash` approves it. */
export function mayNeedPlanApproval(run: Run): boolean {
  if (run.approvalOf(undefined) !== undefined) return true;
  return run.engine.needsApproval !== undefined && run.settings.stored.approvedHash === undefined;
}

/** Requests approval of the plan as a whole, if the policy requires it. */
export async function askAboutPlan(run: Run, plan: Plan): Promise<ApprovalStatus> {
  const { runId } = run;
  const isAsked = run.approvalOf(undefined) !== undefined;
  const needsIt = isAsked || (await asks(run, undefined, () => isAskedFor(run, { kind: "plan", runId, plan })));
  if (!needsIt) return "approved";
  const hash = await hashOfPlan(run, plan);
  if (!run.canContinue()) return "waiting";
  const subject = { kind: "plan", hash } as const;
  return recallOrAsk(run, { ref: undefined, hash, subject, request: { runId, ...subject, plan } });
}

function isAskedFor(run: Run, question: ApprovalQuestion): boolean | Promise<boolean> {
  return run.engine.needsApproval?.(showIn(run, question)) ?? false;
}

/** The hash that binds a decision to a call. With a secret, the recorded hash is reused: the key may have changed. */
async function hashOf({ secrets, state }: Run, call: ApprovedCall): Promise<string> {
  if (!secrets?.isIn(call.input)) return hashCall(call);
  const { approval, input, tool, effect } = instanceAt(state.steps, call) ?? {};
  const isSame = tool === call.tool && effect === call.effect && canonicalJson(input) === canonicalJson(call.input);
  return (isSame ? (approval?.changed ?? approval)?.hash : undefined) ?? secrets.hashCall(call);
}

async function hashOfPlan({ secrets, state }: Run, plan: Plan): Promise<string> {
  if (!secrets?.isIn(plan)) return hashPlan(plan);
  // A revised plan needs its own approval.
  return state.planApproval?.hash ?? secrets.hashPlan(plan);
}

/** A policy that fails must not let anything through, and one that never answers must not hold up an aborted run. */
async function asks(run: Run, ref: StepRef | undefined, ask: () => boolean | Promise<boolean>): Promise<boolean> {
  const source = ref === undefined ? run.openSource() : run.openWaiting();
  try {
    const answer = ask();
    return isThenable(answer) ? await settleOrAbort(Promise.resolve(answer), source) : answer;
  } catch (thrown) {
    if (!source.aborted)
      warnOf(run, ref, `needsApproval failed, so approval is asked for: ${toErrorData(thrown).message}`);
    return true;
  } finally {
    run.release(source);
  }
}

/** Uses an earlier request or decision for the same hash; otherwise requests approval now. */
async function recallOrAsk(run: Run, asked: Undecided): Promise<ApprovalStatus> {
  const { ref, hash, subject } = asked;
  const known = run.approvalOf(ref);
  if (known !== undefined && (known.changed ?? known).hash === hash && known.status !== "withdrawn")
    return statusOf(known);
  const expiry = expiryOf(run);
  await run.emit({ type: "approval-request", ...subject, ...expiry });
  if (run.recorder.failure !== undefined) return "waiting";
  // A listener may have decided at once.
  while (run.deciding !== undefined) await run.deciding;
  if (run.engine.requestApproval === undefined || run.approvalOf(ref)?.status !== "requested") {
    return statusOf(run.approvalOf(ref));
  }
  const outcome = await askInline(run, { ...asked, request: { ...asked.request, ...expiry } });
  while (run.deciding !== undefined) await run.deciding;
  const state = run.approvalOf(ref);
  // Somebody else may have decided meanwhile.
  if (outcome !== undefined && state?.status === "requested" && run.abortReason === undefined) {
    await recordDecision(run, { ref, outcome });
  }
  return statusOf(run.approvalOf(ref));
}

function expiryOf(run: Run): { readonly expiresAt?: string } {
  const { approvalTtlMs } = run.engine;
  if (approvalTtlMs === Number.POSITIVE_INFINITY) return {};
  return { expiresAt: new Date(run.sharedNow() + approvalTtlMs).toISOString() };
}

function statusOf(state: ApprovalState | undefined): ApprovalStatus {
  return state?.status === "approved" || state?.status === "rejected" ? state.status : "waiting";
}

/** A pending decision. */
interface Undecided {
  readonly ref: StepRef | undefined;
  readonly hash: string;
  readonly subject: ApprovalSubject;
  readonly request: ApprovalRequest;
}

/**
 * Waits for `requestApproval` until somebody else decides, the request expires or the run is aborted. Returns the outcome to
 * record, or undefined if there is none, so that others decide.
 */
async function askInline(run: Run, asked: Undecided): Promise<ApprovalOutcome | undefined> {
  const { ref, request } = asked;
  const source = ref === undefined ? run.openSource() : run.openWaiting();
  const forget = run.onDecision((other) => {
    if (isSameRef(ref, other)) source.abort("decided");
  });
  const stopTimer = onExpiry(run, request, () => source.abort(expired));
  try {
    const asking = Promise.resolve(run.engine.requestApproval?.(showIn(run, request), { signal: source.signal }));
    const answer: unknown = await settleOrAbort(asking, source);
    if (isExpired(request, run.sharedNow())) return expiredOutcome(request, ref);
    const read = readAnswer(answer, request.kind);
    if (read !== undefined) return await outcomeOf(run, asked, read);
    warnOf(
      run,
      ref,
      `requestApproval must return approve, reject or suspend, but returned ${String(answer).slice(0, 100)}.`,
    );
  } catch (thrown) {
    if (source.reason === expired) return expiredOutcome(request, ref);
    if (!source.aborted)
      warnOf(run, ref, `requestApproval failed, so the run is suspended: ${toErrorData(thrown).message}`);
  } finally {
    stopTimer();
    forget();
    run.release(source);
  }
  return undefined;
}

const expired = Symbol("expired");

/** Calls back when it is too late to decide, unless no timer can wait so long. Returns a function to stop it. */
function onExpiry(run: Run, { expiresAt }: { readonly expiresAt?: string }, callback: () => void): () => void {
  const { clock } = run.engine;
  const leftMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - run.sharedNow();
  if (leftMs > maxTimerMs) return () => {};
  const timer = clock.setTimeout(callback, Math.max(0, leftMs));
  return () => clock.clearTimeout(timer);
}

async function outcomeOf(
  run: Run,
  { ref, hash }: Undecided,
  { decision, input, comment, reason = comment ?? "requestApproval said so", ...note }: ApprovalAnswer,
): Promise<ApprovalOutcome | undefined> {
  if (decision === "suspend") return undefined;
  const verdict = { verdict: decision, ref, reason, ...note, ...(comment !== undefined && { comment }) };
  if (input === undefined || ref === undefined) return decisionOutcome(verdict);
  return decisionOutcome(verdict, await changeCall(run.engine, run, { ref, hash, input }));
}

function isSameRef(one: StepRef | undefined, other: StepRef | undefined): boolean {
  return one?.stepId === other?.stepId && one?.iteration === other?.iteration;
}

/** Warns that a policy failed, or returned no valid answer. */
function warnOf(run: Run, ref: StepRef | undefined, message: string): void {
  run.warn({ code: "approval-failed", ...ref, message: `Run ${run.runId}, ${describeSubject(ref)}: ${message}` });
}

/**
 * Reads the answer of an agent's `requestApproval`; undefined if it is not an answer at all. Throws `invalid-options`
 * for an answer with invalid fields.
 */
function readAnswer(answer: unknown, kind: "step" | "plan"): ApprovalAnswer | undefined {
  if (isDecision(answer)) return { decision: answer };
  const { decision } = (answer ?? {}) as { readonly decision?: unknown };
  if (!isDecision(decision)) return undefined;
  checkKeys("answer", answer, ["decision", "by", "comment", decision === "approve" ? "input" : "reason"]);
  const { by, comment, reason, input } = answer as ApprovalAnswer;
  checkOption({ type: "text" }, reason, "reason");
  return {
    decision,
    ...readNote({ by, comment }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input: readInput(input, kind) }),
  };
}

function isDecision(value: unknown): value is ApprovalDecision {
  return value === "approve" || value === "reject" || value === "suspend";
}
