import { type Abortable, AbortSource } from "../async/abort-source.ts";
import { sleep } from "../async/clock.ts";
import { isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import { endedStatuses } from "../core/run-status.ts";
import { type ActiveRuns, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { cancelledBy, interruptedBy } from "./cancelled-by.ts";
import { type Continuation, continueStored } from "./continue-run.ts";
import { readExisting } from "./restore-run.ts";
import { beginStopped } from "./resume-run.ts";
import type { Run } from "./run.ts";
import { messageToJson, type RunMessage } from "./run-message.ts";
import type { ResumeOptions } from "./run-options.ts";
import { toStoreError } from "./run-recorder.ts";
import { secretsOfStored } from "./secrets-of-run.ts";

/** The time between two polls of a run that another process is running: at first, and at most. It doubles each time. */
const firstPollMs = 20;
const maxPollMs = 1_000;
const noReason = "no reason given";

/** A request to a run, whichever process is running it. */
export interface Sending extends Opening {
  readonly options: ResumeOptions;
  /** Does it here; rejects with `run-owned-elsewhere` if another process is running the run. */
  readonly here: () => Promise<RunResult>;
  /** The message for the other process. */
  readonly message: () => RunMessage | Promise<RunMessage>;
  /** Throws if the record of a run, once its execution has ended, shows that it had no effect. */
  readonly check?: (run: Pick<Run, "state" | "secrets">) => void;
  readonly isCancel?: true;
}

/**
 * Does something here, or has the process do it that owns the run. That process is sent a message, and the run is
 * polled until its execution has ended; if the process dies, the run resumes here. `signal` ends the waiting and takes
 * nothing back; whoever cancels the run meanwhile cancels it there. Rejects as `here` does, except with
 * `run-owned-elsewhere`; also with `cancelled` by the signal, or `interrupted` once the agent is closed.
 */
export async function doOrSend(engine: RunsOwner, sending: Sending): Promise<RunResult> {
  try {
    return await sending.here();
  } catch (thrown) {
    if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
  }
  const { runId, cancelling, message } = sending;
  await post(engine, runId, await message());
  const continuation = takingOver(sending);
  let isCancelled = sending.isCancel === true;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    await pause(engine, sending, { pollMs, isCancelled });
    if (cancelling?.aborted && !isCancelled) {
      isCancelled = true;
      await post(engine, runId, await cancelMessage(engine, runId, reasonOf(cancelling)));
    }
    // Somebody else in this process may have taken it over, and receives the message like any owner.
    if (runsOf(engine).occupied(runId) !== undefined) continue;
    try {
      const result = await continueStored(engine, continuation);
      await requireDone(engine, sending);
      return result;
    } catch (thrown) {
      if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    }
  }
}

/** Whoever owned the run may have refused the message, which only its record shows. */
async function requireDone({ settings }: RunsOwner, { runId, check }: Sending): Promise<void> {
  if (check === undefined) return;
  const { state } = await readExisting(settings, runId);
  check({ state, secrets: await secretsOfStored(settings, state) });
}

/** A request to cancel as it is posted, without secrets in it: until it is received, it is in the store. */
export async function cancelMessage({ settings }: RunsOwner, runId: string, reason: string): Promise<RunMessage> {
  const { state } = await readExisting(settings, runId);
  try {
    const secrets = await secretsOfStored(settings, state);
    return { type: "cancel", ...(secrets?.hideIn({ reason }) ?? { reason }) };
  } catch (thrown) {
    if (!isAgentError(thrown, "secret-unreadable")) throw thrown;
    return { type: "cancel", reason: noReason };
  }
}

/** Takes the run over: whoever claims it acts on what was posted. */
function takingOver({ runId, startedMs, channel, cancelling, options, isCancel }: Sending): Continuation {
  return {
    ...{ runId, startedMs, options },
    ...(channel && { channel }),
    ...(cancelling && { cancelling }),
    ...(isCancel && { isCancel }),
    known: {},
    looksForPosted: true,
    mayResume: ({ status }) => !endedStatuses.has(status) && status !== "suspended",
    begin: beginStopped,
  };
}

async function post({ settings }: RunsOwner, runId: string, message: RunMessage): Promise<void> {
  try {
    await settings.store.post(runId, messageToJson(message));
  } catch (thrown) {
    if (isAgentError(thrown, "run-not-found")) throw thrown;
    throw toStoreError(thrown, { runId, operation: "post" });
  }
}

function reasonOf({ reason }: Abortable): string {
  return isAgentError(reason, "cancelled") ? reason.details.reason : noReason;
}

interface Pause {
  readonly pollMs: number;
  /** Whether its cancellation has been posted. */
  readonly isCancelled: boolean;
}

/** Waits until it is time to poll again. Rejects if nobody waits any more. */
async function pause(
  engine: RunsOwner,
  { options, cancelling }: Sending,
  { pollMs, isCancelled }: Pause,
): Promise<void> {
  const { clock, leaseMs } = engine.settings;
  const { signal } = options;
  const runs = runsOf(engine);
  const wakers: Abortable[] = [
    runs.stopping,
    ...(signal ? [signal] : []),
    ...(cancelling && !isCancelled ? [cancelling] : []),
  ];
  const waking = new AbortSource();
  const wake = () => waking.abort(undefined);
  for (const waker of wakers) waker.addEventListener("abort", wake);
  if (wakers.some(({ aborted }) => aborted)) wake();
  await sleep(Math.min(pollMs, leaseMs / 3), { clock, signal: waking });
  for (const waker of wakers) waker.removeEventListener("abort", wake);
  requireWaiting(runs, signal);
}

function requireWaiting({ stopping }: ActiveRuns, signal: AbortSignal | undefined): void {
  if (stopping.aborted) throw interruptedBy("the agent was closed");
  if (signal?.aborted) throw cancelledBy(signal.reason);
}
