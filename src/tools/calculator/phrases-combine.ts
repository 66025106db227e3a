import type { PhraseReference, ToolPhraseOptions } from "../../core/tool.ts";

/** The input that a phrase of the calculator creates; a variable may be a reference until the plan runs. */
export interface CalculatorPhraseInput {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}

const nouns = "(results|answers|numbers|values|totals|sums|outcomes|products|figures|amounts)";
const two = `(both [of (them|these|those)]|both [the|of the|these|those] ${nouns}|[the|these|those] [last] two [${nouns}])`;
const all = `(them|them all|all of them|these|those|all [of] [the|these|those] ${nouns}|(the|these|those) ${nouns}|everything)`;

type Combine = (names: readonly string[]) => string;

const sum: Combine = (names) => names.join(" + ");
const product: Combine = (names) => names.join(" * ");
const average: Combine = (names) => `(${names.join(" + ")}) / ${names.length}`;

/** Takes several earlier results at once: "add both answers" takes two, "add them up" takes all. */
function combining(frame: string, combine: Combine): readonly ToolPhraseOptions<CalculatorPhraseInput>[] {
  const withResults = (operands: string, fits: (count: number) => boolean) => ({
    phrase: frame.replaceAll("@", operands),
    toInput(_: unknown, { before }: { before?: { results: readonly PhraseReference[] } | undefined }) {
      const results = before?.results ?? [];
      if (results.length > names.length || !fits(results.length)) return undefined;
      const used = names.slice(0, results.length).split("");
      const variables = Object.fromEntries(used.map((name, index) => [name, results[index]]));
      return { expression: combine(used), variables: variables as unknown as Record<string, number> };
    },
  });
  return [withResults(two, (count) => count === 2), withResults(all, (count) => count >= 2)];
}

const first = `(the (first|former) [(one|result|answer|number)])`;
const second = `(the (second|latter|other|last) [(one|result|answer|number)])`;

/** Takes two earlier results by their places, whichever is named first: `@1` and `@2`. */
function ofFirst(frame: string, combine: Combine): readonly ToolPhraseOptions<CalculatorPhraseInput>[] {
  const inOrder = (named: string, combine: Combine) => ({
    ...combining(named, combine)[0],
    phrase: named,
  });
  const swap: Combine = ([one = "", other = ""]) => combine([other, one]);
  return [
    inOrder(frame.replace("@1", first).replace("@2", second), combine),
    inOrder(frame.replace("@1", second).replace("@2", first), swap),
  ];
}

/** Variables are letters that have no other meaning in the calculator. */
const names = "abcdfghjklmnopqr";

/** Phrases that combine several earlier results. */
export const combiningPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  ...combining("(add|sum|total|combine|add up|sum up|total up|put) @ [(together|up)]", sum),
  ...combining("(the sum|sum|the total|total) of @", sum),
  ...combining("what do @ (add up to|come to|make) [together]", sum),
  ...combining("multiply @ [(together|with each other)]", product),
  ...combining("(the product|product) of @", product),
  ...combining("[take] (the average|average|the mean|mean) [of] @", average),
  ...ofFirst("(subtract|take|deduct) @1 from @2", ([first, second]) => `${second} - ${first}`),
  ...ofFirst("(multiply) @1 (by|with|and) @2", ([first, second]) => `${first} * ${second}`),
  ...ofFirst("divide @1 by @2", ([first, second]) => `${first} / ${second}`),
  ...ofFirst("add @1 (to|and) @2", ([first, second]) => `${first} + ${second}`),
  ...combining("(the difference|difference) (between|of) @", (names) => `abs(${names.join(" - ")})`).slice(0, 1),
];
