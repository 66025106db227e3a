import * as z from "zod/v4";
import { createNoteSchema, type Note } from "../../tools/notes/note.ts";
import type { NoteRecord } from "../../tools/notes/note-storage.ts";
import { isDueDate } from "../../tools/todo-store/due-date.ts";
import { createTodoSchema, type Todo } from "../../tools/todo-store/todo.ts";
import type { TodoRecord } from "../../tools/todo-store/todo-storage.ts";

let known: ReturnType<typeof createSchemas> | undefined;

/** Called when the first row is read, so that an import does not pay for it. */
function createSchemas() {
  const isDue = (due: string | undefined) => due === undefined || isDueDate(due);
  const todo = createTodoSchema().refine(({ dueDate, dueAt }) => isDue(dueDate) && isDue(dueAt));
  const note = createNoteSchema();
  return {
    todo,
    note,
    todoRecord: z.object({
      operation: z.enum(["add", "complete", "reopen", "update", "delete", "clear", "undo"]),
      result: z.union([z.object({ cleared: z.number() }), todo]),
      before: todo.optional(),
    }),
    noteRecord: z.object({ operation: z.enum(["add", "delete", "undo"]), note }),
  };
}

/** A stored value with all its keys, as later versions may add some. Throws a `SyntaxError` if the row is damaged. */
function checked<T>(kind: keyof ReturnType<typeof createSchemas>, value: unknown): T {
  known ??= createSchemas();
  if (!known[kind].safeParse(value).success) throw new SyntaxError(`a ${kind} is malformed`);
  return value as T;
}

/** The todo that a text of JSON is. */
export const todoOf = (json: string): Todo => checked("todo", JSON.parse(json));

/** The note that a text of JSON is. */
export const noteOf = (json: string): Note => checked("note", JSON.parse(json));

/** The outcome of a change of todos; `before` is undefined if there was none. */
export function todoRecordOf(operation: string, json: string, before: string | undefined): TodoRecord {
  const result: unknown = JSON.parse(json);
  return checked("todoRecord", { operation, result, ...(before !== undefined && { before: JSON.parse(before) }) });
}

/** The outcome of a change of notes. */
export function noteRecordOf(operation: string, json: string): NoteRecord {
  return checked("noteRecord", { operation, note: JSON.parse(json) });
}
