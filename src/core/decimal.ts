import { Decimal as DecimalBase } from "decimal.js";
import type { CalculationProblem } from "./errors.ts";

/** Thrown by an operation, without its position, which the evaluation adds. Never leaves the calculator. */
export class ArithmeticFault {
  constructor(
    readonly problem: CalculationProblem,
    readonly message: string,
  ) {}
}

/** Significant digits of every operation; a JavaScript number has 15 to 17. */
export const precision = 40;

/** Number of last digits that can be wrong after a few roundings. */
const guardDigits = 6;

/** A decimal of at most 40 digits, between 1e-9999 and 1e9999 in size; beyond it is 0 or infinite. */
export type Decimal = DecimalBase;

/** The constructor with the calculator's settings; those of other users of the library stay unchanged. */
export const Decimal = /* @__PURE__ */ DecimalBase.clone({
  defaults: true,
  precision,
  rounding: DecimalBase.ROUND_HALF_EVEN,
  modulo: DecimalBase.ROUND_DOWN,
  maxE: 9_999,
  minE: -9_999,
});

/** The constants, to 50 digits. Source: OEIS A001113 and A000796. */
export const constantTexts = {
  e: "2.7182818284590452353602874713526624977572470936999",
  pi: "3.1415926535897932384626433832795028841971693993751",
  tau: "6.2831853071795864769252867665590057683943387987502",
} as const;

export const zero = (): Decimal => new Decimal(0);
export const one = (): Decimal => new Decimal(1);

/**
 * Undoes the rounding of a simple result, and rejects a result that is not a finite number.
 *
 * 1 / 3 * 3 is 0.999…9 with 40 digits and sqrt(2)^2 is 2.000…01. A result that uses all digits but, rounded to 34,
 * needs no more than 20 is taken for that number, so that floor(1 / 3 * 3) is 1. Nothing else changes by that: the
 * relative difference is below 1e-33, and a JavaScript number distinguishes 1e-16.
 */
export function settle(result: Decimal): Decimal {
  if (!result.isFinite()) throw overflow();
  if (result.precision() < precision) return result;
  const rounded = result.toSignificantDigits(precision - guardDigits);
  return rounded.precision() <= precision / 2 ? rounded : result;
}

/** The sum. If two rounded values cancel each other out, it is 0: sqrt(2) * sqrt(3) - sqrt(6). */
export function add(left: Decimal, right: Decimal): Decimal {
  const sum = left.plus(right);
  return isNoise(sum, left) || isNoise(sum, right) ? zero() : settle(sum);
}

/** The error for a result that is too large. */
export function overflow(): ArithmeticFault {
  return new ArithmeticFault("overflow", "The result is too large; the largest number is about 1.8e308.");
}

/** True if a sum is no larger than the error of one of its terms, which was rounded if it uses all digits. */
function isNoise(sum: Decimal, term: Decimal): boolean {
  return term.e - sum.e > precision - guardDigits && !sum.isZero() && isRounded(term);
}

/** True if a value uses all digits, like a rounded result. */
function isRounded(value: Decimal): boolean {
  return value.precision() === precision;
}

/** The largest integer whose factorial is computed. 170! is the last below 1.8e308; larger ones may cancel out. */
const maxFactorial = 1_000;

/** The way in which an operator is applied; `right` is the only operand of a unary one. */
interface OperatorRule {
  /** See `maxWork` in evaluate.ts. */
  readonly work: number | ((right: Decimal) => number);
  readonly isUnary?: boolean;
  apply(left: Decimal, right: Decimal): Decimal;
}

