import {
  ArithmeticFault,
  asRounded,
  Decimal,
  guardDigits,
  isExact,
  nearestNumber,
  overflow,
  precision,
  zero,
} from "../../core/decimal.ts";
import { cutText } from "../../core/text.ts";
import { type FunctionName, findConstant, marksItself, operators, ruleOf, workOf } from "./functions.ts";
import { calculationFailed, type Instruction, maxQuoted, parse, unknownName } from "./parse.ts";

export interface EvaluateOptions {
  /** A variable hides the constant of the same name. */
  readonly variables?: Readonly<Record<string, number>> | undefined;
  readonly maxLength?: number | undefined;
  readonly maxDepth?: number | undefined;
}

const maxVariables = 1_000;

export function evaluate(expression: string, options: EvaluateOptions = {}): number {
  const { maxLength = 10_000, maxDepth = 2_000 } = options;
  const variables = readVariables(options.variables);
  const instructions = parse(expression, { maxLength, maxDepth, isVariable: (name) => variables.has(name) });
  return evaluateDecimals(instructions, variables);
}

/** Returns a map, so that a name can never reach a prototype. */
function readVariables(given: Readonly<Record<string, number>> = {}): ReadonlyMap<string, number> {
  const variables = new Map(Object.entries(given));
  const fail = (message: string): never => {
    throw calculationFailed("invalid-variable", message, 0);
  };
  if (variables.size > maxVariables)
    fail(`There are ${variables.size} variables; at most ${maxVariables} are allowed.`);
  for (const [name, value] of variables) {
    const quoted = JSON.stringify(cutText(name, maxQuoted));
    const rule = "names consist of A-Z, a-z, 0-9 and _, and do not start with a digit";
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) fail(`The variable name ${quoted} is not allowed; ${rule}.`);
    if (!Number.isFinite(value)) fail(`The variable ${quoted} must be a finite number.`);
  }
  return variables;
}

/** In units of about 2 µs: 20 ms in all, or 4 ms once the process is warm. */
const maxWork = 10_000;

export function evaluateDecimals(instructions: readonly Instruction[], variables: ReadonlyMap<string, number>): number {
  const stack: Decimal[] = [];
  const pop = () => stack.pop() ?? zero();
  let position = 0;
  let spent = 0;
  const spend = (work: number) => {
    spent += work;
    if (spent <= maxWork) return;
    throw new ArithmeticFault("too-complex", "The expression needs too much work up to here; split it into several.");
  };
  const step = (instruction: Instruction): Decimal => {
    switch (instruction.type) {
      case "number":
        return literal(instruction.text);
      case "name":
        return namedValue(instruction.name, instruction.position, variables);
      case "operator": {
        const { operator } = instruction;
        const rule = operators[operator];
        const right = pop();
        spend(workOf(operator, right));
        return rule.apply("isUnary" in rule ? right : pop(), right);
      }
      case "call": {
        const { name, argumentCount } = instruction;
        const all = stack.splice(-argumentCount);
        const [first = zero(), second = zero()] = all;
        const [, maxArguments, work, apply] = ruleOf(name);
        spend(Number.isFinite(maxArguments) ? work : work * argumentCount);
        if (name === "factorial") spend(workOf("factorial", first));
        if (name === "pow") spend(workOf("power", second));
        return markCall(name, all, apply(first, second, all));
      }
    }
  };
  try {
    for (const instruction of instructions) {
      position = instruction.position;
      stack.push(step(instruction));
    }
    return nearestNumber(pop(), firstWithExponent);
  } catch (thrown) {
    if (thrown instanceof ArithmeticFault) throw calculationFailed(thrown.problem, thrown.message, position);
    throw thrown;
  }
}

/** From this size on, JSON writes an exponent and 17 digits, which show the rounding. */
const firstWithExponent = 1e21;

function literal(text: string): Decimal {
  const value = new Decimal(text);
  if (!value.isFinite()) throw overflow();
  return value.precision() > precision ? asRounded(value.toSignificantDigits(precision)) : value;
}

/** Keeps a result with few digits exact, such as sqrt(4). A function of rounded values may lose digits. */
function markCall(name: FunctionName, given: readonly Decimal[], result: Decimal): Decimal {
  if (marksItself.has(name) || !isExact(result) || given.includes(result)) return result;
  if (!given.every(isExact)) return asRounded(result, precision - 10);
  return result.precision() > precision / 2 ? asRounded(result, precision - guardDigits) : result;
}

function namedValue(name: string, position: number, variables: ReadonlyMap<string, number>): Decimal {
  const value = variables.get(name);
  if (value !== undefined) return new Decimal(value);
  const constant = findConstant(name);
  if (constant === undefined) throw unknownName(name, position, [...variables.keys()]);
  return literal(constant);
}
