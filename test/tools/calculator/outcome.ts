import { type AgentErrorLike, isAgentError } from "planwright";
import { type EvaluateOptions, evaluate } from "../../../src/tools/calculator/evaluate.ts";

/** The value of an expression, or the problem and position of its error. */
export async function outcome(expression: string, options?: EvaluateOptions): Promise<number | string> {
  try {
    return await evaluate(expression, options);
  } catch (error) {
    if (isAgentError(error, "calculation-failed")) return `${error.details.problem} at ${error.details.position}`;
    throw error;
  }
}

/** The error of an expression that has no value. */
export async function failure(
  expression: string,
  options?: EvaluateOptions,
): Promise<AgentErrorLike<"calculation-failed">> {
  try {
    const value = await evaluate(expression, options);
    throw new Error(`${expression} is ${value}, not an error`);
  } catch (error) {
    if (isAgentError(error, "calculation-failed")) return error;
    throw error;
  }
}
