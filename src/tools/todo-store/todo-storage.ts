import type { Todo, TodoPriority, TodosCleared } from "./todo.ts";
import type { TodoWriteOperation } from "./todo-input.ts";

/**
 * Where a TodoStore keeps its todos. Three methods, each of which may answer at once or with a promise.
 *
 * - Scopes never meet: a call sees and changes only the todos, and knows only the keys, of its own scope. A scope and a
 *   key are any text.
 * - What `apply` returned is there for every later call, and is kept as durably as the storage keeps anything.
 * - What is handed out is a copy or frozen: changing it changes nothing in the storage.
 * - A method throws only where the storage itself failed; the call may then be repeated with the same key.
 */
export interface TodoStorage {
  /** The todos that fit a query, in its order, and how many there are. An unknown scope has none. */
  find(scope: string, query: TodoQuery): FoundTodos | Promise<FoundTodos>;
  /** What `apply` recorded for a key; undefined if it has recorded nothing, or has forgotten it. */
  recall(scope: string, key: string): TodoRecord | undefined | Promise<TodoRecord | undefined>;
  /**
   * Makes one change and records its outcome under the key, both or neither. If the key has a record, that is returned
   * and nothing changes. Undefined, with nothing changed or recorded, where the change does not fit: the todo to patch or
   * remove does not exist or is not as expected, or the id to insert does exist.
   *
   * A storage may forget records, the oldest first, and says how many or how long it keeps them.
   */
  apply(scope: string, write: TodoWrite): TodoRecord | undefined | Promise<TodoRecord | undefined>;
}

/** Which todos, in which order, how many. Of the conditions all that are given must hold. */
export interface TodoQuery {
  readonly id?: string;
  /** Compared by `foldText`. */
  readonly list?: string;
  /** Equal to the `titleKey` of the title. */
  readonly titleKey?: string;
  /** Each one occurs somewhere in the `titleKey` of the title. */
  readonly words?: readonly string[];
  readonly completed?: boolean;
  readonly priority?: TodoPriority;
  readonly tag?: string;
  /** Bounds as `compareDue` has them; a todo without a due date fits none. */
  readonly dueBefore?: string;
  readonly dueAfter?: string;
  readonly dueOn?: string;
  /**
   * `created` is the order of insertion; `due` by the `dueMs` of `parseDueDate`; `priority` from high to low; `title`
   * by its `titleKey`, code unit by code unit. Where that is equal, the order of insertion. @default "created"
   */
  readonly sort?: "created" | "due" | "priority" | "title";
  /** The same order backwards, but todos without a due date or priority are last both ways. @default false */
  readonly reverse?: boolean;
  /** How many to leave out at the beginning. @default 0 */
  readonly offset?: number;
  /** How many to return at most; 0 only counts. */
  readonly limit: number;
}

/** What a query found. */
export interface FoundTodos {
  readonly todos: readonly Todo[];
  /** How many fit, without offset and limit. */
  readonly count: number;
  /** How many of those are completed. */
  readonly completed: number;
}

/** A change and the key that makes it happen once. */
export interface TodoWrite {
  readonly key: string;
  /** Recorded with the outcome. */
  readonly operation: TodoWriteOperation | "undo";
  readonly change: TodoChange;
}

/** One change. */
export type TodoChange =
  | { readonly type: "insert"; readonly todo: Todo }
  /** With `expected` it only fits a todo that has the same value, or none, in each field of {@link Todo}. */
  | { readonly type: "patch"; readonly id: string; readonly fields: TodoPatch; readonly expected?: Todo }
  | { readonly type: "remove"; readonly id: string; readonly expected?: Todo }
  /** Removes every todo, or those of one list (compared by `foldText`), or of those only the completed ones. */
  | { readonly type: "clear"; readonly list?: string; readonly onlyCompleted: boolean };

/** New values of fields; `null` removes a field, one that is left out stays as it is. */
export interface TodoPatch {
  readonly title?: string;
  readonly list?: string;
  readonly completed?: boolean;
  readonly completedAt?: string | null;
  readonly dueDate?: string | null;
  readonly priority?: TodoPriority | null;
  readonly tags?: readonly string[];
}

/** What a change has come to. */
export interface TodoOutcome {
  /** The todo as it then was (a removed one as it was before), or how many were cleared. */
  readonly result: Todo | TodosCleared;
  /** Of a patch: the todo as it was before. A record without it cannot be undone. */
  readonly before?: Todo;
}

/** The outcome of a change, as it is recorded under its key. */
export interface TodoRecord extends TodoOutcome {
  readonly operation: TodoWriteOperation | "undo";
}
