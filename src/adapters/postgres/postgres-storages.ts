import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { FoundNotes, NoteQuery, NoteRecord, NoteStorage, NoteWrite } from "../../tools/notes/note.ts";
import type { FoundTodos, TodoQuery, TodoRecord, TodoStorage, TodoWrite } from "../../tools/todo-store/todo-storage.ts";
import {
  type AsyncStorage,
  type CreateStorage,
  createNoteStorage,
  createTodoStorage,
  type SqlStorageOptions,
  sqlStorageOptions,
} from "../sql/storages.ts";
import { Database, databaseOptions, finish, type PostgresOptions } from "./database.ts";

/** Options of {@link createPostgresTodos} and {@link createPostgresNotes}. @inline */
interface PostgresStorageOptions extends PostgresOptions, SqlStorageOptions {}

const storageOptions = { ...databaseOptions, ...sqlStorageOptions } satisfies OptionTable<PostgresStorageOptions>;

/** {@link TodoStorage} in a PostgreSQL database. @group Storage */
export interface PostgresTodos extends AsyncStorage<TodoQuery, FoundTodos, TodoWrite, TodoRecord> {}

/** {@link NoteStorage} in a PostgreSQL database. @group Storage */
export interface PostgresNotes extends AsyncStorage<NoteQuery, FoundNotes, NoteWrite, NoteRecord> {}

/**
 * Stores todos for `createTodoStore` in a PostgreSQL database, which may also contain runs. When `apply` resolves, the
 * change is committed. Throws `invalid-options`. Its methods reject with `store-failed` (`details.problem` names the
 * problem) and, without `pg`, with `missing-dependency`.
 *
 * ```ts
 * const todos = createTodoStore({ storage: createPostgresTodos({ connectionString: "postgres://localhost/app" }) });
 * ```
 * @group Storage
 */
export function createPostgresTodos(options: PostgresStorageOptions): PostgresTodos {
  return storageIn(options, "todos", createTodoStorage);
}

/**
 * Stores notes in a PostgreSQL database, for `createNotes`, like {@link createPostgresTodos}.
 *
 * ```ts
 * const notes = createNotes({ storage: createPostgresNotes({ connectionString: "postgres://localhost/app" }) });
 * ```
 * @group Storage
 */
export function createPostgresNotes(options: PostgresStorageOptions): PostgresNotes {
  return storageIn(options, "notes", createNoteStorage);
}

function storageIn<TQuery, TFound, TWrite, TRecord>(
  options: PostgresStorageOptions,
  name: "todos" | "notes",
  create: CreateStorage<TQuery, TFound, TWrite, TRecord>,
): AsyncStorage<TQuery, TFound, TWrite, TRecord> {
  const { rememberedWrites, ...settings } = readOptions(storageOptions, options);
  const database = new Database(settings);
  const tables = create(database.dialect, rememberedWrites);
  const writing = { operation: "append", lock: `${name} ${database.dialect.prefix}` } as const;
  return {
    find: (scope, query) => database.run("list", "", (queries) => finish(queries, tables.find(scope, query))),
    recall: (scope, key) => database.run("read", "", (queries) => finish(queries, tables.recall(scope, key))),
    apply: (scope, write) => database.transact(writing, (queries) => finish(queries, tables.apply(scope, write))),
    close: () => database.close(),
  };
}
