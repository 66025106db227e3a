import type { Note } from "./note.ts";

/**
 * Where Notes keeps its notes. Three methods, each of which may answer at once or with a promise.
 *
 * - Scopes never meet: a call sees and changes only the notes, and knows only the keys, of its own scope. A scope and a
 *   key are any text.
 * - What `apply` returned is there for every later call, and is kept as durably as the storage keeps anything.
 * - What is handed out is a copy or frozen: changing it changes nothing in the storage.
 * - A method throws only where the storage itself failed; the call may then be repeated with the same key.
 */
export interface NoteStorage {
  /** The notes that fit a query, in the order of their insertion, and how many there are. An unknown scope has none. */
  find(scope: string, query: NoteQuery): FoundNotes | Promise<FoundNotes>;
  /** What `apply` recorded for a key; undefined if it has recorded nothing, or has forgotten it. */
  recall(scope: string, key: string): NoteRecord | undefined | Promise<NoteRecord | undefined>;
  /**
   * Makes one change and records it under the key, both or neither. If the key has a record, that is returned and nothing
   * changes. Undefined, with nothing changed or recorded, where the note to remove does not exist, or the id to insert does.
   *
   * A storage may forget records, the oldest first, and says how many or how long it keeps them.
   */
  apply(scope: string, write: NoteWrite): NoteRecord | undefined | Promise<NoteRecord | undefined>;
}

/** Which notes, in which order, how many. Of the conditions all that are given must hold. */
export interface NoteQuery {
  readonly id?: string | undefined;
  /** Equal by `nameKey`: without case, spaces at its ends and repeated spaces. */
  readonly item?: string | undefined;
  /** Likewise. */
  readonly author?: string | undefined;
  /** The last that was inserted first. @default false */
  readonly reverse?: boolean | undefined;
  /** How many to leave out at the beginning. @default 0 */
  readonly offset?: number | undefined;
  /** How many to return at most; 0 only counts. */
  readonly limit: number;
}

/** What a query found. */
export interface FoundNotes {
  readonly notes: readonly Note[];
  /** How many fit, without offset and limit. */
  readonly count: number;
}

/** One change. */
export type NoteChange =
  | { readonly type: "insert"; readonly note: Note }
  | { readonly type: "remove"; readonly id: string };

/** A change and the key that makes it happen once. */
export interface NoteWrite {
  readonly key: string;
  /** Recorded with the note. */
  readonly operation: "add" | "delete" | "undo";
  readonly change: NoteChange;
}

/** The outcome of a change: the note that was inserted or removed. */
export interface NoteRecord {
  readonly operation: NoteWrite["operation"];
  readonly note: Note;
}
