import { dependenciesOf } from "../core/dependencies.ts";
import type { PlanExpressions } from "../core/expressions.ts";
import type { PlanStep } from "../core/plan.ts";

/** Which step waits for which in a plan, by index. */
export interface StepGraph {
  /** How many steps each one still waits for. */
  readonly waitingFor: number[];
  readonly dependents: readonly (readonly number[] | undefined)[];
}

/** The graph of a valid plan. */
export function buildGraph(steps: readonly PlanStep[], expressions: PlanExpressions | undefined): StepGraph {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const dependents: (number[] | undefined)[] = steps.map(() => undefined);
  const waitingFor = steps.map((step, index) => {
    const dependencies = dependenciesOf(step, steps[index - 1], expressions?.get(step.id));
    for (const id of dependencies) {
      const dependency = indexOf.get(id) as number;
      // Mostly one waits for a step: a list that starts empty would get room for 17.
      if (dependents[dependency] === undefined) dependents[dependency] = [index];
      else dependents[dependency].push(index);
    }
    return dependencies.length;
  });
  return { waitingFor, dependents };
}
