import { canonicalJson } from "../../core/canonical-json.ts";
import type { JsonPath } from "../../core/json.ts";
import { maxAnswerLength } from "../../core/language-model.ts";
import type { PlanMend, PlanRepair, PlanStep, PlanWarning } from "../../core/plan.ts";
import { stepsFrom } from "../../plan/check-draft.ts";
import { checkOnce } from "../../plan/check-once.ts";
import { checkGrounding, type GroundingScope } from "./check-grounding.ts";
import { cut, describeIssue, maxWordLength } from "./prompt/problems.ts";
import { findCalls } from "./reading/find-calls.ts";
import { toolNames } from "./reading/find-tool.ts";
import { type ModelAnswer, readAnswer, readSteps } from "./reading/read-answer.ts";
import { type ReadStep, StepReader, type StepReading } from "./reading/read-steps.ts";
import { recoverJson } from "./reading/recover-json.ts";
import { findWholeOutputs } from "./reading/whole-outputs.ts";

/** What an answer is checked against. */
export interface AnswerScope extends StepReading, GroundingScope {
  readonly maxSteps: number;
}

/** Which of the model's answers it is. */
interface AnswerTry {
  /** Whether the model is asked again if this one is invalid. */
  readonly mayAskAgain: boolean;
  /** Whether the model ended it by itself. */
  readonly isWhole: boolean;
}

interface CheckedPlan {
  readonly type: "plan";
  readonly steps: readonly PlanStep[];
  readonly repaired: readonly PlanRepair[];
  readonly mends: readonly PlanMend[];
  readonly warnings: readonly PlanWarning[];
}

/** The result of checking an answer. */
export type CheckedAnswer =
  | CheckedPlan
  /** The model says that the tools cannot do it. */
  | { readonly type: "refusal"; readonly reason: string | undefined }
  | {
      readonly type: "problem";
      readonly code: "no-json" | "invalid-plan" | "ungrounded";
      /** Each a line for the model. */
      readonly problems: readonly string[];
    };

/**
 * Returns the plan in an answer if there is exactly one valid plan, else what is wrong with the likeliest. Calls that are
 * not written as JSON are looked for last.
 */
export async function checkAnswer(text: string, scope: AnswerScope & AnswerTry): Promise<CheckedAnswer> {
  if (text.length > maxAnswerLength) return tooLong;
  const plans = new Map<string, CheckedPlan>();
  let refusal: CheckedAnswer | undefined;
  let first: CheckedAnswer | undefined;
  for await (const { answer, repaired } of answersIn(text, scope)) {
    // A repair may be wrong without an error: what was written comes before it.
    if (plans.size > 0 && repaired.includes("json")) break;
    const checked = await checkOne(answer, repaired, scope);
    if (checked.type === "plan") plans.set(canonicalJson(checked.steps), checked);
    else first ??= checked;
    if (checked.type === "refusal") refusal ??= checked;
    if (plans.size > 1 || (plans.size > 0 && refusal !== undefined) || checked === twoPlans) return twoPlans;
  }
  const [plan] = plans.values();
  return plan ?? first ?? noPlan;
}

async function checkOne(
  answer: ModelAnswer,
  repaired: readonly PlanRepair[],
  scope: AnswerScope & AnswerTry,
): Promise<CheckedAnswer> {
  if (answer.type === "several") return twoPlans;
  if (answer.type === "steps") return checkSteps(answer, repaired, scope);
  return answer.reason === undefined ? noAnswer : answer;
}

