import * as z from "zod/v4";
import type { ToolPhraseOptions } from "../../core/tool.ts";
import { readArithmetic } from "./arithmetic-language.ts";
import { type CalculatorPhraseInput, combiningPhrases } from "./phrases-combine.ts";
import { areaPhrases, conversionPhrases, percentPhrases } from "./phrases-units.ts";

/** A cheap check before the text is read: arithmetic is short, but a text may have any length. */
const spoken = z.string().max(10_000);

const problem =
  "[(this|the|that|following|my|these)] [(math|maths|simple|quick|following)] (problem|equation|question|sum|sums|calculation|expression|math|maths|arithmetic|operation)";
const answer = "[the] [(final|exact|total)] (result|value|answer|sum|total|solution|outcome)";

const frames = [
  "{expression}",
  `(calculate|compute|evaluate|solve|work out|figure out|determine|do|run|find|get|answer|resolve|give|provide|know|calculating|computing|solving) [me|us] [${answer}] [(of|for|to|when|if)] [${problem}] [(you|i|we)] {expression} [(for me)]`,
  `(what is|what are|how much is|how much are|what would be|what was|what will be|what should be|how many is|how many are) [${answer}] [(of|to|for|when|if)] [${problem}] [(you|i|we)] {expression}`,
  "(what|how much) (does|do|would|will|did) {expression} (equal|equals|make|come to|give|add up to|amount to|come out to|be|yield|total|work out to|sum to)",
  "(what|how much) (do|would|will|did) (you|i|we) (get|have) (if|when|by|from|after) [(you|i|we)] {expression}",
  "(how much|what) (is|would be|will be|do i have|do you have|do we have) (left|remaining|left over|over) (after|when|if|by|from) [(you|i|we)] {expression}",
  "(what is|tell me) {expression} (equal to|as a number|in total|exactly|equal|come to)",
  "(how many|what) times (does|do|can|will|would) {expression}",
  `(tell|give|show) me [${answer}] [(of|to|for|when|if)] [${problem}] [(you|i|we)] {expression}`,
  "(can|could) you [(do|calculate|compute)] the (math|maths|calculation|sum) (for|of|on) {expression}",
  "(use|using) [the|a|my] calculator [(to|and|for)] [(calculate|compute|work out|find|do)] {expression}",
  "(i (want|need|would like) to (calculate|compute|know|work out|find)) [what] {expression} [(is|equals|makes)]",
  "if (i|you|we) [have] {expression} (what|how much|how many) (do|would|will) (i|you|we) (get|have) [left]",
  "(what|how much) {expression} (is|equals|makes|comes to|amounts to|would be|will be)",
  "(result|answer|value|solution|sum|total) (of|to|for) [(when|if)] {expression}",
  `${answer} (of|to|for|when) ${problem} {expression}`,
  `${problem} {expression}`,
  "(math|maths|calculator|calc|calculation|equation|problem) [problem] {expression}",
];

/** A date or a telephone number looks like arithmetic but is not. */
const dateOrNumber = /^(?:\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}-\d\d?-\d\d?|(?:\d-)?\d{3}-(?:\d{3}-)?\d{4})$/;

function arithmetic(phrase: string, hasClaim = false): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { expression: spoken },
    toInput({ expression }, { previous }) {
      if (typeof expression !== "string" || dateOrNumber.test(expression)) return undefined;
      const read = readArithmetic(expression, { hasPrevious: previous !== undefined, hasClaim });
      if (read === undefined) return undefined;
      if (!read.usesPrevious) return { expression: read.expression };
      // A reference is in the place of the number until the plan runs.
      return { expression: read.expression, variables: { x: previous as unknown as number } };
    },
  };
}

/** The phrases of arithmetic for the rule planner. Text that only looks like it, such as one number, does not fit. */
export const calculatorPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  ...frames.map((phrase) => arithmetic(phrase)),
  arithmetic("(is|are|does|do|is it true that|is it right that) [the (answer|result) (of|to)] {expression}", true),
  ...combiningPhrases,
  ...percentPhrases,
  ...conversionPhrases,
  ...areaPhrases,
];
