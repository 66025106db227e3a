import { isNumberWord } from "../english/numbers.ts";
import type { Token } from "./tokens.ts";

/** The words of a sentence as trained models know them: all numbers are alike, and so are all quoted texts. */
export function wordForms(tokens: readonly Token[]): readonly string[] {
  return tokens.map(({ kind, norm }) => {
    if (kind === "quote") return "‹quote›";
    if (kind === "number" || isNumberWord(norm)) return "‹number›";
    return /^\d+(?:st|nd|rd|th)$/.test(norm) ? "‹ordinal›" : norm;
  });
}
