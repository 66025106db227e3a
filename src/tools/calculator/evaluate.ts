import { countPending } from "../../async/promises.ts";
import { cutText } from "../../core/text.ts";
import { calculationFailed, maxQuoted } from "./calculation-failed.ts";
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
 * Rejects with `calculation-failed` and nothing else. The decimal library is loaded by the first expression.
 */
export async function evaluate(expression: string, options: EvaluateOptions = {}): Promise<number> {
  const { maxLength = defaultMaxLength, maxDepth = defaultMaxDepth } = options;
  const variables = readVariables(options.variables);
  const instructions = parse(expression, { maxLength, maxDepth, isVariable: (name) => variables.has(name) });
  const { evaluateDecimals } = await countPending(import("./evaluate-decimals.ts"));
  return evaluateDecimals(instructions, variables);
}

/** Copied into a map, so that a name can never reach a prototype. */
function readVariables(given: Readonly<Record<string, number>> = {}): ReadonlyMap<string, number> {
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
      const message = `The variable "${cutText(name, maxQuoted)}" must be a finite number.`;
      throw calculationFailed("invalid-variable", message, 0);
    }
  }
  return variables;
}
