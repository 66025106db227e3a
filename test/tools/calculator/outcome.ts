import { CalculatorError } from "../../../src/tools/calculator/calculator-error.ts";
import { type EvaluateOptions, evaluate } from "../../../src/tools/calculator/evaluate.ts";

/** The value of an expression, or the code and position of its error. */
export async function outcome(expression: string, options?: EvaluateOptions): Promise<number | string> {
  try {
    return await evaluate(expression, options);
  } catch (error) {
    if (error instanceof CalculatorError) return `${error.code} at ${error.details.position}`;
    throw error;
  }
}

/** The error of an expression that has no value. */
export async function failure(expression: string, options?: EvaluateOptions): Promise<CalculatorError> {
  try {
    const value = await evaluate(expression, options);
    throw new Error(`${expression} is ${value}, not an error`);
  } catch (error) {
    if (error instanceof CalculatorError) return error;
    throw error;
  }
}
