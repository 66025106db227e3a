import { settleOrAbort } from "../../async/promises.ts";
import { notInTime, settleWithin } from "../../async/timeout.ts";
import { type AgentErrorLike, isAgentError } from "../../core/errors.ts";
import type { EventInit } from "../../core/events.ts";
import type { Plan, PlanInput } from "../../core/plan.ts";
import type { RunResult } from "../../core/run-result.ts";
import { isUnstarted, unendedStatuses } from "../../core/run-summary.ts";
import { runRequest } from "../execution/run-request.ts";
import { runExecution } from "../execution/schedule.ts";
import {
  completePlan,
  executionHeader,
  fingerprintsOf,
  identityOf,
  type RunBeginning,
  type RunTarget,
  targetOf,
} from "../planning/run-target.ts";
import { type Run, whenStarted } from "../run/run.ts";
import { runConflict, runElsewhere } from "../run/run-errors.ts";
import type { RunSettings } from "../run/run-options.ts";
import { evidenceOf, type StoreError } from "../run/run-recorder.ts";
import { opened, secretsOf } from "../run/run-secrets.ts";
import type { RecordedRun } from "../stored/parse-stored.ts";
import type { ActiveRun, Opening, RunRegistry } from "../stored/run-registry.ts";
import { readRecorded, resultOfState } from "../stored/stored-runs.ts";
import { continueStored, keepActive, resultOfAnswered } from "./resume-run.ts";

interface StartOpening extends Opening {
  readonly target: RunTarget;
  readonly settings: RunSettings;
  readonly isNamed: boolean;
}

export function startRun(runs: RunRegistry, opening: StartOpening): Promise<RunResult> {
  const { target, settings, isNamed } = opening;
  if (isNamed)
    return startNamed(runs, {
      ...opening,
      identity: identityOf({ ...target, thread: settings.thread }, runs.settings),
    });
  const run = runs.open(settings, opening);
  return keepActive(runs, run, executeRun(runs, run, opening));
}

