import { setOwn } from "../../../core/json.ts";
import { asLiteral, asReference } from "../../../plan/reference.ts";
import type { TypedText } from "./typed-text.ts";

/**
 * What the user typed is never read as a reference: where an input repeats it, a `${` is escaped so that it stays text,
 * and an object `{ "$ref" }` so that it stays an object.
 */
export function escapeTyped(value: unknown, typed: TypedText): unknown {
  return typed.isPlain ? value : escapeValue(value, typed);
}

function escapeValue(value: unknown, typed: TypedText): unknown {
  if (typeof value === "string") return typed.escape(value);
  if (Array.isArray(value)) return value.map((item) => escapeValue(item, typed));
  if (typeof value !== "object" || value === null || asLiteral(value) !== undefined) return value;
  const { $ref } = asReference(value) ?? {};
  if ($ref !== undefined) return typed.mayHaveReference($ref) ? { $literal: value } : value;
  const escaped: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(escaped, key, escapeValue(item, typed));
  return escaped;
}
