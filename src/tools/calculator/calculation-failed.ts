import { AgentError } from "../../core/errors.ts";
import type { CalculationProblem } from "../../core/tool-errors.ts";

/**
 * Why an expression has no value. The message states what was found and what would have worked, and ends with the
 * position of the character, counted from 1; `details.position` counts from 0.
 */
export function calculationFailed(
  problem: CalculationProblem,
  message: string,
  position: number,
): AgentError<"calculation-failed"> {
  return new AgentError("calculation-failed", `${message} (at character ${position + 1})`, {
    details: { problem, position },
  });
}

/** What an operation throws that does not know its position; the evaluation adds it. Never leaves the calculator. */
export class ArithmeticFault {
  constructor(
    readonly problem: CalculationProblem,
    readonly message: string,
  ) {}
}
