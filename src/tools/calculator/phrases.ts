import * as z from "zod/v4";
import type { PhraseContext, PhraseReference, ToolPhraseOptions } from "../../core/tool.ts";
import { tokenize } from "../../language/tokens.ts";
import { readSum } from "../../sums/read-sum.ts";

interface Calculation {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, PhraseReference | undefined>>;
}

export const calculatorPhrases: readonly ToolPhraseOptions<{
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}>[] = [
  {
    phrase: "{sum}",
    slots: { sum: z.string().max(10_000).meta({ slot: "sum" }) },
    toInput: ({ sum }, context) =>
      typeof sum === "string"
        ? (toCalculation(sum, context) as { readonly expression: string } | undefined)
        : undefined,
  },
  { phrase: "what is 45 times 23", input: { expression: "45 * 23" } },
  { phrase: "15% of 80", input: { expression: "15% * 80" } },
  { phrase: "add up 3, 4 and 5", input: { expression: "3 + 4 + 5" } },
  { phrase: "square root of 144", input: { expression: "sqrt(144)" } },
];

function toCalculation(sum: string, { previous, before }: PhraseContext): Calculation | undefined {
  const earlier = previous === undefined ? [] : (before?.results ?? []);
  const read = readSum(tokenize(sum), { results: previous === undefined ? 0 : Math.max(1, earlier.length) });
  if (read === undefined) return undefined;
  const { expression, variables } = read;
  if (variables.length === 0) return { expression };
  const isLast = variables[0] === "x";
  return {
    expression,
    variables: Object.fromEntries(variables.map((name, index) => [name, isLast ? previous : earlier[index]])),
  };
}
