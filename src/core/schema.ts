import { globalRegistry, toJSONSchema } from "zod/v4/core";
import { isPlainObject, type JsonPath } from "./json.ts";
import type { JsonSchema } from "./json-schema.ts";
import { sensitivePaths } from "./sensitive-paths.ts";
import { describeThrown } from "./text.ts";

/**
 * A schema of any library that implements [Standard Schema](https://standardschema.dev), version 1, as zod does from
 * 3.24 on. The schema of a tool must also implement [Standard JSON Schema](https://standardschema.dev/json-schema),
 * unless it is a schema of zod. @group Tools
 */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Parses a value; returns a promise if the schema has async refinements. */
    readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>;
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined;
    /** Each function throws for a type that JSON Schema cannot express. */
    readonly jsonSchema?:
      | {
          /** Returns the JSON Schema of accepted values. */
          readonly input: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>>;
          /** Returns the JSON Schema of parsed values. */
          readonly output: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>>;
        }
      | undefined;
  };
}

type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Type accepted by a schema. @group Tools */
export type InferSchemaInput<TSchema extends StandardSchema> = NonNullable<TSchema["~standard"]["types"]>["input"];

/** Type of the values parsed by a schema. @group Tools */
export type InferSchemaOutput<TSchema extends StandardSchema> = NonNullable<TSchema["~standard"]["types"]>["output"];

/** One issue of a value, and its path. @inline */
export interface SchemaIssue {
  readonly path: JsonPath;
  readonly message: string;
}

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[]; readonly raw: readonly unknown[] };

/** Synchronous unless the schema has async refinements. Never throws or rejects. */
export function parseWith<T>(
  schema: StandardSchema<unknown, T>,
  value: unknown,
): ParseResult<T> | Promise<ParseResult<T>> {
  try {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(toParseResult).catch(failedToParse) : toParseResult(result);
  } catch (thrown) {
    return failedToParse(thrown);
  }
}

function toParseResult<T>(result: StandardResult<T>): ParseResult<T> {
  if (result?.issues !== undefined) return { ok: false, issues: result.issues.map(toSchemaIssue), raw: result.issues };
  if (Object.hasOwn(Object(result), "value")) return { ok: true, value: result.value };
  throw new TypeError(`validate must return { value } or { issues }, but returned ${typeof result}`);
}

function toSchemaIssue({ message, path = [] }: StandardIssue): SchemaIssue {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  return { path: keys.map((key) => (typeof key === "number" ? key : String(key))), message: String(message) };
}

function failedToParse(thrown: unknown): ParseResult<never> {
  return { ok: false, issues: [{ path: [], message: `the schema threw: ${describeThrown(thrown)}` }], raw: [] };
}

export function zodVersionOf(schema: unknown): 3 | 4 | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if ("_zod" in schema) return 4;
  return "_def" in schema && "~standard" in schema ? 3 : undefined;
}

export function expectedSchema(value: unknown): string {
  if (Object.prototype.toString.call(value) === "[object Object]" && !("~standard" in (value as object))) {
    const parts = Object.values(value as object);
    if (parts.length === 0 || parts.some(isSchema)) return "a schema: wrap its fields in z.object({ … })";
    if (Object.getPrototypeOf(value) === Object.prototype)
      return "a schema: wrap it in jsonSchema({ … }) from planwright/schemas";
  }
  return "a schema of zod 4 or zod 3 (3.25.28 or later), jsonSchema({ … }) from planwright/schemas, or a Standard Schema that provides its JSON Schema (ArkType; valibot with toStandardJsonSchema from @valibot/to-json-schema; Effect with Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(…)))";
}

export function isSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  if (zodVersionOf(value) !== undefined) return true;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard?.validate === "function" && typeof standard.jsonSchema?.input === "function";
}

const made = { input: new WeakMap<StandardSchema, JsonSchema>(), output: new WeakMap<StandardSchema, JsonSchema>() };

type ConvertZod3 = (schema: StandardSchema, io: "input" | "output") => Promise<JsonSchema>;

let convertZod3: ConvertZod3 | undefined;

export function convertZod3With(convert: ConvertZod3): void {
  convertZod3 = convert;
}

/** Throws, or rejects for zod 3, if JSON Schema cannot express an input. An output is then `{}`, wholly or in part. */
export function toJsonSchema(schema: StandardSchema, io: "input" | "output"): JsonSchema | Promise<JsonSchema> {
  const known = made[io].get(schema);
  if (known !== undefined) return known;
  // Throws if a library returns something other than JSON, such as a cycle.
  const keep = (told: JsonSchema) => {
    const json: JsonSchema = JSON.parse(JSON.stringify(told));
    if (!isPlainObject(json)) throw new TypeError(`its JSON Schema is ${JSON.stringify(json)}, not an object`);
    made[io].set(schema, json);
    return json;
  };
  if (zodVersionOf(schema) === 3) {
    if (convertZod3 === undefined) throw new TypeError("schemas of zod 3 cannot be converted here");
    const json = convertZod3(schema, io);
    return (io === "input" ? json : json.catch(() => ({}))).then(keep);
  }
  try {
    return keep(convert(schema, io));
  } catch (thrown) {
    if (io === "input") throw thrown;
    return keep({});
  }
}

