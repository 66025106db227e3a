import { toDefinedTool } from "./define-tool.ts";
import type { JsonSchema } from "./schema.ts";
import type { Tool, ToolEffect } from "./tool.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** What is to be known of a tool without calling it, as JSON. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** As declared: `by-input` where it is a function of the input. */
  readonly effect: ToolEffect | "by-input";
  /** What a plan may give it. */
  readonly inputSchema: JsonSchema;
  /** What its output is; only if the tool has an output schema. */
  readonly outputSchema?: JsonSchema;
}

/**
 * Describes a tool as data: for a list of them, a form, or another protocol. The schemas are JSON Schema (draft 2020-12 for
 * zod 4, draft 7 for zod 3), and the caller's own. Rejects with `invalid-options` for what is not a tool.
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
