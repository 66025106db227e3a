import { isNumberWord } from "../../../english/numbers.ts";

/** Stands for the arithmetic in a sentence. */
const sum = "‹sum›";

/** The words around arithmetic, with one word for each part of it; behind a bar, those of it that are no numbers. */
export function sumFrame(words: readonly string[], used: readonly boolean[]): readonly string[] {
  const frame = words.flatMap((word, index) => (used[index] !== true ? [word] : used[index - 1] === true ? [] : [sum]));
  const operators = words.filter((word, index) => used[index] === true && !/^\d/.test(word) && !isNumberWord(word));
  return [...frame, "|", ...operators];
}
