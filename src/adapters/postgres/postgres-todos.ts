import { type OptionTable, readOptions } from "../../core/options.ts";
import type { FoundTodos, TodoQuery, TodoRecord, TodoStorage, TodoWrite } from "../../tools/todo-store/todo-storage.ts";
import { Database } from "./database.ts";
import { databaseOptions, type PostgresOptions } from "./database-options.ts";
import { TodoRows } from "./todo-rows.ts";

/** Options of {@link createPostgresTodos}. @inline */
export interface PostgresTodosOptions extends PostgresOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

const todoStorageOptions = {
  ...databaseOptions,
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<PostgresTodosOptions>;

/** A {@link TodoStorage} in a PostgreSQL database. @group Storage */
export interface PostgresTodos extends TodoStorage {
  find(scope: string, query: TodoQuery): Promise<FoundTodos>;
  recall(scope: string, key: string): Promise<TodoRecord | undefined>;
  apply(scope: string, write: TodoWrite): Promise<TodoRecord | undefined>;
  /** Ends its connections, but not a given pool; after that every other method rejects with `store-failed`. */
  close(): Promise<void>;
}

/**
 * Keeps todos in a PostgreSQL database, for a TodoStore. Runs may be in the same one. When `apply` resolves, the change
 * is committed.
 *
 * Throws `invalid-options`. Its methods reject with `store-failed` (`details.problem` states what is wrong with the
 * database) and, if `pg` is not installed, `missing-dependency`.
 *
 * ```ts
 * const todos = createTodoStore({ storage: createPostgresTodos({ connectionString: "postgres://localhost/app" }) });
 * ```
 * @group Storage
 */
export function createPostgresTodos(options: PostgresTodosOptions): PostgresTodos {
  const { rememberedWrites, ...settings } = readOptions(todoStorageOptions, options);
  const database = new Database(settings);
  const rows = new TodoRows(database.prefix);
  return {
    find: (scope, query) => database.run("list", "", (queries) => rows.find(queries, scope, query)),
    recall: (scope, key) => database.run("read", "", (queries) => rows.findRecord(queries, scope, key)),
    apply: (scope, { key, operation, change }) =>
      database.transact({ operation: "append", lock: `todos ${database.prefix}` }, async (queries) => {
        // Also of an earlier attempt whose answer was lost.
        const known = await rows.findRecord(queries, scope, key);
        if (known !== undefined) return known;
        const outcome = await rows.change(queries, scope, change);
        return outcome && rows.addRecord(queries, { scope, key, operation, ...outcome }, rememberedWrites);
      }),
    close: () => database.close(),
  };
}
