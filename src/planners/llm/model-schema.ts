import type { JsonSchema } from "../../core/json-schema.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/*
 * The schemas that constrain what a model writes. Engines compile a schema to a grammar and know few keywords, some of
 * which they get wrong. Only these are used here: type, properties, required, enum, const, items, minItems, maxItems,
 * anyOf and additionalProperties. The model reads all other rules (ranges, patterns, formats) in the prompt, and the
 * plan is checked against them.
 */

/**
 * Replaces a value that is known only when the plan runs. It cannot state that `$ref` is the only key: llama.cpp takes
 * a property of that name for a JSON Schema reference, wherever it appears, and refuses the whole schema.
 */
const reference: JsonSchema = { type: "object", required: ["$ref"], additionalProperties: { type: "string" } };

/** More steps than a model writes without losing its way. */
const maxModelSteps = 50;

/** The schema of an answer: steps, each for one of the tools, or none and the reason. */
export function answerSchema(steps: readonly JsonSchema[], maxSteps: number): JsonSchema {
  const items = steps.length > 1 ? { anyOf: steps } : (steps[0] ?? anything);
  const list = { type: "array", items, maxItems: steps.length === 0 ? 0 : Math.min(maxSteps, maxModelSteps) };
  return object({ steps: list, missing: { type: "string" } }, ["steps"]);
}

/**
 * The schema of a step of one tool: its name is a constant, so that no other can be written, and precedes the input.
 */
export function stepSchema(tool: string, input: JsonSchema, optional: readonly string[]): JsonSchema {
  const more = Object.fromEntries(optional.map((key) => [key, { type: "string" }]));
  const around = { root: input, open: [], room: { left: maxParts } };
  return object({ tool: { const: tool }, input: plainSchema(input, around), ...more }, ["tool", "input"]);
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

interface Around {
  readonly root: JsonSchema;
  /** The enclosing schemas: a schema within itself allows anything. */
  readonly open: readonly JsonSchema[];
  /** How many parts may still be written: definitions that refer to each other would be repeated in every order. */
  readonly room: { left: number };
}

const anything: JsonSchema = {};
const maxParts = 1_000;

/** A schema with only the plain keywords, or `{}` where they do not suffice. Never narrower, except for open keys. */
function plainSchema(schema: JsonSchema, { root, open, room }: Around): JsonSchema {
  if (open.includes(schema) || room.left-- <= 0) return anything;
  const around = { root, open: [...open, schema], room };
  if (schema.$ref !== undefined) {
    const target = resolvePointer(root, schema.$ref);
    return target === undefined ? anything : plainSchema(target, around);
  }
  if (schema.const !== undefined) return { const: schema.const };
  if (schema.enum !== undefined) return { enum: schema.enum };
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return { anyOf: branches.map((branch) => plainSchema(branch, around)) };
  if (schema.allOf !== undefined) return plainSchema(mergeObjects(schema.allOf, around), around);
  if (Array.isArray(schema.type)) {
    return { anyOf: schema.type.map((type: string) => plainSchema({ ...schema, type }, around)) };
  }
  switch (schema.type) {
    case "object":
      return plainObject(schema, around);
    case "array":
      return plainArray(schema, around);
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { type: schema.type };
    default:
      return anything;
  }
}

/**
 * A value that may also be a reference. Text needs none: it may contain a template. Constants name what the tool does.
 */
function valueSchema(schema: JsonSchema, around: Around): JsonSchema {
  const plain = plainSchema(schema, around);
  const isFixed = plain.const !== undefined || plain.enum !== undefined || plain.type === "string";
  return isFixed || plain === anything ? plain : { anyOf: [plain, reference] };
}

function plainObject({ properties, required, additionalProperties }: JsonSchema, around: Around): JsonSchema {
  const isOpen = additionalProperties === true || typeof additionalProperties === "object";
  if (properties === undefined || (isOpen && Object.keys(properties).length === 0)) {
    const isMap = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
    return isMap
      ? { type: "object", additionalProperties: valueSchema(additionalProperties, around) }
      : { type: "object" };
  }
  const entries = Object.entries(properties).map(([key, schema]) => [key, valueSchema(schema, around)] as const);
  return object(Object.fromEntries(entries), required ?? []);
}

function plainArray(schema: JsonSchema, around: Around): JsonSchema {
  const { items, prefixItems, additionalItems, minItems, maxItems } = schema;
  const tuple = prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
  if (tuple !== undefined) {
    return plainTuple(tuple, { rest: prefixItems === undefined ? additionalItems : items, minItems, around });
  }
  return {
    type: "array",
    items: items === undefined ? anything : valueSchema(items as JsonSchema, around),
    ...(typeof minItems === "number" && { minItems }),
    ...(typeof maxItems === "number" && { maxItems }),
  };
}

interface TupleParts {
  /** The schema of further items, if any are allowed. */
  readonly rest: unknown;
  readonly minItems: unknown;
  readonly around: Around;
}

/** A list of any items of the tuple, in any order. */
function plainTuple(tuple: readonly JsonSchema[], { rest, minItems, around }: TupleParts): JsonSchema {
  const isOpen = typeof rest === "object" && rest !== null;
  const items = isOpen ? [...tuple, rest as JsonSchema] : tuple;
  return {
    type: "array",
    ...(items.length > 0 && { items: { anyOf: items.map((item) => valueSchema(item, around)) } }),
    ...(typeof minItems === "number" && { minItems }),
    ...(!isOpen && { maxItems: tuple.length }),
  };
}

/** Merges objects that must all match; allows anything if one of them is not an object. */
function mergeObjects(schemas: readonly JsonSchema[], { root }: Around): JsonSchema {
  const parts = schemas.map((schema) => (schema.$ref === undefined ? schema : resolvePointer(root, schema.$ref)));
  if (parts.some((part) => part?.type !== "object" || part.properties === undefined)) return anything;
  return {
    type: "object",
    properties: Object.fromEntries(parts.flatMap((part) => Object.entries(part?.properties ?? {}))),
    required: [...new Set(parts.flatMap((part) => part?.required ?? []))],
  };
}
