import { Decimal as DecimalBase } from "decimal.js";
import { ArithmeticFault } from "./calculation-failed.ts";

/** Significant digits of every operation; a JavaScript number has 15 to 17. */
export const precision = 40;

/** How many of the last digits can be wrong after a few roundings. */
export const guardDigits = 6;

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

/** The number zero. */
export const zero = (): Decimal => new Decimal(0);

/** The number one. */
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

/** Whether a sum is no larger than the error of one of its terms, which was rounded if it uses all digits. */
function isNoise(sum: Decimal, term: Decimal): boolean {
  return term.e - sum.e > precision - guardDigits && !sum.isZero() && isRounded(term);
}

/** Whether a value uses all digits, like a rounded result. */
export function isRounded(value: Decimal): boolean {
  return value.precision() === precision;
}
