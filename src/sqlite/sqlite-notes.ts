import { type OptionTable, readOptions } from "../core/options.ts";
import type { FoundNotes, NoteQuery, NoteRecord, NoteStorage, NoteWrite } from "../tools/notes/note-storage.ts";
import { DatabaseFile, fileOptions, type SqliteFileOptions } from "./database-file.ts";
import { NoteRows } from "./note-rows.ts";

/** Options of {@link createSqliteNotes}. @inline */
export interface SqliteNotesOptions extends SqliteFileOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

const noteStorageOptions = {
  ...fileOptions,
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<SqliteNotesOptions>;

/**
 * A {@link NoteStorage} in a file. All its methods are synchronous.
 * @group Storage
 */
export interface SqliteNotes extends NoteStorage {
  find(scope: string, query: NoteQuery): FoundNotes;
  recall(scope: string, key: string): NoteRecord | undefined;
  apply(scope: string, write: NoteWrite): NoteRecord | undefined;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Keeps notes in an SQLite file, for Notes. Runs and todos may be in the same file, and processes of one machine may
 * share it. When `apply` returns, the change is on the disk, and survives a crash of the process or the machine.
 *
 * Throws `invalid-options`, `store-failed` (`details.problem` states what is wrong with the file) and, if none of
 * `node:sqlite`, `better-sqlite3` and `libsql` is available, `missing-dependency`.
 *
 * {@includeCode ../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteNotes(options: SqliteNotesOptions): SqliteNotes {
  const { rememberedWrites, ...settings } = readOptions(noteStorageOptions, options);
  const file = new DatabaseFile(settings, (db) => new NoteRows(db));
  return {
    find: (scope, query) => file.read("list", "", (rows) => rows.find(scope, query)),
    recall: (scope, key) => file.read("read", "", (rows) => rows.findRecord(scope, key)),
    apply: (scope, { key, operation, change }) =>
      file.write("append", "", (rows) => {
        const known = rows.findRecord(scope, key);
        if (known !== undefined) return known;
        const note = rows.change(scope, change);
        return note && rows.addRecord(scope, key, { operation, note }, rememberedWrites);
      }),
    close: () => file.close(),
  };
}