async function executeRun(
  runs: RunRegistry,
  run: Run,
  { target, identity, onRecorded }: StartOpening & Partial<NamedOpening>,
): Promise<RunResult> {
  const { engine, runId, settings } = run;
  const reading = secretsOf(engine, { runId, tools: settings.tools });
  if (reading !== undefined) run.secrets = await reading;
  if (engine.evidence) run.evidence = await evidenceOf(engine);
  const beginning = "request" in target ? target : { plan: await preparePlan(run, target.plan) };
  const known = identity === undefined ? undefined : await findStored(runs, run, identity);
  if (known !== undefined) return known;
  try {
    await run.host.leases.acquire(run);
  } catch (thrown) {
    // A store that cannot grant a lease cannot record either, so the run fails as if its first event had been lost.
    if (isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    run.recorder.fail(thrown as StoreError);
  }

  const execute = async () => {
    if (run.linesBefore !== undefined) await run.linesBefore.started;
    await run.emit(await startEvent(run, beginning));
    const { failure } = run.recorder;
    const isRefused = failure?.code === "run-conflict" || failure?.code === "run-owned-elsewhere";
    const isStarted = run.state.sequence > 0 && !isUnstarted(run.state);
    if (isRefused && !isStarted) throw identity === undefined ? failure : runElsewhere(runId, failure);
    if (isStarted) onRecorded?.();
    const early = run.openInbox();
    if (early !== undefined) await run.host.receive(run, early);
    return "request" in beginning ? runRequest(run, beginning.request) : runExecution(run);
  };
  return engine.within === undefined ? execute() : engine.within({ type: "run", runId }, execute);
}

async function preparePlan(run: Run, given: PlanInput): Promise<Plan> {
  const source = run.openSource();
  const completing = completePlan(run.engine, run.settings, given);
  try {
    return await settleOrAbort(completing, source);
  } catch (thrown) {
    if (!source.aborted) throw thrown;
    const settled = await settleWithin(completing, run.host.graceMs, run.engine.clock);
    if (settled === notInTime) throw source.reason;
    return settled;
  } finally {
    run.closeSource(source);
  }
}

export type RunStart = Extract<EventInit, { readonly type: "run-start" }>;

export async function startEvent(run: Run, beginning?: RunBeginning): Promise<RunStart> {
  const { context, thread, metadata, tools } = run.settings;
  const { secrets } = run;
  const target =
    secrets && beginning && "plan" in beginning ? { plan: await secrets.sealPlan(beginning.plan) } : beginning;
  const options = secrets === undefined ? run.settings.stored : await secrets.sealOptions(run.settings.stored);
  return {
    type: "run-start",
    ...executionHeader(run, await fingerprintsOf(tools)),
    ...(target && ("plan" in target ? target : { request: storedRequest(run, target.request) })),
    ...(context !== undefined && { context }),
    ...(thread !== undefined && { thread }),
    metadata,
    options,
  };
}

/** Cuts an overlong request, which is refused only later. One extra character keeps it too long when read back. */
function storedRequest({ engine }: Run, request: unknown): string {
  return typeof request === "string" ? request.slice(0, engine.maxRequestLength + 1) : "";
}

type NamedOpening = StartOpening & { readonly identity: string };

function startNamed(runs: RunRegistry, opening: NamedOpening): Promise<RunResult> {
  const { runId, identity } = opening;
  return runs.withRun(runId, {
    whenActive: (active) => startOrResume(runs, opening, join(runs, opening, active)),
    whenStored: () => {
      const run = runs.open(opening.settings, opening);
      run.keepHistory();
      return startOrResume(runs, opening, keepActive(runs, run, executeRun(runs, run, opening), identity));
    },
    onRefused: (thrown, other) => {
      if (other.identity === identity && !isAgentError(thrown, "run-not-found")) throw thrown;
    },
  });
}

async function startOrResume(
  runs: RunRegistry,
  opening: NamedOpening,
  starting: Promise<RunResult | undefined>,
): Promise<RunResult | undefined> {
  try {
    return await starting;
  } catch (thrown) {
    if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    return runs.has(opening.runId) ? undefined : resumeStopped(runs, opening, thrown);
  }
}

async function resumeStopped(
  runs: RunRegistry,
  opening: NamedOpening,
  refusal: AgentErrorLike,
): Promise<RunResult | undefined> {
  runs.requireOpen();
  const { resources, signal, throwOnFailure } = opening.settings;
  let hasStopped = true;
  try {
    const result = await continueStored(runs, {
      ...opening,
      options: { resources, signal, throwOnFailure },
      isCompared: true,
      mayResume: (state, secrets) => {
        if (isUnstarted(state)) throw refusal;
        if (identityOf(opened({ secrets }, targetOf(state)), runs.settings) !== opening.identity)
          throw runConflict(state.runId);
        hasStopped = unendedStatuses.has(state.status);
        return hasStopped;
      },
    });
    return hasStopped ? result : undefined;
  } catch (thrown) {
    throw isAgentError(thrown, "run-not-found") ? (refusal.cause ?? refusal) : thrown;
  }
}

/** Resolves to undefined if the first caller only looked the run up, or failed to start it. */
async function join(
  runs: RunRegistry,
  opening: NamedOpening,
  { run, result, identity }: ActiveRun,
): Promise<RunResult | undefined> {
  const known = identity ?? identityOf(opened(run, targetOf(run.state)), runs.settings);
  if (opening.identity !== known) {
    await whenStarted(run, result);
    if (run.state.sequence > 0) throw runConflict(run.runId);
    return undefined;
  }
  const { target, settings } = opening;
  if ("plan" in target) await completePlan(runs.settings, settings, target.plan);
  run.join(opening);
  void whenStarted(run, result).then(() => run.state.sequence > 0 && opening.onRecorded?.());
  return result.catch((thrown) => {
    if (run.state.sequence > 0 || isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    return undefined;
  });
}

async function findStored(runs: RunRegistry, run: Run, identity: string): Promise<RunResult | undefined> {
  const { events, state } = await readStored(run);
  if (events.length === 0 || isUnstarted(state)) return undefined;
  if (state.mayBeSealed)
    run.secrets = await secretsOf(run.engine, { runId: run.runId, tools: run.settings.tools, state });
  if (identityOf(opened(run, targetOf(state)), run.engine) !== identity) throw runConflict(run.runId);
  if (state.status === "interrupted") throw runElsewhere(run.runId);
  const stored = resultOfState(state, run.engine);
  run.replay(events);
  return resultOfAnswered(runs, state, stored);
}

export async function readStored(run: Run): Promise<RecordedRun> {
  const recorded = await readRecorded(run.engine.store, run.runId);
  if (isUnstarted(recorded.state)) {
    run.recorder.restore(recorded.events);
    run.evidence = await evidenceOf(run.engine, recorded.state);
  }
  return recorded;
}
