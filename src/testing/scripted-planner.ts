import type { PlanDraft, Planner, PlanRequest } from "../core/planner.ts";

/** A planner that answers as it was told, and remembers what it was asked. */
export interface ScriptedPlanner extends Planner {
  readonly requests: readonly PlanRequest[];
}

/**
 * A {@link ScriptedPlanner}. Each answer is a plan, an error to throw, or a function of the request; asked more often than
 * it has answers, it throws.
 */
export function createScriptedPlanner(
  answers: readonly (PlanDraft | Error | ((request: PlanRequest) => PlanDraft | Promise<PlanDraft>))[],
): ScriptedPlanner {
  const requests: PlanRequest[] = [];
  return {
    name: "scripted",
    requests,
    async plan(request) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined)
        throw new Error(`The script has ${answers.length} answers; this is request ${requests.length}.`);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(request) : answer;
    },
  };
}
