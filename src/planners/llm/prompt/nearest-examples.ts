import type { PlanRequest } from "../../../core/planner.ts";
import type { DefinedTool, ToolPhrase } from "../../../core/tool.ts";
import { samplesOf } from "../../../core/tool-samples.ts";
import { toolOf } from "../../../core/wait-step.ts";
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
  { tools, request, timeZone }: Pick<PlanRequest, "tools" | "request" | "timeZone">,
  most: number,
): Promise<readonly PlanExample[]> {
  const ofTools = await Promise.all(tools.map((tool) => examplesOf(tool, timeZone)));
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

function examplesOf(tool: DefinedTool, timeZone: string): Promise<readonly PlanExample[]> {
  let examples = known.get(tool);
  if (examples === undefined) {
    // A tool without examples is used all the same.
    examples = readExamples(tool, timeZone).catch(() => []);
    known.set(tool, examples);
  }
  return examples;
}

async function readExamples(tool: DefinedTool, timeZone: string): Promise<readonly PlanExample[]> {
  const samples = samplesOf(tool);
  if (samples.length > 0) return planSamples(tool, samples, timeZone);
  const phrases = typeof tool.phrases === "function" ? await tool.phrases() : tool.phrases;
  return phrases
    .filter(isSentence)
    .slice(0, maxSentences)
    .map(({ phrase, input = {} }) => ({ request: phrase, steps: [{ tool: tool.name, input }] }));
}

/** Whether a phrase is a sentence with its input, and not a template. */
function isSentence({ phrase, toInput }: ToolPhrase): boolean {
  return toInput === undefined && !templateSigns.test(phrase);
}

async function planSamples(
  tool: DefinedTool,
  samples: readonly string[],
  timeZone: string,
): Promise<readonly PlanExample[]> {
  const { planByRules } = await import("../../rules/plan-by-rules.ts");
  const { signal } = new AbortController();
  const planned: PlanExample[] = [];
  for (const request of samples) {
    // None speaks of a day, so the time does not matter.
    const asked = { request, tools: [tool], maxSteps: 5, nowMs: 0, timeZone, signal };
    const { steps } = await planByRules(asked, { explain: false });
    planned.push({
      request,
      steps: steps.map((step) => ({ tool: toolOf(step), input: asText(step.input) as object })),
    });
  }
  return planned;
}

/** An input in which references are text, as models write them. */
function asText(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asText);
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === "string") return `\${${$ref}}`;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asText(item)]));
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).filter((word) => !smallWords.has(word));
}

function sharedWords(example: string, wanted: ReadonlySet<string>): number {
  return new Set(wordsOf(example).filter((word) => wanted.has(word))).size;
}
