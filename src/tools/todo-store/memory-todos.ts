import { createMemoryRecords, type MemoryRecordsOptions, type MemoryShelf } from "../storage/memory-records.ts";
import { compareDue, type DueMoment, parseDueDate } from "./due-date.ts";
import { isSameTodo } from "./todo.ts";
import { foldText, type TodoRow, toRow } from "./todo-keys.ts";
import {
  type FoundTodos,
  patchTodo,
  type TodoChange,
  type TodoOutcome,
  type TodoQuery,
  type TodoStorage,
} from "./todo-storage.ts";

/**
 * Keeps todos in memory, as long as the process lives. A query goes through the todos of its scope, so it is for
 * thousands of them, not for millions.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/18-plans-as-json.ts}
 * @group Storage
 */
export function createMemoryTodos(options: MemoryRecordsOptions = {}): TodoStorage {
  return createMemoryRecords("memoryTodos", options, { find: findTodos, change: changeRows });
}

function findTodos(shelf: MemoryShelf<TodoRow>, query: TodoQuery): FoundTodos {
  const { id, offset = 0, limit } = query;
  const candidates = id === undefined ? inOrder(shelf, query) : [shelf.rows.get(id) ?? []].flat();
  const found = candidates.filter(testOf(query));
  return {
    todos: found.slice(offset, offset + limit).map(({ todo }) => todo),
    count: found.length,
    completed: found.filter(({ todo }) => todo.completed).length,
  };
}

/** True for a row that meets all conditions of a query. */
function testOf(query: Omit<TodoQuery, "limit">): (row: TodoRow) => boolean {
  const { words = [], completed, priority, tag } = query;
  const listKey = query.list === undefined ? undefined : foldText(query.list);
  const [before, after, on] = [query.dueBefore, query.dueAfter, query.dueOn].map(
    (bound) => bound && parseDueDate(bound),
  );
  const isDue = (due: DueMoment | undefined, bound: DueMoment | "" | undefined, holds: (order: number) => boolean) =>
    !bound || (due !== undefined && holds(compareDue(due, bound)));
  return (row) =>
    (listKey === undefined || row.listKey === listKey) &&
    (completed === undefined || row.todo.completed === completed) &&
    (priority === undefined || row.todo.priority === priority) &&
    (query.titleKey === undefined || row.titleKey === query.titleKey) &&
    (tag === undefined || row.todo.tags.includes(tag)) &&
    words.every((word) => row.titleKey.includes(word)) &&
    isDue(row.due, before, (order) => order < 0) &&
    isDue(row.due, after, (order) => order > 0) &&
    isDue(row.due, on, (order) => order === 0);
}

type SortKey = string | number | undefined;

const sortKeys: Readonly<Record<NonNullable<TodoQuery["sort"]>, (row: TodoRow) => SortKey>> = {
  created: () => 0,
  // A storage takes any text as a date.
  due: ({ due }) => (due === undefined || Number.isNaN(due.dueOrder) ? undefined : due.dueOrder),
  priority: ({ rank }) => rank,
  title: ({ titleKey }) => titleKey,
};

/** All rows in the order of a query. It is kept until the next change, so pages of one listing are sorted once. */
function inOrder({ rows, sorted }: MemoryShelf<TodoRow>, { sort = "created", reverse = false }: TodoQuery) {
  const name = `${sort} ${reverse}`;
  const known = sorted.get(name);
  if (known !== undefined) return known;
  const all = [...rows.values()].map((row) => ({ row, key: sortKeys[sort](row) }));
  const keyed = all.filter(({ key }) => key !== undefined).sort((one, two) => compare(one.key, two.key));
  const others = all.filter(({ key }) => key === undefined);
  const order = (reverse ? [...keyed.reverse(), ...others.reverse()] : [...keyed, ...others]).map(({ row }) => row);
  sorted.set(name, order);
  return order;
}

function compare(one: SortKey = 0, two: SortKey = 0): number {
  if (one < two) return -1;
  return one > two ? 1 : 0;
}

function changeRows(rows: Map<string, TodoRow>, change: TodoChange): TodoOutcome | undefined {
  const put = (row: TodoRow) => {
    rows.set(row.todo.id, row);
    return row.todo;
  };
  switch (change.type) {
    case "insert":
      return rows.has(change.todo.id) ? undefined : { result: put(toRow(change.todo)) };
    case "patch":
    case "remove": {
      const { id, expected } = change;
      const before = rows.get(id)?.todo;
      if (before === undefined || (expected !== undefined && !isSameTodo(before, expected))) return undefined;
      if (change.type === "patch") return { result: put(toRow(patchTodo(before, change.fields))), before };
      rows.delete(id);
      return { result: before };
    }
    case "clear": {
      const { list, onlyCompleted } = change;
      const { size } = rows;
      const isCleared = testOf({ ...(list !== undefined && { list }), ...(onlyCompleted && { completed: true }) });
      for (const [id, row] of rows) if (isCleared(row)) rows.delete(id);
      return { result: Object.freeze({ cleared: size - rows.size }) };
    }
    default:
      return change satisfies never;
  }
}
