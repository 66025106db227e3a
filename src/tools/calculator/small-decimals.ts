import type { Instruction, Operator } from "./instruction.ts";

/** The powers of ten that a JavaScript number holds exactly. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const maxScale = powersOfTen.length - 1;
const maxFactorial = 18;
const maxPower = 1_024;
/** 1/256 needs eight more digits; what needs more is rare. */
const maxQuotientDigits = 8;

/**
 * Evaluates what stays within small decimals; undefined as soon as anything does not, whatever the reason.
 *
 * A value is `mantissa / 10^scale`, both integers that a JavaScript number holds exactly (below 2^53, at most 10^22), and each
 * operation is only done if its result is of this kind again. So nothing is rounded until the one division at the end,
 * which IEEE 754 rounds correctly: the value is the number nearest to the exact result, as evaluateDecimals finds it too.
 * Most expressions that people type end here, some ten times faster, and never need the decimal library.
 */
export function evaluateSmallDecimals(
  instructions: readonly Instruction[],
  variables: ReadonlyMap<string, number>,
): number | undefined {
  const stack = new SmallStack();
  for (const instruction of instructions) {
    if (!step(stack, instruction, variables)) return undefined;
  }
  return stack.value();
}

function step(stack: SmallStack, instruction: Instruction, variables: ReadonlyMap<string, number>): boolean {
  switch (instruction.type) {
    case "number":
      return stack.pushText(instruction.text);
    case "name": {
      const value = variables.get(instruction.name);
      if (value === undefined) return false;
      return Number.isSafeInteger(value) ? stack.push(value + 0, 0) : stack.pushText(String(value));
    }
    case "operator":
      return stack.operate(instruction.operator);
    case "call":
      return false;
  }
}

/** A stack of exact small decimals. Each operation says whether it could be done; after a false one the stack is of no use. */
class SmallStack {
  private readonly mantissas: number[] = [];
  private readonly scales: number[] = [];

  value(): number | undefined {
    const mantissa = this.mantissas[0];
    const power = powersOfTen[this.scales[0] ?? 0];
    return mantissa === undefined || power === undefined ? undefined : mantissa / power;
  }

  pushText(text: string): boolean {
    // At most 15 digits, so that the integer of all digits is exact; an exponent or a sign is left to others.
    if (text.length > 15) return false;
    let mantissa = 0;
    let scale = 0;
    for (let index = 0; index < text.length; index++) {
      const digit = text.charCodeAt(index) - 48;
      if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit;
      else if (digit === -2) scale = text.length - index - 1;
      else return false;
    }
    return this.push(mantissa, scale);
  }

  /** Without zeros at the end of the fraction; 0 is never negative. */
  push(mantissa: number, scale: number): boolean {
    let shortest = mantissa;
    let shortestScale = scale;
    while (shortestScale > 0 && shortest % 10 === 0) {
      shortest /= 10;
      shortestScale--;
    }
    if (shortestScale > maxScale || !Number.isSafeInteger(shortest)) return false;
    this.mantissas.push(shortest + 0);
    this.scales.push(shortestScale);
    return true;
  }

  operate(operator: Operator): boolean {
    const scale = this.scales.pop() ?? 0;
    const mantissa = this.mantissas.pop() ?? Number.NaN;
    switch (operator) {
      case "negate":
        return this.push(0 - mantissa, scale);
      case "percent":
        return this.push(mantissa, scale + 2);
      case "factorial":
        return scale === 0 && this.push(factorial(mantissa), 0);
    }
    const leftScale = this.scales.pop() ?? 0;
    const left = this.mantissas.pop() ?? Number.NaN;
    switch (operator) {
      case "multiply":
        return this.push(left * mantissa, leftScale + scale);
      case "power":
        return scale === 0 && this.push(power(left, mantissa), leftScale * mantissa);
      default:
        return this.align(
          operator,
          atScale(left, scale - leftScale),
          atScale(mantissa, leftScale - scale),
          Math.max(leftScale, scale),
        );
    }
  }

  /** What needs both values over the same power of ten. */
  private align(
    operator: "add" | "subtract" | "divide" | "remainder",
    left: number,
    right: number,
    scale: number,
  ): boolean {
    switch (operator) {
      case "add":
        return this.push(left + right, scale);
      case "subtract":
        return this.push(left - right, scale);
      case "remainder":
        return right !== 0 && this.push(left % right, scale);
      case "divide":
        return right !== 0 && this.divide(left, right);
    }
  }

  private divide(left: number, right: number): boolean {
    let dividend = left;
    for (let digits = 0; digits <= maxQuotientDigits && Number.isSafeInteger(dividend); digits++, dividend *= 10) {
      if (dividend % right === 0) return this.push(dividend / right, digits);
    }
    return false;
  }
}

/** The mantissa with `shift` more zeros; NaN if it may have been rounded. */
function atScale(mantissa: number, shift: number): number {
  if (shift <= 0) return mantissa;
  const shifted = mantissa * (powersOfTen[shift] ?? Number.NaN);
  return Number.isSafeInteger(shifted) ? shifted : Number.NaN;
}

/** The power, or NaN if it may have been rounded or the exponent is none for a few multiplications. */
function power(base: number, exponent: number): number {
  if (exponent < 0 || exponent > maxPower) return Number.NaN;
  let product = 1;
  for (let count = 0; count < exponent && Number.isSafeInteger(product); count++) product *= base;
  return product;
}

function factorial(operand: number): number {
  if (operand < 0 || operand > maxFactorial) return Number.NaN;
  let product = 1;
  for (let factor = 2; factor <= operand; factor++) product *= factor;
  return product;
}
