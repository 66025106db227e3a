import { isThenable } from "../async/thenable.ts";
import { settleOrAbort } from "../async/timeout.ts";
import { type ApprovalQuestion, type ApprovalReason, type ApprovedCall, hashCall } from "../core/approval.ts";
import { toErrorData } from "../core/error-data.ts";
import { canonicalJson, hashPlan } from "../core/hash-plan.ts";
import type { Plan } from "../core/plan.ts";
import type { StepPlace } from "../core/step-place.ts";
import { type ApprovalState, partAt } from "../core/step-state.ts";
import { askInline, type Undecided, warnOf } from "./ask-inline.ts";
import { recordDecision } from "./decision.ts";
import type { Run } from "./run.ts";
import { showIn } from "./show.ts";
import { countOf, placeOfTask, type StepCall } from "./step-call.ts";

/** Whether a step or a plan may run; `waiting` if that is still to be decided. */
export type ApprovalStatus = "approved" | "rejected" | "waiting";

/** Whether a step may need approval, so that {@link askAboutStep} has to be called. */
export function mayNeedApproval(run: Run, call: StepCall): boolean {
  if (call.tool.needsApproval !== undefined || run.engine.needsApproval !== undefined) return true;
  if (reasonsFor(run, call) !== undefined) return true;
  return run.isContinued && run.approvalOf(placeOfTask(call)) !== undefined;
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
  const place = placeOfTask(call);
  const known = run.approvalOf(place);
  if (known?.status === "rejected") return "rejected";
  const reasons = reasonsFor(run, call);
  const base = {
    kind: "step",
    ...place,
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
    (await asks(run, place, () => tool.needsApproval?.(parsed) ?? false)) ||
    (await asks(run, place, () => isAskedFor(run, { runId: run.runId, ...base })));
  if (!needsIt) return "approved";
  const hash = await hashOf(run, { ...place, tool: tool.name, effect, input });
  if (!run.canStart()) return "waiting";
  const request = { ...base, hash, ...(reasons && { reasons }) };
  return recallOrAsk(run, { place, hash, subject: request, request: { runId: run.runId, ...request } });
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
  return recallOrAsk(run, { place: undefined, hash, subject, request: { runId, ...subject, plan } });
}

function isAskedFor(run: Run, question: ApprovalQuestion): boolean | Promise<boolean> {
  return run.engine.needsApproval?.(showIn(run, question)) ?? false;
}

/** The hash that binds a decision to a call. With a secret, the recorded hash is reused: the key may have changed. */
async function hashOf({ secrets, state }: Run, call: ApprovedCall): Promise<string> {
  if (!secrets?.isIn(call.input)) return hashCall(call);
  const { approval, input, tool, effect } = partAt(state.steps, call) ?? {};
  const isSame = tool === call.tool && effect === call.effect && canonicalJson(input) === canonicalJson(call.input);
  return (isSame ? (approval?.changed ?? approval)?.hash : undefined) ?? secrets.hashCall(call);
}

async function hashOfPlan({ secrets, state }: Run, plan: Plan): Promise<string> {
  if (!secrets?.isIn(plan)) return hashPlan(plan);
  // A revised plan needs its own approval.
  return state.planApproval?.hash ?? secrets.hashPlan(plan);
}

/** A policy that fails must not let anything through, and one that never answers must not hold up an aborted run. */
async function asks(run: Run, place: StepPlace | undefined, ask: () => boolean | Promise<boolean>): Promise<boolean> {
  const source = place === undefined ? run.openSource() : run.openWaiting();
  try {
    const answer = ask();
    return isThenable(answer) ? await settleOrAbort(Promise.resolve(answer), source) : answer;
  } catch (thrown) {
    if (!source.aborted)
      warnOf(run, place, `needsApproval failed, so approval is asked for: ${toErrorData(thrown).message}`);
    return true;
  } finally {
    run.release(source);
  }
}

/** Uses an earlier request or decision for the same hash; otherwise requests approval now. */
async function recallOrAsk(run: Run, asked: Undecided): Promise<ApprovalStatus> {
  const { place, hash, subject } = asked;
  const known = run.approvalOf(place);
  if (known !== undefined && (known.changed ?? known).hash === hash && known.status !== "withdrawn")
    return statusOf(known);
  const expiry = expiryOf(run);
  await run.emit({ type: "approval-request", ...subject, ...expiry });
  if (run.recorder.failure !== undefined) return "waiting";
  // A listener may have decided at once.
  while (run.deciding !== undefined) await run.deciding;
  if (run.engine.approve === undefined || run.approvalOf(place)?.status !== "requested") {
    return statusOf(run.approvalOf(place));
  }
  const outcome = await askInline(run, { ...asked, request: { ...asked.request, ...expiry } });
  while (run.deciding !== undefined) await run.deciding;
  const state = run.approvalOf(place);
  // Somebody else may have decided meanwhile.
  if (outcome !== undefined && state?.status === "requested" && run.abortReason === undefined) {
    await recordDecision(run, { place, outcome });
  }
  return statusOf(run.approvalOf(place));
}

function expiryOf(run: Run): { readonly expiresAt?: string } {
  const { approvalTtlMs } = run.engine;
  if (approvalTtlMs === Number.POSITIVE_INFINITY) return {};
  return { expiresAt: new Date(run.now() + approvalTtlMs).toISOString() };
}

function statusOf(state: ApprovalState | undefined): ApprovalStatus {
  return state?.status === "approved" || state?.status === "rejected" ? state.status : "waiting";
}
