import type { JsonSchema } from "../../../core/json-schema.ts";
import { orNull, type SchemaDialect, SchemaWriter } from "./schema-writer.ts";

/** More steps than a model writes without losing its way. */
export const maxModelSteps = 50;

/** The schema of one tool's steps. */
export interface StepSchema {
  readonly schema: JsonSchema;
  /** Definitions that the schema refers to. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Whether nothing in it is open, so that a server can hold all of it. */
  readonly isClosed: boolean;
}

/** The schema of an answer: steps, each for one of the tools, or none and the reason. */
export function answerSchema(
  steps: readonly StepSchema[],
  { maxSteps, dialect }: { readonly maxSteps: number; readonly dialect: SchemaDialect },
): StepSchema {
  const schemas = steps.map(({ schema }) => schema);
  const isClosed = dialect === "strict" && steps.every((step) => step.isClosed);
  const items = schemas.length > 1 ? { items: { anyOf: schemas } } : schemas.length === 1 ? { items: schemas[0] } : {};
  const list = { type: "array", ...items, maxItems: schemas.length === 0 ? 0 : Math.min(maxSteps, maxModelSteps) };
  const definitions = Object.assign({}, ...steps.map((step) => step.definitions)) as Record<string, JsonSchema>;
  const text: JsonSchema = { type: "string" };
  const schema = closedObject(
    { steps: list, missing: isClosed ? orNull(text) : text },
    isClosed ? ["steps", "missing"] : ["steps"],
  );
  const hasDefinitions = Object.keys(definitions).length > 0;
  return { schema: { ...schema, ...(hasDefinitions && { $defs: definitions }) }, definitions, isClosed };
}

/**
 * The schema of a step of one tool: its name is a constant, so that no other can be written. `optional` are the keys
 * that a step may have besides: `dependsOn` as a list of texts, all others as text.
 */
export function stepSchema(
  tool: string,
  input: JsonSchema,
  { optional, dialect }: { readonly optional: readonly string[]; readonly dialect: SchemaDialect },
): StepSchema {
  const writer = new SchemaWriter(input, { dialect, name: tool });
  const written = writer.write(input);
  const isStrict = dialect === "strict" && writer.isClosed;
  const text: JsonSchema = { type: "string" };
  const typeOf = (key: string): JsonSchema => (key === "dependsOn" ? { type: "array", items: text } : text);
  const more = (keys: readonly string[]) =>
    keys.map((key) => [key, isStrict ? orNull(typeOf(key)) : typeOf(key)] as const);
  // What a model writes first decides what it writes next: why, then which tool.
  const before = optional.filter((key) => key === "reasoning");
  const after = optional.filter((key) => key !== "reasoning");
  const properties = Object.fromEntries([
    ...more(before),
    ["tool", { type: "string", const: tool }] as const,
    ["input", written] as const,
    ...more(after),
  ]);
  const required = isStrict ? Object.keys(properties) : ["tool", "input"];
  return {
    schema: closedObject(properties, required),
    definitions: writer.definitions,
    isClosed: writer.isClosed,
  };
}

function closedObject(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
