import { AgentError, type AgentErrorDetails } from "../../core/errors.ts";
import { defined, failOption } from "../../core/option-tables.ts";
import type { UndoneCall } from "../../core/tool.ts";
import { foldText, writeOnce } from "../storage/keyed-records.ts";
import { findTodo, maxNamed, type TodoScope, toMatches } from "./read-todos.ts";
import { isSameTodo, type Todo, type TodoStoreOutput } from "./todo.ts";
import { isTodoRead, type ParsedTodoInput, type ParsedTodoInputOf, type TodoWriteOperation } from "./todo-input.ts";
import { defaultListName, settleDue } from "./todo-keys.ts";
import type { TodoChange, TodoPatch, TodoStorage, TodoWrite } from "./todo-storage.ts";

export interface TodoCall extends TodoScope {
  /** The idempotency key of the call; if it undoes another, the key of that followed by `/undo`. */
  readonly key: string;
  now(): number;
  createId(): string;
}

/** Each try fails only because another write has just changed the same todo. */
const maxTries = 100;

/** Makes the change of an operation once for its idempotency key. If it throws, nothing has changed. */
export async function changeTodos(call: TodoCall, input: ParsedTodoInputOf<TodoWriteOperation>) {
  for (let tries = 1; ; tries++) {
    const { record, change } = await write(call, input.operation, () => planChange(call, input));
    if (record !== undefined) {
      const { result, before } = record;
      return before && "id" in result && isSameTodo(before, result) ? { ...result, unchanged: true as const } : result;
    }
    if (change?.type === "insert" || tries === maxTries) failMisfit(change);
  }
}

function write<TChange extends TodoChange>(
  { storage, scope, key }: TodoCall,
  operation: TodoWrite["operation"],
  plan: () => Promise<TChange | undefined>,
) {
  return writeOnce({ storage, scope, key, operation, keyReused: "todo-key-reused", plan });
}

function failMisfit(change: TodoChange | undefined): never {
  if (change?.type === "insert") {
    const { id } = change.todo;
    throw new AgentError("todo-id-taken", `There is already a todo with the id ${JSON.stringify(id)}.`, {
      details: { id },
    });
  }
  const wanted = change === undefined || change.type === "clear" ? "clear" : change.id;
  const message = `The todo ${wanted} was changed or removed in the meantime.`;
  throw new AgentError("todo-not-found", message, { details: { wanted, near: [] } });
}

/** The change fits only if the todo is still as it was found. */
async function planChange(call: TodoCall, input: ParsedTodoInputOf<TodoWriteOperation>): Promise<TodoChange> {
  switch (input.operation) {
    case "add":
      return { type: "insert", todo: newTodo(input, call) };
    case "complete": {
      const expected = await findTodo(call, input, { match: "words", completed: false });
      const completedAt = toTimestamp(call.now());
      return toPatch(expected, expected.completed ? {} : { completed: true, completedAt });
    }
    case "reopen": {
      const expected = await findTodo(call, input, { match: "words", completed: true });
      return toPatch(expected, { completed: false, completedAt: null });
    }
    case "update": {
      const expected = await findTodo(call, input, { match: "whole" });
      return toPatch(expected, newFields(input, expected, call.now()));
    }
    case "delete": {
      const expected = await findTodo(call, input, { match: "whole" });
      return { type: "remove", id: expected.id, expected };
    }
    case "clear":
      return planClear(call, input);
    default:
      return input satisfies never;
  }
}

function toPatch(expected: Todo, fields: TodoPatch): TodoChange {
  return { type: "patch", id: expected.id, fields, expected };
}

function newTodo(
  { title, list = defaultListName, priority, tags = [], ...due }: ParsedTodoInputOf<"add">,
  { now, createId }: TodoCall,
): Todo {
  const { dueDate, dueAt } = settleDue(due) ?? {};
  const id: unknown = createId();
  if (typeof id !== "string" || id === "") failOption("todoStore.createId", id, "a function that returns text");
  const optional = defined({ dueDate: dueDate ?? undefined, dueAt: dueAt ?? undefined, priority });
  return { id, title, completed: false, list, createdAt: toTimestamp(now()), ...optional, tags };
}