/** The answers that a text may hold, the likeliest first. */
async function* answersIn(
  text: string,
  { tools, isWhole }: AnswerScope & AnswerTry,
): AsyncGenerator<{ readonly answer: ModelAnswer; readonly repaired: readonly PlanRepair[] }> {
  const isTool = toolNames(tools);
  let isRefused = false;
  for await (const { value, repaired, isAlone, isJoined } of recoverJson(text, { isWhole })) {
    const answer = isJoined ? readSteps(value as readonly unknown[]) : readAnswer(value, { isAlone, isTool });
    if (answer === undefined || isCut(answer, repaired)) continue;
    isRefused ||= answer.type === "refusal";
    yield { answer, repaired };
  }
  const calls = isRefused || !isWhole ? undefined : await findCalls(text, isTool);
  if (calls !== undefined) yield { answer: { type: "steps", steps: calls, isReshaped: true }, repaired: ["extracted"] };
}

const noPlan: CheckedAnswer = {
  type: "problem",
  code: "no-json",
  problems: ["There is no JSON object with a list of steps in it."],
};

/** Which of them is meant is not to be guessed. */
const twoPlans: CheckedAnswer = {
  type: "problem",
  code: "invalid-plan",
  problems: ["There are two different plans, or a plan and a refusal. Write one."],
};

/** No steps and nothing missing: weak models write that for whatever they do not understand. */
const noAnswer: CheckedAnswer = {
  type: "problem",
  code: "invalid-plan",
  problems: ['There are no steps. Write the steps, or say in "missing" what the tools cannot do.'],
};

/** What repeats itself for a megabyte is not a plan, and would take seconds to read. */
const tooLong: CheckedAnswer = {
  type: "problem",
  code: "no-json",
  problems: [`The answer is longer than ${maxAnswerLength} characters.`],
};

/** Whether there are no steps because the text ended before the first one. */
function isCut(answer: ModelAnswer, repaired: readonly PlanRepair[]): boolean {
  return answer.type === "refusal" && answer.reason === undefined && repaired.includes("json");
}

async function checkSteps(
  answer: Extract<ModelAnswer, { type: "steps" }>,
  repaired: readonly PlanRepair[],
  scope: AnswerScope & AnswerTry,
): Promise<CheckedAnswer> {
  const { tools, maxSteps, kept } = scope;
  if (answer.missing !== undefined) {
    const said = cut(answer.missing, maxWordLength);
    const rule = 'Answer with no steps if anything is missing; if nothing is, leave "missing" out.';
    return {
      type: "problem",
      code: "invalid-plan",
      problems: [`There are steps, but also "missing": "${said}". ${rule}`],
    };
  }
  const reader = new StepReader(scope);
  const read: ReadStep[] = [];
  // Reads no more than are allowed, or a hostile answer could make us read millions.
  for (const raw of answer.steps.slice(0, maxSteps + 1)) read.push(await reader.next(raw));
  const steps = read.map(({ step }) => step);
  const checked = await checkOnce({ steps: [...kept, ...steps] }, { tools, maxSteps: maxSteps + kept.length });
  if (checked.plan === undefined) {
    return { type: "problem", code: "invalid-plan", problems: checked.issues.map(describeIssue) };
  }
  const added = stepsFrom(checked.plan, kept.length);
  const expressions = scope.expressions ? [] : findExpressions(added, kept.length);
  const unwanted = [...expressions, ...(await findWholeOutputs(added, scope))];
  if (unwanted.length > 0) return { type: "problem", code: "invalid-plan", problems: unwanted };
  const { warnings, problems } = await checkGrounding(added, scope);
  if (problems.length > 0) return { type: "problem", code: "ungrounded", problems };
  const isReshaped = answer.isReshaped || read.some((step) => step.isReshaped);
  const repairs = new Set([...repaired, ...(isReshaped ? (["shape"] as const) : [])]);
  const placed = <T extends { readonly path: JsonPath }>(found: readonly T[], index: number): readonly T[] =>
    found.map((one) => ({ ...one, path: ["steps", index + kept.length, ...one.path] }));
  return {
    type: "plan",
    steps: added,
    repaired: [...repairs],
    mends: read.flatMap(({ mends }, index) => placed(mends, index)),
    warnings: [...read.flatMap((step, index) => placed(step.warnings, index)), ...warnings],
  };
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
