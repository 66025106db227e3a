import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import { findTodo } from "./find-todo.ts";
import type { Todo } from "./todo.ts";
import type { ParsedTodoInputOf, TodoTarget, TodoWriteOperation } from "./todo-input.ts";
import { maxNamed } from "./todo-match.ts";
import type { TodoChange, TodoPatch, TodoStorage } from "./todo-storage.ts";
import { defaultListName, foldText } from "./todo-text.ts";

/** The input of {@link planChange}. */
export interface PlanChangeOptions<TOperation extends TodoWriteOperation = TodoWriteOperation> {
  readonly storage: TodoStorage;
  readonly scope: string;
  readonly input: ParsedTodoInputOf<TOperation>;
  now(): number;
  createId(): string;
}

/**
 * Determines the change of an operation, without making it.
 *
 * Throws an error whose code starts with `todo-` if it is not clear which todo or list is meant.
 */
export async function planChange(options: PlanChangeOptions): Promise<TodoChange> {
  const { input } = options;
  switch (input.operation) {
    case "add":
      return { type: "insert", todo: newTodo(input, options) };
    case "complete": {
      const todo = await findOne(options, input, { completed: false });
      const completedAt = toTimestamp(options.now());
      return { type: "patch", id: todo.id, fields: todo.completed ? {} : { completed: true, completedAt } };
    }
    case "reopen": {
      const todo = await findOne(options, input, { completed: true });
      return { type: "patch", id: todo.id, fields: { completed: false, completedAt: null } };
    }
    case "update": {
      const todo = await findOne(options, input, { match: "whole" });
      return { type: "patch", id: todo.id, fields: toPatch(input) };
    }
    case "delete": {
      const todo = await findOne(options, input, { match: "whole" });
      return { type: "remove", id: todo.id };
    }
    case "clear":
      return planClear(options, input);
    default:
      return input satisfies never;
  }
}

function findOne(
  { storage, scope }: PlanChangeOptions,
  target: TodoTarget,
  { match = "words", completed }: { match?: "words" | "whole"; completed?: boolean },
): Promise<Todo> {
  return findTodo({ storage, scope, target, match, ...(completed !== undefined && { completed }) });
}

function newTodo(
  { title, list = defaultListName, dueDate, priority, tags = [] }: ParsedTodoInputOf<"add">,
  { now, createId }: PlanChangeOptions,
): Todo {
  const id: unknown = createId();
  if (typeof id !== "string" || id === "") failOption("createId", id, "a function that returns text");
  return {
    id,
    title,
    completed: false,
    list,
    createdAt: toTimestamp(now()),
    ...(dueDate !== undefined && { dueDate }),
    ...(priority !== undefined && { priority }),
    tags,
  };
}

function toPatch({ newTitle, newList, dueDate, priority, tags }: ParsedTodoInputOf<"update">): TodoPatch {
  return {
    ...(newTitle !== undefined && { title: newTitle }),
    ...(newList !== undefined && { list: newList }),
    ...(dueDate !== undefined && { dueDate }),
    ...(priority !== undefined && { priority }),
    ...(tags !== undefined && { tags }),
  };
}

async function planClear(
  { storage, scope }: PlanChangeOptions,
  { list, allLists, onlyCompleted }: ParsedTodoInputOf<"clear">,
): Promise<TodoChange> {
  if (allLists) return { type: "clear", onlyCompleted };
  return { type: "clear", list: list ?? (await onlyList(storage, scope)), onlyCompleted };
}

/** The only list. Clearing cannot be undone, so if there are several, none is guessed. */
async function onlyList(storage: TodoStorage, scope: string): Promise<string> {
  const { todos, count } = await storage.find(scope, { limit: 1_000 });
  const names = new Map(todos.map((todo) => [foldText(todo.list), todo.list]));
  const [name = defaultListName] = names.values();
  const isOnly = count === todos.length || (await storage.find(scope, { list: name, limit: 0 })).count === count;
  if (names.size <= 1 && isOnly) return name;
  const lists = [...names.values()].slice(0, maxNamed);
  const known = lists.map((list) => JSON.stringify(list)).join(", ");
  const message = `There are several lists, among them ${known}. Name the one to clear as "list", or set "allLists".`;
  throw new AgentError("todo-list-ambiguous", message, { details: { lists } });
}

function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
