import * as planwright from "planwright";
import { createLlmPlanner } from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import createPlanner from "./app-planner.ts";
import { readArguments } from "./arguments.ts";
import { toTool } from "./call-tools.ts";
import { describeModel } from "./describe-model.ts";
import { checkGold } from "./gold.ts";

describe("the arguments of the evaluation", () => {
  it("are the rule planner and all requests by default", async () => {
    const read = await readArguments([], {});
    expect(read).toMatchObject({ folder: undefined, model: undefined, misses: 0, limit: Number.POSITIVE_INFINITY });
    expect(read.planner.name).toBe("rules");
  });

  it("may name a model, a folder and numbers", async () => {
    const read = await readArguments("data --planner ollama --model qwen3 --misses 20 --limit 5".split(" "), {});
    expect(read).toMatchObject({ folder: "data", model: "qwen3", misses: 20, limit: 5, planner: { name: "llm" } });
    expect((await readArguments(["--planner", "ollama"], { OLLAMA_MODEL: "gemma4" })).model).toBe("gemma4");
  });

  it.each([
    ["--planner ollama", "needs the name of a model"],
    ["--planner gpt", 'no planner "gpt"'],
    ["--misses many", "are numbers"],
    ["--bogus", "bogus"],
    ["--planner ai-sdk --model m", "needs --provider"],
    ["--planner ai-sdk --model m --provider @ai-sdk/nobody", "Is it installed?"],
    ["--planner ai-sdk --model m --provider ./test/eval/data.ts", 'exports no function "data"'],
    ["--planner ai-sdk --model m --provider ./test/eval/mock-provider.ts --export notAModel", "no function"],
  ])("are refused with a reason: %s", async (line, complaint) => {
    await expect(readArguments(line.split(" "), {})).rejects.toThrow(complaint);
  });

  it("may name any model of the AI SDK, which then plans", async () => {
    const line = "--planner ai-sdk --provider ./test/eval/mock-provider.ts --model large --limit 2";
    const { model, planner, limit } = await readArguments(line.split(" "), {});
    expect(model).toBe("mock/large");
    const { lines } = await checkGold({ planner, limit });
    expect(describeModel(lines)).toContain("| calls, tokens in / out | 2, 18 / 8 |");
  });

  it("name the model that the apps ask, too", async () => {
    const line = "--planner ai-sdk --provider ./test/eval/mock-provider.ts --model large";
    vi.stubEnv("EVAL_ARGUMENTS", JSON.stringify(line.split(" ")));
    vi.stubEnv("EVAL_PLANNER", "model");
    const planner = await createPlanner(planwright);
    vi.unstubAllEnvs();
    const agent = planwright.createAgent({ tools: [planwright.createTodoStore()], planner });
    await expect(agent.plan("sing")).rejects.toThrow("mock/large cannot plan this");
  });
});

it("toTool creates tools from JSON Schema, whatever their names", () => {
  const jsonSchema = { type: "object", properties: { radius: { type: "integer" } }, required: ["radius"] };
  const tool = toTool({ name: "geometry.area circle", description: "Area", jsonSchema });
  expect(tool.name).toBe("geometry_area_circle");
});

it("checkGold scores a model on the same requests, and reports its usage", async () => {
  const model = createScriptedModel(['{"steps":[{"do":"unclear"}]}', "no", "no", new Error("out of order")]);
  const { count, misses, lines } = await checkGold({ planner: createLlmPlanner({ model }), limit: 3 });
  expect([count, misses.length]).toEqual([3, 3]);
  const table = describeModel(lines);
  for (const row of ["requests | 3", "planned | 0", "answers that were no JSON | 1"])
    expect(table).toContain(`| ${row} |`);
  expect(table).toContain("| calls, tokens in / out | 4, ");
});
