import type { JsonSchema } from "../../../core/json-schema.ts";
import { mergeParts } from "./merge-parts.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/*
 * Writes a JSON Schema as a TypeScript type, which models read well and which is a third as long: every token of a
 * prompt costs time on a machine without a GPU.
 */

const maxDepth = 8;
const maxParts = 1_000;

/**
 * A schema as a type, its descriptions and bounds as comments. Objects of a union stand on a line each; fields that
 * several of them have are described once, below.
 */
export function describeSchema(schema: JsonSchema): string {
  return new TypeWriter(schema, { hasComments: true }).whole();
}

/** The type of an output, to which later steps refer: without comments, and each object once. */
export function describeOutput(schema: JsonSchema): string {
  return new TypeWriter(schema, { hasComments: false }).whole();
}

/** A field of an object of a union. */
interface Field {
  readonly key: string;
  readonly mark: "" | "?";
  readonly type: string;
}

class TypeWriter {
  private readonly hasComments: boolean;
  /** The definitions that are being written. */
  private readonly open: JsonSchema[];
  private depth = 0;
  /** How many parts may still be described: definitions that refer to each other would be repeated in every order. */
  private room = maxParts;

  constructor(
    private readonly root: JsonSchema,
    { hasComments }: { readonly hasComments: boolean },
  ) {
    this.hasComments = hasComments;
    this.open = [root];
  }

  whole(): string {
    const branches = this.root.anyOf ?? this.root.oneOf;
    if (branches === undefined || branches.length < 2) return this.describe(this.root);
    if (branches.every(({ type, properties }) => type === "object" && properties !== undefined)) {
      return this.hasComments ? this.unionOfObjects(branches) : this.unionOfOutputs(branches);
    }
    return branches.map((branch) => `\n    | ${this.describe(branch)}`).join("");
  }

  /** Objects of which some differ only in a constant are one, and fields that several have stand below. */
  private unionOfObjects(branches: readonly JsonSchema[]): string {
    const objects = mergeAlike(branches).map((branch) => this.fieldsOf(branch));
    const counts = new Map<string, number>();
    const nameOf = ({ key, type }: Field) => `${key}: ${type}`;
    for (const field of objects.flat()) counts.set(nameOf(field), (counts.get(nameOf(field)) ?? 0) + 1);
    // Of one key only one type can stand below: the one that occurs most.
    const shared = new Map<string, string>();
    for (const [text, count] of [...counts].sort(([, left], [, right]) => right - left)) {
      const key = text.slice(0, text.indexOf(": "));
      if (count > 1 && !shared.has(key)) shared.set(key, text);
    }
    const lines = objects.map((fields) => {
      const written = fields.map((field) =>
        shared.get(field.key) === nameOf(field)
          ? `${field.key}${field.mark}`
          : `${field.key}${field.mark}: ${field.type}`,
      );
      return `\n    | { ${written.join(", ")} }`;
    });
    const below = shared.size > 0 ? [`\n    where ${[...shared.values()].join(", ")}`] : [];
    return [...lines, ...below].join("");
  }

  /** An object that is repeated within the others has a name. */
  private unionOfOutputs(branches: readonly JsonSchema[]): string {
    const texts = branches.map((branch) => this.typeOf(branch));
    const [first = ""] = texts;
    const isRepeated = first.length > 40 && texts.slice(1).some((text) => text.includes(first));
    const written = isRepeated ? ["T", ...texts.slice(1).map((text) => text.replaceAll(first, "T"))] : texts;
    const lines = written.map((text, index) => {
      const { description } = branches[index] ?? {};
      return `\n    | ${text}${typeof description === "string" ? ` /* ${comment(description)} */` : ""}`;
    });
    return lines.join("") + (isRepeated ? `\n    where T = ${first}` : "");
  }

  private describe(schema: JsonSchema): string {
    const type = this.typeOf(schema);
    const usual = this.hasComments && schema.default !== undefined ? ` = ${JSON.stringify(schema.default)}` : "";
    const notes = this.hasComments ? notesOf(schema) : "";
    return `${type}${usual}${notes === "" ? "" : ` /* ${notes} */`}`;
  }

  private typeOf(schema: JsonSchema): string {
    if (this.depth >= maxDepth || this.room-- <= 0) return "unknown";
    this.depth++;
    const text = this.typeText(schema);
    this.depth--;
    return text;
  }

