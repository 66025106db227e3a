import { settleOrAbort } from "../async/promises.ts";
import { notInTime, settleWithin } from "../async/timeout.ts";
import type { AgentError, AgentErrorData } from "../core/errors.ts";
import { type EventInit, formatVersion } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import type { RunResult } from "../core/run-result.ts";
import type { DefinedTool } from "../core/tool.ts";
import { type ToolFingerprint, toolFingerprint } from "../core/tool-schemas.ts";
import { compileExpressions, type PlanExpressions } from "../plan/expressions.ts";
import { findBraces } from "../plan/references.ts";
import { askAboutPlan, mayNeedPlanApproval } from "./decisions/approvals.ts";
import { endExecution } from "./end-execution.ts";
import type { Leases } from "./leases.ts";
import { planAndEmit, reporterOf } from "./planning/planning.ts";
import { replan } from "./planning/replan.ts";
import type { Run } from "./run.ts";
import { runElsewhere } from "./run-errors.ts";
import { hasAnswer, isAllDone } from "./run-progress.ts";
import { evidenceOf, type StoreError } from "./run-recorder.ts";
import { completeTarget, type RunBeginning, type RunTarget, requireApproved } from "./run-target.ts";
import { secretsOf } from "./secrets/secrets-of-run.ts";
import { shownResult } from "./show.ts";
import { runSteps } from "./steps/schedule.ts";
import { dataOf } from "./steps/step-call.ts";
import { readRecorded, storedResult } from "./stored-runs.ts";

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

/**
 * Executes an open run, from its first event to its last. Resolves to the result, whatever happened, or to that of the
 * stored run with its id. Rejects as {@link completeTarget} does, with `run-conflict` if the store has something else
 * with this id, and with `run-owned-elsewhere` if it has, or may have, a run with this id that has not ended.
 */
export async function executeRun(run: Run, { target, identity, leases, onStarted }: RunStart): Promise<RunResult> {
  const opening = secretsOf(run.engine, { runId: run.runId, tools: run.settings.tools });
  if (opening !== undefined) run.secrets = await opening;
  if (run.engine.evidence) run.evidence = await evidenceOf(run.engine);
  const beginning = await beginningOf(run, target);
  const known = await findStored(run, identity);
  if (known !== undefined) return known;
  const claiming = claim(run, leases);
  if (claiming !== undefined) await claiming;
  const execute = () => executeClaimed(run, beginning, { target, identity, leases, onStarted });
  const { within } = run.engine;
  return within === undefined ? execute() : within({ type: "run", runId: run.runId }, execute);
}

/** As {@link executeRun}, once this process owns the run. */
async function executeClaimed(
  run: Run,
  beginning: RunBeginning,
  { target, identity, onStarted }: RunStart,
): Promise<RunResult> {
  await emitStart(run, beginning);
  const { failure } = run.recorder;
  const isRefused = failure?.code === "run-conflict" || failure?.code === "run-owned-elsewhere";
  // Another process has started the run since this one looked for it.
  if (isRefused && run.state.sequence === 0) throw identity === undefined ? failure : runElsewhere(run.runId, failure);
  onStarted?.();
  const early = run.openInbox();
  if (early !== undefined) await run.host.receive(run, early);
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
  await run.emit(await startEvent(run, beginning));
}

/** The first event of a run. */
export async function startEvent(run: Run, beginning: RunBeginning): Promise<EventInit> {
  const { context, metadata, tools } = run.settings;
  const { secrets } = run;
  const target = secrets && "plan" in beginning ? { plan: await secrets.sealPlan(beginning.plan) } : beginning;
  const options = secrets === undefined ? run.settings.stored : await secrets.sealOptions(run.settings.stored);
  return {
    type: "run-start",
    version: formatVersion,
    // A request that is far too long is refused later; here it must not fill the store.
    ...("plan" in target ? target : { request: storedRequest(run, target.request) }),
    ...(context !== undefined && { context }),
    metadata,
    options,
    ...(secrets && { mayBeSealed: true }),
    ...traceOf(run),
    tools: fingerprints.get(tools) ?? (await fingerprintsOf(tools)),
  };
}

/** The trace context of an execution, as its first event contains it. */
export function traceOf({ engine, runId }: Pick<Run, "engine" | "runId">): { readonly traceparent?: string } {
  const traceparent = engine.traceparent?.(runId);
  return traceparent === undefined ? {} : { traceparent };
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
type Planned =
  | { readonly plan: Plan; readonly error?: undefined }
  | { readonly plan?: undefined; readonly error?: AgentErrorData };

/** Plans the request of a run. Never rejects. */
export async function planInRun(run: Run, request: string): Promise<Planned> {
  const { planner } = run.engine;
  if (!run.canContinue() || planner === undefined) return {};
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

/** Input of {@link executeRun}. `identity` is present if the caller gave the id of the run. */
interface RunStart {
  readonly target: RunTarget;
  readonly identity?: string;
  /** Called when its first event is recorded. */
  readonly onStarted?: () => void;
  /** The leases that claim it. */
  readonly leases: Leases;
}

/** Runs the plan, if there is one, and its revisions by the planner, until the execution is closed. */
export async function runExecution(run: Run, planningError?: AgentErrorData): Promise<RunResult> {
  let expressions: PlanExpressions | undefined;
  let plan = planningError === undefined ? run.state.plan : undefined;
  while (plan !== undefined) {
    const compiling = compileExpressions(plan.steps);
    expressions = compiling && (await compiling);
    // A plan that is under way needs no approval, unless it still waits for it.
    const isNew = run.state.isUnderWay !== true;
    if ((isNew || run.approvalOf(undefined) !== undefined) && mayNeedPlanApproval(run)) await askAboutPlan(run, plan);
    await run.commandsRecorded();
    const approval = run.approvalOf(undefined);
    if (approval !== undefined && approval.status !== "approved") break;
    const { sequence } = run.state;
    await runSteps(run, plan, expressions);
    if (isAllDone(run)) break;
    const revised = await replan(run);
    await run.commandsRecorded();
    // Steps approved after all others ended must run, if they can; from here until the execution is closed nobody can
    // decide anything.
    const isStuck = run.state.sequence === sequence;
    if (revised === undefined && (isStuck || !hasAnswer(run))) break;
    plan = run.state.plan;
  }
  await endExecution(run, { planningError, expressions });
  return shownResult(run.state, run.engine, run);
}

/** By the tools of a run, which are mostly those of its engine. */
const fingerprints = new WeakMap<ReadonlyMap<string, DefinedTool>, readonly ToolFingerprint[]>();

/** The fingerprints of a run's tools, computed once. */
export async function fingerprintsOf(tools: ReadonlyMap<string, DefinedTool>): Promise<readonly ToolFingerprint[]> {
  const known = fingerprints.get(tools);
  if (known !== undefined) return known;
  const computed = Object.freeze(await Promise.all([...tools.values()].map(toolFingerprint)));
  fingerprints.set(tools, computed);
  return computed;
}
