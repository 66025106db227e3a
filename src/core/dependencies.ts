import type { PlanStep } from "./plan.ts";
import { findReferences } from "./reference.ts";

/**
 * The ids of the steps that a step waits for, without repetition: `dependsOn` (or, where it is left out, the step before)
 * and every step that its input refers to.
 */
export function dependenciesOf(step: PlanStep, previous: PlanStep | undefined): ReadonlySet<string> {
  const ids = new Set(step.dependsOn ?? (previous ? [previous.id] : []));
  for (const { reference } of findReferences(step.input)) {
    if (reference !== undefined) ids.add(reference.stepId);
  }
  return ids;
}
