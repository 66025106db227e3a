import type { JsonSchema } from "../../../core/json-schema.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/*
 * Writes a JSON Schema as a TypeScript type, which models read well and which is a third as long: every token of a
 * prompt costs time on a machine without a GPU.
 */

const maxDepth = 8;
const maxParts = 1_000;

/** A schema as a type, its descriptions and bounds as comments. On one line, or one for each branch of a union. */
export function describeSchema(schema: JsonSchema): string {
  const around = { root: schema, depth: 0, open: [schema], room: { left: maxParts } };
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined || branches.length < 2) return describe(schema, around);
  return branches.map((branch) => `\n    | ${describe(branch, around)}`).join("");
}

interface Around {
  readonly root: JsonSchema;
  readonly depth: number;
  /** The enclosing schemas. */
  readonly open: readonly JsonSchema[];
  /** How many parts may still be described: definitions that refer to each other would be repeated in every order. */
  readonly room: { left: number };
}

function describe(schema: JsonSchema, around: Around): string {
  const type = typeText(schema, { ...around, depth: around.depth + 1 });
  const notes = notesOf(schema);
  return notes === "" ? type : `${type} /* ${notes} */`;
}

function typeText(schema: JsonSchema, around: Around): string {
  if (around.depth > maxDepth || around.room.left-- <= 0) return "unknown";
  if (schema.$ref !== undefined) return definitionText(schema.$ref, around);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return branches.map((branch) => describe(branch, around)).join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map((part) => describe(part, around)).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  switch (schema.type) {
    case "object":
      return objectText(schema, around);
    case "array":
      return arrayText(schema, around);
    default:
      return typeof schema.type === "string" ? schema.type : "unknown";
  }
}

function objectText({ properties, required = [], additionalProperties }: JsonSchema, around: Around): string {
  const fields = Object.entries(properties ?? {}).map(([key, schema]) => {
    return `${JSON.stringify(key)}${required.includes(key) ? "" : "?"}: ${describe(schema, around)}`;
  });
  if (typeof additionalProperties === "object")
    fields.push(`[name: string]: ${describe(additionalProperties, around)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function arrayText({ items, prefixItems }: JsonSchema, around: Around): string {
  const tuple = prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
  if (tuple !== undefined) return `[${tuple.map((item) => describe(item, around)).join(", ")}]`;
  const item = items === undefined ? "unknown" : describe(items as JsonSchema, around);
  return /^[\w"]+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

/** A separate definition, once: a recursive type would be written again and again. */
function definitionText(pointer: string, around: Around): string {
  const target = resolvePointer(around.root, pointer);
  if (target === undefined) return "unknown";
  if (around.open.includes(target)) return "unknown /* the same again */";
  return describe(target, { ...around, open: [...around.open, target] });
}

/** What a model would not guess. The bounds of zod's safe integers are left out. */
function notesOf(schema: JsonSchema): string {
  const notes: string[] = [];
  if (typeof schema.description === "string") notes.push(schema.description);
  if (typeof schema.format === "string") notes.push(schema.format);
  if (typeof schema.pattern === "string" && schema.format === undefined) notes.push(`matches ${schema.pattern}`);
  for (const [keyword, name] of bounds) {
    const bound = schema[keyword];
    if (typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER) notes.push(`${name} ${bound}`);
  }
  if (schema.default !== undefined) notes.push(`default ${JSON.stringify(schema.default)}`);
  return notes.join(", ").replaceAll("*/", "* /").replace(/\s+/g, " ");
}

const bounds = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
] as const;
