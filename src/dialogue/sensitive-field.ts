import type { JsonSchema } from "../core/json-schema.ts";

export function isSensitiveField(schemas: readonly JsonSchema[]): boolean {
  return schemas.some((schema) => schema.sensitive === true || schema.writeOnly === true);
}
