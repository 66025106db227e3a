import { resolve } from "node:path";
import { AgentError, type StoreOperation } from "../core/errors.ts";
import { checkKeys, checkNumber, failOption, maxDurationMs } from "../core/options.ts";
import type { FoundTodos, TodoQuery, TodoRecord, TodoStorage, TodoWrite } from "../tools/todo-store/todo-storage.ts";
import { checkDriver, type SqliteDriver } from "./load-driver.ts";
import { inMemory, type OpenOptions, openDatabase } from "./open-database.ts";
import { inTransaction, type SqlDatabase } from "./sql-database.ts";
import { toStoreFailure } from "./store-failure.ts";
import { TodoRows } from "./todo-rows.ts";

/** Options of {@link createSqliteTodos}. */
export interface SqliteTodosOptions {
  /**
   * The file: it, and the folders above it, are made if they are missing. It must be on a disk of this machine, and may be
   * that of a run store. `:memory:` keeps all in memory.
   */
  readonly path: string;
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when its
   * run goes on changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
  /**
   * How long a method waits while another process writes, before it throws `store-failed`; this process stands still for
   * so long. @default 5000
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Different processes may open a file with different ones. Within a process all must have the same: SQLite can not
   * see the locks of another copy of itself. @default The first there is of `node`, `better-sqlite3` and `libsql`.
   */
  readonly driver?: SqliteDriver | undefined;
}

/** A {@link TodoStorage} in a file. All its methods answer at once. */
export interface SqliteTodos extends TodoStorage {
  find(scope: string, query: TodoQuery): FoundTodos;
  recall(scope: string, key: string): TodoRecord | undefined;
  apply(scope: string, write: TodoWrite): TodoRecord | undefined;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Keeps todos in a file of SQLite, for a TodoStore. Processes of one machine may share the file. What `apply` has returned
 * from is on the disk, and survives the process and the machine.
 *
 * It throws `invalid-options`, `store-failed` (`details.problem` says what is wrong with the file) and, where there is
 * neither `node:sqlite` nor `better-sqlite3` nor `libsql`, `missing-dependency`.
 */
export function createSqliteTodos(options: SqliteTodosOptions): SqliteTodos {
  checkKeys("options", options, ["path", "rememberedWrites", "busyTimeoutMs", "driver"]);
  const { path, rememberedWrites = 100_000, busyTimeoutMs = 5_000, driver } = options;
  if (typeof path !== "string" || path === "" || /^(file|https?|wss?|libsql):/i.test(path)) {
    failOption("path", path, 'the path of a file, or ":memory:"');
  }
  checkNumber("rememberedWrites", rememberedWrites, { min: 1 });
  checkNumber("busyTimeoutMs", busyTimeoutMs, { min: 0, max: maxDurationMs, isInteger: true });
  checkDriver(driver);
  const place = { path: path === inMemory ? path : resolve(path), rememberedWrites };
  return new FileTodos(place, { busyTimeoutMs, driver });
}

class FileTodos implements SqliteTodos {
  private readonly path: string;
  private readonly rememberedWrites: number;
  /** Undefined once it is closed. */
  private open: { readonly db: SqlDatabase; readonly rows: TodoRows } | undefined;

  constructor({ path, rememberedWrites }: { path: string; rememberedWrites: number }, options: OpenOptions) {
    this.path = path;
    this.rememberedWrites = rememberedWrites;
    const db = openDatabase(path, options);
    try {
      this.open = { db, rows: new TodoRows(db) };
    } catch (thrown) {
      db.close();
      throw toStoreFailure(thrown, { path, operation: "open", runId: "" });
    }
  }

  find(scope: string, query: TodoQuery): FoundTodos {
    // In a transaction, so that what is counted is what the page is taken from.
    return this.attempt("list", ({ db, rows }) => inTransaction(db, "DEFERRED", () => rows.find(scope, query)));
  }

  recall(scope: string, key: string): TodoRecord | undefined {
    return this.attempt("read", ({ rows }) => rows.findRecord(scope, key));
  }

  apply(scope: string, { key, operation, change }: TodoWrite): TodoRecord | undefined {
    const work = ({ rows }: { readonly rows: TodoRows }) => {
      const known = rows.findRecord(scope, key);
      if (known !== undefined) return known;
      const result = rows.change(scope, change);
      return result && rows.addRecord({ scope, key, operation, result }, this.rememberedWrites);
    };
    return this.attempt("append", (open) => inTransaction(open.db, "IMMEDIATE", () => work(open)));
  }

  close(): void {
    const { open } = this;
    // The statements go, too: libsql keeps the file open as long as there are any.
    this.open = undefined;
    open?.db.close();
  }

  private attempt<T>(
    operation: StoreOperation,
    work: (open: { readonly db: SqlDatabase; readonly rows: TodoRows }) => T,
  ): T {
    if (this.open === undefined) {
      const message = `The todos "${this.path}" have been closed. Close them when no run needs them any more.`;
      throw new AgentError("store-failed", message, { details: { runId: "", operation, reason: "it is closed" } });
    }
    try {
      return work(this.open);
    } catch (thrown) {
      throw toStoreFailure(thrown, { path: this.path, operation, runId: "" });
    }
  }
}
