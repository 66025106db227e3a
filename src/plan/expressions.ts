import { countPending } from "../async/promises.ts";
import type { PlanStep } from "../core/plan.ts";
import type { StepExpressions } from "./expressions/step-expressions.ts";

export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

/** By step, as ids may be repeated in a plan that is not checked yet. */
export type ParsedSteps = ReadonlyMap<PlanStep, StepExpressions>;

let language: typeof import("./expressions/step-expressions.ts") | undefined;

export function compileExpressions(steps: readonly PlanStep[]): undefined | Promise<PlanExpressions> {
  return withExpressions(steps, (found, { compileStep }) => new Map(found.map((step) => [step.id, compileStep(step)])));
}

export function parseExpressions(steps: readonly (PlanStep | undefined)[]): undefined | Promise<ParsedSteps> {
  return withExpressions(steps, (found, { parseStep }) => new Map(found.map((step) => [step, parseStep(step)])));
}

function withExpressions<TResult>(
  steps: readonly (PlanStep | undefined)[],
  use: (found: readonly PlanStep[], loaded: NonNullable<typeof language>) => TResult,
): undefined | Promise<TResult> {
  const found = steps.filter((step) => step?.when !== undefined || step?.forEach !== undefined) as PlanStep[];
  if (found.length === 0) return undefined;
  const load = async () => {
    language ??= await countPending(import("./expressions/step-expressions.ts"));
    return use(found, language);
  };
  return load();
}
