import { ArithmeticFault, calculationFailed, unknownName } from "./calculation-failed.ts";
import {
  constantTexts,
  Decimal,
  factorialWork,
  operators,
  overflow,
  powerWork,
  precision,
  workOf,
  zero,
} from "./decimal.ts";
import { functions } from "./decimal-functions.ts";
import { Fraction, isUnary, operateOnFractions } from "./fraction.ts";
import { type ConstantName, type FunctionName, findConstant, signatureOf } from "./functions.ts";
import type { Instruction, Operator } from "./parse.ts";

/** Maximum work for one expression, in units of about 2 µs: some 20 ms in a new process, a fifth of that later. */
const maxWork = 10_000;

/**
 * Evaluates with decimals of 40 digits and returns the JavaScript number nearest to the result; a result smaller than
 * the smallest JavaScript number is 0.
 *
 * Throws `calculation-failed` for every problem except those of the parser.
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
    if (thrown instanceof ArithmeticFault) throw calculationFailed(thrown.problem, thrown.message, position);
    throw thrown;
  }
}

/** Exact fractions as long as possible, as they are faster; decimals after that. */
type Value = Fraction | Decimal;

class DecimalEvaluation {
  private readonly stack: Value[] = [];
  private readonly constants = new Map<ConstantName, Decimal>();
  private work = 0;

  constructor(private readonly variables: ReadonlyMap<string, number>) {}

  step(instruction: Instruction): void {
    switch (instruction.type) {
      case "number":
        this.stack.push(Fraction.parse(instruction.text) ?? literal(instruction.text));
        return;
      case "name":
        this.stack.push(this.named(instruction.name, instruction.position));
        return;
      case "operator":
        this.stack.push(this.operate(instruction.operator));
        return;
      case "call":
        this.stack.push(this.call(instruction.name, instruction.argumentCount));
    }
  }

  result(): number {
    const value = this.pop().toNumber();
    if (!Number.isFinite(value)) throw overflow();
    return value + 0;
  }

  private operate(operator: Operator): Value {
    const right = this.pop();
    const left = isUnary(operator) ? right : this.pop();
    if (left instanceof Fraction && right instanceof Fraction) {
      const exact = operateOnFractions(operator, left, right);
      if (exact !== undefined) return exact;
    }
    const operands = [toDecimal(left), toDecimal(right)] as const;
    this.spend(workOf(operator, operands[1]));
    return operators[operator](...operands);
  }

  private call(name: FunctionName, argumentCount: number): Value {
    const given = this.stack.splice(-argumentCount);
    const [left, right] = given;
    if (name === "mod" && left instanceof Fraction && right instanceof Fraction) {
      const exact = operateOnFractions("remainder", left, right);
      if (exact !== undefined) return exact;
    }
    const all = given.map(toDecimal);
    const [first = zero(), second] = all;
    const { work, maxArguments } = signatureOf(name);
    this.spend(Number.isFinite(maxArguments) ? work : work * argumentCount);
    if (name === "factorial") this.spend(factorialWork(first));
    if (name === "pow" && second !== undefined) this.spend(powerWork(second));
    return functions[name](first, second, all);
  }

  private named(name: string, position: number): Decimal {
    const value = this.variables.get(name);
    if (value !== undefined) return new Decimal(value);
    const constant = findConstant(name);
    if (constant === undefined) throw unknownName(name, position, [...this.variables.keys()]);
    return this.constant(constant);
  }

  private constant(name: ConstantName): Decimal {
    const value = this.constants.get(name) ?? literal(constantTexts[name]);
    this.constants.set(name, value);
    return value;
  }

  private spend(work: number): void {
    this.work += work;
    if (this.work <= maxWork) return;
    throw new ArithmeticFault("too-complex", "The expression needs too much work by here; split it into several.");
  }

  private pop(): Value {
    return this.stack.pop() ?? zero();
  }
}

/** A number as written, rounded to 40 digits. */
function literal(text: string): Decimal {
  const value = new Decimal(text);
  if (!value.isFinite()) throw overflow();
  return text.length > precision ? value.toSignificantDigits(precision) : value;
}

function toDecimal(value: Value): Decimal {
  if (!(value instanceof Fraction)) return value;
  const numerator = new Decimal(value.numerator);
  return value.denominator === 1 ? numerator : numerator.div(value.denominator);
}
