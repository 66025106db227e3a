import type { PlanInput } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { runScenario } from "../scenario/run-scenario.ts";

const steps: PlanInput["steps"] = [
  { id: "a", tool: "A", input: { text: "{{name}}" } },
  { id: "b", tool: "A", input: { text: "{{a.todos}}" }, dependsOn: ["a"] },
];

describe("braces of another template language", () => {
  it("are text in a plan by hand, also if they name a step", async () => {
    const tool = createFakeTool({ name: "A" });
    const { result } = await runScenario(() => ({ tools: [tool], plan: { steps } }));
    expect(result.status).toBe("completed");
    expect(tool.calls.map(({ input }) => input)).toContainEqual({ text: "{{a.todos}}" });
  });
});
