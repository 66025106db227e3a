import { failOption } from "./options.ts";
import { markZod4, type SchemaMark, type StandardSchema, zodVersionOf } from "./schema.ts";

/** A copy of a schema with a mark, which its JSON Schema has as a keyword. Throws `invalid-options`. */
export function markSchema<TSchema extends StandardSchema>(schema: TSchema, mark: SchemaMark): TSchema {
  switch (zodVersionOf(schema)) {
    case 3: {
      const { constructor: Schema } = schema as unknown as { constructor: new (definition: object) => TSchema };
      return new Schema({ ...(schema as { readonly _def?: object })._def, [mark]: true });
    }
    case 4:
      return markZod4(schema, mark);
    default:
      return failOption("schema", schema, `a schema of zod; in the JSON Schema of another one write "${mark}": true`);
  }
}
