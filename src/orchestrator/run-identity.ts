import { AgentError } from "../core/errors.ts";
import { canonicalPlan } from "../core/hash-plan.ts";
import { toJson } from "../core/json.ts";
import { maxPlanBytes, type PlanInput } from "../core/plan.ts";
import type { RunState } from "../core/run-state.ts";
import type { Leases } from "./leases.ts";
import type { EngineSettings } from "./options.ts";

/** What a run executes: a request to plan, or a plan as given. */
export type RunTarget = { readonly request: string } | { readonly plan: PlanInput };

/** What a run starts with; `identity` is set if the caller gave its id. */
export interface RunStart {
  readonly target: RunTarget;
  readonly identity?: string;
  /** Called when its first event is recorded. */
  readonly onStarted?: () => void;
  /** The leases that claim it. */
  readonly leases: Leases;
}

/** What a run was started with. */
export function targetOf({ request, givenPlan }: RunState): RunTarget {
  return request === undefined ? { plan: givenPlan as PlanInput } : { request };
}

/** What makes two runs of one id the same: the request's text, or what the plan's hash covers. */
export function identityOf(target: RunTarget, { maxRequestLength }: Pick<EngineSettings, "maxRequestLength">): string {
  // A request is stored only up to its maximum length.
  if ("request" in target)
    return typeof target.request === "string" ? `request ${target.request.slice(0, maxRequestLength)}` : "no text";
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  // A value that is not JSON is not a plan, and validation will report why.
  if (!json.ok || typeof json.value !== "object" || json.value === null) return "not a plan";
  return `plan ${canonicalPlan(json.value as unknown as PlanInput)}`;
}

/** A run id was used for something else before. */
export function runConflict(runId: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" was started with another request or plan. Use a new runId, or the same request.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
