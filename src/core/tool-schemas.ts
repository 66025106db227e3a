import { canonicalJson, deepFreeze, sha256 } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { toJsonSchema } from "./schema.ts";
import { isSensitiveTool } from "./sensitive.ts";
import { sensitivePaths } from "./sensitive-paths.ts";
import type { DefinedTool, Tool, ToolEffect } from "./tool.ts";

/** A tool's schemas as JSON Schema. */
export interface ToolSchemas {
  readonly input: JsonSchema;
  /** Undefined if the tool has no output schema. */
  readonly output: JsonSchema | undefined;
}

/** The identity of a version of a tool in a stored run. */
export interface ToolFingerprint {
  readonly name: string;
  /** SHA-256 of the canonical JSON of the tool's schemas, in hex. */
  readonly schemaHash: string;
  readonly effect: ToolEffect | "by-input";
  /** The paths of sensitive values in its input and output, as `sensitivePaths` writes them; absent if there are none. */
  readonly sensitive?: { readonly input: readonly string[]; readonly output: readonly string[] };
}

/** The JSON Schemas of a tool. Synchronous, except the first time for zod 3, whose converter is loaded then. */
export function toolSchemas({ inputSchema, outputSchema }: Tool): ToolSchemas | Promise<ToolSchemas> {
  const input = toJsonSchema(inputSchema, "input");
  const output = outputSchema && toJsonSchema(outputSchema, "output");
  if (!(input instanceof Promise) && !(output instanceof Promise)) return { input, output };
  return Promise.all([input, output]).then(([input, output]) => ({ input, output }));
}

/** By the tool: a copy is another one once it is defined. */
const fingerprints = new WeakMap<DefinedTool, ToolFingerprint>();

/** A tool's fingerprint, computed once. */
export async function toolFingerprint(tool: DefinedTool): Promise<ToolFingerprint> {
  const known = fingerprints.get(tool);
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
  fingerprints.set(tool, fingerprint);
  return fingerprint;
}
