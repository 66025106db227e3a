import type { AgentEvent, AgentEventOf, PlanDraft, PlanStep, ReplanRequest, RunOptions, ToolStep } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { askingTool } from "./ask-for-approval.ts";
import { planOf, step } from "./plans.ts";
import type { Scenario } from "./run-scenario.ts";

export type Answer = unknown | ((request: ReplanRequest) => unknown);

/** A planner that returns the given plan, and an answer for each failure. */
export function replanner(plan: object, answers: readonly Answer[], requests: ReplanRequest[] = []) {
  let count = 0;
  return {
    ...createScriptedPlanner([plan as PlanDraft]),
    async replan(request: ReplanRequest): Promise<PlanDraft> {
      requests.push(request);
      const answer = answers[count++];
      if (answer instanceof Error) throw answer;
      return (typeof answer === "function" ? answer(request) : answer) as PlanDraft;
    },
  };
}

export const failing = () => createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
export const works = () => createFakeTool({ name: "A", outcomes: [{ returns: { value: 7 } }] });
export const steps = (...list: PlanStep[]) => ({ steps: list });
export const added = (id: string, tool = "A", rest: Partial<ToolStep> = {}) =>
  step(id, tool, { dependsOn: [], ...rest });
export const revisions = (events: readonly AgentEvent[]) =>
  events.filter((event): event is AgentEventOf<"plan-revise"> => event.type === "plan-revise");

/** A plan whose second step fails, and the planner's answers. */
export function failingScenario(
  answers: readonly Answer[],
  options: RunOptions = {},
  rest: Partial<Scenario> = {},
): Scenario {
  return {
    tools: [works(), failing(), askingTool("B")],
    planner: replanner(planOf("A", "F", "A"), answers),
    request: "Do it",
    options: { maxReplans: 1, replanTools: ["A"], ...options },
    ...rest,
  };
}
