import { checkPlan } from "../../core/check-plan.ts";
import { copyJson, toJson } from "../../core/json.ts";
import { maxPlanBytes, type PlanRepair, type PlanStep, type PlanWarning } from "../../core/plan.ts";
import { parseWith } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { Grounds } from "./grounding.ts";
import { cut, describeIssue } from "./plan-prompt.ts";
import { completeSteps, type ModelAnswer, readAnswer, readStep, type StepReading } from "./read-steps.ts";
import { recoverJson } from "./recover-json.ts";

/** What is done about a word or number in a plan that the request does not have. */
export type GroundingPolicy = "refuse" | "warn" | "off";

/** What an answer is checked by. */
export interface AnswerScope extends StepReading {
  readonly maxSteps: number;
  readonly grounding: GroundingPolicy;
  /** What the developer has told the model: its words may stand in a plan, too. */
  readonly told: string;
  /** What ids begin with that the model did not write. */
  readonly prefix: string;
  /** Steps of the plan so far that new ones may refer to; they stay before them. */
  readonly kept: readonly PlanStep[];
}

/** What an answer came to. */
export type CheckedAnswer =
  | {
      readonly type: "plan";
      readonly steps: readonly PlanStep[];
      readonly repaired: readonly PlanRepair[];
      readonly warnings: readonly PlanWarning[];
    }
  /** The model says that the tools can not do it. */
  | { readonly type: "refusal"; readonly reason: string | undefined }
  | {
      readonly type: "problem";
      readonly code: "no-json" | "invalid-plan" | "ungrounded";
      /** Each a line for the model. */
      readonly problems: readonly string[];
    };

/** The plan that an answer holds, if there is one that holds; else what is wrong with the likeliest. */
export async function checkAnswer(
  text: string,
  { isWhole, ...scope }: AnswerScope & { readonly isWhole: boolean },
): Promise<CheckedAnswer> {
  let first: CheckedAnswer | undefined;
  for await (const { value, repaired, isAlone } of recoverJson(text, { isWhole })) {
    const answer = readAnswer(value, { isAlone });
    if (answer === undefined || isCut(answer, repaired)) continue;
    const checked = answer.type === "refusal" ? answer : await checkSteps(answer, repaired, scope);
    if (checked.type === "plan") return checked;
    first ??= checked;
  }
  return (
    first ?? { type: "problem", code: "no-json", problems: ["There is no JSON object with a list of steps in it."] }
  );
}

/** Whether there are no steps because the text ended before the first one. */
function isCut(answer: ModelAnswer, repaired: readonly PlanRepair[]): boolean {
  return answer.type === "refusal" && answer.reason === undefined && repaired.includes("json");
}

async function checkSteps(
  answer: Extract<ModelAnswer, { type: "steps" }>,
  repaired: readonly PlanRepair[],
  scope: AnswerScope,
): Promise<CheckedAnswer> {
  const { tools, maxSteps, prefix, kept } = scope;
  if (answer.missing !== undefined) {
    const said = cut(answer.missing, maxWordLength);
    const rule = 'Answer with no steps if a part is missing, and without "missing" if none is.';
    return {
      type: "problem",
      code: "invalid-plan",
      problems: [`There are steps, but also "missing": "${said}". ${rule}`],
    };
  }
  // No more are read than may be, or a hostile answer could make us read millions.
  const read = await Promise.all(answer.steps.slice(0, maxSteps + 1).map((raw) => readStep(raw, scope)));
  const steps = completeSteps(
    read.map(({ step }) => step),
    { tools, prefix, kept },
  );
  const json = toJson({ steps: [...kept, ...steps] }, { maxBytes: maxPlanBytes });
  const checked = await checkPlan(json, { tools, maxSteps: maxSteps + kept.length });
  if (checked.plan === undefined) {
    return { type: "problem", code: "invalid-plan", problems: checked.issues.map(describeIssue) };
  }
  const added = (checked.plan.steps as readonly PlanStep[]).slice(kept.length);
  const unwanted = scope.expressions ? [] : findExpressions(added, kept.length);
  if (unwanted.length > 0) return { type: "problem", code: "invalid-plan", problems: unwanted };
  const { warnings, problems } = await checkGrounding(added, scope);
  if (problems.length > 0) return { type: "problem", code: "ungrounded", problems };
  const isReshaped = answer.isReshaped || read.some((step) => step.isReshaped);
  const repairs = new Set([...repaired, ...(isReshaped ? (["shape"] as const) : [])]);
  return { type: "plan", steps: added, repaired: [...repairs], warnings };
}

/** Conditions and loops that the model was not asked for. */
function findExpressions(steps: readonly PlanStep[], firstIndex: number): readonly string[] {
  return steps.flatMap((step, index) =>
    (["when", "forEach", "concurrency"] as const)
      .filter((key) => step[key] !== undefined)
      .map((key) => {
        const path = ["steps", index + firstIndex, key];
        return describeIssue({ path, message: `Steps have no "${key}" here; leave it out.` });
      }),
  );
}

async function checkGrounding(steps: readonly PlanStep[], { tools, typed, told, grounding, kept }: AnswerScope) {
  const warnings: PlanWarning[] = [];
  const problems: string[] = [];
  if (grounding === "off") return { warnings, problems };
  const grounds = new Grounds(`${typed}\n${told}`);
  for (const [index, step] of steps.entries()) {
    const tool = tools.get(step.tool) as Tool;
    const place = ["steps", index + kept.length];
    const isHarmless = await isPure(step, tool);
    const { input: schema } = await toolSchemas(tool);
    const found = grounds.findUngrounded(step, { schema, isHarmless }).map(({ path, words }) => ({
      path: [...place, "input", ...path],
      message: `The request does not say ${quote(words)}.`,
    }));
    // What a schema prescribes is not looked at word by word, and can do much: `clear`, `all`.
    if (found.length === 0 && !grounds.speaksOf(step, tool))
      found.push({ path: place, message: "Nothing in the request asks for this." });
    if (found.length === 0) continue;
    const isRefused = grounding === "refuse" && !isHarmless;
    for (const warning of found) {
      if (isRefused) problems.push(describeIssue(warning));
      else warnings.push({ code: "ungrounded", ...warning });
    }
  }
  return { warnings, problems };
}

/** The words, or so many of them as anybody reads. */
function quote(words: readonly string[]): string {
  const shown = words.slice(0, maxWords).map((word) => `"${cut(word, maxWordLength)}"`);
  return shown.join(", ") + (words.length > maxWords ? ` and ${words.length - maxWords} more` : "");
}

const maxWords = 10;
const maxWordLength = 50;

/** Whether a step surely changes nothing. */
async function isPure({ input }: PlanStep, tool: Tool): Promise<boolean> {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  const parsed = await parseWith(tool.inputSchema, copyJson(input));
  if (!parsed.ok) return false;
  try {
    return tool.effect(parsed.value) === "pure";
  } catch {
    return false;
  }
}
