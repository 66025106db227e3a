import type { JsonSchema } from "../../core/json-schema.ts";

/** Resolves a local JSON pointer such as `#/$defs/Item`; undefined if it leads to no schema. */
export function resolvePointer(root: JsonSchema, pointer: string): JsonSchema | undefined {
  if (pointer !== "#" && !pointer.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const isHolder = typeof target === "object" && target !== null && Object.hasOwn(target, key);
    target = isHolder ? (target as Record<string, unknown>)[key] : undefined;
  }
  return typeof target === "object" && target !== null ? (target as JsonSchema) : undefined;
}

/** The converters write a key such as `100%` unencoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
