import { compareDue, parseDueDate } from "./due-date.ts";
import type { RowSet } from "./row-set.ts";
import { type Selection, selectFirst, takeFirst } from "./select-first.ts";
import type { Todo } from "./todo.ts";
import { ranks, type TodoRow } from "./todo-row.ts";
import type { FoundTodos, TodoQuery } from "./todo-storage.ts";

/** Runs a query of which `id` and `list` have been seen to. Goes through the rows once at most, whatever the order. */
export function findRows(rows: RowSet, query: TodoQuery): FoundTodos {
  const { sort = "created", reverse = false, offset = 0, limit } = query;
  const containing = textsOf(query);
  const tests = [...fieldTests(query), ...titleTests(query, containing), ...dueTests(query)];
  if (sort !== "created") {
    return toFound(rows.parts({ containing }), tests, selectFirst({ offset, limit, compare: rowOrder(sort, reverse) }));
  }
  const parts = rows.parts({ containing, reverse });
  if (containing.length > 0 || tests.length > 0) return toFound(parts, tests, takeFirst({ offset, limit }));
  return { todos: firstTodos(parts, { offset, limit }), count: rows.size, completed: rows.completed };
}

function toFound(
  parts: Iterable<readonly TodoRow[]>,
  tests: readonly RowTest[],
  selection: Selection<TodoRow>,
): FoundTodos {
  let count = 0;
  let completed = 0;
  for (const rows of parts) {
    for (const row of rows) {
      if (!fitsAll(row, tests)) continue;
      count++;
      if (row.completed) completed++;
      selection.add(row);
    }
  }
  return { todos: selection.items().map((row) => row.todo), count, completed };
}

function firstTodos(
  parts: Iterable<readonly TodoRow[]>,
  { offset, limit }: { offset: number; limit: number },
): readonly Todo[] {
  const todos: Todo[] = [];
  let toSkip = offset;
  for (const rows of parts) {
    if (todos.length >= limit) break;
    for (const row of rows.slice(toSkip, toSkip + limit - todos.length)) todos.push(row.todo);
    toSkip = Math.max(0, toSkip - rows.length);
  }
  return todos;
}

type RowTest = (row: TodoRow) => boolean;

function fitsAll(row: TodoRow, tests: readonly RowTest[]): boolean {
  for (const test of tests) if (!test(row)) return false;
  return true;
}

/** What must be in a title, the longest first: it is in the fewest. */
function textsOf({ titleKey, words = [] }: TodoQuery): readonly string[] {
  const texts = titleKey === undefined ? words : [titleKey, ...words];
  return texts.filter((text) => text !== "").sort((left, right) => right.length - left.length);
}

/** The set itself sees to the first text. */
function titleTests({ titleKey }: TodoQuery, [, ...texts]: readonly string[]): RowTest[] {
  const tests = texts.map(
    (text): RowTest =>
      (row) =>
        row.titleKey.includes(text),
  );
  return titleKey === undefined ? tests : [(row) => row.titleKey === titleKey, ...tests];
}

function fieldTests({ completed, priority, tag }: TodoQuery): RowTest[] {
  const tests: RowTest[] = [];
  if (completed !== undefined) tests.push((row) => row.completed === completed);
  if (priority !== undefined) tests.push(({ rank }) => rank === ranks[priority]);
  if (tag !== undefined) tests.push(({ tags }) => tags.includes(tag));
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

const sortKeys = {
  due: (row: TodoRow) => row.dueMs,
  priority: (row: TodoRow) => row.rank,
  title: (row: TodoRow) => row.titleKey,
};

function rowOrder(sort: keyof typeof sortKeys, reverse: boolean): (left: TodoRow, right: TodoRow) => number {
  const sign = reverse ? -1 : 1;
  const keyOf = sortKeys[sort];
  return (leftRow, rightRow) => {
    const left = keyOf(leftRow);
    const right = keyOf(rightRow);
    if (left === right) return (leftRow.sequence - rightRow.sequence) * sign;
    // What has no key is last both ways.
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -sign : sign;
  };
}
