/**
 * `planwright/schemas`: tools whose schemas are written as JSON Schema.
 * @module planwright/schemas
 */

export { type FromJsonSchema, type JsonSchemaOf, jsonSchema } from "./json-schema.ts";
