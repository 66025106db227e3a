import { notInTime, settleOrAbort, settleWithin } from "../async/timeout.ts";
import { rememberPlan } from "../core/check-once.ts";
import { AgentError, type AgentErrorData } from "../core/errors.ts";
import { eventVersion } from "../core/event-version.ts";
import { findBraces } from "../core/find-braces.ts";
import { hashPlan } from "../core/hash-plan.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import type { RunResult } from "../core/run-result.ts";
import { dataOf } from "./keep-cause.ts";
import type { Leases } from "./leases.ts";
import type { EngineSettings } from "./options.ts";
import { planAndEmit, requireValid } from "./plan-request.ts";
import { reporterOf } from "./planning.ts";
import type { Run } from "./run.ts";
import { fingerprintsOf, knownFingerprints, runExecution } from "./run-execution.ts";
import type { RunStart, RunTarget } from "./run-identity.ts";
import type { RunSettings } from "./run-options.ts";
import type { StoreError } from "./run-recorder.ts";
import type { RunSecrets } from "./secrets/run-secrets.ts";
import { opened, requireSealable, secretsOf } from "./secrets-of-run.ts";
import { readRecorded, runElsewhere, storedResult } from "./stored-runs.ts";

/** What a run starts with: a request, or a valid plan. */
type RunBeginning = { readonly request: string } | { readonly plan: Plan };

/**
 * A run's target, ready to start: a plan is checked for validity and approval, copied and completed. Rejects with
 * `invalid-plan` or `plan-not-approved`.
 */
export async function completeTarget(
  engine: EngineSettings,
  settings: RunSettings,
  target: RunTarget,
): Promise<RunBeginning> {
  return "request" in target ? target : { plan: await completePlanInput(engine, settings, target.plan) };
}

/** A given plan, as it is run. Rejects as {@link completeTarget} does. */
export async function completePlanInput(
  engine: EngineSettings,
  settings: RunSettings,
  given: PlanInput,
): Promise<Plan> {
  const plan = await requireValid(engine, settings, { plan: given, complaint: "The plan is invalid" });
  if (engine.sealing !== undefined) await requireSealable(engine, settings, plan);
  await requireApproved(plan, { settings });
  if (plan === given) return plan as Plan;
  const { id = `plan_${engine.createId()}`, request = "", source = { planner: "given" } } = plan;
  const createdAt = plan.createdAt ?? new Date(engine.clock.now()).toISOString();
  const steps = plan.steps as Plan["steps"];
  return rememberPlan(Object.freeze({ version: 1, id, request, source, createdAt, steps }));
}

/**
 * As {@link completeTarget}, for an open run. Only an async schema can take time for that: when the run aborts, it has
 * the same grace as a tool.
 */
async function beginningOf(run: Run, target: RunTarget): Promise<RunBeginning> {
  const source = run.openSource();
  const completing = completeTarget(run.engine, run.settings, target);
  try {
    return await settleOrAbort(completing, source);
  } catch (thrown) {
    if (!source.aborted) throw thrown;
    const settled = await settleWithin(completing, run.host.graceMs, run.engine.clock);
    if (settled === notInTime) throw source.reason;
    return settled;
  } finally {
    run.release(source);
  }
}

/** Rejects with `plan-not-approved` if another plan was approved. Stored runs with secrets have a hash of the hash. */
export async function requireApproved(
  plan: PlanInput,
  { settings, secrets }: { readonly settings: RunSettings; readonly secrets?: RunSecrets | undefined },
): Promise<void> {
  const { approvedHash } = settings.stored;
  if (approvedHash === undefined) return;
  const planHash = await hashPlan(opened({ secrets }, plan));
  if (planHash === approvedHash || (await secrets?.isHashOf(approvedHash, planHash))) return;
  const message = `The plan's hash is ${planHash}, but ${approvedHash} was approved: the plan has changed since.`;
  throw new AgentError("plan-not-approved", message, { details: { approvedHash, planHash } });
}

/**
 * Executes an open run, from its first event to its last. Resolves to the result, whatever happened, or to that of the
 * stored run with its id. Rejects as {@link completeTarget} does, with `run-conflict` if the store has something else
 * with this id, and with `run-owned-elsewhere` if it has, or may have, a run with this id that has not ended.
 */
