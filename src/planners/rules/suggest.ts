import { functionWords } from "../../english/verb-groups.ts";
import { tokenize } from "../../language/tokens.ts";
import type { ToolRules } from "./phrase-rules.ts";

const maxSuggestions = 3;
const maxTried = 12;
const signs = /[()[\]{}|]/;

/**
 * Requests that somebody wrote as examples and that are planned as they are: those most like the request first, at most three,
 * one a tool.
 */
export async function suggestRequests(
  tools: readonly ToolRules[],
  request: string,
  canPlan: (sentence: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const said = new Set(tokenize(request, 200).map(({ norm }) => norm));
  const isLike = (norm: string) => norm.length > 2 && said.has(norm) && !functionWords.has(norm);
  const likeness = (sentence: string) =>
    new Set(
      tokenize(sentence)
        .map(({ norm }) => norm)
        .filter(isLike),
    ).size;
  const found: { readonly sentence: string; readonly score: number }[] = [];
  for (const { rules } of tools) {
    const sentences = [...new Set(rules.map(({ source }) => source.phrase).filter((phrase) => !signs.test(phrase)))];
    const ranked = sentences
      .map((sentence) => ({ sentence, score: likeness(sentence) }))
      .sort((left, right) => right.score - left.score);
    for (const each of ranked.slice(0, maxTried)) {
      if (!(await canPlan(each.sentence))) continue;
      found.push(each);
      break;
    }
  }
  return found
    .sort((left, right) => right.score - left.score)
    .slice(0, maxSuggestions)
    .map(({ sentence }) => sentence);
}
