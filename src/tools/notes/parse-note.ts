import * as z from "zod/v4";
import { createNoteSchema, type Note } from "./note.ts";
import type { NoteRecord } from "./note-storage.ts";

let schemas: ReturnType<typeof createSchemas> | undefined;

/** Called when the first note is read, so that an import does not pay for it. */
function createSchemas() {
  return { note: createNoteSchema(), operation: z.enum(["add", "delete", "undo"]) };
}

/** The value that a storage has read, if it is a note. */
export function parseNote(value: unknown): Note | undefined {
  schemas ??= createSchemas();
  return schemas.note.safeParse(value).success ? (value as Note) : undefined;
}

/** The value that a storage has read, if it is the outcome of a change. */
export function parseNoteRecord(operation: unknown, value: unknown): NoteRecord | undefined {
  const note = parseNote(value);
  schemas ??= createSchemas();
  const known = schemas.operation.safeParse(operation);
  return known.success && note !== undefined ? { operation: known.data, note } : undefined;
}
