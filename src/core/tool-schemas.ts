import { canonicalJson, deepFreeze, sha256 } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { failOption } from "./option-tables.ts";
import { markZod4, type SchemaMark, type StandardSchema, toJsonSchema, zodVersionOf } from "./schema.ts";
import { hasZod3Mark, markZod3 } from "./schema-zod3.ts";
import { sensitivePaths } from "./sensitive-paths.ts";
import type { DefinedTool, Tool, ToolEffect } from "./tool.ts";

export interface ToolSchemas {
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
}

export interface ToolFingerprint {
  readonly name: string;
  readonly schemaHash: string;
  readonly effect: ToolEffect | "by-input";
  /** Paths of sensitive values in the input and output, in the form of `sensitivePaths`; absent if there are none. */
  readonly sensitive?: { readonly input: readonly string[]; readonly output: readonly string[] };
}

export function toolSchemas({ inputSchema, outputSchema }: Tool): ToolSchemas | Promise<ToolSchemas> {
  const input = toJsonSchema(inputSchema, "input");
  const output = outputSchema && toJsonSchema(outputSchema, "output");
  if (!(input instanceof Promise) && !(output instanceof Promise)) return { input, output };
  return Promise.all([input, output]).then(([input, output]) => ({ input, output }));
}

const fingerprints = new WeakMap<DefinedTool, ToolFingerprint>();

export async function toolFingerprint(tool: DefinedTool): Promise<ToolFingerprint> {
  const known = fingerprints.get(tool);
  if (known !== undefined) return known;
  const { input, output } = await toolSchemas(tool);
  const schemaHash = await sha256(canonicalJson({ input, output }));
  const sensitive = isSensitiveTool(tool) && {
    input: sensitivePaths(input),
    output: output === undefined ? [] : sensitivePaths(output),
  };
  const { name, declaredEffect: effect } = tool;
  const fingerprint = deepFreeze({ name, schemaHash, effect, ...(sensitive && { sensitive }) });
  fingerprints.set(tool, fingerprint);
  return fingerprint;
}

/**
 * Marks a field of a tool's input or output as a secret: its value is recorded encrypted and shown as `"[sensitive]"`.
 * Returns a copy, like `.meta({ sensitive: true })` of zod 4, but also for zod 3. Throws `invalid-options`.
 * {@includeCode ../../examples/19-secrets.ts} @group Tools
 */
export function sensitive<TSchema extends StandardSchema>(schema: TSchema): TSchema {
  return markSchema(schema, "sensitive");
}

/**
 * Marks a text field of a tool's input that a model composes, such as the body of a message or a search query: words
 * that are not in the request then cause only a warning. Never mark a recipient, an id, an amount, a date or a path.
 * Returns a copy, like `.meta({ composed: true })` of zod 4, but also for zod 3. Throws `invalid-options`.
 * ```ts
 * const inputSchema = z.object({ to: z.email(), body: composed(z.string()) });
 * ```
 * @group Tools
 */
export function composed<TSchema extends StandardSchema>(schema: TSchema): TSchema {
  return markSchema(schema, "composed");
}

export function isSensitiveTool({ inputSchema, outputSchema }: Tool): boolean {
  return hasSensitive(inputSchema, "input") || (outputSchema !== undefined && hasSensitive(outputSchema, "output"));
}

export function hasSensitive(schema: StandardSchema, io: "input" | "output"): boolean {
  // The JSON Schema of a zod 3 schema may not have been created yet.
  if (zodVersionOf(schema) === 3) return hasZod3Mark(schema, "sensitive");
  return sensitivePaths(jsonSchemaOf(schema, io)).length > 0;
}

function jsonSchemaOf(schema: StandardSchema, io: "input" | "output"): JsonSchema {
  try {
    return toJsonSchema(schema, io) as JsonSchema;
  } catch {
    return toJsonSchema(schema, "output") as JsonSchema;
  }
}

function markSchema<TSchema extends StandardSchema>(schema: TSchema, mark: SchemaMark): TSchema {
  const version = zodVersionOf(schema);
  if (version !== undefined) return version === 3 ? markZod3(schema, mark) : markZod4(schema, mark);
  return failOption("schema", schema, `a zod schema; for any other, write "${mark}": true in the JSON Schema`);
}
