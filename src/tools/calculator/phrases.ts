import { z } from "zod/v4";
import type { ToolPhraseOptions } from "../../core/phrase.ts";
import { readArithmetic } from "./arithmetic-language.ts";

interface CalculatorPhraseInput {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}

/** Cheap to ask before the text is read: arithmetic is short, and a text is any length. */
const spoken = z.string().max(10_000);

const frames = [
  "{expression}",
  "(calculate|compute|evaluate|solve|work out|figure out|determine|do|run|find|get) [me] [the (result|value|answer|sum|math|maths)] [(of|for|to)] {expression}",
  "(what is|what are|how much is|how much are|what would be|what was) [the (result|value|answer|total|solution)] [(of|to|for|when|if)] [(you|i|we)] {expression}",
  "(what|how much) (does|do|would|will) {expression} (equal|make|come to|give|add up to|amount to|come out to|be|yield)",
  "(what|how much) (do|would|will) (you|i|we) (get|have) (if|when|by) [(you|i|we)] {expression}",
  "(what is|tell me) {expression} (equal to|as a number|in total|exactly|equal)",
  "(how many|what) times (does|do|can|will|would) {expression}",
  "(tell|give|show) me [the (result|value|answer)] [(of|to|for)] {expression}",
  "(can|could) you [(do|calculate|compute)] the (math|maths|calculation|sum) (for|of|on) {expression}",
  "(use|using) [the|a|my] calculator [(to|and|for)] [(calculate|compute|work out|find|do)] {expression}",
  "(i (want|need|would like) to (calculate|compute|know|work out|find)) [what] {expression} [(is|equals|makes)]",
  "(what|how much) {expression} (is|equals|makes)",
  "(the result|the answer|the value) of {expression}",
  "(the|an|my) answer to {expression}",
  "(math|maths|calculator|calc|calculation|equation|problem) [problem] {expression}",
];

/** What the rule planner understands as arithmetic. What only looks like it, such as a number alone, does not fit. */
export const calculatorPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = frames.map((phrase) => ({
  phrase,
  slots: { expression: spoken },
  toInput({ expression }, { previous }) {
    if (typeof expression !== "string") return undefined;
    const read = readArithmetic(expression, { hasPrevious: previous !== undefined });
    if (read === undefined) return undefined;
    if (!read.usesPrevious) return { expression: read.expression };
    // A reference stands where the number will be once the plan runs.
    return { expression: read.expression, variables: { x: previous as unknown as number } };
  },
}));
