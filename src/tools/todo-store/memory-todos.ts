import { checkKeys, checkNumber } from "../../core/options.ts";
import { findRows, patchTodo, type TodoRow, toRow } from "./todo-rows.ts";
import type { FoundTodos, TodoChange, TodoRecord, TodoStorage } from "./todo-storage.ts";
import { foldText } from "./todo-text.ts";

/** Options of {@link createMemoryTodos}. */
export interface MemoryTodosOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a second attempt is recognised.
   * At least 1. @default 10_000
   */
  readonly rememberedWrites?: number;
}

/**
 * Keeps todos in memory, as long as the process lives. Looking one up by its id takes the same time however many there
 * are; any other query goes through the todos of its scope once.
 *
 * Throws `invalid-options`.
 */
export function createMemoryTodos(options: MemoryTodosOptions = {}): TodoStorage {
  checkKeys("memoryTodos", options, ["rememberedWrites"]);
  const { rememberedWrites = 10_000 } = options;
  checkNumber("memoryTodos.rememberedWrites", rememberedWrites, { min: 1 });
  const scopes = new Map<string, Map<string, TodoRow>>();
  const records = createRecords(rememberedWrites);
  let sequence = 0;

  const change = (scope: string, change: TodoChange): TodoRecord["result"] | undefined => {
    const rows = scopes.get(scope) ?? new Map<string, TodoRow>();
    switch (change.type) {
      case "insert": {
        if (rows.has(change.todo.id)) return undefined;
        const row = toRow(change.todo, sequence++);
        scopes.set(scope, rows.set(row.todo.id, row));
        return row.todo;
      }
      case "patch": {
        const old = rows.get(change.id);
        if (old === undefined) return undefined;
        const row = toRow(patchTodo(old.todo, change.fields), old.sequence);
        rows.set(change.id, row);
        return row.todo;
      }
      case "remove": {
        const row = rows.get(change.id);
        rows.delete(change.id);
        return row?.todo;
      }
      case "clear":
        return clearRows(rows, change);
      default:
        return change satisfies never;
    }
  };

  return {
    find(scope, query): FoundTodos {
      const rows = scopes.get(scope);
      if (rows === undefined) return { todos: [], count: 0, completed: 0 };
      if (query.id === undefined) return findRows(rows.values(), query);
      const row = rows.get(query.id);
      return findRows(row === undefined ? [] : [row], query);
    },
    recall: (scope, key) => records.get(scope, key),
    apply(scope, write) {
      const known = records.get(scope, write.key);
      if (known !== undefined) return known;
      const result = change(scope, write.change);
      if (scopes.get(scope)?.size === 0) scopes.delete(scope);
      return result && records.add(scope, write.key, Object.freeze({ operation: write.operation, result }));
    },
  };
}

function clearRows(rows: Map<string, TodoRow>, { list, onlyCompleted }: Extract<TodoChange, { type: "clear" }>) {
  const listKey = list === undefined ? undefined : foldText(list);
  const before = rows.size;
  for (const [id, row] of rows) {
    if (onlyCompleted && !row.todo.completed) continue;
    if (listKey === undefined || row.listKey === listKey) rows.delete(id);
  }
  return Object.freeze({ cleared: before - rows.size });
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
