import { compareDue, parseDueDate } from "./due-date.ts";
import type { RowSet } from "./row-set.ts";
import type { Todo } from "./todo.ts";
import { isDueRow, ranks, type TodoRow, tagTextOf } from "./todo-row.ts";
import type { FoundTodos, TodoQuery } from "./todo-storage.ts";

type Parts = Iterable<readonly TodoRow[]>;

/** Runs a query whose `id` and `list` are already applied. Goes through the rows at most once, whatever the order. */
export function findRows(rows: RowSet, query: TodoQuery): FoundTodos {
  const { sort = "created", reverse = false } = query;
  const texts = textsOf(query);
  const isSorted = sort !== "created";
  const parts = isSorted ? rows.sortedParts(sort, reverse) : rows.parts({ containing: texts, reverse });
  // In the order of insertion, the set itself checks the first text.
  const tests = [...fieldTests(query), ...titleTests(query, isSorted ? texts : texts.slice(1)), ...dueTests(query)];
  if (texts.length > 0 || tests.length > 0) return findFitting(parts, tests, query);
  return { todos: firstTodos(parts, query), count: rows.size, completed: rows.completed };
}

function findFitting(parts: Parts, tests: readonly RowTest[], { offset = 0, limit }: TodoQuery): FoundTodos {
  const todos: Todo[] = [];
  let count = 0;
  let completed = 0;
  for (const rows of parts) {
    for (const row of rows) {
      if (!fitsAll(row, tests)) continue;
      if (count >= offset && todos.length < limit) todos.push(row.todo);
      count++;
      if (row.completed) completed++;
    }
  }
  return { todos, count, completed };
}

function firstTodos(parts: Parts, { offset = 0, limit }: TodoQuery): readonly Todo[] {
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

/** The texts that a title must contain, the longest first, as it is the rarest. */
function textsOf({ titleKey, words = [] }: TodoQuery): readonly string[] {
  const texts = titleKey === undefined ? words : [titleKey, ...words];
  return texts.filter((text) => text !== "").sort((left, right) => right.length - left.length);
}

function titleTests({ titleKey }: TodoQuery, texts: readonly string[]): RowTest[] {
  const tests = texts.map((text) => contains("titleKey", text));
  return titleKey === undefined ? tests : [(row) => row.titleKey === titleKey, ...tests];
}

function fieldTests({ completed, priority, tag }: TodoQuery): RowTest[] {
  const tests: RowTest[] = [];
  if (completed !== undefined) tests.push((row) => row.completed === completed);
  if (priority !== undefined) tests.push(({ rank }) => rank === ranks[priority]);
  if (tag !== undefined) tests.push(contains("tagText", tagTextOf(tag)));
  return tests;
}

function contains(key: "tagText" | "titleKey", text: string): RowTest {
  return (row) => row[key].includes(text);
}

function dueTests({ dueBefore, dueAfter, dueOn }: TodoQuery): RowTest[] {
  const tests: RowTest[] = [];
  const addTest = (text: string | undefined, holds: (order: number) => boolean) => {
    if (text === undefined) return;
    const bound = parseDueDate(text);
    tests.push((row) => isDueRow(row) && holds(compareDue(row, bound)));
  };
  addTest(dueBefore, (order) => order < 0);
  addTest(dueAfter, (order) => order > 0);
  addTest(dueOn, (order) => order === 0);
  return tests;
}
