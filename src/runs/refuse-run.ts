import { monotonicNow } from "../async/clock.ts";
import { type AgentError, isAgentError } from "../core/errors.ts";
import type { EventInit, Keyed } from "../core/events.ts";
import type { RunResult } from "../core/run-result.ts";
import { toolOf } from "../core/step.ts";
import { startEvent } from "./execute-run.ts";
import { wrongKeyOf } from "./parse-stored.ts";
import type { Run } from "./run.ts";
import { type RunSettings, resolveRunOptions } from "./run-options.ts";
import { evidenceOf } from "./run-recorder.ts";
import type { RunRegistry } from "./run-registry.ts";
import { fillIn, type RunTarget } from "./run-target.ts";
import { requireSealable, secretsOf } from "./secrets/secrets-of-run.ts";
import { shownResult } from "./show.ts";
import { dataOf } from "./steps/step-errors.ts";

/** A run of which nothing is to be executed. */
export interface Refusal {
  readonly runId: string;
  readonly target: RunTarget;
  /** Those of the run, none of which is recorded if one of them is invalid. */
  readonly options: Parameters<typeof resolveRunOptions>[0];
  /** Why: for `cancelled`, it ends so, and else it has failed. */
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
