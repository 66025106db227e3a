import { type OptionTable, readOptions } from "../../core/options.ts";
import { WriteRecords } from "../storage/write-records.ts";
import { findRows } from "./find-rows.ts";
import { RowSet } from "./row-set.ts";
import { isSameTodo, type Todo, type TodosCleared } from "./todo.ts";
import { TodoShelf } from "./todo-shelf.ts";
import type { FoundTodos, TodoChange, TodoOutcome, TodoQuery, TodoRecord, TodoStorage } from "./todo-storage.ts";
import { foldText } from "./todo-text.ts";

/** Options of {@link createMemoryTodos}. */
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
 * Keeps todos in memory, as long as the process lives. Ids, lists and pages of them in any order are found by index; a
 * query with other conditions goes once through the todos of its list or scope.
 *
 * Throws `invalid-options`.
 */
export function createMemoryTodos(options: MemoryTodosOptions = {}): TodoStorage {
  const { rememberedWrites } = readOptions(storageOptions, options, "memoryTodos");
  const shelves = new Map<string, TodoShelf>();
  const records = new WriteRecords<TodoRecord>(rememberedWrites);
  return {
    find: (scope, query) => findOnShelf(shelves.get(scope) ?? new TodoShelf(), query),
    recall: (scope, key) => records.get(scope, key),
    apply(scope, { key, operation, change }) {
      const known = records.get(scope, key);
      if (known !== undefined) return known;
      const shelf = shelves.get(scope) ?? new TodoShelf();
      const outcome = changeShelf(shelf, change);
      if (shelf.isEmpty) shelves.delete(scope);
      else shelves.set(scope, shelf);
      return outcome && records.add(scope, key, Object.freeze({ operation, ...outcome }));
    },
  };
}

function findOnShelf(shelf: TodoShelf, query: TodoQuery): FoundTodos {
  const { id, list } = query;
  const listKey = list === undefined ? undefined : foldText(list);
  if (id === undefined) return findRows(shelf.rows(listKey), query);
  const only = new RowSet();
  const row = shelf.get(id);
  if (row !== undefined && (listKey === undefined || row.listKey === listKey)) only.put(row);
  return findRows(only, query);
}

function changeShelf(shelf: TodoShelf, change: TodoChange): TodoOutcome | undefined {
  switch (change.type) {
    case "insert":
      return toOutcome(shelf.insert(change.todo));
    case "patch": {
      const before = findExpected(shelf, change);
      return before && toOutcome(shelf.patch(change.id, change.fields), before);
    }
    case "remove":
      return findExpected(shelf, change) && toOutcome(shelf.remove(change.id));
    case "clear":
      return { result: clearShelf(shelf, change) };
    default:
      return change satisfies never;
  }
}

/** The todo to change, if it is as expected. */
function findExpected(shelf: TodoShelf, { id, expected }: Extract<TodoChange, { type: "patch" | "remove" }>) {
  const todo = shelf.get(id)?.todo;
  return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
}

function toOutcome(result: Todo | undefined, before?: Todo): TodoOutcome | undefined {
  return result && { result, ...(before && { before }) };
}

function clearShelf(shelf: TodoShelf, { list, onlyCompleted }: Extract<TodoChange, { type: "clear" }>): TodosCleared {
  const rows = [...shelf.rows(list === undefined ? undefined : foldText(list)).parts({})].flat();
  const toClear = rows.filter((row) => row.completed || !onlyCompleted);
  shelf.removeAll(toClear);
  return Object.freeze({ cleared: toClear.length });
}
