import type { AgentError } from "../../core/errors.ts";
import { cutText } from "../../core/text.ts";
import { calculationFailed, maxQuoted, unexpectedCharacter } from "./calculation-failed.ts";

const numberPattern = /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;
// "50% of 200" is not a remainder: the error is clearer if it points to "of".
const operandStart = /\s*(?!of\b)[0-9A-Za-z_.(]/y;
const signedOperand = /\s*[-−+](?!of\b)[0-9A-Za-z_.(]/y;
const spacePattern = /\s+/y;
const maxNumberLength = 1_000;
const expectedOperand = "a number, a name or ( was expected here";
const expectedOperator = "an operator (+ - * / % ^ !), ) or the end was expected here";

/** Reads an expression from left to right. Every pattern is sticky and linear, so no text makes it slow. */
export class Scanner {
  /** Index of the next character. */
  position = 0;

  constructor(readonly text: string) {}

  /** The next character that is not a space, or undefined at the end. */
  peek(): string | undefined {
    // The pattern is only needed for a character that can be a space.
    const code = this.text.charCodeAt(this.position);
    if (code <= 0x20 || code >= 0xa0) this.take(spacePattern);
    return this.text[this.position];
  }

  /** A number, as written. Throws `too-long`, or `syntax` for digits that look like thousands after a comma. */
  takeNumber(): string | undefined {
    const start = this.position;
    const number = this.take(numberPattern);
    if (number === undefined) return undefined;
    if (number.length > maxNumberLength) {
      const message = `A number has ${number.length} characters; at most ${maxNumberLength} are allowed.`;
      throw calculationFailed("too-long", message, start);
    }
    if (this.text[start - 1] === "," && /^0[0-9]{2}$/.test(number)) {
      const message = `",${number}" looks like a thousands separator; write 1000, not 1,000.`;
      throw calculationFailed("syntax", message, start);
    }
    return number;
  }

  /** A name, as written. */
  takeName(): string | undefined {
    return this.take(namePattern);
  }

  /** True if a number, a name or `(` comes next. */
  isBeforeOperand(): boolean {
    operandStart.lastIndex = this.position;
    return operandStart.test(this.text);
  }

  /** True if a sign comes next with its operand directly after it. */
  isBeforeSignedOperand(): boolean {
    signedOperand.lastIndex = this.position;
    return signedOperand.test(this.text);
  }

  /** The error for a missing operand. */
  missingOperand(): AgentError<"calculation-failed"> {
    if (this.position < this.text.length) return unexpectedCharacter(this.text, this.position, expectedOperand);
    const state = this.text.trim() === "" ? "is empty" : "ends too early";
    const message = `The expression ${state}; ${expectedOperand}, as in 2 * (3 + 4).`;
    return calculationFailed("syntax", message, this.position);
  }

  /** The error for anything other than an operator or the end. */
  missingOperator(): AgentError<"calculation-failed"> {
    const start = this.position;
    const operand = this.text[start] === "(" ? "(" : (this.take(numberPattern) ?? this.take(namePattern));
    if (operand === undefined) return unexpectedCharacter(this.text, start, expectedOperator);
    const message = `An operator is missing before "${cutText(operand, maxQuoted)}"; to multiply, write *, and write numbers without spaces or separators.`;
    return calculationFailed("syntax", message, start);
  }

  private take(pattern: RegExp): string | undefined {
    const start = this.position;
    pattern.lastIndex = start;
    if (!pattern.test(this.text)) return undefined;
    this.position = pattern.lastIndex;
    return this.text.slice(start, this.position);
  }
}
