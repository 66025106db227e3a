import { failOption } from "./options.ts";
import { allTold, isMarkedZod4, markZod4, type SchemaMark, type StandardSchema, zodVersionOf } from "./schema.ts";
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

/**
 * Marks a text field of a tool's input as one that a model composes: the body of a message, a subject, a summary, a
 * search query. Words in it that the request does not say are only a warning, and do not refuse the plan. Never mark a
 * recipient, an id, an amount, a date or a path; of any but plain text the mark means nothing. Returns a copy of the
 * schema, like `.meta({ composed: true })` of zod 4, but also for zod 3. Throws `invalid-options`.
 *
 * ```ts
 * const inputSchema = z.object({ to: z.email(), body: composed(z.string()) });
 * ```
 * @group Tools
 */
export function composed<TSchema extends StandardSchema>(schema: TSchema): TSchema {
  return markSchema(schema, "composed");
}

/** True if a field of a tool's input or output is marked as sensitive. */
export function isSensitiveTool({ inputSchema, outputSchema }: Tool): boolean {
  return hasSensitive(inputSchema) || hasSensitive(outputSchema);
}

const known = new WeakMap<StandardSchema, boolean>();

/**
 * True if a field of a schema may be marked as sensitive. Everything in the schema's definition is searched, once: zod's
 * converter to JSON Schema would tell more, but cost much more.
 */
export function hasSensitive(schema: StandardSchema | undefined): boolean {
  if (schema === undefined) return false;
  let answer = known.get(schema);
  if (answer === undefined) {
    answer = findSensitive(schema);
    known.set(schema, answer);
  }
  return answer;
}

function findSensitive(schema: StandardSchema): boolean {
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

/** A copy of a schema with a mark, which its JSON Schema has as a keyword. Throws `invalid-options`. */
function markSchema<TSchema extends StandardSchema>(schema: TSchema, mark: SchemaMark): TSchema {
  switch (zodVersionOf(schema)) {
    case 3: {
      const { constructor: Schema } = schema as unknown as { constructor: new (definition: object) => TSchema };
      return new Schema({ ...(schema as { readonly _def?: object })._def, [mark]: true });
    }
    case 4:
      return markZod4(schema, mark);
    default:
      return failOption("schema", schema, `a schema of zod; in the JSON Schema of another one write "${mark}": true`);
  }
}
