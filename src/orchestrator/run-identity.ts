import { AgentError } from "../core/errors.ts";
import { canonicalPlan } from "../core/hash-plan.ts";
import { toJson } from "../core/json.ts";
import { maxPlanBytes, type PlanInput } from "../core/plan.ts";
import type { RunState } from "../core/run-state.ts";
import type { Leases } from "./leases.ts";
import type { EngineSettings } from "./options.ts";

/** What a run is of: a request to plan, or a plan as it was given. */
export type RunTarget = { readonly request: string } | { readonly plan: PlanInput };

/** What a run starts with; `identity` is that of one whose id the caller gave. */
export interface RunStart {
  readonly target: RunTarget;
  readonly identity?: string;
  /** Called when its first event is recorded. */
  readonly onStarted?: () => void;
  /** By which it is claimed. */
  readonly leases: Leases;
}

/** What a run was started with. */
export function targetOf({ request, givenPlan }: RunState): RunTarget {
  return request === undefined ? { plan: givenPlan as PlanInput } : { request };
}

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

/** A run id was given for something else before. */
export function runConflict(runId: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" was started with another request or plan. Use a new runId, or the same request.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
