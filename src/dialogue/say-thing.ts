import type { KnownThing } from "./focus.ts";

/** "booking 32: Okafor". */
export function describeThing({ kind, key, label }: Pick<KnownThing, "kind" | "key" | "label">): string {
  if (label === undefined) return `${kind} ${key}`;
  return typeof key === "number" ? `${kind} ${key}: ${label}` : `${kind} "${label}"`;
}

export function sayThing(thing: KnownThing): string {
  const others = Object.entries(thing.fields).filter(
    ([name, value]) => name !== thing.keyField && name !== thing.labelField && value !== null && value !== false,
  );
  return [
    describeThing(thing),
    ...others.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`),
  ].join(", ");
}
