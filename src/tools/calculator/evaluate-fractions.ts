import { Fraction, operateOnFractions } from "./fraction.ts";
import type { Instruction, Operator } from "./instruction.ts";

/**
 * Evaluates an expression with exact small fractions; undefined as soon as a value is not one, for any reason: then
 * evaluateDecimals returns the value or throws the error.
 */
export function evaluateFractions(
  instructions: readonly Instruction[],
  variables: ReadonlyMap<string, number>,
): number | undefined {
  const stack: Fraction[] = [];
  for (const instruction of instructions) {
    const result = step(stack, instruction, variables);
    if (result === undefined) return undefined;
    stack.push(result);
  }
  return stack[0]?.toNumber();
}

function step(
  stack: Fraction[],
  instruction: Instruction,
  variables: ReadonlyMap<string, number>,
): Fraction | undefined {
  switch (instruction.type) {
    case "number":
      return Fraction.parse(instruction.text);
    case "name":
      return fractionOf(variables.get(instruction.name));
    case "operator": {
      const right = stack.pop();
      const left = isUnary(instruction.operator) ? right : stack.pop();
      return left && right && operateOnFractions(instruction.operator, left, right);
    }
    case "call":
      return undefined;
  }
}

/** Whether an operator has only one operand. */
export function isUnary(operator: Operator): boolean {
  return operator === "negate" || operator === "percent" || operator === "factorial";
}

/** The fraction of a variable's shortest decimal form: 0.1 is a tenth. */
function fractionOf(value: number | undefined): Fraction | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value)) return Fraction.of(value, 1);
  const size = Fraction.parse(String(Math.abs(value)));
  return value < 0 && size ? Fraction.of(-size.numerator, size.denominator) : size;
}
