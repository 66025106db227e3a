import { expect, it } from "vitest";
import { createPlanner } from "../../src/cli/create-cli-agent.ts";

it("createPlanner creates the rule planner, or a model planner with the rules as fallback", () => {
  expect(createPlanner({ type: "rules" }).name).toBe("rules");
  const planner = createPlanner({ type: "ollama", model: "qwen3", host: undefined });
  expect(planner.name).toBe("fallback");
  expect(planner.replan).toBeTypeOf("function");
});

it.each(["0.0.0.0", "0.0.0.0:11434", "http://box:1", "box"])("createPlanner accepts the host %s", (host) => {
  expect(createPlanner({ type: "ollama", model: "qwen3", host }).name).toBe("fallback");
});
