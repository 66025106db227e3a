import * as z from "zod/v4";
import {
  createMemoryRecords,
  foldText,
  type KeyedStorage,
  type MemoryRecordsOptions,
} from "../storage/keyed-records.ts";

/** A note about an item. It never changes. @group Built-in tools */
export interface Note {
  /** Unique within its scope. */
  readonly id: string;
  /** Subject of the note as written, such as `PROP-2025-001`. Items are compared case-insensitively. */
  readonly item: string;
  readonly text: string;
  /** Author of the note. Only the `author` option sets it. */
  readonly author?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Output of `list`. @inline */
export interface NotePage {
  /** The matching notes from `offset` on, up to `limit` or about 512 KiB. */
  readonly notes: readonly Note[];
  /** Total number of matches. */
  readonly count: number;
}

/** Output of Notes: a page for `list`, otherwise the note. @group Built-in tools */
export type NotesOutput = Note | NotePage;

/** @internal */
export const createNoteSchema = () =>
  z
    .object({
      id: z.string().min(1),
      item: z.string(),
      text: z.string(),
      author: z.string().optional(),
      createdAt: z.string().describe("ISO 8601, UTC"),
    })
    .describe("add, get, delete: the note");

/** Names one note by its `id`, or by its position among the notes of an item. @inline */
export interface NoteTarget {
  readonly id?: string;
  readonly item?: string;
  /** 1 is the oldest note of the item, -1 the newest one. */
  readonly index?: number;
}

/** Input of Notes, as JSON. @group Built-in tools */
export type NotesInput =
  | {
      readonly operation: "add";
      /** 1 to 200 UTF-16 code units once trimmed. @default "general" */
      readonly item?: string;
      /** 1 to 10 000 UTF-16 code units once trimmed. Any text is allowed. */
      readonly text: string;
    }
  | {
      readonly operation: "list";
      /** @default all items */
      readonly item?: string;
      /** @default all authors */
      readonly author?: string;
      /** True lists the newest first. @default false */
      readonly reverse?: boolean;
      /** Number of notes to skip. @default 0 */
      readonly offset?: number;
      /** Maximum number of notes to return, 1 to 1 000. @default 100 */
      readonly limit?: number;
    }
  | ({ readonly operation: "get" | "delete" } & NoteTarget);

/** Storage of Notes. It finds notes in the order of insertion, unless `reverse` is set. @group Storage */
export interface NoteStorage extends KeyedStorage<NoteQuery, FoundNotes, NoteWrite, NoteRecord> {}

/** A query for notes: conditions that must all be met, order and page. @group Storage */
export interface NoteQuery {
  readonly id?: string | undefined;
  /** Comparison ignores case, spaces at the ends and repeated spaces. */
  readonly item?: string | undefined;
  /** Compared like `item`. */
  readonly author?: string | undefined;
  /** True returns the newest first. @default false */
  readonly reverse?: boolean | undefined;
  /** Number of notes to skip. @default 0 */
  readonly offset?: number | undefined;
  /** Maximum number of notes to return; 0 only counts them. */
  readonly limit: number;
}

/** The result of a query. @group Storage */
export interface FoundNotes {
  readonly notes: readonly Note[];
  /** Number of matches, regardless of offset and limit. */
  readonly count: number;
}

/** @inline */
export type NoteChange =
  | { readonly type: "insert"; readonly note: Note }
  | { readonly type: "remove"; readonly id: string };

/** A change, with a key that makes it happen only once. @group Storage */
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
 * Keeps notes in memory until the process ends. A query scans all notes of its scope. Throws `invalid-options`.
 * {@includeCode ../../../examples/17-notes-and-web-search.ts} @group Storage
 */
export function createMemoryNotes(options: MemoryRecordsOptions = {}): NoteStorage {
  return createMemoryRecords("memoryNotes", options, { find: findNotes, change: changeRows });
}

interface NoteRow {
  readonly note: Note;
  readonly itemKey: string;
  readonly authorKey: string | undefined;
}

function findNotes(rows: ReadonlyMap<string, NoteRow>, query: NoteQuery): FoundNotes {
  const { id, item, author, reverse = false, offset = 0, limit } = query;
  const itemKey = item === undefined ? undefined : foldText(item);
  const authorKey = author === undefined ? undefined : foldText(author);
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
  const authorKey = note.author === undefined ? undefined : foldText(note.author);
  rows.set(note.id, { note, itemKey: foldText(note.item), authorKey });
  return { note };
}
