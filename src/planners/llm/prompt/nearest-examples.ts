import type { PlanRequest } from "../../../core/planner.ts";
import type { DefinedTool, ToolPhrase } from "../../../core/tool.ts";
import { smallWords } from "../../../english/small-words.ts";
import type { PlanExample } from "./system-prompt.ts";

/** How many sentences of one tool are compared. */
const maxSentences = 200;
const templateSigns = /[()[\]{}|]/;

/** The examples of a tool, planned once. */
const known = new WeakMap<DefinedTool, Promise<readonly PlanExample[]>>();

/**
 * Requests with their plans, from the sentences that tools bring: those with the most words of the request, and before
 * a second one of the same tool, one of another.
 */
export async function nearestExamples(
  { tools, request }: Pick<PlanRequest, "tools" | "request">,
  most: number,
): Promise<readonly PlanExample[]> {
  const ofTools = await Promise.all(tools.map(examplesOf));
  const wanted = new Set(wordsOf(request));
  const ranked = ofTools
    .flatMap((examples) => {
      const near = examples.map((example) => ({ example, shared: sharedWords(example.request, wanted) }));
      near.sort((left, right) => right.shared - left.shared);
      // The first of a tool stands before the second of another that has as many words.
      return near.slice(0, most).map((one, rank) => ({ ...one, rank }));
    })
    .sort((left, right) => right.shared - left.shared || left.rank - right.rank);
  return ranked.slice(0, most).map(({ example }) => example);
}

function examplesOf(tool: DefinedTool): Promise<readonly PlanExample[]> {
  let examples = known.get(tool);
  if (examples === undefined) {
    // A tool without examples is used all the same.
    examples = readExamples(tool).catch(() => []);
    known.set(tool, examples);
  }
  return examples;
}

async function readExamples(tool: DefinedTool): Promise<readonly PlanExample[]> {
  const phrases = typeof tool.phrases === "function" ? await tool.phrases() : tool.phrases;
  return phrases
    .filter(isSentence)
    .slice(0, maxSentences)
    .map(({ phrase, input = {} }) => ({ request: phrase, steps: [{ tool: tool.name, input }] }));
}

/** Whether a phrase is a sentence with its input, and not a template. */
function isSentence({ phrase, input, toInput }: ToolPhrase): boolean {
  return (toInput === undefined || input !== undefined) && !templateSigns.test(phrase);
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).filter((word) => !smallWords.has(word));
}

function sharedWords(example: string, wanted: ReadonlySet<string>): number {
  return new Set(wordsOf(example).filter((word) => wanted.has(word))).size;
}
