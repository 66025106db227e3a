import { toDefinedTool } from "./define-tool.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Tool, ToolEffect } from "./tool.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** What can be known about a tool without calling it, as JSON. @group Tools */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** As declared: `by-input` where it is a function of the input. */
  readonly effect: ToolEffect | "by-input";
  /** The input that a plan may pass to it. */
  readonly inputSchema: JsonSchema;
  /** Its output; only if the tool has an output schema. */
  readonly outputSchema?: JsonSchema;
}

/**
 * Describes a tool as data: for a list of tools, a form, or another protocol. The schemas are JSON Schema (draft
 * 2020-12 for zod 4, draft 7 for zod 3), and copies that the caller may change. Rejects with `invalid-options` for
 * anything that is not a tool.
 *
 * {@includeCode ../../examples/18-plans-as-json.ts}
 * @group Tools
 */
export async function describeTool(tool: Tool): Promise<ToolDescription> {
  const defined = toDefinedTool("tool", tool);
  const { input, output } = await toolSchemas(defined);
  const { name, description, declaredEffect: effect } = defined;
  const described: ToolDescription = {
    name,
    description,
    effect,
    inputSchema: input,
    ...(output && { outputSchema: output }),
  };
  // A copy, as planners read the same schemas, and a schema's metadata may hold anything.
  return JSON.parse(JSON.stringify(described));
}