function convert(schema: StandardSchema, io: "input" | "output"): JsonSchema {
  if (zodVersionOf(schema) === 4) return convertZod4(schema as unknown as Zod4Schema, io);
  return (schema["~standard"].jsonSchema?.[io]({ target: "draft-2020-12" }) ?? {}) as JsonSchema;
}

function convertZod4(schema: Zod4Schema, io: "input" | "output"): JsonSchema {
  const unfit = new Set<unknown>();
  const converted = new Set<unknown>();
  const convert = (unrepresentable: "throw" | "any") =>
    toJSONSchema(schema, {
      io,
      unrepresentable,
      override: ({ zodSchema, jsonSchema }) => {
        const { def } = zodSchema._zod;
        if (notJson.has(def.type)) unfit.add(zodSchema);
        if (def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
        if (io === "input" && takesAnything(def)) {
          converted.add(zodSchema).add((def as Zod4Definition).out);
          openUp(jsonSchema);
        }
        if (metadataOf(zodSchema as unknown as MarkedSchema)?.sensitive === true || hidesMark(def, io))
          jsonSchema.sensitive = true;
        if (isComposed(zodSchema)) jsonSchema.composed = true;
      },
    }) as JsonSchema;
  if (io === "output") return convert("any");
  try {
    return convert("throw");
  } catch (thrown) {
    // zod throws even for a Date or a BigInt that is converted from something else.
    const lenient = convert("any");
    if (unfit.size === 0 || [...unfit].some((part) => !converted.has(part))) throw thrown;
    return lenient;
  }
}

function openUp(jsonSchema: Record<string, unknown>): void {
  const isSensitive = sensitivePaths(jsonSchema).length > 0;
  for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
  if (isSensitive) jsonSchema.sensitive = true;
}

type Zod4Schema = Parameters<typeof toJSONSchema>[0] & { _zod: unknown };

const notJson: ReadonlySet<string> = new Set(
  "date bigint symbol undefined void map set nan function custom file promise".split(" "),
);

/** True if a schema of zod 4 accepts anything and converts it: zod reports only the resulting type. */
function takesAnything(definition: object): boolean {
  const { type, coerce, in: input } = definition as Zod4Definition;
  return coerce === true || type === "catch" || (type === "pipe" && input?._zod.def.type === "transform");
}

/** True if a part that a JSON Schema leaves out, such as a side of a pipe, is sensitive. */
function hidesMark(definition: object, io: "input" | "output"): boolean {
  const { type, in: input, out, checks = [] } = definition as Zod4Definition;
  const isWhole = type === "template_literal" || type === "success";
  const left = isWhole ? definition : [type === "pipe" && (io === "input" ? out : input), checks];
  return hasSensitivePart(left, new Set());
}

function isComposed(schema: unknown): boolean {
  const definition = (schema as { readonly _zod?: { readonly def: Readonly<Record<string, unknown>> } } | undefined)
    ?._zod?.def;
  if (definition === undefined) return false;
  const { innerType, in: input, out } = definition;
  return metadataOf(schema as MarkedSchema)?.composed === true || [innerType, input, out].some(isComposed);
}

const zod4Parts =
  "shape element items rest options left right keyType valueType catchall innerType in out parts schema".split(" ");

function hasSensitivePart(part: unknown, seen: Set<object>): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  const definition = (part as { readonly _zod?: { readonly def: Readonly<Record<string, unknown>> } })._zod?.def;
  if (definition === undefined) return Object.values(part).some((item) => hasSensitivePart(item, seen));
  const { sensitive, writeOnly } = metadataOf(part as MarkedSchema) ?? {};
  if (sensitive === true || writeOnly === true) return true;
  const { getter } = definition;
  if (typeof getter === "function" && hasSensitivePart(getter(), seen)) return true;
  return zod4Parts.some((key) => hasSensitivePart(definition[key], seen));
}

interface Zod4Definition {
  readonly type?: string;
  readonly coerce?: boolean;
  readonly in?: { readonly _zod: { readonly def: Zod4Definition } };
  readonly out?: unknown;
  readonly checks?: readonly unknown[];
}

export type SchemaMark = "sensitive" | "composed";

interface MarkedSchema {
  meta?(): Metadata | undefined;
  meta?(data: object): unknown;
  clone(): object;
}

type Metadata = Readonly<Record<string, unknown>>;
type Registered = Parameters<typeof globalRegistry.add>[0];

export function markZod4<TSchema>(schema: TSchema, mark: SchemaMark): TSchema {
  const zod = schema as unknown as MarkedSchema;
  const metadata = { ...metadataOf(zod), [mark]: true };
  if (zod.meta !== undefined) return zod.meta(metadata) as TSchema;
  const copy = zod.clone();
  globalRegistry.add(copy as Registered, metadata);
  return copy as TSchema;
}

/** Another copy of zod has its own registry, which only its schemas know. */
function metadataOf(schema: MarkedSchema): Metadata | undefined {
  return schema.meta === undefined ? globalRegistry.get(schema as unknown as Registered) : schema.meta();
}
