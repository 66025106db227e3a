import { AgentError } from "../../core/errors.ts";
import type { AgentEvent, ForkPoint } from "../../core/events.ts";
import { deepFreeze } from "../../core/json.ts";
import { failOption } from "../../core/options.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { runNotFound } from "../../core/run-store.ts";
import { unendedStatuses } from "../../core/run-summary.ts";
import { fingerprintsOf } from "../execute-run.ts";
import { parseEvents, type RecordedRun } from "../parse-stored.ts";
import type { ResumeOptions } from "../run-options.ts";
import { toStoreError } from "../run-recorder.ts";
import type { ActiveRun, Opening, RunRegistry } from "../run-registry.ts";
import { sealForFork } from "../secrets/fork-secrets.ts";
import { secretsOfStored } from "../secrets/secrets-of-run.ts";
import { readEvents, readRecorded } from "../stored-runs.ts";
import { continueStored, type StoredLease } from "./continue-run.ts";
import { isNewFork } from "./fork-start.ts";
import { compareTools, restoreSettings } from "./restore-run.ts";
import { begin, canRetry } from "./resume-run.ts";

/** A new run that has the first events of another one. */
interface Forking extends Opening {
  /** Without `after` it has all of them. */
  readonly from: { readonly runId: string; readonly after: number | undefined };
  readonly options: ResumeOptions;
}

/**
 * Stores the first events of a run as those of a new one, and resumes that as if its process had died after the last of
 * them. Asked for again, the same fork is joined, resumed if it stopped before its end, or resolves to its result.
 * Rejects with `run-not-found`, `run-conflict`, `invalid-options`, `secret-unreadable`, and as {@link continueStored}
 * does.
 */
export function forkRun(runs: RunRegistry, forking: Forking): Promise<RunResult> {
  return runs.withRun(forking.runId, {
    whenActive: (active) => join(forking, active),
    whenStored: () =>
      continueStored(runs, {
        ...forking,
        create: (lease) => findOrCopy(runs, { ...forking, lease }),
        mayResume: (state) => {
          requireSame(state, forking);
          return isNewFork(state) ? continues(state) : unendedStatuses.has(state.status);
        },
        begin,
      }),
  });
}

async function join(forking: Forking, { run, result, started }: ActiveRun): Promise<RunResult | undefined> {
  await started;
  // It was only looked up, or could not start.
  if (run.state.sequence === 0) return undefined;
  requireSame(run.state, forking);
  run.join(forking);
  return result;
}

function requireSame({ runId, forkedFrom }: RunState, { from }: Forking): void {
  if (forkedFrom?.runId === from.runId && (from.after ?? forkedFrom.after) === forkedFrom.after) return;
  const where = from.after === undefined ? "" : ` after event ${from.after}`;
  const message = `Run "${runId}" exists, and was not forked from run "${from.runId}"${where}. Use a new runId.`;
  throw new AgentError("run-conflict", message, { details: { runId } });
}

/** Whether there is something left to do. A suspended run has new questions to ask, or waits for itself. */
function continues(state: RunState): boolean {
  if (state.status === "failed") return canRetry(state);
  return state.status !== "completed" && state.status !== "cancelled";
}

/** The record of the fork, which it stores if it is not there: all of it, or nothing. */
async function findOrCopy(
  runs: RunRegistry,
  { lease, ...forking }: Forking & { readonly lease: StoredLease },
): Promise<RecordedRun> {
  const { store } = runs.settings;
  const { runId } = forking;
  await runs.leases.acquire(lease);
  const known = await readRecorded(store, runId);
  if (known.state.sequence > 0) return known;
  const events = await copyEvents(runs, forking);
  try {
    await store.append(runId, events, { sequence: 1, ...(lease.fence !== undefined && { fence: lease.fence }) });
  } catch (thrown) {
    throw toStoreError(thrown, { runId, operation: "append" });
  }
  return parseEvents(runId, events);
}

/** The events as those of the fork, whose rest can run with the tools as they are. */
async function copyEvents(
  { settings }: RunRegistry,
  { runId, from, options }: Forking,
): Promise<readonly AgentEvent[]> {
  const { events, state } = await readPrefix(settings, from);
  const secrets = await secretsOfStored(settings, state);
  if (continues(state)) {
    const run = { state, settings: restoreSettings(settings, state, options), secrets };
    await compareTools(run, {
      now: await fingerprintsOf(run.settings.tools),
      retriesFailed: state.status === "failed",
    });
  }
  const sealed = secrets === undefined ? events : await sealForFork(settings, { secrets, events, runId });
  const forkedFrom: ForkPoint = { runId: from.runId, after: events.length };
  const timestamp = new Date(settings.clock.now()).toISOString();
  return sealed.map((event) => {
    // Digests cover the events of one run: the first one of the fork covers these, too.
    const { digest: _digest, ...rest } = event as AgentEvent & { readonly digest?: string };
    const copy = { ...rest, runId };
    return deepFreeze(copy.type === "run-start" ? { ...copy, timestamp, forkedFrom } : copy) as AgentEvent;
  });
}

async function readPrefix({ store }: RunRegistry["settings"], { runId, after }: Forking["from"]): Promise<RecordedRun> {
  const found = await readEvents(store, runId, { after: 0, ...(after !== undefined && { limit: after }) });
  const recorded = parseEvents(runId, found);
  const { sequence } = recorded.state;
  if (sequence === 0) throw runNotFound(runId);
  if (after !== undefined && sequence < after)
    failOption("after", after, `at most ${sequence}, the number of the last event of run "${runId}"`);
  return recorded;
}
