import type { AbortSource } from "../../async/abort.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { jsonOfParsed, toShownInput } from "../../core/approval.ts";
import { copyJson, type JsonObject } from "../../core/json.ts";
import { defined } from "../../core/option-tables.ts";
import type { Plan, PlanInput, PlanStep, ToolStep } from "../../core/plan.ts";
import { parseWith } from "../../core/schema.ts";
import { callsTool, inputOf, templateOf, toolOf } from "../../core/step.ts";
import type { DefinedTool, InferToolInput, Tool, ToolEffect } from "../../core/tool.ts";
import { addedByDefault } from "../../plan/added-defaults.ts";
import { compileExpressions } from "../../plan/expressions.ts";
import { hashPlan } from "../../plan/hash-plan.ts";
import { findReferences, resolveInput } from "../../plan/references.ts";
import { dependenciesOfSteps } from "../../plan/validate-plan.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import type { RunSettings } from "../run/run-options.ts";
import { type RunSecrets, secretsOf } from "../run/run-secrets.ts";
import { effectOf } from "../run/step-call.ts";
import { underSignal } from "./planning.ts";
import { completePlan } from "./run-target.ts";

/** Preview of a run. @group Plans */
export interface DryRun<TTool extends Tool = Tool> {
  /** The plan to execute, with its secrets. */
  readonly plan: Plan;
  /** Hash of the plan, for `approvedHash`. */
  readonly planHash: string;
  /** True if the run would wait for approval of the plan as a whole. */
  readonly needsApproval: boolean;
  readonly steps: readonly DryRunStep<TTool>[];
}

/** Preview of one step. Its `tool` narrows `input` if `open` is empty. @group Plans */
export type DryRunStep<TTool extends Tool = Tool> = TTool extends Tool
  ? {
      readonly stepId: string;
      readonly tool: TTool["name"];
      /** Input of the step before parsing, in which the references listed in `open` are not filled in. */
      readonly input: InferToolInput<TTool>;
      /** Defaults of the schema for missing fields, with list items keyed by index; absent if there are none. */
      readonly defaults?: JsonObject;
      /** References in the input whose values are known only when the plan runs. */
      readonly open: readonly string[];
      /** Ids of the steps that this step waits for. */
      readonly dependsOn: readonly string[];
      readonly when?: string;
      readonly forEach?: string;
      /** Effect of the step; `by-input` if it depends on values that are not known yet. */
      readonly effect: ToolEffect | "by-input";
      /** True if the step would wait for approval; `by-input` if that depends on values that are not known yet. */
      readonly needsApproval: boolean | "by-input";
      /** True if the tool can undo the step. */
      readonly canUndo: boolean;
      readonly reasoning?: string;
    }
  : never;

export function dryRun(engine: EngineSettings, settings: RunSettings, given: PlanInput): Promise<DryRun> {
  return underSignal(settings.signal, (source) =>
    settleOrAbort(previewPlan(engine, { settings, given, source }), source),
  );
}

async function previewPlan(
  engine: EngineSettings,
  { settings, given, source }: { settings: RunSettings; given: PlanInput; source: AbortSource },
): Promise<DryRun> {
  const plan = await completePlan(engine, settings, given);
  const dependencies = dependenciesOfSteps(plan.steps, await compileExpressions(plan.steps, engine.expressions));
  const secrets = await secretsOf(engine, { runId: "", tools: settings.tools });
  // The reasoning of a step may repeat a secret of a later step.
  const shown = secrets?.hidePlan(plan) ?? plan;
  const steps: DryRunStep[] = [];
  for (const [index, step] of plan.steps.entries()) {
    if (source.aborted) throw source.reason;
    const { id: stepId, when, forEach } = step;
    const tool = callsTool(step) ? settings.tools.get(step.tool) : undefined;
    const defaults = tool && addedByDefault(tool, step.input as JsonObject);
    const known = tool && (await getKnownAnswers(engine, { step: step as ToolStep, tool, secrets }));
    const { reasoning, ...planned } = shown.steps[index] as PlanStep;
    steps.push({
      stepId,
      tool: toolOf(step),
      input: copyJson(known?.input ?? inputOf(planned)),
      ...(defaults && Object.keys(defaults).length > 0 && { defaults }),
      open: findReferences(templateOf(step)).map(({ text }) => text),
      dependsOn: [...(dependencies[index] ?? [])],
      ...defined({ when, forEach }),
      effect: known?.effect ?? tool?.declaredEffect ?? "pure",
      needsApproval: known?.needsApproval ?? mayNeedApproval(engine, tool),
      canUndo: tool?.undo !== undefined,
      ...defined({ reasoning }),
    });
  }
  const { needsApproval } = engine;
  const mayAsk = needsApproval !== undefined && settings.stored.approvedHash === undefined;
  return {
    plan,
    planHash: await hashPlan(plan),
    needsApproval: mayAsk && (await isYes(() => needsApproval({ kind: "plan", plan: shown }))),
    steps,
  };
}

function mayNeedApproval(engine: EngineSettings, tool: DefinedTool | undefined): boolean | "by-input" {
  if (tool === undefined) return false;
  if (tool.declaredNeedsApproval === true) return true;
  return tool.needsApproval === undefined && engine.needsApproval === undefined ? false : "by-input";
}

async function getKnownAnswers(
  engine: EngineSettings,
  { step, tool, secrets }: { step: ToolStep; tool: DefinedTool; secrets: RunSecrets | undefined },
) {
  if (findReferences(step.input).length > 0) return undefined;
  const input = resolveInput(step, () => undefined);
  const parsed = await parseWith(tool.inputSchema, copyJson(input));
  if (!parsed.ok) return undefined;
  const { id: stepId, reasoning } = step;
  try {
    const effect = effectOf(tool, parsed.value);
    const given = { tool: tool.name, input, ...(reasoning && { reasoning }) };
    const hidden = secrets?.hideStep(given) ?? given;
    const json = jsonOfParsed(parsed.value, input);
    const shown = toShownInput(secrets?.hideParsed(tool.name, json, hidden.input) ?? json, hidden.input);
    const about = { kind: "step", stepId, ...hidden, ...shown, effect } as const;
    const needsApproval =
      (await isYes(() => tool.needsApproval?.(parsed.value))) || (await isYes(() => engine.needsApproval?.(about)));
    return { input: hidden.input, effect, needsApproval };
  } catch {
    return undefined;
  }
}

async function isYes(ask: () => unknown): Promise<boolean> {
  try {
    return Boolean(await ask());
  } catch {
    return true;
  }
}
