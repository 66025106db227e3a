import type { JsonObject } from "../core/json.ts";
import type { PlanStep, Question } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import type { QuestionItem } from "../core/question.ts";
import type { TurnRequest } from "../core/turn.ts";

/** Step id of the question. A draft has at most one. */
const asks = "q1";

export const answerReference: JsonObject = { $ref: asks };

export function asking(question: Question, steps: readonly PlanStep[], source: PlanDraft["source"]): PlanDraft {
  const ask: PlanStep = { id: asks, wait: { ask: question }, dependsOn: [] };
  const behind = steps.map((step) => ({ ...step, dependsOn: [...new Set([asks, ...(step.dependsOn ?? [])])] }));
  return { steps: [ask, ...behind], source };
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
  readonly steps: readonly PlanStep[];
}

export function openQuestion({ runs }: TurnRequest): OpenQuestion | undefined {
  for (const { runId, status, pending = [], plan } of runs) {
    const item = pending.find(({ kind }) => kind === "question");
    if (status === "suspended" && item?.kind === "question") return { runId, item, steps: plan?.steps ?? [] };
  }
  return undefined;
}
