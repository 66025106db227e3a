import { AgentError } from "../core/errors.ts";
import { canonicalPlan } from "../core/hash-plan.ts";
import { toJson } from "../core/json.ts";
import { maxPlanBytes, type PlanInput } from "../core/plan.ts";
import { type RunResult, toRunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import type { EngineSettings } from "./options.ts";

/** What a run is of: a request to plan, or a plan as it was given. */
export type RunTarget = { readonly request: string } | { readonly plan: PlanInput };

/** What makes two runs of one id the same: the request's text, or what the plan's hash is made of. */
export function identityOf(target: RunTarget, { maxRequestLength }: Pick<EngineSettings, "maxRequestLength">): string {
  // No more of a request is stored than it may be long.
  if ("request" in target)
    return typeof target.request === "string" ? `request ${target.request.slice(0, maxRequestLength)}` : "no text";
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  // What is not JSON is no plan, and validation will say why.
  if (!json.ok || typeof json.value !== "object" || json.value === null) return "not a plan";
  return `plan ${canonicalPlan(json.value as unknown as PlanInput)}`;
}

/** The result of a stored run. Throws `run-conflict` if it was of something else, `run-owned-elsewhere` if it still goes on. */
export function storedResult(
  state: RunState,
  { identity, settings }: { identity: string; settings: EngineSettings },
): RunResult {
  const { request, plan, runId, status } = state;
  const stored: RunTarget = request === undefined ? { plan: plan as PlanInput } : { request };
  if (identityOf(stored, settings) !== identity) throw runConflict(runId);
  if (status === "planning" || status === "running") throw runElsewhere(runId);
  return toRunResult(state);
}

/** A run id was given for something else before. */
export function runConflict(runId: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" was started with another request or plan. Use a new runId, or the same request.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}

function runElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  const message = `Run "${runId}" has begun elsewhere and has not ended; its result is not known here.`;
  return new AgentError("run-owned-elsewhere", message, { details: { runId } });
}
