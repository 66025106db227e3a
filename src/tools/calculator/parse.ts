import { AgentError, type CalculationProblem } from "../../core/errors.ts";
import { cutText, suggestName } from "../../core/text.ts";
import {
  constantNames,
  type FunctionName,
  findConstant,
  findFunction,
  functionNames,
  type Operator,
  ruleOf,
} from "./functions.ts";

interface ParseOptions {
  readonly maxLength: number;
  readonly maxDepth: number;
  isVariable(name: string): boolean;
}

/** Negation is below power, so `-3^2` is -(3^2). It is a prefix, so `2^-3` is valid. */
const precedences = { add: 1, subtract: 1, multiply: 2, divide: 2, remainder: 2, negate: 3, power: 4 } as const;
type PendingOperator = keyof typeof precedences;
type PendingInstruction = Extract<Instruction, { type: "operator" }> & { readonly operator: PendingOperator };

interface OpenParenthesis {
  readonly type: "open";
  readonly name: FunctionName | undefined;
  readonly position: number;
  readonly parenthesis: number;
  argumentCount: number;
}

const binaryOperators: ReadonlyMap<string, PendingOperator> = new Map([
  ["+", "add"],
  ["-", "subtract"],
  ["−", "subtract"],
  ["*", "multiply"],
  ["×", "multiply"],
  ["·", "multiply"],
  ["⋅", "multiply"],
  ["/", "divide"],
  ["÷", "divide"],
  ["^", "power"],
]);

/** Dijkstra's shunting-yard algorithm (1961): an explicit stack, so that no nesting exhausts the call stack. */
export function parse(expression: string, options: ParseOptions): readonly Instruction[] {
  const { maxLength } = options;
  if (expression.length <= maxLength) return new Parser(expression, options).parse();
  const message = `The expression has ${expression.length} characters; at most ${maxLength} are allowed.`;
  throw calculationFailed("too-long", message, maxLength);
}

class Parser {
  readonly #scanner: Scanner;
  readonly #output: Instruction[] = [];
  readonly #pending: (PendingInstruction | OpenParenthesis)[] = [];
  #depth = 0;

  constructor(
    expression: string,
    private readonly options: ParseOptions,
  ) {
    this.#scanner = new Scanner(expression);
  }

  parse(): readonly Instruction[] {
    do {
      while (this.#prefix());
    } while (this.#suffix());
    return this.#output;
  }

  /** Returns false after reading an operand. */
  #prefix(): boolean {
    const scanner = this.#scanner;
    const character = scanner.peek();
    const { position } = scanner;
    const text = scanner.takeNumber();
    if (text !== undefined) {
      this.#output.push({ type: "number", text, position });
      return false;
    }
    const name = scanner.takeName();
    if (name !== undefined) return this.#name(name, position);
    if (character === "-" || character === "−") this.#pending.push({ type: "operator", operator: "negate", position });
    else if (character === "(") this.#open(undefined, position);
    else if (character !== "+") throw scanner.missingOperand();
    scanner.position++;
    return true;
  }

  /** Returns false at the end of the expression. */
  #suffix(): boolean {
    const scanner = this.#scanner;
    for (;;) {
      const character = scanner.peek();
      if (character === undefined) return this.#end();
      const operator = binaryOperators.get(character);
      if (operator !== undefined) return this.#binary(operator);
      const position = scanner.position++;
      if (character === "%") {
        // 8 % 3 is a remainder, 50% * 100 and 50% - 3 are percentages.
        if (scanner.isBefore(operandStart)) return this.#wait("remainder", position);
        if (scanner.isBefore(signedOperand)) {
          const message = '"%" before a sign can be a remainder or a percentage; write 10 % (-3), or 10% - 3.';
          throw calculationFailed("syntax", message, position);
        }
        this.#output.push({ type: "operator", operator: "percent", position });
      } else if (character === ")") this.#close(position);
      else if (character === "!") this.#factorial(position);
      else if (character === ",") return this.#comma(position);
      else {
        scanner.position = position;
        throw scanner.missingOperator();
      }
    }
  }

