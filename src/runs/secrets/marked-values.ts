import { type JsonValue, mapItems } from "../../core/json.ts";
import { asLiteral, asReference } from "../../plan/references.ts";

/*
 * To follow secrets when references are filled in, that is done twice: with the values, and with marks in their place.
 * A result that contains a mark was made from a secret.
 */

/** Two characters that no text contains. One that nevertheless does is only sealed without need. */
const mark = "\u{10fffe}\u{10ffff}";
const markedHolders = new WeakSet<object>();

/** Whether a value was made from a secret. */
export function isMarked(value: unknown): boolean {
  return typeof value === "string" ? value.includes(mark) : markedHolders.has(value as object);
}

/**
 * The value of a reference to a secret, or into one. Its keys can be followed but not listed, and as text it is a mark.
 */
export function markValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return mark;
  const marked: object = Array.isArray(value) ? value.map(markValue) : {};
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) {
      Object.defineProperty(marked, key, { value: markValue(item as JsonValue) });
    }
  }
  Object.defineProperty(marked, "toJSON", { value: () => mark });
  markedHolders.add(marked);
  return marked as JsonValue;
}

/** A secret of a plan, marked, with its references unchanged. */
export function markPlanned(value: JsonValue): JsonValue {
  if (typeof value === "string") return mark + value;
  if (typeof value !== "object" || value === null) return mark;
  if (asReference(value) !== undefined) return value;
  const literal = asLiteral(value);
  if (literal !== undefined) return { $literal: markPlanned(literal.$literal as JsonValue) };
  return mapItems(value, (item) => markPlanned(item as JsonValue));
}
