import { type OptionTable, readOptions } from "../../core/options.ts";
import { WriteRecords } from "../storage/write-records.ts";
import { SortedTodos } from "./sorted-todos.ts";
import { isSameTodo } from "./todo.ts";
import { patchTodo, type TodoChange, type TodoOutcome, type TodoRecord, type TodoStorage } from "./todo-storage.ts";

/** Options of {@link createMemoryTodos}. @inline */
export interface MemoryTodosOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a second attempt is
   * recognised. At least 1. @default 10_000
   */
  readonly rememberedWrites?: number | undefined;
}

const storageOptions = {
  rememberedWrites: { type: "number", min: 1, default: 10_000 },
} satisfies OptionTable<MemoryTodosOptions>;

/**
 * Keeps todos in memory, as long as the process lives. Ids, whole titles and pages of a scope or a list in any order are
 * found by index; a query with other conditions goes once through the todos of its list or scope.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/18-plans-as-json.ts}
 * @group Storage
 */
export function createMemoryTodos(options: MemoryTodosOptions = {}): TodoStorage {
  const { rememberedWrites } = readOptions(storageOptions, options, "memoryTodos");
  const scopes = new Map<string, SortedTodos>();
  const records = new WriteRecords<TodoRecord>(rememberedWrites);
  return {
    find: (scope, query) => (scopes.get(scope) ?? new SortedTodos()).find(query),
    recall: (scope, key) => records.get(scope, key),
    apply(scope, { key, operation, change }) {
      const known = records.get(scope, key);
      if (known !== undefined) return known;
      const todos = scopes.get(scope) ?? new SortedTodos();
      const outcome = makeChange(todos, change);
      if (todos.size === 0) scopes.delete(scope);
      else scopes.set(scope, todos);
      return outcome && records.add(scope, key, Object.freeze({ operation, ...outcome }));
    },
  };
}

/** The outcome; undefined, with nothing changed, if the change does not fit. */
function makeChange(todos: SortedTodos, change: TodoChange): TodoOutcome | undefined {
  switch (change.type) {
    case "insert":
      return todos.get(change.todo.id) === undefined ? { result: todos.put(change.todo) } : undefined;
    case "patch": {
      const before = findExpected(todos, change);
      return before && { result: todos.put(patchTodo(before, change.fields)), before };
    }
    case "remove": {
      const result = findExpected(todos, change);
      if (result === undefined) return undefined;
      todos.remove(change.id);
      return { result };
    }
    case "clear": {
      const { list, onlyCompleted } = change;
      const { size } = todos;
      todos.clear({ ...(list !== undefined && { list }), ...(onlyCompleted && { completed: true }) });
      return { result: Object.freeze({ cleared: size - todos.size }) };
    }
    default:
      return change satisfies never;
  }
}

/** The todo to change, if it is as expected. */
function findExpected(todos: SortedTodos, { id, expected }: Extract<TodoChange, { type: "patch" | "remove" }>) {
  const todo = todos.get(id);
  return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
}