  #name(name: string, position: number): boolean {
    const scanner = this.#scanner;
    const functionName = findFunction(name);
    if (scanner.peek() !== "(") {
      if (functionName !== undefined && !this.options.isVariable(name))
        throw calculationFailed("unknown-name", `"${functionName}" is a function; write ${functionName}(x).`, position);
      this.#output.push({ type: "name", name, position });
      return false;
    }
    if (functionName === undefined)
      throw unknownFunction(name, position, findConstant(name) !== undefined || this.options.isVariable(name));
    this.#open(functionName, position);
    scanner.position++;
    if (scanner.peek() === ")") checkCount(functionName, 0, position);
    return true;
  }

  #open(name: FunctionName | undefined, position: number): void {
    const parenthesis = this.#scanner.position;
    if (++this.#depth > this.options.maxDepth) {
      const message = `More than ${this.options.maxDepth} parentheses are open at once.`;
      throw calculationFailed("too-deep", message, parenthesis);
    }
    this.#pending.push({ type: "open", name, position, parenthesis, argumentCount: 1 });
  }

  #binary(operator: PendingOperator): true {
    const scanner = this.#scanner;
    const position = scanner.position++;
    if (!scanner.text.startsWith("**", position)) return this.#wait(operator, position);
    scanner.position++;
    return this.#wait("power", position);
  }

  #wait(operator: PendingOperator, position: number): true {
    // Power is right-associative: 2^3^2 is 2^(3^2).
    this.#release(operator === "power" ? precedences.power + 1 : precedences[operator]);
    this.#pending.push({ type: "operator", operator, position });
    return true;
  }

  #factorial(position: number): void {
    this.#output.push({ type: "operator", operator: "factorial", position });
    if (this.#scanner.peek() !== "!") return;
    const message = '"!!" can be a double factorial or the factorial of a factorial; write (3!)! for the latter.';
    throw calculationFailed("syntax", message, this.#scanner.position);
  }

  #close(position: number): void {
    const opened = this.#release(0);
    if (opened === undefined) throw calculationFailed("syntax", 'There is no "(" for this ")".', position);
    this.#pending.pop();
    this.#depth--;
    if (opened.name === undefined) return;
    const { name, argumentCount, position: start } = opened;
    checkCount(name, argumentCount, start);
    this.#output.push({ type: "call", name, argumentCount, position: start });
  }

  #comma(position: number): true {
    const opened = this.#release(0);
    if (opened?.name !== undefined) {
      opened.argumentCount++;
      return true;
    }
    const message = '"," only separates the arguments of a function; write 1000, not 1,000, and 2.5, not 2,5.';
    throw calculationFailed("syntax", message, position);
  }

  #end(): false {
    const opened = this.#release(0);
    if (opened === undefined) return false;
    throw calculationFailed("syntax", 'This "(" is never closed; add ")".', opened.parenthesis);
  }

  /** Outputs pending operators down to a weaker one or an open parenthesis, and returns the parenthesis, if any. */
  #release(precedence: number): OpenParenthesis | undefined {
    for (;;) {
      const last = this.#pending.at(-1);
      if (last === undefined || last.type === "open") return last;
      if (precedences[last.operator] < precedence) return undefined;
      this.#pending.pop();
      this.#output.push(last);
    }
  }
}

function checkCount(name: FunctionName, count: number, position: number): void {
  const [least, most] = ruleOf(name);
  if (count >= least && count <= most) return;
  const several = least === most ? `${least}` : `${least} or ${most}`;
  const expected = Number.isFinite(most) ? several : `at least ${least}`;
  const noun = expected.endsWith("1") ? "argument" : "arguments";
  throw calculationFailed("wrong-arguments", `${name} takes ${expected} ${noun}; it was given ${count}.`, position);
}

export type Instruction =
  | { readonly type: "number"; readonly text: string; readonly position: number }
  | { readonly type: "name"; readonly name: string; readonly position: number }
  | { readonly type: "operator"; readonly operator: Operator; readonly position: number }
  | { readonly type: "call"; readonly name: FunctionName; readonly argumentCount: number; readonly position: number };

