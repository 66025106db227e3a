import { settleOrAbort } from "../../async/timeout.ts";
import { canonicalJson } from "../../core/canonical-json.ts";
import { AgentError, fromErrorData } from "../../core/errors.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { describeSubject } from "../../core/step-ref.ts";
import { instanceAt, type StepState } from "../../core/step-state.ts";
import type { EngineSettings } from "../options.ts";
import { continueStored } from "../resume/continue-run.ts";
import { beginStopped } from "../resume/resume-run.ts";
import type { Run } from "../run.ts";
import type { ResumeOptions } from "../run-options.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { restoreSealed } from "../secrets/map-sensitive.ts";
import { opened, sealChange, secretsOfStored } from "../secrets/secrets-of-run.ts";
import { readExisting } from "../stored-runs.ts";
import { changeCall } from "./change-input.ts";
import {
  type ApprovalOutcome,
  approvalEnd,
  approvalExpired,
  type Decision,
  decisionOutcome,
  isExpired,
  recordDecision,
} from "./decision.ts";
import { leaveMessage } from "./leave-message.ts";
import { doOrSend, type RunMessage } from "./send-message.ts";

/** The part of a run that shows whether something can be decided in it. */
type DecidedRun = Pick<Run, "state" | "secrets">;

/** A decision on its way to a run. */
interface Deciding extends Opening {
  readonly decision: Decision;
  /** False if no step may run here: unless the run is active here, the decision is left for its owner. */
  readonly resumes: boolean;
  readonly options: ResumeOptions;
}

/**
 * Decides in a run that is active here, or restores it from the store and resumes it. Resolves to how its execution
 * ends; repeating a decision changes nothing and resolves to the same. Rejects with `run-not-found`, `run-conflict` if
 * the run is not waiting for this, `approval-expired` if it no longer is, `invalid-tool-input` for an input that does
 * not fit, `resume-mismatch`, `invalid-options` or `store-failed`.
 */
export function decideRun(runs: RunRegistry, given: Deciding): Promise<RunResult> {
  const decision = { ...given.decision, atMs: runs.leases.toShared(given.decision.atMs) };
  const deciding = { ...given, decision };
  return doOrSend(runs, {
    ...deciding,
    here: () => decide(runs, deciding),
    message: () => messageOf(runs, deciding),
    check: (run) => void requireAsked(run, decision),
  });
}

/** Takes a decision posted to a run that is active here. Returns whether this execution took it; throws if none can. */
export async function decideHere(run: Run, decision: Decision, message: number): Promise<boolean> {
  const { ref, input } = decision;
  const tool = ref && instanceAt(run.state.steps, ref)?.tool;
  if (input !== undefined && tool !== undefined) await run.secrets?.loadIn(tool, "input", input);
  while (run.deciding !== undefined) await run.deciding;
  if (!isDecidable(run)) return false;
  if (requireAsked(run, decision)) await recordDecision(run, { ref, outcome: outcomeIn(run, decision), message });
  else run.recorder.acknowledge(message);
  return true;
}

function decide(runs: RunRegistry, deciding: Deciding): Promise<RunResult> {
  const { runId, decision } = deciding;
  let outcome = decision.input === undefined ? decisionOutcome(decision) : undefined;
  return runs.withRun(runId, {
    whenActive: async ({ run, result }) => {
      if (isDecidable(run)) {
        await decideIn(run, deciding);
        return result;
      }
      // This may fail for other callers, which does not affect this decision.
      await (run.deciding ?? result).catch(() => {});
      return undefined;
    },
    whenStored: async () => {
      if (!deciding.resumes) return leave(runs, deciding);
      if (outcome !== undefined) return continueWith(runs, { ...deciding, outcome });
      const { state } = await readExisting(runs.settings, runId);
      const secrets = await secretsOfStored(runs.settings, state);
      outcome = await changeOf(runs.settings, { state, secrets }, decision);
      // It may have been resumed meanwhile.
      return undefined;
    },
  });
}

async function messageOf({ settings }: RunRegistry, deciding: Deciding): Promise<RunMessage> {
  return { type: "decide", decision: await sealPosted(settings, deciding) };
}

