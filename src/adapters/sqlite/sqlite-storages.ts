import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { NoteStorage } from "../../tools/notes/note.ts";
import type { TodoStorage } from "../../tools/todo-store/todo-storage.ts";
import {
  type CreateStorage,
  createNoteStorage,
  createTodoStorage,
  type SqlStorageOptions,
  sqlStorageOptions,
} from "../sql/storages.ts";
import { DatabaseFile, dialect, fileOptions, type SqliteFileOptions } from "./database-file.ts";

/** Options of {@link createSqliteTodos} and {@link createSqliteNotes}. @inline */
interface SqliteStorageOptions extends SqliteFileOptions, SqlStorageOptions {}

const storageOptions = { ...fileOptions, ...sqlStorageOptions } satisfies OptionTable<SqliteStorageOptions>;

/** {@link TodoStorage} in a file. Its methods return a promise only while the file is locked. @group Storage */
export interface SqliteTodos extends TodoStorage {
  /** Closes the file. Afterwards, all other methods throw `store-failed`. */
  close(): void;
}

/**
 * Stores todos in an SQLite file, for `createTodoStore`. Processes of one machine may share the file. When `apply`
 * returns or resolves, the change is on the disk. Throws the errors of `createSqliteRunStore`.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteTodos(options: SqliteStorageOptions): SqliteTodos {
  return storageIn(options, createTodoStorage);
}

/** {@link NoteStorage} in a file, like {@link SqliteTodos}. @group Storage */
export interface SqliteNotes extends NoteStorage {
  /** Closes the file. Afterwards, all other methods throw `store-failed`. */
  close(): void;
}

/**
 * Stores notes in an SQLite file, for `createNotes`, like {@link createSqliteTodos}.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteNotes(options: SqliteStorageOptions): SqliteNotes {
  return storageIn(options, createNoteStorage);
}

function storageIn<TQuery, TFound, TWrite, TRecord>(
  options: SqliteStorageOptions,
  create: CreateStorage<TQuery, TFound, TWrite, TRecord>,
) {
  const { rememberedWrites, ...settings } = readOptions(storageOptions, options);
  const tables = create(dialect, rememberedWrites);
  const file = new DatabaseFile(settings);
  return {
    find: (scope: string, query: TQuery) => file.read("list", "", (db) => db.finish(tables.find(scope, query))),
    recall: (scope: string, key: string) => file.read("read", "", (db) => db.finish(tables.recall(scope, key))),
    apply: (scope: string, write: TWrite) => file.write("append", "", (db) => db.finish(tables.apply(scope, write))),
    close: () => file.close(),
  };
}
