import type { PlanStep } from "../core/plan.ts";
import { inputOf, isIterationName } from "../core/step.ts";
import { type FoundReference, findReferences } from "./references.ts";

/** Parts of a step that are known already. */
interface KnownNames {
  /** The steps that its expressions name. @default none */
  readonly stepIds?: ReadonlySet<string>;
  /** The references of its input. @default they are found */
  readonly references?: readonly FoundReference[];
}

/**
 * The ids of the steps that a step waits for, each once: `dependsOn` (or, if left out, the step before) and every step
 * that its input or one of its expressions refers to.
 */
export function dependenciesOf(
  step: PlanStep,
  previous: PlanStep | undefined,
  { stepIds, references = findReferences(inputOf(step)) }: KnownNames = {},
): readonly string[] {
  const written = step.dependsOn ?? (previous ? [previous.id] : none);
  if (references.length === 0 && stepIds === undefined && written.length < 2) return written;
  const ids = new Set(written);
  for (const { reference } of references) {
    if (reference !== undefined && !isOfIteration(step, reference.stepId)) ids.add(reference.stepId);
  }
  for (const id of stepIds ?? none) ids.add(id);
  return [...ids];
}

/** True if a name in a step means the item or index of one of its iterations. */
export function isOfIteration({ forEach }: Pick<PlanStep, "forEach">, name: string): name is "item" | "index" {
  return forEach !== undefined && isIterationName(name);
}

/**
 * The ids of earlier steps that the expressions of a step name, without compiling them: words outside of quotes. A
 * variable of an expression may be mistaken for one.
 */
export function stepsNamedIn(
  { when = "", forEach = "" }: Pick<PlanStep, "when" | "forEach">,
  earlier: { has(id: string): boolean },
): ReadonlySet<string> {
  const code = `${when} ${forEach}`.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, " ");
  const words = code.match(/(?<![\w.])[A-Za-z_][\w-]*/g) ?? [];
  return new Set(words.filter((word) => earlier.has(word)));
}

const none: readonly string[] = [];
