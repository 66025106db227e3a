import { endOfString } from "../../core/json.ts";
import type { TokenLogprob } from "../../core/language-model.ts";
import { smallWords } from "../../english/word-classes.ts";
import type { Account } from "../rules/account.ts";
import type { AnswerScope } from "./check-answer.ts";

/** Returns the likelihood of the least likely token among those that decide something: see arXiv 2604.22985. */
export function leastLikely(
  text: string,
  logprobs: readonly TokenLogprob[] | undefined,
  scope: AnswerScope,
): number | undefined {
  const told = logprobs?.map(({ token }) => token).join("") ?? "";
  const offset = told.indexOf(text.trim());
  if (logprobs === undefined || text.trim() === "" || offset === -1) return undefined;
  const marks = new Uint8Array(told.length);
  for (const at of meaningfulIn(told, offset, scope)) marks[at] = 1;
  let least = 0;
  let at = 0;
  for (const { token, logprob } of logprobs) {
    if (marks.subarray(at, at + token.length).includes(1)) least = Math.min(least, logprob);
    at += token.length;
  }
  return Math.exp(least);
}

const ofList = 2;
export const ofCall = 3;

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the text, a branch for each sign
function* meaningfulIn(text: string, offset: number, scope: AnswerScope): Generator<number> {
  let depth = 0;
  let key = "";
  let mayBeLonger = true;
  for (let at = offset; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      const said = text.slice(at + 1, end);
      if (/^\s*:/.test(text.slice(end + 1, end + 9))) {
        key = said;
        if (!/^(?:steps|do)$/.test(key)) yield at + 1;
      } else {
        for (let each = at + 1; each <= end && each < text.length; each++) yield each;
        const slots = scope.expressions ? undefined : scope.operations.get(said)?.slots;
        if (key === "do" && depth === ofCall) mayBeLonger = slots?.every(({ isRequired }) => isRequired) !== true;
      }
      at = end;
    } else if (character === "{" || character === "[") depth++;
    else if (depth > 0 && /[\w.+-]/.test(character)) yield at;
    else if (/[\]},]/.test(character)) {
      if (depth > ofCall || (depth === ofCall && mayBeLonger) || (depth === ofList && scope.maxCalls > 1)) yield at;
      if (character !== "," && --depth === 0) return;
    }
  }
}

// These four constants are fitted together with `minCertainty`: docs/decisions/planning-by-models.md.
const left = 0.95;
const leftOfFilter = 0.7;
/** Likelihood for models that report none. */
const unmeasured = { named: 0.75, meant: 0.5 } as const;

type AnswerKind = Record<"hasFilter" | "isSum" | "isMeant", boolean> & { readonly operations: number };

export function certaintyOf(likelihood: number | undefined, { words }: Account, kind: AnswerKind): number {
  const { hasFilter, isSum, isMeant, operations } = kind;
  const count = (explained: "aside" | "left" | "operation") => words.filter(({ by }) => by === explained).length;
  // The plan lacks a value or a negation: "Mark invoices 4 and 6", "I do not live in Vienna".
  if (words.some(({ by }) => by === "unused")) return 0;
  // One unexplained word per operation may be its verb, which the model's likelihood covers.
  const verbs = Math.max(0, operations - (count("operation") > 0 ? 1 : 0));
  const own = isSum ? 1 : (hasFilter ? leftOfFilter : left) ** Math.max(0, count("left") - verbs);
  const likely = likelihood ?? (isMeant ? unmeasured.meant : unmeasured.named);
  return Number((likely * own * left ** count("aside")).toFixed(3));
}

export function isNamed({ words }: Account): boolean {
  const says = (word: string) => !smallWords.has(word);
  return words.some(({ by, text }) => by === "operation" && says(text.toLowerCase()));
}
