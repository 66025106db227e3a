import { toJson } from "../../core/json.ts";
import type { RunState } from "../../core/run-state.ts";
import { instancesOf, isDone, isOpen, type StepState } from "../../core/step-state.ts";
import type { ToolFingerprint } from "../../core/tool-schemas.ts";
import { checkPlan } from "../../plan/validate-plan.ts";
import type { EngineSettings } from "../options.ts";
import type { Run } from "../run.ts";
import { resumeMismatch } from "../run-errors.ts";
import { type ResumeOptions, type RunSettings, resolveRunOptions } from "../run-options.ts";
import { opened } from "../secrets/secrets-of-run.ts";

/**
 * The settings of a resumed run: those it started with, and those given again. Throws `invalid-options`, and, unless
 * the run is only to be cancelled, `resume-mismatch` if one of its tools, or the planner that it needs, is gone.
 */
export function restoreSettings(
  engine: EngineSettings,
  state: RunState,
  { isCancel, ...options }: ResumeOptions & { readonly isCancel?: true },
): RunSettings {
  const recorded = state.tools?.map(({ name }) => name) ?? [];
  const names = isCancel ? recorded.filter((name) => engine.toolsByName.has(name)) : recorded;
  const missing = names.filter((name) => !engine.toolsByName.has(name));
  const reasons = missing.map((name) => `there is no tool "${name}" any more`);
  if (engine.planner === undefined && !isCancel && isToBePlanned(state))
    reasons.push("its request is yet to be planned, and there is no planner");
  if (reasons.length > 0) throw resumeMismatch(state.runId, reasons);
  const { context, metadata } = state;
  return resolveRunOptions({ ...state.options, context, metadata, tools: names, ...options }, engine, "restored");
}

/** Whether a planner is asked when the run is resumed. */
function isToBePlanned({ plan, planningError, status }: RunState): boolean {
  return plan === undefined && (planningError === undefined || status === "failed");
}

/**
 * The tools whose schemas have changed, though the steps that may still run are valid with them; with `retriesFailed`,
 * those are all the steps that are not done. Rejects with `resume-mismatch`.
 */
export async function compareTools(
  run: Pick<Run, "state" | "settings" | "secrets">,
  { now, retriesFailed = false }: { readonly now: readonly ToolFingerprint[]; readonly retriesFailed?: boolean },
): Promise<readonly string[]> {
  const { state, settings } = run;
  const mayRun = (step: StepState) => (retriesFailed ? !isDone(step) : isOpen(step) || isCutOff(step));
  const then = new Map(state.tools?.map((tool) => [tool.name, tool]));
  const changed = now.filter(({ name, schemaHash }) => then.get(name)?.schemaHash !== schemaHash);
  const reasons = now
    .filter(({ name, effect }) => then.get(name)?.effect !== effect)
    .map(({ name, effect }) => `the effect of "${name}" was ${then.get(name)?.effect} and is ${effect}`);
  if (changed.length > 0 && state.plan !== undefined) {
    const { steps } = state.plan;
    const { issues } = await checkPlan(toJson(opened(run, state.plan)), {
      tools: settings.tools,
      maxSteps: steps.length,
    });
    const unfit = issues.flatMap(({ path, message }) => {
      const step = state.steps.get(steps[Number(path[1])]?.id ?? "");
      if (step !== undefined && !mayRun(step)) return [];
      const what = step === undefined ? "the plan" : `step "${step.stepId}" of "${step.tool}"`;
      return [`${what} no longer fits: ${path.join(".")}: ${message}`];
    });
    if (unfit.length > 0) reasons.push(...changed.map(({ name }) => `the schemas of "${name}" have changed`), ...unfit);
  }
  if (reasons.length > 0) throw resumeMismatch(state.runId, reasons);
  return changed.map(({ name }) => name);
}

/** Whether a step, or an iteration of one, was cut off, so that it runs again now or when somebody decides so. */
function isCutOff(step: StepState): boolean {
  for (const { status } of instancesOf([step])) if (status === "running" || status === "unknown") return true;
  return false;
}
