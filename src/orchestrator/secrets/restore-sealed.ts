import type { JsonObject } from "../../core/json.ts";
import { hiddenText, mapItems } from "../../core/sealed.ts";
import { type Path, visitSealed } from "./map-sensitive.ts";

/** An input with each `[sensitive]` replaced by what is sealed at the same place of the recorded one. */
export function restoreSealed(given: JsonObject, recorded: JsonObject): JsonObject {
  const texts = new Map<string, string>();
  visitSealed(recorded, [], (text, path) => texts.set(JSON.stringify(path), text));
  return mapHidden(given, [], (path) => {
    const text = texts.get(JSON.stringify(path));
    return text === undefined ? hiddenText : { $sealed: text };
  });
}

/** A value with each `[sensitive]` replaced. */
export function mapHidden<T>(value: T, path: Path, replace: (path: Path) => unknown): T {
  if (value === hiddenText) return replace(path) as T;
  if (typeof value !== "object" || value === null) return value;
  return mapItems(value, (item, key) => mapHidden(item, [...path, key], replace));
}
