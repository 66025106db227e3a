import fc from "fast-check";

/** A fraction of two BigInts, the lower one above 0: the independent evaluation. */
export class ExactFraction {
  constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** Whether it rounds to no finite number. */
  isTooLarge(): boolean {
    const size = this.numerator < 0n ? -this.numerator : this.numerator;
    return size >= (2n ** 1_024n - 2n ** 970n) * this.denominator;
  }

  /** Whether it is a whole number above 2^53 that JSON writes with other digits, and without an exponent. */
  isRoundedWhole(): boolean {
    if (this.numerator % this.denominator !== 0n) return false;
    const whole = this.numerator / this.denominator;
    const size = whole < 0n ? -whole : whole;
    return size > 2n ** 53n && size < 10n ** 21n && JSON.stringify(Number(whole)) !== String(whole);
  }

  /** True if a number differs by at most this part of it. */
  isWithin(value: number, part: number): boolean {
    if (!Number.isFinite(value)) return false;
    const { numerator, denominator } = subtract(this, fromNumber(value));
    const most = fromNumber(Math.abs(value) * part);
    return (numerator < 0n ? -numerator : numerator) * most.denominator <= most.numerator * denominator;
  }

  /** Whether no number is nearer: compared with the halves of the way to both neighbours, exactly. */
  isNearest(value: number): boolean {
    if (!Number.isFinite(value)) return false;
    const size = Math.abs(value) || Number.MIN_VALUE;
    const gap = 2 ** Math.max(Math.floor(Math.log2(size)) - 52, -1_074);
    const halfGap = fromNumber(gap / 2);
    const distance = subtract(this, fromNumber(value));
    const absolute = distance.numerator < 0n ? -distance.numerator : distance.numerator;
    return absolute * halfGap.denominator <= halfGap.numerator * distance.denominator;
  }
}

/** A value, or why there is none; what is unchecked loses digits on the way that an exact evaluation would keep. */
type Exact = ExactFraction | "division-by-zero" | "unchecked";

interface ExactExpression {
  readonly text: string;
  readonly exact: Exact;
}

/** A remainder loses as many of the 40 digits as its quotient has; with four of them within each other, 20 are left. */
const maxQuotient = 100_000n;

const literal = fc.oneof(
  fc.integer({ min: 0, max: 99 }).map((value) => ({ text: `${value}`, exact: new ExactFraction(BigInt(value), 1n) })),
  fc.integer({ min: 0, max: 99_999 }).map((value) => ({
    text: `${Math.floor(value / 100)}.${String(value % 100).padStart(2, "0")}`,
    exact: new ExactFraction(BigInt(value), 100n),
  })),
  fc
    .bigInt({ min: 10n ** 12n, max: 10n ** 18n })
    .map((value) => ({ text: `${value}`, exact: new ExactFraction(value, 1n) })),
);

/** Expressions of + - * / %, negation, small powers and percentages, with their exact values. */
export const randomExpression: fc.Arbitrary<ExactExpression> = fc.letrec<{ expression: ExactExpression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    literal,
    fc.tuple(tie("expression"), fc.constantFrom("+", "-", "*", "/", "%"), tie("expression")).map(binary),
    tie("expression").map(({ text, exact }) => ({
      text: `-(${text})`,
      exact: change(exact, (value) => subtract(zero, value)),
    })),
    tie("expression").map(({ text, exact }) => ({
      text: `(${text})%`,
      exact: change(exact, (value) => divide(value, hundred)),
    })),
    fc.tuple(tie("expression"), fc.bigInt({ min: 0n, max: 3n })).map(([{ text, exact }, exponent]) => ({
      text: `(${text})^${exponent}`,
      exact: change(exact, (value) => new ExactFraction(value.numerator ** exponent, value.denominator ** exponent)),
    })),
  ),
})).expression;

const zero = new ExactFraction(0n, 1n);
const hundred = new ExactFraction(100n, 1n);

function change(exact: Exact, by: (value: ExactFraction) => ExactFraction): Exact {
  return exact instanceof ExactFraction ? by(exact) : exact;
}

function binary([left, operator, right]: [ExactExpression, string, ExactExpression]): ExactExpression {
  const text = `(${left.text}) ${operator} (${right.text})`;
  const fault = [left.exact, right.exact].includes("unchecked") ? "unchecked" : "division-by-zero";
  if (!(left.exact instanceof ExactFraction) || !(right.exact instanceof ExactFraction)) return { text, exact: fault };
  return { text, exact: operate(operator, left.exact, right.exact) };
}

/** The exact value of an operation; "unchecked" for a remainder of a large quotient. */
export function operate(operator: string, left: ExactFraction, right: ExactFraction, most = maxQuotient): Exact {
  if (operator === "+") return subtract(left, subtract(zero, right));
  if (operator === "-") return subtract(left, right);
  if (operator === "*")
    return new ExactFraction(left.numerator * right.numerator, left.denominator * right.denominator);
  if (right.numerator === 0n) return "division-by-zero";
  if (operator === "/") return divide(left, right);
  const quotient = (left.numerator * right.denominator) / (right.numerator * left.denominator);
  if (quotient > most || quotient < -most) return "unchecked";
  return subtract(left, new ExactFraction(quotient * right.numerator, right.denominator));
}

function subtract(left: ExactFraction, right: ExactFraction): ExactFraction {
  const numerator = left.numerator * right.denominator - right.numerator * left.denominator;
  return new ExactFraction(numerator, left.denominator * right.denominator);
}

function divide(left: ExactFraction, right: ExactFraction): ExactFraction {
  const sign = right.numerator < 0n ? -1n : 1n;
  return new ExactFraction(sign * left.numerator * right.denominator, sign * right.numerator * left.denominator);
}

/** A number as the fraction it is, exactly. */
function fromNumber(value: number): ExactFraction {
  let scaled = value;
  let denominator = 1n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return new ExactFraction(BigInt(scaled), denominator);
}
