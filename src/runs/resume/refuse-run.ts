import { monotonicNow } from "../../async/clock.ts";
import { type AgentError, isAgentError } from "../../core/errors.ts";
import type { EventInit, Keyed } from "../../core/events.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { Hold } from "../../core/run-summary.ts";
import { toolOf } from "../../core/step.ts";
import { type RunTarget, withDefaults } from "../planning/run-target.ts";
import { shownResult } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { type RunSettings, resolveRunOptions } from "../run/run-options.ts";
import { evidenceOf } from "../run/run-recorder.ts";
import { secretsOf } from "../run/run-secrets.ts";
import { dataOf } from "../run/step-call.ts";
import { findWrongPart } from "../stored/parse-stored.ts";
import type { RunRegistry } from "../stored/run-registry.ts";
import { type RunStart, readStored, startEvent } from "./start-run.ts";

export type Refusal = { readonly runId: string; readonly options: Parameters<typeof resolveRunOptions>[0] } & (
  | { readonly target: RunTarget; readonly error: AgentError }
  | { readonly request: string | undefined; readonly hold: Hold }
);

/** Takes no lease: if an execution starts meanwhile, the store refuses whichever events come second. */
export async function refuseRun(runs: RunRegistry, refusal: Refusal): Promise<RunResult> {
  const { runId, options } = refusal;
  const startedMs = monotonicNow(runs.settings.clock);
  const run = runs.open(readSettings(runs, options), { runId, startedMs });
  try {
    run.secrets = await secretsOf(run.engine, { runId, tools: run.settings.tools });
    if (run.engine.evidence) run.evidence = await evidenceOf(run.engine);
    await readStored(run);
    const events = "hold" in refusal ? await createHeld(run, refusal) : await createRefused(run, refusal);
    run.enter("ending");
    await run.recorder.emitTogether(events.map((event) => run.secrets?.hideInEvent(event) ?? event));
    if (run.recorder.failure !== undefined) throw run.recorder.failure;
    return shownResult(run.state, run.engine, run);
  } finally {
    run.close();
  }
}

function readSettings({ settings }: RunRegistry, options: Refusal["options"]): RunSettings {
  try {
    return resolveRunOptions(options, settings, "restored");
  } catch {
    return resolveRunOptions({}, settings);
  }
}

async function createRefused(run: Run, { target, error }: Extract<Refusal, { error: Error }>): Promise<EventInit[]> {
  const outcome = { status: error.code === "cancelled" ? "cancelled" : "failed", error: dataOf(run, error) } as const;
  const start = await createStart(run, target);
  const { steps = [] } = start.plan ?? {};
  const skip = (step: PlanStep): EventInit => {
    return { type: "step-skip", stepId: step.id, tool: toolOf(step), reason: "run-ended" };
  };
  return [start, ...steps.map(skip), { type: "run-end", outcome }];
}

async function createHeld(run: Run, { request, hold }: Extract<Refusal, { hold: Hold }>): Promise<EventInit[]> {
  const start = await startEvent(run, request === undefined ? undefined : { request });
  return [start, { type: "run-suspend", pending: [{ ...hold, isUnstarted: true }] }];
}

async function createStart(run: Run, target: RunTarget): Promise<RunStart> {
  if ("request" in target) return startEvent(run, target);
  try {
    run.secrets?.requireSealable(target.plan);
    const start = await startEvent(run, { plan: withDefaults(run.engine, target.plan) });
    if (findWrongPart(start as unknown as Keyed) === undefined) return start;
  } catch (thrown) {
    if (!isAgentError(thrown, "invalid-plan")) throw thrown;
  }
  return startEvent(run, { request: "" });
}
