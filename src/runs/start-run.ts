import { monotonicNow } from "../async/clock.ts";
import { type AgentError, type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { EventInit, Keyed } from "../core/events.ts";
import type { RunResult } from "../core/run-result.ts";
import { unendedStatuses } from "../core/run-summary.ts";
import { toolOf } from "../core/step.ts";
import { executeRun, startEvent } from "./execute-run.ts";
import { wrongKeyOf } from "./parse-stored.ts";
import { continueStored } from "./resume/continue-run.ts";
import { beginStopped } from "./resume/resume-run.ts";
import type { Run } from "./run.ts";
import { interruptedBy, runConflict } from "./run-errors.ts";
import { type RunSettings, resolveRunOptions } from "./run-options.ts";
import { evidenceOf } from "./run-recorder.ts";
import type { ActiveRun, Opening, RunRegistry } from "./run-registry.ts";
import { completeTarget, fillIn, identityOf, type RunTarget, targetOf } from "./run-target.ts";
import { opened, requireSealable, secretsOf } from "./secrets/secrets-of-run.ts";
import { shownResult } from "./show.ts";
import { dataOf } from "./steps/step-call.ts";

// An engine loads this file, and all that it needs, when it is first used.
export { receivePosted, toDelivery } from "./decisions/commands.ts";
export { deliverEarly, sendCommand } from "./decisions/send-command.ts";
export { dryRun } from "./dry-run.ts";
export { planAlone } from "./planning/plan-alone.ts";
export { forkRun } from "./resume/fork-run.ts";
export { resumeAll, resumeLeft, resumeRun } from "./resume/resume-run.ts";
export { deleteRun, prune } from "./retention.ts";
export { readEventsOf } from "./run-events.ts";
export { RunRegistry } from "./run-registry.ts";
export { showPage } from "./show.ts";
export { listRuns, readRun } from "./stored-runs.ts";

/** A requested run. */
interface StartOpening extends Opening {
  readonly target: RunTarget;
  readonly settings: RunSettings;
  /** True if the caller gave the id. */
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

/** A run of which nothing is to be executed. */
export interface Refusal {
  readonly runId: string;
  readonly target: RunTarget;
  /** Those of the run, none of which is recorded if one of them is invalid. */
  readonly options: Parameters<typeof resolveRunOptions>[0];
  /** The reason: for `cancelled`, the run ends so; for all others, it has failed. */
  readonly error: AgentError;
}

/**
 * Records a run that is refused, or was cancelled before it started. That takes no lease: its start and its end are
 * recorded together, as its first events, so that either they or those of an execution that starts at the same time are
 * refused. Rejects with `run-conflict` if a run of this id is recorded, or with `store-failed`.
 */
export async function refuseRun(runs: RunRegistry, refusal: Refusal): Promise<RunResult> {
  const { runId, error, target, options } = refusal;
  const startedMs = monotonicNow(runs.settings.clock);
  const run = runs.open(settingsOf(runs, options), { runId, startedMs });
  try {
    const data = dataOf(run, error);
    const outcome = { status: error.code === "cancelled" ? "cancelled" : "failed", error: data } as const;
    const start = await startOf(run, target);
    run.enter("ending");
    const events: readonly EventInit[] = [start, ...skipsOf(start), { type: "run-end", outcome }];
    await run.recorder.emitTogether(events.map((event) => run.secrets?.hideInEvent(event) ?? event));
    if (run.recorder.failure !== undefined) throw run.recorder.failure;
    return shownResult(run.state, run.engine, run);
  } finally {
    run.close();
  }
}

function settingsOf({ settings }: RunRegistry, options: Refusal["options"]): RunSettings {
  try {
    return resolveRunOptions(options, settings, "restored");
  } catch {
    return resolveRunOptions({}, settings);
  }
}

async function startOf(run: Run, target: RunTarget): Promise<EventInit> {
  const { engine, runId, settings } = run;
  run.secrets = await secretsOf(engine, { runId, tools: settings.tools });
  if (engine.evidence) run.evidence = await evidenceOf(engine);
  if ("request" in target) return startEvent(run, target);
  try {
    if (run.secrets !== undefined) await requireSealable(engine, settings, target.plan);
    const start = await startEvent(run, { plan: fillIn(engine, target.plan) });
    if (wrongKeyOf["run-start"](start as unknown as Keyed) === undefined) return start;
  } catch (thrown) {
    if (!isAgentError(thrown, "invalid-plan")) throw thrown;
  }
  // It cannot be read again, or has secrets that cannot be sealed.
  return startEvent(run, { request: "" });
}

function skipsOf(start: EventInit): readonly EventInit[] {
  const steps = start.type === "run-start" ? (start.plan?.steps ?? []) : [];
  return steps.map((step) => ({ type: "step-skip", stepId: step.id, tool: toolOf(step), reason: "run-ended" }));
}
