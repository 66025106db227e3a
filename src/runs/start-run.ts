import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import { unendedStatuses } from "../core/run-summary.ts";
import { executeRun } from "./execute-run.ts";
import { continueStored } from "./resume/continue-run.ts";
import { beginStopped } from "./resume/resume-run.ts";
import { interruptedBy, runConflict } from "./run-errors.ts";
import type { RunSettings } from "./run-options.ts";
import type { ActiveRun, Opening, RunRegistry } from "./run-registry.ts";
import { completeTarget, identityOf, type RunTarget, targetOf } from "./run-target.ts";
import { opened } from "./secrets/secrets-of-run.ts";

/** A requested run. */
interface StartOpening extends Opening {
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
export function startRun(runs: RunRegistry, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed } = opening;
  if (isNamed) return startNamed(runs, { ...opening, identity: identityOf(target, runs.settings) });
  const run = runs.open(settings, opening);
  return runs.hold(run, executeRun(run, { target, leases: runs.leases }));
}

interface NamedOpening extends StartOpening {
  readonly identity: string;
}

function startNamed(runs: RunRegistry, opening: NamedOpening): Promise<RunResult> {
  const { runId, identity } = opening;
  return runs.withRun(runId, {
    whenActive: (active) => orResume(runs, opening, join(runs, opening, active)),
    whenStored: () => orResume(runs, opening, lookOrExecute(runs, opening)),
    // An error in another start of the same run applies to this one, too.
    onRefused: (thrown, other) => {
      if (other.identity === identity && !isAgentError(thrown, "run-not-found")) throw thrown;
    },
  });
}

/** Resumes the run if it has started and no process is running it; undefined if one in this process is by now. */
async function orResume(
  runs: RunRegistry,
  opening: NamedOpening,
  starting: Promise<RunResult | undefined>,
): Promise<RunResult | undefined> {
  try {
    return await starting;
  } catch (thrown) {
    if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    // Others may have requested it, and one of them is running it by now.
    return runs.has(opening.runId) ? undefined : resumeStopped(runs, opening, thrown);
  }
}

/** Resumes a run that stopped before its end; undefined if it has ended meanwhile. */
async function resumeStopped(
  runs: RunRegistry,
  opening: NamedOpening,
  said: AgentErrorLike,
): Promise<RunResult | undefined> {
  if (runs.stopping.aborted) throw interruptedBy("the agent was closed and takes no more runs");
  const { resources, signal, throwOnFailure } = opening.settings;
  let hasStopped = true;
  try {
    const result = await continueStored(runs, {
      ...opening,
      options: { resources, signal, throwOnFailure },
      mayResume: (state, secrets) => {
        if (identityOf(opened({ secrets }, targetOf(state)), runs.settings) !== opening.identity)
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
function lookOrExecute(runs: RunRegistry, opening: NamedOpening): Promise<RunResult> {
  const { target, settings, identity } = opening;
  const run = runs.open(settings, opening);
  run.keepHistory();
  let onStarted = () => {};
  const started = new Promise<void>((resolve) => {
    onStarted = resolve;
  });
  const executing = executeRun(run, { target, identity, leases: runs.leases, onStarted });
  return runs.hold(run, executing.finally(onStarted), { identity, started });
}

/**
 * A second caller has its own events, and receives errors for its own misuse, not for that of the first. Undefined if
 * the first only looked the run up, or was wrong about it: then it has to be requested again.
 */
async function join(
  runs: RunRegistry,
  opening: NamedOpening,
  { run, result, identity, started }: ActiveRun,
): Promise<RunResult | undefined> {
  const known = identity ?? identityOf(opened(run, targetOf(run.state)), runs.settings);
  if (opening.identity !== known) {
    await started;
    if (run.state.sequence > 0) throw runConflict(run.runId);
    return undefined;
  }
  await completeTarget(runs.settings, opening.settings, opening.target);
  run.join(opening);
  return result.catch((thrown) => {
    if (run.state.sequence > 0 || isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    return undefined;
  });
}
