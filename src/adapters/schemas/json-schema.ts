import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { JsonSchema } from "../../core/json-schema.ts";
import { failOption } from "../../core/options.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { copySchema } from "./check-schema.ts";
import { toIssues } from "./to-issues.ts";

/** A JSON Schema as a schema of a tool. @group Tools */
export interface JsonSchemaOf<T> extends StandardSchema<T, T> {
  /** A copy of the schema that was given. */
  readonly schema: JsonSchema;
}

/**
 * A JSON Schema as the `inputSchema` or `outputSchema` of a tool: draft 2020-12, or what its `$schema` names (2019-09, 7,
 * 4). A value is checked and not changed: there are no defaults. The keywords `sensitive` and `composed` mark a field, as do the functions of these names.
 *
 * The type is inferred from a schema that is written in place; give it for any other: `jsonSchema<Order>(orderSchema)`.
 *
 * Throws `invalid-options`, with the path, for a misspelled type or keyword, a keyword with a value that it cannot have, a
 * pattern that is not ECMAScript's, a format that cannot be checked, a `$ref` that leads nowhere, outside or back to itself,
 * and for keywords of other drafts that would have no effect.
 *
 * {@includeCode ../../../examples/25-schemas.ts}
 * @see https://json-schema.org/draft/2020-12
 * @group Tools
 */
export function jsonSchema<const TSchema extends object, TValue extends FromJsonSchema<TSchema>>(
  schema: TSchema,
): JsonSchemaOf<TValue>;
// The first one, with two type parameters, is not meant where one is given.
export function jsonSchema<TValue>(schema: object): JsonSchemaOf<TValue>;
export function jsonSchema(schema: object): JsonSchemaOf<unknown> {
  const draft = getDraft(Object(schema));
  const copy = copySchema(schema, "schema", { isDraft4: draft === "4" });
  // The validator adds to what it is given.
  const root = structuredClone(copy) as Schema;
  const parts: Parts = { root, draft, lookup: dereference(root) };
  checkReferences(parts.lookup);
  const hasUnique = JSON.stringify(copy).includes('"uniqueItems"');
  const tell = () => structuredClone(copy);
  return {
    schema: tell(),
    "~standard": {
      version: 1,
      vendor: "planwright",
      validate: (value) => {
        const tooLong = hasUnique ? findTooLong(value, []) : undefined;
        if (tooLong !== undefined) return { issues: [tooLong] };
        const errors = findErrors(parts, value);
        return errors.length === 0 ? { value } : { issues: toIssues(errors, value) };
      },
      jsonSchema: { input: tell, output: tell },
    },
  };
}

const drafts: readonly (readonly [part: string, draft: SchemaDraft])[] = [
  ["draft/2020-12/", "2020-12"],
  ["draft/2019-09/", "2019-09"],
  ["draft-07/", "7"],
  ["draft-06/", "7"],
  ["draft-04/", "4"],
];

function getDraft({ $schema = "draft/2020-12/" }: { readonly $schema?: unknown }): SchemaDraft {
  const draft = drafts.find(([part]) => typeof $schema === "string" && $schema.includes(part))?.[1];
  return draft ?? failOption("schema.$schema", $schema, "JSON Schema 2020-12, 2019-09, draft 7, 6 or 4");
}

/** A schema as the validator needs it. */
interface Parts {
  readonly root: Schema;
  readonly draft: SchemaDraft;
  /** Each part that a reference may lead to, by its URI. */
  readonly lookup: Readonly<Record<string, Schema | boolean>>;
}

/** Throws for a `$ref` that leads nowhere; the validator itself would do so only when it gets there. */
function checkReferences(lookup: Parts["lookup"]): void {
  for (const schema of Object.values(lookup)) {
    const { $ref, __absolute_ref__: target } = Object(schema) as Schema;
    if ($ref !== undefined && lookup[target ?? $ref] === undefined)
      failOption("schema", { $ref }, `a schema in which every $ref points to a part of it; ${$ref} does not`);
  }
  const seen = new Set<unknown>();
  for (const schema of Object.values(lookup)) checkLoop(schema, lookup, { seen, open: new Set() });
}