function newFields(
  { newTitle, newList, priority, tags, addTags = [], removeTags = [], ...due }: ParsedTodoInputOf<"update">,
  before: Todo,
  nowMs: number,
): TodoPatch {
  const changedTags = [...new Set([...before.tags, ...addTags])].filter((tag) => !removeTags.includes(tag));
  const optional = defined({ title: newTitle, list: newList, priority });
  return { ...optional, ...settleDue(due, before, nowMs), tags: tags ?? changedTags };
}

async function planClear(
  { storage, scope }: TodoScope,
  { list, allLists, onlyCompleted }: ParsedTodoInputOf<"clear">,
): Promise<TodoChange> {
  if (allLists) return { type: "clear", onlyCompleted };
  if (list === undefined) return { type: "clear", list: await onlyList(storage, scope), onlyCompleted };
  // "Clear my chore list" must not succeed where the list is called "chores".
  const isKnown = (await storage.find(scope, { list, limit: 0 })).count > 0;
  const { todos } = isKnown ? { todos: [] } : await storage.find(scope, { limit: maxNamed });
  if (todos.length === 0) return { type: "clear", list, onlyCompleted };
  const lists = [...new Set(todos.map((todo) => JSON.stringify(todo.list)))].join(", ");
  const message = `No todo is on the list ${JSON.stringify(list)}, so there is nothing to clear. There are todos on ${lists}.`;
  throw new AgentError("todo-not-found", message, { details: { wanted: list, near: toMatches(todos) } });
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

/**
 * Later changes are not overwritten: the write itself checks that the todo is as the call left it, and is recorded under the key, so
 * that it happens once. The previous state of a todo is in the record for the call's own key; an added or deleted one is the output.
 */
export async function undoChange(
  call: TodoCall,
  { input, output }: UndoneCall<ParsedTodoInput, TodoStoreOutput>,
): Promise<void> {
  if (isTodoRead(input)) return;
  const { operation } = input;
  if (!("id" in output)) refuse({ operation, reason: "irreversible" });
  const { record, change } = await write(call, "undo", () => inverseOf(call, operation, output));
  if (record === undefined && change !== undefined) await refuseUnlessGone(call, operation, change);
}

type Inverse = Exclude<TodoChange, { type: "clear" }>;

async function inverseOf(
  { storage, scope, key }: TodoCall,
  operation: string,
  todo: Todo,
): Promise<Inverse | undefined> {
  const { id } = todo;
  if (operation === "add") return { type: "remove", id, expected: todo };
  if (operation === "delete") return { type: "insert", todo };
  const record = await storage.recall(scope, key.replace(/\/undo$/, ""));
  const before = record?.result !== undefined && "id" in record.result && record.result.id === id && record.before;
  if (!before) return refuse({ operation, reason: "forgotten", id });
  if (isSameTodo(before, todo)) return undefined;
  const { title, list, completed, completedAt = null, dueDate = null, dueAt = null, priority = null, tags } = before;
  const fields = { title, list, completed, completedAt, dueDate, dueAt, priority, tags };
  return { type: "patch", id, fields, expected: todo };
}

async function refuseUnlessGone({ storage, scope }: TodoScope, operation: string, change: Inverse): Promise<void> {
  if (change.type === "insert") return refuse({ operation, reason: "exists", id: change.todo.id });
  const { id } = change;
  const { count } = await storage.find(scope, { id, limit: 0 });
  if (count > 0) return refuse({ operation, reason: "changed", id });
  if (change.type === "patch") return refuse({ operation, reason: "gone", id });
}

type Refusal = AgentErrorDetails["todo-undo-refused"];

const explanations: Readonly<Record<Refusal["reason"], string>> = {
  changed: "it was changed since, and undoing it would overwrite that change",
  gone: "it was deleted since",
  exists: "its id is in use again",
  forgotten: "the storage no longer has its previous state; let it remember more writes (rememberedWrites)",
  irreversible: "cleared todos are not kept",
};

function refuse(details: Refusal): never {
  const { operation, id, reason } = details;
  const what = id === undefined ? `"${operation}"` : `"${operation}" of the todo ${JSON.stringify(id)}`;
  throw new AgentError("todo-undo-refused", `${what} cannot be undone: ${explanations[reason]}.`, { details });
}
