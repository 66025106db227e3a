import { featureCount, sentenceFeatures } from "../src/language/sentence-features.ts";
import { type Token, tokenize } from "../src/language/tokens.ts";
import type { SumWeights } from "../src/tools/calculator/reading/calculator-reader.ts";
import { sumFrame } from "../src/tools/calculator/reading/sum-frame.ts";
import { readSpokenArithmetic } from "../src/tools/calculator/spoken/spoken-arithmetic.ts";
import { isCalculation, isWordProblem } from "./development-kinds.ts";
import { packWeights } from "./pack.ts";
import type { MarkedSentence } from "./read-sentences.ts";
import type { DevelopmentRow, LabelledSentence } from "./read-shared.ts";
import { type ClassifierRow, trainClassifier } from "./train-classifier.ts";

/** What is learned from. */
export interface SumSources {
  readonly sentences: readonly MarkedSentence[];
  readonly rows: readonly DevelopmentRow[];
  readonly labelled: readonly LabelledSentence[];
}

/** The words around a sum, and whether it is asked for. */
interface SumFrame {
  readonly words: readonly string[];
  readonly isAsked: boolean;
  readonly weight: number;
}

/** What a sentence with numbers that are no sum counts. */
const numberWeight = 0.3;
/** Labels whose sentences may ask for a sum. */
const sumLabels = new Set(["calculator", "qa_maths", "measurement_conversion"]);

const wordsOf = (tokens: readonly Token[]) => tokens.map(({ norm, kind }) => (kind === "quote" ? '"' : norm));

/** The frame of the arithmetic in a sentence, with or without an earlier result. */
function framesOf(tokens: readonly Token[], isAsked: boolean): readonly SumFrame[] {
  const words = wordsOf(tokens);
  const found =
    readSpokenArithmetic(words, { hasPrevious: false }) ?? readSpokenArithmetic(words, { hasPrevious: true });
  return found === undefined ? [] : [{ words: sumFrame(words, found.used), isAsked, weight: 1 }];
}

/** A sentence about something else, with a sum in the place of its numbers: "i will be there in ‹sum› minutes". */
function numberFrames(tokens: readonly Token[]): readonly SumFrame[] {
  const used = tokens.map(({ kind }) => kind === "number");
  return used.includes(true) ? [{ words: sumFrame(wordsOf(tokens), used), isAsked: false, weight: numberWeight }] : [];
}

const sumTitles = ["2 and 3", "7 plus 8", "50 % of 60"].map((title) => title.split(" "));

/** A wish about a todo, with a sum for its title: "put ‹sum› on my list", "add 2 and 3 to my list". */
function titleFrames(tokens: readonly Token[], tags: readonly string[]): readonly SumFrame[] {
  const used = tags.map((tag) => tag === "title");
  if (!used.includes(true)) return [];
  const words = wordsOf(tokens);
  const title = sumTitles[words.length % sumTitles.length] ?? [];
  const withSum = words.flatMap((word, at) => (!used[at] ? word : used[at - 1] === true ? [] : title));
  const found = readSpokenArithmetic(withSum, { hasPrevious: false });
  // The verb of the wish is one of arithmetic, too.
  const isAlike = found !== undefined && found.used.filter((isUsed) => isUsed).length > title.length;
  return [
    { words: sumFrame(words, used), isAsked: false, weight: 1 },
    ...(isAlike ? [{ words: sumFrame(withSum, found.used), isAsked: false, weight: numberWeight }] : []),
  ];
}

function framesFrom({ sentences, rows, labelled }: SumSources): readonly SumFrame[] {
  return [
    ...sentences.flatMap(({ tokens, tags, wishes }) =>
      wishes.flatMap(({ operation, start, end }) => {
        const own = tokens.slice(start, end);
        // "Double it" asks for a sum, too, wherever there is a result.
        if (operation === "calc" || operation === "missing") return framesOf(own, true);
        return [...framesOf(own, false), ...numberFrames(own), ...titleFrames(own, tags.slice(start, end))];
      }),
    ),
    ...sentences.filter(({ wishes }) => wishes.length > 1).flatMap(({ tokens }) => framesOf(tokens, false)),
    ...rows.flatMap((row) => {
      const tokens = tokenize(row.prompt);
      const isSingle = row.expect.steps?.length === 1;
      return isWordProblem(row) ? [] : framesOf(tokens, isSingle && isCalculation(row));
    }),
    ...labelled.flatMap(({ text, intent }) => {
      const tokens = tokenize(text);
      return intent === null || sumLabels.has(intent) ? [] : [...framesOf(tokens, false), ...numberFrames(tokens)];
    }),
  ];
}

/** Learns what people say around sums that they want to have worked out. */
export function trainSums(
  sources: SumSources,
  { keep = 2_400, epochs = 20, rate = 0.6 }: { keep?: number; epochs?: number; rate?: number } = {},
) {
  const rows = framesFrom(sources).map(
    ({ words, isAsked, weight }): ClassifierRow => ({
      features: sentenceFeatures(words),
      classes: [isAsked ? 1 : 0],
      weight,
    }),
  );
  const { weights } = trainClassifier(rows, { classCount: 2, keep: 2 * keep, epochs, rate });
  // Two classes differ by one score.
  const odds = new Float64Array(featureCount + 1).map((_, at) => (weights[2 * at + 1] ?? 0) - (weights[2 * at] ?? 0));
  const { scale, text, kept } = packWeights(odds, 1);
  return { weights: { scale, text } satisfies SumWeights, kept };
}
