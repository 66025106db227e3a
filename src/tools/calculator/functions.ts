import {
  ArithmeticFault,
  add,
  asExactAs,
  asRounded,
  Decimal,
  digitsOf,
  divide,
  errorPlace,
  guardDigits,
  isExact,
  multiply,
  negate,
  one,
  overflow,
  precision,
  type Rounding,
  remainder,
  settle,
  settleAs,
  subtract,
  zero,
} from "../../core/decimal.ts";

/** Constants with 50 digits. Source: OEIS A001113 and A000796. */
export const constantTexts = {
  e: "2.7182818284590452353602874713526624977572470936999",
  pi: "3.1415926535897932384626433832795028841971693993751",
  tau: "6.2831853071795864769252867665590057683943387987502",
} as const;

/** 170! is the last factorial below 1.8e308, but larger ones may cancel out. */
const maxFactorial = 1_000;

interface OperatorRule {
  readonly work: number | ((right: Decimal) => number);
  readonly isUnary?: boolean;
  apply(left: Decimal, right: Decimal): Decimal;
}

function power(base: Decimal, exponent: Decimal): Decimal {
  if (base.isZero() && exponent.isNegative() && !exponent.isZero())
    throw new ArithmeticFault("division-by-zero", "Division by zero; 0 cannot be raised to a negative power.");
  const isReal = !base.isNegative() || exponent.isInteger();
  const advice = "an odd root can be written root(x, n) or cbrt(x)";
  need(base, isReal, `A negative number raised to a fraction is not a real number; ${advice}.`);
  const isSmall = exponent.isInteger() && !exponent.isNegative();
  const isWhole = isSmall && isExact(base) && isExact(exponent) && exponent.times(base.precision()).lte(precision);
  const digits = isExact(exponent) && exponent.isInteger() ? digitsOf(base) - exponent.e - 1 : 0;
  return settleAs(base.pow(exponent), isWhole, isExact(base) && isExact(exponent) ? precision - 1 : digits);
}

function factorial(operand: Decimal): Decimal {
  need(operand, operand.isInteger() && operand.gte(0), "A factorial needs a whole number of at least 0.");
  if (operand.greaterThan(maxFactorial)) throw overflow();
  let product = one();
  for (let factor = operand.toNumber(); factor > 1; factor--) product = product.times(factor);
  return settleAs(product, product.e < precision, precision - guardDigits);
}

export const operators = {
  add: { work: 2, apply: add },
  subtract: { work: 2, apply: subtract },
  multiply: { work: 4, apply: multiply },
  divide: { work: 5, apply: divide },
  remainder: { work: 6, apply: remainder },
  power: { work: (right) => (right.isInteger() ? 20 + 4 * right.e : 500), apply: power },
  negate: { work: 1, isUnary: true, apply: (_, operand) => negate(operand) },
  percent: { work: 2, isUnary: true, apply: (_, operand) => asExactAs(operand, operand.div(100)) },
  factorial: {
    work: (right) => Math.min(Math.abs(right.toNumber()), maxFactorial) + 1,
    isUnary: true,
    apply: (_, operand) => factorial(operand),
  },
} satisfies Readonly<Record<string, OperatorRule>>;

export type Operator = keyof typeof operators;

export function workOf(operator: Operator, right: Decimal): number {
  const { work }: OperatorRule = operators[operator];
  return typeof work === "number" ? work : work(right);
}

type DecimalFunction = (first: Decimal, second: Decimal, all: readonly Decimal[]) => Decimal;

/** If any number of arguments is allowed, `work` counts for each of them. */
type FunctionRule = readonly [minArguments: number, maxArguments: number, work: number, apply: DecimalFunction];
const any = Number.POSITIVE_INFINITY;
const maxPlaces = 400;

