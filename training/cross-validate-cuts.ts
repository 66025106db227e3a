import { hashText } from "../src/language/hash.ts";
import { tokenize } from "../src/language/tokens.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { decodeCuts, startOdds } from "../src/planners/rules/learned-cuts.ts";
import { createRandom } from "./random.ts";
import { type CutExample, type CutSources, fromMarked, joinWishes, singleRows, trainCuts } from "./train-cuts.ts";

const folds = 5;
const joinedCount = 60;

/** How many requests are cut exactly where they should be, by what was learned from the other folds. */
export function crossValidateCuts({ sentences, rows, labelled }: CutSources) {
  const outcomes = new Map<string, { hits: number; count: number }>();
  const judge = (name: string, examples: readonly CutExample[], cut: (example: CutExample) => boolean) => {
    const { hits, count } = outcomes.get(name) ?? { hits: 0, count: 0 };
    outcomes.set(name, { hits: hits + examples.filter(cut).length, count: count + examples.length });
  };
  for (let fold = 0; fold < folds; fold++) {
    const isHeldOut = (text: string) => hashText(`${text.toLowerCase()}/cuts`) % folds === fold;
    const heldOut = rows.filter(({ prompt }) => isHeldOut(prompt));
    const marked = fromMarked(sentences.filter(({ text }) => isHeldOut(text)));
    const model = decodeCuts(
      trainCuts({
        sentences: sentences.filter(({ text }) => !isHeldOut(text)),
        rows: rows.filter(({ prompt }) => !isHeldOut(prompt)),
        labelled,
      }).weights,
    );
    const isRight = ({ tokens, starts }: CutExample) =>
      startOdds(model, wordForms(tokens)).every((odds, index) => index === 0 || odds > 0 === starts.has(index));
    const whole = (text: string): CutExample => ({ tokens: tokenize(text), starts: new Set() });
    judge(
      "requests left out, joined",
      joinWishes(singleRows(heldOut, "plan"), joinedCount, createRandom(fold)),
      isRight,
    );
    judge("requests left out, single", singleRows(heldOut, "any").map(whole), isRight);
    const several = marked.filter(({ starts }) => starts.size > 0);
    judge("written sentences, several wishes", several, isRight);
    judge(
      "written sentences, single",
      marked.filter(({ starts }) => starts.size === 0),
      isRight,
    );
  }
  return outcomes;
}
