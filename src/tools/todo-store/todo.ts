import * as z from "zod/v4";

/** How much a todo matters. */
export type TodoPriority = "low" | "medium" | "high";

/** One thing to do. */
export interface Todo {
  /** Unique within its scope. */
  readonly id: string;
  readonly title: string;
  readonly completed: boolean;
  /** The name of its list, as it was written when the todo was put there. Names compare without case. */
  readonly list: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. Only where `completed` is true. */
  readonly completedAt?: string;
  /** A date such as `2026-11-22`, or a date and time with an offset such as `2026-11-22T18:00:00+01:00`. */
  readonly dueDate?: string;
  readonly priority?: TodoPriority;
  /** In lower case, without repetition. */
  readonly tags: readonly string[];
}

/** What `list` and `search` answer. */
export interface TodoPage {
  /** The first of the todos that match, up to `limit`. */
  readonly todos: readonly Todo[];
  /** How many match in all, however many of them are in `todos`. */
  readonly count: number;
  /** How many of all that match are completed. */
  readonly completed: number;
  /** How many of all that match are not. */
  readonly pending: number;
}

/** What `clear` answers. */
export interface TodosCleared {
  /** How many todos were removed. */
  readonly cleared: number;
}

/** What the TodoStore answers: a page for `list` and `search`, a count for `clear`, the todo itself for all others. */
export type TodoStoreOutput = Todo | TodoPage | TodosCleared;

const count = (description: string) => z.number().int().min(0).describe(description);

/** Makes the schema of {@link Todo}: when it is needed, as an import must not pay for it. @internal */
export const createTodoSchema = () =>
  z
    .object({
      id: z.string().min(1),
      title: z.string(),
      completed: z.boolean(),
      list: z.string(),
      createdAt: z.string().describe("ISO 8601, UTC"),
      completedAt: z.string().optional().describe("ISO 8601, UTC; only of a completed todo"),
      dueDate: z.string().optional().describe("ISO 8601 date, or date and time with an offset"),
      priority: z.enum(["low", "medium", "high"]).optional(),
      tags: z.array(z.string()),
    })
    .describe("add, get, complete, reopen, update, delete: the todo");

const pageSchema = () =>
  z
    .object({
      todos: z.array(createTodoSchema()),
      count: count("How many match in all"),
      completed: count("How many of them are completed"),
      pending: count("How many of them are not"),
    })
    .describe("list, search: a page of todos");

const clearedSchema = () =>
  z.object({ cleared: count("How many todos were removed") }).describe("clear: how many were removed");

/** Makes the schema of {@link TodoStoreOutput}: when a store is created, as an import must not pay for it. @internal */
export function createTodoOutputSchema() {
  return z.union([createTodoSchema(), pageSchema(), clearedSchema()]);
}

/** Whether two todos have the same value, or none, in each field. */
export function isSameTodo(one: Todo, other: Todo): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ id, title, completed, list, createdAt, completedAt, dueDate, priority, tags }: Todo): string {
  return JSON.stringify([id, title, completed, list, createdAt, completedAt, dueDate, priority, tags]);
}

/** What a {@link Todo} is before zod: the same with a list of tags of its own. @internal */
type LooseTodo = z.input<ReturnType<typeof createTodoSchema>>;

/** A copy that belongs to whoever gets it. @internal */
export function copyTodo(todo: Todo): LooseTodo {
  return { ...todo, tags: [...todo.tags] };
}
