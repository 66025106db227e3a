import { ArithmeticFault, CalculatorError } from "./calculator-error.ts";
import { constantTexts, Decimal, overflow, precision, settle, zero } from "./decimal.ts";
import { functions } from "./decimal-functions.ts";
import { factorialWork, operators, powerWork, workOf } from "./decimal-operators.ts";
import { findConstant, signatureOf } from "./functions.ts";
import type { Instruction } from "./instruction.ts";
import { unknownName } from "./unexpected.ts";

/** Most work for one expression, in units of one addition (about 1 µs): some 20 ms in a process that has just started. */
const maxWork = 20_000;

/**
 * Evaluates with decimals of 40 digits and gives the JavaScript number nearest to the result; what is smaller than the
 * smallest number there is, is 0.
 *
 * Throws CalculatorError: every code but those of the parser.
 */
export function evaluateDecimals(instructions: readonly Instruction[], variables: ReadonlyMap<string, number>): number {
  const evaluation = new DecimalEvaluation(variables);
  let position = 0;
  try {
    for (const instruction of instructions) {
      position = instruction.position;
      evaluation.step(instruction);
    }
    return evaluation.result();
  } catch (thrown) {
    if (thrown instanceof ArithmeticFault) throw new CalculatorError(thrown.code, thrown.message, position);
    throw thrown;
  }
}

class DecimalEvaluation {
  private readonly stack: Decimal[] = [];
  private work = 0;

  constructor(private readonly variables: ReadonlyMap<string, number>) {}

  step(instruction: Instruction): void {
    switch (instruction.type) {
      case "number":
        this.stack.push(literal(instruction.text));
        return;
      case "name":
        this.stack.push(this.named(instruction.name, instruction.position));
        return;
      case "operator":
        this.operate(instruction);
        return;
      case "call":
        this.call(instruction);
    }
  }

  result(): number {
    const value = this.pop().toNumber();
    if (!Number.isFinite(value)) throw overflow();
    return value + 0;
  }

  private operate({ operator }: Instruction & { type: "operator" }): void {
    const right = this.pop();
    const isUnary = operator === "negate" || operator === "percent" || operator === "factorial";
    const left = isUnary ? right : this.pop();
    this.spend(workOf(operator, left, right));
    this.stack.push(operators[operator](left, right));
  }

  private call({ name, argumentCount }: Instruction & { type: "call" }): void {
    const all = this.stack.splice(-argumentCount);
    const [first = zero(), second] = all;
    const { work, maxArguments } = signatureOf(name);
    this.spend(Number.isFinite(maxArguments) ? work : work * argumentCount);
    if (name === "factorial") this.spend(factorialWork(first));
    if (name === "pow" && second !== undefined) this.spend(powerWork(first, second));
    this.stack.push(functions[name](first, second, all));
  }

  private named(name: string, position: number): Decimal {
    const value = this.variables.get(name);
    if (value !== undefined) return new Decimal(value);
    const constant = findConstant(name);
    if (constant === undefined) throw unknownName(name, position, [...this.variables.keys()]);
    return literal(constantTexts[constant]);
  }

  private spend(work: number): void {
    this.work += work;
    if (this.work <= maxWork) return;
    throw new ArithmeticFault("too-complex", "The expression needs too much work by here; split it into several.");
  }

  private pop(): Decimal {
    return this.stack.pop() ?? zero();
  }
}

/** A number as written, rounded to 40 digits. */
function literal(text: string): Decimal {
  // The library is far quicker with a number than with its text, and a small integer is exact as either.
  const value = new Decimal(/^[0-9]{1,7}$/.test(text) ? Number(text) : text);
  if (!value.isFinite()) throw overflow();
  return text.length > precision ? settle(value.plus(0)) : value;
}
