import type { Todo } from "./todo.ts";

/** A todo in the details of an error; the title is cut at 200 UTF-16 code units. */
export interface TodoMatch {
  readonly id: string;
  readonly title: string;
  readonly list: string;
  readonly completed: boolean;
}

/** What each code of a {@link TodoError} carries in `details`. The keys of this interface are the codes. */
export interface TodoErrorDetails {
  /** Nothing fits. `near` has up to 10 todos that may have been meant. */
  "todo-not-found": { readonly wanted: string; readonly near: readonly TodoMatch[] };
  /** Several fit. `matches` has the first 10 of them, `count` is how many there are. */
  "todo-ambiguous": { readonly wanted: string; readonly count: number; readonly matches: readonly TodoMatch[] };
  /** `clear` was given no list, and there are several. Up to 10 of their names. */
  "todo-list-ambiguous": { readonly lists: readonly string[] };
  /** An idempotency key came again for another operation. */
  "todo-key-reused": { readonly idempotencyKey: string; readonly operation: string; readonly earlier: string };
  /** The `scope` option gave no text. */
  "todo-scope-missing": { readonly received: string };
  /** The `createId` option gave an id that a todo of the scope already has. */
  "todo-id-taken": { readonly id: string };
}

/** Every code a {@link TodoError} can have. It may grow in a minor release: keep a default branch. */
export type TodoErrorCode = keyof TodoErrorDetails;

/** Why the TodoStore did nothing. Trying again does not help: `retryable` is false. Nothing was changed. */
export class TodoError<TCode extends TodoErrorCode = TodoErrorCode> extends Error {
  override readonly name = "TodoError";
  readonly code: TCode;
  readonly details: TodoErrorDetails[TCode];
  readonly retryable = false;

  constructor(code: TCode, message: string, details: TodoErrorDetails[TCode]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** How many todos an error names at most. */
export const maxNamed = 10;

/** Todos as an error names them: the first few, long titles cut. */
export function toMatches(todos: readonly Todo[]): readonly TodoMatch[] {
  return todos
    .slice(0, maxNamed)
    .map(({ id, title, list, completed }) => ({ id, title: cutText(title, 200), list, completed }));
}

/** Todos in words, for a message. */
export function describeMatches(matches: readonly TodoMatch[]): string {
  return matches
    .map(({ id, title, list, completed }) => {
      const state = completed ? ", completed" : "";
      return `${JSON.stringify(cutText(title, 80))} (id ${id}, list ${list}${state})`;
    })
    .join("; ");
}

/** A text cut at a number of UTF-16 code units, never through a character. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
