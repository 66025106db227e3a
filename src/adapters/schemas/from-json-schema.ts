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
