import { AgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import { describeSubject, type StepPlace } from "../core/step-place.ts";
import { partAt } from "../core/step-state.ts";
import { followCancel, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { approvalEnd } from "./approval-end.ts";
import { decisionOutcome } from "./approvals.ts";
import { conductLeg, fingerprintsOf } from "./conduct-leg.ts";
import { compareTools, readState, restoreSettings } from "./restore-run.ts";
import type { Run } from "./run.ts";
import type { ContinueOptions } from "./run-options.ts";
import { resultOfState } from "./stored-runs.ts";

/** What somebody has decided about a step, an iteration of one, or the plan. */
export interface Decision {
  /** Undefined for the plan. */
  readonly place: StepPlace | undefined;
  /** What was looked at: the hash of the input or of the plan. */
  readonly hash: string;
  readonly verdict: "approve" | "reject";
  readonly reason: string;
}

/** A decision on its way to a run. */
export interface Deciding extends Opening {
  readonly decision: Decision;
  readonly options: ContinueOptions;
}

/**
 * Decides in a run that is going on here, or brings it back from the store and goes on with it. Resolves to how its leg
 * ends; the same decision once more changes nothing and resolves to the same. Rejects with `run-not-found`, `run-conflict`
 * if the run does not wait for this, `run-owned-elsewhere` if it goes on in another process, `resume-mismatch`,
 * `invalid-options` or `store-failed`.
 */
export async function decideRun(engine: RunsOwner, deciding: Deciding): Promise<RunResult> {
  const { runId, decision, cancelling, channel } = deciding;
  const runs = runsOf(engine);
  for (;;) {
    const active = runs.active.get(runId);
    const restoring = runs.restoring.get(runId);
    if (restoring === undefined && active !== undefined && isDecidable(active.run)) {
      const { run, result } = active;
      const isNew = requireAsked(run.state, decision);
      if (channel !== undefined) run.addChannel(channel);
      if (cancelling !== undefined) followCancel(run, cancelling);
      if (isNew) await run.decide(decision.place, toOutcome(decision));
      return result;
    }
    if (active === undefined && restoring === undefined) return continueStored(engine, deciding);
    // What it waits for may go wrong for others, which is nothing to this decision.
    await (restoring ?? active?.run.deciding ?? active?.result)?.catch(() => {});
  }
}

/** Not before its leg has begun: it may yet turn out to be one that is only looked up in the store. */
function isDecidable({ isClosing, deciding, state }: Run): boolean {
  return !isClosing && deciding === undefined && state.status === "running";
}

/** No two decisions may bring back the same run: the second one waits, and finds it going on. */
async function continueStored(engine: RunsOwner, deciding: Deciding): Promise<RunResult> {
  const { restoring } = runsOf(engine);
  const opening = openStored(engine, deciding).finally(() => restoring.delete(deciding.runId));
  restoring.set(deciding.runId, opening);
  return (await opening).leg;
}

/** Resolves when the next leg has begun, or has gone wrong before. */
async function openStored(engine: RunsOwner, deciding: Deciding): Promise<{ readonly leg: Promise<RunResult> }> {
  const { runId, decision, options } = deciding;
  const runs = runsOf(engine);
  const state = await readState(engine.settings, runId);
  if (!requireAsked(state, decision)) return { leg: Promise.resolve(resultOfState(state)) };
  if (state.status !== "suspended") throw notPending(state, decision);
  const run = runs.open(restoreSettings(engine.settings, state, options), deciding, state);
  run.keepHistory();
  const resuming = resume(run, decision);
  const leg = runs.hold(
    run,
    resuming.then(() => conductLeg(run)),
  );
  // It fails as this function does.
  leg.catch(() => {});
  await resuming;
  return { leg };
}

/**
 * Opens the next leg of a run with a decision: both are recorded, or neither. Rejects with `resume-mismatch`, or with what
 * the store fails with; then nothing of the leg was told, and in the store the run waits as before.
 */
async function resume(run: Run, decision: Decision): Promise<void> {
  const tools = await fingerprintsOf(run.settings.tools);
  const changedTools = await compareTools(run, tools);
  await run.recorder.emitTogether([
    { type: "run-resume", tools, ...(changedTools.length > 0 && { changedTools }) },
    approvalEnd(decision.place, toOutcome(decision)),
  ]);
  if (run.recorder.failure !== undefined) throw run.recorder.failure;
}

function toOutcome({ place, verdict, reason }: Decision) {
  return decisionOutcome(verdict, place, reason);
}

/** Whether a run waits for a decision; false if it was taken before. Throws `run-conflict` if it can not be taken. */
function requireAsked(state: RunState, decision: Decision): boolean {
  const { place, hash, verdict } = decision;
  const part = place && partAt(state.steps, place);
  const approval = place === undefined ? state.planApproval : part?.approval;
  if (approval?.hash !== hash) throw notPending(state, decision);
  if (approval.status === (verdict === "approve" ? "approved" : "rejected")) return false;
  const isWaiting = place === undefined || part?.status === "waiting";
  if (approval.status !== "requested" || !isWaiting) throw notPending(state, decision);
  return true;
}

function notPending(state: RunState, decision: Decision): AgentError<"run-conflict"> {
  const { runId } = state;
  const message = `Run "${runId}" does not wait for this decision: ${reasonOf(state, decision)}.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}

function reasonOf({ status, steps, planApproval, pending = [] }: RunState, { place, hash }: Decision): string {
  const what = describeSubject(place);
  const iterations = place && steps.get(place.stepId)?.iterations;
  if (place !== undefined && !steps.has(place.stepId)) return `it has no ${what}`;
  if (iterations !== undefined && place?.iteration === undefined)
    return `${what} waits by iteration: give iteration, from 0 to ${iterations.states.length - 1}`;
  const approval = place === undefined ? planApproval : partAt(steps, place)?.approval;
  if (approval === undefined)
    return `approval of ${what} was not asked for; what it waits for are its ${pending.length} pending items`;
  if (approval.hash !== hash) return `what was asked about ${what} has the hash ${approval.hash}, not ${hash}`;
  return approval.status === "requested" ? `it has ended: ${status}` : `${what} was ${approval.status} before`;
}
