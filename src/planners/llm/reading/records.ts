/** An object of an answer, whose values may be anything. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reduces a name to what its spellings share: `due_date`, `Due-Date` and `dueDate` are the same. */
export function plainName(name: string): string {
  return name.replace(/[\s_.:/-]/g, "").toLowerCase();
}

/** The text of a value, without white space around it; undefined for a blank one and for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
