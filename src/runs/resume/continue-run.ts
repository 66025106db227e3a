import type { AgentError, AgentErrorData } from "../../core/errors.ts";
import { type EventInit, formatVersion } from "../../core/events.ts";
import type { ObservedCall } from "../../core/observer.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { isDone, isOpen } from "../../core/step-state.ts";
import { rejectExpired } from "../decisions/approvals.ts";
import { endingOf, skipOpen } from "../end-execution.ts";
import { fingerprintsOf, planInRun, runExecution, traceOf } from "../execute-run.ts";
import type { LeaseHolder } from "../leases.ts";
import type { RecordedRun } from "../parse-stored.ts";
import type { AbortReason, Run } from "../run.ts";
import type { ResumeOptions } from "../run-options.ts";
import { evidenceOf } from "../run-recorder.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { requireApproved } from "../run-target.ts";
import type { RunSecrets } from "../secrets/run-secrets.ts";
import { sealEvent, secretsOfStored } from "../secrets/secrets-of-run.ts";
import { readExisting, resultOfState } from "../stored-runs.ts";
import { withdrawals } from "./fork-start.ts";
import { compareTools, restoreSettings } from "./restore-run.ts";

/** How to resume a stored run. */
export interface Continuation extends Opening {
  /** Set if the run was started again. */
  readonly identity?: string;
  readonly options: ResumeOptions;
  /** It is resumed only to be cancelled, with whatever tools still exist. */
  readonly isCancel?: true;
  /** A suspended run is resumed if a message was posted to it. */
  readonly looksForPosted?: true;
  /** {@link Continuation.mayResume} compares its values, and so needs the secrets. */
  readonly isCompared?: boolean;
  /** Returns the record of the run, which it creates under the lease. @default it is in the store */
  readonly create?: (lease: StoredLease) => Promise<RecordedRun>;
  /** The record that was last read, for callers that read it more than once. */
  readonly known?: { recorded?: RecordedRun };
  /** Whether to start another execution; if not, the run keeps its result. Throws if it cannot start. */
  readonly mayResume: (state: RunState, secrets: RunSecrets | undefined) => boolean;
  /** What the next execution starts with. */
  readonly begin: (state: RunState) => ExecutionStart;
}

/** The lease on a run that is being read, or created, until it is resumed. */
export class StoredLease implements LeaseHolder {
  fence: number | undefined;
  posted: readonly PostedMessage[] = [];

  constructor(readonly runId: string) {}

  onPosted(posted: readonly PostedMessage[]): void {
    this.posted = posted;
  }

  /** The next read or write shows it, too. */
  onLeaseLost(): void {}
}

/** See {@link Continuation.begin}. */
export interface ExecutionStart {
  /** Failed steps are retried. */
  readonly retriesFailed?: true;
  /** Recorded together with `run-resume`. */
  readonly events: readonly EventInit[];
}

/**
 * Restores a run from the store and resumes it, unless it has nothing left to do. It is claimed before it is read for
 * good: another process may have resumed it meanwhile. No two callers may restore the same run: the second one waits,
 * and finds it active. Rejects with `run-not-found`, `run-owned-elsewhere`, `resume-mismatch`, `invalid-options`,
 * `store-failed`, or what `mayResume` throws.
 */
export async function continueStored(runs: RunRegistry, continuation: Continuation): Promise<RunResult> {
  const { runId, identity } = continuation;
  const { execution } = await runs.restore(runId, identity, restoreRun(runs, continuation));
  return execution;
}

