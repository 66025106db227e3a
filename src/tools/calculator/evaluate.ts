import { countPending } from "../../async/pending-work.ts";
import { cutText } from "../../core/text.ts";
import { calculationFailed, maxQuoted } from "./calculation-failed.ts";
import { evaluateFractions } from "./fraction.ts";
import { parse } from "./parse.ts";

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** Values for names, `[A-Za-z_][A-Za-z0-9_]*`, finite. A variable hides the constant of its name. @default none */
  readonly variables?: Readonly<Record<string, number>> | undefined;
  /** Maximum length of an expression, in UTF-16 code units. @default 10_000 */
  readonly maxLength?: number | undefined;
  /** Maximum nesting of parentheses. @default 2_000 */
  readonly maxDepth?: number | undefined;
}

/** The default maximum length of an expression, in UTF-16 code units. */
export const defaultMaxLength = 10_000;

/** The default maximum nesting of parentheses. */
export const defaultMaxDepth = 2_000;

/** The maximum number of variables; an error about an unknown name compares it with all of them. */
const maxVariables = 1_000;

/**
 * The value of an arithmetic expression: the JavaScript number nearest to the result of decimal arithmetic.
 *
 * The answer comes at once where the expression stays within small fractions; else as a promise, since the decimal
 * library is loaded by the first expression that needs it. Throws, or rejects with, `calculation-failed` and nothing
 * else.
 */
export function evaluate(expression: string, options: EvaluateOptions = {}): number | Promise<number> {
  const { maxLength = defaultMaxLength, maxDepth = defaultMaxDepth } = options;
  const variables = readVariables(options.variables);
  const instructions = parse(expression, { maxLength, maxDepth, isVariable: (name) => variables.has(name) });
  const value = evaluateFractions(instructions, variables) ?? evaluateDecimals?.(instructions, variables);
  if (value !== undefined) return value;
  return countPending(import("./evaluate-decimals.ts")).then((module) => {
    evaluateDecimals = module.evaluateDecimals;
    return evaluateDecimals(instructions, variables);
  });
}

/** Kept after loading: a second import() would cost more than most expressions. */
let evaluateDecimals: typeof import("./evaluate-decimals.ts").evaluateDecimals | undefined;

const noVariables: ReadonlyMap<string, number> = new Map();

/** Copied into a map, so that a name can never reach a prototype. */
function readVariables(given: Readonly<Record<string, number>> | undefined): ReadonlyMap<string, number> {
  if (given === undefined) return noVariables;
  const variables = new Map(Object.entries(given));
  if (variables.size > maxVariables) {
    const message = `There are ${variables.size} variables; at most ${maxVariables} are allowed.`;
    throw calculationFailed("invalid-variable", message, 0);
  }
  for (const [name, value] of variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = `The variable name ${JSON.stringify(cutText(name, maxQuoted))} is not allowed; names consist of letters A-Z, digits and _, and start with a letter or _.`;
      throw calculationFailed("invalid-variable", message, 0);
    }
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw calculationFailed(
        "invalid-variable",
        `The variable "${cutText(name, maxQuoted)}" must be a finite number.`,
        0,
      );
    }
  }
  return variables;
}
