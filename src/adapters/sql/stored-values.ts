import type { Note } from "../../tools/notes/note.ts";
import { type NoteRecord, parseNote, parseNoteRecord } from "../../tools/notes/note-storage.ts";
import type { Todo } from "../../tools/todo-store/todo.ts";
import { parseTodo, parseTodoRecord, type TodoRecord } from "../../tools/todo-store/todo-storage.ts";

// Each throws a `SyntaxError` for anything else: the row is damaged.

/** The todo that a text of JSON is. */
export function todoOf(json: string): Todo {
  return present(parseTodo(JSON.parse(json)), "a todo");
}

/** The outcome of a change of todos; `beforeJson` is undefined if there was none. */
export function todoRecordOf(operation: string, json: string, beforeJson: string | undefined): TodoRecord {
  const before: unknown = beforeJson === undefined ? undefined : JSON.parse(beforeJson);
  return present(parseTodoRecord(operation, JSON.parse(json), before), "the outcome of a change");
}

/** The note that a text of JSON is. */
export function noteOf(json: string): Note {
  return present(parseNote(JSON.parse(json)), "a note");
}

/** The outcome of a change of notes. */
export function noteRecordOf(operation: string, json: string): NoteRecord {
  return present(parseNoteRecord(operation, JSON.parse(json)), "the outcome of a change");
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new SyntaxError(`${what} is malformed`);
  return value;
}
