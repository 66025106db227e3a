import { ArithmeticFault, calculationFailed, unknownName } from "./calculation-failed.ts";
import {
  add,
  constantTexts,
  Decimal,
  divide,
  factorial,
  one,
  operators,
  overflow,
  power,
  precision,
  remainder,
  settle,
  workOf,
  zero,
} from "./decimal.ts";
import { type FunctionName, findConstant, signatureOf } from "./functions.ts";
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

/** A function of the calculator; its number of arguments is already checked. A second that is left out is 0. */
type DecimalFunction = (first: Decimal, second: Decimal, all: readonly Decimal[]) => Decimal;

/** The maximum number of places for round(), on either side of the point. */
const maxPlaces = 400;

/** The implementation of each function; angles are in radians. */
export const functions: Readonly<Record<FunctionName, DecimalFunction>> = {
  acos: (value) => settle(halfPi().minus(arcSine(value, "acos"))),
  acosh: (value) =>
    settle(
      need(value, value.gte(1), "acosh needs a number of at least 1.").times(value).minus(1).sqrt().plus(value).ln(),
    ),
  asin: (value) => arcSine(value, "asin"),
  asinh: (value) => odd(value, (size) => size.times(size).plus(1).sqrt().plus(size).ln()),
  atan: arcTangent,
  atan2: (first, second) => angleOf(second, first),
  atanh: (value) =>
    odd(need(value, value.abs().lt(1), "atanh needs a number between -1 and 1."), (size) =>
      size.plus(1).div(one().minus(size)).ln().div(2),
    ),
  cos,
  cosh: (value) => settle(exponential(value).plus(exponential(value.negated())).div(2)),
  degrees: (value) => divide(value.times(180), pi()),
  exp: exponential,
  radians: (value) => settle(value.times(pi()).div(180)),
  sin,
  sinh: (value) => odd(value, (size) => exponential(size).minus(exponential(size.negated())).div(2)),
  tan,
  tanh: (value) => odd(value, hyperbolicTangent),
  abs: (value) => value.abs(),
  average,
  avg: average,
  mean: average,
  cbrt: (value) => settle(value.cbrt()),
  ceil: (value) => value.toDecimalPlaces(0, Decimal.ROUND_CEIL),
  factorial,
  floor: (value) => value.toDecimalPlaces(0, Decimal.ROUND_FLOOR),
  gcd: (_first, _second, all) => all.reduce(greatestCommonDivisor, zero()),
  hypot: (_first, _second, all) => settle(all.reduce((total, value) => total.plus(value.times(value)), zero()).sqrt()),
  lcm: (_first, _second, all) => all.reduce(leastCommonMultiple, one()),
  ln: (value) => settle(need(value, value.gt(0), "ln needs a number above 0.").ln()),
  log: (value, base, all) => logarithm(value, all.length > 1 ? base : new Decimal(10), "log"),
  log10: (value) => logarithm(value, new Decimal(10), "log10"),
  log2: (value) => logarithm(value, new Decimal(2), "log2"),
  max: (_first, _second, all) => all.reduce((most, value) => (value.greaterThan(most) ? value : most)),
  min: (_first, _second, all) => all.reduce((least, value) => (value.lessThan(least) ? value : least)),
  mod: remainder,
  pow: power,
  root,
  round,
  sign: (value) => new Decimal(value.isZero() ? 0 : value.isNegative() ? -1 : 1),
  sqrt: (value) => {
    const message = "sqrt needs a number of at least 0; the root of a negative number is not real.";
    return settle(need(value, value.gte(0), message).sqrt());
  },
  sum: (_first, _second, all) => total(all),
  trunc: (value) => value.toDecimalPlaces(0, Decimal.ROUND_DOWN),
};

function total(values: readonly Decimal[]): Decimal {
  return values.reduce(add, zero());
}

function average(_first: Decimal, _second: Decimal, all: readonly Decimal[]): Decimal {
  return divide(total(all), new Decimal(all.length));
}

/** The value if it fits; else there is no result. */
function need(value: Decimal, isFit: boolean, message: string): Decimal {
  if (isFit) return value;
  throw new ArithmeticFault("not-a-number", message);
}

function logarithm(value: Decimal, base: Decimal, name: string): Decimal {
  need(value, value.gt(0), `${name} needs a number above 0.`);
  need(base, base.gt(0) && !base.equals(1), `${name} needs a base above 0 that is not 1.`);
  if (base.equals(10)) return settle(value.log(10));
  return divide(value.ln(), base.ln());
}

/** The real root of a whole degree; odd roots of negative numbers are negative. */
function root(value: Decimal, degree: Decimal): Decimal {
  if (degree.isZero() || !degree.isInteger()) {
    throw new ArithmeticFault("wrong-arguments", "root(x, n) needs a whole number n that is not 0.");
  }
  const isOdd = !degree.mod(2).isZero();
  const size = power(isOdd ? value.abs() : value, one().div(degree));
  return isOdd && value.isNegative() ? size.negated() : size;
}

