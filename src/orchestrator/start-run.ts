import { isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import { type ActiveRun, followCancel, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { completeTarget, conductRun } from "./conduct-run.ts";
import { resumeRun } from "./resume-run.ts";
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
 * somebody gives its result, and one that nobody goes on with goes on here. Resolves to how the leg ends. Rejects with what
 * {@link conductRun} and {@link resumeRun} do.
 */
export function startRun(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed } = opening;
  if (isNamed) return startNamed(engine, opening);
  const runs = runsOf(engine);
  const run = runs.open(settings, opening);
  return runs.hold(run, conductRun(run, { target, leases: runs.leases }));
}

async function startNamed(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  try {
    return await startOrJoin(engine, opening);
  } catch (thrown) {
    if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    // Somebody else who has asked for it may go on with it by now.
    if (runsOf(engine).occupied(opening.runId) !== undefined) return startOrJoin(engine, opening);
    // Its process may be gone.
    const { resources, signal, throwOnFailure } = opening.settings;
    const options = { resources, signal, throwOnFailure };
    return resumeRun(engine, { ...opening, options }).catch((other) => {
      throw isAgentError(other, "run-not-found") ? thrown : other;
    });
  }
}

function startOrJoin(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  const { target, settings, runId } = opening;
  const runs = runsOf(engine);
  const identity = identityOf(target, engine.settings);
  const active = runs.active.get(runId);
  if (active !== undefined) return join(engine, { ...opening, identity, active });
  const again = () => startOrJoin(engine, opening);
  const restoring = runs.restoring.get(runId);
  if (restoring !== undefined) return restoring.then(again, again);
  const run = runs.open(settings, opening);
  run.keepHistory();
  return runs.hold(run, conductRun(run, { target, identity, leases: runs.leases }), identity);
}

interface Joining extends StartOpening {
  readonly identity: string;
  readonly active: ActiveRun;
}

/** A second caller has its own events from the first on, and is told of its own misuse. */
async function join(engine: RunsOwner, joining: Joining): Promise<RunResult> {
  const { active, identity, target, settings, channel, cancelling } = joining;
  const { run, result } = active;
  const known = active.identity ?? identityOf(targetOf(run.state), engine.settings);
  if (identity !== known) throw runConflict(run.runId);
  if (channel !== undefined) run.addChannel(channel);
  if (cancelling !== undefined) followCancel(run, cancelling);
  await completeTarget(engine.settings, settings, target);
  return result;
}
