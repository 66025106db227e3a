import { canonicalJson, sha256 } from "./canonical-json.ts";
import { deepFreeze } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { inputJsonSchema, outputJsonSchema } from "./schema.ts";
import { isSensitiveTool } from "./sensitive.ts";
import { sensitivePaths } from "./sensitive-paths.ts";
import type { DefinedTool, Tool, ToolEffect } from "./tool.ts";

/** A tool's schemas as JSON Schema. */
export interface ToolSchemas {
  readonly input: JsonSchema;
  /** Undefined if the tool has no output schema. */
  readonly output: JsonSchema | undefined;
}

/** What identifies a version of a tool in a stored run. */
export interface ToolFingerprint {
  readonly name: string;
  /** SHA-256 of the canonical JSON of the tool's schemas, in hex. */
  readonly schemaHash: string;
  readonly effect: ToolEffect | "by-input";
  /** Where its input and output have sensitive values, as `sensitivePaths` writes it; absent if nowhere. */
  readonly sensitive?: { readonly input: readonly string[]; readonly output: readonly string[] };
}

const schemasOf = new WeakMap<Tool, ToolSchemas>();
const fingerprintOf = new WeakMap<DefinedTool, ToolFingerprint>();

/** A tool's JSON Schemas, created once. Synchronous, except the first time for zod 3, which loads its converter. */
export function toolSchemas(tool: Tool): ToolSchemas | Promise<ToolSchemas> {
  const known = schemasOf.get(tool);
  if (known !== undefined) return known;
  const input = inputJsonSchema(tool.inputSchema);
  const output = tool.outputSchema && outputJsonSchema(tool.outputSchema);
  if (!(input instanceof Promise) && !(output instanceof Promise)) return remember(tool, { input, output });
  return Promise.all([input, output]).then(([input, output]) => remember(tool, { input, output }));
}

function remember(tool: Tool, schemas: ToolSchemas): ToolSchemas {
  schemasOf.set(tool, schemas);
  return schemas;
}

/** A tool's fingerprint, computed once. */
export async function toolFingerprint(tool: DefinedTool): Promise<ToolFingerprint> {
  const known = fingerprintOf.get(tool);
  if (known !== undefined) return known;
  const { input, output } = await toolSchemas(tool);
  const schemaHash = await sha256(canonicalJson({ input, output }));
  const sensitive = isSensitiveTool(tool) && {
    input: sensitivePaths(input),
    output: output === undefined ? [] : sensitivePaths(output),
  };
  const fingerprint = Object.freeze({
    name: tool.name,
    schemaHash,
    effect: tool.declaredEffect,
    ...(sensitive && { sensitive: deepFreeze(sensitive) }),
  });
  fingerprintOf.set(tool, fingerprint);
  return fingerprint;
}
