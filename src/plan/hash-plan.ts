import { AgentError } from "../core/errors.ts";
import { canonicalJson, sha256, toJson } from "../core/json.ts";
import { type AnyPlan, maxPlanBytes, type PlanIssue } from "../core/plan.ts";
import { planVersionOf, withInputs } from "../core/step.ts";

/**
 * Returns the SHA-256 of the version, request and steps of a plan, as 64 lowercase hex digits. They are hashed as the
 * canonical form of the JSON that runs (a `Date` is ISO text). A missing version counts as 1 (2 if a step waits), a
 * missing request as "" and a missing input as {}. Id, source and time do not count. Tools are not checked. Rejects
 * with `invalid-plan` if the plan is not JSON or has no steps. {@includeCode ../../examples/04-approve-a-plan.ts}
 * @group Plans
 */
export async function hashPlan(plan: AnyPlan): Promise<string> {
  const json = toJson(plan, { maxBytes: maxPlanBytes });
  if (!json.ok) throw notHashed({ code: "not-json", ...json.issue });
  const copy = json.value as Partial<AnyPlan> | null;
  if (!Array.isArray(copy?.steps))
    throw notHashed({ code: "invalid-shape", path: ["steps"], message: "a plan must have steps" });
  return sha256(canonicalPlan(copy as AnyPlan));
}

function notHashed(issue: PlanIssue): AgentError<"invalid-plan"> {
  const message = `The plan cannot be hashed: ${[...issue.path, issue.message].join(": ")}`;
  return new AgentError("invalid-plan", message, { details: { issues: [issue] } });
}

export function canonicalPlan(plan: AnyPlan): string {
  const { steps, version = planVersionOf(steps), request = "" } = withInputs(plan);
  return canonicalJson({ version, request, steps });
}