/** Leaves a decision that the stored run waits for. Its input is checked by whoever has the tool. */
function leave(runs: RunRegistry, deciding: Deciding): Promise<RunResult> {
  const { runId, decision } = deciding;
  return leaveMessage(runs, {
    runId,
    check: async (run) => {
      if (!requireAsked(run, decision)) return false;
      if (endedStatuses.has(run.state.status)) throw notPending(run.state, decision);
      const tool = decision.ref && instanceAt(run.state.steps, decision.ref)?.tool;
      if (runs.settings.toolsByName.has(tool ?? "")) await changeOf(runs.settings, run, decision);
      return true;
    },
    message: () => messageOf(runs, deciding),
  });
}

async function decideIn(run: Run, deciding: Deciding): Promise<void> {
  const { decision } = deciding;
  const isNew = requireAsked(run, decision);
  run.join(deciding);
  if (isNew) await recordDecision(run, { ref: decision.ref, outcome: outcomeIn(run, decision) });
}

/** Not before its execution has started: it may turn out to be only a lookup in the store. */
function isDecidable({ phase, deciding, state }: Run): boolean {
  return phase === "open" && deciding === undefined && state.status === "running";
}

/** Resumes a run that waits for a decision: resumption and decision are both recorded, or neither. */
function continueWith(
  runs: RunRegistry,
  { decision, outcome, ...opening }: Deciding & { readonly outcome: ApprovalOutcome },
): Promise<RunResult> {
  return continueStored(runs, {
    ...opening,
    isCompared: decision.input !== undefined,
    mayResume: (state, secrets) => {
      if (!requireAsked({ state, secrets }, decision)) return false;
      if (endedStatuses.has(state.status)) throw notPending(state, decision);
      return true;
    },
    // Its process may have died before the run was suspended.
    begin: (state) => ({ events: [...beginStopped(state).events, approvalEnd(decision.ref, outcome)] }),
  });
}

/** The outcome to record for a decision, with a changed input if that fits. Rejects as {@link decideRun} does. */
async function changeOf(settings: EngineSettings, run: DecidedRun, decision: Decision): Promise<ApprovalOutcome> {
  const { ref, hash, input } = decision;
  const isNew = requireAsked(run, decision);
  if (!isNew || ref === undefined || input === undefined) return decisionOutcome(decision);
  return decisionOutcome(decision, await changeCall(settings, run, { ref, hash, input }));
}

/** The outcome to record in an active run, which does not wait for a schema once it is aborted. */
function outcomeIn(run: Run, decision: Decision): ApprovalOutcome | Promise<ApprovalOutcome> {
  if (decision.input === undefined) return decisionOutcome(decision);
  const source = run.openSource();
  const changing = changeOf(run.engine, run, decision);
  return settleOrAbort(changing, source).finally(() => run.release(source));
}

/**
 * Whether a run waits for a decision; false if it was taken before. Throws `run-conflict` if it cannot be taken, and
 * `approval-expired` if it is too late for that.
 */
function requireAsked({ state, secrets }: DecidedRun, decision: Decision): boolean {
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

function isSameInput({ input }: Decision, part: StepState | undefined, secrets: DecidedRun["secrets"]): boolean {
  if (input === undefined) return part?.approval?.changed === undefined;
  if (part === undefined) return false;
  const given = secrets ? restoreSealed(input, part.input) : input;
  return canonicalJson(opened({ secrets }, given)) === canonicalJson(opened({ secrets }, part.input));
}

/** A decision as posted, without secrets: it is in the store until received. Rejects as {@link decideRun} does. */
async function sealPosted(settings: EngineSettings, { runId, decision }: Deciding): Promise<Decision> {
  const { state } = await readExisting(settings, runId);
  const secrets = await secretsOfStored(settings, state);
  if (secrets === undefined) return decision;
  const { ref, input, by, comment, reason } = decision;
  const step = ref && instanceAt(state.steps, ref);
  // First, as the comment may contain values from the input.
  const sealed = input && step && (await sealChange(secrets, { step, input }));
  const hidden = { ...decision, ...secrets.hideIn({ reason, ...(by && { by }), ...(comment && { comment }) }) };
  return sealed === undefined ? hidden : { ...hidden, input: sealed };
}

function notPending(state: RunState, decision: Decision): AgentError<"run-conflict"> {
  const { runId } = state;
  const message = `Run "${runId}" is not waiting for this decision: ${reasonOf(state, decision)}.`;
  return new AgentError("run-conflict", message, { details: { runId } });
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