  private typeText(given: JsonSchema): string {
    if (given.$ref !== undefined) return this.definitionText(given.$ref);
    const schema = mergeParts(this.root, given);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches !== undefined) return branches.map((branch) => this.describe(branch)).join(" | ");
    if (schema.allOf !== undefined) return schema.allOf.map((part) => this.describe(part)).join(" & ");
    if (Array.isArray(schema.type))
      return schema.type.map((type: string) => this.typeText({ ...schema, type })).join(" | ");
    if (schema.type === "object") return this.objectText(schema);
    if (schema.type === "array") return this.arrayText(schema);
    return typeof schema.type === "string" ? schema.type : "unknown";
  }

  private fieldsOf({ properties = {}, required = [] }: JsonSchema): readonly Field[] {
    return Object.entries(properties).map(([key, schema]) => ({
      key: plainKey.test(key) ? key : JSON.stringify(key),
      mark: required.includes(key) ? "" : "?",
      type: this.describe(schema),
    }));
  }

  private objectText(schema: JsonSchema): string {
    const { additionalProperties: others, propertyNames } = schema;
    const fields = this.fieldsOf(schema).map(({ key, mark, type }) => `${key}${mark}: ${type}`);
    if (typeof others === "object") {
      const names = (propertyNames as JsonSchema | undefined)?.enum?.map((name) => JSON.stringify(name)).join(" | ");
      fields.push(`[name: ${names ?? "string"}]: ${this.describe(others)}`);
    }
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }

  private arrayText({ items, prefixItems }: JsonSchema): string {
    const tuple = prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
    if (tuple !== undefined) return `[${tuple.map((item) => this.describe(item)).join(", ")}]`;
    const item = items === undefined ? "unknown" : this.describe(items as JsonSchema);
    return /^(?:\w+|"[^"]*"|\{[^{}]*\})$/.test(item) ? `${item}[]` : `(${item})[]`;
  }

  /** A separate definition, once: a recursive type would be written again and again. */
  private definitionText(pointer: string): string {
    const target = resolvePointer(this.root, pointer);
    if (target === undefined) return "unknown";
    if (this.open.includes(target)) return "unknown /* the same again */";
    this.open.push(target);
    const text = this.describe(target);
    this.open.pop();
    return text;
  }
}

const plainKey = /^[A-Za-z_]\w*$/;

/** Objects that have all but one constant in common, as one with all its values. */
function mergeAlike(branches: readonly JsonSchema[]): readonly JsonSchema[] {
  const merged = new Map<string, { branch: JsonSchema; key: string; values: unknown[] }>();
  for (const branch of branches) {
    const { properties = {}, ...rest } = branch;
    const constants = Object.entries(properties).filter(([, { const: constant }]) => constant !== undefined);
    const [key = ""] = constants.length === 1 ? (constants[0] ?? []) : [];
    const { [key]: constant, ...others } = properties;
    const text = JSON.stringify([rest, key, others, key === "" ? merged.size : null]);
    const known = merged.get(text);
    if (known === undefined) merged.set(text, { branch, key, values: [constant?.const] });
    else known.values.push(constant?.const);
  }
  return [...merged.values()].map(({ branch, key, values }) =>
    values.length === 1 ? branch : { ...branch, properties: { ...branch.properties, [key]: { enum: values } } },
  );
}

/** What a model would not guess. Bounds that hardly matter are left out. */
function notesOf(schema: JsonSchema): string {
  const notes: string[] = [];
  if (typeof schema.description === "string") notes.push(schema.description);
  if (typeof schema.format === "string") notes.push(schema.format);
  if (schema.uniqueItems === true) notes.push("all different");
  if (typeof schema.pattern === "string" && schema.format === undefined) notes.push(`matches ${schema.pattern}`);
  notes.push(...rarer.flatMap(([keyword, note]) => (schema[keyword] === undefined ? [] : note(schema[keyword]))));
  const isTuple = schema.prefixItems !== undefined || Array.isArray(schema.items);
  for (const [low, high, unit] of ranges) notes.push(...(isTuple ? [] : rangeOf(schema, low, high, unit)));
  for (const [keyword, name] of limits) if (isShown(schema[keyword])) notes.push(`${name} ${schema[keyword]}`);
  return comment(notes.join(", "));
}

function rangeOf(schema: JsonSchema, low: string, high: string, unit: string): readonly string[] {
  const [from, to] = [low, high].map((keyword) => (isShown(schema[keyword]) ? schema[keyword] : undefined));
  if (from !== undefined && from === to) return [`${unit === "" ? "only " : ""}${from}${unit}`];
  // Nobody misses a least length of one, or a greatest of thousands.
  const isPlain = (least: number) => unit !== "" && least <= (low === "minProperties" ? 0 : 1);
  const least = from === undefined || isPlain(from) ? undefined : from;
  const most = to === undefined || (unit !== "" && to >= maxPlainLength) ? undefined : to;
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

/** Whether a bound is one that a plan might pass by accident. */
function isShown(bound: unknown): bound is number {
  return typeof bound === "number" && Math.abs(bound) < 10_000_000;
}

/** Nobody writes longer texts into a plan by accident. */
const maxPlainLength = 500;

function comment(text: string): string {
  return text.replaceAll("*/", "* /").replace(/\s+/g, " ");
}

const maxNoteLength = 300;

/** Keywords that no type expresses, as the JSON that models know. */
const rarer = (["not", "if", "then", "else", "patternProperties", "dependentRequired", "contains"] as const).map(
  (keyword) => [keyword, (value: unknown) => `${keyword} ${JSON.stringify(value)}`.slice(0, maxNoteLength)] as const,
);

const ranges = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
  ["minProperties", "maxProperties", " keys"],
] as const;

const limits = [
  ["exclusiveMinimum", "more than"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
] as const;
