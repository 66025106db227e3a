import { defineTool, describeTool } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { toolSchemas } from "../../src/core/tool-schemas.ts";

const weather = defineTool({
  name: "Weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string().meta({ shown: () => "a function" }) }),
  outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  execute: () => ({ celsius: 7 }),
});

describe("describeTool", () => {
  it("returns name, description, effect and JSON Schemas as data", async () => {
    const described = await describeTool(weather);
    expect(described).toEqual({
      name: "Weather",
      description: "Tells the weather.",
      effect: "pure",
      inputSchema: expect.objectContaining({ type: "object", properties: { city: { type: "string" } } }),
      outputSchema: expect.objectContaining({ properties: { celsius: { type: "number" } } }),
    });
    expect(structuredClone(described)).toEqual(described);
  });

  it("returns a copy that the caller may change", async () => {
    const described = await describeTool(weather);
    Object.assign(described.inputSchema, { properties: {} });
    expect((await toolSchemas(weather)).input).toMatchObject({ properties: { city: {} } });
  });

  it("accepts a plain object, zod 3 and an effect by input, and omits a missing output schema", async () => {
    const tool = {
      name: "T",
      description: "d",
      inputSchema: z3.object({ a: z3.string().default("x") }),
      effect: () => "once" as const,
      execute: () => null,
    };
    const { outputSchema, ...described } = await describeTool(tool);
    expect(described).toMatchObject({ effect: "by-input", inputSchema: { properties: { a: { type: "string" } } } });
    expect(outputSchema).toBeUndefined();
  });

  it("rejects a value that is not a tool", async () => {
    await expect(describeTool({ ...weather, name: "" })).rejects.toMatchObject({
      code: "invalid-options",
      details: { option: "tool.name" },
    });
  });
});