/** All operators. */
export const operators = {
  add: { work: 2, apply: add },
  subtract: { work: 2, apply: (left, right) => add(left, right.negated()) },
  multiply: { work: 4, apply: (left, right) => settle(left.times(right)) },
  divide: { work: 5, apply: divide },
  remainder: { work: 6, apply: remainder },
  // A few multiplications for a whole exponent, a logarithm and an exponential for any other.
  power: { work: (right) => (right.isInteger() ? 20 + 4 * right.e : 500), apply: power },
  negate: { work: 1, isUnary: true, apply: (_, operand) => operand.negated() },
  percent: { work: 2, isUnary: true, apply: (_, operand) => operand.div(100) },
  // One multiplication for each factor.
  factorial: {
    work: (right) => Math.min(Math.abs(right.toNumber()), maxFactorial) + 1,
    isUnary: true,
    apply: (_, operand) => factorial(operand),
  },
} satisfies Readonly<Record<string, OperatorRule>>;

/** An operation on one or two values. */
export type Operator = keyof typeof operators;

/** The work of an operator with this right operand. */
export function workOf(operator: Operator, right: Decimal): number {
  const { work }: OperatorRule = operators[operator];
  return typeof work === "number" ? work : work(right);
}

export function divide(left: Decimal, right: Decimal): Decimal {
  if (right.isZero()) throw new ArithmeticFault("division-by-zero", "Division by zero; the divisor must not be 0.");
  return settle(left.div(right));
}

/** The remainder with the sign of the dividend, like `%` in JavaScript: -8 % 3 is -2. */
export function remainder(left: Decimal, right: Decimal): Decimal {
  if (right.isZero())
    throw new ArithmeticFault("division-by-zero", "Division by zero; the divisor of a remainder must not be 0.");
  if (left.abs().lessThan(right.abs())) return left;
  const isWhole = left.isInteger() && right.isInteger();
  const maxDigits = isWhole ? precision - 2 : precision / 2;
  if (left.e - right.e >= maxDigits) {
    const message = `The remainder is lost in rounding; the dividend may be at most 1e${maxDigits} times the divisor.`;
    throw new ArithmeticFault("not-a-number", message);
  }
  return withoutNoise(left.mod(right), left, right);
}

/**
 * (1 / 7) % (1 / 70) is 0: what rounding makes of a quotient that is whole is next to 0 or next to the divisor. A
 * rounded value may end in zeros, as 1 / 138 does, so nearly all digits are a doubt too; then it is refused.
 */
function withoutNoise(rest: Decimal, left: Decimal, right: Decimal): Decimal {
  if (!mayBeRounded(left) && !mayBeRounded(right)) return rest;
  const noise = left.abs().times(`1e-${precision - guardDigits}`);
  const isNoise = rest.abs().lessThan(noise) || right.abs().minus(rest.abs()).lessThan(noise);
  if (!isNoise || rest.isZero()) return rest;
  if (isRounded(left) || isRounded(right)) return zero();
  throw new ArithmeticFault("not-a-number", "The remainder is lost in rounding; fewer digits would tell it.");
}

/** True if a value uses nearly all digits and is not an exact whole number. */
function mayBeRounded(value: Decimal): boolean {
  return isRounded(value) || (!value.isInteger() && value.precision() > precision - guardDigits);
}

/** The power; 0^0 is 1, as in JavaScript. */
export function power(base: Decimal, exponent: Decimal): Decimal {
  if (base.isZero() && exponent.isNegative() && !exponent.isZero()) {
    throw new ArithmeticFault("division-by-zero", "Division by zero; 0 cannot be raised to a negative power.");
  }
  if (base.isNegative() && !exponent.isInteger()) {
    const message =
      "A negative number raised to a fraction is not a real number; an odd root can be written root(x, n) or cbrt(x).";
    throw new ArithmeticFault("not-a-number", message);
  }
  return settle(base.pow(exponent));
}

/** The factorial of a whole number from 0 to 1000. */
export function factorial(operand: Decimal): Decimal {
  if (!operand.isInteger() || operand.lessThan(0)) {
    throw new ArithmeticFault("not-a-number", "A factorial needs a whole number of at least 0.");
  }
  if (operand.greaterThan(maxFactorial)) throw overflow();
  let product = one();
  for (let factor = operand.toNumber(); factor > 1; factor--) product = product.times(factor);
  return product;
}
