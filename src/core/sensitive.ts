import { markSchema } from "./mark-schema.ts";
import { allTold, isMarkedZod4, type StandardSchema } from "./schema.ts";
import type { Tool } from "./tool.ts";

type ZodDefinition = Readonly<Record<string, unknown>>;

/** What this module reads of a schema of zod 3 or zod 4, or of a JSON Schema. */
interface ZodSchema {
  readonly _zod?: { readonly def: ZodDefinition };
  readonly _def?: ZodDefinition;
  readonly sensitive?: unknown;
  readonly writeOnly?: unknown;
}

/**
 * Marks a field of a tool's input or output as a secret: its value is recorded encrypted and shown as `"[sensitive]"`.
 * Returns a copy of the schema, like `.meta({ sensitive: true })` of zod 4, but also for zod 3. Throws
 * `invalid-options`.
 *
 * {@includeCode ../../examples/19-secrets.ts}
 * @group Tools
 */
export function sensitive<TSchema extends StandardSchema>(schema: TSchema): TSchema {
  return markSchema(schema, "sensitive");
}

const known = new WeakMap<Tool, boolean>();

/** Whether a field of a tool's input or output is marked as sensitive. Looked up once. */
export function isSensitiveTool(tool: Tool): boolean {
  let answer = known.get(tool);
  if (answer === undefined) {
    answer = hasSensitive(tool.inputSchema) || hasSensitive(tool.outputSchema);
    known.set(tool, answer);
  }
  return answer;
}

/**
 * Searches everything in a schema's definition: zod's converter to JSON Schema would tell more, but cost much more. May
 * be true for a schema without such a field.
 */
export function hasSensitive(schema: StandardSchema | undefined): boolean {
  if (schema === undefined) return false;
  const seen = new Set<unknown>();
  const open: unknown[] = [allTold(schema) ?? schema];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const { _zod, _def } = node as ZodSchema;
    const definition = _zod?.def ?? _def;
    if (isSensitive(node)) return true;
    if (definition !== undefined) for (const part of Object.values(definition)) open.push(partOf(part, definition));
    else open.push(...(node instanceof Map ? node.values() : Object.values(node)));
  }
  return false;
}

/** Whether a schema of zod, its definition or a JSON Schema is itself marked. */
function isSensitive(node: ZodSchema): boolean {
  const { _zod, _def, sensitive, writeOnly } = node;
  return (
    sensitive === true ||
    writeOnly === true ||
    _def?.sensitive === true ||
    (_zod !== undefined && (_zod.def.sensitive === true || isMarkedZod4(node, "sensitive")))
  );
}

/** Calls only functions that return schemas. */
function partOf(part: unknown, { shape, getter }: ZodDefinition): unknown {
  if (typeof part !== "function") return part;
  return part === shape || part === getter ? part() : undefined;
}
