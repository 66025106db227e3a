import { defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { type ToolSchemas, toolFingerprint, toolSchemas } from "../../src/core/tool-schemas.ts";
import { note, open, sum, toolWith } from "../fixtures/plan-tools.ts";

const base = { name: "T", description: "d", effect: "idempotent", execute: () => null } as const;

describe("toolSchemas", () => {
  it("are available synchronously for zod 4, and created once", () => {
    const schemas = toolSchemas(sum);
    expect(schemas).toMatchObject({
      input: { properties: { a: { type: "number" } }, required: ["a"] },
      output: { properties: { at: { type: "string" } } },
    });
    expect((toolSchemas(sum) as ToolSchemas).input).toBe((schemas as ToolSchemas).input);
  });

  it("wait for the converter of zod 3 only the first time", async () => {
    const tool = defineTool({ ...base, inputSchema: z3.object({ a: z3.string() }) });
    const first = toolSchemas(tool);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ input: { properties: { a: { type: "string" } } }, output: undefined });
    expect(toolSchemas(tool)).toEqual(await first);
  });

  it("can mix zod 4 for the input and zod 3 for the output", async () => {
    const tool = defineTool({
      ...base,
      inputSchema: z.object({ a: z.string() }),
      outputSchema: z3.object({ b: z3.string() }),
      execute: () => ({ b: "" }),
    });
    expect(await toolSchemas(tool)).toMatchObject({
      input: { properties: { a: {} } },
      output: { properties: { b: { type: "string" } } },
    });
  });

  it("have no output if the tool has no output schema", () => {
    expect(toolSchemas(open)).toMatchObject({ output: undefined });
  });
});

describe("toolFingerprint", () => {
  it("consists of the name, the hash of the schemas and the effect", async () => {
    expect(await toolFingerprint(sum)).toEqual({
      name: "Sum",
      effect: "pure",
      schemaHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await toolFingerprint(note)).effect).toBe("idempotent");
    const byInput = defineTool({ ...base, inputSchema: z.object({}), effect: () => "once" });
    expect((await toolFingerprint(byInput)).effect).toBe("by-input");
  });

  it("is the same each time, and frozen", async () => {
    const fingerprint = await toolFingerprint(open);
    expect(await toolFingerprint(open)).toEqual(fingerprint);
    expect(Object.isFrozen(fingerprint)).toBe(true);
  });

  it("is the same for equal schemas, and differs for another input or output", async () => {
    const hashOf = async (tool: Parameters<typeof toolFingerprint>[0]) => (await toolFingerprint(tool)).schemaHash;
    const hash = await hashOf(toolWith(z.object({ a: z.string(), b: z.number() })));
    expect(await hashOf(toolWith(z.object({ a: z.string(), b: z.number() }), "Other"))).toBe(hash);
    expect(await hashOf(toolWith(z.object({ a: z.string(), b: z.number().optional() })))).not.toBe(hash);
    const withOutput = defineTool({
      ...base,
      inputSchema: z.object({ a: z.string(), b: z.number() }),
      outputSchema: z.null(),
    });
    expect(await hashOf(withOutput)).not.toBe(hash);
  });
});