const functions = {
  acos: [1, 1, 600, (value) => settle(halfPi().minus(arcSine(value, "acos")))],
  acosh: [1, 1, 250, areaCosine],
  asin: [1, 1, 600, (value) => arcSine(value, "asin")],
  asinh: [1, 1, 250, (value) => odd(value, (size) => size.times(size).plus(1).sqrt().plus(size).ln())],
  atan: [1, 1, 600, arcTangent],
  atan2: [2, 2, 600, (first, second) => angleOf(second, first)],
  atanh: [1, 1, 250, areaTangent],
  cos: [1, 1, 250, cos],
  cosh: [1, 1, 250, (value) => settle(exponential(value).plus(exponential(value.negated())).div(2))],
  degrees: [1, 1, 2, (value) => divide(value.times(180), pi())],
  exp: [1, 1, 300, exponential],
  radians: [1, 1, 2, (value) => settle(value.times(pi()).div(180))],
  sin: [1, 1, 250, sin],
  sinh: [1, 1, 250, (value) => odd(value, (size) => exponential(size).minus(exponential(size.negated())).div(2))],
  tan: [1, 1, 500, tan],
  tanh: [1, 1, 250, (value) => odd(value, hyperbolicTangent)],
  abs: [1, 1, 1, (value) => asExactAs(value, value.abs())],
  average: [1, any, 3, average],
  avg: [1, any, 3, average],
  mean: [1, any, 3, average],
  cbrt: [1, 1, 100, (value) => settle(value.cbrt())],
  ceil: [1, 1, 1, (value) => toPlaces(value, 0, Decimal.ROUND_CEIL)],
  factorial: [1, 1, 1, factorial],
  floor: [1, 1, 1, (value) => toPlaces(value, 0, Decimal.ROUND_FLOOR)],
  gcd: [1, any, 200, (_first, _second, all) => all.reduce(greatestCommonDivisor, zero())],
  hypot: [
    1,
    any,
    100,
    (_first, _second, all) => settle(all.reduce((sum, value) => sum.plus(value.times(value)), zero()).sqrt()),
  ],
  lcm: [1, any, 200, (_first, _second, all) => all.reduce(leastCommonMultiple, one())],
  ln: [1, 1, 250, (value) => settle(need(value, value.gt(0), "ln needs a number above 0.").ln())],
  log: [1, 2, 500, (value, base, all) => logarithm(value, all.length > 1 ? base : new Decimal(10), "log")],
  log10: [1, 1, 250, (value) => logarithm(value, new Decimal(10), "log10")],
  log2: [1, 1, 500, (value) => logarithm(value, new Decimal(2), "log2")],
  max: [1, any, 2, (_first, _second, all) => all.reduce((most, value) => (value.greaterThan(most) ? value : most))],
  min: [1, any, 2, (_first, _second, all) => all.reduce((least, value) => (value.lessThan(least) ? value : least))],
  mod: [2, 2, 5, remainder],
  pow: [2, 2, 1, power],
  root: [2, 2, 500, root],
  round: [1, 2, 1, round],
  sign: [1, 1, 1, (value) => new Decimal(value.isZero() ? 0 : value.isNegative() ? -1 : 1)],
  sqrt: [1, 1, 100, squareRoot],
  sum: [1, any, 2, (_first, _second, all) => all.reduce(add, zero())],
  trunc: [1, 1, 1, (value) => toPlaces(value, 0, Decimal.ROUND_DOWN)],
} satisfies Readonly<Record<string, FunctionRule>>;

/** Functions whose results are exact, or are marked by the operators that they apply. */
export const marksItself: ReadonlySet<string> = new Set(
  "abs average avg ceil factorial floor gcd lcm max mean min mod pow round sign sum trunc".split(" "),
);

export type FunctionName = keyof typeof functions;
export const functionNames = Object.keys(functions).sort() as readonly FunctionName[];
export const constantNames = Object.keys(constantTexts);

export function findFunction(name: string): FunctionName | undefined {
  const lowerCase = name.toLowerCase();
  return Object.hasOwn(functions, lowerCase) ? (lowerCase as FunctionName) : undefined;
}

export function findConstant(name: string): string | undefined {
  return new Map(Object.entries(constantTexts)).get(name.toLowerCase());
}

export function ruleOf(name: FunctionName): FunctionRule {
  return functions[name];
}

function squareRoot(value: Decimal): Decimal {
  need(value, value.gte(0), "sqrt needs a number of at least 0; the root of a negative number is not real.");
  return settle(value.sqrt());
}

function areaCosine(value: Decimal): Decimal {
  need(value, value.gte(1), "acosh needs a number of at least 1.");
  return settle(value.times(value).minus(1).sqrt().plus(value).ln());
}

function areaTangent(value: Decimal): Decimal {
  need(value, value.abs().lt(1), "atanh needs a number between -1 and 1.");
  return odd(value, (size) => size.plus(1).div(one().minus(size)).ln().div(2));
}

function average(_first: Decimal, _second: Decimal, all: readonly Decimal[]): Decimal {
  return divide(all.reduce(add, zero()), new Decimal(all.length));
}

function need(value: Decimal, isFit: boolean, message: string): Decimal {
  if (isFit) return value;
  throw new ArithmeticFault("not-a-number", message);
}

function failArguments(message: string): never {
  throw new ArithmeticFault("wrong-arguments", message);
}

function logarithm(value: Decimal, base: Decimal, name: string): Decimal {
  need(value, value.gt(0), `${name} needs a number above 0.`);
  need(base, base.gt(0) && !base.equals(1), `${name} needs a base above 0 that is not 1.`);
  if (base.equals(10)) return settle(value.log(10));
  return divide(value.ln(), base.ln());
}

function root(value: Decimal, degree: Decimal): Decimal {
  if (degree.isZero() || !degree.isInteger()) failArguments("root(x, n) needs a whole number n that is not 0.");
  const isOdd = !degree.mod(2).isZero();
  const size = power(isOdd ? value.abs() : value, one().div(degree));
  return isOdd && value.isNegative() ? size.negated() : size;
}