/** Resolves when the next execution has started, or has failed before that. */
async function restoreRun(
  runs: RunRegistry,
  continuation: Continuation,
): Promise<{ readonly execution: Promise<RunResult> }> {
  const {
    runId,
    options,
    mayResume,
    create,
    known = {},
    looksForPosted = false,
    isCancel,
    identity,
    isCompared,
  } = continuation;
  const lease = new StoredLease(runId);
  try {
    const before = await (create?.(lease) ?? readExisting(runs.settings, runId, known.recorded));
    known.recorded = before;
    const mayLook = looksForPosted && before.state.status === "suspended";
    // Only for a comparison: otherwise a run that has ended needs no keys.
    const asked = identity !== undefined || isCompared ? await secretsOfStored(runs.settings, before.state) : undefined;
    if (!mayResume(before.state, asked) && !mayLook)
      return { execution: Promise.resolve(resultOfState(before.state, runs.settings)) };
    if (lease.fence === undefined) await runs.leases.acquire(lease);
    const { state } = await readExisting(runs.settings, runId, before);
    const opening = secretsOfStored(runs.settings, state);
    const secrets = opening && (await opening);
    const resumes = mayResume(state, secrets);
    const isAsked = looksForPosted && state.status === "suspended" && lease.posted.length > 0;
    if (!resumes && !isAsked) return { execution: Promise.resolve(resultOfState(state, runs.settings)) };
    const evidence = await evidenceOf(runs.settings, state);
    const settings = restoreSettings(runs.settings, state, { ...options, ...(isCancel && { isCancel }) });
    const run = runs.open(settings, continuation, state);
    run.secrets = secrets;
    run.evidence = evidence;
    run.keepHistory();
    runs.leases.handOver(lease, run);
    const ending = endingOf(state);
    const beginning = resumes ? continuation.begin(state) : { events: [] };
    const resume = () => {
      // Events for the whole execution come first: posted messages may decide what waits in it.
      const resuming = recordResume(run, { ...beginning, ...(isCancel && { isCancel }) })
        .then(() => run.host.receive(run, run.openInbox() ?? lease.posted, { isOpening: true }))
        .then(() => rejectExpired(run));
      return { resuming, executing: resuming.then(() => continueExecution(run, ending)) };
    };
    const { resuming, executing } = runs.settings.within?.(resumedCall(state), resume) ?? resume();
    const execution = runs.hold(run, executing);
    // The caller gets its failure from this function.
    execution.catch(() => {});
    // The agent may be closed while the store keeps it waiting. One that fails has given the run back.
    await Promise.race([resuming.catch(() => execution), execution]);
    return { execution };
  } finally {
    // Does nothing if there is none, or a run has taken it over.
    await runs.leases.release(lease);
  }
}

function resumedCall({ runId, traceparent }: RunState): ObservedCall {
  return { type: "run", runId, ...(traceparent !== undefined && { previousTraceparent: traceparent }) };
}

/**
 * Opens the next execution: all of its first events are recorded, or none. Rejects with `resume-mismatch`, or with what
 * the store fails with; then no event of the execution was emitted, and the stored run is unchanged.
 */
async function recordResume(
  run: Run,
  { retriesFailed, events: begun, isCancel }: ExecutionStart & Pick<Continuation, "isCancel">,
): Promise<void> {
  const events = [...withdrawals(run.state, retriesFailed === true), ...begun];
  const tools = await fingerprintsOf(run.settings.tools);
  const changedTools = isCancel ? [] : await compareTools(run, { now: tools, ...(retriesFailed && { retriesFailed }) });
  const opening = {
    type: "run-resume",
    version: formatVersion,
    tools,
    ...(changedTools.length > 0 && { changedTools }),
    ...(retriesFailed && { retriesFailed }),
    ...(run.secrets && { mayBeSealed: true as const }),
    ...traceOf(run),
  } as const;
  const recorded = run.secrets === undefined ? events : await Promise.all(events.map((event) => sealEvent(run, event)));
  await run.recorder.emitTogether([opening, ...recorded]);
  if (run.recorder.failure !== undefined) throw run.recorder.failure;
}

async function continueExecution(run: Run, ending: AbortReason | undefined): Promise<RunResult> {
  const { plan, request, planningError } = run.state;
  if (plan !== undefined) {
    const refusal = await requireApproved(plan, run).catch((error: AgentError) => error.toJSON());
    if (refusal === undefined && ending !== undefined) run.abort(ending);
    if (refusal === undefined) await endLoops(run);
    return runExecution(run, refusal as AgentErrorData | undefined);
  }
  if (request === undefined || planningError !== undefined) return runExecution(run, planningError);
  return runExecution(run, await planInRun(run, request));
}

/** After a failed iteration, no other one of its loop starts: emits the skips that the dead process did not record. */
async function endLoops(run: Run): Promise<void> {
  if (!run.canContinue() || run.settings.stored.onStepFailure === "continue") return;
  for (const step of run.state.steps.values()) {
    const states = step.iterations?.states ?? [];
    const isInDoubt = states.some(({ status }) => status === "unknown");
    if (!isInDoubt && states.some((one) => !isOpen(one) && !isDone(one))) await skipOpen(run, step, "run-ended");
  }
}
