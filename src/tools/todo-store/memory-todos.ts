import { checkKeys, checkNumber } from "../../core/options.ts";
import { findRows } from "./find-rows.ts";
import { RowSet } from "./row-set.ts";
import type { TodosCleared } from "./todo.ts";
import { TodoShelf } from "./todo-shelf.ts";
import type { FoundTodos, TodoChange, TodoQuery, TodoRecord, TodoStorage } from "./todo-storage.ts";
import { foldText } from "./todo-text.ts";

/** Options of {@link createMemoryTodos}. */
export interface MemoryTodosOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a second attempt is recognised.
   * At least 1. @default 10_000
   */
  readonly rememberedWrites?: number | undefined;
}

/**
 * Keeps todos in memory, as long as the process lives. An id, a list and a page of it in any order are found by index; a
 * query with other conditions goes once through the todos of its list or scope.
 *
 * Throws `invalid-options`.
 */
export function createMemoryTodos(options: MemoryTodosOptions = {}): TodoStorage {
  checkKeys("memoryTodos", options, ["rememberedWrites"]);
  const { rememberedWrites = 10_000 } = options;
  checkNumber("memoryTodos.rememberedWrites", rememberedWrites, { min: 1 });
  const shelves = new Map<string, TodoShelf>();
  const records = createRecords(rememberedWrites);
  return {
    find: (scope, query) => findOnShelf(shelves.get(scope) ?? new TodoShelf(), query),
    recall: (scope, key) => records.get(scope, key),
    apply(scope, { key, operation, change }) {
      const known = records.get(scope, key);
      if (known !== undefined) return known;
      const shelf = shelves.get(scope) ?? new TodoShelf();
      const result = changeShelf(shelf, change);
      if (shelf.isEmpty) shelves.delete(scope);
      else shelves.set(scope, shelf);
      return result && records.add(scope, key, Object.freeze({ operation, result }));
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

function changeShelf(shelf: TodoShelf, change: TodoChange): TodoRecord["result"] | undefined {
  switch (change.type) {
    case "insert":
      return shelf.insert(change.todo);
    case "patch":
      return shelf.patch(change.id, change.fields);
    case "remove":
      return shelf.remove(change.id);
    case "clear":
      return clearShelf(shelf, change);
    default:
      return change satisfies never;
  }
}

function clearShelf(shelf: TodoShelf, { list, onlyCompleted }: Extract<TodoChange, { type: "clear" }>): TodosCleared {
  const rows = [...shelf.rows(list === undefined ? undefined : foldText(list)).parts({})].flat();
  const toClear = rows.filter((row) => row.completed || !onlyCompleted);
  shelf.removeAll(toClear);
  return Object.freeze({ cleared: toClear.length });
}

/** The latest records. A Map keeps the order in which keys came, so its first key is the oldest. */
function createRecords(maxRecords: number) {
  const records = new Map<string, TodoRecord>();
  // As JSON, no scope and key together read like another scope and key.
  const name = (scope: string, key: string) => JSON.stringify([scope, key]);
  return {
    get: (scope: string, key: string) => records.get(name(scope, key)),
    add(scope: string, key: string, record: TodoRecord): TodoRecord {
      records.set(name(scope, key), record);
      const oldest = records.size > maxRecords ? records.keys().next() : undefined;
      if (oldest?.done === false) records.delete(oldest.value);
      return record;
    },
  };
}
