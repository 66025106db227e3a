import { cutText } from "../../core/cut-text.ts";
import type { TodoMatch } from "../../core/tool-errors.ts";
import type { Todo } from "./todo.ts";

/** The maximum number of todos that an error names. */
export const maxNamed = 10;

/** Todos for the details of an error: the first few, with long titles cut. */
export function toMatches(todos: readonly Todo[]): readonly TodoMatch[] {
  return todos
    .slice(0, maxNamed)
    .map(({ id, title, list, completed }) => ({ id, title: cutText(title, 200), list, completed }));
}

/** Todos as text, for a message. */
export function describeMatches(matches: readonly TodoMatch[]): string {
  return matches
    .map(({ id, title, list, completed }) => {
      const state = completed ? ", completed" : "";
      return `${JSON.stringify(cutText(title, 80))} (id ${id}, list ${list}${state})`;
    })
    .join("; ");
}
