import { tokenize } from "../../../../src/language/tokens.ts";
import {
  readSpokenArithmetic,
  type SpokenArithmetic,
} from "../../../../src/tools/calculator/spoken/spoken-arithmetic.ts";

/** The words of a text as a planner passes them. */
export function wordsOf(text: string): readonly string[] {
  return tokenize(text).map(({ norm }) => norm);
}

/** What is read from a text. */
export function readSpoken(text: string, hasPrevious = false): SpokenArithmetic | undefined {
  return readSpokenArithmetic(wordsOf(text), { hasPrevious });
}
