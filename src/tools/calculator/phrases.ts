import * as z from "zod/v4";
import type { PhraseContext, SlotValue, ToolPhraseOptions } from "../../core/tool.ts";
import { tokenize } from "../../language/tokens.ts";
import { toCalculation } from "./reading/calculation.ts";
import { readSpokenArithmetic } from "./spoken/spoken-arithmetic.ts";

/** A cheap check before the text is read: arithmetic is short, but a text may have any length. */
const spoken = z.string().max(10_000);
const answer = "[the] [(final|exact|total)] (result|value|answer|solution)";
const verbs =
  "(calculate|compute|evaluate|solve|work out|figure out|determine|find|get|take|start with|calculating|computing)";

/** What is said around arithmetic for certain; the reader has learned the rest. */
const frames = [
  "{expression}",
  `${verbs} [${answer}] [(of|for|to|when)] {expression}`,
  `(what is|what are|how much is|how much are) [${answer}] [(of|to|for|when)] {expression}`,
  `i (want|need|would like) to (${verbs}|know) [what] {expression} [(is|equals|makes)]`,
  "(use|using) [my] calculator [(to|and|for)] {expression}",
];

/** The phrases of arithmetic for the rule planner. Text that only looks like it, such as one number, does not fit. */
export const calculatorPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = frames.map((phrase) => ({
  phrase,
  slots: { expression: spoken },
  toInput: ({ expression }, context) => readWhole(expression, phrase.includes("what is"), context),
}));

/** The input that a phrase of the calculator creates; a variable may be a reference until the plan runs. */
interface CalculatorPhraseInput {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}

/** One operation in which every word has its part; several of them are steps of their own. */
function readWhole(
  text: SlotValue | undefined,
  isAsked: boolean,
  context: PhraseContext,
): CalculatorPhraseInput | undefined {
  if (typeof text !== "string") return undefined;
  const words = tokenize(text).map(({ norm, kind }) => (kind === "quote" ? '"' : norm));
  const found = [false, context.previous !== undefined]
    .map((hasPrevious) => readSpokenArithmetic(words, { hasPrevious, isAsked }))
    .find((found) => found?.isSingle && found.used.every((isUsed, at) => isUsed || words[at] === ","));
  return found && (toCalculation(found, context) as CalculatorPhraseInput | undefined);
}
