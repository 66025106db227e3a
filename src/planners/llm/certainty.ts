import type { TokenLogprob } from "../../core/language-model.ts";
import { endOfString } from "./parse-json.ts";

/** The choices that a model had at the signs of an answer. */
export interface Choices {
  /** True if a call of the operation may have a slot that it need not have. */
  readonly hasOptional: (operation: string) => boolean;
  readonly maxCalls: number;
}

/**
 * Probability of the least likely token of an answer that means something, from 0 to 1: of an operation, of a value, and each
 * place where a value ends, or where a call or the list ends and could be longer, as "nothing more" is a decision, too. Not: signs that
 * nobody chooses, and the rest of a key once it is begun. Undefined without probabilities of this very text.
 *
 * After "Uncertainty Quantification for LLM Function-Calling", arXiv 2604.22985.
 */
export function leastLikely(
  text: string,
  logprobs: readonly TokenLogprob[] | undefined,
  choices: Choices,
): number | undefined {
  const told = logprobs?.map(({ token }) => token).join("") ?? "";
  const offset = told.indexOf(text.trim());
  if (logprobs === undefined || text.trim() === "" || offset === -1) return undefined;
  const marks = new Uint8Array(told.length);
  for (const at of meaningfulIn(told, offset, choices)) marks[at] = 1;
  let least = 0;
  let at = 0;
  for (const { token, logprob } of logprobs) {
    if (marks.subarray(at, at + token.length).includes(1)) least = Math.min(least, logprob);
    at += token.length;
  }
  return Math.exp(least);
}

/** Depth of the signs between calls, and of those within one. */
const [ofList, ofCall] = [2, 3];

/** The places of an answer at which the model makes a choice. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the text, a branch for each sign
function* meaningfulIn(text: string, offset: number, { hasOptional, maxCalls }: Choices): Generator<number> {
  let depth = 0;
  let key = "";
  let mayBeLonger = true;
  for (let at = offset; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      const said = text.slice(at + 1, end);
      if (/^\s*:/.test(text.slice(end + 1, end + 9))) {
        // Of a key, where it begins; `steps` and `do` are always there.
        key = said;
        if (!/^(?:steps|do)$/.test(key)) yield at + 1;
      } else {
        for (let each = at + 1; each <= end && each < text.length; each++) yield each;
        if (key === "do" && depth === ofCall) mayBeLonger = hasOptional(said);
      }
      at = end;
    } else if (character === "{" || character === "[") depth++;
    else if (/[\w.+-]/.test(character)) yield at;
    else if (/[\]},]/.test(character)) {
      if (depth > ofCall || (depth === ofCall && mayBeLonger) || (depth === ofList && maxCalls > 1)) yield at;
      if (character !== ",") depth--;
    }
  }
}
