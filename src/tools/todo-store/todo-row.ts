import { type DueMoment, parseDueDate } from "./due-date.ts";
import type { Todo } from "./todo.ts";
import { foldText, titleKey } from "./todo-text.ts";

/** A todo with the values that queries compare. */
export interface TodoRow {
  /** A frozen copy. */
  readonly todo: Todo;
  readonly listKey: string;
  readonly titleKey: string;
  /** From 1, the highest priority, to 3. */
  readonly rank: number | undefined;
  readonly due: DueMoment | undefined;
}

/** Priorities from the highest. */
export const ranks = { high: 1, medium: 2, low: 3 };

/** Creates the row of a todo. */
export function toRow(todo: Todo): TodoRow {
  const written = todo.dueAt ?? todo.dueDate;
  return {
    todo: Object.freeze({ ...todo, tags: Object.freeze([...todo.tags]) }),
    listKey: foldText(todo.list),
    titleKey: titleKey(todo.title),
    rank: todo.priority && ranks[todo.priority],
    due: written === undefined ? undefined : parseDueDate(written),
  };
}
