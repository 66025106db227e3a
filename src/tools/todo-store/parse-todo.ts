import * as z from "zod/v4";
import { isDueDate } from "./due-date.ts";
import { createTodoSchema, type Todo } from "./todo.ts";
import type { TodoRecord } from "./todo-storage.ts";

let schemas: ReturnType<typeof createSchemas> | undefined;

/** Called when the first todo is read, so that an import does not pay for it. */
function createSchemas() {
  return {
    todo: createTodoSchema(),
    cleared: z.object({ cleared: z.number() }),
    operation: z.enum(["add", "complete", "reopen", "update", "delete", "clear", "undo"]),
  };
}

/** The value that a storage has read, with all its keys, if it is a todo. */
export function parseTodo(value: unknown): Todo | undefined {
  schemas ??= createSchemas();
  const { success, data } = schemas.todo.safeParse(value);
  if (!success || (data.dueDate !== undefined && !isDueDate(data.dueDate))) return undefined;
  return value as Todo;
}

/** The value that a storage has read, if it is the outcome of a change; `before` is undefined if not recorded. */
export function parseTodoRecord(operation: unknown, value: unknown, before?: unknown): TodoRecord | undefined {
  schemas ??= createSchemas();
  const known = schemas.operation.safeParse(operation);
  const cleared = schemas.cleared.safeParse(value);
  const result = cleared.success ? cleared.data : parseTodo(value);
  if (!known.success || result === undefined) return undefined;
  if (before === undefined) return { operation: known.data, result };
  const todo = parseTodo(before);
  return todo && { operation: known.data, result, before: todo };
}
