import { type JsonSchema, jsonTypeOf } from "../../core/json-schema.ts";
import { mergeParts } from "./merge-parts.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/*
 * Writes the schemas that constrain a model. Servers compile a schema to a grammar and know few keywords, some of which
 * they get wrong. All of them hold type, properties, required, enum, const, items, minItems, maxItems, anyOf and
 * additionalProperties. Texts and numbers are not bounded further: they are the user's words, and the plan is checked.
 */

/** How the server of a model takes a schema; see `LanguageModel.schemas`. */
export type SchemaDialect = "plain" | "strict" | "grammar";

const maxParts = 1_000;
const maxDepth = 30;

/** Writes the schema of one input. */
export class SchemaWriter {
  /** Whether nothing that was written is open. */
  isClosed = true;
  readonly definitions: Record<string, JsonSchema> = {};
  private readonly dialect: SchemaDialect;
  private readonly name: string;
  /** The names of definitions, by what they define. */
  private readonly names = new Map<JsonSchema, string>();
  /** The schemas that are being written. */
  private readonly open = new Set<JsonSchema>();
  /** How many parts may still be written: definitions that refer to each other would be repeated in every order. */
  private room = maxParts;

  constructor(
    private readonly root: JsonSchema,
    { dialect, name }: { readonly dialect: SchemaDialect; readonly name: string },
  ) {
    this.dialect = dialect;
    this.name = name;
  }

  /** The schema in the dialect. Never narrower, except for open keys. */
  write(schema: JsonSchema): JsonSchema {
    if (this.open.has(schema) || this.open.size > maxDepth || this.room-- <= 0) return this.onlyType(schema);
    this.open.add(schema);
    const written = this.writeParts(schema);
    this.open.delete(schema);
    return written;
  }

  /** What a reference within the schema leads to: elsewhere than in `plain`, a definition of its own. */
  private writeTarget(pointer: string): JsonSchema {
    const target = resolvePointer(this.root, pointer);
    if (target === undefined) return this.anything();
    if (this.dialect === "plain") return this.write(target);
    let name = this.names.get(target);
    if (name === undefined) {
      name = `${this.name}_${this.names.size + 1}`;
      this.names.set(target, name);
      this.definitions[name] = this.writeParts(target);
    }
    return { $ref: `#/$defs/${name}` };
  }

  private onlyType(schema: JsonSchema): JsonSchema {
    const target = schema.$ref === undefined ? schema : resolvePointer(this.root, schema.$ref);
    return target?.type === "object" ? this.anyObject() : this.anything();
  }

  private writeParts(given: JsonSchema): JsonSchema {
    if (given.$ref !== undefined) return this.writeTarget(given.$ref);
    const schema = mergeParts(this.root, given);
    if (schema.const !== undefined) return this.writeConstants([schema.const]);
    if (schema.enum !== undefined) return this.writeConstants(schema.enum);
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches !== undefined) return union(branches.map((branch) => this.write(branch)));
    if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => this.write({ ...schema, type })));
    return this.writeType(schema);
  }

  private writeConstants(values: readonly unknown[]): JsonSchema {
    // What an object or a list has is not said by its type, and no strict server takes it.
    if (values.some((value) => typeof value === "object" && value !== null)) this.isClosed = false;
    return constants(values);
  }

  private writeType(schema: JsonSchema): JsonSchema {
    switch (schema.type) {
      case "object":
        return this.writeObject(schema);
      case "array":
        return this.writeArray(schema);
      case "string":
      case "integer":
      case "number":
      case "boolean":
      case "null":
        return { type: schema.type };
      default:
        return this.anything();
    }
  }

  /** Any JSON: `{}` means an object to llama.cpp, and `items: {}` a list of objects. */
  private anything(): JsonSchema {
    this.isClosed = false;
    return { anyOf: ["string", "number", "boolean", "null", "object", "array"].map((type) => ({ type })) };
  }

  private anyObject(): JsonSchema {
    this.isClosed = false;
    return { type: "object" };
  }

  private writeObject({ properties, required = [], additionalProperties, propertyNames }: JsonSchema): JsonSchema {
    // llama.cpp takes a property of that name for a reference, and refuses the whole schema.
    if (properties !== undefined && Object.hasOwn(properties, "$ref")) return this.anyObject();
    const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const isClosed = additionalProperties === false || (properties !== undefined && additionalProperties === undefined);
    if (isClosed || Object.keys(properties ?? {}).length > 0) return this.writeProperties(properties ?? {}, required);
    const names = (propertyNames as JsonSchema | undefined)?.enum?.filter((name) => typeof name === "string");
    if (names !== undefined && names.length > 0 && !names.includes("$ref")) {
      return this.writeProperties(Object.fromEntries(names.map((name) => [name, others ?? {}])), required);
    }
    const isMap = others !== undefined && Object.keys(others).length > 0;
    const open = this.anyObject();
    return isMap ? { ...open, additionalProperties: this.write(others) } : open;
  }

  private writeProperties(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
    const isStrict = this.dialect === "strict";
    const unnamed = required.filter((key) => !Object.hasOwn(properties, key)).map((key) => [key, {}] as const);
    const entries = [...Object.entries(properties), ...unnamed].map(([key, schema]) => {
      const written = this.write(schema);
      if (!isStrict || required.includes(key)) return [key, written] as const;
      // Null could mean either that it is left out, or null itself.
      if (takes("null", written)) this.isClosed = false;
      return [key, orNull(written)] as const;
    });
    return {
      type: "object",
      properties: Object.fromEntries(entries),
      required: isStrict ? entries.map(([key]) => key) : required,
      additionalProperties: false,
    };
  }

  private writeArray(schema: JsonSchema): JsonSchema {
    const { items, prefixItems, minItems, maxItems } = schema;
    const bounds = {
      ...(typeof minItems === "number" && { minItems }),
      ...(typeof maxItems === "number" && { maxItems }),
    };
    // A list with a schema for each place is open: nobody asks a model for one.
    const item = Array.isArray(items) || prefixItems !== undefined ? undefined : items;
    if (item === undefined || Object.keys(item).length === 0) {
      this.isClosed = false;
      return { type: "array", ...bounds };
    }
    return { type: "array", items: this.write(item as JsonSchema), ...bounds };
  }
}

function constants(values: readonly unknown[]): JsonSchema {
  const types = new Set(values.map(jsonTypeOf));
  const [type] = types.size === 1 ? types : [];
  const held = values.length === 1 ? { const: values[0] } : { enum: values };
  return { ...(type !== undefined && { type }), ...held };
}

/** One of some schemas, of which each may itself be one of several. */
function union(schemas: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = schemas;
  if (first !== undefined && others.length === 0) return first;
  return { anyOf: schemas.flatMap((schema) => schema.anyOf ?? [schema]) };
}

function takes(type: string, { anyOf, ...schema }: JsonSchema): boolean {
  return anyOf?.some((branch) => takes(type, branch)) ?? (schema.type === type || schema.enum?.includes(null) === true);
}

/** A key that may be left out, where none may: null stands for that. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [...(schema.anyOf ?? [schema]), { type: "null" }] };
}
