import { ArithmeticFault, calculationFailed, unknownName } from "./calculation-failed.ts";
import { constantTexts, Decimal, operators, overflow, precision, workOf, zero } from "./decimal.ts";
import { functions } from "./decimal-functions.ts";
import { findConstant, signatureOf } from "./functions.ts";
import type { Instruction } from "./parse.ts";

/** Maximum work for one expression, in units of about 2 µs: some 20 ms in a new process, a fifth of that later. */
const maxWork = 10_000;

/**
 * Evaluates with decimals of 40 digits and returns the JavaScript number nearest to the result; a result smaller than
 * the smallest JavaScript number is 0.
 *
 * Throws `calculation-failed` for every problem except those of the parser.
 */
export function evaluateDecimals(instructions: readonly Instruction[], variables: ReadonlyMap<string, number>): number {
  const stack: Decimal[] = [];
  const pop = () => stack.pop() ?? zero();
  let position = 0;
  let spent = 0;
  const spend = (work: number) => {
    spent += work;
    if (spent <= maxWork) return;
    throw new ArithmeticFault("too-complex", "The expression needs too much work by here; split it into several.");
  };
  const step = (instruction: Instruction): Decimal => {
    switch (instruction.type) {
      case "number":
        return literal(instruction.text);
      case "name":
        return namedValue(instruction.name, instruction.position, variables);
      case "operator": {
        const { operator } = instruction;
        const right = pop();
        spend(workOf(operator, right));
        return operators[operator](isUnary(operator) ? right : pop(), right);
      }
      case "call": {
        const { name, argumentCount } = instruction;
        const all = stack.splice(-argumentCount);
        const [first = zero(), second = zero()] = all;
        const { work, maxArguments } = signatureOf(name);
        spend(Number.isFinite(maxArguments) ? work : work * argumentCount);
        if (name === "factorial") spend(workOf("factorial", first));
        if (name === "pow") spend(workOf("power", second));
        return functions[name](first, second, all);
      }
    }
  };
  try {
    for (const instruction of instructions) {
      position = instruction.position;
      stack.push(step(instruction));
    }
    const value = pop().toNumber();
    if (!Number.isFinite(value)) throw overflow();
    return value + 0;
  } catch (thrown) {
    if (thrown instanceof ArithmeticFault) throw calculationFailed(thrown.problem, thrown.message, position);
    throw thrown;
  }
}

function isUnary(operator: keyof typeof operators): boolean {
  return operator === "negate" || operator === "percent" || operator === "factorial";
}

/** A number as written, rounded to 40 digits. */
function literal(text: string): Decimal {
  const value = new Decimal(text);
  if (!value.isFinite()) throw overflow();
  return text.length > precision ? value.toSignificantDigits(precision) : value;
}

function namedValue(name: string, position: number, variables: ReadonlyMap<string, number>): Decimal {
  const value = variables.get(name);
  if (value !== undefined) return new Decimal(value);
  const constant = findConstant(name);
  if (constant === undefined) throw unknownName(name, position, [...variables.keys()]);
  return literal(constantTexts[constant]);
}
