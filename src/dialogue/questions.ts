import type { JsonObject } from "../core/json.ts";
import { only } from "../core/lists.ts";
import type { PlanStep, Question } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import type { QuestionItem } from "../core/question.ts";
import type { TurnRequest } from "../core/turn.ts";
import type { RequestText } from "../planners/rules/request.ts";

/** Step id of the first question. */
const asks = "q1";

/** Refers to the answer to a question of the draft by its place. */
export function answerReference(place: number): JsonObject {
  return { $ref: `q${place + 1}` };
}

export function asking(
  questions: readonly Question[],
  steps: readonly PlanStep[],
  source: PlanDraft["source"],
): PlanDraft {
  const ids = questions.map((_, at) => `q${at + 1}`);
  const waits = questions.map(
    (ask, at): PlanStep => ({ id: `q${at + 1}`, wait: { ask }, dependsOn: ids.slice(0, at) }),
  );
  const behind = steps.map((step) => ({ ...step, dependsOn: [...new Set([...ids, ...(step.dependsOn ?? [])])] }));
  return { steps: [...waits, ...behind], source };
}

export function ifAnswered(steps: readonly PlanStep[], option?: string, several = false): readonly PlanStep[] {
  const chosen = JSON.stringify(option);
  const condition = option === undefined ? asks : several ? `${chosen} in ${asks}` : `${asks} == ${chosen}`;
  return steps.map((step) => ({
    ...step,
    when: step.when === undefined ? condition : `${condition} && (${step.when})`,
  }));
}

export interface OpenQuestion {
  readonly runId: string;
  readonly item: QuestionItem;
  readonly request: string | undefined;
  readonly steps: readonly PlanStep[];
  /** Answers to earlier questions of the plan, by step id. */
  readonly answers: ReadonlyMap<string, unknown>;
}

export function openQuestion({ runs }: TurnRequest): OpenQuestion | undefined {
  for (const { runId, status, pending = [], plan, request, steps } of runs) {
    const item = pending.find(({ kind }) => kind === "question");
    const answers = new Map(steps.flatMap(({ stepId, output }) => (output === undefined ? [] : [[stepId, output]])));
    if (status === "suspended" && item?.kind === "question")
      return { runId, item, request, steps: plan?.steps ?? [], answers };
  }
  return undefined;
}

/** Returns the only day, or part of one, that a line says without a time. */
export function dayIn({ dates }: RequestText): string | undefined {
  const day = only(dates.filter(({ dateTime, partOfDay }) => dateTime === undefined || partOfDay !== undefined));
  return day?.dateTime ?? day?.date;
}
