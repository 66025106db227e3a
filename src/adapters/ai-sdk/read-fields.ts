/** Reads some keys of a value from another package; undefined for a key that is missing or cannot be read. */
export function readFields<TKey extends string>(
  value: unknown,
  ...keys: readonly TKey[]
): Partial<Record<TKey, unknown>> {
  const read: Partial<Record<TKey, unknown>> = {};
  if (typeof value !== "object" || value === null) return read;
  for (const key of keys) {
    try {
      read[key] = (value as Record<string, unknown>)[key];
    } catch {
      // A getter that throws: unreadable, so unknown.
    }
  }
  return read;
}
