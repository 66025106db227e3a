import type { PlanDraft, Planner, PlanRequest } from "../core/planner.ts";
import { countAnswers } from "./scripted-model.ts";

/** Planner with scripted answers that records its requests. @group Planners */
export interface ScriptedPlanner extends Planner {
  readonly requests: readonly PlanRequest[];
}

/**
 * Creates a planner. Each answer is a plan, an error to throw, or a function of the request. Requests beyond the last
 * answer throw. {@includeCode ../../examples/20-test-an-agent.ts} @group Planners
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
        throw new Error(`The script has ${countAnswers(answers.length)}; this is request ${requests.length}.`);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(request) : answer;
    },
  };
}
