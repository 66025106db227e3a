import type { DevelopmentRow } from "./read-shared.ts";

/** Whether the only step of a request is a calculation. */
export function isCalculation({ expect: { steps = [] } }: DevelopmentRow): boolean {
  return steps[0]?.tool === "calculator";
}

/** Whether the operation is only implied by a story: refused by design. */
export function isWordProblem({ reason = "" }: DevelopmentRow): boolean {
  return reason.startsWith("word-problem");
}