/** Rounds half away from zero: round(-2.5) is -3. Negative places count digits before the point. */
function round(value: Decimal, places: Decimal): Decimal {
  if (!places.isInteger() || places.abs().greaterThan(maxPlaces))
    failArguments(`round(x, n) needs a whole number n from -${maxPlaces} to ${maxPlaces}.`);
  return toPlaces(value, places.toNumber(), Decimal.ROUND_HALF_UP);
}

function toPlaces(value: Decimal, places: number, rounding: Rounding): Decimal {
  const unit = new Decimal(10).pow(Math.max(0, -places));
  const round = (exact: Decimal) => exact.div(unit).toDecimalPlaces(Math.max(0, places), rounding).times(unit);
  const result = round(value);
  if (isExact(value)) return result;
  const error = new Decimal(10).pow(errorPlace(value) + 1);
  if (round(value.plus(error)).equals(round(value.minus(error)))) return result;
  return asRounded(result, Math.min(digitsOf(value), result.e + places));
}

function greatestCommonDivisor(left: Decimal, right: Decimal): Decimal {
  let [larger, smaller] = [whole(left, "gcd"), whole(right, "gcd")];
  while (!smaller.isZero()) [larger, smaller] = [smaller, larger.mod(smaller)];
  return larger;
}

function leastCommonMultiple(left: Decimal, right: Decimal): Decimal {
  const divisor = greatestCommonDivisor(whole(left, "lcm"), whole(right, "lcm"));
  return divisor.isZero() ? zero() : multiply(left.div(divisor).abs(), right.abs());
}

function whole(value: Decimal, name: string): Decimal {
  if (value.isInteger() && value.e < precision && isExact(value)) return value.abs();
  return failArguments(`${name} needs whole numbers of at most ${precision} digits that were not rounded.`);
}

/** Fewer than 20 of the 40 digits of a larger angle tell its position on the circle. */
const maxAngle = "1e20";
/** Larger exponents overflow; exponents below the negated limit give 0. */
const maxExponent = 23_100;
/** Below this size, the first term of a series is enough: x^3 / 6 is less than 1e-40 of x. */
const tiny = "1e-20";

const pi = () => new Decimal(constantTexts.pi);
const halfPi = () => pi().div(2);

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
  need(cosine, !cosine.isZero(), "tan has no value at pi / 2 plus a multiple of pi.");
  return divide(sin(angle), cosine);
}

/** Makes sin(pi) 0. The error from the digits of pi grows with the angle. */
function withoutNoise(result: Decimal, scale: Decimal): Decimal {
  return result.abs().lessThan(scale.times(`1e-${precision - 4}`)) ? zero() : settle(result);
}

function checkAngle(angle: Decimal, name: string): Decimal {
  return need(angle, angle.abs().lte(maxAngle), `${name} needs an angle of at most ${maxAngle} radians.`);
}

/** Avoids the library for very small and very large arguments, for which it would never return. */
function arcTangent(value: Decimal): Decimal {
  const size = value.abs();
  if (size.lessThan(tiny)) return value;
  if (size.lessThanOrEqualTo(1)) return settle(value.atan());
  const result = settle(halfPi().minus(arcTangent(one().div(size))));
  return value.isNegative() ? result.negated() : result;
}

function arcSine(value: Decimal, name: string): Decimal {
  need(value, value.abs().lte(1), `${name} needs a number from -1 to 1.`);
  return angleOf(one().minus(value).times(one().plus(value)).sqrt(), value);
}

function angleOf(x: Decimal, y: Decimal): Decimal {
  if (x.isZero()) return y.isZero() ? zero() : y.isNegative() ? halfPi().negated() : halfPi();
  const angle = arcTangent(y.div(x));
  if (!x.isNegative()) return angle;
  return settle(y.isNegative() && !y.isZero() ? angle.minus(pi()) : angle.plus(pi()));
}

/** Checks the exponent first, because the library is slow to reject a large one. */
function exponential(value: Decimal): Decimal {
  if (value.greaterThan(maxExponent)) throw overflow();
  return value.lessThan(-maxExponent) ? zero() : settle(value.exp());
}

/** Computes 1 - 2 / (e^2x + 1), which cannot overflow. */
function hyperbolicTangent(size: Decimal): Decimal {
  if (size.greaterThan(maxExponent / 2)) return one();
  return one().minus(new Decimal(2).div(exponential(size.times(2)).plus(1)));
}

function odd(value: Decimal, ofSize: (size: Decimal) => Decimal): Decimal {
  const size = value.abs();
  if (size.lessThan(tiny)) return value;
  const result = settle(ofSize(size));
  return value.isNegative() ? result.negated() : result;
}
