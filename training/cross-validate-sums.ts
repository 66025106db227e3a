import { hashText } from "../src/language/hash.ts";
import { tokenize } from "../src/language/tokens.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { createCalculatorReader } from "../src/tools/calculator/reading/calculator-reader.ts";
import type { Share } from "../test/eval/measure.ts";
import { isCalculation, isWordProblem } from "./development-kinds.ts";
import { type SumSources, trainSums } from "./train-sums.ts";

const folds = 5;
const minProbability = 0.7;
/** Sentences that stand together were written by one person. */
const blockLength = 25;
const sumLabels = new Set(["calculator", "qa_maths", "measurement_conversion"]);

/** How many sentences that ask for a sum are understood with what was learned from the other folds, and of others how many are not. */
export function crossValidateSums({ sentences, rows, labelled }: SumSources): readonly (readonly [string, Share])[] {
  const counts = { development: [0, 0], written: [0, 0], others: [0, 0] };
  const foldOf = (text: string) => hashText(text) % folds;
  const blocks = new Map(sentences.map((each, at) => [each, foldOf(`${each.file}/${Math.floor(at / blockLength)}`)]));
  for (let fold = 0; fold < folds; fold++) {
    const isOut = (text: string) => foldOf(text) === fold;
    const { weights } = trainSums({
      sentences: sentences.filter((each) => blocks.get(each) !== fold),
      rows: rows.filter(({ family, id }) => !isOut(family ?? id)),
      labelled: labelled.filter(({ text }) => !isOut(text)),
    });
    const reader = createCalculatorReader(weights);
    const isRead = (text: string) => {
      const tokens = tokenize(text);
      const [best] = reader.read({ text, tokens, forms: wordForms(tokens), dates: [] });
      return (best?.probability ?? 0) >= minProbability;
    };
    const count = (kind: keyof typeof counts, isRight: boolean) => {
      const [hits = 0, all = 0] = counts[kind];
      counts[kind] = [hits + (isRight ? 1 : 0), all + 1];
    };
    for (const row of rows.filter(({ family, id }) => isOut(family ?? id)))
      if (row.expect.steps?.length === 1 && isCalculation(row) && !isWordProblem(row))
        count("development", isRead(row.prompt));
    for (const each of sentences.filter((sentence) => blocks.get(sentence) === fold))
      if (each.wishes.length === 1 && each.wishes[0]?.operation === "calc") count("written", isRead(each.text));
    for (const { text, intent } of labelled.filter((each) => isOut(each.text)))
      if (intent !== null && !sumLabels.has(intent)) count("others", !isRead(text));
  }
  return Object.entries(counts).map(([kind, [hits = 0, all = 0]]) => [kind, { hits, count: all }]);
}
