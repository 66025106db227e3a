/**
 * `planwright/schemas`: tools whose schemas are written as JSON Schema.
 * @module planwright/schemas
 */

export type { FromJsonSchema } from "./from-json-schema.ts";
export { type JsonSchemaOf, jsonSchema } from "./json-schema.ts";
