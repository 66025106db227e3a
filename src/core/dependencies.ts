import type { PlanStep } from "./plan.ts";
import { findReferences } from "./reference.ts";

/**
 * The ids of the steps that a step waits for, without repetition: `dependsOn` (or, where it is left out, the step before)
 * and every step that its input refers to.
 */
export function dependenciesOf(step: PlanStep, previous: PlanStep | undefined): readonly string[] {
  const written = step.dependsOn ?? (previous ? [previous.id] : none);
  const references = findReferences(step.input);
  if (references.length === 0 && written.length < 2) return written;
  const ids = new Set(written);
  for (const { reference } of references) if (reference !== undefined) ids.add(reference.stepId);
  return [...ids];
}

const none: readonly string[] = [];
