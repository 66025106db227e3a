import type { Todo } from "../tools/todo-store/todo.ts";
import { parseTodo, parseTodoRecord, type TodoRecord } from "../tools/todo-store/todo-storage.ts";
import type { SqlRow } from "./sql-database.ts";
import { readOptionalText, readText } from "./sql-row.ts";

/** The todo of a row. Throws a `SyntaxError` for anything else. */
export function readTodo(row: SqlRow): Todo {
  const todo = parseTodo(JSON.parse(readText(row, "json")));
  if (todo === undefined) throw new SyntaxError("a todo is malformed");
  return todo;
}

/** The outcome of a row. Throws a `SyntaxError` for anything else. */
export function readRecord(row: SqlRow): TodoRecord {
  const before = readOptionalText(row, "before_json");
  const record = parseTodoRecord(
    readText(row, "operation"),
    JSON.parse(readText(row, "json")),
    before === undefined ? undefined : JSON.parse(before),
  );
  if (record === undefined) throw new SyntaxError("the outcome of a change is malformed");
  return record;
}