/** Half away from zero, to places after the point (before it if negative): round(2.5) is 3, round(-2.5) is -3. */
function round(value: Decimal, places: Decimal): Decimal {
  if (!places.isInteger() || places.abs().greaterThan(maxPlaces)) {
    throw new ArithmeticFault(
      "wrong-arguments",
      `round(x, n) needs a whole number n from -${maxPlaces} to ${maxPlaces}.`,
    );
  }
  if (!places.isNegative()) return value.toDecimalPlaces(places.toNumber(), Decimal.ROUND_HALF_UP);
  const unit = new Decimal(10).pow(places.negated());
  return value.div(unit).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).times(unit);
}

/** Euclid's algorithm. */
function greatestCommonDivisor(left: Decimal, right: Decimal): Decimal {
  let [larger, smaller] = [whole(left, "gcd"), whole(right, "gcd")];
  while (!smaller.isZero()) [larger, smaller] = [smaller, larger.mod(smaller)];
  return larger;
}

function leastCommonMultiple(left: Decimal, right: Decimal): Decimal {
  const divisor = greatestCommonDivisor(whole(left, "lcm"), whole(right, "lcm"));
  return divisor.isZero() ? zero() : left.div(divisor).times(right).abs();
}

function whole(value: Decimal, name: string): Decimal {
  if (value.isInteger() && value.e < precision) return value.abs();
  throw new ArithmeticFault("wrong-arguments", `${name} needs whole numbers of at most ${precision} digits.`);
}

/** Beyond it, the 40 digits of an angle no longer determine its position on the circle. */
const maxAngle = "1e20";
/** The exponential of a larger number overflows, and that of a number below its negative is 0. */
const maxExponent = 23_100;
/** Below it, the first term of a series is enough: x - x^3 / 6 differs from x by less than 1e-40 of x. */
const tiny = "1e-20";

function pi(): Decimal {
  return new Decimal(constantTexts.pi);
}

function halfPi(): Decimal {
  return pi().div(2);
}

function sin(angle: Decimal): Decimal {
  if (angle.abs().lessThan(tiny)) return angle;
  return withoutNoise(checkAngle(angle, "sin").sin(), angle.abs());
}

function cos(angle: Decimal): Decimal {
  if (angle.abs().lessThan(tiny)) return one();
  return withoutNoise(checkAngle(angle, "cos").cos(), Decimal.max(angle.abs(), 1));
}

function tan(angle: Decimal): Decimal {
  const cosine = cos(checkAngle(angle, "tan"));
  need(cosine, !cosine.isZero(), "tan has no value at pi / 2, nor at any whole multiple of pi from there.");
  return divide(sin(angle), cosine);
}

/** sin(pi) is 0: the 40 digits of pi leave an error in proportion to the angle, and a smaller result counts as 0. */
function withoutNoise(result: Decimal, scale: Decimal): Decimal {
  return result.abs().lessThan(scale.times(`1e-${precision - 4}`)) ? zero() : settle(result);
}

function checkAngle(angle: Decimal, name: string): Decimal {
  return need(angle, angle.abs().lte(maxAngle), `${name} needs an angle of at most ${maxAngle} radians.`);
}

/** The library's arc tangent never returns for very small or very large arguments. */
function arcTangent(value: Decimal): Decimal {
  const size = value.abs();
  if (size.lessThan(tiny)) return value;
  if (size.lessThanOrEqualTo(1)) return settle(value.atan());
  const complement = arcTangent(one().div(size));
  const result = settle(halfPi().minus(complement));
  return value.isNegative() ? result.negated() : result;
}

function arcSine(value: Decimal, name: string): Decimal {
  need(value, value.abs().lte(1), `${name} needs a number from -1 to 1.`);
  const opposite = one().minus(value).times(one().plus(value)).sqrt();
  return angleOf(opposite, value);
}

/** The angle from the x axis to a point, from -pi to pi; 0 for the origin. */
function angleOf(x: Decimal, y: Decimal): Decimal {
  if (x.isZero()) return y.isZero() ? zero() : y.isNegative() ? halfPi().negated() : halfPi();
  const angle = arcTangent(y.div(x));
  if (!x.isNegative()) return angle;
  return settle(y.isNegative() && !y.isZero() ? angle.minus(pi()) : angle.plus(pi()));
}

/** e raised to the value. Checked first, as the library takes long for an exponent that it then rejects. */
function exponential(value: Decimal): Decimal {
  if (value.greaterThan(maxExponent)) throw overflow();
  return value.lessThan(-maxExponent) ? zero() : settle(value.exp());
}

/** 1 - 2 / (e^2x + 1), which cannot overflow to a quotient of two infinities. */
function hyperbolicTangent(size: Decimal): Decimal {
  if (size.greaterThan(maxExponent / 2)) return one();
  return one().minus(new Decimal(2).div(exponential(size.times(2)).plus(1)));
}

/** An odd function from its values above 0. */
function odd(value: Decimal, ofSize: (size: Decimal) => Decimal): Decimal {
  const size = value.abs();
  if (size.lessThan(tiny)) return value;
  const result = settle(ofSize(size));
  return value.isNegative() ? result.negated() : result;
}