/** Throws for a schema that a value would have to fit to fit the same schema: checking it would never end. */
function checkLoop(
  schema: unknown,
  lookup: Parts["lookup"],
  { seen, open }: { readonly seen: Set<unknown>; readonly open: Set<unknown> },
): void {
  if (typeof schema !== "object" || schema === null) return;
  const {
    $ref,
    __absolute_ref__: target,
    allOf = [],
    anyOf = [],
    oneOf = [],
    not,
    if: test,
    ...rest
  } = schema as Schema;
  if (open.has(schema)) failOption("schema", { $ref }, "a schema in which no $ref leads back to where it stands");
  if (seen.has(schema)) return;
  seen.add(schema);
  open.add(schema);
  const referred = $ref === undefined ? undefined : lookup[target ?? $ref];
  for (const part of [referred, ...allOf, ...anyOf, ...oneOf, not, test, rest.then, rest.else]) {
    checkLoop(part, lookup, { seen, open });
  }
  open.delete(schema);
}

/** A value that is not known yet is `undefined` in a plan that is checked: as `null` it has an issue of its own at most. */
function findErrors({ root, draft, lookup }: Parts, value: unknown): readonly OutputUnit[] {
  const check = (checked: unknown) => validate(checked, root, draft, lookup, false).errors;
  try {
    return check(value);
  } catch (thrown) {
    if (!hasUndefined(value)) throw thrown;
    return check(withNull(value));
  }
}

function hasUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).some(hasUndefined);
}

function withNull(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withNull);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNull(item)] as const));
}

/** The validator compares each item with each. */
const maxUnique = 5_000;

function findTooLong(
  value: unknown,
  path: readonly (string | number)[],
): { path: typeof path; message: string } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && value.length > maxUnique)
    return { path, message: `at most ${maxUnique} items can be checked to be unique` };
  for (const [key, item] of Object.entries(value)) {
    const found = findTooLong(item, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The type of what fits a JSON Schema, as far as TypeScript can tell: objects, lists, unions, constants. `unknown` for
 * references and anything else.
 * @group Tools
 */
export type FromJsonSchema<TSchema> = TSchema extends { readonly const: infer TConst }
  ? TConst
  : TSchema extends { readonly enum: readonly (infer TValue)[] }
    ? TValue
    : TSchema extends { readonly anyOf: readonly (infer TBranch)[] } | { readonly oneOf: readonly (infer TBranch)[] }
      ? TBranch extends unknown
        ? FromJsonSchema<TBranch>
        : never
      : TSchema extends { readonly type: infer TType }
        ? FromType<TSchema, TType extends readonly (infer TName)[] ? TName : TType>
        : TSchema extends { readonly properties: unknown }
          ? FromObject<TSchema>
          : unknown;

/** Distributes over the names of a type that is a list. */
type FromType<TSchema, TName> = TName extends "string"
  ? string
  : TName extends "number" | "integer"
    ? number
    : TName extends "boolean"
      ? boolean
      : TName extends "null"
        ? null
        : TName extends "array"
          ? FromArray<TSchema>
          : TName extends "object"
            ? FromObject<TSchema>
            : unknown;

type FromArray<TSchema> = TSchema extends { readonly prefixItems: infer TItems extends readonly unknown[] }
  ? [...{ -readonly [K in keyof TItems]: FromJsonSchema<TItems[K]> }, ...FromRest<TSchema>[]]
  : FromRest<TSchema>[];

type FromRest<TSchema> = TSchema extends { readonly items: infer TItem } ? FromJsonSchema<TItem> : unknown;

type FromObject<TSchema> = TSchema extends { readonly properties: infer TProperties }
  ? Simplify<
      {
        -readonly [K in keyof TProperties as K extends RequiredOf<TSchema> ? K : never]: FromJsonSchema<TProperties[K]>;
      } & {
        -readonly [K in keyof TProperties as K extends RequiredOf<TSchema> ? never : K]?: FromJsonSchema<
          TProperties[K]
        >;
      }
    >
  : TSchema extends { readonly additionalProperties: infer TOther extends object }
    ? { [key: string]: FromJsonSchema<TOther> }
    : { [key: string]: unknown };

type RequiredOf<TSchema> = TSchema extends { readonly required: readonly (infer TKey)[] } ? TKey : never;

type Simplify<T> = { [K in keyof T]: T[K] } & {};
