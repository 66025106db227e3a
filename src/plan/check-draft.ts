import { AgentError } from "../core/errors.ts";
import type { PlanInput, PlanSource, PlanStep } from "../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { isDoneRecord } from "../core/run-result.ts";
import { readZod3 } from "../core/schema-zod3.ts";
import { languageOf } from "./expressions.ts";
import { checkOnce, invalidPlan } from "./validate-plan.ts";

export interface CheckedDraft extends PlanDraft {
  readonly source: PlanSource;
}

export async function checkDraft(
  planner: Planner,
  draft: unknown,
  request: PlanRequest | ReplanRequest,
): Promise<CheckedDraft> {
  readZod3();
  const { steps: added, source: given } = draftOf(planner, draft);
  const { kept, started } = "plan" in request ? readLog(request) : nothingDone;
  const source = { planner: planner.name, ...(given as object | undefined) };
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const scope = { tools, maxSteps: request.maxSteps, expressions: languageOf(request) };
  const { plan, issues } = await checkOnce({ source, steps: stepsAfter(kept, added) }, scope);
  const complaint = describeInvalid(planner);
  if (plan === undefined) throw invalidPlan(complaint, issues);
  const own = stepsFrom(plan, kept.length);
  const index = own.findIndex(({ id }) => started.has(id));
  if (index === -1) return { steps: own, source: plan.source ?? source };
  const message = `"${own[index]?.id}" has started; a step that is to be tried again needs a new id.`;
  throw invalidPlan(complaint, [{ code: "duplicate-id", path: ["steps", kept.length + index, "id"], message }]);
}

export function draftOf({ name }: Planner, draft: unknown): { readonly steps?: unknown; readonly source?: unknown } {
  if (typeof draft === "object" && draft !== null) return draft;
  const message = `The planner "${name}" returned no plan.`;
  throw new AgentError("planning-failed", message, { details: { planner: name } });
}

export function describeInvalid({ name }: Pick<Planner, "name">): string {
  return `The planner "${name}" made an invalid plan`;
}

/** Returns the same list if no steps are kept, because that list may already be known to be valid. */
export function stepsAfter(kept: readonly PlanStep[], added: unknown): unknown {
  return Array.isArray(added) && kept.length > 0 ? [...kept, ...added] : added;
}

export function stepsFrom({ steps }: PlanInput, index: number): readonly PlanStep[] {
  return (index === 0 ? steps : steps.slice(index)) as readonly PlanStep[];
}

export function afterDone(step: PlanStep): PlanStep {
  return step.dependsOn === undefined ? { ...step, dependsOn: [] } : step;
}

const nothingDone = { kept: [] as readonly PlanStep[], started: new Set<string>() };

function readLog({ plan, steps }: ReplanRequest): typeof nothingDone {
  const started = new Set(
    steps.filter(({ status }) => status !== "pending" && status !== "waiting").map(({ stepId }) => stepId),
  );
  const undone = new Set(steps.filter((record) => !isDoneRecord(record)).map(({ stepId }) => stepId));
  return { kept: plan.steps.filter(({ id }) => !undone.has(id)).map(afterDone), started };
}
