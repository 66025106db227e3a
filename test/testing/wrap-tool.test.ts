import { describe, expect, it } from "vitest";
import * as z3 from "zod/v3";
import * as z from "zod/v4";
import * as mini from "zod/v4-mini";
import { jsonSchema } from "../../src/adapters/schemas/index.ts";
import { defineTool, toDefinedTool } from "../../src/core/define-tool.ts";
import { parseWith, type StandardSchema } from "../../src/core/schema.ts";
import { sensitive } from "../../src/core/sensitive.ts";
import type { DefinedTool, ToolContext } from "../../src/core/tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { ParsedInput, wrapTool } from "../../src/testing/wrap-tool.ts";

function wrap(tool: DefinedTool): DefinedTool {
  return wrapTool(tool, {
    execute: (input) => input,
    undo: (input, output) => [input, output],
    effect: ({ written }) => (written === null ? "once" : "pure"),
    needsApproval: ({ parsed }) => parsed === null,
  });
}

function toolWith(inputSchema: StandardSchema, outputSchema?: StandardSchema): DefinedTool {
  return toDefinedTool("tool", { name: "T", description: "Does", inputSchema, outputSchema, execute: () => null });
}

const isShort = async (text: string) => text.length < 5;

describe("wrapTool", () => {
  it.each<[string, StandardSchema]>([
    [
      "zod 4",
      z.object({ text: z.string().trim().default("none"), key: sensitive(z.string()).optional() }).describe("In"),
    ],
    ["zod 4, marked as a whole", sensitive(z.object({ text: z.string().trim().default("none") }))],
    ["zod 4, async", z.object({ text: z.string().trim().default("none").refine(isShort) })],
    ["zod mini", sensitive(mini.object({ text: mini._default(mini.string().check(mini.trim()), "none") }))],
    ["zod 3", z3.object({ text: z3.string().trim().default("none"), key: sensitive(z3.string()).optional() })],
  ])("keeps the schema of %s, and the input as it was written", async (_, schema) => {
    const tool = toolWith(schema, schema);
    const wrapped = wrap(tool);
    expect(await toolFingerprint(wrapped)).toEqual(await toolFingerprint(tool));
    expect(await parseWith(wrapped.inputSchema, { text: " a " })).toEqual({
      ok: true,
      value: new ParsedInput({ text: "a" }, { text: " a " }),
    });
    expect(await parseWith(wrapped.inputSchema, {})).toMatchObject({
      value: { parsed: { text: "none" }, written: {} },
    });
    expect(await parseWith(wrapped.inputSchema, { text: 1 })).toEqual(await parseWith(tool.inputSchema, { text: 1 }));
  });

  it("keeps a JSON Schema", async () => {
    const tool = toolWith(jsonSchema({ type: "object", properties: { text: { type: "string", sensitive: true } } }));
    const wrapped = wrap(tool);
    expect(await toolFingerprint(wrapped)).toEqual(await toolFingerprint(tool));
    expect(await parseWith(wrapped.inputSchema, { text: 1 })).toEqual(await parseWith(tool.inputSchema, { text: 1 }));
  });

  it("passes both forms of an input to all functions, also if it was never parsed", async () => {
    const tool = defineTool({
      name: "T",
      description: "Does",
      inputSchema: z.object({ n: z.number() }),
      effect: () => "idempotent",
      needsApproval: () => true,
      execute: () => null,
      undo: () => {},
    });
    const wrapped = wrap(tool);
    const context = {} as ToolContext;
    expect(wrapped).toMatchObject({ declaredEffect: "by-input", declaredNeedsApproval: "by-input" });
    expect(wrapped.execute({ n: 1 }, context)).toEqual(new ParsedInput({ n: 1 }, { n: 1 }));
    expect(wrapped.execute({ n: 1n }, context)).toEqual(new ParsedInput({ n: 1n }, null));
    expect(wrapped.undo?.({ input: { n: 1 }, output: 2 }, context)).toEqual([new ParsedInput({ n: 1 }, { n: 1 }), 2]);
    expect([wrapped.effect({ n: 1 }), wrapped.effect(null), wrapped.needsApproval?.(null)]).toEqual([
      "pure",
      "once",
      true,
    ]);
  });
});
