import type { JsonSchema } from "../../core/json-schema.ts";
import { choicesOf, type SlotType } from "../rules/slots.ts";
import type { Operation } from "./operations.ts";
import { unclear } from "./prompt.ts";
import { orNull, type SchemaDialect, SchemaWriter } from "./schema-writer.ts";

/** The schema of an answer. */
export interface AnswerSchema {
  readonly schema: JsonSchema;
  /** True if a server can hold all of it strictly. */
  readonly isStrict: boolean;
}

interface SchemaOptions {
  readonly dialect: SchemaDialect;
  readonly maxCalls: number;
  /** The names of the results of earlier steps: `$1`, `$1.key`. */
  readonly results: readonly string[];
  /** The only texts that are copied, for a server that holds a grammar of its own for each request. @default any */
  readonly spans?: readonly string[] | undefined;
  readonly expressions: boolean;
}

/** More than servers take in a strict schema. */
const maxStrictLength = 40_000;

/**
 * The schema that holds an answer: a list of calls, each of one of the operations with its slots in their order, or
 * `unclear`. In a dialect that cannot hold all of it, a plain one.
 */
export function answerSchema(operations: readonly Operation[], options: SchemaOptions): AnswerSchema {
  const written = writeSchema(operations, options);
  if (options.dialect !== "strict") return { schema: written.schema, isStrict: false };
  const isHeld = written.isClosed && JSON.stringify(written.schema).length <= maxStrictLength;
  if (isHeld) return { schema: written.schema, isStrict: true };
  return { schema: writeSchema(operations, { ...options, dialect: "plain" }).schema, isStrict: false };
}

function writeSchema(operations: readonly Operation[], options: SchemaOptions) {
  let isClosed = true;
  const isStrict = options.dialect === "strict";
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
      add(slot.key, schema, slot.isRequired);
    }
    return closedObject(Object.fromEntries(properties), required);
  });
  const items = [...calls, closedObject({ do: constant(unclear) }, ["do"])];
  const steps = { type: "array", items: { anyOf: items }, minItems: 1, maxItems: options.maxCalls };
  return { isClosed, schema: closedObject({ steps }, ["steps"]) };
}

const text: JsonSchema = { type: "string" };

function constant(value: string): JsonSchema {
  return { type: "string", const: value };
}

/** Times are written in words, sums in signs; what is not text may be an earlier result in place of a value. */
function schemaOf(type: SlotType, { results, spans, dialect }: SchemaOptions, isComposed: boolean): JsonSchema {
  const copied = spans === undefined || isComposed ? text : { ...text, enum: [...spans, ...results] };
  const orEarlier = (schema: JsonSchema): JsonSchema =>
    results.length > 0 ? { anyOf: [schema, { ...text, enum: results }] } : schema;
  switch (type.kind) {
    case "enum": {
      const values = choicesOf(type);
      const kinds = new Set(values.map((value) => typeof value));
      return { ...(kinds.size === 1 && { type: [...kinds][0] }), enum: [...values] };
    }
    case "number":
      return orEarlier({ type: "number" });
    case "boolean":
      return { type: "boolean" };
    case "list":
      return { type: "array", items: type.item === "number" ? orEarlier({ type: "number" }) : copied };
    case "sum":
      return dialect === "grammar" ? { ...text, pattern: sumPattern } : text;
    default:
      return copied;
  }
}

/** Numbers, signs and functions: words would be none, and a small model may write digits without end. */
const sumPattern = "^(sqrt|cbrt|abs|round|floor|ceil|[0-9+*/^%(). ,$-]){1,60}$";

function closedObject(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
