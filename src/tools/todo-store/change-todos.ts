import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import { settleDue } from "./due-date.ts";
import { findTodo, maxNamed } from "./read-todos.ts";
import type { Todo } from "./todo.ts";
import type { ParsedTodoInputOf, TodoTarget, TodoWriteOperation } from "./todo-input.ts";
import type { TodoChange, TodoPatch, TodoStorage } from "./todo-storage.ts";
import { defaultListName, foldText } from "./todo-text.ts";

/** A change to make, and where. */
interface ChangeTodosOptions {
  readonly storage: TodoStorage;
  readonly scope: string;
  readonly input: ParsedTodoInputOf<TodoWriteOperation>;
  now(): number;
  createId(): string;
}

/**
 * Makes the change of an operation once for its idempotency key, and returns its result.
 *
 * Throws an error whose code starts with `todo-`, or `invalid-options` without a key; nothing has then changed.
 */
export async function changeTodos(options: ChangeTodosOptions, key: unknown) {
  const { storage, scope, input } = options;
  checkKey(key);
  // The key is looked up first: once a todo is gone, a second attempt to delete it could find another by its title.
  const { operation } = input;
  const record = (await storage.recall(scope, key)) ?? (await applyChange(options, key));
  if (record.operation !== operation) failKeyReused(key, operation, record.operation);
  return record.result;
}

async function applyChange(options: ChangeTodosOptions, key: string) {
  const { storage, scope, input } = options;
  const plan = await planOrRecall(options, key);
  if ("operation" in plan) return plan;
  const { change } = plan;
  const record = await storage.apply(scope, { key, operation: input.operation, change });
  if (record !== undefined) return record;
  if (change.type === "insert") {
    const { id } = change.todo;
    throw new AgentError("todo-id-taken", `There is already a todo with the id ${JSON.stringify(id)}.`, {
      details: { id },
    });
  }
  const wanted = change.type === "clear" ? "clear" : change.id;
  throw new AgentError("todo-not-found", `The todo ${wanted} was removed in the meantime.`, {
    details: { wanted, near: [] },
  });
}

/** The change to make, or the record of another attempt that ended while this one was looking for its todo. */
async function planOrRecall(options: ChangeTodosOptions, key: string) {
  try {
    return { change: await planChange(options) };
  } catch (error) {
    const record = await options.storage.recall(options.scope, key);
    if (record === undefined) throw error;
    return record;
  }
}

/** Throws `invalid-options` if the key is not text, or empty: all calls without a key would look like the first one. */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  failOption("context.idempotencyKey", key, "text that is the same for each attempt of a step");
}

/** Throws `todo-key-reused`. */
export function failKeyReused(idempotencyKey: string, operation: string, earlier: string): never {
  const message = `The idempotency key ${JSON.stringify(idempotencyKey)} was already used for "${earlier}"; "${operation}" needs one of its own.`;
  throw new AgentError("todo-key-reused", message, { details: { idempotencyKey, operation, earlier } });
}

/**
 * Determines the change of an operation, without making it.
 *
 * Throws an error whose code starts with `todo-` if it is not clear which todo or list is meant.
 */
async function planChange(options: ChangeTodosOptions): Promise<TodoChange> {
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
  { storage, scope }: ChangeTodosOptions,
  target: TodoTarget,
  { match = "words", completed }: { match?: "words" | "whole"; completed?: boolean },
): Promise<Todo> {
  return findTodo({ storage, scope, target, match, ...(completed !== undefined && { completed }) });
}

function newTodo(
  { title, list = defaultListName, priority, tags = [], ...due }: ParsedTodoInputOf<"add">,
  { now, createId }: ChangeTodosOptions,
): Todo {
  const { dueDate, dueAt } = settleDue(due) ?? {};
  const id: unknown = createId();
  if (typeof id !== "string" || id === "") failOption("todoStore.createId", id, "a function that returns text");
  return {
    id,
    title,
    completed: false,
    list,
    createdAt: toTimestamp(now()),
    ...(dueDate && { dueDate }),
    ...(dueAt && { dueAt }),
    ...(priority !== undefined && { priority }),
    tags,
  };
}

function toPatch({ newTitle, newList, priority, tags, ...due }: ParsedTodoInputOf<"update">): TodoPatch {
  return {
    ...(newTitle !== undefined && { title: newTitle }),
    ...(newList !== undefined && { list: newList }),
    ...settleDue(due),
    ...(priority !== undefined && { priority }),
    ...(tags !== undefined && { tags }),
  };
}

async function planClear(
  { storage, scope }: ChangeTodosOptions,
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
