import { findTodo } from "./find-todo.ts";
import type { Todo, TodoPage } from "./todo.ts";
import type { ParsedTodoInputOf, TodoReadOperation } from "./todo-input.ts";
import type { FoundTodos, TodoQuery, TodoStorage } from "./todo-storage.ts";
import { wordsOf } from "./todo-text.ts";

/** A page ends early rather than pass this many bytes of JSON: half of what a run allows for an output by default. */
const maxPageBytes = 512 * 1_024;

/** Runs `list`, `get` or `search`. Changes nothing. Throws `todo-not-found` or `todo-ambiguous` where `get` does not find exactly one todo. */
export async function readTodos(
  storage: TodoStorage,
  { scope, input }: { scope: string; input: ParsedTodoInputOf<TodoReadOperation> },
): Promise<Todo | TodoPage> {
  switch (input.operation) {
    case "get":
      return findTodo({ storage, scope, target: input, match: "words" });
    case "list":
      return toPage(await storage.find(scope, toQuery(input)));
    case "search": {
      const { query, operation, ...rest } = input;
      return toPage(await storage.find(scope, { ...rest, words: wordsOf(query) }));
    }
    default:
      return input satisfies never;
  }
}

function toQuery({ operation, status, ...query }: ParsedTodoInputOf<"list">): TodoQuery {
  return status === "all" ? query : { ...query, completed: status === "completed" };
}

function toPage({ todos, count, completed }: FoundTodos): TodoPage {
  return { todos: cutPage(todos), count, completed, pending: count - completed };
}

function cutPage(todos: readonly Todo[]): readonly Todo[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const tooMuch = todos.findIndex((todo, index) => {
    bytes += encoder.encode(JSON.stringify(todo)).length + 1;
    return index > 0 && bytes > maxPageBytes;
  });
  return tooMuch === -1 ? todos : todos.slice(0, tooMuch);
}
