import { AgentError } from "../../core/errors.ts";
import { cutText } from "./cut-text.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What a refusal says. */
export interface Refusal {
  readonly reason: string;
  /** The clauses that were not understood, from the first to the last. */
  readonly first: number;
  readonly last: number;
}

const maxExamples = 12;
const maxQuoted = 120;

/** The error for a request that is not planned: why, what was understood, and the phrases that come nearest. */
export function refuse(
  { reason, first, last }: Refusal,
  input: MatchInput,
  tools: readonly ToolRules[],
): AgentError<"cannot-plan"> {
  const from = input.clauses[first]?.start ?? 0;
  const to = input.clauses[last]?.end ?? from;
  const rejected = cut(textBetween(input, from, to));
  const rest = [textBetween(input, 0, from), textBetween(input, to, input.tokens.length)];
  const understood = cut(
    rest
      .map(trimConnectors)
      .filter((text) => text !== "")
      .join(" … "),
  );
  const capabilities = nearestExamples(tools, new Set(input.words.slice(from, to)));
  const hint =
    capabilities.length > 0
      ? ` I can plan, for example: ${capabilities.slice(0, 4).join("; ")}.`
      : " No tool has phrases.";
  return new AgentError("cannot-plan", `The request can not be planned: ${reason}.${hint}`, {
    details: { reason, capabilities, ...(understood !== "" && { understood }), ...(rejected !== "" && { rejected }) },
  });
}

/** The words of the clauses, short enough to be quoted. */
export function quoteClauses(input: MatchInput, first: number, last: number): string {
  return `"${cut(textBetween(input, input.clauses[first]?.start ?? 0, input.clauses[last]?.end ?? 0))}"`;
}

function cut(text: string): string {
  return cutText(text, maxQuoted);
}

function trimConnectors(text: string): string {
  return text.replace(/^(?:[\s,;.!?&]|(?:and|then)\b)+|(?:[\s,;.!?&]|\b(?:and|then))+$/giu, "");
}

/** Examples of phrases that share words with what was not understood, the most first; then some of each tool. */
function nearestExamples(tools: readonly ToolRules[], words: ReadonlySet<string>): readonly string[] {
  const all = tools.flatMap(({ rules }) =>
    rules.map(({ example }, index) => ({ example, index, shared: sharedWords(example, words) })),
  );
  const ranked = all.sort((left, right) => right.shared - left.shared || left.index - right.index);
  return [...new Set(ranked.map(({ example }) => example))].slice(0, maxExamples);
}

function sharedWords(example: string, words: ReadonlySet<string>): number {
  return example.split(" ").filter((word) => words.has(word) && !common.has(word)).length;
}

const common = new Set("a an the my to of in on is what and i".split(" "));
