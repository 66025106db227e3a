import { defined } from "../../core/option-tables.ts";
import {
  createMemoryRecords,
  foldText,
  type KeyedStorage,
  type MemoryRecordsOptions,
} from "../storage/keyed-records.ts";
import { isSameTodo, type Todo, type TodoPriority, type TodosCleared } from "./todo.ts";
import type { TodoWriteOperation } from "./todo-input.ts";
import { compareDue, type DueMoment, parseDueDate, type TodoRow, toRow } from "./todo-keys.ts";

/** Storage of a TodoStore. @group Storage */
export interface TodoStorage extends KeyedStorage<TodoQuery, FoundTodos, TodoWrite, TodoRecord> {}

/** A query for todos: conditions that must all be met, order and page. @group Storage */
export interface TodoQuery {
  readonly id?: string;
  /** Compared by `foldText`. */
  readonly list?: string;
  /** Equal to the `titleKey` of the title. */
  readonly titleKey?: string;
  /** Each word must occur in the `titleKey` of the title. */
  readonly words?: readonly string[];
  readonly completed?: boolean;
  readonly priority?: TodoPriority;
  readonly tag?: string;
  /** Bounds that `compareDue` compares with `dueAt` or `dueDate`. A todo without either matches none. */
  readonly dueBefore?: string;
  readonly dueAfter?: string;
  readonly dueOn?: string;
  /**
   * `created` sorts in the order of insertion, `due` by the `dueOrder` of `parseDueDate`, `priority` from high to low,
   * and `title` by `titleKey`, comparing code units. Ties are in the order of insertion. @default "created"
   */
  readonly sort?: "created" | "due" | "priority" | "title";
  /** Reverses the order, but todos without a due date or priority stay last. @default false */
  readonly reverse?: boolean;
  /** Number of todos to skip. @default 0 */
  readonly offset?: number;
  /** Maximum number of todos to return; 0 only counts them. */
  readonly limit: number;
}

/** The result of a query. @group Storage */
export interface FoundTodos {
  readonly todos: readonly Todo[];
  /** Number of matches, regardless of offset and limit. */
  readonly count: number;
  /** Number of matches that are completed. */
  readonly completed: number;
}

/** A change, with a key that makes it happen only once. @group Storage */
export interface TodoWrite {
  readonly key: string;
  /** Recorded with the outcome. */
  readonly operation: TodoWriteOperation | "undo";
  readonly change: TodoChange;
}

/** @inline */
export type TodoChange =
  | { readonly type: "insert"; readonly todo: Todo }
  /** If `expected` is set, the change fits only a todo that equals it in each field of {@link Todo}. */
  | { readonly type: "patch"; readonly id: string; readonly fields: TodoPatch; readonly expected?: Todo }
  | { readonly type: "remove"; readonly id: string; readonly expected?: Todo }
  /** Removes all todos, or those of one list (compared by `foldText`). `onlyCompleted` spares open todos. */
  | { readonly type: "clear"; readonly list?: string; readonly onlyCompleted: boolean };

/** New values of fields; `null` removes a field, and an omitted one stays unchanged. @inline */
export type TodoPatch = Partial<Pick<Todo, "title" | "list" | "completed" | "tags">> & {
  readonly [TField in "completedAt" | "dueDate" | "dueAt" | "priority"]?: Required<Todo>[TField] | null;
};

/** The outcome of a change. */
export interface TodoOutcome {
  /** The todo after the change, a removed todo as it was, or the number of cleared todos. */
  readonly result: Todo | TodosCleared;
  /** For a patch, which cannot be undone without it: the todo before the change. */
  readonly before?: Todo;
}

/** The outcome of a change, as recorded under its key. @group Storage */
export interface TodoRecord extends TodoOutcome, Pick<TodoWrite, "operation"> {}

export function patchTodo(todo: Todo, fields: TodoPatch): Todo {
  const all = Object.entries({ ...todo, ...defined({ ...fields }) });
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as unknown as Todo;
}

/**
 * Keeps todos in memory until the process ends. A query scans all todos of its scope, which suits thousands of todos,
 * not millions. Throws `invalid-options`. {@includeCode ../../../examples/18-plans-as-json.ts} @group Storage
 */
export function createMemoryTodos(options: MemoryRecordsOptions = {}): TodoStorage {
  return createMemoryRecords("memoryTodos", options, { find: findTodos, change: changeRows });
}

function findTodos(rows: ReadonlyMap<string, TodoRow>, query: TodoQuery): FoundTodos {
  const { id, offset = 0, limit } = query;
  const candidates = id === undefined ? inOrder([...rows.values()], query) : [rows.get(id) ?? []].flat();
  const found = candidates.filter(testOf(query));
  return {
    todos: found.slice(offset, offset + limit).map(({ todo }) => todo),
    count: found.length,
    completed: found.filter(({ todo }) => todo.completed).length,
  };
}

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

const sortKeys = {
  due: ({ due }: TodoRow) => (due === undefined || Number.isNaN(due.dueOrder) ? undefined : due.dueOrder),
  priority: ({ rank }: TodoRow) => rank,
  title: ({ titleKey }: TodoRow) => titleKey,
} satisfies Readonly<Record<string, (row: TodoRow) => SortKey>>;

function inOrder(rows: readonly TodoRow[], { sort = "created", reverse = false }: TodoQuery): readonly TodoRow[] {
  if (sort === "created") return reverse ? rows.toReversed() : rows;
  const all = rows.map((row) => ({ row, key: sortKeys[sort](row) }));
  const keyed = all.filter(({ key }) => key !== undefined).sort((one, two) => compare(one.key, two.key));
  const others = all.filter(({ key }) => key === undefined);
  return (reverse ? [...keyed.reverse(), ...others.reverse()] : [...keyed, ...others]).map(({ row }) => row);
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
