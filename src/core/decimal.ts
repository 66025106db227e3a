import { Decimal as DecimalBase } from "decimal.js";
import type { CalculationProblem } from "./errors.ts";

export class ArithmeticFault {
  constructor(
    readonly problem: CalculationProblem,
    readonly message: string,
  ) {}
}

export const precision = 40;
export const guardDigits = 6;

export type Decimal = DecimalBase;
export type Rounding = DecimalBase.Rounding;

/** A clone, so that these settings do not affect other users of decimal.js. */
export const Decimal = /* @__PURE__ */ DecimalBase.clone({
  defaults: true,
  precision,
  rounding: DecimalBase.ROUND_HALF_EVEN,
  modulo: DecimalBase.ROUND_DOWN,
  maxE: 9_999,
  minE: -9_999,
});

export const zero = (): Decimal => new Decimal(0);
export const one = (): Decimal => new Decimal(1);

/** Number of correct digits of each rounded value. A value without an entry is exact. */
const rightDigits = new WeakMap<Decimal, number>();

export function digitsOf(value: Decimal): number {
  return rightDigits.get(value) ?? Number.POSITIVE_INFINITY;
}

export function isExact(value: Decimal): boolean {
  return !rightDigits.has(value);
}

export function asRounded(result: Decimal, digits: number = precision): Decimal {
  rightDigits.set(result, Math.min(digits, precision));
  return result;
}

export function asExactAs(value: Decimal, result: Decimal): Decimal {
  return isExact(value) ? result : asRounded(result, digitsOf(value));
}

/** Rounds a result of 40 digits to 34 if that leaves at most 20 digits, so that 1 / 3 * 3 is 1 rather than 0.999…9. */
export function settle(result: Decimal): Decimal {
  if (!result.isFinite()) throw overflow();
  if (result.precision() < precision) return result;
  const rounded = result.toSignificantDigits(precision - guardDigits);
  return rounded.precision() <= precision / 2 ? rounded : result;
}

export function settleAs(result: Decimal, isExactly: boolean, digits: number): Decimal {
  if (isExactly && result.isFinite()) return result;
  const settled = settle(result);
  return settled === result ? asRounded(result, digits) : settled;
}

/** Returns 0 if only rounding errors are left, as in sqrt(2) * sqrt(3) - sqrt(6). */
export function add(left: Decimal, right: Decimal): Decimal {
  const sum = left.plus(right);
  if (sum.isZero() || isNoise(sum, left) || isNoise(sum, right)) return zero();
  const isWhole = isExact(left) && isExact(right);
  const span = Math.max(left.e, right.e) + 2 - Math.min(lastPlace(left), lastPlace(right));
  return settleAs(sum, isWhole && span <= precision, sum.e - Math.max(errorPlace(left), errorPlace(right)));
}

export function negate(value: Decimal): Decimal {
  return asExactAs(value, value.negated());
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, negate(right));
}

function lastPlace(value: Decimal): number {
  return value.e - value.precision() + 1;
}

export function errorPlace(value: Decimal): number {
  return value.e - digitsOf(value);
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  const isWhole = isExact(left) && isExact(right) && left.precision() + right.precision() <= precision;
  return settleAs(left.times(right), isWhole, Math.min(digitsOf(left), digitsOf(right)));
}

export function overflow(): ArithmeticFault {
  return new ArithmeticFault("overflow", "The result is too large; the largest number is about 1.8e308.");
}

export function nearestNumber(value: Decimal, limit: number): number {
  const number = value.toNumber();
  if (!Number.isFinite(number)) throw overflow();
  if (Number.isSafeInteger(number) || !value.isInteger() || value.abs().gte(limit) || value.equals(number))
    return number + 0;
  const result = isExact(value) ? value.toFixed() : `(about ${value.toPrecision(15)})`;
  const message = `The result ${result} has more digits than a JSON number can hold; calculate with smaller numbers.`;
  throw new ArithmeticFault("overflow", message);
}

function isNoise(sum: Decimal, term: Decimal): boolean {
  return term.e - sum.e > precision - guardDigits && !isExact(term);
}

export function divide(left: Decimal, right: Decimal): Decimal {
  if (right.isZero()) throw new ArithmeticFault("division-by-zero", "Division by zero; the divisor must not be 0.");
  const quotient = left.div(right);
  const isShort = isExact(left) && isExact(right) && quotient.precision() + right.precision() <= precision;
  return settleAs(quotient, isShort && quotient.times(right).equals(left), Math.min(digitsOf(left), digitsOf(right)));
}

const leastDigits = 18;

/** Throws if rounding could change the result: 1 % (1 / 138) could be nearly 0, or nearly the divisor. */
export function remainder(left: Decimal, right: Decimal): Decimal {
  if (right.isZero())
    throw new ArithmeticFault("division-by-zero", "Division by zero; the divisor of a remainder must not be 0.");
  const maxDigits = precision - 2;
  if (left.e - right.e >= maxDigits) {
    const message = `The remainder is lost in rounding; the dividend may be at most 1e${maxDigits} times the divisor.`;
    throw new ArithmeticFault("not-a-number", message);
  }
  const rest = left.mod(right);
  const isShort = Math.min(left.e, right.e) - Math.min(lastPlace(left), lastPlace(right)) < precision;
  if (isExact(left) && isExact(right)) return settleAs(rest, isShort, precision);
  // The error of the divisor is multiplied by the quotient.
  const error = Math.max(errorPlace(left), left.e - digitsOf(right)) + guardDigits;
  const digits = rest.e - error;
  if (!rest.isZero() && digits >= leastDigits && right.abs().minus(rest.abs()).e > error)
    return asRounded(rest, digits);
  throw new ArithmeticFault(
    "not-a-number",
    "The remainder is lost in rounding, because one of its operands was rounded; use whole numbers or decimals.",
  );
}
