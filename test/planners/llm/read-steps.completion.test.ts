import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../src/core/define-tool.ts";
import { completeSteps } from "../../../src/planners/llm/read-steps.ts";
import { anything, byName, note, sum } from "./ask-llm-planner.ts";

const step = { tool: "Note", input: { title: "x" } };

describe("completeSteps", () => {
  const complete = (steps: readonly unknown[], prefix = "s") => completeSteps(steps, { tools: byName(), prefix });
  const add = (a: unknown) => ({ tool: "Sum", input: { a } });

  it("numbers steps without ids, and makes each step wait for the one before it", () => {
    expect(complete([step, step])).toEqual([
      { id: "s1", ...step, dependsOn: [] },
      { id: "s2", ...step, dependsOn: ["s1"] },
    ]);
    expect(complete([step], "r1_")).toMatchObject([{ id: "r1_1" }]);
  });

  it("makes pure steps wait only for the steps that they refer to", () => {
    const steps = complete([add(1), add(2), add({ $ref: "s1.value" }), step, add("${s2.value}")]);
    expect(steps).toMatchObject([
      { dependsOn: [] },
      { dependsOn: [] },
      { dependsOn: ["s1"] },
      { dependsOn: ["s3"] },
      { dependsOn: ["s2", "s4"] },
    ]);
  });

  it("keeps ids and dependencies of the model", () => {
    const steps = complete([
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

  it("adds no dependency for references to unknown or later steps", () => {
    expect(complete([add({ $ref: "s2.value" }), add({ $ref: "s9.value" }), add("${!}")])).toMatchObject([
      { dependsOn: [] },
      { dependsOn: [] },
      { dependsOn: [] },
    ]);
  });

  it("keeps what is not a step, and a tool that is not text", () => {
    expect(complete([null, step, 5, step])).toMatchObject([null, { dependsOn: [] }, 5, { dependsOn: [] }]);
    const odd: unknown = JSON.parse('{"tool": {"toString": 1, "valueOf": 1}, "input": {}}');
    expect(complete([odd, odd])).toMatchObject([{ id: "s1" }, { id: "s2", dependsOn: ["s1"] }]);
  });
});

describe("a tool whose effect depends on its input", () => {
  it("is not treated as pure", () => {
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
    expect(completeSteps(steps, { tools: byName([store, note, sum, anything]), prefix: "s" })).toMatchObject([
      { dependsOn: [] },
      { dependsOn: ["s1"] },
    ]);
  });
});
