import type { PhraseContext, PhraseReference } from "../../../core/tool.ts";
import type { SpokenArithmetic } from "../spoken/spoken-arithmetic.ts";
import { variableNames as names } from "../variable-names.ts";

/** An input of the calculator, in which an earlier result stands for a variable until the plan runs. */
export interface Calculation {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, PhraseReference | undefined>>;
}

/** The calculation that was read, or undefined if there are not as many earlier results as it needs. */
export function toCalculation(
  { uses, expression, combine }: SpokenArithmetic,
  { previous, before }: PhraseContext,
): Calculation | undefined {
  if (uses === "none") return { expression };
  if (previous === undefined) return undefined;
  if (uses === "last") return { expression, variables: { x: previous } };
  const results = before?.results ?? [];
  const isFit = uses === "both" ? results.length === 2 : results.length >= 2 && results.length <= names.length;
  if (!isFit) return undefined;
  const used = names.slice(0, results.length).split("");
  return {
    expression: combine(used),
    variables: Object.fromEntries(used.map((name, index) => [name, results[index]])),
  };
}
