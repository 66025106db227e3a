import { ArithmeticFault } from "./calculation-failed.ts";
import { add, Decimal, one, precision, settle, zero } from "./decimal.ts";
import { divide, factorial, power, remainder } from "./decimal-operators.ts";
import { trigonometry } from "./decimal-trigonometry.ts";
import type { FunctionName } from "./functions.ts";

/** A function of the calculator; its number of arguments is already checked. */
type DecimalFunction = (first: Decimal, second: Decimal | undefined, all: readonly Decimal[]) => Decimal;

/** The maximum number of places for round(), on either side of the point. */
const maxPlaces = 400;

/** The implementation of each function. */
export const functions: Readonly<Record<FunctionName, DecimalFunction>> = {
  ...trigonometry,
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
  ln: (value) => settle(positive(value, "ln").ln()),
  log: (value, base) => logarithm(value, base ?? new Decimal(10), "log"),
  log10: (value) => logarithm(value, new Decimal(10), "log10"),
  log2: (value) => logarithm(value, new Decimal(2), "log2"),
  max: (_first, _second, all) => all.reduce((most, value) => (value.greaterThan(most) ? value : most)),
  min: (_first, _second, all) => all.reduce((least, value) => (value.lessThan(least) ? value : least)),
  mod: (value, divisor) => remainder(value, given(divisor)),
  pow: (base, exponent) => power(base, given(exponent)),
  root: (value, degree) => root(value, given(degree)),
  round: (value, places) => round(value, places),
  sign: (value) => new Decimal(value.isZero() ? 0 : value.isNegative() ? -1 : 1),
  sqrt: squareRoot,
  sum: (_first, _second, all) => total(all),
  trunc: (value) => value.toDecimalPlaces(0, Decimal.ROUND_DOWN),
};

function given(argument: Decimal | undefined): Decimal {
  return argument ?? zero();
}

function total(values: readonly Decimal[]): Decimal {
  return values.reduce(add, zero());
}

function average(_first: Decimal, _second: Decimal | undefined, all: readonly Decimal[]): Decimal {
  return divide(total(all), new Decimal(all.length));
}

function positive(value: Decimal, name: string): Decimal {
  if (value.greaterThan(0)) return value;
  throw new ArithmeticFault("not-a-number", `${name} needs a number above 0.`);
}

function logarithm(value: Decimal, base: Decimal, name: string): Decimal {
  positive(value, name);
  if (!base.greaterThan(0) || base.equals(1)) {
    throw new ArithmeticFault("not-a-number", `${name} needs a base above 0 that is not 1.`);
  }
  if (base.equals(10)) return settle(value.log(10));
  return divide(value.ln(), base.ln());
}

function squareRoot(value: Decimal): Decimal {
  if (!value.isNegative() || value.isZero()) return settle(value.sqrt());
  throw new ArithmeticFault(
    "not-a-number",
    "sqrt needs a number of at least 0; the root of a negative number is not real.",
  );
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
function round(value: Decimal, places: Decimal = zero()): Decimal {
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
