import type { Clock, Planner, ReplanRequest, StepRecord } from "planwright";
import type { ModelCase } from "./model-case.ts";
import { type ModelStep, toModelSteps, toPlanStep } from "./model-plan.ts";
import { stepsOf } from "./play-case.ts";

/** A planner that replans only from the run it is shown, so that another process plans the same. */
export interface ModelPlanner extends Planner {
  /** A step of the plan of the case, or of one that this planner returns. */
  stepOf(id: string): ModelStep | undefined;
}

/** A {@link ModelPlanner}; it takes some time if it is passed a clock. */
export function createModelPlanner(model: ModelCase, clock?: Clock): ModelPlanner {
  const steps = new Map(stepsOf(model).map((step) => [step.id, step]));
  const { replans, tools } = model;

  const stepOf = (id: string): ModelStep | undefined => {
    const [, replan, index] = /^r(\d+)_(\d+)$/.exec(id) ?? [];
    if (replan === undefined) return steps.get(id);
    const draft = replans[(Number(replan) - 1) % replans.length]?.steps[Number(index) - 1];
    // Its ids are only used to look up whether it has a loop.
    return draft && ({ ...draft, id } as unknown as ModelStep);
  };

  const replan = async ({ replan, steps: records, plan }: ReplanRequest) => {
    if (clock !== undefined) await new Promise<void>((resolve) => clock.setTimeout(resolve, replanMs));
    const draft = replans[(replan - 1) % replans.length];
    if (draft === undefined || draft.mistake === "throws") throw new Error("no idea");
    const ids = draft.steps.map((_, index) => `r${replan}_${index + 1}`);
    const started = records.find(({ status }) => status === "failed" || status === "completed");
    if (draft.mistake === "old-id" && started !== undefined) ids[0] = started.stepId;
    const isDone = (id: string) => records.filter(({ stepId }) => stepId === id).every(isDoneRecord);
    const earlier = plan.steps.flatMap(({ id }) => (isDone(id) ? (stepOf(id) ?? []) : []));
    return { steps: toModelSteps(draft.steps, { ids, toolCount: tools.length, earlier }).map(toPlanStep) };
  };

  return { name: "model", plan: () => Promise.reject(new Error("it only plans again")), replan, stepOf };
}

const replanMs = 5;

function isDoneRecord({ status, reason }: StepRecord): boolean {
  return status === "completed" || reason === "condition" || reason === "no-items";
}
