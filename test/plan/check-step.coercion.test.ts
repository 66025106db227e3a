import { defineTool, type StandardSchema, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";

const source = defineTool({
  name: "Source",
  description: "",
  inputSchema: z.object({}),
  effect: "idempotent",
  outputSchema: z.object({ text: z.string(), number: z.number() }),
  execute: () => ({ text: "5", number: 5 }),
});

const issuesOf = async (inputSchema: StandardSchema, value: unknown) => {
  const sink = defineTool({ name: "Sink", description: "", inputSchema, effect: "idempotent", execute: () => null });
  const steps = [
    { id: "s1", tool: "Source", input: {} },
    { id: "s2", tool: "Sink", input: { value } },
  ];
  return (await validatePlan({ steps }, { tools: [source, sink] })).map(({ code }) => code);
};

describe("a field that converts its input", () => {
  it.each<[string, StandardSchema, unknown]>([
    ["coerce.number of zod 4", z.object({ value: z.coerce.number() }), { $ref: "s1.text" }],
    ["coerce.number of zod 4, with text around", z.object({ value: z.coerce.number() }), "1${s1.number}"],
    ["coerce.string of zod 4", z.object({ value: z.coerce.string() }), { $ref: "s1.number" }],
    ["preprocess of zod 4", z.object({ value: z.preprocess(Number, z.number()) }), { $ref: "s1.text" }],
    ["catch of zod 4", z.object({ value: z.number().catch(3) }), { $ref: "s1.text" }],
    ["coerce.number of zod 3", z3.object({ value: z3.coerce.number() }), { $ref: "s1.text" }],
    ["preprocess of zod 3", z3.object({ value: z3.preprocess(Number, z3.number()) }), { $ref: "s1.text" }],
  ])("accepts a reference of another type: %s", async (_what, schema, value) => {
    expect(await issuesOf(schema, value)).toEqual([]);
  });

  it("is distinguished from a field that does not convert", async () => {
    expect(await issuesOf(z.object({ value: z.number() }), { $ref: "s1.text" })).toEqual(["reference-type"]);
    expect(await issuesOf(z3.object({ value: z3.number() }), { $ref: "s1.text" })).toEqual(["reference-type"]);
  });
});
