import { compareDue, type DueMoment, parseDueDate } from "./due-date.ts";
import { selectFirst } from "./select-first.ts";
import type { Todo } from "./todo.ts";
import type { FoundTodos, TodoPatch, TodoQuery } from "./todo-storage.ts";
import { foldText, titleKey } from "./todo-text.ts";

/** A todo with what queries compare, worked out once. */
export interface TodoRow {
  readonly todo: Todo;
  /** Rises with each insertion. */
  readonly sequence: number;
  readonly listKey: string;
  readonly titleKey: string;
  readonly due: DueMoment | undefined;
}

/** The row of a todo, of which it keeps a frozen copy. */
export function toRow(todo: Todo, sequence: number): TodoRow {
  return {
    todo: Object.freeze({ ...todo, tags: Object.freeze([...todo.tags]) }),
    sequence,
    listKey: foldText(todo.list),
    titleKey: titleKey(todo.title),
    due: todo.dueDate === undefined ? undefined : parseDueDate(todo.dueDate),
  };
}

/** A todo with new values of some fields. */
export function patchTodo(todo: Todo, fields: TodoPatch): Todo {
  const { completedAt, dueDate, priority, ...rest } = todo;
  const { title = rest.title, list = rest.list, completed = rest.completed, tags = rest.tags } = fields;
  const newCompletedAt = newValue(fields.completedAt, completedAt);
  const newDueDate = newValue(fields.dueDate, dueDate);
  const newPriority = newValue(fields.priority, priority);
  return {
    ...rest,
    ...{ title, list, completed, tags },
    // No key without a value, as after a round trip through JSON.
    ...(newCompletedAt !== undefined && { completedAt: newCompletedAt }),
    ...(newDueDate !== undefined && { dueDate: newDueDate }),
    ...(newPriority !== undefined && { priority: newPriority }),
  };
}

/** What `null` removes, and `undefined` leaves as it is. */
function newValue<T>(value: T | null | undefined, old: T | undefined): T | undefined {
  return value === undefined ? old : (value ?? undefined);
}

/** Goes through the rows once. Takes time in proportion to their number, whatever the order and the limit. */
export function findRows(rows: Iterable<TodoRow>, query: TodoQuery): FoundTodos {
  const { offset = 0, limit } = query;
  const fits = rowFilter(query);
  const page = selectFirst(limit === 0 ? 0 : offset + limit, rowOrder(query));
  let count = 0;
  let completed = 0;
  for (const row of rows) {
    if (!fits(row)) continue;
    count++;
    if (row.todo.completed) completed++;
    page.add(row);
  }
  const todos = page
    .items()
    .slice(offset)
    .map((row) => row.todo);
  return { todos, count, completed };
}

type RowTest = (row: TodoRow) => boolean;

function rowFilter(query: TodoQuery): RowTest {
  const tests = [...fieldTests(query), ...dueTests(query)];
  return (row) => {
    for (const test of tests) if (!test(row)) return false;
    return true;
  };
}

function fieldTests({ id, list, titleKey, words, completed, priority, tag }: TodoQuery): RowTest[] {
  const tests: RowTest[] = [];
  if (id !== undefined) tests.push(({ todo }) => todo.id === id);
  if (list !== undefined) {
    const key = foldText(list);
    tests.push(({ listKey }) => listKey === key);
  }
  if (completed !== undefined) tests.push(({ todo }) => todo.completed === completed);
  if (priority !== undefined) tests.push(({ todo }) => todo.priority === priority);
  if (tag !== undefined) tests.push(({ todo }) => todo.tags.includes(tag));
  if (titleKey !== undefined) tests.push((row) => row.titleKey === titleKey);
  for (const word of words ?? []) tests.push((row) => row.titleKey.includes(word));
  return tests;
}

function dueTests({ dueBefore, dueAfter, dueOn }: TodoQuery): RowTest[] {
  const tests: RowTest[] = [];
  const addTest = (text: string | undefined, holds: (order: number) => boolean) => {
    if (text === undefined) return;
    const bound = parseDueDate(text);
    tests.push(({ due }) => due !== undefined && holds(compareDue(due, bound)));
  };
  addTest(dueBefore, (order) => order < 0);
  addTest(dueAfter, (order) => order > 0);
  addTest(dueOn, (order) => order === 0);
  return tests;
}

type RowCompare = (left: TodoRow, right: TodoRow) => number;

const ranks = { high: 1, medium: 2, low: 3 };

function rowOrder({ sort = "created", reverse = false }: TodoQuery): RowCompare {
  const sign = reverse ? -1 : 1;
  const compareKeys = (left: number | string | undefined, right: number | string | undefined): number => {
    if (left === right) return 0;
    // What has no key is last both ways.
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -sign : sign;
  };
  const keyOf = sortKeys[sort];
  return (left, right) => compareKeys(keyOf(left), keyOf(right)) || (left.sequence - right.sequence) * sign;
}

const sortKeys: Record<NonNullable<TodoQuery["sort"]>, (row: TodoRow) => number | string | undefined> = {
  created: (row) => row.sequence,
  due: (row) => row.due?.instantMs,
  priority: ({ todo }) => (todo.priority === undefined ? undefined : ranks[todo.priority]),
  title: (row) => row.titleKey,
};
