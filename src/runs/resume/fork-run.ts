import { AgentError } from "../../core/errors.ts";
import type { AgentEvent, ForkPoint, StoredRunOptions } from "../../core/events.ts";
import { deepFreeze } from "../../core/json.ts";
import { failOption } from "../../core/option-tables.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { runNotFound } from "../../core/run-store.ts";
import { isUnstarted, unendedStatuses } from "../../core/run-summary.ts";
import { hashPlan } from "../../plan/hash-plan.ts";
import type { LeaseHolder } from "../run/leases.ts";
import { whenStarted } from "../run/run.ts";
import { resumeMismatch } from "../run/run-errors.ts";
import type { ResumeOptions } from "../run/run-options.ts";
import { toStoreError } from "../run/run-recorder.ts";
import { RunSecrets, secretsOf } from "../run/run-secrets.ts";
import { parseEvents, type RecordedRun } from "../stored/parse-stored.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { readEvents, readRecorded } from "../stored/stored-runs.ts";
import { canRetry, compareTools, continueStored, isNewFork, restoreSettings } from "./resume-run.ts";

interface Forking extends Opening {
  readonly from: { readonly runId: string; readonly after: number | undefined };
  readonly options: ResumeOptions;
}

export function forkRun(runs: RunRegistry, forking: Forking): Promise<RunResult> {
  return runs.withRun(forking.runId, {
    whenActive: async ({ run, result }) => {
      await whenStarted(run, result);
      if (run.state.sequence === 0) return undefined;
      requireSame(run.state, forking);
      run.join(forking);
      forking.onRecorded?.();
      return result;
    },
    whenStored: () =>
      continueStored(runs, {
        ...forking,
        create: (lease) => findOrCopy(runs, forking, lease),
        mayResume: (state) => {
          requireSame(state, forking);
          return isNewFork(state) ? hasWork(state) : unendedStatuses.has(state.status);
        },
      }),
  });
}

function requireSame({ runId, forkedFrom }: RunState, { from }: Forking): void {
  if (forkedFrom?.runId === from.runId && (from.after ?? forkedFrom.after) === forkedFrom.after) return;
  const where = from.after === undefined ? "" : ` after event ${from.after}`;
  const message = `Run "${runId}" already exists, and was not forked from run "${from.runId}"${where}. Use a new runId.`;
  throw new AgentError("run-conflict", message, { details: { runId } });
}

function hasWork(state: RunState): boolean {
  if (state.status === "failed") return canRetry(state);
  return state.status !== "completed" && state.status !== "cancelled";
}

async function findOrCopy(runs: RunRegistry, forking: Forking, lease: LeaseHolder): Promise<RecordedRun> {
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

async function copyEvents(runs: RunRegistry, { runId, from, options }: Forking): Promise<readonly AgentEvent[]> {
  const { settings } = runs;
  await runs.whenStarted(from.runId);
  const { after } = from;
  const limit = after === undefined ? {} : { limit: after };
  const found = await readEvents(settings.store, from.runId, { after: 0, ...limit });
  const { events, state } = parseEvents(from.runId, found);
  if (state.sequence === 0) throw runNotFound(from.runId);
  if (after !== undefined && state.sequence < after)
    failOption("after", after, `at most ${state.sequence}, the number of the last event of run "${from.runId}"`);
  if (isUnstarted(state) || (state.request === undefined && state.plan === undefined)) {
    const message = "it had not started before the fork, so only its job in the queue has the request or plan";
    throw resumeMismatch(from.runId, [{ message }]);
  }
  const secrets = await secretsOf(settings, { state });
  const restored = { state, settings: restoreSettings(settings, state, options), secrets };
  if (hasWork(state)) await compareTools(settings, restored);
  // A sealed value is bound to its run.
  const own = secrets && (await RunSecrets.create({ ...settings, runId, tools: settings.toolsByName }));
  const sealed = secrets && own ? await secrets.sealFor(own, events) : events;
  const forkedFrom: ForkPoint = { runId: from.runId, after: events.length };
  const timestamp = new Date(settings.clock.now()).toISOString();
  const copies = sealed.map(async (event) => {
    // A digest covers one run, so the first digest of the fork also covers these events.
    const { digest: _digest, ...rest } = event as AgentEvent & { readonly digest?: string };
    const copy = { ...rest, runId };
    if (copy.type !== "run-start") return deepFreeze(copy) as AgentEvent;
    const isBound = secrets && own && copy.mayBeSealed;
    const bound = isBound ? await rebind(copy.options, { state, secrets, own }) : copy.options;
    return deepFreeze({ ...copy, options: bound, timestamp, forkedFrom }) as AgentEvent;
  });
  return Promise.all(copies);
}

async function rebind(
  options: StoredRunOptions,
  { state, secrets, own }: { readonly state: RunState; readonly secrets: RunSecrets; readonly own: RunSecrets },
): Promise<StoredRunOptions> {
  const { approvedHash } = options;
  if (approvedHash === undefined || !secrets.canSeal) return options;
  if (state.plan === undefined) {
    const why = "the approved hash is sealed for the original run, and can be sealed for the fork only with the plan";
    failOption("after", state.sequence, `at least the number of the event that has the plan: ${why}`);
  }
  const hash = await hashPlan(secrets.open(state.plan));
  return (await secrets.isHashOf(approvedHash, hash)) ? own.sealOptions({ ...options, approvedHash: hash }) : options;
}
