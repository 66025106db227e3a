import { compareDue, type DueMoment, parseDueDate } from "./due-date.ts";
import type { Todo } from "./todo.ts";
import type { TodoQuery } from "./todo-storage.ts";
import { foldText, titleKey } from "./todo-text.ts";

/**
 * A todo with the precomputed values that queries compare. They are in the row itself, those compared for every row
 * first: with 100 000 rows, each further memory access costs more than the comparison.
 */
export interface TodoRow extends MaybeDue {
  readonly todo: Todo;
  /** Where it is among the rows in memory, in the order of insertion. */
  index: number;
  readonly listKey: string;
  readonly titleKey: string;
  readonly completed: boolean;
  /** From 1, the highest priority, to 3. */
  readonly rank: number | undefined;
  /** The {@link tagTextOf} each tag. */
  readonly tagText: string;
}

/** The parts of a due date; undefined without one. */
type MaybeDue = { readonly [Key in keyof DueMoment]: DueMoment[Key] | undefined };

/** The part of a `tagText` for a tag. As JSON no tag contains a line break, so none is found inside another. */
export function tagTextOf(tag: string): string {
  return `\n${JSON.stringify(tag)}\n`;
}

/** Priorities from the highest. */
export const ranks = { high: 1, medium: 2, low: 3 };

/** Creates the row of a todo, with a frozen copy of it. */
export function toRow(todo: Todo, index = 0): TodoRow {
  const tags = Object.freeze([...todo.tags]);
  const written = todo.dueAt ?? todo.dueDate;
  const due = written === undefined ? undefined : parseDueDate(written);
  return {
    completed: todo.completed,
    index,
    listKey: foldText(todo.list),
    titleKey: titleKey(todo.title),
    rank: todo.priority && ranks[todo.priority],
    dueDay: due?.dueDay,
    isWholeDay: due?.isWholeDay,
    dueMs: due?.dueMs,
    dueOrder: due?.dueOrder,
    tagText: tags.map(tagTextOf).join(""),
    todo: Object.freeze({ ...todo, tags }),
  };
}

type RowTest = (row: TodoRow) => boolean;

/** Whether a row passes all tests. */
export function fitsAll(row: TodoRow, tests: readonly RowTest[]): boolean {
  for (const test of tests) if (!test(row)) return false;
  return true;
}

/** The conditions of a query. */
export function testsOf(query: Omit<TodoQuery, "limit">): readonly RowTest[] {
  const { id, list, titleKey, words = [], completed, priority, tag, dueBefore, dueAfter, dueOn } = query;
  return [
    ...given(completed, (is) => (row) => row.completed === is),
    ...given(list && foldText(list), (key) => (row) => row.listKey === key),
    ...given(priority, (name) => (row) => row.rank === ranks[name]),
    ...given(titleKey, (key) => (row) => row.titleKey === key),
    ...words.flatMap((word) => given(word, (text) => (row) => row.titleKey.includes(text))),
    ...given(tag === undefined ? undefined : tagTextOf(tag), (text) => (row) => row.tagText.includes(text)),
    ...given(dueBefore, (text) => dueTest(text, (order) => order < 0)),
    ...given(dueAfter, (text) => dueTest(text, (order) => order > 0)),
    ...given(dueOn, (text) => dueTest(text, (order) => order === 0)),
    ...given(id, (id) => (row) => row.todo.id === id),
  ];
}

function given<T>(value: T | undefined, toTest: (value: T) => RowTest): readonly RowTest[] {
  return value === undefined ? [] : [toTest(value)];
}

function dueTest(bound: string, holds: (order: number) => boolean): RowTest {
  const moment = parseDueDate(bound);
  return (row) => isDueRow(row) && holds(compareDue(row, moment));
}

function isDueRow(row: TodoRow): row is TodoRow & DueMoment {
  return row.dueDay !== undefined;
}
