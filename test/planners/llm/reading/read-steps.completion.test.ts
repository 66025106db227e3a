import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../src/core/tool.ts";
import { StepReader } from "../../../../src/planners/llm/reading/read-steps.ts";
import { anything, byName, note, sum } from "../ask-llm-planner.ts";

const step = { tool: "Note", input: { title: "x" } };

async function complete(
  steps: readonly unknown[],
  { prefix = "s", tools = byName() }: { prefix?: string; tools?: ReadonlyMap<string, DefinedTool> } = {},
): Promise<readonly unknown[]> {
  const reader = new StepReader({ tools, typed: "", kept: [], prefix });
  const read: unknown[] = [];
  for (const raw of steps) read.push((await reader.next(raw)).step);
  return read;
}

describe("the steps of an answer", () => {
  const add = (a: unknown) => ({ tool: "Sum", input: { a } });

  it("numbers steps without ids, and makes each step wait for the one before it", async () => {
    expect(await complete([step, step])).toEqual([
      { id: "s1", ...step, dependsOn: [] },
      { id: "s2", ...step, dependsOn: ["s1"] },
    ]);
    expect(await complete([step], { prefix: "r1_" })).toMatchObject([{ id: "r1_1" }]);
  });

  it("makes pure steps wait only for the steps that they refer to", async () => {
    const steps = await complete([add(1), add(2), add({ $ref: "s1.value" }), step, add("${s2.value}")]);
    expect(steps).toMatchObject([
      { dependsOn: [] },
      { dependsOn: [] },
      { dependsOn: ["s1"] },
      { dependsOn: ["s3"] },
      { dependsOn: ["s2", "s4"] },
    ]);
  });

  it("keeps ids and dependencies of the model", async () => {
    const steps = await complete([
      { ...step, id: "first" },
      { ...step, dependsOn: [] },
      { ...step, id: "c", dependsOn: ["first", "nothing"] },
    ]);
    expect(steps).toMatchObject([
      { id: "first", dependsOn: [] },
      { id: "s2", dependsOn: [] },
      { id: "c", dependsOn: ["first", "nothing"] },
    ]);
  });

  it("adds no dependency for references to unknown or later steps", async () => {
    expect(await complete([add({ $ref: "s2.value" }), add({ $ref: "s9.value" }), add("${!}")])).toMatchObject([
      { dependsOn: [] },
      { dependsOn: [] },
      { dependsOn: [] },
    ]);
  });

  it("keeps what is not a step, and a tool that is not text", async () => {
    expect(await complete([null, step, 5, step])).toMatchObject([null, { dependsOn: [] }, 5, { dependsOn: [] }]);
    const odd: unknown = JSON.parse('{"tool": {"toString": 1, "valueOf": 1}, "input": {}}');
    expect(await complete([odd, odd])).toMatchObject([{ id: "s1" }, { id: "s2", dependsOn: ["s1"] }]);
  });
});

describe("a tool whose effect depends on its input", () => {
  it("is not treated as pure", async () => {
    const store = defineTool({
      name: "Store",
      description: "",
      inputSchema: z.object({}),
      effect: () => "pure",
      execute: () => null,
    });
    const steps = [
      { tool: "Store", input: {} },
      { tool: "Store", input: {} },
    ];
    expect(await complete(steps, { tools: byName([store, note, sum, anything]) })).toMatchObject([
      { dependsOn: [] },
      { dependsOn: ["s1"] },
    ]);
  });
});
