import { indexTools } from "../../core/define-tool.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { callsTool } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";
import { compileTool, inputOfPhrase, type PhraseRule } from "./phrase-rules.ts";
import type { RequestExplanation } from "./plan-by-rules.ts";
import { exampleValues } from "./proposals.ts";
import { readRequest } from "./request.ts";
import { explainRequest } from "./rule-planner.ts";
import { sayPhrase } from "./say.ts";
import { issueOf } from "./steps.ts";

/** A phrase whose own sentence is not planned as the phrase says. @group Testing */
export interface PhraseProblem {
  readonly tool: string;
  readonly phrase: string;
  /** The sentence: the phrase with values in its slots, or the example itself. */
  readonly request: string;
  /** `taken` if another phrase, or several, plan it as something else. */
  readonly problem: "refused" | "ambiguous" | "taken";
  readonly message: string;
}

/** A day on which no month or year ends soon: the same phrases have the same problems every day. */
const clock = { nowMs: Date.UTC(2026, 5, 10, 9), timeZone: "UTC" };
const signs = /[()[\]{}|]/;

/**
 * Plans a sentence of each phrase with all tools together, and returns those that are refused, ambiguous, or taken by another
 * phrase. A sentence has a made-up value in each slot; if yours must look otherwise, give the field
 * `.meta({ examples: ["AB-12"] })`. A phrase whose `toInput` makes no valid input of these alone,
 * as it needs what was said before, is not checked. Throws `invalid-options`.
 *
 * ```ts
 * it("has phrases that do not compete", async () => expect(await checkPhrases(tools)).toEqual([]));
 * ```
 * @group Testing
 */
export async function checkPhrases(tools: readonly Tool[]): Promise<readonly PhraseProblem[]> {
  const problems: PhraseProblem[] = [];
  for (const tool of indexTools(tools).values())
    for (const rule of (await compileTool(tool)).rules) {
      const sample = await sampleOf(rule);
      const found = sample && (await checkSample(rule, sample, tools));
      if (found !== undefined) problems.push(found);
    }
  return problems;
}

interface Sample {
  readonly request: string;
  readonly input: Readonly<Record<string, unknown>>;
}

async function sampleOf(rule: PhraseRule): Promise<Sample | undefined> {
  const { phrase } = rule.source;
  const values = exampleValues(rule, { request: readRequest("", clock), input: {} });
  const input = inputOfPhrase(rule, Object.fromEntries(values), clock);
  const request = signs.test(phrase) ? sayPhrase(rule, values, clock) : phrase;
  if (input === undefined || request === undefined) return undefined;
  const isLacking =
    rule.source.toInput !== undefined && (await issueOf(input as JsonObject, rule.tool.tool, undefined));
  return isLacking ? undefined : { request, input };
}

async function checkSample(
  rule: PhraseRule,
  sample: Sample,
  tools: readonly Tool[],
): Promise<PhraseProblem | undefined> {
  const { request } = sample;
  const explained = await explainRequest({ request, tools, ...clock });
  const { parts, refusal } = explained;
  const of = { tool: rule.tool.tool.name, phrase: rule.source.phrase, request };
  if (refusal !== undefined) {
    const { reason, message } = refusal;
    return { ...of, problem: reason === "ambiguous" ? "ambiguous" : "refused", message };
  }
  if (isMeant(rule, sample, explained)) return undefined;
  const by = parts.map(({ tool, phrase }) => `"${phrase}" of ${tool}`).join(" and ");
  return { ...of, problem: "taken", message: `It is read by ${by}` };
}

/** True for another phrase of the tool, too, if it means the same. */
function isMeant(rule: PhraseRule, { input }: Sample, { parts, steps }: RequestExplanation): boolean {
  const [part, ...others] = parts;
  const [step] = steps;
  const { tool, branch = "" } = rule.tool;
  if (part?.tool !== tool.name || others.length > 0 || step === undefined || !callsTool(step)) return false;
  if (part.phrase === rule.source.phrase) return true;
  const { input: made = {} } = step;
  const said = Object.entries(input).filter(([, value]) => value !== undefined);
  const isSame = ([name, value]: readonly [string, unknown]) =>
    Object.hasOwn(rule.fixed, name) || name === branch
      ? canonicalJson(made[name] ?? null) === canonicalJson(value)
      : Object.hasOwn(made, name);
  return said.every(isSame);
}
