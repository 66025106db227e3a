import { AgentError, type AgentErrorData } from "../core/errors.ts";
import { eventVersion } from "../core/event-version.ts";
import type { EventInit } from "../core/events.ts";
import type { RecordedRun } from "../core/parse-events.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import type { PostedMessage } from "../core/run-store.ts";
import { isDone, isOpen } from "../core/step-state.ts";
import { type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { skipOpen } from "./end-execution.ts";
import { endingOf } from "./ending-of.ts";
import { planInRun, requireApproved } from "./execute-run.ts";
import { rejectExpired } from "./expiry.ts";
import type { LeaseHolder } from "./leases.ts";
import { compareTools, readExisting, restoreSettings } from "./restore-run.ts";
import type { AbortReason, Run } from "./run.ts";
import { fingerprintsOf, runExecution } from "./run-execution.ts";
import type { ContinueOptions } from "./run-options.ts";
import { sealEvent } from "./seal-event.ts";
import type { RunSecrets } from "./secrets/run-secrets.ts";
import { secretsOfStored } from "./secrets-of-run.ts";
import { resultOfState } from "./stored-runs.ts";

/** How a stored run is to go on. */
export interface Continuation extends Opening {
  /** Of a run that was started again. */
  readonly identity?: string;
  readonly options: ContinueOptions;
  /** It goes on only to be cancelled, with whatever tools there still are. */
  readonly isCancel?: true;
  /** A suspended run goes on if something was posted to it. */
  readonly looksForPosted?: true;
  /** Values of it are looked at by {@link Continuation.mayResume}, so that it needs the secrets. */
  readonly isCompared?: boolean;
  /** What was read of it the last time, for who looks at it more than once. */
  readonly known?: { recorded?: RecordedRun };
  /** Whether another execution is to begin; if not, the run's result is as it stands. Throws if it cannot. */
  readonly mayResume: (state: RunState, secrets: RunSecrets | undefined) => boolean;
  /** What the next execution begins with. */
  readonly begin: (state: RunState) => ExecutionStart;
}

/** The claim on a run that is being read, until it goes on. */
class StoredLease implements LeaseHolder {
  fence: number | undefined;
  posted: readonly PostedMessage[] = [];

  constructor(readonly runId: string) {}

  onPosted(posted: readonly PostedMessage[]): void {
    this.posted = posted;
  }

  /** What is read or recorded next says so, too. */
  onLeaseLost(): void {}
}

/** See {@link Continuation.begin}. */
export interface ExecutionStart {
  /** What has failed is tried again. */
  readonly retriesFailed?: true;
  /** Recorded together with `run-resume`. */
  readonly events: readonly EventInit[];
}

/**
 * Brings a run back from the store and goes on with it, unless it has nothing to go on with. It is claimed before it is read
 * for good: another process may have gone on meanwhile. No two callers may bring back the same run: the second one waits,
 * and finds it going on. Rejects with `run-not-found`, `run-owned-elsewhere`, `resume-mismatch`, `invalid-options`,
 * `store-failed`, or what `mayResume` throws.
 */
export async function continueStored(engine: RunsOwner, continuation: Continuation): Promise<RunResult> {
  const { restoring } = runsOf(engine);
  const { runId, identity } = continuation;
  const opening = openStored(engine, continuation).finally(() => restoring.delete(runId));
  restoring.set(runId, { opening, identity });
  return (await opening).execution;
}

/** Resolves when the next execution has started, or has gone wrong before. */
async function openStored(
  engine: RunsOwner,
  continuation: Continuation,
): Promise<{ readonly execution: Promise<RunResult> }> {
  const {
    runId,
    options,
    mayResume,
    known = {},
    looksForPosted = false,
    isCancel,
    identity,
    isCompared,
  } = continuation;
  const runs = runsOf(engine);
  const before = await readExisting(engine.settings, runId, known.recorded);
  known.recorded = before;
  const mayLook = looksForPosted && before.state.status === "suspended";
  // Only to compare what was asked for: else a run that has ended needs no keys.
  const asked = identity !== undefined || isCompared ? await secretsOfStored(engine.settings, before.state) : undefined;
  if (!mayResume(before.state, asked) && !mayLook)
    return { execution: Promise.resolve(resultOfState(before.state, engine.settings)) };
  const lease = new StoredLease(runId);
  await runs.leases.acquire(lease);
  try {
    const { state } = await readExisting(engine.settings, runId, before);
    const opening = secretsOfStored(engine.settings, state);
    const secrets = opening && (await opening);
    const resumes = mayResume(state, secrets);
    const isAsked = looksForPosted && state.status === "suspended" && lease.posted.length > 0;
    if (!resumes && !isAsked) return { execution: Promise.resolve(resultOfState(state, engine.settings)) };
    const settings = restoreSettings(engine.settings, state, { ...options, ...(isCancel && { isCancel }) });
    const run = runs.open(settings, continuation, state);
    run.secrets = secrets;
    run.keepHistory();
    runs.leases.handOver(lease, run);
    const ending = endingOf(state);
    const beginning = resumes ? continuation.begin(state) : { events: [] };
    // Those for the whole execution come first: what was posted may decide what waits in it.
    const resuming = resume(run, { ...beginning, ...(isCancel && { isCancel }) })
      .then(() => run.host.receive(run, lease.posted, { isOpening: true }))
      .then(() => rejectExpired(run));
    const execution = runs.hold(
      run,
      resuming.then(() => goOn(run, ending)),
    );
    // It fails as this function does.
    execution.catch(() => {});
    // The agent may be closed while the store keeps it waiting.
    await Promise.race([resuming, execution]);
    return { execution };
  } finally {
    // Nothing happens if a run has it now.
    await runs.leases.release(lease);
  }
}

/**
 * Opens the next execution: all of its beginning is recorded, or nothing. Rejects with `resume-mismatch`, or with what the store
 * fails with; then nothing of the execution was told, and in the store the run is as before.
 */
async function resume(
  run: Run,
  { retriesFailed, events, isCancel }: ExecutionStart & Pick<Continuation, "isCancel">,
): Promise<void> {
  const tools = await fingerprintsOf(run.settings.tools);
  const changedTools = isCancel ? [] : await compareTools(run, { now: tools, ...(retriesFailed && { retriesFailed }) });
  const opening = {
    type: "run-resume",
    version: eventVersion,
    tools,
    ...(changedTools.length > 0 && { changedTools }),
    ...(retriesFailed && { retriesFailed }),
    ...(run.secrets && { mayBeSealed: true as const }),
  } as const;
  const recorded = run.secrets === undefined ? events : await Promise.all(events.map((event) => sealEvent(run, event)));
  await run.recorder.emitTogether([opening, ...recorded]);
  if (run.recorder.failure !== undefined) throw run.recorder.failure;
}

async function goOn(run: Run, ending: AbortReason | undefined): Promise<RunResult> {
  const { plan, request, planningError } = run.state;
  if (plan !== undefined) {
    const refusal = await requireApproved(plan, run).catch((error: AgentError) => error.toJSON());
    if (refusal === undefined && ending !== undefined) run.abort(ending);
    if (refusal === undefined) await endLoops(run);
    return runExecution(run, refusal as AgentErrorData | undefined);
  }
  if (request === undefined || planningError !== undefined) return runExecution(run, planningError);
  const { error } = await planInRun(run, request);
  return runExecution(run, error);
}

/** After an iteration that has failed no other one of its loop begins: what would have been said of these if nobody had died. */
async function endLoops(run: Run): Promise<void> {
  if (run.abortReason !== undefined || run.isInterrupted || run.settings.stored.onStepFailure === "continue") return;
  for (const step of run.state.steps.values()) {
    const states = step.iterations?.states ?? [];
    const isInDoubt = states.some(({ status }) => status === "unknown");
    if (!isInDoubt && states.some((one) => !isOpen(one) && !isDone(one))) await skipOpen(run, step, "run-ended");
  }
}

/** A run does not wait for what somebody says of it. */
export function notWaiting(runId: string, reason: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" does not wait for this: ${reason}.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
