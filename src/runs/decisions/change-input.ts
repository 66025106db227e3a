import { type ChangedCall, hashCall } from "../../core/approval.ts";
import { copyJson, type JsonObject } from "../../core/json.ts";
import { findUnknownKeys } from "../../core/json-schema.ts";
import type { RunState } from "../../core/run-state.ts";
import { parseWith, type SchemaIssue } from "../../core/schema.ts";
import { describeStepRef, type StepRef } from "../../core/step.ts";
import { instanceAt, type StepState } from "../../core/step-state.ts";
import type { DefinedTool, ToolEffect } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import type { EngineSettings } from "../options.ts";
import type { Run } from "../run.ts";
import { notWaiting, resumeMismatch } from "../run-errors.ts";
import { opened, sealChange } from "../secrets/secrets-of-run.ts";
import { effectOf } from "../steps/prepare-step.ts";
import { type FailedTask, invalidInput, toolFailed } from "../steps/step-errors.ts";

/**
 * The call that results from the input its approver supplies; undefined if that is its present input. `hash` is that of
 * the call that was decided about. Rejects with `run-conflict` if it may not be changed, `invalid-tool-input`, `tool-failed` if the tool fails to state its effect,
 * and `resume-mismatch` if there is no such tool.
 */
export async function changeCall(
  { toolsByName }: EngineSettings,
  { state, secrets }: Pick<Run, "state" | "secrets">,
  { ref, hash, input: given }: { readonly ref: StepRef; readonly hash: string; readonly input: JsonObject },
): Promise<ChangedCall | undefined> {
  const step = instanceAt(state.steps, ref) as StepState;
  const reason = whyFixed(state, step);
  if (reason !== undefined) throw notWaiting(state.runId, `the input of step "${describeStepRef(ref)}" ${reason}`);
  const tool = toolsByName.get(step.tool);
  if (tool === undefined) throw resumeMismatch(state.runId, [`there is no tool "${step.tool}" any more`]);
  const task = {
    step: { id: ref.stepId, tool: tool.name },
    iteration: ref.iteration === undefined ? undefined : { index: ref.iteration },
  };
  const input = await sealChange(secrets, { step, input: given });
  const called = opened({ secrets }, input);
  const parsed = await parseWith(tool.inputSchema, copyJson(called));
  const issues = parsed.ok ? await unknownKeys(tool, called) : parsed.issues;
  if (!parsed.ok || issues.length > 0) throw invalidInput(task, issues);
  const effect = readEffect(tool, { parsed: parsed.value, task });
  const call = { ...ref, tool: tool.name, effect, input };
  const changed = { input, effect, hash: await (secrets?.isIn(input) ? secrets.hashCall(call) : hashCall(call)) };
  return changed.hash === hash ? undefined : changed;
}

function readEffect(tool: DefinedTool, { parsed, task }: { parsed: unknown; task: FailedTask }): ToolEffect {
  try {
    return effectOf(tool, parsed);
  } catch (thrown) {
    throw toolFailed(task, [], thrown);
  }
}

/** Why the input of a step may not be changed; undefined if it may. */
function whyFixed({ options }: RunState, { attempts }: StepState): string | undefined {
  if (options?.approvedHash !== undefined)
    return "was approved with the plan (approvedHash): approve it unchanged, or reject it";
  if (attempts > 0)
    return "was passed to its tool before, and its idempotencyKey stands for it: approve it unchanged, or reject it";
  return undefined;
}

/** A key that the schema would drop is a mistake of its author, as in a plan. */
async function unknownKeys(tool: DefinedTool, input: JsonObject): Promise<readonly SchemaIssue[]> {
  const { input: schema } = await toolSchemas(tool);
  return findUnknownKeys(schema, input).map((path) => ({ path, message: `"${tool.name}" has no such input` }));
}
