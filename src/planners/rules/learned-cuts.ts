import { unpackWeights, type WeightTable } from "../../language/packed-weights.ts";
import { featureCount } from "../../language/sentence-features.ts";
import { tokenFeatures } from "../../language/token-features.ts";
import { wordForms } from "../../language/word-forms.ts";
import { splitClauses } from "./clauses.ts";
import { cutRequest, type MatchInput } from "./match-input.ts";

/** What was learned of where wishes begin: weights in one column, that of the bias last. */
export type CutModel = WeightTable;

/** What the training writes. */
export interface CutWeights {
  readonly scale: number;
  readonly text: string;
}

/** Decodes what was learned. */
export function decodeCuts({ scale, text }: CutWeights): CutModel {
  return unpackWeights(text, { columns: 1, features: featureCount + 1, scale });
}

const noMarks: ReadonlySet<string> = new Set();

/** The logarithm of the odds that a wish begins at each word. Linear. */
export function startOdds({ rows, values }: CutModel, words: readonly string[]): readonly number[] {
  const weightOf = (feature: number) => values[rows[feature] ?? 0] ?? 0;
  return tokenFeatures(words, noMarks).map((features) => {
    const sum = features.reduce((total, feature) => total + weightOf(feature), weightOf(featureCount));
    return sum / Math.sqrt(features.length);
  });
}

/** From which odds on a wish may begin where nothing separates it from the one before. */
const minOdds = -1;
/** As for readings: the cost of a factor e in probability. */
const oddsCost = 500;
const maxOdds = 6;
/** From which odds on no text continues there. */
const hardOdds = 1.5;
/** Steps of work for each word. */
const wordCost = 60;

/** The same request with a clause wherever a wish may begin, each with what it costs or saves to begin one there. */
export function cutWhereWishesBegin(input: MatchInput, model: CutModel): MatchInput {
  const { tokens, work } = input;
  work.spend(tokens.length * wordCost);
  const odds = startOdds(model, wordForms(tokens));
  const starts = new Set(odds.flatMap((each, index) => (index > 0 && each > minOdds ? [index] : [])));
  const clauses = splitClauses(tokens, starts).map((clause, index, all) => {
    const each = Math.max(-maxOdds, Math.min(maxOdds, odds[clause.start] ?? 0));
    const next = odds[all[index + 1]?.start ?? 0] ?? 0;
    const startCost = clause.start === 0 ? 0 : Math.round(-oddsCost * each);
    return { ...clause, startCost, endsHard: clause.endsHard || next > hardOdds };
  });
  return cutRequest(input, clauses);
}
