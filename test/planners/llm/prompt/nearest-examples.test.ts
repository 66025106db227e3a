import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../src/core/tool.ts";
import { toolOf } from "../../../../src/core/wait-step.ts";
import { nearestExamples } from "../../../../src/planners/llm/prompt/nearest-examples.ts";
import { createRulePlanner } from "../../../../src/planners/rules/rule-planner.ts";
import { createCalculator } from "../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../src/tools/todo-store/todo-store.ts";
import { note, requestOf } from "../ask-llm-planner.ts";

const weather = defineTool({
  name: "Weather",
  description: "",
  inputSchema: z.object({ city: z.string() }),
  phrases: ["weather in {city}", { phrase: "will it rain in Paris", input: { city: "Paris" } }],
  execute: () => null,
}) as DefinedTool;
const tools = [createCalculator(), createTodoStore(), weather] as readonly DefinedTool[];

const requestsFor = async (request: string, list = tools) =>
  (await nearestExamples(requestOf(request, { tools: list }), 3)).map((example) => example.request);

describe("the nearest examples", () => {
  it("share the most words with a request", async () => {
    expect((await requestsFor("please rename milk to oat milk"))[0]).toBe("rename milk to oat milk");
    expect((await requestsFor("square root of 2"))[0]).toBe("square root of 144");
  });

  it("are of several tools where none is near", async () => {
    expect(await requestsFor("hm")).toEqual([
      "what is 45 times 23",
      "add milk to my shopping list",
      "will it rain in Paris",
    ]);
    expect(await requestsFor("rain", [weather])).toEqual(["will it rain in Paris"]);
    expect(await requestsFor("rain", [note as DefinedTool])).toEqual([]);
  });

  it("are each planned by the rules", async () => {
    for (const tool of tools.slice(0, 2)) {
      const request = requestOf("", { tools: [tool] });
      const examples = await nearestExamples(request, 100);
      expect(examples.length).toBeGreaterThan(3);
      for (const example of examples) {
        const { steps } = await createRulePlanner().plan(requestOf(example.request, { tools: [tool] }));
        expect(steps.map((step) => ({ tool: toolOf(step), input: step.input }))).toEqual(example.steps);
      }
    }
  });
});
