/**
 * What is wrong with an expression.
 * - `syntax`: it does not follow the grammar.
 * - `too-long`: the expression, or one number in it, has more characters than allowed.
 * - `too-deep`: more parentheses are open at once than allowed.
 * - `too-complex`: it needs more work than allowed, as with hundreds of sines.
 * - `unknown-name`: a name that is neither a variable nor a constant.
 * - `unknown-function`: a name before `(` that is no function.
 * - `wrong-arguments`: a function has too few or too many arguments, or one of the wrong kind.
 * - `division-by-zero`: also as a remainder, or as zero to a negative power.
 * - `not-a-number`: no real number is the answer, as for `sqrt(-1)`, or it can not be told exactly enough.
 * - `overflow`: beyond the largest number, about 1.8e308.
 * - `invalid-variable`: a variable's name or value is not allowed.
 */
export type CalculatorErrorCode =
  | "syntax"
  | "too-long"
  | "too-deep"
  | "too-complex"
  | "unknown-name"
  | "unknown-function"
  | "wrong-arguments"
  | "division-by-zero"
  | "not-a-number"
  | "overflow"
  | "invalid-variable";

/** Where the fault is. */
export interface CalculatorErrorDetails {
  /** Index in the expression, from 0, in UTF-16 code units; its length where something is missing at the end. */
  readonly position: number;
}

/**
 * Why an expression has no value. The message says what was found and what would have worked, and ends with the character
 * it is about, counted from 1; `details.position` counts from 0. The same input always fails again: `retryable` is false.
 */
export class CalculatorError extends Error {
  override readonly name = "CalculatorError";
  readonly code: CalculatorErrorCode;
  readonly details: CalculatorErrorDetails;
  readonly retryable = false;

  constructor(code: CalculatorErrorCode, message: string, position: number) {
    super(`${message} (at character ${position + 1})`);
    this.code = code;
    this.details = { position };
  }
}

/** What an operation throws that does not know its position; the evaluation adds it. Never leaves the calculator. */
export class ArithmeticFault {
  constructor(
    readonly code: CalculatorErrorCode,
    readonly message: string,
  ) {}
}
