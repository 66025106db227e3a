import type { Clause, ClauseReader, ClauseReading } from "../../../core/clause-reader.ts";
import type { PhraseContext } from "../../../core/tool.ts";
import { unpackWeights, type WeightTable } from "../../../language/packed-weights.ts";
import { featureCount, sentenceFeatures } from "../../../language/sentence-features.ts";
import { readSpokenArithmetic } from "../spoken/spoken-arithmetic.ts";
import { toCalculation } from "./calculation.ts";
import { sumFrame } from "./sum-frame.ts";

/** What the training writes: what speaks for a sum that should be worked out, or against it. */
export interface SumWeights {
  readonly scale: number;
  readonly text: string;
}

/** Reads arithmetic in signs and words, where the words around it ask for it. */
export function createCalculatorReader({ scale, text }: SumWeights): ClauseReader {
  const weights = unpackWeights(text, { columns: 1, features: featureCount + 1, scale });
  return { read: (clause) => readClause(clause, weights) };
}

function readClause({ tokens }: Clause, weights: WeightTable): readonly ClauseReading[] {
  const words = tokens.map(({ norm, kind }) => (kind === "quote" ? '"' : norm));
  const found =
    readSpokenArithmetic(words, { hasPrevious: false }) ?? readSpokenArithmetic(words, { hasPrevious: true });
  const isQuoting = tokens.some(({ kind }, at) => kind === "quote" && found?.used[at] !== true);
  if (found === undefined || isQuoting || isPartOfName(tokens, found.used) || isOpenEquation(words, found.used))
    return [];
  const probability = probabilityOf(sumFrame(words, found.used), weights);
  const toInputs = (context: PhraseContext) => {
    const calculation = toCalculation(found, context);
    return calculation === undefined ? { unbound: words.join(" ") } : [calculation];
  };
  return [{ meaning: "calculate", probability, toInputs }];
}

/** "PROP-2025-001", "2x": numbers that are glued to letters. */
function isPartOfName(tokens: Clause["tokens"], used: readonly boolean[]): boolean {
  return tokens.some(({ glued, kind, norm }, index) => {
    const before = tokens[index - 1];
    if (!glued || before === undefined || used[index] === used[index - 1]) return false;
    return used[index] === true ? /\p{L}$/u.test(before.norm) : kind === "word" && /^\p{L}/u.test(norm);
  });
}

const equalsWords = new Set(["equals", "equal", "="]);

/** "1 + 1 equals window": what stands behind the sign is nothing that we know. */
function isOpenEquation(words: readonly string[], used: readonly boolean[]): boolean {
  const at = words.findLastIndex((word, index) => equalsWords.has(word) && used[index - 1] === true);
  const next = at === -1 ? "" : (words[at + 1] ?? "");
  return used[at + 1] !== true && /^\p{L}/u.test(next) && next !== "to" && next !== "please";
}

/** How probably a sum is asked for by the words around it. */
function probabilityOf(frame: readonly string[], { rows, values }: WeightTable): number {
  const features = sentenceFeatures(frame);
  const weightOf = (feature: number) => values[rows[feature] ?? 0] ?? 0;
  const sum = features.reduce((total, feature) => total + weightOf(feature), weightOf(featureCount));
  return 1 / (1 + Math.exp(-sum / Math.sqrt(features.length)));
}
