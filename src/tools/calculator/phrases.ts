import * as z from "zod/v4";
import type { Clause, ClauseReader } from "../../core/clause-reader.ts";
import type { PhraseContext, PhraseReference, ToolPhraseOptions } from "../../core/tool.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import { readSum } from "../../sums/read-sum.ts";

/** The input that a sum makes; an earlier result stands for a variable until the plan runs. */
interface Calculation {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, PhraseReference | undefined>>;
}

/** The phrase of arithmetic for the rule planner: one operation. Several of them are steps of their own. */
export const calculatorPhrases: readonly ToolPhraseOptions<{
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}>[] = [
  {
    phrase: "{expression}",
    slots: { expression: z.string().max(10_000) },
    toInput({ expression }, context) {
      const read = typeof expression === "string" ? toCalculation(tokenize(expression), context, 1) : undefined;
      return read as { readonly expression: string } | undefined;
    },
  },
];

/** Reads several operations as one expression, where no phrase fits. */
export const calculatorReader: ClauseReader = {
  read({ tokens }: Clause) {
    const isSum = [0, 1, 2, 3].some((results) => readSum(tokens, { results }) !== undefined);
    if (!isSum) return [];
    const toInputs = (context: PhraseContext) => {
      const calculation = toCalculation(tokens, context);
      return calculation === undefined ? { unbound: tokens.map(({ norm }) => norm).join(" ") } : [calculation];
    };
    return [{ meaning: "calculate", probability: 0.95, toInputs }];
  },
};

function toCalculation(
  tokens: readonly Token[],
  { previous, before }: PhraseContext,
  most = Number.POSITIVE_INFINITY,
): Calculation | undefined {
  const earlier = previous === undefined ? [] : (before?.results ?? []);
  const read = readSum(tokens, { results: previous === undefined ? 0 : Math.max(1, earlier.length) });
  if (read === undefined || read.statements > most) return undefined;
  const { expression, variables } = read;
  if (variables.length === 0) return { expression };
  const isLast = variables[0] === "x";
  return {
    expression,
    variables: Object.fromEntries(variables.map((name, index) => [name, isLast ? previous : earlier[index]])),
  };
}
