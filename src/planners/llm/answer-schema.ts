import { branchesOf, type JsonSchema, jsonTypeOf } from "../../core/json-schema.ts";
import type { ThreadThing } from "../../core/planner.ts";
import { readAnaphor } from "../../english/word-classes.ts";
import { type RequestText, textBetween } from "../rules/request.ts";
import { choicesOf, type SlotType } from "../rules/slots.ts";
import type { Operation } from "./operations.ts";
import { unclear } from "./prompt.ts";
import { takesThing } from "./read-calls.ts";

interface SchemaOptions {
  readonly dialect: SchemaDialect;
  readonly maxCalls: number;
  readonly results: readonly string[];
  readonly spans?: string | undefined;
  readonly expressions: boolean;
  readonly things?: readonly ThreadThing[] | undefined;
}

/** Some servers reject longer strict schemas. */
const maxStrictLength = 40_000;

export function answerSchema(operations: readonly Operation[], options: SchemaOptions) {
  const { schema, isClosed } = writeSchema(operations, options);
  if (options.dialect !== "strict") return { schema, isStrict: false };
  if (isClosed && JSON.stringify(schema).length <= maxStrictLength) return { schema, isStrict: true };
  return { schema: writeSchema(operations, { ...options, dialect: "plain" }).schema, isStrict: false };
}

function writeSchema(operations: readonly Operation[], options: SchemaOptions) {
  let isClosed = true;
  const isStrict = options.dialect === "strict";
  const { things = [] } = options;
  const calls = operations.map(({ name, slots, rules }) => {
    const properties: [string, JsonSchema][] = [["do", constant(name)]];
    const required = ["do"];
    const add = (key: string, schema: JsonSchema, isRequired: boolean) => {
      properties.push([key, isStrict && !isRequired ? orNull(schema) : schema]);
      if (isStrict || isRequired) required.push(key);
    };
    if (options.expressions) add("if", text, false);
    if (options.expressions) add("each", text, false);
    for (const slot of slots) {
      const writer = new SchemaWriter(rules.schemas.input, options.dialect);
      const schema =
        slot.schema === undefined ? schemaOf(slot.type, options, slot.isComposed) : writer.write(slot.schema);
      isClosed &&= writer.isClosed;
      const place = { tool: rules.tool.name, name: slot.name };
      const signs = things.flatMap((thing, at) => (takesThing(thing, place) ? [`@${at + 1}`] : []));
      add(slot.key, orOneOf(schema, signs), slot.isRequired);
    }
    return closedObject(Object.fromEntries(properties), required);
  });
  const items = [...calls, closedObject({ do: constant(unclear) }, ["do"])];
  const steps = { type: "array", items: { anyOf: items }, minItems: 1, maxItems: options.maxCalls };
  const $defs = options.spans === undefined ? {} : { $defs: { words: { ...text, pattern: options.spans } } };
  return { isClosed, schema: { ...closedObject({ steps }, ["steps"]), ...$defs } };
}

const text: JsonSchema = { type: "string" };

function constant(value: string): JsonSchema {
  return { ...text, const: value };
}

function orOneOf(schema: JsonSchema, texts: readonly string[]): JsonSchema {
  return texts.length > 0 ? union([schema, { ...text, enum: texts }]) : schema;
}

function schemaOf(type: SlotType, { results, spans, dialect }: SchemaOptions, isComposed: boolean): JsonSchema {
  const copied = spans === undefined || isComposed ? text : { $ref: "#/$defs/words" };
  switch (type.kind) {
    case "enum": {
      const values = choicesOf(type);
      const kinds = new Set(values.map((value) => typeof value));
      return { ...(kinds.size === 1 && { type: [...kinds][0] }), enum: [...values] };
    }
    case "number":
      return orOneOf({ type: "number" }, results);
    case "boolean":
      return { type: "boolean" };
    case "list":
      return { type: "array", items: type.item === "number" ? orOneOf({ type: "number" }, results) : copied };
    case "sum":
      return dialect === "grammar" ? { ...text, pattern: sumPattern } : text;
    default:
      return copied;
  }
}

const maxSpanTokens = 60;
const punctuation = /^[,;:.!?•]$/;

/** Nests runs of words: listed as alternatives, they would make the grammar several times slower. */
export function spanPattern(request: RequestText, results: readonly string[]): string | undefined {
  const { text, tokens, words } = request;
  if (tokens.length > maxSpanTokens || tokens.length === 0) return undefined;
  const isPunctuation = (at: number) => punctuation.test(tokens[at]?.norm ?? ".");
  const isBoundary = (at: number) => tokens[at]?.glued !== true || isPunctuation(at) || isPunctuation(at - 1);
  const ends = [...tokens.keys()].map((at) => at + 1).filter((end) => !isPunctuation(end - 1) && isBoundary(end));
  const named = results.map(inGrammar);
  const spans = [...tokens.flatMap(({ kind, norm }) => (kind === "quote" ? [inGrammar(norm)] : [])), ...named];
  const rests = new Map<number, string>();
  for (let at = tokens.length - 1; at >= 0; at--) {
    const pointed = results.length === 0 ? undefined : readAnaphor(words, at);
    const pointer = ends.find((each) => each === pointed);
    const end = pointer ?? ends.find((each) => each > at);
    if (end === undefined) continue;
    const said = inGrammar(textBetween(request, at, end));
    const run = `${pointer === undefined ? said : `(${[said, ...named].join("|")})`}${rests.get(end) ?? ""}`;
    rests.set(at, `(${inGrammar(text.slice(tokens[at - 1]?.end ?? 0, tokens[at]?.start))}${run})?`);
    if (!isPunctuation(at) && isBoundary(at)) spans.push(run);
  }
  return `^(${spans.join("|")})$`;
}

