import { AgentError, type AgentErrorData, fromErrorData } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import { hashPlan } from "../core/hash-plan.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import { type RunResult, toRunResult } from "../core/run-result.ts";
import type { Tool } from "../core/tool.ts";
import { type ToolFingerprint, toolFingerprint } from "../core/tool-schemas.ts";
import type { EngineSettings } from "./options.ts";
import { markValid, planAndTell, requireValid } from "./plan-request.ts";
import type { Run } from "./run.ts";
import type { RunTarget } from "./run-identity.ts";
import type { RunSettings } from "./run-options.ts";
import { closeUnrecorded, outcomeOfSteps, runPlan } from "./run-plan.ts";

/** What a run begins with: a request, or a plan that holds. */
export type RunBeginning = { readonly request: string } | { readonly plan: Plan };

/**
 * What a run is of, ready to begin: a plan is checked, approved, copied and made whole. Rejects with `invalid-plan` or
 * `plan-not-approved`.
 */
export async function completeTarget(
  engine: EngineSettings,
  settings: RunSettings,
  target: RunTarget,
): Promise<RunBeginning> {
  if ("request" in target) return target;
  const plan = await requireValid(target.plan, settings, "The plan does not hold");
  await requireApproved(plan, settings);
  if (plan === target.plan) return { plan: plan as Plan };
  const { id = `plan_${engine.createId()}`, request = "", source = { planner: "given" } } = plan;
  const createdAt = plan.createdAt ?? new Date(engine.clock.now()).toISOString();
  const steps = plan.steps as Plan["steps"];
  return { plan: markValid(Object.freeze({ version: 1, id, request, source, createdAt, steps }), settings) };
}

async function requireApproved(plan: PlanInput, { approvedHash }: RunSettings): Promise<void> {
  if (approvedHash === undefined) return;
  const planHash = await hashPlan(plan);
  if (planHash === approvedHash) return;
  const message = `The plan's hash is ${planHash}, but ${approvedHash} was approved: the plan has changed since.`;
  throw new AgentError("plan-not-approved", message, { details: { approvedHash, planHash } });
}

/**
 * Conducts a run from its first event to its last: plan (if it began with a request), run the steps, close the leg.
 * Resolves to the result, whatever happened; rejects only with `run-conflict`, when another run of this id was recorded.
 */
export async function conductRun(run: Run, target: RunBeginning): Promise<RunResult> {
  await emitStart(run, target);
  const planned = "plan" in target ? { plan: target.plan } : await planInRun(run, target.request);
  if (planned.plan !== undefined) await runPlan(run, planned.plan);
  await closeLeg(run, planned.error);
  return toRunResult(run.state);
}

async function emitStart(run: Run, target: RunBeginning): Promise<void> {
  const { context, metadata, stored, tools } = run.settings;
  await run.emit({
    type: "run-start",
    // A request that is far too long is refused later; here it must not fill the store.
    ...("plan" in target ? target : { request: storedRequest(run, target.request) }),
    ...(context !== undefined && { context }),
    metadata,
    options: stored,
    tools: fingerprintsOf.get(tools) ?? (await fingerprint(tools)),
  });
  if (run.recorder.failure?.code === "run-conflict") throw run.recorder.failure;
}

function storedRequest({ engine }: Run, request: unknown): string {
  return typeof request === "string" ? request.slice(0, engine.maxRequestLength) : "";
}

/** By the tools of a run, which are mostly those of its engine. */
const fingerprintsOf = new WeakMap<ReadonlyMap<string, Tool>, readonly ToolFingerprint[]>();

async function fingerprint(tools: ReadonlyMap<string, Tool>): Promise<readonly ToolFingerprint[]> {
  const fingerprints = Object.freeze(await Promise.all([...tools.values()].map(toolFingerprint)));
  fingerprintsOf.set(tools, fingerprints);
  return fingerprints;
}

type Planned =
  | { readonly plan: Plan; readonly error?: undefined }
  | { readonly plan?: undefined; readonly error?: AgentErrorData };

async function planInRun(run: Run, request: string): Promise<Planned> {
  const { planner } = run.engine;
  if (run.abortReason !== undefined || planner === undefined) return {};
  const source = run.openSource();
  try {
    const emit = (event: EventInit) => run.emit(event);
    return { plan: await planAndTell(run.engine, { request, planner, settings: run.settings, source, emit }) };
  } catch (thrown) {
    return { error: (thrown as AgentError).toJSON() };
  } finally {
    run.release(source);
  }
}

async function closeLeg(run: Run, planningError: AgentErrorData | undefined): Promise<void> {
  const aborted = run.abortReason?.toJSON() as AgentErrorData | undefined;
  if (aborted !== undefined) {
    const status = aborted.code === "cancelled" ? "cancelled" : "failed";
    if (run.recorder.failure === undefined) await run.emit({ type: "run-end", outcome: { status, error: aborted } });
  } else if (planningError !== undefined) {
    await run.emit({ type: "run-end", outcome: { status: "failed", error: planningError } });
  } else {
    await emitOutcome(run);
  }
  if (run.recorder.failure !== undefined) closeBroken(run, run.recorder.failure.toJSON() as AgentErrorData);
}

async function emitOutcome(run: Run): Promise<void> {
  const outcome = outcomeOfSteps(run);
  switch (outcome.type) {
    case "suspended":
      return run.emit({ type: "run-suspend", pending: outcome.pending });
    case "failed":
      return run.emit({ type: "run-end", outcome: { status: "failed", error: outcome.error } });
    case "completed":
      return run.emit({ type: "run-end", outcome: { status: "completed", output: outcome.output } });
    default:
      outcome satisfies never;
  }
}

/** Closes the leg for listeners after the store has failed, be it with the last event. */
function closeBroken(run: Run, error: AgentErrorData): void {
  const end = { type: "run-end", outcome: { status: "failed", error } } as const;
  if (run.state.sequence === 0) {
    // Not even the first event was recorded: for a listener nothing has begun.
    run.recorder.fold(end);
  } else {
    closeUnrecorded(run, error);
    run.recorder.close(end);
  }
}

/** A result as the caller wants it: thrown where it failed and that was asked for. */
export function deliver<TTool extends Tool>(result: RunResult, { throwOnFailure }: RunSettings): RunResult<TTool> {
  const { status, error } = result;
  if (throwOnFailure && (status === "failed" || status === "cancelled")) throw fromErrorData(error);
  return result as RunResult<TTool>;
}
