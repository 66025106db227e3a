import { describe, expect, it } from "vitest";
import type { PlanInput } from "../../src/core/plan.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { createScriptedPlanner } from "../../src/testing/scripted-planner.ts";
import { runScenario } from "../scenario/run-scenario.ts";

const steps: PlanInput["steps"] = [
  { id: "a", tool: "A", input: { text: "{{name}}" } },
  { id: "b", tool: "A", input: { text: "{{a.todos}}" }, dependsOn: ["a"] },
];

describe("braces of another template language", () => {
  it("are text in a plan by hand, with one warning if they name a step", async () => {
    const tool = createFakeTool({ name: "A" });
    const { result, warnings } = await runScenario(() => ({ tools: [tool], plan: { steps } }));
    expect(result.status).toBe("completed");
    expect(tool.calls.map(({ input }) => input)).toContainEqual({ text: "{{a.todos}}" });
    expect(warnings).toEqual([
      {
        code: "braces-as-text",
        runId: result.runId,
        stepId: "b",
        message: '{{a.todos}} in step "b" is given to its tool as text. For the output, write ${a.todos}.',
      },
    ]);
  });

  it("cause no warning in a plan that a planner created", async () => {
    const planner = () => createScriptedPlanner([{ steps: [...steps] }]);
    const { result, warnings } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      planner: planner(),
      request: "do it",
    }));
    expect([result.status, warnings]).toEqual(["completed", []]);
  });
});
