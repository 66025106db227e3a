import { functionWords } from "../../english/word-classes.ts";
import { tokenize } from "../../language/tokens.ts";
import type { ToolRules } from "./phrase-rules.ts";

const maxSuggestions = 3;
const maxTried = 12;
const signs = /[()[\]{}|]/;

/** A sentence that the author of a tool wrote. */
interface Sentence {
  readonly text: string;
  /** Its words that say something. */
  readonly words: ReadonlySet<string>;
  /** The tools with which it was tried last, and whether it was planned. */
  tried?: { readonly tools: readonly ToolRules[]; readonly isPlanned: boolean };
}

const sentencesOf = new WeakMap<ToolRules, readonly Sentence[]>();

/**
 * Requests that somebody wrote as examples and that are planned as they are: those most like the request first, at most three,
 * one a tool. Each is tried once for the same tools.
 */
export async function suggestRequests(
  tools: readonly ToolRules[],
  request: string,
  canPlan: (sentence: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const said = wordsOf(request, 200);
  const scoreOf = ({ words }: Sentence) => [...words].filter((word) => said.has(word)).length;
  const found: { readonly text: string; readonly score: number }[] = [];
  for (const rules of tools) {
    const ranked = [...readSentences(rules)].sort((left, right) => scoreOf(right) - scoreOf(left));
    for (const sentence of ranked.slice(0, maxTried)) {
      const isSame = sentence.tried?.tools.every((tool, index) => tool === tools[index]) === true;
      if (!isSame || sentence.tried?.tools.length !== tools.length)
        sentence.tried = { tools, isPlanned: await canPlan(sentence.text) };
      if (sentence.tried?.isPlanned !== true) continue;
      found.push({ text: sentence.text, score: scoreOf(sentence) });
      break;
    }
  }
  return found
    .sort((left, right) => right.score - left.score)
    .slice(0, maxSuggestions)
    .map(({ text }) => text);
}

function readSentences(rules: ToolRules): readonly Sentence[] {
  let sentences = sentencesOf.get(rules);
  if (sentences === undefined) {
    const texts = rules.rules.map(({ source }) => source.phrase).filter((phrase) => !signs.test(phrase));
    sentences = [...new Set(texts)].map((text) => ({ text, words: wordsOf(text) }));
    sentencesOf.set(rules, sentences);
  }
  return sentences;
}

function wordsOf(text: string, limit?: number): ReadonlySet<string> {
  const isSaid = (norm: string) => norm.length > 2 && !functionWords.has(norm);
  return new Set(tokenize(text, limit).flatMap(({ norm }) => (isSaid(norm) ? [norm] : [])));
}