function inGrammar(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

const sumPattern = "^(sqrt|cbrt|abs|round|floor|ceil|[0-9+*/^%(). ,$-]){1,60}$";

function closedObject(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

// Only these keywords work on all servers: type, properties, required, enum, const, items, minItems, maxItems, anyOf
// and additionalProperties.

export type SchemaDialect = "plain" | "strict" | "grammar";

const plainTypes: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean", "null"]);
const maxParts = 1_000;
const maxDepth = 20;

export class SchemaWriter {
  isClosed = true;
  readonly #open = new Set<JsonSchema>();
  #room = maxParts;

  constructor(
    private readonly root: JsonSchema,
    private readonly dialect: SchemaDialect,
  ) {}

  write(schema: JsonSchema): JsonSchema {
    if (this.#open.has(schema) || this.#open.size > maxDepth || this.#room-- <= 0) return this.#anything();
    this.#open.add(schema);
    const written = union(branchesOf(this.root, schema).map((branch) => this.#writeBranch(branch)));
    this.#open.delete(schema);
    return written;
  }

  #writeBranch(schema: JsonSchema): JsonSchema {
    const { type, const: constant, enum: values } = schema;
    if (constant !== undefined) return this.#writeConstants([constant]);
    if (values !== undefined) return this.#writeConstants(values);
    if (Array.isArray(type)) return union(type.map((each: string) => this.#writeBranch({ ...schema, type: each })));
    if (plainTypes.has(type)) return { type: type as string };
    const kind = type ?? (schema.properties && "object");
    if (kind === "object") return this.#writeObject(schema);
    return kind === "array" ? this.#writeArray(schema) : this.#anything();
  }

  #writeConstants(values: readonly unknown[]): JsonSchema {
    // No strict server accepts a constant object or list.
    if (values.some((value) => typeof value === "object" && value !== null)) this.isClosed = false;
    const [type, other] = new Set(values.map(jsonTypeOf));
    const held = values.length === 1 ? { const: values[0] } : { enum: values };
    return { ...(type !== undefined && other === undefined && { type }), ...held };
  }

  /** llama.cpp reads `{}` as an object, and `items: {}` as a list of objects. */
  #anything(): JsonSchema {
    this.isClosed = false;
    return { anyOf: ["string", "number", "boolean", "null", "object", "array"].map((type) => ({ type })) };
  }

  #writeObject({ properties = {}, required = [], additionalProperties: others }: JsonSchema): JsonSchema {
    const ofOthers = typeof others === "object" ? others : {};
    const unnamed = required.filter((key) => !Object.hasOwn(properties, key)).map((key) => [key, ofOthers] as const);
    const all = [...Object.entries(properties), ...unnamed];
    // llama.cpp takes a property named $ref for a reference and rejects the whole schema.
    if ((all.length === 0 && others !== false) || all.some(([key]) => key === "$ref")) {
      this.isClosed = false;
      const isMap = Object.keys(ofOthers).length > 0;
      return { type: "object", ...(isMap && { additionalProperties: this.write(ofOthers) }) };
    }
    const isStrict = this.dialect === "strict";
    const entries = all.map(([key, schema]) => {
      const written = this.write(schema);
      if (!isStrict || required.includes(key)) return [key, written] as const;
      if (takesNull(written)) this.isClosed = false;
      return [key, orNull(written)] as const;
    });
    const names = isStrict ? entries.map(([key]) => key) : required;
    return { type: "object", properties: Object.fromEntries(entries), required: names, additionalProperties: false };
  }

  #writeArray({ items, prefixItems, minItems, maxItems }: JsonSchema): JsonSchema {
    const bounds = {
      ...(typeof minItems === "number" && { minItems }),
      ...(typeof maxItems === "number" && { maxItems }),
    };
    const item = prefixItems === undefined && !Array.isArray(items) ? (items as JsonSchema | undefined) : undefined;
    if (item !== undefined && Object.keys(item).length > 0)
      return { type: "array", items: this.write(item), ...bounds };
    this.isClosed = false;
    return { type: "array", ...bounds };
  }
}

function union(schemas: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = schemas;
  if (first !== undefined && others.length === 0) return first;
  return { anyOf: schemas.flatMap((schema) => schema.anyOf ?? [schema]) };
}

function takesNull({ anyOf, type, enum: values }: JsonSchema): boolean {
  return anyOf?.some(takesNull) ?? (type === "null" || values?.includes(null) === true);
}

function orNull(schema: JsonSchema): JsonSchema {
  return union([schema, { type: "null" }]);
}
