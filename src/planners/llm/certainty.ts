import type { TokenLogprob } from "../../core/language-model.ts";
import { endOfString } from "./parse-json.ts";

/**
 * How likely the least likely token of an answer was that means something, from 0 to 1: of an operation, of a value, and each
 * place where a value, a call or the list ends, as "nothing more" is a decision, too. Not: signs that nobody chooses, and
 * the rest of a key once it is begun. Undefined without probabilities of this very text.
 *
 * After "Uncertainty Quantification for LLM Function-Calling", arXiv 2604.22985.
 */
export function leastLikely(text: string, logprobs: readonly TokenLogprob[] | undefined): number | undefined {
  const told = logprobs?.map(({ token }) => token).join("") ?? "";
  const offset = told.indexOf(text.trim());
  if (logprobs === undefined || text.trim() === "" || offset === -1) return undefined;
  const meaning = meaningfulIn(told, offset);
  let least = 0;
  let at = 0;
  for (const { token, logprob } of logprobs) {
    if (meaning.subarray(at, at + token.length).includes(1)) least = Math.min(least, logprob);
    at += token.length;
  }
  return Math.exp(least);
}

/** Marks the characters of an answer that somebody decides about. */
function meaningfulIn(text: string, offset: number): Uint8Array {
  const marks = new Uint8Array(text.length);
  // Whether the innermost bracket is that of an object, and how deep.
  const open: string[] = [];
  let isKey = false;
  for (let at = offset; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      // Of a key, where it begins; `steps` and `do` are always there.
      const isFixed = isKey && /^(?:steps|do)$/.test(text.slice(at + 1, end));
      if (!isKey) marks.fill(1, at + 1, end + 1);
      else if (!isFixed) marks[at + 1] = 1;
      at = end;
      isKey = false;
    } else if (character === "{" || character === "[") {
      open.push(character);
      isKey = character === "{";
    } else if (character === "}" || character === "]") {
      open.pop();
      // The last of all is forced by those before it.
      if (open.length > 0) marks[at] = 1;
    } else if (character === ",") {
      isKey = open.at(-1) === "{";
      marks[at] = 1;
    } else if (/[\w.+-]/.test(character)) marks[at] = 1;
  }
  return marks;
}
