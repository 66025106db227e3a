import { checkPlan } from "../core/check-plan.ts";
import { AgentError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import type { Plan } from "../core/plan.ts";
import type { RunResult } from "../core/run-result.ts";
import { foldEvents, type RunState } from "../core/run-state.ts";
import type { StepPlace } from "../core/step-place.ts";
import { isOpen } from "../core/step-state.ts";
import type { ToolFingerprint } from "../core/tool-schemas.ts";
import { followCancel, type Opening, runsOf } from "./active-runs.ts";
import { outcomeOf } from "./approvals.ts";
import { conductLeg, fingerprintsOf } from "./conduct-leg.ts";
import type { Engine } from "./engine.ts";
import type { EngineSettings } from "./options.ts";
import type { Run } from "./run.ts";
import { type ContinueOptions, type RunSettings, resolveRunOptions } from "./run-options.ts";
import { readEvents } from "./stored-runs.ts";

/** What somebody has decided about a step, an iteration of one, or the plan. */
export interface Decision {
  /** Undefined for the plan. */
  readonly place: StepPlace | undefined;
  /** What was looked at: the hash of the input or of the plan. */
  readonly hash: string;
  readonly verdict: "approve" | "reject";
  readonly reason: string;
}

/** A decision on its way to a run. */
export interface Deciding extends Opening {
  readonly decision: Decision;
  readonly options: ContinueOptions;
}

/**
 * Decides in a run that is going on here, or brings it back from the store and goes on with it. Resolves to how its leg
 * ends. Rejects with what {@link restoreRun} and {@link decideIn} do.
 */
export async function decideRun(engine: Engine, deciding: Deciding): Promise<RunResult> {
  const { runId, decision, cancelling, channel } = deciding;
  const runs = runsOf(engine);
  for (;;) {
    const active = runs.active.get(runId);
    const restoring = runs.restoring.get(runId);
    if (restoring === undefined && active !== undefined && isDecidable(active.run)) {
      // Who is refused gets neither its events nor a hold on it.
      if (!isAsked(active.run.state, decision)) throw notPending(runId, decision);
      if (channel !== undefined) active.run.addChannel(channel);
      if (cancelling !== undefined) followCancel(active.run, cancelling);
      await decideIn(active.run, decision);
      return active.result;
    }
    if (active === undefined && restoring === undefined) return continueStored(engine, deciding);
    // What it waits for may go wrong for others, which is nothing to this decision.
    await (restoring ?? active?.run.deciding ?? active?.result)?.catch(() => {});
  }
}

/** Not before its leg has begun: it may yet turn out to be one that is only looked up in the store. */
function isDecidable({ isClosing, deciding, state }: Run): boolean {
  return !isClosing && deciding === undefined && state.status === "running";
}

/** No two decisions may bring back the same run: the second one waits, and finds it going on. */
async function continueStored(engine: Engine, deciding: Deciding): Promise<RunResult> {
  const { restoring } = runsOf(engine);
  const opening = openStored(engine, deciding).finally(() => restoring.delete(deciding.runId));
  restoring.set(deciding.runId, opening);
  return (await opening).leg;
}

/** Resolves when the next leg has begun, or has gone wrong before. */
async function openStored(engine: Engine, deciding: Deciding): Promise<{ readonly leg: Promise<RunResult> }> {
  const { runId, decision } = deciding;
  const runs = runsOf(engine);
  const { state, settings } = await restoreRun(engine.settings, runId, deciding);
  const run = runs.open(settings, deciding, state);
  run.keepHistory();
  const resuming = resume(run);
  const leg = runs.hold(
    run,
    resuming.then(() => conductDecision(run, decision)),
  );
  // It fails as this function does.
  leg.catch(() => {});
  await resuming;
  return { leg };
}

/** A stored run that can go on. */
interface RestoredRun {
  readonly state: RunState;
  readonly settings: RunSettings;
}

/**
 * Reads a run that waits for a decision, and sees that its plan still fits the tools. Rejects with `run-not-found`,
 * `run-conflict` if it does not wait for this, `resume-mismatch`, `invalid-options` or `store-failed`.
 */
async function restoreRun(
  engine: EngineSettings,
  runId: string,
  { decision, options }: { decision: Decision; options: ContinueOptions },
): Promise<RestoredRun> {
  const events = await readEvents(engine.store, runId);
  if (events.length === 0) {
    throw new AgentError("run-not-found", `There is no run "${runId}".`, { details: { runId } });
  }
  const state = foldEvents(runId, events);
  if (state.status !== "suspended" || !isAsked(state, decision)) throw notPending(runId, decision);
  const missing = (state.tools ?? []).filter(({ name }) => !engine.toolsByName.has(name));
  if (missing.length > 0)
    throw mismatch(
      runId,
      missing.map(({ name }) => `there is no tool "${name}" any more`),
    );
  const settings = resolveRunOptions(
    {
      ...state.options,
      context: state.context,
      metadata: state.metadata,
      tools: state.tools?.map(({ name }) => name),
      ...options,
    },
    engine,
    "restored",
  );
  return { state, settings };
}

/** Opens the next leg of a run. Rejects with `resume-mismatch`, or with what the store fails with. */
async function resume(run: Run): Promise<void> {
  const tools = await fingerprintsOf(run.settings.tools);
  const changedTools = await compareTools(run, tools);
  await run.emit({ type: "run-resume", tools, ...(changedTools.length > 0 && { changedTools }) });
  // Nothing of the leg has been told, and in the store the run waits as before.
  if (run.recorder.failure !== undefined) throw run.recorder.failure;
}

/** Conducts a leg to its end that begins with a decision. */
async function conductDecision(run: Run, decision: Decision): Promise<RunResult> {
  await decideIn(run, decision);
  return conductLeg(run);
}

/** Whether a run waits for a decision. */
function isAsked({ planApproval, steps }: RunState, { place, hash }: Decision): boolean {
  if (place === undefined) return planApproval?.status === "requested" && planApproval.hash === hash;
  const step = steps.get(place.stepId);
  const part = place.iteration === undefined ? step : step?.iterations?.states[place.iteration];
  return part?.status === "waiting" && part.approval?.status === "requested" && part.approval.hash === hash;
}

/** Records a decision in a run that is going on. Rejects with `run-conflict` if it does not wait for it. */
async function decideIn(run: Run, decision: Decision): Promise<void> {
  const { place, verdict, reason } = decision;
  if (!isAsked(run.state, decision)) throw notPending(run.runId, decision);
  await run.decide(place, outcomeOf(verdict, place, reason));
}

/** The tools whose schemas have changed, though what is left of the plan still holds. Rejects with `resume-mismatch`. */
async function compareTools(run: Run, now: readonly ToolFingerprint[]): Promise<readonly string[]> {
  const { state, settings } = run;
  const then = new Map(state.tools?.map((tool) => [tool.name, tool]));
  const changed = now.filter(({ name, schemaHash }) => then.get(name)?.schemaHash !== schemaHash);
  const reasons = now
    .filter(({ name, effect }) => then.get(name)?.effect !== effect)
    .map(({ name, effect }) => `the effect of "${name}" was ${then.get(name)?.effect} and is ${effect}`);
  if (changed.length > 0) {
    const { steps } = state.plan as Plan;
    const { issues } = await checkPlan(toJson(state.plan), { tools: settings.tools, maxSteps: steps.length });
    for (const { path, message } of issues) {
      const step = state.steps.get(steps[Number(path[1])]?.id ?? "");
      if (step === undefined || isOpen(step)) reasons.push(`${path.join(".")}: ${message}`);
    }
  }
  if (reasons.length > 0) throw mismatch(run.runId, reasons);
  return changed.map(({ name }) => name);
}

function mismatch(runId: string, reasons: readonly string[]): AgentError<"resume-mismatch"> {
  const message = `Run "${runId}" can not go on with the tools as they are now: ${reasons.join("; ")}.`;
  return new AgentError("resume-mismatch", message, { details: { runId, reasons } });
}

function notPending(runId: string, { place, hash }: Decision): AgentError<"run-conflict"> {
  const iteration = place?.iteration === undefined ? "" : `[${place.iteration}]`;
  const what = place === undefined ? "the plan" : `step "${place.stepId}"${iteration}`;
  const message = `Run "${runId}" does not wait for approval of ${what} with the hash ${hash}; see its pending items.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
