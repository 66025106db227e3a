import { checkPlan } from "../core/check-plan.ts";
import { AgentError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { maxPlanBytes, type PlanSource, type PlanStep } from "../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { isDoneRecord } from "../core/run-result.ts";

/** A draft that was checked against the tools, with its source. */
export interface CheckedDraft extends PlanDraft {
  readonly source: PlanSource;
}

/**
 * Returns a frozen copy of a planner's draft if it is valid: by itself, or in a replan after the steps that are done.
 * Rejects with `planning-failed` for anything that is not a plan, and with `invalid-plan`.
 */
export async function checkDraft(
  { name }: Planner,
  draft: unknown,
  request: PlanRequest | ReplanRequest,
): Promise<CheckedDraft> {
  if (typeof draft !== "object" || draft === null) {
    throw new AgentError("planning-failed", `The planner "${name}" answered with no plan.`, {
      details: { planner: name },
    });
  }
  const { steps: added, source: given } = draft as { readonly steps?: unknown; readonly source?: object };
  const { kept, started } = "plan" in request ? readLog(request) : nothingDone;
  const source = { planner: name, ...given };
  const steps = Array.isArray(added) ? [...kept, ...added] : added;
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const { maxSteps } = request;
  const { plan, issues } = await checkPlan(toJson({ source, steps }, { maxBytes: maxPlanBytes }), { tools, maxSteps });
  const [first] = issues;
  const complaint = `The planner "${name}" made an invalid plan`;
  if (first !== undefined || plan === undefined) {
    const more = issues.length > 1 ? ` And ${issues.length - 1} more.` : "";
    const what = first && `${first.code} at ${first.path.join(".") || "the plan"}: ${first.message}`;
    throw new AgentError("invalid-plan", `${complaint}: ${what}${more}`, { details: { issues } });
  }
  const own = plan.steps.slice(kept.length);
  const index = own.findIndex(({ id }) => started.has(id));
  if (index === -1) return { steps: own, source: plan.source ?? source };
  const message = `"${own[index]?.id}" has started; a step that is to be tried again needs a new id.`;
  const issue = { code: "duplicate-id", path: ["steps", kept.length + index, "id"], message } as const;
  throw new AgentError("invalid-plan", `${complaint}: ${message}`, { details: { issues: [issue] } });
}

const nothingDone = { kept: [] as readonly PlanStep[], started: new Set<string>() };

/**
 * The steps of a plan that are done, and the ids that have been used. A loop over no items is done, without a log
 * entry.
 */
function readLog({ plan, steps }: ReplanRequest): typeof nothingDone {
  const started = new Set<string>();
  const undone = new Set<string>();
  for (const record of steps) {
    const { stepId, status } = record;
    if (status !== "pending" && status !== "waiting") started.add(stepId);
    if (!isDoneRecord(record)) undone.add(stepId);
  }
  // A step without `dependsOn` waited for the one before it, which may be gone.
  const kept = plan.steps
    .filter(({ id }) => !undone.has(id))
    .map((step) => ({ ...step, dependsOn: step.dependsOn ?? [] }));
  return { kept, started };
}
