import type { RunResult } from "../core/run-result.ts";
import { type ActiveRun, followCancel, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { completeTarget, conductRun } from "./conduct-run.ts";
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
 * Conducts a run from its beginning, or joins the one of the same id that goes on here. Resolves to how its leg ends.
 * Rejects with what {@link conductRun} does.
 */
export function startRun(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed, runId } = opening;
  const runs = runsOf(engine);
  if (!isNamed) {
    const run = runs.open(settings, opening);
    return runs.hold(run, conductRun(run, { target, leases: runs.leases }));
  }
  const identity = identityOf(target, engine.settings);
  const active = runs.active.get(runId);
  if (active !== undefined) return join(engine, { ...opening, identity, active });
  const again = () => startRun(engine, opening);
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
