import { cutPage } from "../storage/cut-page.ts";
import { findTodo } from "./find-todo.ts";
import type { Todo, TodoPage } from "./todo.ts";
import type { ParsedTodoInputOf, TodoReadOperation } from "./todo-input.ts";
import type { FoundTodos, TodoQuery, TodoStorage } from "./todo-storage.ts";
import { wordsOf } from "./todo-text.ts";

/** Reads without changes. Throws `todo-not-found` or `todo-ambiguous` if `get` does not find exactly one todo. */
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
