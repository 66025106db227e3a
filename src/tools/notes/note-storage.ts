import { createMemoryRecords, type MemoryRecordsOptions, type MemoryShelf } from "../storage/memory-records.ts";
import { type Note, nameKey } from "./note.ts";

/**
 * The storage of Notes. Each of the three methods may return a value or a promise.
 *
 * - Scopes are separate: a call reads and changes only the notes and the keys of its own scope. A scope and a key are
 *   any text.
 * - When `apply` has returned, every later call sees the change, and it is as durable as the storage.
 * - Returned values are copies or frozen: changing them changes nothing in the storage.
 * - A method throws only if the storage itself failed; the call may then be repeated with the same key.
 * @group Storage
 */
export interface NoteStorage {
  /** The notes that fit a query, in the order of insertion, and how many there are. An unknown scope has none. */
  find(scope: string, query: NoteQuery): FoundNotes | Promise<FoundNotes>;
  /** The record of `apply` for a key; undefined if there is none, or it was forgotten. */
  recall(scope: string, key: string): NoteRecord | undefined | Promise<NoteRecord | undefined>;
  /**
   * Makes one change and records it under the key, both or neither. If the key has a record, returns that and changes
   * nothing. Undefined, with nothing changed or recorded, if the note to remove does not exist, or the id to insert
   * does.
   *
   * A storage may forget records, the oldest first, and documents how many or how long it keeps them.
   */
  apply(scope: string, write: NoteWrite): NoteRecord | undefined | Promise<NoteRecord | undefined>;
}

/** A query for notes: conditions, all of which must be met, order and page. @group Storage */
export interface NoteQuery {
  readonly id?: string | undefined;
  /** Compared by `nameKey`: ignores case, spaces at the ends and repeated spaces. */
  readonly item?: string | undefined;
  /** Likewise. */
  readonly author?: string | undefined;
  /** The newest first. @default false */
  readonly reverse?: boolean | undefined;
  /** Number to skip. @default 0 */
  readonly offset?: number | undefined;
  /** Most to return; 0 only counts. */
  readonly limit: number;
}

/** The result of a query. @group Storage */
export interface FoundNotes {
  readonly notes: readonly Note[];
  /** Number of matches, regardless of offset and limit. */
  readonly count: number;
}

/** One change. @inline */
export type NoteChange =
  | { readonly type: "insert"; readonly note: Note }
  | { readonly type: "remove"; readonly id: string };

/** A change, and the key that ensures that it is made once. @group Storage */
export interface NoteWrite {
  readonly key: string;
  /** Recorded with the note. */
  readonly operation: "add" | "delete" | "undo";
  readonly change: NoteChange;
}

/** The outcome of a change: the inserted or removed note. @group Storage */
export interface NoteRecord {
  readonly operation: NoteWrite["operation"];
  readonly note: Note;
}

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
