import { isAgentError } from "../core/errors.ts";
import { unendedStatuses } from "../core/list-selection.ts";
import type { RunResult } from "../core/run-result.ts";
import { type ActiveRun, followCancel, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { completeTarget, conductRun } from "./conduct-run.ts";
import { continueStored } from "./continue-run.ts";
import { beginStopped } from "./resume-run.ts";
import { identityOf, type RunTarget, runConflict, targetOf } from "./run-identity.ts";
import type { RunSettings } from "./run-options.ts";

/** A run that is asked for. */
export interface StartOpening extends Opening {
  readonly target: RunTarget;
  readonly settings: RunSettings;
  /** Whether the caller gave the id. */
  readonly isNamed: boolean;
}

/**
 * Conducts a run from its beginning. Of the same id, one that goes on here is joined, a stored one that has ended or waits for
 * somebody gives its result, and one that has stopped on the way goes on here. Resolves to how the leg ends. Rejects with what
 * {@link conductRun} and {@link continueStored} do.
 */
export function startRun(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed } = opening;
  const runs = runsOf(engine);
  if (isNamed) {
    const identity = identityOf(target, engine.settings);
    return runs.follow(startNamed(engine, { ...opening, identity }));
  }
  const run = runs.open(settings, opening);
  return runs.hold(run, conductRun(run, { target, leases: runs.leases }));
}

interface NamedOpening extends StartOpening {
  readonly identity: string;
}

async function startNamed(engine: RunsOwner, opening: NamedOpening): Promise<RunResult> {
  const runs = runsOf(engine);
  for (;;) {
    try {
      return await startOrJoin(engine, opening);
    } catch (thrown) {
      if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
      if (runs.isStopping) throw interruptedBy("the agent was closed and takes no more runs");
      // Others may have asked for it, and one of them goes on with it by now.
      if (runs.occupied(opening.runId) !== undefined) continue;
      const result = await goOn(engine, opening).catch((other) => {
        // Nothing of it is recorded: what was said first is all that is known.
        throw isAgentError(other, "run-not-found") ? (thrown.cause ?? thrown) : other;
      });
      if (result !== undefined) return result;
    }
  }
}

/** Goes on with a run that has stopped on the way; undefined if it has ended meanwhile. */
async function goOn(engine: RunsOwner, { identity, ...opening }: NamedOpening): Promise<RunResult | undefined> {
  const { resources, signal, throwOnFailure } = opening.settings;
  let hasStopped = true;
  const result = await continueStored(engine, {
    ...opening,
    options: { resources, signal, throwOnFailure },
    mayGoOn: (state) => {
      if (identityOf(targetOf(state), engine.settings) !== identity) throw runConflict(state.runId);
      hasStopped = unendedStatuses.has(state.status);
      return hasStopped;
    },
    begin: beginStopped,
  });
  return hasStopped ? result : undefined;
}

function startOrJoin(engine: RunsOwner, opening: NamedOpening): Promise<RunResult> {
  const { target, settings, runId, identity } = opening;
  const runs = runsOf(engine);
  const active = runs.active.get(runId);
  if (active !== undefined) return join(engine, { ...opening, active });
  const again = () => startOrJoin(engine, opening);
  const restoring = runs.restoring.get(runId);
  if (restoring !== undefined) return restoring.then(again, again);
  const run = runs.open(settings, opening);
  run.keepHistory();
  let onBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  const conducting = conductRun(run, { target, identity, leases: runs.leases, onBegun });
  return runs.hold(run, conducting.finally(onBegun), { identity, begun });
}

interface Joining extends NamedOpening {
  readonly active: ActiveRun;
}

/** A second caller has its own events from the first of the leg on, and is told of its own misuse. */
async function join(engine: RunsOwner, joining: Joining): Promise<RunResult> {
  const { active, identity, target, settings, channel, cancelling } = joining;
  const { run, result } = active;
  const known = active.identity ?? identityOf(targetOf(run.state), engine.settings);
  if (identity !== known) {
    await active.begun;
    if (run.state.sequence > 0) throw runConflict(run.runId);
    // Somebody else was wrong about it, and has only looked.
    await result.catch(() => {});
    return startOrJoin(engine, joining);
  }
  if (channel !== undefined) run.addChannel(channel);
  if (cancelling !== undefined) followCancel(run, cancelling);
  await completeTarget(engine.settings, settings, target);
  return result;
}