const numberPattern = /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;
// Excludes "of", so that the error for "50% of 200" points at this word.
export const operandStart = /\s*(?!of\b)[0-9A-Za-z_.(]/y;
const signedOperand = /\s*[-−+](?!of\b)[0-9A-Za-z_.(]/y;
const spacePattern = /\s+/y;
const maxNumberLength = 1_000;
const expectedOperand = 'a number, a name or "(" was expected here';
const expectedOperator = 'an operator (+ - * / % ^ !), ")" or the end was expected here';

/** All patterns are sticky and linear, so that no text is slow to scan. */
export class Scanner {
  position = 0;

  constructor(readonly text: string) {}

  peek(): string | undefined {
    const code = this.text.charCodeAt(this.position);
    if (code <= 0x20 || code >= 0xa0) this.#take(spacePattern);
    return this.text[this.position];
  }

  takeNumber(): string | undefined {
    const start = this.position;
    const number = this.#take(numberPattern);
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

  takeName(): string | undefined {
    return this.#take(namePattern);
  }

  isBefore(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    return pattern.test(this.text);
  }

  missingOperand(): CalculationFailed {
    if (this.position < this.text.length) return unexpectedCharacter(this.text, this.position, expectedOperand);
    const state = this.text.trim() === "" ? "is empty" : "ends too early";
    const message = `The expression ${state}; ${expectedOperand}, as in 2 * (3 + 4).`;
    return calculationFailed("syntax", message, this.position);
  }

  missingOperator(): CalculationFailed {
    const start = this.position;
    const operand = this.text[start] === "(" ? "(" : (this.#take(numberPattern) ?? this.#take(namePattern));
    if (operand === undefined) return unexpectedCharacter(this.text, start, expectedOperator);
    const message = `An operator is missing before "${cutText(operand, maxQuoted)}"; to multiply, write *, and write numbers without spaces or separators.`;
    return calculationFailed("syntax", message, start);
  }

  #take(pattern: RegExp): string | undefined {
    const start = this.position;
    if (!this.isBefore(pattern)) return undefined;
    this.position = pattern.lastIndex;
    return this.text.slice(start, this.position);
  }
}

type CalculationFailed = AgentError<"calculation-failed">;

export function calculationFailed(problem: CalculationProblem, message: string, position: number): CalculationFailed {
  const details = { problem, position };
  return new AgentError("calculation-failed", `${message} (at character ${position + 1})`, { details });
}

export const maxQuoted = 40;

const replacements: ReadonlyMap<string, string> = new Map(
  "- ‐‑‒–—―﹣－|* ∗＊✕✖⨯|/ ∕⁄／|( （［[{|) ）］]}|% ％٪﹪|, ，、;；|+ ＋|^ ＾ˆ|. ．|! ！|pi π|sqrt(x) √|cbrt(x) ∛|^2 ²|^3 ³|1/2 ½|1/4 ¼|3/4 ¾"
    .split("|")
    .flatMap((row) => {
      const [replacement = "", characters = ""] = row.split(" ");
      return [...characters].map((character) => [character, replacement] as const);
    })
    .concat([["|", "abs(x)"]]),
);

export function unexpectedCharacter(expression: string, position: number, expected: string): CalculationFailed {
  const character = String.fromCodePoint(expression.codePointAt(position) ?? 0);
  const replacement = replacements.get(character);
  const message = `Unexpected ${nameCharacter(character)}; ${replacement === undefined ? adviceFor(character, expected) : `write ${replacement}`}.`;
  return calculationFailed("syntax", message, position);
}

export function unknownFunction(name: string, position: number, isValue: boolean): CalculationFailed {
  const shown = cutText(name, maxQuoted);
  const advice = isValue ? ` To multiply, write ${shown} * ( … ).` : suggestName(name, functionNames);
  const message = `There is no function "${shown}".${advice} The functions are ${functionNames.join(", ")}.`;
  return calculationFailed("unknown-function", message, position);
}

export function unknownName(name: string, position: number, variableNames: readonly string[]): CalculationFailed {
  const known = [...variableNames, ...constantNames];
  const given = cutText(variableNames.join(", "), 400);
  const variables = variableNames.length === 0 ? "No variables are given" : `The variables are ${given}`;
  const message = `There is no variable or constant "${cutText(name, maxQuoted)}".${suggestName(name, known)} ${variables}; the constants are ${constantNames.join(", ")}.`;
  return calculationFailed("unknown-name", message, position);
}

function nameCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const codePoint = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (code > 0x20 && code < 0x7f) return `"${character}"`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}" (${codePoint})` : codePoint;
}

function adviceFor(character: string, expected: string): string {
  if (character === "=") return 'leave out "=" and write only what is to be calculated';
  if (/\p{Sc}/u.test(character)) return "leave out currency signs";
  if (/\p{N}/u.test(character) && !/[0-9]/.test(character)) return "write numbers with the digits 0 to 9";
  if (/\p{L}/u.test(character) && !/[A-Za-z]/.test(character)) return "names consist of A-Z, a-z, 0-9 and _";
  return expected;
}