export async function executeRun(run: Run, { target, identity, leases, onStarted }: RunStart): Promise<RunResult> {
  const opening = secretsOf(run.engine, { runId: run.runId, tools: run.settings.tools });
  if (opening !== undefined) run.secrets = await opening;
  const beginning = await beginningOf(run, target);
  const known = await findStored(run, identity);
  if (known !== undefined) return known;
  const claiming = claim(run, leases);
  if (claiming !== undefined) await claiming;
  await emitStart(run, beginning);
  const { failure } = run.recorder;
  const isRefused = failure?.code === "run-conflict" || failure?.code === "run-owned-elsewhere";
  // Another process has started the run since this one looked for it.
  if (isRefused && run.state.sequence === 0) throw identity === undefined ? failure : runElsewhere(run.runId, failure);
  onStarted?.();
  if ("plan" in target && "plan" in beginning && beginning.plan !== target.plan) warnOfBraces(run, beginning.plan);
  const planned = "plan" in beginning ? beginning : await planInRun(run, beginning.request);
  return runExecution(run, "error" in planned ? planned.error : undefined);
}

/** The result of the stored run, if the caller gave its id and it exists. Rejects as {@link storedResult} throws. */
async function findStored(run: Run, identity: string | undefined): Promise<RunResult | undefined> {
  if (identity === undefined) return undefined;
  const { events, state } = await readRecorded(run.engine.store, run.runId);
  if (events.length === 0) return undefined;
  if (state.mayBeSealed)
    run.secrets = await secretsOf(run.engine, { runId: run.runId, tools: run.settings.tools, state });
  const stored = storedResult(state, { identity, settings: run.engine, secrets: run.secrets });
  run.replay(events);
  return stored;
}

/** A store that cannot claim cannot record either: the run fails, as it would with its first event. */
function claim(run: Run, leases: Leases): void | Promise<void> {
  const refuse = (error: StoreError) => {
    if (error.code === "run-owned-elsewhere") throw error;
    run.recorder.fail(error);
  };
  try {
    return leases.acquire(run)?.catch(refuse);
  } catch (error) {
    return refuse(error as StoreError);
  }
}

async function emitStart(run: Run, beginning: RunBeginning): Promise<void> {
  const { context, metadata, tools } = run.settings;
  const { secrets } = run;
  const target = secrets && "plan" in beginning ? { plan: await secrets.sealPlan(beginning.plan) } : beginning;
  const options = secrets === undefined ? run.settings.stored : await secrets.sealOptions(run.settings.stored);
  await run.emit({
    type: "run-start",
    version: eventVersion,
    // A request that is far too long is refused later; here it must not fill the store.
    ...("plan" in target ? target : { request: storedRequest(run, target.request) }),
    ...(context !== undefined && { context }),
    metadata,
    options,
    ...(secrets && { mayBeSealed: true }),
    tools: knownFingerprints(tools) ?? (await fingerprintsOf(tools)),
  });
}

/** A handwritten plan may use the references of other template languages, which validation cannot refuse. */
function warnOfBraces(run: Run, { steps }: Plan): void {
  for (const { stepId, text, reference } of findBraces(steps)) {
    const message = `${text} in step "${stepId}" is given to its tool as text. For the output, write \${${reference}}.`;
    run.warn({ code: "braces-as-text", stepId, message });
  }
}

function storedRequest({ engine }: Run, request: unknown): string {
  // One character more, so that it is still too long when it is read back.
  return typeof request === "string" ? request.slice(0, engine.maxRequestLength + 1) : "";
}

/** The result of planning in a run: a plan, or why there is none. */
export type Planned =
  | { readonly plan: Plan; readonly error?: undefined }
  | { readonly plan?: undefined; readonly error?: AgentErrorData };

/** Plans the request of a run. Never rejects. */
export async function planInRun(run: Run, request: string): Promise<Planned> {
  const { planner } = run.engine;
  if (run.abortReason !== undefined || run.isInterrupted || planner === undefined) return {};
  const source = run.openSource();
  try {
    const plan = await planAndEmit(run.engine, {
      request,
      planner,
      settings: run.settings,
      source,
      reporter: reporterOf(run),
    });
    await requireApproved(plan, run);
    return { plan };
  } catch (thrown) {
    return { error: dataOf(run, thrown as AgentError) };
  } finally {
    run.release(source);
  }
}
