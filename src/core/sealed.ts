/** A value of a sensitive field as events, states and stores hold it: encrypted text in place of the value. */
export interface Sealed {
  readonly $sealed: string;
}

/** The one key of a {@link Sealed}. Nothing that comes from outside may have it. */
export const sealedKey = "$sealed";

/** What is shown in place of a sensitive value. */
export const hiddenText = "[sensitive]";

/** Whether a part of an event or state is a sealed value. */
export function isSealed(value: unknown): value is Sealed {
  return typeof value === "object" && value !== null && typeof (value as Partial<Sealed>).$sealed === "string";
}

/** A value with its sealed parts replaced; the very same if there are none. */
export function replaceSealed<T>(value: T, replace: (sealed: Sealed) => unknown): T {
  if (typeof value !== "object" || value === null) return value;
  if (isSealed(value)) return replace(value) as T;
  return mapItems(value, (item) => replaceSealed(item, replace));
}

/** A value as it may be shown: with {@link hiddenText} in place of sealed values. */
export function hideSealed<T>(value: T): T {
  return replaceSealed(value, () => hiddenText);
}

/** A list or object whose items are mapped, each with its key; the very same if none has changed. */
export function mapItems<T extends object>(holder: T, map: (item: unknown, key: string | number) => unknown): T {
  if (Array.isArray(holder)) {
    const items = holder.map((item, index) => map(item, index));
    return (items.every((item, index) => item === holder[index]) ? holder : items) as T;
  }
  const entries = Object.entries(holder).map(([key, item]) => [key, map(item, key)] as const);
  if (entries.every(([key, item]) => item === (holder as Record<string, unknown>)[key])) return holder;
  // Not by assignment, which treats the key `__proto__` differently.
  return Object.fromEntries(entries) as T;
}
