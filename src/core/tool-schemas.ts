import { canonicalJson, sha256 } from "./canonical-json.ts";
import { deepFreeze } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { inputJsonSchema, outputJsonSchema, type StandardSchema } from "./schema.ts";
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

/** The JSON Schemas that were made, by the schemas of inputs and outputs. */
const made = {
  input: new WeakMap<StandardSchema, JsonSchema>(),
  output: new WeakMap<StandardSchema, JsonSchema>(),
};

/** A tool's JSON Schemas. Synchronous, except the first time for zod 3, which loads its converter. */
export function toolSchemas({ inputSchema, outputSchema }: Tool): ToolSchemas | Promise<ToolSchemas> {
  const input = made.input.get(inputSchema) ?? keep("input", inputSchema, inputJsonSchema(inputSchema));
  const output =
    outputSchema && (made.output.get(outputSchema) ?? keep("output", outputSchema, outputJsonSchema(outputSchema)));
  if (!(input instanceof Promise) && !(output instanceof Promise)) return { input, output };
  return Promise.all([input, output]).then(([input, output]) => ({ input, output }));
}

function keep(
  io: keyof typeof made,
  schema: StandardSchema,
  json: JsonSchema | Promise<JsonSchema>,
): JsonSchema | Promise<JsonSchema> {
  if (json instanceof Promise) return json.then((converted) => keep(io, schema, converted));
  made[io].set(schema, json);
  return json;
}

/** The hash of an input schema, with the output schema that it was computed with. */
interface KnownHash {
  readonly outputSchema: StandardSchema | undefined;
  readonly schemaHash: Promise<string>;
}

const hashes = new WeakMap<StandardSchema, KnownHash>();

/** The SHA-256 of a tool's schemas, computed once for the same two. */
function schemaHashOf({ inputSchema, outputSchema }: Tool, schemas: ToolSchemas): Promise<string> {
  const known = hashes.get(inputSchema);
  if (known !== undefined && known.outputSchema === outputSchema) return known.schemaHash;
  const schemaHash = sha256(canonicalJson(schemas));
  hashes.set(inputSchema, { outputSchema, schemaHash });
  return schemaHash;
}

/** A tool's fingerprint. */
export async function toolFingerprint(tool: DefinedTool): Promise<ToolFingerprint> {
  const schemas = await toolSchemas(tool);
  const { input, output } = schemas;
  const schemaHash = await schemaHashOf(tool, schemas);
  const sensitive = isSensitiveTool(tool) && {
    input: sensitivePaths(input),
    output: output === undefined ? [] : sensitivePaths(output),
  };
  return Object.freeze({
    name: tool.name,
    schemaHash,
    effect: tool.declaredEffect,
    ...(sensitive && { sensitive: deepFreeze(sensitive) }),
  });
}
