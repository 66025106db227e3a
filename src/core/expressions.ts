import type { JsonValue } from "./json.ts";
import type { PlanStep } from "./plan.ts";

/** The expressions of one step. */
export interface StepExpressions {
  readonly when?: object;
  readonly forEach?: object;
  readonly isWhenPerIteration: boolean;
  readonly names: ReadonlySet<string>;
  evaluate(key: "when" | "forEach", step: PlanStep, lookUp: (name: string) => JsonValue | undefined): JsonValue;
}
/** By step id. */
export type PlanExpressions = ReadonlyMap<string, StepExpressions>;

export function compileExpressions(_steps: readonly PlanStep[]): undefined | Promise<PlanExpressions> {
  return undefined;
}
