import { type OptionTable, readOptions } from "../../core/options.ts";
import type { FoundTodos, TodoQuery, TodoRecord, TodoStorage, TodoWrite } from "../../tools/todo-store/todo-storage.ts";
import { DatabaseFile, fileOptions, type SqliteFileOptions } from "./database-file.ts";
import { TodoRows } from "./todo-rows.ts";

/** Options of {@link createSqliteTodos}. @inline */
export interface SqliteTodosOptions extends SqliteFileOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

const todoStorageOptions = {
  ...fileOptions,
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<SqliteTodosOptions>;

/**
 * A {@link TodoStorage} in a file. All its methods are synchronous.
 * @group Storage
 */
export interface SqliteTodos extends TodoStorage {
  find(scope: string, query: TodoQuery): FoundTodos;
  recall(scope: string, key: string): TodoRecord | undefined;
  apply(scope: string, write: TodoWrite): TodoRecord | undefined;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Keeps todos in an SQLite file, for a TodoStore. Processes of one machine may share the file. When `apply` returns,
 * the change is on the disk, and survives a crash of the process or the machine.
 *
 * Throws `invalid-options`, `store-failed` (`details.problem` states what is wrong with the file) and, if none of
 * `node:sqlite`, `better-sqlite3` and `libsql` is available, `missing-dependency`.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteTodos(options: SqliteTodosOptions): SqliteTodos {
  const { rememberedWrites, ...settings } = readOptions(todoStorageOptions, options);
  return new FileTodos(new DatabaseFile(settings, (db) => new TodoRows(db)), rememberedWrites);
}

class FileTodos implements SqliteTodos {
  constructor(
    private readonly file: DatabaseFile<TodoRows>,
    private readonly rememberedWrites: number,
  ) {}

  find(scope: string, query: TodoQuery): FoundTodos {
    return this.file.read("list", "", (rows) => rows.find(scope, query));
  }

  recall(scope: string, key: string): TodoRecord | undefined {
    return this.file.read("read", "", (rows) => rows.findRecord(scope, key));
  }

  apply(scope: string, { key, operation, change }: TodoWrite): TodoRecord | undefined {
    return this.file.write("append", "", (rows) => {
      const known = rows.findRecord(scope, key);
      if (known !== undefined) return known;
      const outcome = rows.change(scope, change);
      return outcome && rows.addRecord({ scope, key, operation, ...outcome }, this.rememberedWrites);
    });
  }

  close(): void {
    this.file.close();
  }
}
