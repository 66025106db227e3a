import { createMemoryRecords, type MemoryRecordsOptions, type MemoryShelf } from "../storage/memory-records.ts";
import { type Note, nameKey } from "./note.ts";
import type { FoundNotes, NoteChange, NoteQuery, NoteStorage } from "./note-storage.ts";

/**
 * Keeps notes in memory, as long as the process lives. A query goes through the notes of its scope.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/17-notes-and-web-search.ts}
 * @group Storage
 */
export function createMemoryNotes(options: MemoryRecordsOptions = {}): NoteStorage {
  return createMemoryRecords("memoryNotes", options, { find: findNotes, change: changeRows });
}

interface NoteRow {
  readonly note: Note;
  readonly itemKey: string;
  readonly authorKey: string | undefined;
}

function findNotes({ rows }: MemoryShelf<NoteRow>, query: NoteQuery): FoundNotes {
  const { id, item, author, reverse = false, offset = 0, limit } = query;
  const itemKey = item === undefined ? undefined : nameKey(item);
  const authorKey = author === undefined ? undefined : nameKey(author);
  const candidates = id === undefined ? [...rows.values()] : [rows.get(id) ?? []].flat();
  const found = candidates.filter(
    (row) =>
      (itemKey === undefined || row.itemKey === itemKey) && (authorKey === undefined || row.authorKey === authorKey),
  );
  if (reverse) found.reverse();
  return { notes: found.slice(offset, offset + limit).map(({ note }) => note), count: found.length };
}

function changeRows(rows: Map<string, NoteRow>, change: NoteChange): { readonly note: Note } | undefined {
  if (change.type === "remove") {
    const row = rows.get(change.id);
    rows.delete(change.id);
    return row && { note: row.note };
  }
  if (rows.has(change.note.id)) return undefined;
  const note = Object.freeze({ ...change.note });
  const authorKey = note.author === undefined ? undefined : nameKey(note.author);
  rows.set(note.id, { note, itemKey: nameKey(note.item), authorKey });
  return { note };
}
