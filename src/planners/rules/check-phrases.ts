import { indexTools } from "../../core/define-tool.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { readZod3 } from "../../core/schema-zod3.ts";
import type { Tool } from "../../core/tool.ts";
import { compileTool, inputOfPhrase, type PhraseRule } from "./phrase-rules.ts";
import type { RequestExplanation } from "./plan-by-rules.ts";
import { exampleValues } from "./proposals.ts";
import { readRequest } from "./request.ts";
import { explainRequest } from "./rule-planner.ts";
import { sayPhrase } from "./say.ts";
import { issueOf } from "./steps.ts";

/** A phrase whose sample sentence is not planned as that phrase. @group Testing */
export interface PhraseProblem {
  readonly tool: string;
  readonly phrase: string;
  /** Sample sentence: the phrase with values in its slots, or the example itself. */
  readonly request: string;
  /** `taken` if other phrases plan the sentence as something else. */
  readonly problem: "refused" | "ambiguous" | "taken";
  readonly message: string;
}

/** Fixed date far from the end of a month, so that phrases have the same problems every day. */
const clock = { nowMs: Date.UTC(2026, 5, 10, 9), timeZone: "UTC" };
const signs = /[()[\]{}|]/;

/**
 * Plans a sample sentence of each phrase with all tools together, and returns the phrases whose sentence is refused,
 * ambiguous, or taken by another phrase. Each slot gets a made-up value; if your values look different, give the field
 * `.meta({ examples: ["AB-12"] })`. A phrase is skipped if its `toInput` makes no valid input from these values.
 * `planwright explain --lint` reports how many are skipped. Throws `invalid-options`.
 *
 * ```ts
 * it("has phrases that do not compete", async () => expect(await checkPhrases(tools)).toEqual([]));
 * ```
 * @group Testing
 */
export async function checkPhrases(tools: readonly Tool[]): Promise<readonly PhraseProblem[]> {
  return (await tryPhrases(tools)).problems;
}

export async function tryPhrases(tools: readonly Tool[]): Promise<{ problems: PhraseProblem[]; untried: number }> {
  readZod3();
  const problems: PhraseProblem[] = [];
  let untried = 0;
  const nothing = { request: readRequest("", clock), input: {} };
  for (const tool of indexTools(tools).values())
    for (const rule of (await compileTool(tool)).rules) {
      const { phrase, toInput } = rule.source;
      const values = exampleValues(rule, nothing);
      const input = inputOfPhrase(rule, Object.fromEntries(values), clock) as JsonObject | undefined;
      const request = signs.test(phrase) ? sayPhrase(rule, values, clock) : phrase;
      const isMade = input !== undefined && request !== undefined;
      const isTried = isMade && (toInput === undefined || (await issueOf(input, tool, undefined)) === undefined);
      if (!isTried) untried++;
      const found = isTried && findProblem(rule, input, await explainRequest({ request, tools, ...clock }));
      if (found) problems.push({ tool: tool.name, phrase, request, ...found });
    }
  return { problems, untried };
}

function findProblem(
  rule: PhraseRule,
  input: JsonObject,
  explained: RequestExplanation,
): Pick<PhraseProblem, "problem" | "message"> | undefined {
  const { parts, refusal } = explained;
  if (refusal !== undefined)
    return { problem: refusal.reason === "ambiguous" ? "ambiguous" : "refused", message: refusal.message };
  if (isMeant(rule, input, explained)) return undefined;
  const by = parts.map(({ tool, phrase }) => `"${phrase}" of ${tool}`).join(" and ");
  return { problem: "taken", message: `The sentence is planned by ${by}.` };
}

function isMeant(rule: PhraseRule, input: JsonObject, { parts, steps }: RequestExplanation): boolean {
  const { tool, branch } = rule.tool;
  const [part, ...others] = parts;
  if (part?.tool !== tool.name || others.length > 0) return false;
  const made = steps[0]?.input ?? {};
  const isSame = (name: string) =>
    name === branch || Object.hasOwn(rule.fixed, name)
      ? canonicalJson(made[name] ?? null) === canonicalJson(input[name] ?? null)
      : Object.hasOwn(made, name) || input[name] === undefined;
  return part.phrase === rule.source.phrase || Object.keys(input).every(isSame);
}
