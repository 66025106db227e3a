import * as z from "zod/v4";

/** The importance of a todo. @inline */
export type TodoPriority = "low" | "medium" | "high";

/** One thing to do. @group Built-in tools */
export interface Todo {
  /** Unique within its scope. */
  readonly id: string;
  readonly title: string;
  readonly completed: boolean;
  /** Name of the list, as written when the todo was added to it. Names are compared case-insensitively. */
  readonly list: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. Only if `completed` is true. */
  readonly completedAt?: string;
  /** A date such as `2026-11-22`. */
  readonly dueDate?: string;
  /** A date and time with an offset, such as `2026-11-22T18:00:00+01:00`, in place of `dueDate`. */
  readonly dueAt?: string;
  readonly priority?: TodoPriority;
  /** In lower case, without duplicates. */
  readonly tags: readonly string[];
}

/** Output of an operation on one todo. @inline */
export interface TodoOfCall extends Todo {
  /** True if `complete`, `reopen` or `update` changed nothing, because the todo was already as requested. */
  readonly unchanged?: true;
}

/** Output of `list` and `search`. @inline */
export interface TodoPage {
  /** The matching todos from `offset` on, up to `limit` or about 512 KiB. */
  readonly todos: readonly Todo[];
  /** Total number of matches, not only of those in `todos`. */
  readonly count: number;
  /** Number of all matches that are completed. */
  readonly completed: number;
  /** Number of all matches that are not completed. */
  readonly pending: number;
}

/** Output of `clear`. @inline */
export interface TodosCleared {
  /** Number of todos that were removed. */
  readonly cleared: number;
}

/** Output of the TodoStore: a page for `list` and `search`, a count for `clear`, or the todo. @group Built-in tools */
export type TodoStoreOutput = TodoOfCall | TodoPage | TodosCleared;
const count = (description: string) => z.number().int().min(0).describe(description);
const todoText = "add, get, complete, reopen, update, delete: the todo";

/** @internal */
export const createTodoSchema = () =>
  z
    .object({
      id: z.string().min(1),
      title: z.string(),
      completed: z.boolean(),
      list: z.string(),
      createdAt: z.string().describe("ISO 8601, UTC"),
      completedAt: z.string().optional().describe("ISO 8601, UTC; only of a completed todo"),
      dueDate: z.string().optional().describe("ISO 8601 date"),
      dueAt: z.string().optional().describe("ISO 8601 date and time with an offset, in place of dueDate"),
      priority: z.enum(["low", "medium", "high"]).optional(),
      tags: z.array(z.string()),
    })
    .describe(todoText);

/** @internal */
export function createTodoOutputSchema() {
  // The todos of a page use the same schema, because models are sent the whole output schema.
  const todo = createTodoSchema()
    .extend({ unchanged: z.literal(true).optional() })
    .describe(todoText);
  const page = z
    .object({
      todos: z.array(todo),
      count: count("How many match in all"),
      completed: count("How many of them are completed"),
      pending: count("How many of them are not"),
    })
    .describe("list, search: a page of todos");
  const cleared = z.object({ cleared: count("How many todos were removed") }).describe("clear: how many were removed");
  return z.union([todo, page, cleared]);
}

export function isSameTodo(one: Todo, other: Todo): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ id, title, completed, list, createdAt, completedAt, dueDate, dueAt, priority, tags }: Todo): string {
  return JSON.stringify([id, title, completed, list, createdAt, completedAt, dueDate, dueAt, priority, tags]);
}

/** @internal */
export function copyTodo<TTodo extends Todo>(todo: TTodo) {
  return { ...todo, tags: [...todo.tags] };
}
