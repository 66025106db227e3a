import { canonicalJson } from "./canonical-json.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { pendingStep, type StepState } from "./step-state.ts";
import { inputOf, toolOf } from "./wait-step.ts";

/** A step of a plan that has not started. */
export function plannedStep(step: PlanStep): StepState {
  return pendingStep({ stepId: step.id, tool: toolOf(step), input: inputOf(step), reasoning: step.reasoning });
}

/** The ids of the steps that a revised plan has left unchanged. */
export function unchangedSteps(before: Plan | undefined, after: Pick<Plan, "steps">): ReadonlySet<string> {
  const texts = new Map(before?.steps.map((step) => [step.id, canonicalJson(step)]));
  return new Set(after.steps.filter((step) => texts.get(step.id) === canonicalJson(step)).map(({ id }) => id));
}
