import { type OptionTable, readOptions } from "../../core/options.ts";
import { WriteRecords } from "../storage/write-records.ts";
import { type Note, nameKey } from "./note.ts";
import type { FoundNotes, NoteChange, NoteQuery, NoteRecord, NoteStorage } from "./note-storage.ts";

/** Options of {@link createMemoryNotes}. @inline */
export interface MemoryNotesOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a second attempt is
   * recognised. At least 1. @default 10_000
   */
  readonly rememberedWrites?: number | undefined;
}

const storageOptions = {
  rememberedWrites: { type: "number", min: 1, default: 10_000 },
} satisfies OptionTable<MemoryNotesOptions>;

/**
 * Keeps notes in memory, as long as the process lives. An id and the notes of an item are found by index.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/17-notes-and-web-search.ts}
 * @group Storage
 */
export function createMemoryNotes(options: MemoryNotesOptions = {}): NoteStorage {
  const { rememberedWrites } = readOptions(storageOptions, options, "memoryNotes");
  const shelves = new Map<string, NoteShelf>();
  const records = new WriteRecords<NoteRecord>(rememberedWrites);
  return {
    find: (scope, query) => shelves.get(scope)?.find(query) ?? { notes: [], count: 0 },
    recall: (scope, key) => records.get(scope, key),
    apply(scope, { key, operation, change }) {
      const known = records.get(scope, key);
      if (known !== undefined) return known;
      const shelf = shelves.get(scope) ?? new NoteShelf();
      const note = shelf.change(change);
      if (shelf.isEmpty) shelves.delete(scope);
      else shelves.set(scope, shelf);
      return note && records.add(scope, key, Object.freeze({ operation, note }));
    },
  };
}

/** Notes by id, in the order of their insertion. */
type NotesById = Map<string, Note>;

/** The notes of one scope: all of them, and those of each item. */
class NoteShelf {
  private readonly all: NotesById = new Map();
  private readonly items = new Map<string, NotesById>();

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  find({ id, item, author, reverse = false, offset = 0, limit }: NoteQuery): FoundNotes {
    const itemKey = item === undefined ? undefined : nameKey(item);
    const authorKey = author === undefined ? undefined : nameKey(author);
    const place = itemKey === undefined ? this.all : (this.items.get(itemKey) ?? new Map<string, Note>());
    const candidates = id === undefined ? [...place.values()] : [place.get(id) ?? []].flat();
    const notes = candidates.filter(
      (note) => authorKey === undefined || (note.author !== undefined && nameKey(note.author) === authorKey),
    );
    if (reverse) notes.reverse();
    return { notes: notes.slice(offset, offset + limit), count: notes.length };
  }

  /** The inserted or removed note; undefined, with nothing changed, if the change does not fit. */
  change(change: NoteChange): Note | undefined {
    return change.type === "insert" ? this.insert(change.note) : this.remove(change.id);
  }

  private insert(given: Note): Note | undefined {
    if (this.all.has(given.id)) return undefined;
    const note = Object.freeze({ ...given });
    const itemKey = nameKey(note.item);
    const ofItem = this.items.get(itemKey) ?? new Map<string, Note>();
    this.items.set(itemKey, ofItem);
    for (const notes of [this.all, ofItem]) notes.set(note.id, note);
    return note;
  }

  private remove(id: string): Note | undefined {
    const note = this.all.get(id);
    if (note === undefined) return undefined;
    const itemKey = nameKey(note.item);
    const ofItem = this.items.get(itemKey);
    this.all.delete(id);
    ofItem?.delete(id);
    if (ofItem?.size === 0) this.items.delete(itemKey);
    return note;
  }
}
