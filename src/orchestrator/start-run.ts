import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import { unendedStatuses } from "../core/run-status.ts";
import { type ActiveRun, type ActiveRuns, followCancel, type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { continueStored } from "./continue-run.ts";
import { completeTarget, executeRun } from "./execute-run.ts";
import { beginStopped } from "./resume-run.ts";
import { identityOf, type RunTarget, runConflict, targetOf } from "./run-identity.ts";
import type { RunSettings } from "./run-options.ts";
import { opened } from "./secrets-of-run.ts";

/** A requested run. */
export interface StartOpening extends Opening {
  readonly target: RunTarget;
  readonly settings: RunSettings;
  /** Whether the caller gave the id. */
  readonly isNamed: boolean;
}

/**
 * Executes a run from its start. If a run with the same id is active here, it is joined; if a stored one has ended or
 * waits for somebody, its result is returned; if it stopped before its end, it is resumed here. Resolves to how the
 * execution ends. Rejects as {@link executeRun} and {@link continueStored} do.
 */
export function startRun(engine: RunsOwner, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed } = opening;
  const runs = runsOf(engine);
  if (isNamed) {
    const identity = identityOf(target, engine.settings);
    return runs.follow(startNamed(engine, { ...opening, identity }));
  }
  const run = runs.open(settings, opening);
  return runs.hold(run, executeRun(run, { target, leases: runs.leases }));
}

interface NamedOpening extends StartOpening {
  readonly identity: string;
}

async function startNamed(engine: RunsOwner, opening: NamedOpening): Promise<RunResult> {
  const runs = runsOf(engine);
  const { runId } = opening;
  for (;;) {
    while (runs.restoring.has(runId)) await awaitOther(runs, opening);
    try {
      const active = runs.active.get(runId);
      const looking = active === undefined ? lookOrExecute(engine, opening) : join(engine, { ...opening, active });
      const result = await looking;
      if (result !== undefined) return result;
    } catch (thrown) {
      if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
      // Others may have requested it, and one of them is running it by now.
      const isTaken = runs.occupied(runId) !== undefined;
      const result = isTaken ? undefined : await goOn(engine, opening, thrown);
      if (result !== undefined) return result;
    }
  }
}

/**
 * Waits until somebody else's execution has started. An error in another start of the same run applies to this one,
 * too.
 */
async function awaitOther(runs: ActiveRuns, { runId, identity }: NamedOpening): Promise<void> {
  const other = runs.restoring.get(runId);
  await other?.opening.catch((thrown) => {
    if (other.identity === identity && !isAgentError(thrown, "run-not-found")) throw thrown;
  });
}

/** Resumes a run that stopped before its end; undefined if it has ended meanwhile. */
async function goOn(engine: RunsOwner, opening: NamedOpening, said: AgentErrorLike): Promise<RunResult | undefined> {
  if (runsOf(engine).isStopping) throw interruptedBy("the agent was closed and takes no more runs");
  const { resources, signal, throwOnFailure } = opening.settings;
  let hasStopped = true;
  try {
    const result = await continueStored(engine, {
      ...opening,
      options: { resources, signal, throwOnFailure },
      mayResume: (state, secrets) => {
        if (identityOf(opened({ secrets }, targetOf(state)), engine.settings) !== opening.identity)
          throw runConflict(state.runId);
        hasStopped = unendedStatuses.has(state.status);
        return hasStopped;
      },
      begin: beginStopped,
    });
    return hasStopped ? result : undefined;
  } catch (thrown) {
    // Nothing of it is recorded: the first error is all that is known.
    throw isAgentError(thrown, "run-not-found") ? (said.cause ?? said) : thrown;
  }
}

/** Returns the stored result, or executes the run from its start. */
function lookOrExecute(engine: RunsOwner, opening: NamedOpening): Promise<RunResult> {
  const { target, settings, identity } = opening;
  const runs = runsOf(engine);
  const run = runs.open(settings, opening);
  run.keepHistory();
  let onStarted = () => {};
  const started = new Promise<void>((resolve) => {
    onStarted = resolve;
  });
  const executing = executeRun(run, { target, identity, leases: runs.leases, onStarted });
  return runs.hold(run, executing.finally(onStarted), { identity, started });
}

interface Joining extends NamedOpening {
  readonly active: ActiveRun;
}

/**
 * A second caller has its own events, and receives errors for its own misuse, not for that of the first. Undefined if
 * the first only looked the run up, or was wrong about it: then it has to be requested again.
 */
async function join(engine: RunsOwner, joining: Joining): Promise<RunResult | undefined> {
  const { active, identity, target, settings, channel, cancelling } = joining;
  const { run, result } = active;
  const known = active.identity ?? identityOf(opened(run, targetOf(run.state)), engine.settings);
  if (identity !== known) {
    await active.started;
    if (run.state.sequence > 0) throw runConflict(run.runId);
    await result.catch(() => {});
    return undefined;
  }
  await completeTarget(engine.settings, settings, target);
  if (channel !== undefined) run.addChannel(channel);
  if (cancelling !== undefined) followCancel(run, cancelling);
  return result.catch((thrown) => {
    if (run.state.sequence > 0 || isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    return undefined;
  });
}
