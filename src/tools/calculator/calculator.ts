import * as z from "zod/v4";
import { countPending } from "../../async/promises.ts";
import { defineTool, toolName } from "../../core/define-tool.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";

/** Options of {@link createCalculator}. @inline */
export interface CalculatorOptions<TName extends string = string> {
  /** Name of the tool. @default "Calculator" */
  readonly name?: TName | undefined;
  /** Maximum length of an expression, in UTF-16 code units, from 1 to 100 000. @default 10_000 */
  readonly maxLength?: number | undefined;
  /** Maximum nesting of parentheses, including those of functions, from 1 to 100 000. @default 2_000 */
  readonly maxDepth?: number | undefined;
}

const calculatorOptions = {
  name: { ...toolName, default: "Calculator" },
  maxLength: { type: "integer", min: 1, max: 100_000, default: 10_000 },
  maxDepth: { type: "integer", min: 1, max: 100_000, default: 2_000 },
} satisfies OptionTable<CalculatorOptions>;

const description =
  "Evaluates an arithmetic expression exactly: + - * / % ^ and parentheses, percentages (15%), factorials (5!), the constants pi and e, " +
  "and functions such as sqrt, abs, round, floor, ceil, min, max, sum, sin (radians), log (base 10), ln and exp. " +
  "Earlier results are passed as variables.";

/**
 * Creates the tool "Calculator", which takes `{ expression, variables? }` and returns `{ value, expression }`.
 *
 * It evaluates only its own grammar, with decimal arithmetic: 0.1 + 0.2 is 0.3. `%` is a remainder if an operand
 * follows, otherwise a percentage. `^` is right-associative and binds tighter than a minus sign. Angles are in radians.
 * A variable is a value: `{ expression: "x ^ 2", variables: { x: -3 } }` is 9. An expression without a value fails with
 * `calculation-failed`, which states the problem and its position and is not retried. Throws `invalid-options`.
 * {@includeCode ../../../examples/04-approve-a-plan.ts} @group Built-in tools
 */
export function createCalculator<const TName extends string = "Calculator">(options: CalculatorOptions<TName> = {}) {
  const { name, maxLength, maxDepth } = readOptions(calculatorOptions, options, "calculator");
  return defineTool({
    name,
    description,
    inputSchema: z.object({
      expression: z.string().describe('Such as "(41 * 7) + 13", "sqrt(2) * x" or "15% * 80"'),
      variables: z.record(z.string(), z.number()).optional().describe("Values of the names in the expression"),
    }),
    outputSchema: z.object({ value: z.number(), expression: z.string() }),
    effect: "pure",
    result: "value",
    phrases: async () => (await import("./phrases.ts")).calculatorPhrases,
    async execute({ expression, variables }) {
      const { evaluate } = await countPending(import("./evaluate.ts"));
      return { value: evaluate(expression, { variables, maxLength, maxDepth }), expression };
    },
    say: ({ output }) => String(output.value),
  });
}
