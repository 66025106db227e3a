import { maxTimerMs } from "../async/clock.ts";
import { settleOrAbort } from "../async/timeout.ts";
import type { ApprovalAnswer, ApprovalRequest, ApprovalSubject } from "../core/approval.ts";
import { toErrorData } from "../core/error-data.ts";
import { describeSubject, type StepPlace } from "../core/step-place.ts";
import { readAnswer } from "./approval-answer.ts";
import { changeCall } from "./change-input.ts";
import { type ApprovalOutcome, decisionOutcome, expiredOutcome, isExpired } from "./decision.ts";
import type { Run } from "./run.ts";
import { showIn } from "./show.ts";

/** A pending decision. */
export interface Undecided {
  readonly place: StepPlace | undefined;
  readonly hash: string;
  readonly subject: ApprovalSubject;
  readonly request: ApprovalRequest;
}

/**
 * Waits for `requestApproval` until somebody else decides, the request expires or the run is aborted. Returns the outcome to
 * record, or undefined if there is none, so that others decide.
 */
export async function askInline(run: Run, asked: Undecided): Promise<ApprovalOutcome | undefined> {
  const { place, request } = asked;
  const source = place === undefined ? run.openSource() : run.openWaiting();
  const forget = run.onDecision((other) => {
    if (isSamePlace(place, other)) source.abort("decided");
  });
  const stopTimer = onExpiry(run, request, () => source.abort(expired));
  try {
    const asking = Promise.resolve(run.engine.requestApproval?.(showIn(run, request), { signal: source.signal }));
    const answer: unknown = await settleOrAbort(asking, source);
    if (isExpired(request, run.now())) return expiredOutcome(request, place);
    const read = readAnswer(answer, request.kind);
    if (read !== undefined) return await outcomeOf(run, asked, read);
    warnOf(
      run,
      place,
      `requestApproval must return approve, reject or suspend, but returned ${String(answer).slice(0, 100)}.`,
    );
  } catch (thrown) {
    if (source.reason === expired) return expiredOutcome(request, place);
    if (!source.aborted)
      warnOf(run, place, `requestApproval failed, so the run is suspended: ${toErrorData(thrown).message}`);
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
  const leftMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - run.now();
  if (leftMs > maxTimerMs) return () => {};
  const timer = clock.setTimeout(callback, Math.max(0, leftMs));
  return () => clock.clearTimeout(timer);
}

async function outcomeOf(
  run: Run,
  { place, hash }: Undecided,
  { decision, input, comment, reason = comment ?? "requestApproval said so", ...note }: ApprovalAnswer,
): Promise<ApprovalOutcome | undefined> {
  if (decision === "suspend") return undefined;
  const verdict = { verdict: decision, place, reason, ...note, ...(comment !== undefined && { comment }) };
  if (input === undefined || place === undefined) return decisionOutcome(verdict);
  return decisionOutcome(verdict, await changeCall(run.engine, run, { place, hash, input }));
}

function isSamePlace(one: StepPlace | undefined, other: StepPlace | undefined): boolean {
  return one?.stepId === other?.stepId && one?.iteration === other?.iteration;
}

/** Warns that a policy failed, or returned no valid answer. */
export function warnOf(run: Run, place: StepPlace | undefined, message: string): void {
  run.warn({ code: "approval-failed", ...place, message: `Run ${run.runId}, ${describeSubject(place)}: ${message}` });
}
